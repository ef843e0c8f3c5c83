"""Types by the names that DuckDB's messages have for them, and Arrow's types by DuckLake's names."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.decode import decode
from forklake.files.schema import precision_and_scale
from forklake.model.field import Field
from forklake.model.type_text import type_text as sql_name

__all__ = ["field_of", "physical_name", "sql_name"]

_PHYSICAL: Final = {"boolean": "BOOL", "float32": "FLOAT", "float64": "DOUBLE"}
_TIMESTAMPS: Final = {"s": "timestamp_s", "ms": "timestamp_ms", "us": "timestamp", "ns": "timestamp_ns"}
_SCALARS: Final[dict[pa.DataType, str]] = {
    pa.null(): "varchar",  # as DuckDB types a NULL that is nothing else
    pa.bool_(): "boolean",
    pa.int8(): "int8",
    pa.int16(): "int16",
    pa.int32(): "int32",
    pa.int64(): "int64",
    pa.uint8(): "uint8",
    pa.uint16(): "uint16",
    pa.uint32(): "uint32",
    pa.uint64(): "uint64",
    pa.float16(): "float32",
    pa.float32(): "float32",
    pa.float64(): "float64",
    pa.string(): "varchar",
    pa.binary(): "blob",
    pa.date32(): "date",
    pa.date64(): "date",
    pa.uuid(): "uuid",
    pa.month_day_nano_interval(): "interval",
}


def physical_name(type_name: str) -> str:
    """Return the name that messages about values out of range have for a type.

    >>> physical_name("int32"), physical_name("boolean")
    ('INT32', 'BOOL')
    """
    return _PHYSICAL.get(type_name, type_name.upper())


def field_of(name: str, data_type: pa.DataType) -> Field:
    """Return the field whose values an Arrow array of that type holds; dictionaries and other encodings are undone.

    Raises:
        InvalidInputError: Arrow has the type, DuckLake has none for its values.
    """
    if data_type in _SCALARS:
        return Field(None, name, _SCALARS[data_type])
    plain = decode(pa.nulls(0, data_type)).type
    if plain != data_type:
        return field_of(name, plain)
    kinds = pa.types
    if kinds.is_list(data_type) or kinds.is_large_list(data_type) or kinds.is_fixed_size_list(data_type):
        return Field(None, name, "list", (field_of("element", data_type.value_type),))
    if kinds.is_struct(data_type):
        return Field(None, name, "struct", tuple(field_of(part.name, part.type) for part in data_type.fields))
    if kinds.is_map(data_type):
        parts = (field_of("key", data_type.key_type), field_of("value", data_type.item_type))
        return Field(None, name, "map", parts)
    if kinds.is_decimal(data_type) and precision_and_scale(f"decimal({data_type.precision},{data_type.scale})"):
        return Field(None, name, f"decimal({data_type.precision},{data_type.scale})")
    if kinds.is_timestamp(data_type):
        return Field(None, name, "timestamptz" if data_type.tz else _TIMESTAMPS[data_type.unit])
    if kinds.is_time(data_type):
        return Field(None, name, "time")
    if kinds.is_duration(data_type):
        return Field(None, name, "interval")
    if kinds.is_fixed_size_binary(data_type):
        return Field(None, name, "blob")
    raise InvalidInputError(f'Column "{name}" has the Arrow type "{data_type}", which no column type can take.')
