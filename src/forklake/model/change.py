"""Everything that one commit may do, as values.

Staging, the change log, conflict checks, diff and merge share this one vocabulary. A change names things by
id, so it means the same on every snapshot that holds them. Ids of things that the same transaction makes are
local (negative) until the commit.
"""

from __future__ import annotations

from forklake.model.change_log import ChangeKind
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
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """Make a schema."""

    schema_id: SchemaId
    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class DropSchema:
    """Drop a schema; with ``cascade`` its tables too, otherwise it must be empty."""

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
    """Drop a table with its columns and files.

    ``rows_are_used``: another table of the transaction is filled with its rows, so whoever added or deleted some since
    conflicts as with a delete of all rows.
    """

    table_id: TableId
    rows_are_used: bool = False


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Give a table another name in its schema; its files stay where they are."""

    table_id: TableId
    name: str


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Add a column, or a field to the column ``parent``.

    ``ids`` are those of the column and of what is nested in it, outer ones first; without them, the table counts.
    """

    table_id: TableId
    column: ColumnDefinition
    parent: ColumnId | None = None
    ids: tuple[ColumnId, ...] = ()


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
    """Set the default of a column for future rows; None removes it."""

    table_id: TableId
    column_id: ColumnId
    default: str | None
    is_expression: bool = False
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class SetNullsAllowed:
    """Allow or forbid NULL in a column.

    ``searched`` has the files whose rows were read and found free of NULL. It is None if no file was read: then
    the statistics have to prove it.
    """

    table_id: TableId
    column_id: ColumnId
    allowed: bool
    searched: frozenset[DataFileId] | None = None


@dataclass(frozen=True, slots=True)
class SetPartitioning:
    """Partition future files by these keys; no keys resets it."""

    table_id: TableId
    partition_id: PartitionId
    fields: tuple[PartitionField, ...]


@dataclass(frozen=True, slots=True)
class SetSorting:
    """Sort future files by these keys; no keys resets it."""

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
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class DropView:
    """Drop a view."""

    view_id: ViewId


@dataclass(frozen=True, slots=True)
class RenameView:
    """Give a view another name in its schema.

    It is trusted no more if who renames it is not.
    """

    view_id: ViewId
    name: str
    trusted: bool = True


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
    """Set a tag of a table or view; None removes it."""

    object_id: int
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class SetColumnTag:
    """Set a tag of a column; None removes it."""

    table_id: TableId
    column_id: ColumnId
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class SetViewColumnTag:
    """Set a tag of a column of a view; None removes it."""

    view_id: ViewId
    column_name: str
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class AppendFiles:
    """Add written data files to a table; the commit assigns the row ids.

    ``mappings`` has a local id for each new mapping that the files name. ``unmatched`` means that the rows were
    added because no row of the table matched, as in a merge: they conflict with rows that others have added
    meanwhile.
    """

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]
    mappings: tuple[tuple[MappingId, NameMapping], ...] = ()
    unmatched: bool = False


@dataclass(frozen=True, slots=True)
class RewriteFiles:
    """Replace files that this transaction wrote by files with the same rows.

    The rows keep their positions and are stored in the table's current columns. ``files`` has the local id of
    each old file with its replacement; ``mappings`` as in `AppendFiles`.
    """

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]
    mappings: tuple[tuple[MappingId, NameMapping], ...] = ()


@dataclass(frozen=True, slots=True)
class InsertInlined:
    """Add inlined rows: for each row, its values by column id, as text or None.

    ``row_ids`` has the ids that updated rows keep, and None for new rows; if it is empty, all rows are new.
    ``unmatched`` as in `AppendFiles`.
    """

    table_id: TableId
    rows: tuple[tuple[tuple[ColumnId, str | None], ...], ...]
    row_ids: tuple[int | None, ...] = ()
    unmatched: bool = False


@dataclass(frozen=True, slots=True)
class DeleteInlined:
    """Delete inlined rows."""

    table_id: TableId
    row_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InlineDeletes:
    """Delete rows of data files by position, and record that in the metadata."""

    table_id: TableId
    positions: tuple[tuple[DataFileId, int], ...]


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Register written delete files; each replaces the previous one of its data file."""

    table_id: TableId
    files: tuple[tuple[DeleteFileId, NewDeleteFile], ...]


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    """End data files that have no rows left, and their delete files."""

    table_id: TableId
    files: tuple[DataFileId, ...]


@dataclass(frozen=True, slots=True)
class TableShape:
    """The part of a table's definition that shows in its files.

    It has the id, name, type and parent of each column, and the partitioning.
    """

    columns: frozenset[tuple[ColumnId, str, str, ColumnId | None]]
    partition_id: PartitionId | None


@dataclass(frozen=True, slots=True)
class FlushInlined:
    """Move inlined rows and inlined deletes of a table into files; no row changes.

    Attributes:
        table_id: The table.
        files: The data files with the rows, each row with its id and its snapshot.
        row_ids: The rows that they hold.
        newest: The last snapshot that added one of these rows; None if there are none.
        delete_files: The delete files with the positions, earlier deletions included; each with its snapshot.
        whole_files: Data files that have no rows left: they end.
        positions: What the delete files hold now.
        shape: The shape that the files were written for; the table must still have it.
        base: The snapshot that it was planned on.
    """

    table_id: TableId
    files: tuple[tuple[DataFileId, NewDataFile], ...]
    row_ids: tuple[int, ...]
    newest: SnapshotId | None
    delete_files: tuple[tuple[DeleteFileId, NewDeleteFile], ...]
    whole_files: tuple[DataFileId, ...]
    positions: frozenset[tuple[DataFileId, int]]
    shape: TableShape
    base: SnapshotId


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A data file that a compaction replaces, with the deletes that it applied."""

    data_file_id: DataFileId
    delete_file_id: DeleteFileId | None = None
    inlined_deletes: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A data file that a compaction wrote.

    Each row carries its id and its snapshot. The file belongs to the partition of its sources.
    """

    data_file_id: DataFileId
    file: NewDataFile
    partition_id: PartitionId | None = None
    row_id_start: int | None = None


@dataclass(frozen=True, slots=True)
class CompactFiles:
    """Replace data files of a table by files with the same rows.

    Deleted rows are left out. No row changes.

    Attributes:
        table_id: The table.
        kind: ``merge_adjacent`` or ``rewrite_delete``.
        sources: The files that end. They must still be live, with the same deletes.
        files: The files that begin.
        base: The snapshot that it was planned on.
        columns: The columns of the new files that hold values, by folded and dotted name.
    """

    table_id: TableId
    kind: ChangeKind
    sources: tuple[SourceFile, ...]
    files: tuple[MergedFile, ...]
    base: SnapshotId
    columns: tuple[tuple[str, ColumnId], ...]


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
    | CompactFiles
)


def touched_files(change: Change) -> int:
    """Return how many files a change adds or removes.

    Data files and delete files count when they are added, only data files when they are removed.
    """
    match change:
        case AppendFiles(files=files) | DeleteRows(files=files) | RemoveFiles(files=files):
            return len(files)
        case FlushInlined(files=files, delete_files=delete_files, whole_files=whole_files):
            return len(files) + len(delete_files) + len(whole_files)
        case CompactFiles(sources=sources, files=files):
            return len(sources) + len(files)
    return 0
