"""Integers of 128 bits in Arrow: in files, for users, to and from DuckDB.

Their type there is `WIDE_TYPE`, which holds all of their values. DuckDB takes and gives their 16 octets. Users and
files have decimals of 38 digits, where these are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.errors import InvalidInputError
from forklake.files.arrow.arrays import number_array, numbers_of
from forklake.files.arrow.nesting import assemble, lengths_of, parts_of, type_of_parts, types_of_parts
from forklake.files.arrow.schema import WIDE_TYPE
from forklake.model import types
from forklake.model.field import Field

NARROW_TYPE: Final = pa.decimal128(types.MAX_PRECISION, 0)
"""What users and files have where all values have 38 digits."""
_WORDS: Final = 4
_Name = TypeVar("_Name")
_OF_DUCKDB: Final[Mapping[types.Type, pa.DataType]] = {
    types.INT128: pa.opaque(pa.binary(16), "hugeint", "DuckDB"),
    types.UINT128: pa.opaque(pa.binary(16), "uhugeint", "DuckDB"),
}


def is_wide(field: Field) -> bool:
    """Return whether a column is, or holds, an integer of 128 bits."""
    return field.type in _OF_DUCKDB or any(map(is_wide, field.children))


def has_wide(data_type: pa.DataType) -> bool:
    """Return whether an Arrow type is `WIDE_TYPE`, or has it as a part."""
    if data_type == WIDE_TYPE:
        return True
    return any(has_wide(data_type.field(place).type) for place in range(data_type.num_fields))


# ---- for users and files ---------------------------------------------------------------------------------------------


def narrow_table(rows: pa.Table) -> pa.Table:
    """Return rows with decimals of 38 digits for integers of 128 bits.

    Columns with a longer one stay as they are.
    """
    for place, field in enumerate(rows.schema):
        if has_wide(field.type):
            found = narrow_column(rows.column(place))
            rows = rows.set_column(place, field.with_type(found.type), found)
    return rows


def narrow_column(column: Any) -> Any:
    """Return an array with decimals of 38 digits, if they hold all values."""
    try:
        return column.cast(type_with(column.type, NARROW_TYPE))
    except pa.ArrowInvalid:
        return column


def short_column(column: Any, name: str) -> Any:
    """Return an array with decimals of 38 digits, as Spark has them.

    Raises:
        InvalidInputError: An integer has more digits.
    """
    found = narrow_column(column) if has_wide(column.type) else column
    if has_wide(found.type):
        raise InvalidInputError(
            f'Out of Range Error: Column "{name}" has an integer of more than the 38 digits that Spark holds; nothing'
            " was done."
        )
    return found


def narrow_schema(schema: pa.Schema, as_text: Iterable[str]) -> pa.Schema:
    """Return the schema of a file.

    It has text in some columns, and decimals of 38 digits in the others.
    """
    texts = frozenset(as_text)
    return pa.schema(
        [
            field.with_type(type_with(field.type, pa.string() if field.name in texts else NARROW_TYPE))
            for field in schema
        ]
    )


def long_columns(columns: Mapping[_Name, pa.Array]) -> frozenset[_Name]:
    """Return the columns with integers that have more than 38 digits."""
    return frozenset(
        name for name, column in columns.items() if has_wide(column.type) and has_wide(narrow_column(column).type)
    )


def as_text(field: Field) -> Field:
    """Return a column with text in place of integers of 128 bits."""
    if field.type in _OF_DUCKDB:
        return replace(field, type=types.VARCHAR)
    return field.with_children(tuple(map(as_text, field.children)))


def text_columns(fields: Sequence[Field], held: Sequence[Field]) -> frozenset[str]:
    """Return the columns whose integers of 128 bits a file holds as text."""
    known = {one.column_id: one for one in held if one.column_id is not None}
    return frozenset(
        field.name for field in fields if field.column_id in known and _is_text(field, known[field.column_id])
    )


def _is_text(field: Field, held: Field) -> bool:
    if field.type in _OF_DUCKDB:
        return held.type == types.VARCHAR
    if isinstance(field.type, types.Struct):
        return bool(text_columns(field.children, held.children))
    return any(_is_text(*pair) for pair in zip(field.children, held.children, strict=False))


def type_with(data_type: pa.DataType, inner: pa.DataType) -> pa.DataType:
    """Return an Arrow type with another in place of `WIDE_TYPE`."""
    if data_type == WIDE_TYPE:
        return inner
    if not has_wide(data_type):
        return data_type
    return type_of_parts(data_type, [part.with_type(type_with(part.type, inner)) for part in types_of_parts(data_type)])


# ---- for DuckDB ------------------------------------------------------------------------------------------------------


def duckdb_array(field: Field, values: pa.Array) -> pa.Array:
    """Return a column as DuckDB takes it.

    Raises:
        InvalidInputError: A value is none of the column's type.
    """
    return _convert(field, values, lambda kind, part: _octets(kind, part, field.name))


def duckdb_table(rows: pa.Table, fields: Sequence[Field]) -> pa.Table:
    """Return rows in which DuckDB takes all integers of 128 bits."""
    return _change_columns(rows, fields, duckdb_array)


def table_of_duckdb(rows: pa.Table, fields: Sequence[Field]) -> pa.Table:
    """Return rows that DuckDB gave with all values of `WIDE_TYPE`."""
    return _change_columns(rows, fields, wide_array)


def _change_columns(rows: pa.Table, fields: Sequence[Field], change: Callable[[Field, pa.Array], pa.Array]) -> pa.Table:
    for place, field in enumerate(fields):
        if is_wide(field):
            found = change(field, rows.column(place).combine_chunks())
            rows = rows.set_column(place, rows.field(place).with_type(found.type), found)
    return rows


def wide_array(field: Field, values: pa.Array) -> pa.Array:
    """Return a column that DuckDB gave with all values of `WIDE_TYPE`.

    It gives decimals of 38 digits, in whose 128 bits are those of the integers.
    """
    return _convert(field, values, lambda kind, part: _widen(part, is_signed=kind == types.INT128))


def _convert(field: Field, values: pa.Array, change: Callable[[types.Type, pa.Array], pa.Array]) -> pa.Array:
    if field.type in _OF_DUCKDB:
        return change(field.type, values)
    if not is_wide(field):
        return values
    parts = [_convert(child, part, change) for child, part in zip(field.children, parts_of(values), strict=True)]
    made = [name.with_type(part.type) for name, part in zip(types_of_parts(values.type), parts, strict=True)]
    lengths = None if pa.types.is_struct(values.type) else lengths_of(values)
    return assemble(type_of_parts(values.type, made), parts, lengths, numbers_of(values.is_null()))


def _octets(kind: types.Type, values: pa.Array, name: str) -> pa.Array:
    words = _words(values.cast(WIDE_TYPE), _WORDS)
    above = words[:, 1] >> 63 if kind == types.INT128 else np.zeros(len(words), np.int64)
    is_valid = numbers_of(values.is_valid())
    if ((words[:, 2:] != above[:, None]).any(axis=1) & is_valid).any():
        raise InvalidInputError(f'Column "{name}" has a value that is none of type {kind.sql_name}.')
    octets = pa.py_buffer(np.ascontiguousarray(words[:, :2]))
    stored = pa.Array.from_buffers(pa.binary(16), len(values), [_validity(values), octets])
    return pa.ExtensionArray.from_storage(_OF_DUCKDB[kind], stored)


def _widen(values: pa.Array, *, is_signed: bool) -> pa.Array:
    words = np.zeros((len(values), _WORDS), np.int64)
    words[:, :2] = _words(values, 2)
    if is_signed:
        words[:, 2:] = (words[:, 1] >> 63)[:, None]
    return pa.Array.from_buffers(WIDE_TYPE, len(values), [_validity(values), pa.py_buffer(words)])


def _words(values: pa.Array, count: int) -> NDArray[np.int64]:
    """Return the words of decimals, the lowest first; those of NULL may be any."""
    buffer, end = values.buffers()[1], (values.offset + len(values)) * count
    numbers = np.frombuffer(buffer or b"", np.int64, end)[values.offset * count :]
    return numbers.reshape(-1, count)


def _validity(values: pa.Array) -> pa.Buffer | None:
    return None if not values.null_count else number_array(numbers_of(values.is_valid())).buffers()[1]
