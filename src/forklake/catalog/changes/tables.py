"""Making, dropping and renaming tables."""

from __future__ import annotations

from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.changes import columns
from forklake.catalog.names import check_name, directory
from forklake.catalog.view import Draft
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.metastore.tables import COLUMN, DATA_FILE, DELETE_FILE, TABLE_STATS
from forklake.model.change import CreateTable, DropTable, RenameTable
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.ids import ColumnId, TableId
from forklake.model.rows import TableRow, TableStatsRow


def create(draft: Draft, change: CreateTable) -> None:
    """Make a table with its columns and its first statistics."""
    check_name("table", change.name)
    schema = lookup.schema_by_id(draft, change.schema_id)
    if lookup.find_table(draft, change.schema_id, change.name) is not None:
        raise AlreadyExistsError(f'Table with name "{change.name}" already exists!')
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
    next_id = ColumnId(1)
    for column in change.columns:
        next_id = columns.insert(draft, change.table_id, column, next_id, parent=None)
    stats = TableStatsRow(
        table_id=change.table_id,
        record_count=0,
        next_row_id=draft.first_row_id,
        file_size_bytes=0,
        next_column_id=next_id,
    )
    draft.write_latest(TABLE_STATS, change.table_id, [stats])
    draft.reshaped.add(change.table_id)
    draft.log.append(
        LoggedChange(
            ChangeKind.CREATED_TABLE,
            object_id=change.table_id,
            schema_name=schema.schema_name,
            name=change.name,
            schema_id=schema.schema_id,
        )
    )


def drop(draft: Draft, change: DropTable) -> None:
    """Drop a table; a data file's delete file ends with it."""
    row = lookup.table_by_id(draft, change.table_id)
    draft.end(row)
    inside = {"table_id": change.table_id}
    draft.end(*draft.rows(COLUMN, inside), *draft.rows(DATA_FILE, inside), *draft.rows(DELETE_FILE, inside))
    draft.forget_table(change.table_id)
    if row.origin is not None or change.table_id >= 0:
        draft.log.append(LoggedChange(ChangeKind.DROPPED_TABLE, object_id=change.table_id))


def rename(draft: Draft, change: RenameTable) -> None:
    """Rename a table; its directory and its files stay."""
    check_name("table", change.name)
    row = lookup.table_by_id(draft, change.table_id)
    other = lookup.find_table(draft, row.schema_id, change.name)
    if other is not None and other.table_id != row.table_id:
        raise AlreadyExistsError(
            f"Cannot rename table {row.table_name} to {change.name}, since {change.name} already exists."
        )
    draft.end(row)
    draft.insert(replace(row, table_name=change.name, origin=None))
    log_altered(draft, change.table_id)
    _rename_in_log(draft, change.table_id, change.name)


def log_altered(draft: Draft, table_id: TableId) -> None:
    """Log that a table was altered, unless this transaction makes it."""
    if table_id >= 0:
        draft.log.append(LoggedChange(ChangeKind.ALTERED_TABLE, object_id=table_id))


def _rename_in_log(draft: Draft, table_id: TableId, name: str) -> None:
    """A table made and renamed in one transaction is logged by the name it ends up with."""
    draft.log = [
        replace(entry, name=name) if entry.kind is ChangeKind.CREATED_TABLE and entry.object_id == table_id else entry
        for entry in draft.log
    ]
