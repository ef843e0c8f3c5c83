"""What one commit may do: the one vocabulary for staging, the log, conflicts, diff and merge.

A change names things by id, so it means the same on every snapshot that holds them. Ids of things that
the same transaction makes are local (negative) until the commit.
"""

from __future__ import annotations

from dataclasses import dataclass

from forklake.model.definitions import (
    ColumnDefinition,
    MacroImplementation,
    NameMapping,
    NewDataFile,
    NewDeleteFile,
    PartitionField,
    SortKey,
)
from forklake.model.ids import (
    ColumnId,
    DataFileId,
    DeleteFileId,
    MacroId,
    MappingId,
    PartitionId,
    SchemaId,
    SnapshotId,
    SortId,
    TableId,
    ViewId,
)


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """Make a schema."""

    schema_id: SchemaId
    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class DropSchema:
    """Drop a schema; with ``cascade`` the tables in it too, else it has to be empty."""

    schema_id: SchemaId
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Make a table."""

    table_id: TableId
    uuid: str
    schema_id: SchemaId
    name: str
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class DropTable:
    """Drop a table with its columns and files."""

    table_id: TableId


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Give a table another name in its schema; its files stay where they are."""

    table_id: TableId
    name: str


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Add a column, or a field to the column ``parent``."""

    table_id: TableId
    column: ColumnDefinition
    parent: ColumnId | None = None


@dataclass(frozen=True, slots=True)
class DropColumn:
    """Drop a column with the fields in it; its id is never used again."""

    table_id: TableId
    column_id: ColumnId


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Give a column or field another name."""

    table_id: TableId
    column_id: ColumnId
    name: str


@dataclass(frozen=True, slots=True)
class ChangeColumnType:
    """Widen the type of a column or field."""

    table_id: TableId
    column_id: ColumnId
    type: str


@dataclass(frozen=True, slots=True)
class SetDefault:
    """Give a column another default for rows to come; None takes it away."""

    table_id: TableId
    column_id: ColumnId
    default: str | None
    is_expression: bool = False


@dataclass(frozen=True, slots=True)
class SetNullsAllowed:
    """Allow or forbid NULL in a column.

    ``searched`` has the files whose rows were read and have no NULL; None if none were read, and statistics have to
    prove it.
    """

    table_id: TableId
    column_id: ColumnId
    allowed: bool
    searched: frozenset[DataFileId] | None = None


@dataclass(frozen=True, slots=True)
class SetPartitioning:
    """Partition the files to come by these keys; none resets it."""

    table_id: TableId
    partition_id: PartitionId
    fields: tuple[PartitionField, ...]


@dataclass(frozen=True, slots=True)
class SetSorting:
    """Sort the files to come by these keys; none resets it."""

    table_id: TableId
    sort_id: SortId
    keys: tuple[SortKey, ...]


@dataclass(frozen=True, slots=True)
class CreateView:
    """Make a view."""

    view_id: ViewId
    uuid: str
    schema_id: SchemaId
    name: str
    sql: str
    dialect: str = "duckdb"
    column_aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropView:
    """Drop a view."""

    view_id: ViewId


@dataclass(frozen=True, slots=True)
class RenameView:
    """Give a view another name in its schema."""

    view_id: ViewId
    name: str


@dataclass(frozen=True, slots=True)
class CreateMacro:
    """Make a macro with all its overloads."""

    macro_id: MacroId
    schema_id: SchemaId
    name: str
    implementations: tuple[MacroImplementation, ...]


@dataclass(frozen=True, slots=True)
class DropMacro:
    """Drop a macro with all its overloads."""

    macro_id: MacroId


@dataclass(frozen=True, slots=True)
class SetTag:
    """Set a tag of a table or view; None takes it away."""

    object_id: int
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class SetColumnTag:
    """Set a tag of a column; None takes it away."""

    table_id: TableId
    column_id: ColumnId
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class SetViewColumnTag:
    """Set a tag of a column of a view; None takes it away."""

    view_id: ViewId
    column_name: str
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class AppendFiles:
    """Make written data files part of a table; row ids are given at the commit.

    ``mappings`` has a local id for each new mapping that the files name. ``unmatched`` says that rows are there because
    no row of the table matched, as in a merge: they cannot follow rows that others have added meanwhile.
    """

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]
    mappings: tuple[tuple[MappingId, NameMapping], ...] = ()
    unmatched: bool = False


@dataclass(frozen=True, slots=True)
class RewriteFiles:
    """Let other files hold rows that this transaction wrote: the same rows in the same places, in the columns of now.

    ``files`` has the local id of each file with what takes its place; ``mappings`` as in `AppendFiles`.
    """

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]
    mappings: tuple[tuple[MappingId, NameMapping], ...] = ()


@dataclass(frozen=True, slots=True)
class InsertInlined:
    """Add rows that are kept in the metadata: for each, the values by column id, as text or None.

    ``row_ids`` has the ids that updated rows keep, and None for new rows; all are new if it is empty. ``unmatched`` as
    in `AppendFiles`.
    """

    table_id: TableId
    rows: tuple[tuple[tuple[ColumnId, str | None], ...], ...]
    row_ids: tuple[int | None, ...] = ()
    unmatched: bool = False


@dataclass(frozen=True, slots=True)
class DeleteInlined:
    """Delete rows that are kept in the metadata."""

    table_id: TableId
    row_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InlineDeletes:
    """Delete rows of data files by position, and keep that in the metadata."""

    table_id: TableId
    positions: tuple[tuple[DataFileId, int], ...]


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Make written delete files count; each takes the place of the one before it."""

    table_id: TableId
    files: tuple[tuple[DeleteFileId, NewDeleteFile], ...]


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    """End data files of which no row is left, and their delete files."""

    table_id: TableId
    files: tuple[DataFileId, ...]


@dataclass(frozen=True, slots=True)
class TableShape:
    """What of a table shows in its files: of each column its id, name, type and parent; and the partitioning."""

    columns: frozenset[tuple[ColumnId, str, str, ColumnId | None]]
    partition_id: PartitionId | None


@dataclass(frozen=True, slots=True)
class FlushInlined:
    """Let files hold what the metadata held: inlined rows, and deleted positions of data files. No row changes.

    Attributes:
        table_id: The table.
        files: The data files with the rows, each row with its id and its snapshot.
        row_ids: The rows that they hold.
        newest: The last snapshot that added one of these rows; None if there are none.
        delete_files: The delete files with the positions, earlier deletions included.
        whole_files: Data files of which no row is left: they end.
        positions: What the delete files hold now.
        shape: What the files were written for; the table must still be like that.
    """

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]
    row_ids: tuple[int, ...]
    newest: SnapshotId | None
    delete_files: tuple[tuple[DeleteFileId, NewDeleteFile], ...]
    whole_files: tuple[DataFileId, ...]
    positions: frozenset[tuple[DataFileId, int]]
    shape: TableShape


Change = (
    CreateSchema
    | DropSchema
    | CreateTable
    | DropTable
    | RenameTable
    | AddColumn
    | DropColumn
    | RenameColumn
    | ChangeColumnType
    | SetDefault
    | SetNullsAllowed
    | SetPartitioning
    | SetSorting
    | CreateView
    | DropView
    | RenameView
    | CreateMacro
    | DropMacro
    | SetTag
    | SetColumnTag
    | SetViewColumnTag
    | InsertInlined
    | DeleteInlined
    | InlineDeletes
    | AppendFiles
    | RewriteFiles
    | DeleteRows
    | RemoveFiles
    | FlushInlined
)


def touched_files(change: Change) -> int:
    """Return how many data files and delete files a change adds, and how many data files it takes away."""
    match change:
        case AppendFiles(files=files) | DeleteRows(files=files) | RemoveFiles(files=files):
            return len(files)
        case FlushInlined(files=files, delete_files=delete_files, whole_files=whole_files):
            return len(files) + len(delete_files) + len(whole_files)
    return 0
