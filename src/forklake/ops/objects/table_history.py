"""The history of a table: which snapshots changed it."""

from __future__ import annotations

from forklake.catalog import lookup, versions
from forklake.catalog.state import Content
from forklake.metastore import visibility
from forklake.metastore.store import Store
from forklake.metastore.written_tables import TABLE
from forklake.model.change_log import ChangeKind, parse
from forklake.model.ids import SnapshotId, TableId
from forklake.model.overview import TableChange
from forklake.model.version import Version
from forklake.ops.objects.former_tables import former_table

WRITTEN_OUT = "written_out"
"""What a copying fork and severing do to a table: its rows begin anew, and the log tells nothing."""


def named_table_history(store: Store, content: Content, schema_name: str, name: str) -> list[TableChange]:
    """Return the history of a named table, or of the one that was dropped last.

    Raises:
        NotFoundError: There is none, and nothing is known of one that there was.
    """
    schema = lookup.find_schema(content, schema_name)
    found = None if schema is None else lookup.find_table(content, schema.schema_id, name)
    if found is not None:
        return table_history(store, content.version, found.table_id)
    dropped = former_table(store, content.version, schema_name, name)
    if dropped is None:
        return table_history(store, content.version, lookup.table(content, name, schema_name).table_id)
    return table_history(store, content.version, dropped.table_id, dropped.end)


def table_history(
    store: Store, version: Version, table: TableId, dropped: SnapshotId | None = None
) -> list[TableChange]:
    """Return the snapshots of the lineage that changed a table, oldest first.

    Expired ones are not included. The log names a changed table by its id, but a created one by its name; so its
    creation is found where its rows begin. The snapshot that dropped it may have dropped its schema.
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
        if snapshot.snapshot_id == dropped:
            changes.append(ChangeKind.DROPPED_TABLE.value)
        if changes:
            history.append(TableChange(snapshot, tuple(dict.fromkeys(changes))))
    return history
