"""Plans a merge: what becomes of each thing and each table of the target."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from typing import Final

from forklake.catalog.holdings import Held
from forklake.metastore.differences import changed_tables
from forklake.metastore.queries.merges import merging_snapshots
from forklake.metastore.schema.catalog_tables import COLUMN_IDS
from forklake.metastore.written_tables import COLUMN, TABLE_STATS
from forklake.model.fork_merge import MergeConflict, RowKeys, Strategies
from forklake.model.ids import ColumnId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.progress import Progress, ignore_progress
from forklake.model.rows import TableRow
from forklake.ops.merging.choice import Chooser
from forklake.ops.merging.sides import Side, Sides
from forklake.ops.merging.table_files import Touched, touches_of
from forklake.ops.merging.table_rows import LostColumns, RowsEdit, RowsMerge, take_all
from forklake.ops.merging.things import (
    COLUMN_TAGS,
    COLUMNS,
    OF_TABLES,
    OTHERS,
    PARTITIONING,
    SORTING,
    TABLES,
    Edit,
    Key,
    ObjectMerge,
    Thing,
    columns_after,
    things,
)

_NO_KEYS: Final = RowKeys()


@dataclass
class TableEdit:
    """What becomes of one table of the target.

    Attributes:
        table_id: The table.
        row: Its own row after the merge; None if it is dropped.
        edits: What becomes of the table itself, its columns, its layout and its comments.
        rows: What becomes of its files and inlined rows.
        is_new: Whether the target gets it by this merge.
    """

    table_id: TableId
    row: TableRow | None
    edits: list[Edit] = field(default_factory=list)
    rows: RowsEdit | None = None
    is_new: bool = False

    def __bool__(self) -> bool:
        return bool(self.edits or self.rows)


@dataclass
class Planned:
    """A merge that is planned; nothing is written yet.

    Attributes:
        sides: What was compared.
        chooser: The conflicts that were found.
        edits: What becomes of things that are no tables and belong to none.
        tables: What becomes of tables.
        is_empty: Whether the source has changed nothing since the bases.
    """

    sides: Sides
    chooser: Chooser
    edits: list[Edit]
    tables: list[TableEdit]
    is_empty: bool


def plan_merge(
    sides: Sides,
    strategies: Strategies,
    *,
    keys: RowKeys = _NO_KEYS,
    by_files: bool = True,
    progress: Progress = ignore_progress,
) -> Planned:
    """Compare source, target and bases, and say what becomes of the target.

    Args:
        sides: The states, read at one state of the database.
        strategies: Who decides conflicts.
        keys: Which columns tell rows apart that both sides inserted.
        by_files: Whether files that the target has as the bases may stand for their rows.
        progress: Told how many of the tables are compared.
    """
    return _Planner(sides, strategies, keys, by_files=by_files).plan(progress)


class _Planner:
    def __init__(self, sides: Sides, strategies: Strategies, keys: RowKeys, *, by_files: bool) -> None:
        self._sides = sides
        self._chooser = Chooser(strategies)
        self._objects = ObjectMerge(sides, self._chooser)
        self._rows = RowsMerge(sides, self._chooser, keys, by_files=by_files)

    def plan(self, progress: Progress) -> Planned:
        found = self._objects.changes_of((*OTHERS, TABLES, *OF_TABLES))
        others = {kind: found[kind] for kind in OTHERS}
        edits = [edit for kind, of_kind in others.items() for edit in self._objects.merge(kind, of_kind)]
        changed = {kind: found[kind] for kind in (TABLES, *OF_TABLES)}
        candidates = self._changed_tables(self._sides.source)
        theirs = touches_of(self._sides, self._sides.source, sorted(candidates))
        self._rows.read(theirs)
        tables = {TableId(key[0]) for keys in changed.values() for key in keys} | set(theirs)
        for side in self._sides.both:
            side.keep_tables((COLUMNS.table,), sorted(tables))
        keys = {kind: _by_table(found) for kind, found in changed.items()}
        made = []
        sides_of = self._objects.all_of(TABLES, {(table_id,) for table_id in tables})
        for place, (table_id, sides) in enumerate(sides_of.items()):
            progress("Comparing tables", place, len(sides_of))
            edit = self._table(
                table_id[0], sides, {kind: of.get(table_id[0], set()) for kind, of in keys.items()}, theirs
            )
            if edit:
                made.append(edit)
        progress("Comparing tables", len(sides_of), len(sides_of))
        return Planned(self._sides, self._chooser, edits, made, is_empty=not tables and not any(others.values()))

    def _changed_tables(self, side: Side) -> set[TableId]:
        sides = self._sides
        return {
            table
            for base in sides.bases
            for table in changed_tables(sides.session, base.version, side.version, sides.imported_catalogs)
        }

    def _table(
        self,
        table_id: TableId,
        sides: Sequence[Thing | None],
        keys: dict[object, set[Key]],
        theirs: dict[TableId, Touched],
    ) -> TableEdit | None:
        *bases, source, target = sides
        known = next(thing for thing in (target, source, *bases) if thing is not None)
        assert isinstance(known.row, TableRow)
        place = (self._objects.schema_name(known.row.schema_id), known.row.table_name)
        if source is not None and target is not None:
            return self._both(table_id, place, keys, theirs.get(table_id, Touched()), known.row)
        if source is None and target is None:
            return None
        if all(base is None for base in bases):
            return None if source is None else self._take(table_id, source, None)
        mine = source if target is None else target
        assert mine is not None
        side = self._sides.source if target is None else self._sides.target
        is_changed = self._is_changed(side, mine)
        is_ambiguous = any(base is None for base in bases)
        if not is_changed and not is_ambiguous:
            # One side dropped it, and the other left it as it was.
            return None if target is None else self._drop(table_id, mine)
        conflict = MergeConflict(
            "dropped",
            *place,
            None,
            "dropped" if target is None else "changed",
            "dropped" if source is None else "changed",
            is_ambiguous=is_ambiguous,
        )
        if not self._chooser.decide(conflict):
            return None
        return self._drop(table_id, mine) if source is None else self._take(table_id, mine, None)

    def _both(
        self, table_id: TableId, place: tuple[str, str], keys: dict[object, set[Key]], theirs: Touched, row: TableRow
    ) -> TableEdit:
        edits = self._objects.merge(TABLES, keys[TABLES])
        edits += self._objects.merge_columns(place, keys[COLUMNS])
        for kind in (COLUMN_TAGS, PARTITIONING, SORTING):
            edits += self._objects.merge(kind, keys[kind], place)
        rows = None
        lost = self._lost_columns(table_id, place, edits)
        if theirs or lost.by_target:
            rows = self._rows.merge(row, place, theirs, lost)
        named = next((edit.after.row for edit in edits if edit.kind is TABLES and edit.after is not None), row)
        assert isinstance(named, TableRow)
        return TableEdit(table_id, named, edits, rows or None)

    def _lost_columns(self, table_id: TableId, place: tuple[str, str], edits: Sequence[Edit]) -> LostColumns:
        """Return which side has dropped columns of the result.

        Files and inlined rows that it has written anew since then lack them. A column that a merge brought to the other
        side may have been dropped by a third one, and the rows have come from there; unless that is so of both sides.
        """
        of_table = {"table_id": table_id}
        columns = [side.rows(COLUMN, of_table) for side in self._sides.both]
        result = columns_after(columns[1], edits)
        missing = [result.keys() - {row.column_id for row in known} for known in columns]
        lost = [
            self._once_there(side, table_id, gone) if gone else []
            for side, gone in zip(self._sides.both, missing, strict=True)
        ]
        if all(lost):
            # Rows are where one of the two sides has them, and each lacks something there.
            name = result[lost[0][0]].column_name
            self._chooser.refuse(MergeConflict("column", *place, name, "changed", "dropped"))
        if not any(lost):
            brought = [
                bool(gone) and self._came_by_merge(other, table_id, gone)
                for other, gone in zip(reversed(self._sides.both), missing, strict=True)
            ]
            if not all(brought):
                return LostColumns(*brought)
        return LostColumns(by_source=bool(lost[0]), by_target=bool(lost[1]))

    def _came_by_merge(self, side: Side, table_id: TableId, columns: Collection[ColumnId]) -> bool:
        """Return whether a merge, refresh or reset brought one of some columns."""
        history = side.history(COLUMN, {"table_id": table_id})
        begins: dict[ColumnId, SnapshotId] = {}
        for row, begin, _ in history:
            if row.column_id in columns:
                begins[row.column_id] = min(begin, begins.get(row.column_id, begin))
        if not begins:
            return False
        merging = merging_snapshots(self._sides.session, side.version, min(begins.values()))
        return not set(begins.values()).isdisjoint(merging)

    def _once_there(self, side: Side, table_id: TableId, columns: Iterable[ColumnId]) -> list[ColumnId]:
        """Return which of some columns a side, or what it was made from, once had.

        A copy, and a catalog that was severed, know none of before; the bases do. What a root counted is known by the
        counter that they took along.
        """
        of_table = {"table_id": table_id}
        had = {row.column_id for one in (side, *self._sides.bases) for row, _, _ in one.history(COLUMN, of_table)}
        counted = max((row.next_column_id for row in side.latest(TABLE_STATS, table_id)), default=0)
        return sorted(column for column in columns if column in had or column < min(counted, COLUMN_IDS.first))

    def _is_changed(self, side: Side, thing: Thing) -> bool:
        """Return whether a side has a table otherwise than a base.

        Rows that only moved do not count.
        """
        assert isinstance(thing.row, TableRow)
        table_id = thing.row.table_id
        for kind in (TABLES, *OF_TABLES):
            mine = {key: one.value for key, one in things(side, kind, {"table_id": table_id}).items()}
            for base in self._sides.bases:
                if {key: one.value for key, one in things(base, kind, {"table_id": table_id}).items()} != mine:
                    return True
        what = touches_of(self._sides, side, [table_id]).get(table_id, Touched())
        return bool(what) and not self._rows.has_rows_of_bases(side, thing.row, what)

    def _take(self, table_id: TableId, source: Thing, target: Thing | None) -> TableEdit:
        """Return the edit by which the target gets a table as the source has it."""
        assert isinstance(source.row, TableRow)
        edits = [Edit(TABLES, target, source)]
        for kind in OF_TABLES:
            edits += [
                Edit(kind, None, thing) for thing in things(self._sides.source, kind, {"table_id": table_id}).values()
            ]
        return TableEdit(table_id, source.row, edits, self._all_rows(table_id), is_new=True)

    def _drop(self, table_id: TableId, target: Thing) -> TableEdit:
        edits = [Edit(TABLES, target, None)]
        for kind in OF_TABLES:
            edits += [
                Edit(kind, thing, None) for thing in things(self._sides.target, kind, {"table_id": table_id}).values()
            ]
        return TableEdit(table_id, None, edits, self._all_rows(table_id))

    def _all_rows(self, table_id: TableId) -> RowsEdit:
        return take_all(table_id, *(Held.of_table(side, table_id) for side in (self._sides.source, self._sides.target)))


def _by_table(keys: Iterable[Key]) -> dict[TableId, set[Key]]:
    found: dict[TableId, set[Key]] = {}
    for key in keys:
        found.setdefault(TableId(key[0]), set()).add(key)
    return found
