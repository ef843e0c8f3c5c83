"""The plan of a change feed: what is read to find how the rows of a table changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanDeletes, ScanPlan


@dataclass(frozen=True, slots=True)
class NewDeletes:
    """The rows of a data file that one delete file newly deletes.

    Attributes:
        path: The path of the data file.
        before: What was deleted already.
        after: What is deleted now.
        snapshot_id: The snapshot that deleted it.
    """

    data_file_id: DataFileId
    path: str
    before: ScanDeletes | None
    after: ScanDeletes
    snapshot_id: SnapshotId


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What to read for the changes of a table between two snapshots, both included.

    Attributes:
        first: The first snapshot whose changes count.
        last: The last one; the columns are those of the table at that snapshot.
        inserted: Files and inlined rows with added rows; rows that were deleted later count too.
        ended: Files and inlined rows that ended, as they were just before.
        ended_files: The snapshot that ended each file, by path.
        ended_rows: The snapshot that ended each inlined row, by row id and the snapshot that began it.
        deleted_from: Whole files in which rows were deleted.
        deletes: The delete files that did it.
        inlined_deletes: Inlined deletes: data file, position, snapshot.
    """

    first: SnapshotId
    last: SnapshotId
    inserted: ScanPlan
    ended: ScanPlan
    ended_files: Mapping[str, SnapshotId]
    ended_rows: Mapping[tuple[int, SnapshotId], SnapshotId]
    deleted_from: ScanPlan
    deletes: tuple[NewDeletes, ...]
    inlined_deletes: tuple[tuple[str, int, SnapshotId], ...]
