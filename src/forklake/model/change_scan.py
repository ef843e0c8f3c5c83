"""The plan of a change feed: what is read to find how the rows of a table changed."""

from __future__ import annotations

from collections.abc import Mapping

from forklake.model.field import Field
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanDeletes, ScanPlan


@dataclass(frozen=True, slots=True)
class NewDeletes:
    """The rows of a data file that one delete file newly deletes.

    Attributes:
        before: What was deleted already.
        after: What is deleted now.
        snapshot_id: The snapshot that deleted it.
    """

    data_file_id: DataFileId
    before: ScanDeletes | None
    after: ScanDeletes
    snapshot_id: SnapshotId


@dataclass(frozen=True, slots=True)
class DatedScan:
    """Files and inlined rows, each with a snapshot that it is told at.

    A path may be there several times: a file that was adopted, was removed and was adopted again has other rows then.

    Attributes:
        scan: What is read.
        files: The snapshot of each file, in the order of the scan.
        rows: The snapshot of each inlined row, by row id and the snapshot that the scan shows for it.
    """

    scan: ScanPlan
    files: tuple[SnapshotId, ...]
    rows: Mapping[tuple[int, SnapshotId], SnapshotId]

    @property
    def snapshots(self) -> list[SnapshotId]:
        """The snapshots, some of them more than once; none if nothing is read."""
        return [*self.files, *self.rows.values()]


@dataclass(frozen=True, slots=True)
class PlainChanges:
    """What to read for the changes of snapshots between which no merge is.

    Attributes:
        first: The first snapshot whose changes count.
        last: The last one.
        inserted: Files and inlined rows with added rows; rows that were deleted later count too.
        ended: Files and inlined rows that ended, as they were just before, with the snapshot that ended each.
        deleted_from: Whole files in which rows were deleted.
        deletes: The delete files that did it.
        inlined_deletes: Inlined deletes: data file, position, snapshot.
    """

    first: SnapshotId
    last: SnapshotId
    inserted: ScanPlan
    ended: DatedScan
    deleted_from: ScanPlan
    deletes: tuple[NewDeletes, ...]
    inlined_deletes: tuple[tuple[DataFileId, int, SnapshotId], ...]

    def __bool__(self) -> bool:
        return bool(
            self.inserted.files or self.inserted.inlined or self.ended.snapshots or self.deletes or self.inlined_deletes
        )


@dataclass(frozen=True, slots=True)
class NetChanges:
    """What to read for the changes of snapshots that merged, refreshed or reset.

    The rows that one of these snapshots deleted are those before it that are not after it, and the other way round.
    Rows are the same if row id and version are. Scans show the version as the snapshot of a row.

    Attributes:
        before: The files and inlined rows that such a snapshot changed, as they were just before it.
        after: Those that it left.
    """

    before: DatedScan
    after: DatedScan


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What to read for the changes of a table between two snapshots, both included.

    Attributes:
        table: The name of the table.
        fields: Its columns at the last snapshot.
        first: The first snapshot whose changes count.
        last: The last one.
        plain: The changes of snapshots that are no merges; one part at least, or there are merges.
        merged: Those of snapshots that are.
    """

    table: str
    fields: tuple[Field, ...]
    first: SnapshotId
    last: SnapshotId
    plain: tuple[PlainChanges, ...]
    merged: tuple[NetChanges, ...]

    @property
    def scans(self) -> list[ScanPlan]:
        """All scans of it."""
        plain = [scan for part in self.plain for scan in (part.inserted, part.ended.scan, part.deleted_from)]
        return plain + [side.scan for net in self.merged for side in (net.before, net.after)]
