"""A user's frame conformed to the columns of a table (docs/spec/casts.md).

Columns are matched, cast, completed with defaults and checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from forklake.engine.spark.columns.arrow_columns import arrow_cast, default_value
from forklake.engine.spark.columns.column_casts import identity, native_cast
from forklake.files.incoming.column_names import check_names, column_positions
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold


def conform(frame: DataFrame, fields: Sequence[Field], table: str, *, by_name: bool) -> DataFrame:
    """Return a frame's rows in the columns of a table, in its order and Spark types.

    A column that is right already is taken as it is, at no cost. Values that do not fit their column fail when
    the frame is run, never before; none is cut, wrapped or made NULL. The result does not depend on the
    settings of the session.

    Args:
        frame: The rows.
        fields: The columns of the table.
        table: Its name, for messages.
        by_name: Whether columns are matched by name, not by position.

    Raises:
        InvalidInputError: The columns do not fit the table's. No job was run.
    """
    given = frame.schema.fields
    positions = column_positions(frame.schema.names, fields, table, by_name=by_name)
    if len(given) == len(fields) and all(_is_right(one, field) for one, field in zip(given, fields, strict=True)):
        return frame
    # Names of a user may be the same but for case, or hold anything: positions cannot be mistaken.
    numbered = frame.toDF(*(f"c{position}" for position in range(len(given))))
    now = datetime.now(UTC)
    columns = [
        _not_null(default_value(field, table, now), field, table)
        if position is None
        else _column(F.col(f"c{position}"), given[position], field, table)
        for field, position in zip(fields, positions, strict=True)
    ]
    return numbered.select(*(column.alias(field.name) for column, field in zip(columns, fields, strict=True)))


def _check_structs(source: DataType, field: Field, table: str, above: str) -> None:
    """Refuse structs with fields that the table's structs lack, at any depth."""
    if isinstance(source, StructType) and isinstance(field.type, types.Struct):
        check_names(source.names, field.children, table, above)
    for part, child in _parts(source, field):
        _check_structs(part, child, table, f"{above}.{child.name}")


def _parts(source: DataType, field: Field) -> Iterator[tuple[DataType, Field]]:
    if isinstance(source, StructType) and isinstance(field.type, types.Struct):
        children = {fold(child.name): child for child in field.children}
        yield from ((part.dataType, children[fold(part.name)]) for part in source.fields)
    elif isinstance(source, ArrayType) and isinstance(field.type, types.List):
        yield source.elementType, field.children[0]
    elif isinstance(source, MapType) and isinstance(field.type, types.Map):
        yield source.keyType, field.children[0]
        yield source.valueType, field.children[1]


def _column(value: Column, given: StructField, field: Field, table: str) -> Column:
    _check_structs(given.dataType, field, table, field.name)
    cast = native_cast(given.dataType, field, field.name) or arrow_cast(given.dataType, field, table)
    return value if cast is identity and not given.nullable else _not_null(cast(value), field, table)


def _is_right(given: StructField, field: Field) -> bool:
    """Return whether a column is the table's already, its name included."""
    is_same = given.name == field.name and native_cast(given.dataType, field, field.name) is identity
    return is_same and (field.nulls_allowed or not given.nullable)


def _not_null(value: Column, field: Field, table: str) -> Column:
    if field.nulls_allowed:
        return value
    return F.coalesce(value, F.raise_error(F.lit(f"NOT NULL constraint failed: {table}.{field.name}")))
