"""Arrow types as types of columns, and DuckDB's names of types in messages."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.arrow.decode import decode
from forklake.files.arrow.schema import WIDE_TYPE
from forklake.model import types
from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.types import Type
from forklake.model.types.read import definition_of
from forklake.model.types.shapes import list_of, map_of, struct_of

_PHYSICAL: Final[dict[Type, str]] = {types.BOOLEAN: "BOOL", types.FLOAT32: "FLOAT", types.FLOAT64: "DOUBLE"}
_SCALARS: Final[dict[pa.DataType, Type]] = {
    pa.null(): types.VARCHAR,  # as DuckDB types a NULL that is nothing else
    pa.bool_(): types.BOOLEAN,
    pa.int8(): types.INT8,
    pa.int16(): types.INT16,
    pa.int32(): types.INT32,
    pa.int64(): types.INT64,
    pa.uint8(): types.UINT8,
    pa.uint16(): types.UINT16,
    pa.uint32(): types.UINT32,
    pa.uint64(): types.UINT64,
    pa.float16(): types.FLOAT32,
    pa.float32(): types.FLOAT32,
    pa.float64(): types.FLOAT64,
    pa.string(): types.VARCHAR,
    pa.binary(): types.BLOB,
    pa.date32(): types.DATE,
    pa.date64(): types.DATE,
    pa.uuid(): types.UUID,
    WIDE_TYPE: types.INT128,
    pa.month_day_nano_interval(): types.INTERVAL,
}


def physical_name(kind: Type) -> str:
    """Return the name that messages about values out of range have for a type.

    >>> physical_name(types.INT32), physical_name(types.BOOLEAN)
    ('INT32', 'BOOL')
    """
    return _PHYSICAL.get(kind, kind.name.upper())


def field_of(name: str, data_type: pa.DataType) -> Field:
    """Return the field for the values of an Arrow type.

    Dictionaries and other encodings count as the values that they encode.

    Raises:
        InvalidInputError: Arrow has the type, DuckLake has none for its values.
    """
    return Field(None, name, type_of(name, data_type))


def type_of(name: str, data_type: pa.DataType) -> Type:
    """Return the type of the values of an Arrow type.

    ``name`` is the column, for messages.

    Raises:
        InvalidInputError: As `field_of`.
    """
    if data_type in _SCALARS:
        return _SCALARS[data_type]
    plain = decode(pa.nulls(0, data_type)).type
    if plain != data_type:
        return type_of(name, plain)
    kinds = pa.types
    if kinds.is_list(data_type) or kinds.is_large_list(data_type) or kinds.is_fixed_size_list(data_type):
        return list_of(type_of("element", data_type.value_type))
    if kinds.is_struct(data_type):
        return struct_of((part.name, type_of(part.name, part.type)) for part in data_type.fields)
    if kinds.is_map(data_type):
        return map_of(type_of("key", data_type.key_type), type_of("value", data_type.item_type))
    if kinds.is_decimal(data_type) and data_type.scale >= 0:
        return types.Decimal(data_type.precision, data_type.scale)
    if kinds.is_timestamp(data_type):
        return types.TIMESTAMPTZ if data_type.tz else types.Timestamp(data_type.unit)
    if kinds.is_time(data_type):
        return types.TIME
    if kinds.is_duration(data_type):
        return types.INTERVAL
    if kinds.is_fixed_size_binary(data_type):
        return types.BLOB
    raise _no_type(name, data_type)


def check_levels(schema: pa.Schema) -> None:
    """Refuse columns that are nested more deeply than those of tables.

    Arrow goes down into them by calls within calls.

    Raises:
        InvalidInputError: One is.
    """
    kinds = pa.types
    for field in schema:
        here: list[tuple[int, pa.DataType]] = [(0, field.type)]
        while here:
            level, kind = here.pop()
            if level > types.MAX_LEVELS:
                raise InvalidInputError(
                    f'Column "{field.name}" is nested more than {types.MAX_LEVELS} levels deep, a list or map being'
                    " two; its rows were not read."
                )
            below = level + (1 if kinds.is_struct(kind) else 2)
            here += [(below, kind.field(place).type) for place in range(kind.num_fields)]


def table_columns(schema: pa.Schema) -> tuple[ColumnDefinition, ...]:
    """Return the columns that a table needs to hold what an Arrow table holds.

    Raises:
        InvalidInputError: A column has a type that no column of a table can have.
    """
    check_levels(schema)
    found = [(field, type_of(field.name, field.type)) for field in schema]
    for field, kind in found:
        if _is_long(kind):
            raise _no_type(field.name, field.type)
    return tuple(definition_of(field.name, kind) for field, kind in found)


def _is_long(kind: Type) -> bool:
    """Return whether a type has decimals with more digits than columns have."""
    if isinstance(kind, types.Decimal):
        return kind.precision > types.MAX_PRECISION
    return any(_is_long(part.type) for part in kind.children)


def _no_type(name: str, data_type: pa.DataType) -> InvalidInputError:
    return InvalidInputError(f'Column "{name}" has the Arrow type "{data_type}", which no column type can take.')
