"""Columns of a table, in their display types, from the arrays of a file.

The rules are those of Spark's scans: columns are matched by id at every depth; a column that a file lacks
is NULL, or its initial default; a value that does not fit is an error, never NULL.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.arrow.arrays import numbers_of, value_array
from forklake.files.arrow.decode import decode
from forklake.files.arrow.nesting import assemble, lengths_of, parts_of
from forklake.files.arrow.schema import arrow_type, display_type
from forklake.files.arrow.values import display_array
from forklake.files.arrow.variant_arrays import is_plain, plain_variants
from forklake.files.casting.casts import cast
from forklake.files.casting.intervals import Interval
from forklake.files.casting.texts import to_array
from forklake.model import types
from forklake.model.field import Field
from forklake.model.promotions import is_rounded

_INTERVAL: Final = struct.Struct("<III")
"""How files that are not ours hold intervals: months, days and milliseconds."""


def refuse_variants(fields: Sequence[Field], table: str) -> None:
    """Refuse columns that only Spark can read.

    Raises:
        InvalidInputError: A column is, or holds, a variant.
    """
    for field in fields:
        if field.type == types.VARIANT:
            raise InvalidInputError(
                f'Column "{field.name}" of table "{table}" is a variant, which format forklake does not read.',
                hint="Read it with Table.dataframe, or leave it out with .schema(...).",
            )
        refuse_variants(field.children, table)


def table_column(field: Field, held: Mapping[Field, pa.Array], count: int, table: str) -> pa.Array:
    """Return a column of the table for some rows of a file.

    Args:
        field: The column of the table.
        held: The columns of the file, or the fields of a struct, with their values.
        count: How many rows there are.
        table: The table's name, for messages.

    Raises:
        InvalidInputError: The file holds the column as a type that cannot become the table's, or a value does
            not fit.
    """
    for found, values in held.items():
        if found.column_id is not None and found.column_id == field.column_id:
            return _value(field, found, values, table)
    return older_rows(field, count)


def older_rows(field: Field, count: int) -> pa.Array:
    """Return a column's values for rows that are older than the column."""
    if field.initial_default is None:
        return pa.nulls(count, display_type(field))
    return pa.repeat(to_array(field, [field.initial_default])[0], count)


def _value(field: Field, held: Field, values: pa.Array, table: str) -> pa.Array:
    if field.children and field.type.name == held.type.name:
        return _nested_value(field, held, values, table)
    if field.type == types.VARIANT and is_plain(values.type):
        return plain_variants(values)
    if is_rounded(held.type, field.type):
        return display_array(field, cast(field, values, table))
    if values.type == display_type(field):
        return values
    if values.type == arrow_type(field):
        # Arrow's own cast where there is one; what is left goes value by value.
        return values.cast(display_type(field)) if pa.types.is_integer(values.type) else display_array(field, values)
    if held.type == types.INTERVAL and pa.types.is_fixed_size_binary(values.type):
        return value_array(
            [None if octets is None else _interval(octets) for octets in values.to_pylist()], pa.string()
        )
    return display_array(field, cast(field, values, table))


def _nested_value(field: Field, held: Field, values: pa.Array, table: str) -> pa.Array:
    values = values if pa.types.is_struct(values.type) or pa.types.is_map(values.type) else decode(values)
    is_null = numbers_of(values.is_null())
    parts = parts_of(values)
    if isinstance(field.type, types.Struct):
        named = dict(zip((part.name for part in values.type), parts, strict=True))
        inner = {child: named[child.name] for child in held.children if child.name in named}
        made = [table_column(child, inner, len(values), table) for child in field.children]
        return assemble(display_type(field), made, None, is_null)
    pairs = zip(field.children, held.children, parts, strict=True)
    made = [_value(child, below, part, table) for child, below, part in pairs]
    return assemble(display_type(field), made, lengths_of(values), is_null)


def _interval(octets: bytes) -> str:
    months, days, millis = _INTERVAL.unpack(octets)
    return str(Interval(months, days, millis * 1000))
