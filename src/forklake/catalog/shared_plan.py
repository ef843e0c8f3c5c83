"""Plans scans of one table in many catalogs: files that they share are read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

from forklake.catalog import lookup
from forklake.catalog.crowd_state import CrowdState
from forklake.catalog.places import catalog_directories
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import Content
from forklake.catalog.table_files import TableFiles, cut_at, table_files
from forklake.metastore.store import Session
from forklake.metastore.written_tables import INLINED_ROW
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import Condition
from forklake.model.rows import DataFileRow, InlinedRow, TableRow
from forklake.model.scan import ScanFile, ScanPlan, ScanRows, SharedPlan
from forklake.model.version import Head, Version

Binder = Callable[[str, tuple[Field, ...]], Condition | None]
"""Returns the condition of a scan, given the name of the table and its columns."""


@dataclass(frozen=True, slots=True)
class SharedScan:
    """What to read of a table in some catalogs, and which of them have no such table.

    There is one plan for each different set of columns that the table has in them, with its condition.
    """

    plans: tuple[tuple[SharedPlan, Condition | None], ...]
    missing: tuple[str, ...]


def plan_shared(
    session: Session, lake_path: str | None, heads: Sequence[Head], schema: str, table: str, bind: Binder
) -> SharedScan:
    """Plan a scan of the table of a name in some catalogs.

    The number of queries depends neither on the number of catalogs nor on that of files. The session must see one
    state of the database.
    """
    crowd = CrowdState(session, [head.version for head in heads])
    roots = catalog_directories(session, lake_path, {owner for head in heads for owner in head.version.owners})
    groups: dict[tuple[Field, ...], _Group] = {}
    missing = []
    for head, content in zip(heads, crowd.contents, strict=True):
        row = _find_table(content, schema, table)
        if row is None:
            missing.append(head.name)
            continue
        planner = ScanPlanner(session, lake_path, content, row, roots=roots)
        if planner.fields not in groups:
            groups[planner.fields] = _Group(row.table_name, planner.fields, bind(row.table_name, planner.fields))
        groups[planner.fields].add(head.name, content, row, planner)
    return SharedScan(tuple((group.plan(), group.condition) for group in groups.values()), tuple(missing))


def _find_table(content: Content, schema: str, table: str) -> TableRow | None:
    found = lookup.find_schema(content, schema)
    return None if found is None else lookup.find_table(content, found.schema_id, table)


@dataclass
class _Held:
    """Something to read, or None if it was pruned, and the catalogs that have it."""

    thing: Any = None
    holders: list[str] = field(default_factory=list)


class _Group:
    """The catalogs in which the table has the same columns."""

    def __init__(self, table: str, fields: tuple[Field, ...], condition: Condition | None) -> None:
        self.condition = condition
        self._table = table
        self._fields = fields
        self._files: dict[tuple[Any, ...], _Held] = {}
        self._inlined: dict[int, _Held] = {}
        self._pruned: dict[str, tuple[int, int]] = {}

    def add(self, name: str, content: Content, table: TableRow, planner: ScanPlanner) -> None:
        """Add what a catalog reads; what others read in the same way is not planned again."""
        files = table_files(content, table.table_id)
        predicate = None if self.condition is None else self.condition.predicate
        inlined = content.rows(INLINED_ROW, {"table_id": table.table_id})
        if predicate is not None and planner.rules_out(inlined, predicate):
            inlined = []
        states = {row.data_file_id: _state(row, files, content.version) for row in files.data}
        new_files = [row for row in files.data if states[row.data_file_id] not in self._files]
        new_rows = [row for row in inlined if row.uid not in self._inlined]
        if new_files or new_rows:
            # Other catalogs may have these rows beside some that match.
            plan = planner.plan_rows(replace(files, data=new_files), new_rows, predicate, all_inlined=True)
            self._files.update((states[row.data_file_id], _Held()) for row in new_files)
            for file in plan.files:
                self._files[states[file.data_file_id]].thing = file
            self._keep_rows(new_rows, plan.inlined)
            for reason, (count, size) in plan.pruned.items():
                before = self._pruned.get(reason, (0, 0))
                self._pruned[reason] = before[0] + count, before[1] + size
        for state in states.values():
            self._files[state].holders.append(name)
        for row in inlined:
            self._inlined[row.uid].holders.append(name)

    def _keep_rows(self, new: Sequence[InlinedRow], planned: Sequence[ScanRows]) -> None:
        uids = {row.row_id: row.uid for row in new}
        for rows in planned:
            for row, of in zip(rows.rows, rows.names, strict=True):
                self._inlined[uids[row[0]]] = _Held((rows.fields, row, of))

    def plan(self) -> SharedPlan:
        """Return the plan of all that was added."""
        held = [each for each in self._files.values() if each.thing is not None]
        files: list[ScanFile] = [each.thing for each in held]
        holders = [tuple(each.holders) for each in held]
        places: dict[tuple[str, ...], int] = {}
        groups: dict[tuple[Field, ...], list[tuple[Any, str, int]]] = {}
        for each in self._inlined.values():
            fields, row, of = each.thing
            place = places.setdefault(tuple(each.holders), len(files) + len(places))
            groups.setdefault(fields, []).append((row, of, place))
        inlined = []
        for fields, found in groups.items():
            rows, names, where = zip(*found, strict=True)
            inlined.append(ScanRows(fields, rows, names, where))
        plan = ScanPlan(self._table, self._fields, tuple(files), tuple(inlined), self._pruned)
        return SharedPlan(plan, (*holders, *places))


def _state(row: DataFileRow, files: TableFiles, version: Version) -> tuple[Any, ...]:
    """Return what the visible rows of a file depend on, beside the file."""
    deletes = files.deletes.get(row.data_file_id)
    cuts = tuple(cut_at(each, version) for each in (row, deletes) if each is not None)
    deleted = None if deletes is None else deletes.uid
    return row.uid, deleted, files.inlined_deletes.get(row.data_file_id, ()), cuts
