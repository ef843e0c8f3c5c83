"""Arrow types of columns: what our PyArrow writer stores, and what readers see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.types import Type

_ARROW: Final[dict[Type, pa.DataType]] = {
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
"""The types that values are held as; those that are held as another type are left out."""
_WIDE: Final[frozenset[Type]] = frozenset({types.INT128, types.UINT128})

WIDE_TYPE: Final = pa.decimal256(39, 0)
"""What integers of 128 bits are in Arrow: no type of 128 bits has all of their values."""
VARIANT_TYPE: Final = pa.struct([("value", pa.binary()), ("metadata", pa.binary())])
"""What a variant column is in Arrow: Parquet's encoding of variants, not shredded."""


def arrow_type(field: Field) -> pa.DataType:
    """Return the Arrow type of a column's values before they are written.

    In Parquet it has the same logical type as in DuckDB's files, but integers of 128 bits
    (`forklake.files.arrow.wide_integers`). The field ids of nested fields are part of the
    type, at every depth, list elements and map entries included.

    Raises:
        InvalidInputError: The column holds a variant within another type.
    """
    if field.type == types.VARIANT:
        return VARIANT_TYPE
    return _type(field, lambda kind: kind.stored_as, _numbered_field)


def arrow_schema(fields: Iterable[Field]) -> pa.Schema:
    """Return the schema that a table's files are written with, field ids included.

    All columns are optional, as DuckDB writes them: whether NULL is allowed can change, files cannot.

    Raises:
        InvalidInputError: A column holds a variant within another type.
    """
    return pa.schema([_numbered_field(field, arrow_type(field)) for field in fields])


def display_type(field: Field) -> pa.DataType:
    """Return the Arrow type that readers see: the counterpart of the Spark type.

    Only integers of 128 bits have more digits than in Spark.

    Raises:
        InvalidInputError: The column holds a variant within another type.
    """
    if field.type == types.VARIANT:
        return VARIANT_TYPE
    return _type(field, lambda kind: kind.shown_as, lambda child, data_type: pa.field(child.name, data_type))


def _type(field: Field, seen_as: Callable[[Type], Type], part: Callable[[Field, pa.DataType], pa.Field]) -> pa.DataType:
    def child(inner: Field) -> pa.Field:
        return part(inner, _type(inner, seen_as, part))

    if field.type in _WIDE:
        return WIDE_TYPE
    match seen_as(field.type):
        case types.List(element):
            return pa.list_(child(element).with_name("element"))
        case types.Map(key, value):
            return pa.map_(child(key).with_name("key").with_nullable(False), child(value).with_name("value"))
        case types.Struct(fields):
            return pa.struct([child(inner) for inner in fields])
        case types.Variant():
            raise InvalidInputError(
                f'Field "{field.name}" is a variant within another type; these are written by Spark only.',
                hint="Write the rows as a Spark DataFrame.",
            )
        case types.Geometry():
            return pa.binary()
        case types.Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case kind if kind in _ARROW:
            return _ARROW[kind]
    raise InvalidInputError(f'Column "{field.name}" has type "{field.type}", which no file can hold.')


def _numbered_field(field: Field, data_type: pa.DataType) -> pa.Field:
    number = None if field.column_id is None else {b"PARQUET:field_id": str(int(field.column_id)).encode()}
    return pa.field(field.name, data_type, metadata=number)
