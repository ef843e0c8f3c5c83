"""Plans the change feed of a table: which files and rows began or ended, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from forklake.catalog import versions
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import CatalogState
from forklake.catalog.table_files import TableFiles
from forklake.metastore.queries.snapshots import numberings
from forklake.metastore.store import Store
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW, MetadataTable
from forklake.model.change_log import COMPACTIONS, parse
from forklake.model.change_scan import ChangePlan, NewDeletes
from forklake.model.ids import DataFileId, DeleteFileId, SnapshotId
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedDeleteRow, InlinedRow, Row, TableRow
from forklake.model.scan import ScanDeletes, ScanFile, ScanPlan

_R = TypeVar("_R", bound=Row)
_Dated = tuple[_R, SnapshotId, SnapshotId]
"""A row, the snapshot at which it begins, and the one at which it ends."""


def plan_changes(
    store: Store, lake_path: str | None, state: CatalogState, table: TableRow, first: SnapshotId
) -> ChangePlan:
    """Plan the change feed of a table from one snapshot to that of the state.

    Both snapshots are included. Snapshots that only moved rows to other files changed none. The number of queries
    is fixed.

    Raises:
        SnapshotNotFoundError: A snapshot between them, or the one before, is expired.
    """
    versions.check_changes_known(store, state.version, first)
    return _ChangePlanner(store, lake_path, state, table, first).plan()


class _ChangePlanner:
    def __init__(
        self, store: Store, lake_path: str | None, state: CatalogState, table: TableRow, first: SnapshotId
    ) -> None:
        self._store = store
        self._state = state
        self._table = table
        self._first = first
        self._planner = ScanPlanner(store, lake_path, state, table)
        self._rows: list[_Dated[InlinedRow]] = self._history(INLINED_ROW)
        self._files: list[_Dated[DataFileRow]] = self._history(DATA_FILE)
        self._data = {row.data_file_id: row for row, _, _ in self._files}
        self._begins = {row.data_file_id: begin for row, begin, _ in self._files}
        self._ends = {row.data_file_id: end for row, _, end in self._files}
        self._deletes_of: dict[DataFileId, list[_Dated[DeleteFileRow]]] = {}
        for deletes in self._history(DELETE_FILE):
            self._deletes_of.setdefault(deletes[0].data_file_id, []).append(deletes)
        self._places_of: dict[DataFileId, list[_Dated[InlinedDeleteRow]]] = {}
        for place in self._history(INLINED_DELETE):
            self._places_of.setdefault(place[0].data_file_id, []).append(place)
        lineage = versions.snapshots(store, state.version)
        self._lineage = [snapshot.snapshot_id for snapshot in lineage]
        moves = {begin for row, begin, _ in self._files if _is_moved(row, begin)}
        self._quiet = {
            snapshot.snapshot_id
            for snapshot in lineage
            if any(
                change.kind in COMPACTIONS and change.object_id == table.table_id
                for change in parse(snapshot.changes_made)
            )
        }
        # The log of an expired snapshot is lost. A flush ends data files too, but only those without rows.
        self._quiet |= {end for row, _, end in self._files if end in moves and self._has_rows(row, end)}
        """Snapshots that compacted files of the table. The files before them tell of their rows."""
        self._flushes = moves - self._quiet
        """Snapshots that moved inlined rows into files, which tell of them from then on."""

    def plan(self) -> ChangePlan:
        ended = [(row, end) for row, _, end in self._files if self._counts(end)]
        ended_rows = [
            (row, begin, end) for row, begin, end in self._rows if self._counts(end) and end not in self._flushes
        ]
        was = self._planner.plan_rows(
            TableFiles(
                [row for row, _ in ended],
                {
                    row.data_file_id: found
                    for row, end in ended
                    if (found := self._deletes_before(row.data_file_id, end))
                },
                {row.data_file_id: self._places_before(row.data_file_id, end) for row, end in ended},
            ),
            [row for row, _, _ in ended_rows],
        )
        new_deletes = self._new_deletes()
        places = [
            (file, row.row_id, begin)
            for file, rows in self._places_of.items()
            for row, begin, _ in rows
            if self._counts(begin) and not self._came_with(file, begin)
        ]
        touched = {file for file, _, _ in places} | {one.data_file_id for one in new_deletes}
        files = TableFiles([row for row, _, _ in self._files if row.data_file_id in touched], {}, {})
        deleted_from = self._planner.plan_rows(files, [])
        paths = {file.data_file_id: file.path for file in deleted_from.files}
        return ChangePlan(
            first=self._first,
            last=self._state.version.snapshot_id,
            inserted=self._plan_inserts(),
            ended=was,
            ended_files={file.path: end for file, (_, end) in zip(was.files, ended, strict=True)},
            ended_rows={(row.row_id, begin): end for row, begin, end in ended_rows},
            deleted_from=deleted_from,
            deletes=tuple(new_deletes),
            inlined_deletes=tuple((paths[file], position, begin) for file, position, begin in places),
        )

    def _history(self, table: MetadataTable[_R]) -> list[_Dated[_R]]:
        return self._state.history(table, {"table_id": self._table.table_id})

    def _counts(self, snapshot: SnapshotId) -> bool:
        return self._first <= snapshot <= self._state.version.snapshot_id and snapshot not in self._quiet

    def _adds(self, row: DataFileRow, begin: SnapshotId) -> bool:
        if _is_moved(row, begin) and begin in self._quiet:
            return False
        # Rows of a merged file are as old as they say themselves.
        carries = row.partial_max is not None and row.partial_max >= self._first
        return carries or (self._counts(begin) and not _is_moved(row, begin))

    def _plan_inserts(self) -> ScanPlan:
        rows = [row for row, begin, end in self._rows if self._counts(begin) and end not in self._flushes]
        plan = self._planner.plan_rows(self._added_files(), rows)
        return replace(plan, files=tuple(self._with_own_deletes(file) for file in plan.files))

    def _with_own_deletes(self, file: ScanFile) -> ScanFile:
        """Return a file with only those deletes that its own commit made."""
        if file.deletes is None:
            return file
        begin = self._begins[file.data_file_id]
        number = begin if file.numbering is None else file.numbering.number(begin)
        return replace(file, deletes=replace(file.deletes, read_upto=SnapshotId(number), is_cut=True))

    def _added_files(self) -> TableFiles:
        """Return the added files, without rows that the same commits deleted again.

        No snapshot ever showed such rows.
        """
        added = [row for row, begin, _ in self._files if self._adds(row, begin)]
        files = [row.data_file_id for row in added]
        return TableFiles(
            added,
            {
                file: row
                for file in files
                for row, begin, _ in self._deletes_of.get(file, ())
                if self._came_with(file, begin)
            },
            {
                file: tuple(sorted(row.row_id for row, begin, _ in places if self._came_with(file, begin)))
                for file in files
                if (places := self._places_of.get(file))
            },
        )

    def _came_with(self, file: DataFileId, deleted: SnapshotId) -> bool:
        """Return whether the commit that deleted rows of a file also added the file.

        Merged files carry the snapshot of each row instead.
        """
        return self._begins[file] == deleted and self._data[file].partial_max is None

    def _only_moves(self, row: DeleteFileRow, begin: SnapshotId) -> bool:
        """Return whether a delete file only holds what were inlined deletes before.

        If the data file ends at the same snapshot, its inlined deletes end with it and nothing moved.
        """
        if row.partial_max is not None:
            return row.partial_max < begin
        file = row.data_file_id
        return self._ends[file] != begin and any(end == begin for _, _, end in self._places_of.get(file, ()))

    def _deletes_before(self, file: DataFileId, end: SnapshotId) -> DeleteFileRow | None:
        """Return the delete file that was live just before a snapshot."""
        found = (row for row, begin, ended in self._deletes_of.get(file, ()) if begin < end <= ended)
        return next(found, None)

    def _places_before(self, file: DataFileId, end: SnapshotId) -> tuple[int, ...]:
        found = self._places_of.get(file, ())
        return tuple(sorted(row.row_id for row, begin, ended in found if begin < end <= ended))

    def _has_rows(self, row: DataFileRow, end: SnapshotId) -> bool:
        """Return whether a file had rows left just before a snapshot."""
        deletes = self._deletes_before(row.data_file_id, end)
        gone = 0 if deletes is None else deletes.delete_count
        return gone + len(self._places_before(row.data_file_id, end)) < row.record_count

    def _new_deletes(self) -> list[NewDeletes]:
        """Return the rows that delete files newly delete."""
        chosen = [
            (row, begin)
            for rows in self._deletes_of.values()
            for row, begin, _ in rows
            if not self._only_moves(row, begin)
            and (
                (self._counts(begin) and not self._came_with(row.data_file_id, begin))
                or (row.partial_max is not None and row.partial_max >= self._first)
            )
        ]
        before = {row.delete_file_id: self._deletes_before(row.data_file_id, begin) for row, begin in chosen}
        scanned = self._scan_deletes(
            [*(row for row, _ in chosen), *(row for row in before.values() if row is not None)]
        )
        new: list[NewDeletes] = []
        for row, begin in chosen:
            path, after = scanned[row.delete_file_id]
            if row.partial_max is not None:
                new += self._by_snapshot(row, begin, path, after)
                continue
            earlier = before[row.delete_file_id]
            was = None if earlier is None else scanned[earlier.delete_file_id][1]
            new.append(NewDeletes(row.data_file_id, path, was, after, begin))
        return new

    def _by_snapshot(
        self, row: DeleteFileRow, begin: SnapshotId, path: str, deletes: ScanDeletes
    ) -> Iterator[NewDeletes]:
        """Yield the deletes of each snapshot, where one delete file holds them all."""
        numbering = None if row.numbering_id is None else numberings(self._store, [row.numbering_id])[row.numbering_id]

        def upto(snapshot: SnapshotId) -> ScanDeletes:
            number = snapshot if numbering is None else SnapshotId(numbering.number(snapshot))
            return replace(deletes, read_upto=number, is_cut=True)

        for earlier, snapshot in pairwise((None, *self._lineage)):
            assert snapshot is not None
            if self._came_with(row.data_file_id, snapshot) or not self._counts(snapshot):
                continue
            # What expired snapshots deleted is told at the next that is there.
            if begin <= snapshot and (earlier is None or earlier < (row.partial_max or begin)):
                was = None if earlier is None else upto(earlier)
                yield NewDeletes(row.data_file_id, path, was, upto(snapshot), snapshot)

    def _scan_deletes(self, rows: Sequence[DeleteFileRow]) -> dict[DeleteFileId, tuple[str, ScanDeletes]]:
        """Return each delete file as a scan reads it, and the path of its data file.

        A scan plan holds one delete file for each data file, so several plans may be needed.
        """
        waiting: dict[DataFileId, dict[DeleteFileId, DeleteFileRow]] = {}
        for row in rows:
            waiting.setdefault(row.data_file_id, {})[row.delete_file_id] = row
        found: dict[DeleteFileId, tuple[str, ScanDeletes]] = {}
        while waiting:
            turn = {file: of_file.popitem()[1] for file, of_file in waiting.items()}
            waiting = {file: of_file for file, of_file in waiting.items() if of_file}
            plan = self._planner.plan_rows(TableFiles([self._data[file] for file in turn], turn, {}), [])
            for row, file in zip(turn.values(), plan.files, strict=True):
                assert file.deletes is not None
                found[row.delete_file_id] = (file.path, file.deletes)
        return found


def _is_moved(row: DataFileRow, begin: SnapshotId) -> bool:
    """Return whether a file holds rows that were elsewhere before it began.

    They were inlined, or in other files.
    """
    return row.partial_max is not None and row.partial_max < begin
