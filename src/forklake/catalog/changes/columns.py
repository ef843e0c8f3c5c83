"""Adding, dropping and renaming columns and nested fields."""

from __future__ import annotations

from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.names import check_name
from forklake.catalog.view import Draft
from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from forklake.metastore.tables import COLUMN, TABLE_STATS
from forklake.model.change import AddColumn, DropColumn, RenameColumn
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.definitions import ColumnDefinition
from forklake.model.ids import ColumnId, TableId
from forklake.model.names import fold
from forklake.model.rows import ColumnRow, TableStatsRow
from forklake.model.types import NESTED, canonical

_CHILDREN = {"list": ("element",), "map": ("key", "value")}


def add(draft: Draft, change: AddColumn) -> None:
    """Add a column at the end; ids are never reused, not even those of dropped columns."""
    lookup.table_by_id(draft, change.table_id)
    if change.parent is not None and _column(draft, change.table_id, change.parent).column_type != "struct":
        raise InvalidInputError(f'Cannot add field "{change.column.name}": only a struct has fields that can be added.')
    stats = own_stats(draft, change.table_id)
    next_id = insert(draft, change.table_id, change.column, ColumnId(stats.next_column_id), parent=change.parent)
    draft.write_latest(TABLE_STATS, change.table_id, [replace(stats, next_column_id=next_id, origin=None)])
    _reshape(draft, change.table_id)


def drop(draft: Draft, change: DropColumn) -> None:
    """Drop a column with everything in it."""
    lookup.table_by_id(draft, change.table_id)
    row = _column(draft, change.table_id, change.column_id)
    rows = lookup.columns(draft, change.table_id)
    if sum(other.parent_column == row.parent_column for other in rows) == 1:
        what = "table only has one column remaining" if row.parent_column is None else "struct only has one field left"
        raise InvalidInputError(f"Cannot drop column: {what}!")
    dropped = {change.column_id}
    draft.end(row)
    for other in rows:  # in order of their ids, so parents come before their fields
        if other.parent_column in dropped:
            dropped.add(other.column_id)
            draft.end(other)
    _reshape(draft, change.table_id)


def rename(draft: Draft, change: RenameColumn) -> None:
    """Rename a column or field."""
    table = lookup.table_by_id(draft, change.table_id)
    row = _column(draft, change.table_id, change.column_id)
    check_name("column", change.name)
    _check_free(draft, change.table_id, row.parent_column, change.name, besides=row.column_id)
    parent = next((c for c in lookup.columns(draft, table.table_id) if c.column_id == row.parent_column), None)
    if parent is not None and parent.column_type in _CHILDREN:
        raise InvalidInputError(
            f'Cannot rename "{row.column_name}": the parts of a {parent.column_type} have fixed names.'
        )
    draft.end(row)
    draft.insert(replace(row, column_name=change.name, origin=None))
    _reshape(draft, change.table_id)


def insert(
    draft: Draft, table_id: TableId, column: ColumnDefinition, column_id: ColumnId, *, parent: ColumnId | None
) -> ColumnId:
    """Add the rows of a column and of what is nested in it; return the next free id."""
    check_name("column", column.name)
    _check_free(draft, table_id, parent, column.name)
    try:
        column_type = canonical(column.type)
    except (ValueError, AttributeError) as error:
        raise InvalidInputError(f'Column "{column.name}" cannot be made: {error}') from error
    _check_children(column, column_type)
    draft.insert(
        ColumnRow(
            column_id=column_id,
            table_id=table_id,
            column_order=column_id,
            column_name=column.name,
            column_type=column_type,
            initial_default=column.default,
            default_value="NULL" if column.default is None else column.default,
            nulls_allowed=column.nulls_allowed,
            parent_column=parent,
            default_value_type="literal",
            default_value_dialect="duckdb",
        )
    )
    next_id = ColumnId(column_id + 1)
    for child in column.children:
        next_id = insert(draft, table_id, child, next_id, parent=column_id)
    return next_id


def own_stats(draft: Draft, table_id: TableId) -> TableStatsRow:
    """Return the totals of a table for changing them: an inherited table counts its rows from our own range."""
    stats = lookup.table_stats(draft, table_id)
    if stats.origin is not None and stats.origin.owner != draft.version.catalog_id:
        return replace(stats, next_row_id=draft.first_row_id)
    return stats


def _check_children(column: ColumnDefinition, column_type: str) -> None:
    names = tuple(child.name for child in column.children)
    if (column_type in NESTED) != bool(column.children):
        wanted = "needs" if column_type in NESTED else "cannot have"
        raise InvalidInputError(f'Column "{column.name}" of type {column_type} {wanted} nested fields.')
    if column_type in _CHILDREN and names != _CHILDREN[column_type]:
        raise InvalidInputError(
            f'Column "{column.name}" of type {column_type} must have the fields {", ".join(_CHILDREN[column_type])}.'
        )


def _check_free(
    draft: Draft, table_id: TableId, parent: ColumnId | None, name: str, besides: ColumnId | None = None
) -> None:
    for other in draft.rows(COLUMN, {"table_id": table_id}):
        taken = other.parent_column == parent and fold(other.column_name) == fold(name)
        if taken and other.column_id != besides:
            raise AlreadyExistsError(f'Column with name "{name}" already exists!')


def _column(draft: Draft, table_id: TableId, column_id: ColumnId) -> ColumnRow:
    found = next((row for row in lookup.columns(draft, table_id) if row.column_id == column_id), None)
    if found is None:
        raise NotFoundError(f'Column with index "{column_id}" does not exist in table with index "{table_id}"')
    return found


def _reshape(draft: Draft, table_id: TableId) -> None:
    draft.reshaped.add(table_id)
    if table_id >= 0:
        draft.log.append(LoggedChange(ChangeKind.ALTERED_TABLE, object_id=table_id))
