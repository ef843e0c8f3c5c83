"""What is read to tell how the rows of a table changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanDeletes, ScanPlan


@dataclass(frozen=True, slots=True)
class NewDeletes:
    """What one delete file deletes of its data file that was there before.

    Attributes:
        path: The data file's.
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
    """How the rows of a table changed between two snapshots, both included.

    Attributes:
        first: The first snapshot whose changes count.
        last: The last one; columns are the table's of that snapshot.
        inserted: Files and rows of which something was added; what was deleted of them later counts too.
        ended: Files and rows that ended, as they were just before.
        ended_files: The snapshot that ended each file, by path.
        ended_rows: The snapshot that ended each row of the metadata, by row id and the snapshot that began it.
        deleted_from: Files of which rows were deleted, whole.
        deletes: The delete files that did it.
        inlined_deletes: Deletes that are kept in the metadata: data file, position, snapshot.
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
