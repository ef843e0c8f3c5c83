"""What a scan reads: everything is resolved, so whoever runs it needs no metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, SnapshotId
from forklake.model.numbering import Numbering

ROW_ID_COLUMN = "_ducklake_internal_row_id"
ROW_ID_FIELD_ID = ColumnId(2147483540)
SNAPSHOT_ID_COLUMN = "_ducklake_internal_snapshot_id"
LINEAGE_COLUMNS = ("rowid", "snapshot_id", "filename", "file_row_number")
"""What can be asked for beside the columns of a table."""


@dataclass(frozen=True, slots=True)
class MappedField:
    """A column of a file by its name, and the column of the table that it is."""

    source_name: str
    column_id: ColumnId
    is_partition: bool = False
    children: tuple[MappedField, ...] = ()


@dataclass(frozen=True, slots=True)
class ScanDeletes:
    """A delete file to apply; ``is_cut`` says that only its rows up to ``read_upto`` count."""

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
        fields: The columns it holds, by the names and types it holds them with; None if only its footer knows.
        mapping: How its columns are found by name, if ``fields`` is None and it has no field ids.
        snapshot_id: The snapshot that added it.
        read_upto: The file is read as of this snapshot.
        is_cut: Whether it holds rows that are younger than that; they carry their snapshot.
        numbering: What the snapshots are numbered that rows carry, if these are not our ids.
    """

    data_file_id: DataFileId
    path: str
    file_size_bytes: int
    record_count: int
    snapshot_id: SnapshotId
    read_upto: SnapshotId
    row_id_start: int | None = None
    is_cut: bool = False
    fields: tuple[Field, ...] | None = None
    mapping: tuple[MappedField, ...] | None = None
    deletes: ScanDeletes | None = None
    inlined_deletes: tuple[int, ...] = ()
    encryption_key: str | None = None
    numbering: Numbering | None = None


@dataclass(frozen=True, slots=True)
class ScanRows:
    """Rows that are kept in the metadata: for each its id, its snapshot, and its values by column id, as text.

    ``fields`` are the columns that the table had when they were written.
    """

    fields: tuple[Field, ...]
    rows: tuple[tuple[int, SnapshotId, Mapping[ColumnId, str | None]], ...]


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan of one table as one version shows it.

    Attributes:
        table: The table's name, for messages.
        fields: All columns of the table, in order.
        files: What is left after pruning.
        pruned: How many files each reason left out, and their bytes.
    """

    table: str
    fields: tuple[Field, ...]
    files: tuple[ScanFile, ...]
    inlined: tuple[ScanRows, ...] = ()
    pruned: Mapping[str, tuple[int, int]] = dataclass_field(default_factory=dict)
