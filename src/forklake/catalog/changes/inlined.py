"""Inlined rows and inlined deletes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.changes.alteration import own_stats
from forklake.catalog.changes.files import check_not_flushed, leaves_of
from forklake.catalog.changes.nested_leaves import leaf_values
from forklake.catalog.combined_stats import merge_stats
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_value
from forklake.catalog.state import live_data_files
from forklake.catalog.titles import table_title
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.written_tables import INLINED_DELETE, INLINED_ROW, TABLE_COLUMN_STATS, TABLE_STATS
from forklake.model import types
from forklake.model.change import DeleteInlined, InlineDeletes, InsertInlined
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.definitions import ColumnStats
from forklake.model.ids import ColumnId
from forklake.model.rows import ColumnRow, InlinedDeleteRow, InlinedRow
from forklake.model.types.order import order_key


def insert(draft: Draft, change: InsertInlined) -> None:
    """Add inlined rows; new ones get the next row ids of the table."""
    if not change.rows:
        return
    table = lookup.table_by_id(draft, change.table_id)
    top = {row.column_id: row for row in lookup.columns(draft, change.table_id) if row.parent_column is None}
    stats = own_stats(draft, change.table_id)
    next_row_id = stats.next_row_id
    for kept_id, values in zip(change.row_ids or (None,) * len(change.rows), change.rows, strict=True):
        row_id = next_row_id if kept_id is None else kept_id
        next_row_id += kept_id is None
        draft.insert(
            InlinedRow(
                table_id=change.table_id,
                row_id=row_id,
                schema_version=draft.version.schema_version,
                document=_document(table.table_name, top, dict(values)),
            )
        )
    _widen(draft, change, is_first=stats.record_count == 0)
    count = stats.record_count + len(change.rows)
    stats = replace(stats, record_count=count, next_row_id=next_row_id, origin=None)
    draft.write_latest(TABLE_STATS, change.table_id, [stats])
    draft.log.append(LoggedChange(ChangeKind.INLINED_INSERT, object_id=change.table_id, unmatched=change.unmatched))


def _widen(draft: Draft, change: InsertInlined, *, is_first: bool) -> None:
    """Widen the statistics of the columns by the new rows."""
    merged = lookup.column_stats(draft, change.table_id)
    columns = lookup.columns(draft, change.table_id)
    given = stats_of_rows(columns, [dict(row) for row in change.rows])
    for column in leaves_of(columns).values():
        old = merged.get(column.column_id)
        merged[column.column_id] = merge_stats(column, old, given.get(column.column_id), is_first=is_first)
    draft.write_latest(TABLE_COLUMN_STATS, change.table_id, list(merged.values()))


def stats_of_rows(
    columns: Sequence[ColumnRow], rows: Sequence[Mapping[ColumnId, str | None]]
) -> dict[ColumnId, ColumnStats]:
    """Return the statistics of the columns that hold values, over rows of texts.

    Columns of which nothing is known are left out.
    """
    parts: dict[ColumnId, list[ColumnRow]] = {}
    for column in columns:
        if column.parent_column is not None:
            parts.setdefault(column.parent_column, []).append(column)
    values: dict[ColumnId, list[str | None]] = {}
    for column in columns:
        if column.parent_column is None:
            with suppress(ValueError):  # of a text that cannot be read nothing is known
                values |= leaf_values(column, [row.get(column.column_id) for row in rows], parts)
    leaves = leaves_of(list(columns)).values()
    return {leaf.column_id: _stats(leaf, values[leaf.column_id]) for leaf in leaves if leaf.column_id in values}


def _stats(column: ColumnRow, values: list[str | None]) -> ColumnStats:
    """Return the statistics of a column's values.

    A NaN, or a value that cannot be compared, leaves the bounds unknown.
    """
    there = [value for value in values if value is not None]
    is_float = isinstance(column.type, types.Float)
    has_nan = is_float and any(value.lower() == "nan" for value in there)
    keys = [order_key(column.type, value) for value in there]
    ordered = [] if has_nan or None in keys else sorted(there, key=lambda value: order_key(column.type, value))
    return ColumnStats(
        value_count=len(there),
        null_count=len(values) - len(there),
        min_value=ordered[0] if ordered else None,
        max_value=ordered[-1] if ordered else None,
        contains_nan=has_nan if is_float else None,
    )


def delete(draft: Draft, change: DeleteInlined) -> None:
    """Delete inlined rows by their ids."""
    if not change.row_ids:
        return
    lookup.table_by_id(draft, change.table_id)
    found = {
        row.row_id: row
        for row in draft.rows(INLINED_ROW, {"table_id": change.table_id, "row_id": list(change.row_ids)})
    }
    for row_id in change.row_ids:
        if row_id not in found:
            raise NotFoundError(f"No inlined row with id {row_id} exists in {table_title(draft, change.table_id)}!")
        draft.end(found.pop(row_id))
    stats = own_stats(draft, change.table_id)
    stats = replace(stats, record_count=stats.record_count - len(change.row_ids), origin=None)
    draft.write_latest(TABLE_STATS, change.table_id, [stats])
    draft.log.append(LoggedChange(ChangeKind.INLINED_DELETE, object_id=change.table_id))


def delete_from_files(draft: Draft, change: InlineDeletes) -> None:
    """Delete rows of data files by position."""
    if not change.positions:
        return
    lookup.table_by_id(draft, change.table_id)
    ids = sorted({file for file, _ in change.positions})
    check_not_flushed(draft, ids)
    counts = {row.data_file_id: row.record_count for row in live_data_files(draft, change.table_id, ids)}
    known = {
        (row.data_file_id, row.row_id)
        for row in draft.rows(INLINED_DELETE, {"table_id": change.table_id, "data_file_id": ids})
    }
    for file_id, position in change.positions:
        if file_id not in counts:
            raise NotFoundError(
                f'Data file with index "{file_id}" does not exist in {table_title(draft, change.table_id)}!'
            )
        if not 0 <= position < counts[file_id] or (file_id, position) in known:
            raise InvalidInputError(
                f"Row {position} of data file {file_id} does not exist or is deleted already; nothing was deleted."
            )
        known.add((file_id, position))
        draft.insert(InlinedDeleteRow(table_id=change.table_id, data_file_id=file_id, row_id=position))
    draft.write_latest(TABLE_STATS, change.table_id, [replace(own_stats(draft, change.table_id), origin=None)])
    touched = frozenset(int(file) for file in ids)
    draft.log.append(LoggedChange(ChangeKind.INLINED_DELETE, object_id=change.table_id, data_files=touched))


def _document(table: str, columns: dict[ColumnId, ColumnRow], values: dict[ColumnId, str | None]) -> str:
    for column_id, value in values.items():
        if column_id not in columns:
            raise NotFoundError(f'Table "{table}" does not have a column with index {column_id}')
        check_value("value of an inlined row", value)
    for column_id, column in columns.items():
        if not column.nulls_allowed and values.get(column_id) is None:
            raise InvalidInputError(f"NOT NULL constraint failed: {table}.{column.column_name}")
    # Every column is written: only rows that are older than a column have its initial default.
    return json.dumps({str(column_id): values.get(column_id) for column_id in sorted(columns)}, ensure_ascii=False)
