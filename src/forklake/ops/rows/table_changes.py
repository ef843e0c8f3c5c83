"""The change feed of a table."""

from __future__ import annotations

from forklake.catalog import lookup, versions
from forklake.catalog.change_plan import plan_changes
from forklake.catalog.moments import Moment
from forklake.catalog.state import CatalogState
from forklake.errors import InvalidInputError
from forklake.model.change_scan import ChangePlan
from forklake.model.ids import SnapshotId, TableId
from forklake.model.version import Version
from forklake.ops.lakes.runtime import Runtime


def plan_table_changes(
    runtime: Runtime, seen: Version, table: TableId, start: Moment, end: Moment | None
) -> ChangePlan:
    """Plan how the rows of a table changed between two snapshots, both included.

    A time as the start means the first snapshot at or after it, and as the end the last one not after it.

    Raises:
        SnapshotNotFoundError: The catalog has no such snapshot.
        NotFoundError: The table does not exist at the end.
        InvalidInputError: The start comes after the end.
    """
    last = seen if end is None else versions.version_of(runtime.store, seen, end)
    first = versions.first_snapshot(runtime.store, seen, start)
    check_order(first, last.snapshot_id)
    state = CatalogState(runtime.store, last)
    return plan_changes(runtime.store, runtime.lake_path, state, lookup.table_by_id(state, table), SnapshotId(first))


def check_order(first: SnapshotId, last: SnapshotId) -> None:
    """Refuse changes that end before they start.

    Raises:
        InvalidInputError: The start comes after the end.
    """
    if first > last:
        raise InvalidInputError(f"The changes cannot start at snapshot {first}, after their end {last}.")
