"""What every alteration of a table records: its log entry and its totals."""

from __future__ import annotations

from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.draft import Draft
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.ids import TableId
from forklake.model.rows import TableRow, TableStatsRow


def log_altered(draft: Draft, row: TableRow, *, reshapes: bool = False) -> None:
    """Log that a table was altered, unless this transaction makes it.

    ``reshapes`` means that its files have another shape from now on.
    """
    if row.table_id < 0:
        return
    altered = LoggedChange(ChangeKind.ALTERED_TABLE, object_id=row.table_id)
    draft.record(altered, reshapes=row.table_id if reshapes else None)


def own_stats(draft: Draft, table_id: TableId) -> TableStatsRow:
    """Return the totals of a table, to be changed.

    An inherited table takes row ids from the catalog's own range.
    """
    stats = lookup.table_stats(draft, table_id)
    if stats.origin is not None and stats.origin.owner != draft.version.catalog_id:
        return replace(stats, next_row_id=draft.first_row_id)
    return stats
