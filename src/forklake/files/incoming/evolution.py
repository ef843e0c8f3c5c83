"""Columns of old rows, in the types that files of their table hold now.

The rows are older than a change of the table.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from forklake.files.arrow.arrays import numbers_of
from forklake.files.arrow.nesting import assemble, lengths_of, parts_of
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.values import stored_array
from forklake.files.casting.casts import cast
from forklake.files.casting.texts import parse_values
from forklake.model import types
from forklake.model.field import Field


def evolved_column(field: Field, held: Mapping[Field, pa.Array], count: int, table: str) -> pa.Array:
    """Return a column of some rows as the table has it now.

    Columns are matched by id at every depth. Rows that are older than a column have its initial default. What
    was allowed when the rows were written is not checked again.

    Args:
        field: The column as the table has it.
        held: The columns that the rows have, with their values.
        count: How many rows there are.
        table: The table's name, for messages.

    Raises:
        InvalidInputError: A value does not fit the column.
    """
    for found, values in held.items():
        if found.column_id is not None and found.column_id == field.column_id:
            return _value(field, found, values, table)
    older = None if field.initial_default is None else parse_values(field, [field.initial_default])[0]
    return stored_array(field, [older] * count)


def _value(field: Field, held: Field, values: pa.Array, table: str) -> pa.Array:
    if not field.children or field.type.name != held.type.name:
        # What a file holds as the type that files hold the column as was checked when it was written.
        is_stored = held.type == field.type.stored_as != field.type and values.type == arrow_type(field)
        return values if is_stored else cast(field, values, table)
    is_null = numbers_of(values.is_null())
    parts = parts_of(values)
    if isinstance(field.type, types.Struct):
        # A file may hold fields that were dropped since.
        named = dict(zip((part.name for part in values.type), parts, strict=True))
        inner = {child: named[child.name] for child in held.children if child.name in named}
        made = [evolved_column(child, inner, len(values), table) for child in field.children]
        return assemble(arrow_type(field), made, None, is_null)
    pairs = zip(field.children, held.children, parts, strict=True)
    made = [_value(child, below, part, table) for child, below, part in pairs]
    return assemble(arrow_type(field), made, lengths_of(values), is_null)
