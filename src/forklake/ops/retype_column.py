"""Giving a column another type, with all that is nested in it."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model import change
from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.ids import ColumnId, TableId
from forklake.model.names import fold
from forklake.model.types.read import field_of


def retype_column(staging: Staging, table_id: TableId, column_id: ColumnId, wanted: ColumnDefinition) -> None:
    """Give a column or field the type of a definition, whatever its name.

    Of structs, fields that are new are added, fields that are not wanted are dropped, and the others get the types
    that they have there; elements, keys and values likewise.

    Raises:
        InvalidInputError: Not every value of the old type is one of the new.
    """
    rows = {row.column_id: row for row in lookup.columns(staging.draft, table_id)}
    row = rows[column_id]
    if (wanted.children or row.is_nested) and row.column_type != fold(wanted.type):
        old = _field(table_fields(staging.draft, table_id), column_id)
        raise InvalidInputError(
            f"Not implemented Error: Type evolution is not supported from type {old.type.sql_name}"
            f" to type {field_of(wanted).type.sql_name}"
        )
    if not wanted.children:
        staging.stage(change.ChangeColumnType(table_id, column_id, wanted.type))
        return
    inside = [one for one in rows.values() if one.parent_column == column_id]
    if row.column_type != "struct":
        for child, definition in zip(inside, wanted.children, strict=True):
            retype_column(staging, table_id, child.column_id, definition)
        return
    there = {fold(child.column_name): child for child in inside}
    # New fields come first: a struct is never without any.
    for definition in wanted.children:
        found = there.pop(fold(definition.name), None)
        if found is None:
            staging.stage(change.AddColumn(table_id, definition, column_id))
        else:
            retype_column(staging, table_id, found.column_id, definition)
    for child in there.values():
        staging.stage(change.DropColumn(table_id, child.column_id))


def _field(fields: Sequence[Field], column_id: ColumnId) -> Field:
    """Return a column or field of a table by its id; it is there."""
    waiting = list(fields)
    while waiting:
        field = waiting.pop()
        if field.column_id == column_id:
            return field
        waiting += field.children
    raise AssertionError(column_id)
