"""The history of a table: which snapshots changed it."""

from __future__ import annotations

from forklake.catalog import versions
from forklake.metastore import visibility
from forklake.metastore.store import Store
from forklake.metastore.written_tables import TABLE
from forklake.model.change_log import ChangeKind, parse
from forklake.model.ids import TableId
from forklake.model.overview import TableChange
from forklake.model.version import Version

WRITTEN_OUT = "written_out"
"""What a copying fork and severing do to a table: its rows begin anew, and the log tells nothing."""


def table_history(store: Store, version: Version, table: TableId) -> list[TableChange]:
    """Return the snapshots of the lineage that changed a table, oldest first.

    Expired ones are not included. The log names a changed table by its id, but a created one by its name; so its
    creation is found where its rows begin.
    """
    first = min(visibility.start_snapshots(store, version, TABLE, {"table_id": table}), default=None)
    history = []
    for snapshot in versions.snapshots(store, version):
        if snapshot.snapshot_id > version.snapshot_id:
            break
        logged = parse(snapshot.changes_made)
        changes = [change.kind.value for change in logged if change.object_id == table]
        if snapshot.snapshot_id == first:
            is_made = any(change.kind is ChangeKind.CREATED_TABLE for change in logged)
            changes.insert(0, ChangeKind.CREATED_TABLE.value if is_made else WRITTEN_OUT)
        if changes:
            history.append(TableChange(snapshot, tuple(dict.fromkeys(changes))))
    return history
