"""Adds and deletes inlined rows, and inlines deletes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import NotFoundError
from forklake.model import change
from forklake.model.ids import ColumnId, DataFileId
from forklake.model.names import fold
from forklake.model.rows import TableRow


def insert_inlined(staging: Staging, table: TableRow, rows: Sequence[Mapping[str, str | None]]) -> int:
    """Add inlined rows; return their number.

    Each row has values by column name, as exact text or None. A column that a row does not name is NULL.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: NULL is not allowed in a column.
    """
    ids = {
        fold(column.column_name): column.column_id
        for column in lookup.columns(staging.draft, table.table_id)
        if column.parent_column is None
    }
    staging.stage(change.InsertInlined(table.table_id, tuple(_by_id(values, ids, table.table_name) for values in rows)))
    return len(rows)


def delete_inlined(staging: Staging, table: TableRow, row_ids: Sequence[int]) -> int:
    """Delete inlined rows by their row ids; return their number.

    Raises:
        NotFoundError: There is no such row.
    """
    staging.stage(change.DeleteInlined(table.table_id, tuple(row_ids)))
    return len(row_ids)


def inline_deletes(staging: Staging, table: TableRow, positions: Mapping[int, Sequence[int]]) -> int:
    """Delete rows of data files by position as inlined deletes; return their number.

    Raises:
        NotFoundError: A data file is not part of the table.
        InvalidInputError: A row does not exist or is deleted already.
    """
    pairs = tuple((DataFileId(file), place) for file, places in positions.items() for place in places)
    staging.stage(change.InlineDeletes(table.table_id, pairs))
    return len(pairs)


def _by_id(
    values: Mapping[str, str | None], ids: Mapping[str, ColumnId], table: str
) -> tuple[tuple[ColumnId, str | None], ...]:
    found = []
    for name, value in values.items():
        if fold(name) not in ids:
            raise NotFoundError(f'Table "{table}" does not have a column with name "{name}"')
        found.append((ids[fold(name)], value))
    return tuple(found)
