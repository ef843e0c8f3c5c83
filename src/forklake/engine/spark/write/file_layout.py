"""How rows are distributed over tasks, and so over files, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.columns.duckdb_functions import duckdb_functions
from forklake.engine.spark.driver.isolate import without_rules
from forklake.engine.spark.driver.plan_estimate import is_little_work
from forklake.engine.spark.driver.session import is_remote
from forklake.model.definitions import SortKey
from forklake.model.field import Field, plain_column
from forklake.model.quoting import quote_spark_name
from forklake.model.write import WriteTarget

_FEW_BYTES: Final = 32 * 2**20
_FEW_UNMOVED_BYTES: Final = 8 * 2**20
_FEW_FILE_BYTES: Final = 4 * 2**20


def layout_settings(spark: SparkSession) -> dict[str, str]:
    """Return the settings that `lay_out` needs where its rows are run.

    Of two coalesces Spark would drop the caller's, even if it asks for fewer partitions than ours.
    """
    return {"spark.sql.caseSensitive": "true", **without_rules(spark, "CollapseRepartition")}


def lay_out(rows: DataFrame, target: WriteTarget, tokens: Sequence[str]) -> DataFrame:
    """Return rows distributed and sorted for the files of a table.

    Rows of one partition come together, in as few tasks as their size allows, and one after the other in each; one task
    computes and writes rows of partitions that are little work.
    Rows of a sorted table are sorted within each file; without partitions, the files follow each other too.
    Otherwise rows keep their order and are not moved between machines: there is one file of little work, and of other
    work there are as many as the session runs tasks at once, or one for each Spark partition with
    ``per_thread_output``. A target that says how many files
    there are to be has no partitions.

    Args:
        rows: What to write, as `conform` returns it, with the columns of ``tokens``.
        target: The table.
        tokens: The columns that distinguish partitions.
    """
    keys = target.sort_keys if target.options.sort_on_insert else ()
    with duckdb_functions(rows.sparkSession, *(key.expression for key in keys)):
        return _in_order(rows, target, tokens, _order(keys, target.fields))


def _in_order(rows: DataFrame, target: WriteTarget, tokens: Sequence[str], order: Sequence[Column]) -> DataFrame:
    if target.file_count is not None:
        if not order:
            return rows.coalesce(target.file_count)
        return rows.repartitionByRange(target.file_count, *order).sortWithinPartitions(*order)
    if tokens:
        if is_little_work(rows, most_bytes=_FEW_BYTES, most_file_bytes=_FEW_FILE_BYTES):
            # All of it is one task's in the end: then it need not move, nor be counted by a job before.
            return rows.coalesce(1).sortWithinPartitions(*tokens, *order)
        return rows.hint("rebalance", *tokens).sortWithinPartitions(*tokens, *order)
    if order:
        return _by_range(rows, order).sortWithinPartitions(*order)
    if target.options.per_thread_output:
        return rows
    if is_little_work(rows, most_bytes=_FEW_UNMOVED_BYTES, most_file_bytes=_FEW_FILE_BYTES):
        return rows.coalesce(1)
    return rows.coalesce(parallelism(rows.sparkSession))


def parallelism(spark: SparkSession) -> int:
    """Return how many tasks a session runs at once, as well as is known."""
    if is_remote(spark):
        return int(cast("str", spark.conf.get("spark.sql.shuffle.partitions")))
    return int(cast("Any", spark).sparkContext.defaultParallelism)


def _by_range(rows: DataFrame, order: Sequence[Column]) -> DataFrame:
    spark = rows.sparkSession
    if spark.conf.get("spark.sql.adaptive.enabled") == "true":
        return rows.repartitionByRange(*order)  # small ranges are put together when their sizes are known
    return rows.repartitionByRange(parallelism(spark), *order)


def _order(keys: Sequence[SortKey], fields: Sequence[Field]) -> list[Column]:
    return [_sort_column(_expression(key, fields), key) for key in keys]


def _sort_column(value: Column, key: SortKey) -> Column:
    nulls_first = key.null_order == "NULLS_FIRST"
    if key.direction == "DESC":
        return value.desc_nulls_first() if nulls_first else value.desc_nulls_last()
    return value.asc_nulls_first() if nulls_first else value.asc_nulls_last()


def _expression(key: SortKey, fields: Sequence[Field]) -> Column:
    """Return what a key sorts by.

    A plain column means the same in every dialect, whatever characters its name has.
    """
    column = plain_column(key.expression, fields)
    return F.expr(key.expression) if column is None else F.col(quote_spark_name(column.name))
