"""Imported snapshots have two numberings: ours, and that of their source."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from forklake.model.ids import SnapshotId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """Snapshots that are consecutive in both numberings."""

    snapshot_id: SnapshotId
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of imported snapshots in their source; both numberings increase.

    >>> before = Numbering.of([(SnapshotId(7), 0), (SnapshotId(8), 1), (SnapshotId(9), 5)])
    >>> len(before.runs), before.number(SnapshotId(8)), before.number(SnapshotId(100))
    (2, 1, 5)
    """

    runs: tuple[Run, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[SnapshotId, int]]) -> Numbering:
        """Return the numbering of increasing pairs (our id, source number)."""
        runs: list[Run] = []
        for snapshot, number in pairs:
            last = runs[-1] if runs else None
            if last and (snapshot, number) == (last.snapshot_id + last.count, last.number + last.count):
                runs[-1] = Run(last.snapshot_id, last.number, last.count + 1)
            else:
                runs.append(Run(snapshot, number, 1))
        return cls(tuple(runs))

    @property
    def last(self) -> tuple[SnapshotId, int]:
        """The newest snapshot, in both numberings."""
        run = self.runs[-1]
        return SnapshotId(run.snapshot_id + run.count - 1), run.number + run.count - 1

    def snapshot(self, number: int) -> SnapshotId:
        """Return our id of a snapshot by its source number.

        One that was not imported becomes the next that was.

        >>> before = Numbering.of([(SnapshotId(7), 0), (SnapshotId(8), 1), (SnapshotId(9), 5)])
        >>> [before.snapshot(number) for number in (0, 1, 3, 5)]
        [7, 8, 9, 9]
        """
        place = bisect_left(self.runs, number, key=lambda run: run.number + run.count - 1)
        run = self.runs[min(place, len(self.runs) - 1)]
        return SnapshotId(run.snapshot_id + max(number, run.number) - run.number)

    def number(self, snapshot: SnapshotId) -> int:
        """Return the source number of the newest imported snapshot up to this one.

        It is -1 if there is none. The rows of a file with numbers up to this one are the rows that it held at the
        snapshot.
        """
        place = bisect_right(self.runs, snapshot, key=lambda run: run.snapshot_id) - 1
        if place < 0:
            return -1
        run = self.runs[place]
        return run.number + min(snapshot - run.snapshot_id, run.count - 1)
