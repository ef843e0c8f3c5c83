"""Plans of the scans of a session's queries."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.scan_plan import plan_scan
from forklake.lake import Table
from forklake.lake.internals import content_of, runtime_of
from forklake.model.scan import ScanPlan
from forklake.sql.relation import Scan


def scan_plan(scan: Scan) -> ScanPlan:
    """Return the plan of a table scan."""
    table: Table = scan.relation.source
    runtime, content = runtime_of(table), content_of(table)
    row = lookup.table_by_id(content, table.table_id)
    return plan_scan(runtime.store, runtime.lake_path, content, row, scan.predicate)
