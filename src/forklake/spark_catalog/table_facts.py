"""What Spark is told of a table: columns, properties and partition keys."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, cast

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField, StructType

from forklake.catalog import describe
from forklake.catalog.fields import table_fields
from forklake.catalog.state import Content
from forklake.engine.spark.columns.arrow_columns import default_value
from forklake.engine.spark.columns.spark_types import spark_type
from forklake.files.incoming.defaults import is_drawn_per_row
from forklake.model.definitions import PartitionField, SortKey
from forklake.model.field import Field
from forklake.model.quoting import quote_spark_name
from forklake.model.rows import TableRow
from forklake.model.transforms import Function, Transform
from forklake.spark_catalog.attached import Attached

SORTED_BY: Final = "sorted_by"
"""The property that has the sort order of a table."""

SPARK_KEYS: Final = {
    "years": Function.EPOCH_YEAR,
    "months": Function.EPOCH_MONTH,
    "days": Function.EPOCH_DAY,
    "hours": Function.EPOCH_HOUR,
}
"""Spark's names of transforms that count from 1970."""

_CURRENT: Final = "CURRENT_DEFAULT"
_EXISTING: Final = "EXISTS_DEFAULT"
_OF_SPARK: Final = {function: name for name, function in SPARK_KEYS.items()}


def properties(content: Content, row: TableRow) -> dict[str, str]:
    """Return the properties of a table: its tags, and its order."""
    found = {"provider": "forklake", **describe.object_tags(content, row.table_id)}
    sorting = describe.sorting(content, row.table_id)
    return found | {SORTED_BY: ", ".join(map(_sort_text, sorting))} if sorting else found


def keys(content: Content, row: TableRow) -> list[list[Any]]:
    """Return the partition keys of a table, in Spark's words."""
    return [_key(field) for field in describe.partitioning(content, row.table_id)]


def columns_json(attached: Attached, content: Content, row: TableRow) -> str:
    """Return the columns of a table, with comments and defaults, as Spark writes them."""
    comments = {column.name: column.comment for column in describe.columns(content, row.table_id)}
    fields = table_fields(content, row.table_id)
    return StructType([_column(attached, field, row.table_name, comments.get(field.name)) for field in fields]).json()


def _column(attached: Attached, field: Field, table: str, comment: str | None) -> StructField:
    metadata = {} if comment is None else {"comment": comment}
    if field.default is not None:
        metadata |= _default(attached, field, table)
    return StructField(field.name, spark_type(field), field.nulls_allowed, metadata)


def _default(attached: Attached, field: Field, table: str) -> dict[str, str]:
    """Return the default of a column as Spark SQL.

    Clock functions are evaluated now, once for the statement, as SQL has it.
    """
    if is_drawn_per_row(field):
        message = f'Column "{field.name}" has the default {field.default}, which Spark cannot give: name a value.'
        return {_CURRENT: f"raise_error({_sql_text(attached, F.lit(message))})", _EXISTING: "NULL"}
    text = _sql_text(attached, default_value(field, table, datetime.now(UTC)))
    return {_CURRENT: text, _EXISTING: text}


def _sql_text(attached: Attached, value: Column) -> str:
    """Return an expression without columns as Spark SQL."""
    frame: Any = attached.spark.range(1).select(value.alias("value"))
    return cast("str", frame._jdf.queryExecution().optimizedPlan().expressions().head().child().sql())


def _key(field: PartitionField) -> list[Any]:
    transform = Transform.parse(field.transform)
    column = quote_spark_name(field.column)
    if transform.bucket_count is not None:
        return ["bucket", column, transform.bucket_count]
    return [_OF_SPARK.get(transform.function, transform.function.value), column]


def _sort_text(key: SortKey) -> str:
    return f"{key.expression} {key.direction} {key.null_order.replace('_', ' ')}"
