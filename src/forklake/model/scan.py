"""A resolved scan: it runs without access to the metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field as dataclass_field
from dataclasses import replace
from typing import Final

from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import CatalogId, ColumnId, DataFileId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.numbering import Numbering
from forklake.model.top_rows import TopRows

ROW_ID_COLUMN = "_ducklake_internal_row_id"
ROW_ID_FIELD_ID = ColumnId(2147483540)
SNAPSHOT_ID_COLUMN = "_ducklake_internal_snapshot_id"
SNAPSHOT_ID_FIELD_ID = ColumnId(2147483539)
LINEAGE_COLUMNS: Final = {
    "rowid": types.INT64,
    "snapshot_id": types.INT64,
    "filename": types.VARCHAR,
    "file_row_number": types.INT64,
    "file_index": types.UINT64,
}
"""What can be asked for beside the columns of a table, with its type."""
OWN_ROW_ID: Final = "_ducklake_forklake_row_id"
"""The row id under a name that it has even where a column of the table is called ``rowid``."""
OWN_FILE: Final = "_ducklake_forklake_file"
OWN_POSITION: Final = "_ducklake_forklake_position"
OWN_PLACES: Final = {OWN_FILE: types.INT64, OWN_POSITION: types.INT64, OWN_ROW_ID: types.INT64}
"""Where a row is, under names that no column of a table has: the id of its data file and its place there, unless the
metadata holds it, and its id; with their types. (An imported table may have one path twice.)"""
PLACE_LINEAGE: Final = {"data_file": OWN_FILE, "data_file_row": OWN_POSITION, "own_rowid": OWN_ROW_ID}
"""The lineage that says where a row is, and the names that it goes under while rows are changed."""

FIRST_STAGED_ID: Final = 10**18
"""The row id under which DuckLake shows the first row that a transaction has added to a table."""

HOLDER_COLUMN: Final = "catalog_name"
"""The column that says which catalog a row of a shared plan is from."""


@dataclass(frozen=True, slots=True)
class MappedField:
    """A column of a file by its name, and the matching column of the table."""

    source_name: str
    column_id: ColumnId
    is_partition: bool = False
    children: tuple[MappedField, ...] = ()


@dataclass(frozen=True, slots=True)
class ScanDeletes:
    """A delete file to apply.

    ``is_cut`` means that only its rows up to ``read_upto`` count.
    """

    path: str
    format: str
    file_size_bytes: int
    read_upto: SnapshotId
    is_cut: bool
    encryption_key: str | None = None
    delete_count: int | None = None


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A data file to read.

    Attributes:
        path: Where it is, absolute, or a URL.
        fields: The columns in the file, with their names and types in the file; None if only its footer has them.
        mapping: How its columns are found by name, if ``fields`` is None and it has no field ids.
        snapshot_id: The snapshot that added it; None if it is not committed.
        read_upto: The file is read as of this snapshot.
        is_cut: Whether it holds rows that are younger than that; they carry their snapshot.
        numbering: The numbering of the snapshots that rows carry, if these are not our ids.
        without_nan: The float columns that are known to hold no NaN.
    """

    data_file_id: DataFileId
    path: str
    file_size_bytes: int
    record_count: int
    snapshot_id: SnapshotId | None
    read_upto: SnapshotId
    row_id_start: int | None = None
    is_cut: bool = False
    fields: tuple[Field, ...] | None = None
    mapping: tuple[MappedField, ...] | None = None
    deletes: ScanDeletes | None = None
    inlined_deletes: tuple[int, ...] = ()
    encryption_key: str | None = None
    numbering: Numbering | None = None
    without_nan: frozenset[ColumnId] = frozenset()

    def has_rows_of(self, other: ScanFile) -> bool:
        """Return whether both hold the same rows, deleted ones included.

        The path does not tell: a file that was adopted again has other row ids. Of a file that is cut it is not known.
        """
        if self.is_cut or other.is_cut:
            return False
        return (self.path, self.record_count, self.row_id_start, self.snapshot_id, self.numbering) == (
            other.path,
            other.record_count,
            other.row_id_start,
            other.snapshot_id,
            other.numbering,
        )


@dataclass(frozen=True, slots=True)
class ScanRows:
    """Inlined rows to read.

    Each has its id, its snapshot, which is None if it is not committed, and its values by column id, as text.
    ``fields`` are the columns that the table had when the rows were written; ``names`` are the names that DuckLake
    would give to the metadata table of each row. ``places`` has the place of each among all that a shared plan reads,
    ``place`` that of all where it is not the next.
    """

    fields: tuple[Field, ...]
    rows: tuple[tuple[int, SnapshotId | None, Mapping[ColumnId, str | None]], ...]
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    place: int | None = None

    @property
    def numbers(self) -> list[int]:
        """What ``file_row_number`` tells, as in DuckLake.

        These are row ids, or the places of rows that are not committed.
        """
        return [place if begun is None else row_id for place, (row_id, begun, _) in enumerate(self.rows)]


@dataclass(frozen=True, slots=True)
class StagedIds:
    """The ids of rows that a transaction has added to a table.

    They begin with ``first`` and end before ``end``. A commit may give the rows others, so they are shown as DuckLake
    shows them, from `FIRST_STAGED_ID` on.
    """

    first: int
    end: int

    @property
    def shift(self) -> int:
        """What is added to such an id to show it."""
        return FIRST_STAGED_ID - self.first


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan of one table at one version.

    Attributes:
        table: The table's name, for messages.
        fields: All columns of the table, in order.
        files: The files that remain after pruning.
        pruned: How many files each reason excluded, and their bytes.
        top: The rows that are asked for, if only the first in an order are.
        staged: The ids of rows that the reader has added and not committed.
        place: The catalog that it reads, and at which snapshot; None if it is of several.
    """

    table: str
    fields: tuple[Field, ...]
    files: tuple[ScanFile, ...]
    inlined: tuple[ScanRows, ...] = ()
    pruned: Mapping[str, tuple[int, int]] = dataclass_field(default_factory=dict)
    top: TopRows | None = None
    staged: StagedIds | None = None
    place: tuple[CatalogId, SnapshotId] | None = None


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """A scan of one table in several catalogs, which have the same columns.

    ``holders`` has the names of the catalogs that see each file of the plan, then those that see the inlined rows of
    each further place.
    """

    plan: ScanPlan
    holders: tuple[tuple[str, ...], ...]


def first_rows(plan: ScanPlan, count: int) -> ScanPlan:
    """Return a plan with only the files that its first rows need.

    The order is that of the plan. Nothing after a file with an unknown number of visible rows is left out.
    """
    left = count
    for number, file in enumerate(plan.files):
        if left <= 0:
            kept, gone = plan.files[:number], plan.files[number:]
            size = sum(each.file_size_bytes for each in gone)
            return replace(plan, files=kept, inlined=(), pruned={**plan.pruned, "limit": (len(gone), size)})
        deletes = file.deletes
        if file.is_cut or (deletes is not None and (deletes.is_cut or deletes.delete_count is None)):
            return plan
        deleted = 0 if deletes is None else deletes.delete_count or 0
        left -= max(0, file.record_count - deleted - len(file.inlined_deletes))
    return replace(plan, inlined=()) if left <= 0 else plan


def _row_estimate(file: ScanFile) -> int:
    deleted = 0 if file.deletes is None else file.deletes.delete_count or 0
    return max(0, file.record_count - deleted - len(file.inlined_deletes))


def plan_lines(plan: ScanPlan) -> list[str]:
    """Describe what a scan reads and skips, for EXPLAIN."""
    inlined = sum(len(rows.rows) for rows in plan.inlined)
    size = sum(file.file_size_bytes for file in plan.files)
    rows = sum(_row_estimate(file) for file in plan.files) + inlined
    # The words are those in which DuckDB tells it.
    lines = [
        f'Table "{plan.table}": Total Files Read: {len(plan.files)} ({size} bytes), inlined rows: {inlined}',
    ]
    if plan.top is not None:
        order = "DESC" if plan.top.is_descending else "ASC"
        lines.append(f'  optional: Dynamic Filter: the first {plan.top.count:,} rows by "{plan.top.column}" {order}')
    lines.append(f"  TABLE_SCAN of ~{rows:,} rows" if plan.files or inlined else "  EMPTY_RESULT")
    return lines + [
        f"  Files left out by {reason}: {count} ({pruned_size} bytes)"
        for reason, (count, pruned_size) in sorted(plan.pruned.items())
    ]
