"""Types of columns in DuckLake and in Spark.

They are asked for what a user sees, for what files are read as, and for the columns of a new table.
"""

from __future__ import annotations

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
from forklake.model import types
from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.scan import LINEAGE_COLUMNS
from forklake.model.types import Type
from forklake.model.types.read import definition_of
from forklake.model.types.shapes import list_of, map_of, struct_of

_SPARK: Final[dict[Type, DataType]] = {
    types.BOOLEAN: BooleanType(),
    types.INT8: ByteType(),
    types.INT16: ShortType(),
    types.INT32: IntegerType(),
    types.INT64: LongType(),
    types.FLOAT32: FloatType(),
    types.FLOAT64: DoubleType(),
    types.VARCHAR: StringType(),
    types.BLOB: BinaryType(),
    types.DATE: DateType(),
    types.TIMESTAMP: TimestampNTZType(),
    types.TIMESTAMPTZ: TimestampType(),
    types.VARIANT: VariantType(),
}
"""The types that Spark has; all others are shown as one of these, or as a decimal."""
_HELD: Final[dict[Type, DataType]] = {
    types.UUID: BinaryType(),
    types.TIME: LongType(),
    types.TIMETZ: LongType(),
    types.TIMESTAMP_NS: LongType(),
    types.INTERVAL: BinaryType(),
}
"""What the Parquet reader gives for types that Spark shows as text."""
_NEW: Final[dict[type[DataType], Type]] = {
    BooleanType: types.BOOLEAN,
    ByteType: types.INT8,
    ShortType: types.INT16,
    IntegerType: types.INT32,
    LongType: types.INT64,
    FloatType: types.FLOAT32,
    DoubleType: types.FLOAT64,
    StringType: types.VARCHAR,
    CharType: types.VARCHAR,
    VarcharType: types.VARCHAR,
    BinaryType: types.BLOB,
    DateType: types.DATE,
    TimestampType: types.TIMESTAMPTZ,
    TimestampNTZType: types.TIMESTAMP,
    VariantType: types.VARIANT,
    NullType: types.INT32,  # as DuckDB makes of a NULL without a type
}


def _scalar_type(kind: Type) -> DataType | None:
    """Return the Spark type that shows values of a scalar type; None if none does."""
    match kind.shown_as:
        case types.Decimal(precision, scale):
            return DecimalType(precision, scale)
        case shown:
            return _SPARK.get(shown)


LINEAGE_TYPES: Final[dict[str, DataType]] = {
    **{name: shown for name, kind in LINEAGE_COLUMNS.items() if (shown := _scalar_type(kind)) is not None},
    "own_rowid": LongType(),
    "data_file": LongType(),
    "data_file_row": LongType(),
    "place": LongType(),
}
"""The types of what can be asked for beside the columns of a table.

``data_file`` and ``data_file_row`` say where a row is, by the id of its data file and the position there; rows that are
kept in the metadata have neither. ``place`` is the number that ``file_index`` is, as Spark compares numbers best.
"""


def spark_type(field: Field) -> DataType:
    """Return the type that a column of a table has in Spark."""
    return _type(field, _scalar_type)


def read_type(field: Field) -> DataType:
    """Return the Spark type that a column of a file is read as.

    ``field`` is the column as the file holds it.

    It differs from what a user sees where Spark has no such type: UUIDs and intervals are bytes, times and
    nanoseconds are numbers.
    """
    return _type(field, lambda kind: _HELD.get(kind) or _scalar_type(kind))


def spark_schema(fields: tuple[Field, ...], of: Callable[[Field], DataType] = spark_type) -> StructType:
    """Return the schema of some columns, all of them nullable."""
    return StructType([StructField(field.name, of(field)) for field in fields])


def ducklake_columns(schema: StructType) -> tuple[ColumnDefinition, ...]:
    """Return the columns of a new table for rows of a Spark schema.

    All of them may be NULL.

    Raises:
        InvalidInputError: DuckLake has no type for one of the columns.
    """
    return tuple(definition_of(field.name, ducklake_type(field.name, field.dataType)) for field in schema.fields)


def ducklake_type(name: str, kind: DataType) -> Type:
    """Return the type of a column that holds values of a type of Spark.

    Raises:
        InvalidInputError: DuckLake has no type for it; ``name`` is part of the message.
    """
    if isinstance(kind, DecimalType):
        return types.Decimal(kind.precision, kind.scale)
    if isinstance(kind, ArrayType):
        return list_of(ducklake_type(f"{name}.element", kind.elementType))
    if isinstance(kind, MapType):
        return map_of(ducklake_type(f"{name}.key", kind.keyType), ducklake_type(f"{name}.value", kind.valueType))
    if isinstance(kind, StructType):
        if not kind.fields:
            raise InvalidInputError(f'Column "{name}" is a struct without fields, which a table cannot have.')
        return struct_of((part.name, ducklake_type(f"{name}.{part.name}", part.dataType)) for part in kind.fields)
    found = _NEW.get(type(kind))
    if found is None:
        raise InvalidInputError(
            f'Column "{name}" has the type {kind.simpleString()}, which DuckLake does not have.',
            hint="Cast it, for instance to a string.",
        )
    return found


def _type(field: Field, scalar: Callable[[Type], DataType | None]) -> DataType:
    match field.type:
        case types.Struct(fields):
            return StructType([StructField(child.name, _type(child, scalar)) for child in fields])
        case types.List(element):
            return ArrayType(_type(element, scalar))
        case types.Map(key, value):
            return MapType(_type(key, scalar), _type(value, scalar))
    found = scalar(field.type)
    if found is None:
        raise InvalidInputError(f'Column "{field.name}" has the type "{field.type}", which cannot be read.')
    return found
