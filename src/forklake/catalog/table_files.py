"""The visible files of a table, each with its deletes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forklake.catalog.read_files import FileRows
from forklake.catalog.state import Content
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, FILE_PARTITION_VALUE, INLINED_DELETE
from forklake.model.ids import DataFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedDeleteRow
from forklake.model.version import Version


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The live data files of a table, in the order of addition, and their deletes.

    Deletes are by data file.
    """

    data: Sequence[DataFileRow]
    deletes: Mapping[DataFileId, DeleteFileRow]
    inlined_deletes: Mapping[DataFileId, tuple[int, ...]]


def table_files(content: Content, table_id: TableId) -> TableFiles:
    """Return the files of a table, with three queries however many there are."""
    of_table = {"table_id": table_id}
    return _files(
        content.rows(DATA_FILE, of_table), content.rows(DELETE_FILE, of_table), content.rows(INLINED_DELETE, of_table)
    )


def files_in(found: FileRows) -> TableFiles:
    """Return the files of a table that were read."""
    return _files(found.of(DATA_FILE), found.of(DELETE_FILE), found.of(INLINED_DELETE))


def _files(
    data: Sequence[DataFileRow], delete_files: Sequence[DeleteFileRow], inlined_deletes: Sequence[InlinedDeleteRow]
) -> TableFiles:
    # Local ids count downwards, and come after all that is committed.
    rows = sorted(data, key=lambda row: (row.data_file_id < 0, abs(row.data_file_id)))
    deletes = {row.data_file_id: row for row in delete_files}
    inlined: dict[DataFileId, list[int]] = {}
    for deleted in inlined_deletes:
        inlined.setdefault(deleted.data_file_id, []).append(deleted.row_id)
    return TableFiles(rows, deletes, {file: tuple(sorted(places)) for file, places in inlined.items()})


def partition_values(content: Content, files: Sequence[DataFileRow]) -> dict[DataFileId, tuple[str | None, ...]]:
    """Return the partition values of files, in the order of the keys.

    Files without partition values are left out.
    """
    partitioned = [row for row in files if row.partition_id is not None]
    values: dict[DataFileId, dict[int, str | None]] = {}
    for row in content.following(FILE_PARTITION_VALUE, partitioned) if partitioned else ():
        values.setdefault(row.data_file_id, {})[row.partition_key_index] = row.partition_value
    return {file: tuple(keys[index] for index in sorted(keys)) for file, keys in values.items()}


def read_bound(row: DataFileRow | DeleteFileRow, version: Version) -> SnapshotId:
    """Return the snapshot as of which a file is read."""
    bound = version.snapshot_id if row.origin is None else row.origin.bound
    return bound if row.read_upto is None else min(bound, row.read_upto)


def is_cut(row: DataFileRow | DeleteFileRow, version: Version) -> bool:
    """Return whether a file holds rows younger than the snapshot it is read as of."""
    return row.partial_max is not None and row.partial_max > read_bound(row, version)


def cut_at(row: DataFileRow | DeleteFileRow, version: Version) -> SnapshotId | None:
    """Return the snapshot as of which a file is read, or None.

    It is None if the file holds no younger rows.
    """
    return read_bound(row, version) if is_cut(row, version) else None
