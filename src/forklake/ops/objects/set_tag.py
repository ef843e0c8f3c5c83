"""Sets tags of tables, views and their columns.

The tag ``comment`` is the comment.
"""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.model import change
from forklake.model.rows import TableRow, ViewRow
from forklake.ops.objects.alter_columns import ColumnName


def set_table_tag(
    staging: Staging, table: TableRow, key: str, value: str | None, *, column: ColumnName | None = None
) -> None:
    """Set a tag of a table, or of one of its columns; None removes it.

    Raises:
        NotFoundError: There is no such column.
    """
    if column is None:
        staging.stage(change.SetTag(table.table_id, key, value))
        return
    column_id = lookup.column(staging.draft, table, column).column_id
    staging.stage(change.SetColumnTag(table.table_id, column_id, key, value))


def set_view_tag(staging: Staging, view: ViewRow, key: str, value: str | None, *, column: str | None = None) -> None:
    """Set a tag of a view, or of one of its columns; None removes it."""
    if column is None:
        staging.stage(change.SetTag(view.view_id, key, value))
    else:
        staging.stage(change.SetViewColumnTag(view.view_id, column, key, value))
