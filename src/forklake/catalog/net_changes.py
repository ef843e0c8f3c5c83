"""Plans what merges tell in a change feed.

That is the net difference of rows. Refreshes and resets tell it, too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from forklake.catalog import versions
from forklake.catalog.holdings import Held, HeldDifference, HeldFile, files_of, version_of
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import CatalogState
from forklake.catalog.table_history import TableHistory
from forklake.metastore.shared_visibility import Dated
from forklake.model.change_scan import DatedScan, NetChanges
from forklake.model.ids import DataFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedDeleteRow, InlinedRow
from forklake.model.version import Version

_RowKey = tuple[int, SnapshotId]
_OfFile = TypeVar("_OfFile", DataFileRow, DeleteFileRow, InlinedDeleteRow)


@dataclass(frozen=True, slots=True)
class MergeOfTable:
    """What a merge, refresh or reset did to a table.

    Files and inlined rows are meant.

    Attributes:
        snapshot_id: The snapshot.
        before: What it ended, or showed otherwise: with other deletes, or up to another snapshot.
        after: What it began, or shows otherwise.
        states: The states before and after it, if their chains are not that of the end of the lineage.
    """

    snapshot_id: SnapshotId
    before: Held
    after: Held
    states: tuple[CatalogState, CatalogState] | None = None

    @property
    def is_change(self) -> bool:
        """Whether it did anything."""
        return any((self.before.files, self.before.rows, self.after.files, self.after.rows))


def find_merges(
    state: CatalogState,
    table: TableId,
    history: TableHistory,
    lineage: Sequence[SnapshotId],
    merging: Sequence[SnapshotId],
) -> list[MergeOfTable]:
    """Return the merges of a lineage that changed a table, oldest first.

    Those that changed the chain are among them, whatever they did. Where the chain is the same before and after, the
    history tells what one did; else both states are read. A lineage that begins with one begins with all that it shows.

    Args:
        state: The end of the lineage.
        table: The table.
        history: Its history.
        lineage: The snapshots of the lineage, oldest first.
        merging: The snapshots that merged, refreshed or reset, from the first that is asked for on.
    """
    touched = _Touched(state.version, history, merging)
    found = []
    for snapshot in merging:
        place = bisect_left(lineage, snapshot)
        if lineage[place : place + 1] != [snapshot]:
            continue  # of an ancestor, and no version of this catalog
        is_by_chain = place > 0 and all(
            versions.version_at(state.store, state.version, one).segments == state.version.segments
            for one in lineage[place - 1 : place + 1]
        )
        if is_by_chain:
            earlier, later = touched.before(snapshot), touched.after(snapshot)
            states = None
        else:
            states = _state_at(state, lineage[max(0, place - 1)]), _state_at(state, snapshot)
            earlier = Held.of_table(states[0], table) if place else Held({}, {})
            later = Held.of_table(states[1], table)
        made = HeldDifference.of(earlier, later)
        merge = MergeOfTable(snapshot, made.before, made.after, states)
        # What another chain shows may begin and end here without a difference.
        if merge.is_change or not is_by_chain:
            found.append(merge)
    return found


class _Touched:
    """The files and inlined rows of a history that some snapshots touched."""

    def __init__(self, version: Version, history: TableHistory, snapshots: Sequence[SnapshotId]) -> None:
        self._version = version
        self._numbers: dict[SnapshotId, set[DataFileId]] = {snapshot: set() for snapshot in snapshots}
        for dated in (history.files, history.deletes, history.places):
            for row, begin, end in dated:
                for snapshot in {begin, end} & self._numbers.keys():
                    self._numbers[snapshot].add(row.data_file_id)
        every = set().union(*self._numbers.values())
        self._files = _by_file(history.files, every)
        self._deletes = _by_file(history.deletes, every)
        self._places = _by_file(history.places, every)
        self._rows = [dated for dated in history.rows if not self._numbers.keys().isdisjoint(dated[1:])]

    def before(self, snapshot: SnapshotId) -> Held:
        """Return what a snapshot touched, as it was just before."""
        return self._holding(snapshot, lambda begin, end: begin < snapshot <= end)

    def after(self, snapshot: SnapshotId) -> Held:
        """Return what a snapshot touched, as it left it."""
        return self._holding(snapshot, lambda begin, end: begin <= snapshot < end)

    def _holding(self, snapshot: SnapshotId, is_there: Callable[[SnapshotId, SnapshotId], bool]) -> Held:
        numbers = sorted(self._numbers[snapshot])

        def there(by_file: Mapping[DataFileId, Sequence[Dated[_OfFile]]]) -> list[_OfFile]:
            of_files = (dated for number in numbers for dated in by_file.get(number, ()))
            return [row for row, begin, end in of_files if is_there(begin, end)]

        inlined = [row for row, begin, end in self._rows if snapshot in (begin, end) and is_there(begin, end)]
        return Held.of(self._version, there(self._files), there(self._deletes), there(self._places), inlined)


def _by_file(dated: Iterable[Dated[_OfFile]], numbers: set[DataFileId]) -> dict[DataFileId, list[Dated[_OfFile]]]:
    found: dict[DataFileId, list[Dated[_OfFile]]] = {}
    for one in dated:
        if one[0].data_file_id in numbers:
            found.setdefault(one[0].data_file_id, []).append(one)
    return found


def plan_merges(
    planner: Callable[[CatalogState], ScanPlanner], state: CatalogState, merges: Sequence[MergeOfTable]
) -> tuple[NetChanges, ...]:
    """Plan what is read for the net differences of merges.

    Merges that touched the same file are read apart.

    Args:
        planner: Makes a planner of the table for a state; it shows the versions of rows.
        state: The end of the lineage.
        merges: The merges.
    """
    rounds: list[_Round] = []
    for merge in (one for one in merges if one.is_change):
        fitting = next((one for one in rounds if one.has_room_for(merge)), None)
        if fitting is None:
            rounds.append(fitting := _Round(merge.states))
        fitting.add(merge)
    planned = []
    for one in rounds:
        earlier, later = one.states or (state, state)
        planned.append(NetChanges(one.before.plan(planner(earlier)), one.after.plan(planner(later))))
    return tuple(planned)


@dataclass
class _Side:
    """One side of several merges.

    Each file and inlined row comes with the snapshot of its merge.
    """

    files: dict[DataFileId, tuple[HeldFile, SnapshotId]] = field(default_factory=dict)
    rows: dict[_RowKey, tuple[InlinedRow, SnapshotId]] = field(default_factory=dict)

    def has_room_for(self, held: Held) -> bool:
        return self.files.keys().isdisjoint(held.files) and self.rows.keys().isdisjoint(
            map(_row_key, held.rows.values())
        )

    def add(self, held: Held, snapshot: SnapshotId) -> None:
        self.files |= {number: (file, snapshot) for number, file in held.files.items()}
        self.rows |= {_row_key(row): (row, snapshot) for row in held.rows.values()}

    def plan(self, planner: ScanPlanner) -> DatedScan:
        files = files_of(file for file, _ in self.files.values())
        scan = planner.plan_rows(files, [row for row, _ in self.rows.values()])
        return DatedScan(
            scan,
            tuple(snapshot for _, snapshot in self.files.values()),
            {key: snapshot for key, (_, snapshot) in self.rows.items()},
        )


@dataclass
class _Round:
    """Merges that are read together."""

    states: tuple[CatalogState, CatalogState] | None
    before: _Side = field(default_factory=_Side)
    after: _Side = field(default_factory=_Side)

    def has_room_for(self, merge: MergeOfTable) -> bool:
        is_same = self.states is merge.states
        return is_same and self.before.has_room_for(merge.before) and self.after.has_room_for(merge.after)

    def add(self, merge: MergeOfTable) -> None:
        self.before.add(merge.before, merge.snapshot_id)
        self.after.add(merge.after, merge.snapshot_id)


def _state_at(state: CatalogState, snapshot: SnapshotId) -> CatalogState:
    return CatalogState(state.store, versions.version_at(state.store, state.version, snapshot))


def _row_key(row: InlinedRow) -> _RowKey:
    return row.row_id, version_of(row)
