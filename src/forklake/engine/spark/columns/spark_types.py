"""Types of columns in DuckLake and in Spark: what a user sees, what files are read as, what a new table gets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
    VariantType,
)

from forklake.errors import InvalidInputError
from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.scan import LINEAGE_COLUMNS

_SHOWN: Final[dict[str, DataType]] = {
    "boolean": BooleanType(),
    "int8": ByteType(),
    "int16": ShortType(),
    "int32": IntegerType(),
    "int64": LongType(),
    "int128": DecimalType(38, 0),
    "uint8": ShortType(),
    "uint16": IntegerType(),
    "uint32": LongType(),
    "uint64": DecimalType(20, 0),
    "uint128": DecimalType(38, 0),
    "float32": FloatType(),
    "float64": DoubleType(),
    "varchar": StringType(),
    "json": StringType(),
    "uuid": StringType(),
    "time": StringType(),
    "timetz": StringType(),
    "timestamp_ns": StringType(),
    "interval": StringType(),
    "blob": BinaryType(),
    "geometry": BinaryType(),
    "date": DateType(),
    "timestamp": TimestampNTZType(),
    "timestamp_s": TimestampNTZType(),
    "timestamp_ms": TimestampNTZType(),
    "timestamptz": TimestampType(),
    "variant": VariantType(),
}
_READ: Final[dict[str, DataType]] = {
    "uuid": BinaryType(),
    "time": LongType(),
    "timetz": LongType(),
    "timestamp_ns": LongType(),
    "interval": BinaryType(),
}
_GEOMETRIES: Final = frozenset(
    {
        "point",
        "linestring",
        "polygon",
        "multipoint",
        "multilinestring",
        "multipolygon",
        "linestring_z",
        "geometrycollection",
    }
)
_DECIMAL: Final = re.compile(r"decimal\((\d+),(\d+)\)")
_NEW: Final[dict[type[DataType], str]] = {
    BooleanType: "boolean",
    ByteType: "int8",
    ShortType: "int16",
    IntegerType: "int32",
    LongType: "int64",
    FloatType: "float32",
    DoubleType: "float64",
    StringType: "varchar",
    CharType: "varchar",
    VarcharType: "varchar",
    BinaryType: "blob",
    DateType: "date",
    TimestampType: "timestamptz",
    TimestampNTZType: "timestamp",
    VariantType: "variant",
    NullType: "int32",  # as DuckDB makes of a NULL without a type
}


LINEAGE_TYPES: Final[dict[str, DataType]] = {
    **{name: _SHOWN[kind] for name, kind in LINEAGE_COLUMNS.items()},
    "data_file": StringType(),
    "data_file_row": LongType(),
    "place": LongType(),
}
"""The types of what can be asked for beside the columns of a table.

``data_file`` and ``data_file_row`` say where a row is as ``filename`` and ``file_row_number`` do, but rows that are
kept in the metadata have neither. ``place`` is the number that ``file_index`` is, as Spark compares numbers best.
"""


def spark_type(field: Field) -> DataType:
    """Return the type that a column of a table has in Spark."""
    return _with_children(field, spark_type) or _plain(field, _SHOWN)


def read_type(field: Field) -> DataType:
    """Return the type that the Parquet reader is asked for, given a column as the file holds it.

    It differs from what a user sees where Spark has no such type: UUIDs and intervals are bytes, times and
    nanoseconds are numbers.
    """
    return _with_children(field, read_type) or _plain(field, {**_SHOWN, **_READ})


def spark_schema(fields: tuple[Field, ...], of: Callable[[Field], DataType] = spark_type) -> StructType:
    """Return the schema of some columns, all of them nullable."""
    return StructType([StructField(field.name, of(field)) for field in fields])


def ducklake_type(name: str, kind: DataType, *, nulls_allowed: bool = True) -> ColumnDefinition:
    """Return the column that holds values of a type of Spark.

    Raises:
        InvalidInputError: DuckLake has no type for it; ``name`` is part of the message.
    """
    if isinstance(kind, DecimalType):
        return ColumnDefinition(name, f"decimal({kind.precision},{kind.scale})", nulls_allowed)
    children: tuple[ColumnDefinition, ...]
    if isinstance(kind, ArrayType):
        children = (_part(name, "element", kind.elementType),)
        return ColumnDefinition(name, "list", nulls_allowed, children=children)
    if isinstance(kind, MapType):
        children = (_part(name, "key", kind.keyType), _part(name, "value", kind.valueType))
        return ColumnDefinition(name, "map", nulls_allowed, children=children)
    if isinstance(kind, StructType):
        if not kind.fields:
            raise InvalidInputError(f'Column "{name}" is a struct without fields, which a table cannot have.')
        children = tuple(_part(name, field.name, field.dataType) for field in kind.fields)
        return ColumnDefinition(name, "struct", nulls_allowed, children=children)
    found = next((text for known, text in _NEW.items() if type(kind) is known), None)
    if found is None:
        raise InvalidInputError(
            f'Column "{name}" has the type {kind.simpleString()}, which DuckLake does not have.',
            hint="Cast it, for instance to a string.",
        )
    return ColumnDefinition(name, found, nulls_allowed)


def ducklake_columns(schema: StructType) -> tuple[ColumnDefinition, ...]:
    """Return the columns of a table that is made from rows of this schema; all of them may be NULL.

    Raises:
        InvalidInputError: DuckLake has no type for one of the columns.
    """
    return tuple(ducklake_type(field.name, field.dataType) for field in schema.fields)


def _part(above: str, name: str, kind: DataType) -> ColumnDefinition:
    made = ducklake_type(f"{above}.{name}", kind)
    return ColumnDefinition(name, made.type, children=made.children)


def _with_children(field: Field, of: Callable[[Field], DataType]) -> DataType | None:
    if field.type == "struct":
        return StructType([StructField(child.name, of(child)) for child in field.children])
    if field.type == "list":
        return ArrayType(of(field.children[0]))
    if field.type == "map":
        return MapType(of(field.children[0]), of(field.children[1]))
    return None


def _plain(field: Field, types: dict[str, DataType]) -> DataType:
    if field.type in types:
        return types[field.type]
    if field.type in _GEOMETRIES:
        return BinaryType()
    match = _DECIMAL.fullmatch(field.type)
    if match is None:
        raise InvalidInputError(f'Column "{field.name}" has the type "{field.type}", which cannot be read.')
    return DecimalType(int(match[1]), int(match[2]))
