"""Changes the type of a column, with everything nested in it."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model import change, types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.model.types import Type
from forklake.model.types.read import definition_of
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.sort_keys import check_not_sorted_by


def retype_column(staging: Staging, runtime: Runtime, table: TableRow, column_id: ColumnId, wanted: Type) -> None:
    """Change the type of a column or field.

    In structs, new fields are added, fields that the new type lacks are dropped, and the others get their new
    types; elements, keys and values likewise.

    Raises:
        InvalidInputError: Not every value of the old type is one of the new, or the table is sorted by a field that
            is dropped.
    """
    _retype(staging, runtime, table, _field(table_fields(staging.draft, table.table_id), column_id), wanted)


def _retype(staging: Staging, runtime: Runtime, table: TableRow, field: Field, wanted: Type) -> None:
    assert field.column_id is not None
    match field.type, wanted:
        case types.Struct(fields), types.Struct(wanted_fields):
            _retype_fields(staging, runtime, table, field.column_id, fields, wanted_fields)
        case (types.List(), types.List()) | (types.Map(), types.Map()):
            for child, new in zip(field.children, wanted.children, strict=True):
                _retype(staging, runtime, table, child, new.type)
        case (types.Nested(), _) | (_, types.Nested()):
            raise InvalidInputError(
                f"Not implemented Error: Type evolution is not supported from type {field.type.sql_name}"
                f" to type {wanted.sql_name}"
            )
        case _:
            staging.stage(change.ChangeColumnType(table.table_id, field.column_id, wanted.name))


def _retype_fields(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    parent: ColumnId,
    fields: Sequence[Field],
    wanted: Sequence[Field],
) -> None:
    there = {fold(field.name): field for field in fields}
    # New fields come first: a struct is never without any.
    for new in wanted:
        found = there.pop(fold(new.name), None)
        if found is None:
            column = definition_of(new.name, new.type)
            staging.stage(change.AddColumn(table.table_id, column, parent, staging.new_columns(column)))
        else:
            _retype(staging, runtime, table, found, new.type)
    for field in there.values():
        assert field.column_id is not None
        check_not_sorted_by(staging.draft, runtime, table, field.column_id, field.name)
        staging.stage(change.DropColumn(table.table_id, field.column_id))


def _field(fields: Sequence[Field], column_id: ColumnId) -> Field:
    """Return a column or field of a table by its id, which must exist."""
    waiting = list(fields)
    while waiting:
        field = waiting.pop()
        if field.column_id == column_id:
            return field
        waiting += field.children
    raise AssertionError(column_id)
