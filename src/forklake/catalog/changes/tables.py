"""Creates, drops and renames tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.changes import columns
from forklake.catalog.changes.alteration import log_altered
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_name, directory
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.metastore.written_tables import (
    COLUMN,
    COLUMN_TAG,
    DATA_FILE,
    DELETE_FILE,
    INLINED_DELETE,
    INLINED_ROW,
    PARTITION_INFO,
    SORT_INFO,
    TABLE_STATS,
    TAG,
    MetadataTable,
)
from forklake.model.change import CreateTable, DropTable, RenameTable
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.rows import TableRow, TableStatsRow

_HELD: Final[tuple[MetadataTable[Any], ...]] = (
    COLUMN,
    COLUMN_TAG,
    PARTITION_INFO,
    SORT_INFO,
    DATA_FILE,
    DELETE_FILE,
    INLINED_ROW,
    INLINED_DELETE,
)


def create(draft: Draft, change: CreateTable) -> None:
    """Create a table with its columns and its first statistics."""
    check_name("table", change.name)
    schema = lookup.schema_by_id(draft, change.schema_id)
    lookup.check_relation_is_free(draft, change.schema_id, change.name)
    if not change.columns:
        raise InvalidInputError(f'Table "{change.name}" must have at least one column; it was not created.')
    draft.insert(
        TableRow(
            table_id=change.table_id,
            table_uuid=change.uuid,
            schema_id=change.schema_id,
            table_name=change.name,
            path=directory(change.name, change.uuid),
            path_is_relative=True,
        )
    )
    numbers, taken = columns.Numbers(count(1), count(1)), set[str]()
    for column in change.columns:
        columns.insert(draft, change.table_id, column, numbers, parent=None, taken=taken)
    stats = TableStatsRow(
        table_id=change.table_id,
        record_count=0,
        next_row_id=draft.first_row_id,
        file_size_bytes=0,
        next_column_id=next(numbers.ids),
    )
    draft.write_latest(TABLE_STATS, change.table_id, [stats])
    made = LoggedChange(
        ChangeKind.CREATED_TABLE,
        object_id=change.table_id,
        schema_name=schema.schema_name,
        name=change.name,
        schema_id=schema.schema_id,
    )
    draft.record(made, reshapes=change.table_id)


def drop(draft: Draft, change: DropTable) -> None:
    """Drop a table with everything that belongs to it."""
    row = lookup.table_by_id(draft, change.table_id)
    draft.end(row, *draft.rows(TAG, {"object_id": change.table_id}))
    for held in _HELD:
        draft.end(*draft.rows(held, {"table_id": change.table_id}))
    draft.forget_table(change.table_id)
    if change.table_id >= 0:
        draft.record(LoggedChange(ChangeKind.DROPPED_TABLE, object_id=change.table_id))
        if change.rows_are_used:
            draft.log.append(LoggedChange(ChangeKind.DELETED_FROM_TABLE, object_id=change.table_id))


def rename(draft: Draft, change: RenameTable) -> None:
    """Rename a table; its directory and its files stay where they are."""
    check_name("table", change.name)
    row = lookup.table_by_id(draft, change.table_id)
    if lookup.is_taken_by_another(draft, row.schema_id, change.name, row.table_id):
        raise AlreadyExistsError(
            f"Cannot rename table {row.table_name} to {change.name}, since {change.name} already exists."
        )
    draft.end(row)
    draft.insert(replace(row, table_name=change.name, origin=None))
    draft.rename_created(change.table_id, change.name)
    log_altered(draft, row)
