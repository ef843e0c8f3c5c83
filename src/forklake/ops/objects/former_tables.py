"""Tables that a catalog had: found by the name that they had at last."""

from __future__ import annotations

from datetime import UTC

from forklake.metastore.lineage_history import lineage_history
from forklake.metastore.queries import snapshots
from forklake.metastore.row_filter import FoldedName
from forklake.metastore.source import Source
from forklake.metastore.written_tables import SCHEMA, TABLE
from forklake.model.hint import LookAtDropped
from forklake.model.ids import INFINITY, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.version import Version


@dataclass(frozen=True, slots=True)
class FormerTable:
    """A table that was dropped.

    Attributes:
        table_id: Its id.
        begin: Since when it had its last name.
        end: The snapshot that dropped it.
    """

    table_id: TableId
    begin: SnapshotId
    end: SnapshotId


def former_table(source: Source, version: Version, schema_name: str, name: str) -> FormerTable | None:
    """Return the table of that name that was dropped last, if it is known.

    Its rows are collected some time after the last snapshot that showed it has expired.
    """
    named = lineage_history(source, version, TABLE, {"table_name": FoldedName(fold(name))})
    ended = [(row, begin, end) for row, begin, end in named if end <= version.snapshot_id]
    if not ended:
        return None
    ids = sorted({row.table_id for row, _, _ in ended})
    last: dict[TableId, SnapshotId] = {}
    for row, _, end in lineage_history(source, version, TABLE, {"table_id": ids}):
        last[row.table_id] = max(end if end <= version.snapshot_id else INFINITY, last.get(row.table_id, end))
    schemas = [
        (row.schema_id, begin, end)
        for row, begin, end in lineage_history(source, version, SCHEMA)
        if fold(row.schema_name) == fold(schema_name)
    ]
    found = [
        FormerTable(row.table_id, begin, end)
        for row, begin, end in ended
        if end == last[row.table_id]
        and any(schema == row.schema_id and since < end <= until for schema, since, until in schemas)
    ]
    return max(found, key=lambda table: table.end, default=None)


def look_at_dropped(source: Source, version: Version, schema_name: str, name: str) -> LookAtDropped | None:
    """Return which snapshot dropped a table, and which one showed it last.

    None if there was no such table, or if nothing is known of it any more.
    """
    found = former_table(source, version, schema_name, name)
    if found is None:
        return None
    before = snapshots.newest_before(source, version, found.end)
    shown = None if before is None or before < found.begin else before
    return LookAtDropped(schema_name, name, _story(source, version, found.end), shown)


def _story(source: Source, version: Version, snapshot: SnapshotId) -> str:
    found = snapshots.lineage(source, version, snapshot)
    if not found:
        return f"Snapshot {snapshot}, which has expired, dropped it."
    (made,) = found
    when = made.snapshot_time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    said = "" if made.commit_message is None else f': "{made.commit_message}"'
    return f"Snapshot {snapshot} dropped it ({when}, {made.author or 'no author'}{said})."
