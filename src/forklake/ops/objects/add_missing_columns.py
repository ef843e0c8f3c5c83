"""Adds columns that a frame has and its table lacks."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.model.definitions import ColumnDefinition
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.ops.objects.alter_columns import add_column


def add_missing_columns(staging: Staging, table: TableRow, columns: Sequence[ColumnDefinition]) -> None:
    """Add the columns whose names the table does not have.

    Existing rows have NULL in them. Types of existing columns stay as they are, and so do the fields of structs.
    """
    known = {
        fold(row.column_name) for row in lookup.columns(staging.draft, table.table_id) if row.parent_column is None
    }
    for column in columns:
        if fold(column.name) not in known:
            add_column(staging, table, column)
