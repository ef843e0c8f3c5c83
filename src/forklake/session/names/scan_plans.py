"""Tables of the lake as queries read them: their columns, and the plans of scans."""

from __future__ import annotations

from functools import partial
from typing import Final

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import ScanPlanner, plan_scan
from forklake.catalog.state import Content
from forklake.lake import Table
from forklake.lake.internals import content_of, runtime_of
from forklake.model import types
from forklake.model.field import Field
from forklake.model.rows import TableRow
from forklake.model.scan import OWN_PLACES, ScanPlan
from forklake.ops.rows.write_target import WriteQuestions
from forklake.sql.relation import Relation, Scan

_VIRTUAL: Final = (
    Field(None, "rowid", types.INT64),
    Field(None, "snapshot_id", types.INT64),
    Field(None, "filename", types.VARCHAR),
    Field(None, "file_row_number", types.INT64),
    Field(None, "file_index", types.UINT64),
    *(Field(None, name, kind) for name, kind in OWN_PLACES.items()),
)


def table_relation(table: Table, content: Content, row: TableRow) -> Relation:
    """Return a table as a source of rows, with the columns that it has in a content."""
    known = partial(lookup.column_stats, content, row.table_id)
    return Relation(row.table_name, table_fields(content, row.table_id), table, _VIRTUAL, known)


def scan_plan(scan: Scan, asked: WriteQuestions | None = None) -> ScanPlan:
    """Return the plan of a table scan.

    What its statement asks before it writes is asked along with it, if it still is to be.
    """
    table: Table = scan.relation.source
    runtime, content = runtime_of(table), content_of(table)
    row = lookup.table_by_id(content, table.table_id)
    if asked is None or not asked.goes_with(runtime.store):
        return plan_scan(runtime.store, runtime.lake_path, content, row, scan.predicate, scan.top)
    planner = ScanPlanner(runtime.store, runtime.lake_path, content, row, top=scan.top)
    return planner.plan_read(asked.read_with(planner, scan.predicate), scan.predicate)
