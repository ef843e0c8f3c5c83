"""Lays the result of a merge on other ancestors: what a refresh writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from forklake.catalog import lookup
from forklake.catalog.column_history import ColumnHistory
from forklake.catalog.draft import Draft
from forklake.catalog.fields import field_tree, stored_tree
from forklake.catalog.holdings import version_of
from forklake.metastore.differences import may_differ, may_show, shown_by_one
from forklake.metastore.schema.description import Visibility
from forklake.metastore.visibility import BareChain, visible
from forklake.metastore.written_tables import (
    COLUMN,
    DATA_FILE,
    DELETE_FILE,
    IDENTITIES,
    INLINED_DELETE,
    INLINED_ROW,
    PARTITION_INFO,
    TABLE,
    TABLE_COLUMN_STATS,
    TABLE_STATS,
    TABLES,
    MetadataTable,
)
from forklake.model.field import Field
from forklake.model.ids import INFINITY, ColumnId, SnapshotId, TableId
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedRow, Row
from forklake.model.version import Version
from forklake.ops.merging.copier import Copier, FileDetails
from forklake.ops.merging.sides import Sides
from forklake.ops.rows.restate_rows import rows_for_fields


def rebase(draft: Draft, sides: Sides, onto: Version) -> Draft:
    """Return a draft that shows the same with other ancestors.

    Rows that the catalog shows by itself end. What the draft shows, and the new ancestors do not, begins as rows of the
    catalog; what they show, and the draft does not, is hidden. It costs as much as the catalog has rows of its own, and
    as its old and new ancestors differ.

    Args:
        draft: A draft of the target of a merge.
        sides: What the merge has compared.
        onto: The version whose chain becomes that of the ancestors.
    """
    return _Rebase(draft, sides, onto).rebase()


class _Rebase:
    def __init__(self, draft: Draft, sides: Sides, onto: Version) -> None:
        self._draft, self._sides = draft, sides
        self._own = draft.version.catalog_id
        at = draft.version.snapshot_id
        self._alone = BareChain([self._own], [at])
        self._chain = BareChain([self._own, *onto.owners], [at, *onto.bounds])
        self._onto = BareChain(onto.owners, onto.bounds)
        self._known_orders: dict[TableId, dict[ColumnId, int]] = {}
        self._columns: dict[TableId, tuple[ColumnHistory, tuple[Field, ...]]] = {}
        self._new = draft.with_log_alone()
        self._files: dict[TableId, list[DataFileRow]] = {}
        self._deletes: dict[TableId, list[DeleteFileRow]] = {}
        self._own_rows: dict[MetadataTable[Any], list[Any]] = {}
        self._differing: set[MetadataTable[Any]] = set()

    def rebase(self) -> Draft:
        self._own_rows = self._read_own_rows()
        self._differing = self._find_differing()
        written = {table: self._place(table) for table in IDENTITIES}
        for table, rows in written.items():
            self._write(table, rows)
        for table_id in {*self._files, *self._deletes}:
            self._bring_files(table_id)
        self._new.reshaped |= {row.table_id for row in self._changes_of(COLUMN)}
        self._new.reshaped |= {row.table_id for row in self._changes_of(PARTITION_INFO)}
        self._new.reshaped &= {row.table_id for row in self._draft.rows(TABLE)}
        self._count()
        return self._new

    # ---- which rows ----------------------------------------------------------------------------------------------

    def _read_own_rows(self) -> dict[MetadataTable[Any], list[Any]]:
        """Return the live rows of the catalog itself, where there are any."""
        session, tables = self._sides.session, list(IDENTITIES)
        asked = zip(tables, may_show(session, self._alone, tables), strict=True)
        return {table: visible(session, self._alone, table) for table, has_rows in asked if has_rows}

    def _find_differing(self) -> set[MetadataTable[Any]]:
        """Return the metadata tables of which the two chains may show other rows.

        They are the draft's and the new one.
        """
        tables = list(IDENTITIES)
        asked = zip(tables, may_differ(self._sides.session, self._draft.version, self._chain, tables), strict=True)
        return {table for table, differs in asked if differs}

    def _place(self, table: MetadataTable[Any]) -> list[Row]:
        """End and hide what the draft does not show; return what must begin."""
        session = self._sides.session
        own = self._own_rows.get(table, [])
        gone: list[Any] = []
        come: list[Any] = []
        if table in self._differing:
            gone, come = shown_by_one(session, self._draft.version, self._chain, table)
        ended = self._draft.ending_rows(table)
        left = {row.uid: row for row in (*own, *gone)}
        there = {_key(table, row): row for row in come}
        wanted = [row for uid, row in left.items() if uid not in ended] + self._draft.new_rows_of(table)
        written = []
        for row in wanted:
            same = there.get(_key(table, row))
            if same is not None and _is_same(table, row, same):
                del there[_key(table, row)]
            else:
                written.append(row)
        self._new.end(*own, *there.values(), *(row for uid, row in ended.items() if uid not in left))
        return self._order_columns(written) if table is COLUMN else written

    def _order_columns(self, rows: Sequence[Any]) -> list[Row]:
        """Put columns behind those of the ancestors, unless these have them too."""
        last = {
            table_id: max(self._orders(table_id).values(), default=0) for table_id in {row.table_id for row in rows}
        }
        ordered: list[Row] = []
        for row in sorted(rows, key=lambda row: (row.table_id, row.column_order, row.column_id)):
            orders = self._orders(row.table_id)
            if row.column_id not in orders:
                last[row.table_id] += 1
                orders[row.column_id] = last[row.table_id]
            ordered.append(replace(row, column_order=orders[row.column_id]))
        return ordered

    def _orders(self, table_id: TableId) -> dict[ColumnId, int]:
        """Return the order of a table's columns.

        It is that of the ancestors; others were put behind.
        """
        if table_id not in self._known_orders:
            found = visible(self._sides.session, self._onto, COLUMN, {"table_id": table_id})
            self._known_orders[table_id] = {row.column_id: row.column_order for row in found}
        return self._known_orders[table_id]

    def _fields(self, table_id: TableId) -> tuple[Field, ...]:
        """Return the columns of files that are written from now on."""
        orders = self._orders(table_id)
        rows = lookup.columns(self._draft, table_id)
        return stored_tree(sorted(rows, key=lambda row: (orders[row.column_id], row.column_id)))

    # ---- rows as they begin --------------------------------------------------------------------------------------

    def _write(self, table: MetadataTable[Any], rows: Sequence[Any]) -> None:
        if table is DATA_FILE:
            self._write_files(rows)
            return
        if table is DELETE_FILE:
            for row in rows:
                if self._is_inherited(row):
                    self._deletes.setdefault(row.table_id, []).append(row)
                else:
                    self._new.insert(replace(row, origin=None))
            return
        if table is INLINED_ROW:
            self._write_inlined(rows)
            return
        for row in rows:
            self._new.insert(replace(row, origin=None))
        self._follow(table, rows)

    def _write_inlined(self, rows: Sequence[InlinedRow]) -> None:
        """Write inlined rows, with structs as the result has them."""
        before: dict[TableId, list[InlinedRow]] = {}
        for row in rows:
            if row.origin is None:
                self._new.insert(row)
            else:
                before.setdefault(row.table_id, []).append(row)
        for table_id, of_table in before.items():
            table, fields = lookup.table_by_id(self._draft, table_id), field_tree(lookup.columns(self._draft, table_id))
            restated = rows_for_fields(self._sides.session, self._sides.target, table, of_table, fields)
            self._new.insert(*(replace(row, origin=None, origin_snapshot_id=_version_of(row)) for row in restated))

    def _write_files(self, rows: Sequence[DataFileRow]) -> None:
        for row in rows:
            if self._is_inherited(row):
                self._files.setdefault(row.table_id, []).append(row)
            elif row.origin is None:
                self._new.insert(row)
            else:
                known, first = self._is_known(row), _version_of(row)
                self._new.insert(replace(row, origin_snapshot_id=first, columns_known=known, origin=None))
        self._follow(DATA_FILE, rows)

    def _is_known(self, row: DataFileRow) -> bool:
        """Return whether a file holds the columns that its table has from now on."""
        if not row.columns_known or row.mapping_id is not None:
            return False
        if row.table_id not in self._columns:
            named = lookup.table_by_id(self._sides.target, row.table_id)
            history = ColumnHistory(self._sides.session, self._sides.target, named)
            self._columns[row.table_id] = (history, self._fields(row.table_id))
        history, now = self._columns[row.table_id]
        return history.of_file(row.origin, row.partial_max) == now

    def _bring_files(self, table_id: TableId) -> None:
        """Copy files of ancestors that the new ones do not show."""
        files, deletes = self._files.get(table_id, []), self._deletes.get(table_id, [])
        partitions = {row.partition_id for row, _, _ in self._draft.history(PARTITION_INFO, {"table_id": table_id})}
        details = FileDetails(self._sides, self._sides.target, self._new, files, deletes)
        copier = Copier(self._sides, self._sides.target, self._new, table_id, files, deletes, partitions, details)
        for file in files:
            self._new.insert(*copier.file(file))
        self._new.insert(*copier.deletes(deletes))

    def _follow(self, table: MetadataTable[Any], rows: Sequence[Any]) -> None:
        """Write what follows rows that begin, unless the catalog has it."""
        inherited = [row for row in rows if self._is_inherited(row)]
        for kind in TABLES:
            if kind.visibility is not Visibility.FOLLOWS or kind.follows is None or kind.follows[0] is not table:
                continue
            key = kind.follows[1]
            staged = {getattr(row, key) for row in rows if row.origin is None}
            self._new.insert(*(row for row in self._draft.new_rows_of(kind) if getattr(row, key) in staged))
            if table is DATA_FILE:
                continue  # those of ancestors are copied with their files
            own = self._draft.base.following(kind, [row.owned_by(self._own) for row in inherited])
            there = {getattr(row, key) for row in own}
            missing = [row for row in inherited if getattr(row, key) not in there]
            self._new.insert(*(replace(row, origin=None) for row in self._sides.target.following(kind, missing)))

    # ---- statistics ----------------------------------------------------------------------------------------------

    def _count(self) -> None:
        """Write the statistics of tables.

        Those of which the catalog has neither rows nor statistics have their ancestors'. Of others, the draft's stay
        right: it shows the same. What it inherited becomes the catalog's own, for the new ancestors have other ones.
        """
        kinds: tuple[MetadataTable[Any], ...] = (DATA_FILE, DELETE_FILE, INLINED_ROW, INLINED_DELETE)
        touched = {row.table_id for kind in kinds for row in self._changes_of(kind)}
        touched &= {row.table_id for row in self._draft.rows(TABLE)}
        for table in (TABLE_STATS, TABLE_COLUMN_STATS):
            for table_id, rows in self._draft.statistics(table).items():
                if table_id in touched or self._has_own_stats(table_id):
                    self._new.write_latest(table, table_id, rows)
        self._draft.base.keep_tables((TABLE_STATS, TABLE_COLUMN_STATS), sorted(touched))
        for table_id in touched:
            self._keep_inherited(table_id)

    def _keep_inherited(self, table_id: TableId) -> None:
        """Write statistics of a table that the catalog has inherited so far."""
        if table_id not in self._draft.statistics(TABLE_STATS) and not self._has_own_stats(table_id):
            theirs = self._sides.source.latest(TABLE_STATS, table_id)
            stats = lookup.table_stats(self._draft, table_id)
            next_column_id = max(one.next_column_id for one in (stats, *theirs))
            totals = replace(stats, next_row_id=self._draft.first_row_id, next_column_id=next_column_id, origin=None)
            self._new.write_latest(TABLE_STATS, table_id, [totals])
        of_columns = self._draft.latest(TABLE_COLUMN_STATS, table_id)
        if table_id not in self._draft.statistics(TABLE_COLUMN_STATS) and any(map(self._is_inherited, of_columns)):
            self._new.write_latest(TABLE_COLUMN_STATS, table_id, [replace(row, origin=None) for row in of_columns])

    def _has_own_stats(self, table_id: TableId) -> bool:
        found = self._sides.target.latest(TABLE_STATS, table_id)
        return any(not self._is_inherited(row) for row in found)

    def _changes_of(self, table: MetadataTable[Any]) -> list[Any]:
        return [*self._new.new_rows_of(table), *self._new.ending_rows(table).values()]

    def _is_inherited(self, row: Row) -> bool:
        return row.origin is not None and row.origin.owner != self._own


def _key(table: MetadataTable[Any], row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in IDENTITIES[table])


def _is_same(table: MetadataTable[Any], one: Any, other: Any) -> bool:
    """Return whether two rows of one key show the same."""
    if table is DATA_FILE:
        return _cut_of(one) == _cut_of(other)
    if table is DELETE_FILE:
        return bool(one.delete_file_id == other.delete_file_id) and _cut_of(one) == _cut_of(other)
    if table is INLINED_ROW:
        return bool(one.document == other.document) and _version_of(one) == _version_of(other)
    names = [name for name in table.columns if name != "column_order"]
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _cut_of(row: DataFileRow | DeleteFileRow) -> SnapshotId | None:
    """Return up to which snapshot a file is read, if it holds younger rows."""
    bound = INFINITY if row.origin is None else row.origin.bound
    bound = bound if row.read_upto is None else min(bound, row.read_upto)
    return bound if row.partial_max is not None and row.partial_max > bound else None


def _version_of(row: DataFileRow | InlinedRow) -> SnapshotId | None:
    """Return the version of a row; None if this commit makes it."""
    return row.origin_snapshot_id if row.origin is None else version_of(row)
