"""Moves inlined rows and inlined deletes of a table into files.

The rows do not change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from forklake.catalog import lookup
from forklake.catalog.changes.alteration import own_stats
from forklake.catalog.changes.files import end_files, insert_deletes, insert_written
from forklake.catalog.draft import Draft
from forklake.catalog.state import Content
from forklake.catalog.titles import table_title
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.written_tables import INLINED_DELETE, INLINED_ROW, PARTITION_INFO, TABLE_STATS
from forklake.model.change import FlushInlined, TableShape
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.ids import TableId
from forklake.model.rows import TableRow

_DELETES: Final = (ChangeKind.INLINED_DELETE, ChangeKind.DELETED_FROM_TABLE)


def flush(draft: Draft, change: FlushInlined) -> None:
    """Begin the files and end the inlined data that they replace.

    Both happen at the same snapshot. The change feed reports a flushed row from the file, with the snapshot that
    the row carries. It cannot tell such a row from one that the transaction itself deleted, so a transaction
    either flushes or deletes.
    """
    table = lookup.table_by_id(draft, change.table_id)
    check_flushable(draft, table)
    if table_shape(draft, change.table_id) != change.shape:
        raise InvalidInputError(
            f'Inlined data of table "{table.table_name}" were not flushed: another transaction has altered it.'
        )
    if change.row_ids:
        assert change.newest is not None
        _end_rows(draft, change)
        insert_written(draft, table, change.files, min(change.row_ids), change.newest)
        byte_count = sum(file.file_size_bytes for _, file in change.files)
        stats = own_stats(draft, change.table_id)
        stats = replace(stats, file_size_bytes=stats.file_size_bytes + byte_count, origin=None)
        draft.write_latest(TABLE_STATS, change.table_id, [stats])
    if change.whole_files:
        end_files(draft, change.table_id, change.whole_files)
    if change.delete_files:
        insert_deletes(draft, change.table_id, change.delete_files, change.base)
    files = sorted({file for file, _ in change.positions})
    held = draft.rows(INLINED_DELETE, {"table_id": change.table_id, "data_file_id": files}) if files else []
    draft.end(*(row for row in held if (row.data_file_id, row.row_id) in change.positions))
    draft.flushed.update((file_id for file_id, _ in change.files), files)
    # DuckLake calls a flush of deletes alone a delete.
    if change.row_ids or not (change.delete_files or change.whole_files):
        draft.log.append(LoggedChange(ChangeKind.INLINE_FLUSH, object_id=change.table_id))


def check_flushable(draft: Draft, table: TableRow) -> None:
    """Refuse to flush in a transaction that has deleted rows of the table.

    Raises:
        InvalidInputError: The transaction has deleted rows of it.
    """
    if any(logged.kind in _DELETES and logged.object_id == table.table_id for logged in draft.log):
        raise InvalidInputError(
            f'Inlined data of table "{table.table_name}" cannot be flushed in a transaction that has deleted or updated'
            " rows of it; nothing was flushed.",
            hint="Commit first.",
        )


def table_shape(content: Content, table_id: TableId) -> TableShape:
    """Return the current shape of a table, as its files show it."""
    partitioning = content.rows(PARTITION_INFO, {"table_id": table_id})
    return TableShape(
        frozenset(
            (row.column_id, row.column_name, row.column_type, row.parent_column)
            for row in lookup.columns(content, table_id)
        ),
        partitioning[0].partition_id if partitioning else None,
    )


def _end_rows(draft: Draft, change: FlushInlined) -> None:
    wanted = {"table_id": change.table_id, "row_id": list(change.row_ids)}
    found = {row.row_id: row for row in draft.rows(INLINED_ROW, wanted) if row.origin is not None}
    for row_id in change.row_ids:
        if row_id not in found:
            raise NotFoundError(f"No inlined row with id {row_id} exists in {table_title(draft, change.table_id)}!")
        draft.end(found[row_id])
