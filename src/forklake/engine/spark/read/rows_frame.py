"""Rows in memory as a Spark frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.driver.failures import reaching_spark
from forklake.engine.spark.write.write_rows import spark_frame
from forklake.errors import InvalidInputError
from forklake.files.arrow.values import shown_array
from forklake.files.arrow.wide_integers import short_column
from forklake.files.casting.python_values import from_python
from forklake.model.field import Field


@reaching_spark()
def rows_frame(spark: SparkSession, fields: Sequence[Field], rows: Sequence[Sequence[Any]]) -> DataFrame:
    """Return rows as a frame, with the Spark types that a table's columns have.

    Args:
        spark: The session.
        fields: The columns; no name occurs twice.
        rows: Their values, as `forklake.files.casting.python_values` gives them to users.

    Raises:
        InvalidInputError: A value does not belong to its column's type.
    """
    schema = spark_schema(tuple(fields))
    if not rows or not fields:
        return spark.createDataFrame([() for _ in rows], schema)
    arrays = [_array(field, values) for field, values in zip(fields, zip(*rows, strict=True), strict=True)]
    return spark.createDataFrame(pa.table(arrays, names=schema.names), schema)


@reaching_spark()
def typed_frame(spark: SparkSession, rows: pa.Table | DataFrame, fields: tuple[Field, ...]) -> DataFrame:
    """Return a caller's rows with given column names and the types of a table.

    Args:
        spark: The session, for rows in memory.
        rows: An Arrow table, as `forklake.files.incoming.conform` returns it for the fields, or a Spark frame.
        fields: The columns.
    """
    if isinstance(rows, pa.Table):
        return spark_frame(spark, rows, fields)
    return rows.toDF(*(field.name for field in fields))


def _array(field: Field, values: Sequence[Any]) -> pa.Array:
    try:
        return short_column(shown_array(field, from_python(field.type, values)), field.name)
    except (ValueError, TypeError, ArithmeticError, AttributeError, pa.ArrowException) as error:
        raise InvalidInputError(f'{error} (column "{field.name}")') from error
