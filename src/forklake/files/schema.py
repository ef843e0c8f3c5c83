"""Columns as Arrow types: what our PyArrow writer stores, and what a reader is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.model.field import STORED_AS, Field

_STORED: Final[dict[str, pa.DataType]] = {
    "boolean": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "varchar": pa.string(),
    "blob": pa.binary(),
    "geometry": pa.binary(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamp_s": pa.timestamp("us"),  # Parquet has no seconds; DuckDB stores micros as well
    "timestamp_ms": pa.timestamp("ms"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "uuid": pa.uuid(),
}
_SHOWN: Final[dict[str, pa.DataType]] = _STORED | {
    "uint8": pa.int16(),
    "uint16": pa.int32(),
    "uint32": pa.int64(),
    "uint64": pa.decimal128(20, 0),
    "time": pa.string(),
    "timestamp_ms": pa.timestamp("us"),
    "timestamp_ns": pa.string(),
    "uuid": pa.string(),
}
_DECIMAL: Final = re.compile(r"decimal\((\d+),(\d+)\)")


def precision_and_scale(type_name: str) -> tuple[int, int] | None:
    """Return both numbers of a decimal type; None for any other type.

    >>> precision_and_scale("decimal(10,2)")
    (10, 2)
    """
    match = _DECIMAL.fullmatch(type_name)
    return (int(match[1]), int(match[2])) if match else None


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


def _type(field: Field, scalars: dict[str, pa.DataType], part: Callable[[Field, pa.DataType], pa.Field]) -> pa.DataType:
    def child(position: int) -> pa.Field:
        return part(field.children[position], _type(field.children[position], scalars, part))

    match field.type:
        case "list":
            return pa.list_(child(0).with_name("element"))
        case "map":
            return pa.map_(child(0).with_name("key").with_nullable(False), child(1).with_name("value"))
        case "struct":
            return pa.struct([child(position) for position in range(len(field.children))])
        case "variant":
            raise InvalidInputError(
                f'Column "{field.name}" is a variant; variants are written by Spark only.',
                hint="Write the rows as a Spark DataFrame.",
            )
    name = STORED_AS.get(field.type, field.type)
    if decimal := precision_and_scale(name):
        return pa.decimal128(*decimal)
    if name not in scalars:
        raise InvalidInputError(f'Column "{field.name}" has type "{field.type}", which no file can hold.')
    return scalars[name]


def _numbered(field: Field, data_type: pa.DataType) -> pa.Field:
    number = None if field.column_id is None else {b"PARQUET:field_id": str(int(field.column_id)).encode()}
    return pa.field(field.name, data_type, metadata=number)
