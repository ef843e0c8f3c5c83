"""Plans the change feed of a table: which files and rows began or ended, and when."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from forklake.catalog import versions
from forklake.catalog.fields import stored_tree, table_fields, wider_fields
from forklake.catalog.net_changes import find_merges, plan_merges
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import CatalogState
from forklake.catalog.table_files import TableFiles
from forklake.catalog.table_history import TableHistory
from forklake.metastore.queries.merges import merging_snapshots
from forklake.metastore.queries.snapshots import numberings
from forklake.metastore.shared_visibility import Dated
from forklake.metastore.store import Store
from forklake.metastore.written_tables import COLUMN
from forklake.model.change_log import COMPACTIONS, parse
from forklake.model.change_scan import ChangePlan, DatedScan, NewDeletes, PlainChanges
from forklake.model.field import Field
from forklake.model.ids import INFINITY, ColumnId, DataFileId, DeleteFileId, SnapshotId
from forklake.model.records import Snapshot
from forklake.model.rows import ColumnRow, DataFileRow, DeleteFileRow, InlinedDeleteRow, Row, TableRow
from forklake.model.scan import ScanDeletes, ScanFile, ScanPlan

_R = TypeVar("_R", bound=Row)


def plan_changes(
    store: Store,
    lake_path: str | None,
    state: CatalogState,
    table: TableRow,
    first: SnapshotId,
    *,
    with_first: bool = True,
) -> ChangePlan:
    """Plan the change feed of a table from one snapshot to that of the state.

    Both snapshots are included, the first one only ``with_first``. Snapshots that only moved rows to other files
    changed none. The number of queries grows with the snapshots that merged something into the table, not with files.
    A column whose type became narrower again, by a merge or a reset, has the widest that it had.

    Raises:
        SnapshotNotFoundError: A snapshot between them, or the one before, is expired.
    """
    lineage = versions.snapshots(store, state.version)
    ids = [one.snapshot_id for one in lineage]
    last = state.version.snapshot_id
    if not with_first:
        # What it changed is shown already, so nobody needs the one before it.
        first = next((one for one in ids if one > first), last)
    versions.check_changes_known(store, state.version, first)
    history = TableHistory.of(state, table.table_id)
    merging = merging_snapshots(store, state.version, first)
    merges = find_merges(state, table.table_id, history, ids, merging)
    planner = ScanPlanner(store, lake_path, state, table)
    if merging:  # even if none changed a row: a table may have come back empty, with narrower columns
        fields = _fields_since(state, table, first, ids)
        planner = ScanPlanner(store, lake_path, state, table, fields=fields)
    plain = []
    for begin, end in _between(ids, {merge.snapshot_id for merge in merges}, first):
        by, known = planner, history
        if end < last and (earlier := _earlier(state, end)) is not None:
            by = ScanPlanner(store, lake_path, earlier, table, fields=planner.fields)
            known = TableHistory.of(earlier, table.table_id)
        plain.append(_PlainPlanner(store, by, table, lineage, known, (begin, end)).plan())
    return ChangePlan(
        table=table.table_name,
        fields=planner.fields,
        first=first,
        last=last,
        plain=tuple(part for part in plain if part or not merges),
        merged=plan_merges(
            lambda seen: ScanPlanner(store, lake_path, seen, table, by_origin=True, fields=planner.fields),
            state,
            merges,
        ),
    )


def _fields_since(
    state: CatalogState, table: TableRow, first: SnapshotId, lineage: Sequence[SnapshotId]
) -> tuple[Field, ...]:
    """Return the columns of a table, in the widest types since a snapshot."""
    fields = table_fields(state, table.table_id)
    shown = {field.column_id for field in fields}
    for epoch in _epochs(state, first, lineage):
        by_end: dict[SnapshotId, list[ColumnRow]] = {}
        for row, _, end in epoch.history(COLUMN, {"table_id": table.table_id}):
            if end >= first and row.column_id in shown and not row.is_nested:
                by_end.setdefault(end, []).append(row)
        for rows in by_end.values():
            fields = wider_fields(stored_tree([replace(row, parent_column=None) for row in rows]), fields)
    return fields


def _epochs(state: CatalogState, first: SnapshotId, lineage: Sequence[SnapshotId]) -> Iterator[CatalogState]:
    """Yield a state, and for each refresh since a snapshot the state before it.

    Each is read by another chain.
    """
    epoch: CatalogState | None = state
    while epoch is not None:
        yield epoch
        earlier = [snapshot for snapshot in lineage if first <= snapshot < epoch.version.since]
        epoch = _earlier(epoch, earlier[-1]) if earlier else None


def _between(
    lineage: Sequence[SnapshotId], merges: Set[SnapshotId], first: SnapshotId
) -> Iterator[tuple[SnapshotId, SnapshotId]]:
    """Yield the ranges of snapshots around merges.

    Within one, a file that is gone does not come back.
    """
    begin: SnapshotId | None = first
    end: SnapshotId | None = None
    for snapshot in lineage:
        if snapshot < first:
            continue
        if snapshot not in merges:
            begin, end = snapshot if begin is None else begin, snapshot
            continue
        if begin is not None and end is not None:
            yield begin, end
        begin = end = None
    if begin is not None and end is not None:
        yield begin, end


def _earlier(state: CatalogState, snapshot: SnapshotId) -> CatalogState | None:
    """Return the state of an earlier snapshot, if it is read by another chain."""
    version = versions.version_at(state.store, state.version, snapshot)
    return None if version.segments == state.version.segments else CatalogState(state.store, version)


class _PlainPlanner:
    """Plans the changes of snapshots between which no merge is."""

    def __init__(
        self,
        store: Store,
        planner: ScanPlanner,
        table: TableRow,
        lineage: Sequence[Snapshot],
        history: TableHistory,
        between: tuple[SnapshotId, SnapshotId],
    ) -> None:
        self._store = store
        self._planner = planner
        self._first, self._last = between
        self._rows = self._rows_between(history.rows)
        self._files = self._rows_between(history.files)
        self._data = {row.data_file_id: row for row, _, _ in self._files}
        self._begins = {row.data_file_id: begin for row, begin, _ in self._files}
        self._ends = {row.data_file_id: end for row, _, end in self._files}
        self._deletes_of: dict[DataFileId, list[Dated[DeleteFileRow]]] = {}
        for deletes in self._rows_between(history.deletes):
            self._deletes_of.setdefault(deletes[0].data_file_id, []).append(deletes)
        self._places_of: dict[DataFileId, list[Dated[InlinedDeleteRow]]] = {}
        for place in self._rows_between(history.places):
            self._places_of.setdefault(place[0].data_file_id, []).append(place)
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
        # Inlined rows tell of themselves where the file lacks a column that was dropped before, and came back.
        self._quiet |= {flush for flush in moves - self._quiet if self._lost_values(flush)}
        self._flushes = moves - self._quiet
        """Snapshots that moved inlined rows into files, which tell of them from then on."""

    def _lost_values(self, flush: SnapshotId) -> bool:
        """Return whether a flush moved rows without values that are shown.

        That is so only if all rows that it moved are still known.
        """
        files = [row for row, begin, _ in self._files if begin == flush and _is_moved(row, begin)]
        kept = set[ColumnId | None]().union(
            *({field.column_id for field in self._planner.fields_at_begin(row)} for row in files)
        )
        lost = {str(field.column_id) for field in self._planner.fields if field.column_id not in kept}
        rows = [row for row, _, end in self._rows if end == flush] if lost else []
        is_whole = len(rows) == sum(row.record_count for row in files)
        return is_whole and any(not lost.isdisjoint(json.loads(row.document)) for row in rows)

    def _rows_between(self, rows: list[Dated[_R]]) -> list[Dated[_R]]:
        """Return the rows that were there, as far as the last snapshot knows of their end."""
        return [
            (row, begin, end if end <= self._last else SnapshotId(INFINITY))
            for row, begin, end in rows
            if begin <= self._last and end >= self._first
        ]

    def plan(self) -> PlainChanges:
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
        return PlainChanges(
            first=self._first,
            last=self._last,
            inserted=self._plan_inserts(),
            ended=DatedScan(
                was,
                tuple(end for _, end in ended),
                {(row.row_id, begin): end for row, begin, end in ended_rows},
            ),
            deleted_from=self._planner.plan_rows(files, []),
            deletes=tuple(new_deletes),
            inlined_deletes=tuple(places),
        )

    def _counts(self, snapshot: SnapshotId) -> bool:
        return self._first <= snapshot <= self._last and snapshot not in self._quiet

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
            after = scanned[row.delete_file_id]
            if row.partial_max is not None:
                new += self._by_snapshot(row, begin, after)
                continue
            earlier = before[row.delete_file_id]
            was = None if earlier is None else scanned[earlier.delete_file_id]
            new.append(NewDeletes(row.data_file_id, was, after, begin))
        return new

    def _by_snapshot(self, row: DeleteFileRow, begin: SnapshotId, deletes: ScanDeletes) -> Iterator[NewDeletes]:
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
                yield NewDeletes(row.data_file_id, was, upto(snapshot), snapshot)

    def _scan_deletes(self, rows: Sequence[DeleteFileRow]) -> dict[DeleteFileId, ScanDeletes]:
        """Return each delete file as a scan reads it.

        A scan plan holds one delete file for each data file, so several plans may be needed.
        """
        waiting: dict[DataFileId, dict[DeleteFileId, DeleteFileRow]] = {}
        for row in rows:
            waiting.setdefault(row.data_file_id, {})[row.delete_file_id] = row
        found: dict[DeleteFileId, ScanDeletes] = {}
        while waiting:
            turn = {file: of_file.popitem()[1] for file, of_file in waiting.items()}
            waiting = {file: of_file for file, of_file in waiting.items() if of_file}
            plan = self._planner.plan_rows(TableFiles([self._data[file] for file in turn], turn, {}), [])
            for row, file in zip(turn.values(), plan.files, strict=True):
                assert file.deletes is not None
                found[row.delete_file_id] = file.deletes
        return found


def _is_moved(row: DataFileRow, begin: SnapshotId) -> bool:
    """Return whether a file holds rows that were elsewhere before it began.

    They were inlined, or in other files.
    """
    return row.partial_max is not None and row.partial_max < begin
