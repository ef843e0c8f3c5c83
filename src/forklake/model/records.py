"""Catalogs, snapshots, tables and files as users see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Final

from forklake.model.definitions import MacroImplementation
from forklake.model.ids import CatalogId, ColumnId, DataFileId, DeleteFileId, MacroId, MappingId, SnapshotId, ViewId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CatalogInfo:
    """One entry in a list of catalogs: its name and head, now or at a given moment.

    Attributes:
        is_live: Whether the entry holds now: the catalog was neither dropped nor renamed since.
        since_snapshot: The snapshot that made the entry.
        end_snapshot: The snapshot that ended it, if it does not hold now.
    """

    catalog_id: CatalogId
    name: str
    uuid: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    snapshot_id: SnapshotId
    begin_time: datetime
    data_path: str
    is_live: bool
    since_snapshot: SnapshotId
    end_snapshot: SnapshotId | None


@dataclass(frozen=True, slots=True)
class DroppedCatalog:
    """A catalog that was dropped and not purged since: it can be brought back.

    Attributes:
        author: Who dropped it, if that was said.
        message: Why, likewise.
    """

    catalog_id: CatalogId
    name: str
    uuid: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    snapshot_id: SnapshotId
    dropped_at: datetime
    data_path: str
    author: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One committed state of one catalog.

    Ids come from one sequence for the whole metadata database, so they are unique everywhere
    and grow within a catalog; between catalogs their order says nothing about commit order.
    """

    snapshot_id: SnapshotId
    catalog_id: CatalogId
    snapshot_time: datetime
    schema_version: int
    changes_made: str
    author: str | None
    commit_message: str | None
    commit_extra_info: str | None


@dataclass(frozen=True, slots=True)
class Commit:
    """What one change did; every verb returns the same type.

    Attributes:
        snapshot_id: The snapshot that it made. None if it changed nothing, and for a change within a transaction,
            which makes none before it commits.
        row_count: The rows that were added, changed or deleted. For an overwrite, the rows that were written.
        file_count: The data files and delete files that were added, and the data files that were removed.
        is_repeated: Whether nothing was done, for the commit key was committed before; the snapshot is that of then.
    """

    snapshot_id: SnapshotId | None = None
    row_count: int = 0
    file_count: int = 0
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """The author, message and extra information of a commit."""

    author: str | None = None
    message: str | None = None
    extra_info: str | None = None


UNSAID: Final = CommitInfo()
"""What is known where nobody said who does something, or why."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option that is set.

    ``scope`` is ``lake``, ``catalog``, ``schema`` or ``table``.
    """

    key: str
    value: str
    scope: str
    scope_id: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, with what is nested in it."""

    column_id: ColumnId
    name: str
    type: str
    nulls_allowed: bool
    default: str | None
    default_is_expression: bool = False
    children: tuple[Column, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    trusted: bool = field(default=True, kw_only=True, compare=False, repr=False)
    """Whether a default that is an expression runs with the reach of whoever inserts rows."""

    @property
    def comment(self) -> str | None:
        """The comment on the column."""
        return self.tags.get("comment")


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """The file that lists the deleted rows of a data file."""

    delete_file_id: DeleteFileId
    path: str
    delete_count: int
    file_size_bytes: int
    read_upto: SnapshotId


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file of a table, with its absolute path.

    Attributes:
        path: Where it is, absolute.
        owner_id: The catalog that made it: the catalog itself, or an ancestor.
        read_upto: A merged file is read as of this snapshot.
    """

    data_file_id: DataFileId
    path: str
    record_count: int
    file_size_bytes: int
    row_id_start: int | None
    owner_id: CatalogId
    read_upto: SnapshotId
    partial_max: SnapshotId | None = None
    delete_file: DeleteFile | None = None
    inlined_deletes: tuple[int, ...] = ()
    partition_values: tuple[str | None, ...] = ()
    mapping_id: MappingId | None = None


@dataclass(frozen=True, slots=True)
class PrunedFiles:
    """How many files a scan skips for one reason, and their total size."""

    reason: str
    file_count: int
    file_size_bytes: int


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """What a scan reads and what it skips.

    Attributes:
        record_count: The rows of the files, before deletes and the condition.
        inlined_row_count: The inlined rows.
        pruned: What was skipped: by ``partition`` values or by ``statistics``.
        paths: The files that are read.
    """

    file_count: int
    file_size_bytes: int
    record_count: int
    delete_file_count: int
    inlined_row_count: int
    pruned: tuple[PrunedFiles, ...]
    paths: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class TableStats:
    """Totals of a table; ``record_count`` includes deleted rows until their file ends."""

    record_count: int
    file_size_bytes: int
    next_row_id: int


@dataclass(frozen=True, slots=True)
class View:
    """A view: a query under a name."""

    view_id: ViewId
    schema_name: str
    name: str
    uuid: str
    sql: str
    dialect: str
    column_aliases: tuple[str, ...]
    tags: Mapping[str, str]
    column_tags: Mapping[str, Mapping[str, str]]
    trusted: bool = field(default=True, kw_only=True, compare=False, repr=False)
    """Whether it runs with the reach of whoever reads it; else it reaches its own catalog only."""
    created: bool = field(default=False, compare=False, repr=False)
    """Whether the call that returned this made the view."""
    commit: Commit | None = field(default=None, compare=False, repr=False)
    """What that call did, if it could make one."""

    @property
    def comment(self) -> str | None:
        """The comment on the view."""
        return self.tags.get("comment")


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro with its overloads; ``kind`` is ``scalar`` or ``table``."""

    macro_id: MacroId
    schema_name: str
    name: str
    kind: str
    implementations: tuple[MacroImplementation, ...]
    created: bool = field(default=False, compare=False, repr=False)
    """Whether the call that returned this made the macro."""
    commit: Commit | None = field(default=None, compare=False, repr=False)
    """What that call did, if it could make one."""


@dataclass(frozen=True, slots=True)
class InlinedRow:
    """An inlined row: its id, and its values by column name, as text."""

    row_id: int
    values: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class FlushedTable:
    """A table whose inlined data was written into files.

    Attributes:
        schema_name: Its schema.
        table_name: Its name.
        row_count: How many rows were written into data files.
        delete_count: How many inlined deletes of its data files were written into delete files.
        files_created: How many data and delete files were written; none by a dry run.
        bytes_created: Their size.
    """

    schema_name: str
    table_name: str
    row_count: int
    delete_count: int = 0
    files_created: int = 0
    bytes_created: int = 0


@dataclass(frozen=True, slots=True)
class OrphanedFile:
    """A file that nothing named: its size, and when it was last written."""

    path: str
    byte_count: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class OrphanSearch:
    """What a search for orphaned files found.

    Attributes:
        files: The files that were deleted; in a dry run those that would be.
        failures: What could not be deleted or read, and why, as sentences.
        dry_run: Whether nothing was to be deleted.
        left: How many files that nothing names stay: they lie outside of the lake's data path and have other names
            than forklake and DuckLake give, so they may be somebody else's.
    """

    files: tuple[OrphanedFile, ...]
    failures: tuple[str, ...] = ()
    dry_run: bool = False
    left: int = 0

    @property
    def byte_count(self) -> int:
        """The size of the files."""
        return sum(file.byte_count for file in self.files)


@dataclass(frozen=True, slots=True)
class CompactedFiles:
    """Data files of a table that were replaced together.

    Attributes:
        schema_name: The schema of the table.
        table_name: The table.
        files_processed: How many files were replaced.
        files_created: How many files replace them.
        bytes_before: The size of those that were replaced, with their delete files.
        bytes_after: The size of the new ones; None in a dry run.
        snapshot_id: The snapshot that replaced them; None in a dry run, and in a transaction.
    """

    schema_name: str
    table_name: str
    files_processed: int
    files_created: int
    bytes_before: int
    bytes_after: int | None = None
    snapshot_id: SnapshotId | None = None


@dataclass(frozen=True, slots=True)
class CheckpointStep:
    """A step of a checkpoint.

    Attributes:
        name: DuckLake's name of its function.
        count: How many rows, snapshots or files it dealt with.
        failures: What could not be deleted or read, and why, as sentences.
    """

    name: str
    count: int
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedCatalog:
    """A plain DuckLake database that an export made.

    Attributes:
        path: The file.
        product: ``duckdb`` or ``sqlite``.
        snapshot_id: The number of the exported snapshot there.
        table_count: How many tables the snapshot has.
        file_count: How many data files.
    """

    path: Path
    product: str
    snapshot_id: int
    table_count: int
    file_count: int
