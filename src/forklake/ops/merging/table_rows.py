"""Compares the rows of a table.

That is by files where the target has them as the base, else by row ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import zip_longest
from typing import Final

import numpy as np

from forklake.catalog.holdings import Held, HeldDifference, HeldFile
from forklake.catalog.places import Places
from forklake.metastore.written_tables import TABLE
from forklake.model.fork_merge import MOST_CONFLICTS, MOST_VALUES, MergeConflict, RowKeys
from forklake.model.ids import DataFileId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import InlinedRow, TableRow
from forklake.ops.merging.choice import Chooser
from forklake.ops.merging.row_choice import INLINED, Numbers, PlacedRows, choose_rows, same_rows, unite
from forklake.ops.merging.row_keys import KeyClash, find_clash
from forklake.ops.merging.row_places import SidePlaces, read_places
from forklake.ops.merging.row_values import ConflictingRows, TwoRows
from forklake.ops.merging.sides import Side, Sides
from forklake.ops.merging.table_files import Touched, holdings_by_table, holdings_of, is_as_base, touches_of


@dataclass
class RowsEdit:
    """What becomes of the files and inlined rows of a table of the target.

    Attributes:
        table_id: The table.
        ended: Files of the target that go, with their deletes.
        begun: Files of the source that come; with their deletes, unless there are other ones. A file of both is ended
            and begun if it becomes readable up to another snapshot.
        redone: Files of both, whose deletes become those of the source.
        deleted: All deleted positions of files that come or stay, where neither side has just these.
        ended_rows: Inlined rows of the target that go.
        begun_rows: Inlined rows of the source that come.
        by_rows: Whether rows were compared one by one.
    """

    table_id: TableId
    ended: list[HeldFile] = field(default_factory=list)
    begun: list[HeldFile] = field(default_factory=list)
    redone: list[tuple[HeldFile, HeldFile]] = field(default_factory=list)
    deleted: list[tuple[HeldFile, Numbers]] = field(default_factory=list)
    ended_rows: list[InlinedRow] = field(default_factory=list)
    begun_rows: list[InlinedRow] = field(default_factory=list)
    by_rows: bool = False

    @property
    def counts(self) -> tuple[int, int]:
        """How many live rows come to places of the target, and how many go from there."""
        left = {file.row.data_file_id: file.row.record_count - positions.size for file, positions in self.deleted}
        come = [left.get(file.row.data_file_id, file.live_count) for file in self.begun]
        go = [file.live_count for file in self.ended]
        for ours, theirs in self.redone:
            come.append(max(0, theirs.live_count - ours.live_count))
            go.append(max(0, ours.live_count - theirs.live_count))
        begun = {file.row.data_file_id for file in self.begun}
        for file, _ in self.deleted:
            more = 0 if file.row.data_file_id in begun else left[file.row.data_file_id] - file.live_count
            come.append(max(0, more))
            go.append(max(0, -more))
        return sum(come) + len(self.begun_rows), sum(go) + len(self.ended_rows)

    def leave(self, file: DataFileId) -> None:
        """Take back what becomes of a file."""
        self.begun = [one for one in self.begun if one.row.data_file_id != file]
        self.redone = [pair for pair in self.redone if pair[0].row.data_file_id != file]
        self.deleted = [one for one in self.deleted if one[0].row.data_file_id != file]

    def __bool__(self) -> bool:
        return any((self.ended, self.begun, self.redone, self.deleted, self.ended_rows, self.begun_rows))


def take_all(table_id: TableId, source: Held, target: Held) -> RowsEdit:
    """Return the edit after which the target has what the source has."""
    found = HeldDifference.of(target, source)
    # The row of a file says how much of it is read.
    cut = [(ours, theirs) for ours, theirs in found.changed if ours.bounds[0] != theirs.bounds[0]]
    return RowsEdit(
        table_id,
        ended=[*found.removed, *(ours for ours, _ in cut)],
        begun=[*found.added, *(theirs for _, theirs in cut)],
        redone=[(ours, theirs) for ours, theirs in found.changed if ours.bounds[0] == theirs.bounds[0]],
        ended_rows=found.removed_rows,
        begun_rows=found.added_rows,
    )


@dataclass(frozen=True, slots=True)
class LostColumns:
    """Who once had columns of the result and dropped them.

    Files and inlined rows that this side has written anew since then lack them.
    """

    by_source: bool = False
    by_target: bool = False

    def __bool__(self) -> bool:
        return self.by_source or self.by_target


_NO_LOSS: Final = LostColumns()


@dataclass(frozen=True, slots=True)
class _Compared:
    """Files that either side changed, and where their rows are.

    A base, source and target hold them. The places are those of the bases, of the source and of the target. Of files
    that all have, only the rows at open positions are among them.
    """

    held: tuple[Held, Held, Held]
    places: tuple[Sequence[PlacedRows], PlacedRows, PlacedRows]
    open: Mapping[DataFileId, Numbers]


class RowsMerge:
    """Merges the rows of tables that both sides have."""

    def __init__(self, sides: Sides, chooser: Chooser, keys: RowKeys, *, by_files: bool) -> None:
        self._sides, self._chooser, self._keys, self._by_files = sides, chooser, keys, by_files
        self._held: Sequence[Mapping[TableId, Held]] = ()
        self._ours: dict[TableId, Touched] = {}

    def read(self, theirs: Mapping[TableId, Touched]) -> None:
        """Read what the sides have of all that the source changed.

        Tables are merged one by one afterwards.
        """
        self._held = holdings_by_table(self._sides.all, theirs)

    def _touched_by_target(self, table_id: TableId) -> Touched:
        """Return what the target has otherwise than a base.

        It is asked for the tables that the source changed together, and not before it is needed.
        """
        if table_id not in self._ours:
            asked = sorted({table_id, *(self._held[0] if self._held else ())})
            found = touches_of(self._sides, self._sides.target, asked)
            self._ours |= {table: found.get(table, Touched()) for table in asked}
        return self._ours[table_id]

    def merge(
        self,
        table: TableRow,
        place: tuple[str, str],
        theirs: Touched,
        lost: LostColumns = _NO_LOSS,
    ) -> RowsEdit:
        """Return what becomes of the rows of a table.

        A row that both have in one version stays where the target has it, unless that has lost columns of it.

        Args:
            table: The table, as one of the sides has it.
            place: The names of its schema and of the table.
            theirs: What the source has otherwise than a base.
            lost: Who has dropped columns that the result has.
        """
        edit = self._merge(table, place, theirs, lost)
        self._choose_adopted(edit, table, place)
        return edit

    def _merge(self, table: TableRow, place: tuple[str, str], theirs: Touched, lost: LostColumns) -> RowsEdit:
        keys = self._keys.of(*place)
        if keys and (ours := self._touched_by_target(table.table_id)):
            compared = self._compare(table, theirs | ours)
            clash = find_clash(self._sides, table, keys, compared.held[1:], compared.places)
            if clash is not None:
                return self._merge_rows(table, place, compared, lost, clash)
        # What the target has not touched lacks no more than the base, and the source's takes its place.
        is_untouched = lost.by_target and theirs and not self._touched_by_target(table.table_id)
        if self._by_files and not lost.by_source and (is_untouched or not lost.by_target):
            *bases, source, target = (of_side[table.table_id] for of_side in self._held)
            if is_as_base(bases, target, theirs):
                return take_all(table.table_id, source, target)
        ours = self._touched_by_target(table.table_id)
        return self._merge_rows(table, place, self._compare(table, theirs | ours), lost)

    def _choose_adopted(self, edit: RowsEdit, table: TableRow, place: tuple[str, str]) -> None:
        """Keep one of two files that are one: both sides adopted it since the bases.

        Their rows have ids of their own, so they would be there twice.
        """
        coming = {file.row.data_file_id: file for file in edit.begun if file.row.mapping_id is not None}
        if not coming or not (ours := self._touched_by_target(table.table_id)).files:
            return
        gone = {file.row.data_file_id for file in edit.ended}
        (target,) = holdings_of([self._sides.target], table.table_id, Touched(ours.files - gone - coming.keys()))
        held = target.files
        staying = {file: one for file, one in held.items() if one.row.mapping_id is not None}
        known = {path: file for file, path in self._paths(self._sides.target, table, staying).items()}
        for file, path in sorted(self._paths(self._sides.source, table, coming).items()) if known else ():
            if path not in known:
                continue
            if self._chooser.decide(MergeConflict("file", *place, path, "added", "added")):
                edit.leave(known[path])
                edit.ended.append(staying[known[path]])
            else:
                edit.leave(file)

    def _paths(self, side: Side, table: TableRow, files: Mapping[DataFileId, HeldFile]) -> dict[DataFileId, str]:
        if not files:
            return {}
        (own,) = side.rows(TABLE, {"table_id": table.table_id})
        rows = [one.row for one in files.values()]
        places = Places(self._sides.session, self._sides.lake_path, side, own, rows)
        return {row.data_file_id: places.path(row) for row in rows}

    def has_rows_of_bases(self, side: Side, table: TableRow, what: Touched) -> bool:
        """Return whether a side has the same rows as the bases, wherever they are."""
        *bases, mine = self._read(table, (*self._sides.bases, side), what)[1].places
        return all(
            np.array_equal(mine.row_ids, other.row_ids) and np.array_equal(mine.versions, other.versions)
            for other in bases
        )

    def _compare(self, table: TableRow, what: Touched) -> _Compared:
        """Read where the rows of some files are."""
        held, found = self._read(table, self._sides.all, what)
        *bases, theirs, ours = found.places
        return _Compared((held[0], held[-2], held[-1]), (bases, theirs, ours), found.open)

    def _read(self, table: TableRow, of: Sequence[Side], what: Touched) -> tuple[Sequence[Held], SidePlaces]:
        held = holdings_of(of, table.table_id, what)
        return held, read_places(self._sides, [(side, table, one) for side, one in zip(of, held, strict=True)])

    def _merge_rows(
        self,
        table: TableRow,
        place: tuple[str, str],
        compared: _Compared,
        lost: LostColumns,
        clash: KeyClash | None = None,
    ) -> RowsEdit:
        (_, source, target), (bases, theirs, ours) = compared.held, compared.places
        choice = choose_rows(bases, theirs, ours)
        taken = choice.from_source
        conflicting = ConflictingRows(
            self._sides, table, self._keys.of(*place), compared.held, (bases[0], theirs, ours)
        )
        if choice.conflicts[0].size and self._decide(place, choice.conflicts, choice.ambiguous, conflicting):
            taken = unite(taken, choice.conflicts[0])
        if lost.by_target:
            taken = unite(taken, same_rows(theirs, ours))
        gone = taken
        if clash is not None and self._decide_keys(place, clash, conflicting):
            gone = unite(taken, clash.ours)
        elif clash is not None:
            gone = taken = np.setdiff1d(taken, clash.theirs)
        kept, moved = ours.without(gone), theirs.only(taken)
        edit = RowsEdit(table.table_id, by_rows=True)
        for file in sorted({*source.files, *target.files}):
            live = unite(kept.positions_in(file), moved.positions_in(file))
            self._place_file(edit, file, live, (source, theirs), (target, ours), compared.open.get(file))
        stays = set(kept.positions_in(INLINED).tolist())
        edit.ended_rows = [row for row_id, row in target.rows.items() if row_id not in stays]
        edit.begun_rows = [source.rows[row_id] for row_id in moved.positions_in(INLINED).tolist()]
        return edit

    def _place_file(
        self,
        edit: RowsEdit,
        file: DataFileId,
        live: Numbers,
        source: tuple[Held, PlacedRows],
        target: tuple[Held, PlacedRows],
        compared: Numbers | None,
    ) -> None:
        """Say what becomes of one file, of which these positions are live in the result.

        If only some positions are compared, all sides have a live row at each other one, and the result has it too.
        """
        theirs, ours = source[0].files.get(file), target[0].files.get(file)
        if ours is not None and np.array_equal(live, target[1].positions_in(file)):
            return
        if not live.size and (compared is None or ours is None or compared.size == ours.row.record_count):
            edit.ended += [ours] if ours is not None else []
            return
        is_source = theirs is not None and np.array_equal(live, source[1].positions_in(file))
        if ours is None or (theirs is not None and _shows_less(ours, theirs)):
            assert theirs is not None
            edit.ended += [] if ours is None else [ours]
            edit.begun.append(theirs)
            if not is_source:
                edit.deleted.append((theirs, _others(theirs, live, compared)))
        elif is_source and theirs is not None and ours.bounds[0] == theirs.bounds[0]:
            edit.redone.append((ours, theirs))
        else:
            edit.deleted.append((ours, _others(ours, live, compared)))

    def _decide(
        self, place: tuple[str, str], found: Sequence[Numbers], ambiguous: Numbers, rows: ConflictingRows
    ) -> bool:
        """Keep conflicts about rows; return whether the source decides them."""
        unclear = set(ambiguous[:MOST_CONFLICTS].tolist())
        told = rows.read([(row_id, row_id) for row_id in found[0][:MOST_VALUES].tolist()])
        takes_source = False
        listed = zip(*(part[:MOST_CONFLICTS].tolist() for part in found), strict=True)
        for (row_id, ours, theirs), row in zip_longest(listed, told):
            conflict = MergeConflict(
                "row",
                *place,
                row_id,
                "deleted" if ours < 0 else "updated",
                "deleted" if theirs < 0 else "updated",
                is_ambiguous=row_id in unclear,
            )
            takes_source = self._chooser.decide(_with_values(conflict, row))
        return takes_source

    def _decide_keys(self, place: tuple[str, str], clash: KeyClash, rows: ConflictingRows) -> bool:
        """Keep conflicts about keys; return whether the source decides them."""
        told = rows.read(list(clash.keys.values())[:MOST_VALUES])
        takes_source = False
        for key, row in zip_longest(clash.keys, told):
            conflict = MergeConflict("key", *place, key, "added", "added")
            takes_source = self._chooser.decide(_with_values(conflict, row))
        return takes_source


def _with_values(conflict: MergeConflict, row: TwoRows | None) -> MergeConflict:
    if row is None:
        return conflict
    return replace(conflict, row=row.key, ours_values=row.ours, theirs_values=row.theirs)


def _others(file: HeldFile, live: Numbers, compared: Numbers | None) -> Numbers:
    """Return the positions of a file without a live row.

    Those with one are given, among the compared ones or among all.
    """
    if compared is not None:
        return np.setdiff1d(compared, live, assume_unique=True)
    is_other = np.ones(file.row.record_count, np.bool_)
    is_other[live] = False
    return np.flatnonzero(is_other)


def _shows_less(ours: HeldFile, theirs: HeldFile) -> bool:
    """Return whether the target shows less of a file than the source."""
    one, other = ours.bounds[0], theirs.bounds[0]
    return one is not None and (other is None or one < other)
