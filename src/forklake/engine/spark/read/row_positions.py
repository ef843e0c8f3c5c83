"""The order of rows in memory, as Spark computes it from the sort keys of a table."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.read.rows_frame import typed_frame
from forklake.model import types
from forklake.model.field import Field, plain_column
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.write import WriteTarget


def positions_query(spark: SparkSession, rows: pa.Table, target: WriteTarget) -> tuple[str, DataFrame]:
    """Return a query for the positions of rows, in the order of their table.

    It reads the table ``given``, which is returned as well.
    """
    name = "position"
    while any(fold(column) == name for column in rows.column_names):
        name += "_"
    numbered = rows.append_column(name, pa.array(range(rows.num_rows), pa.int64()))
    frame = typed_frame(spark, numbered, (*target.fields, Field(None, name, types.INT64)))
    order = []
    for key in target.sort_keys:
        column = plain_column(key.expression, target.fields)
        value = key.expression if column is None else quote_spark_name(column.name)
        order.append(f"{value} {key.direction} {key.null_order.replace('_', ' ')}")
    return f"SELECT {name} AS place FROM given ORDER BY {', '.join(order)}, {name}", frame
