"""Columns that Python computes batch by batch.

They are used where Spark's expressions cannot give DuckDB's results.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from inspect import signature
from typing import Any, Final, cast

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType, StringType

from forklake.engine.spark.columns.literal import literal
from forklake.engine.spark.columns.spark_types import spark_type
from forklake.engine.spark.driver.python_workers import arrow_function, check_workers
from forklake.errors import InvalidInputError
from forklake.files.arrow.array_transforms import partition_values
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.values import display_array
from forklake.files.arrow.wide_integers import short_column
from forklake.files.casting.casts import cast as cast_array
from forklake.files.incoming.defaults import default_array, is_drawn_per_row
from forklake.model.field import Field
from forklake.model.transforms import Transform

# Newer versions of PySpark want to be told the zone of timestamps.
_ZONE: Final[dict[str, Any]] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}


def arrow_cast(source: DataType, field: Field, table: str) -> Callable[[Column], Column]:
    """Return the cast from a Spark type to a column, by the rules for Arrow data.

    Raises:
        InvalidInputError: There is no such cast. No job was run.
    """
    try:
        given = to_arrow_type(source, **_ZONE)
    except PySparkException as error:
        name = source.simpleString().upper()
        message = f'Unimplemented type for cast ({name} -> {field.type.sql_name}) (column "{field.name}")'
        raise InvalidInputError(message) from error
    cast_array(field, pa.array([], given), table)

    def of_batch(values: pa.Array) -> pa.Array:
        return short_column(display_array(field, cast_array(field, values, table)), field.name)

    return _in_batches(of_batch, spark_type(field))


def default_value(field: Field, table: str, now: datetime) -> Column:
    """Return the default of a column for rows that leave it out.

    Clock functions give the time ``now``.

    Raises:
        InvalidInputError: The default cannot be evaluated, or is not a value of the column's type.
    """
    if not is_drawn_per_row(field):
        return literal(field, display_array(field, default_array(field, 1, table, now))[0])

    def of_batch(values: pa.Array) -> pa.Array:
        return short_column(display_array(field, default_array(field, len(values), table, now)), field.name)

    return _in_batches(of_batch, spark_type(field), is_deterministic=False)(F.spark_partition_id())


def partition_value(transform: Transform, field: Field) -> Callable[[Column], Column]:
    """Return the function from a column, as Spark shows it, to partition values.

    Partition values are text.
    """

    def of_batch(values: pa.Array) -> pa.Array:
        return pa.array(partition_values(storage_array(values, field), field.type, transform), pa.string())

    return _in_batches(of_batch, StringType())


def storage_array(values: pa.Array, field: Field) -> pa.Array:
    """Return a column's values in the type of our files, from the type in Spark."""
    return values if values.type == arrow_type(field) else cast_array(field, values, "")


def _in_batches(
    function: Callable[[pa.Array], pa.Array], returned: DataType, *, is_deterministic: bool = True
) -> Callable[[Column], Column]:
    spark = SparkSession.getActiveSession()
    if spark is not None:
        check_workers(spark)
    made = arrow_function(function, returned)
    return cast("Callable[[Column], Column]", made if is_deterministic else made.asNondeterministic())
