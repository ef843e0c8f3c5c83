"""Columns as Arrow types: what our PyArrow writer stores, and what a reader is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.types import Type

_STORED: Final[dict[Type, pa.DataType]] = {
    types.BOOLEAN: pa.bool_(),
    types.INT8: pa.int8(),
    types.INT16: pa.int16(),
    types.INT32: pa.int32(),
    types.INT64: pa.int64(),
    types.UINT8: pa.uint8(),
    types.UINT16: pa.uint16(),
    types.UINT32: pa.uint32(),
    types.UINT64: pa.uint64(),
    types.FLOAT32: pa.float32(),
    types.FLOAT64: pa.float64(),
    types.VARCHAR: pa.string(),
    types.BLOB: pa.binary(),
    types.DATE: pa.date32(),
    types.TIME: pa.time64("us"),
    types.TIMESTAMP: pa.timestamp("us"),
    types.TIMESTAMP_S: pa.timestamp("us"),  # Parquet has no seconds; DuckDB stores micros as well
    types.TIMESTAMP_MS: pa.timestamp("ms"),
    types.TIMESTAMP_NS: pa.timestamp("ns"),
    types.TIMESTAMPTZ: pa.timestamp("us", "UTC"),
    types.UUID: pa.uuid(),
}
_SHOWN: Final[dict[Type, pa.DataType]] = _STORED | {
    types.UINT8: pa.int16(),
    types.UINT16: pa.int32(),
    types.UINT32: pa.int64(),
    types.UINT64: pa.decimal128(20, 0),
    types.TIME: pa.string(),
    types.TIMESTAMP_MS: pa.timestamp("us"),
    types.TIMESTAMP_NS: pa.string(),
    types.UUID: pa.string(),
}


def arrow_type(field: Field) -> pa.DataType:
    """Return the Arrow type that a column is written with; Parquet has the same logical type as in DuckDB's files.

    The field ids of what is nested in it are part of the type, at every depth, list elements and map entries included.

    Raises:
        InvalidInputError: The column is, or holds, a variant.
    """
    return _type(field, _STORED, _numbered)


def arrow_schema(fields: Iterable[Field]) -> pa.Schema:
    """Return the schema that a table's files are written with, field ids included.

    All columns are optional, as DuckDB writes them: whether NULL is allowed can change, files cannot.

    Raises:
        InvalidInputError: A column is, or holds, a variant.
    """
    return pa.schema([_numbered(field, arrow_type(field)) for field in fields])


def display_type(field: Field) -> pa.DataType:
    """Return the Arrow type that a reader is shown a column with: the equal of its type in Spark.

    Raises:
        InvalidInputError: The column is, or holds, a variant.
    """
    return _type(field, _SHOWN, lambda child, data_type: pa.field(child.name, data_type))


def _type(
    field: Field, scalars: dict[Type, pa.DataType], part: Callable[[Field, pa.DataType], pa.Field]
) -> pa.DataType:
    def child(position: int) -> pa.Field:
        return part(field.children[position], _type(field.children[position], scalars, part))

    match field.type:
        case types.List():
            return pa.list_(child(0).with_name("element"))
        case types.Map():
            return pa.map_(child(0).with_name("key").with_nullable(False), child(1).with_name("value"))
        case types.Struct():
            return pa.struct([child(position) for position in range(len(field.children))])
        case types.Variant():
            raise InvalidInputError(
                f'Column "{field.name}" is a variant; variants are written by Spark only.',
                hint="Write the rows as a Spark DataFrame.",
            )
        case types.Geometry():
            return pa.binary()
    stored = field.type.stored_as
    if isinstance(stored, types.Decimal):
        return pa.decimal128(stored.precision, stored.scale)
    if stored not in scalars:
        raise InvalidInputError(f'Column "{field.name}" has type "{field.type}", which no file can hold.')
    return scalars[stored]


def _numbered(field: Field, data_type: pa.DataType) -> pa.Field:
    number = None if field.column_id is None else {b"PARQUET:field_id": str(int(field.column_id)).encode()}
    return pa.field(field.name, data_type, metadata=number)
