"""Rows of one table in many catalogs: what they share is read once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.read.scan import scan
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import HOLDER_COLUMN, LINEAGE_COLUMNS, SharedPlan

_PLACE: Final = "_ducklake_forklake_shared_place"


def scan_shared(
    spark: SparkSession, plans: Sequence[tuple[SharedPlan, str | None]], columns: Sequence[str]
) -> DataFrame:
    """Return rows as `forklake.engine.engine.Engine.scan_shared` describes."""
    frames = [_rows(spark, shared, condition, columns) for shared, condition in plans]
    frame = reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), frames)
    return frame.select(*(F.col(quote_spark_name(name)) for name in (HOLDER_COLUMN, *columns)))


def _rows(spark: SparkSession, shared: SharedPlan, condition: str | None, columns: Sequence[str]) -> DataFrame:
    named = {fold(field.name): field.name for field in shared.plan.fields}
    chosen = [name for name in columns if fold(name) in named]
    lineage = {fold(name): name for name in columns if fold(name) not in named and fold(name) in LINEAGE_COLUMNS}
    rows = scan(spark, shared.plan, columns=chosen, condition=condition, lineage={**lineage, "place": _PLACE})
    # A union matches names, which differ in case where a catalog renamed a column.
    rows = rows.withColumnsRenamed({named[fold(name)]: name for name in chosen})
    pairs = [(place, name) for place, holders in enumerate(shared.holders) for name in holders]
    places = pa.array([place for place, _ in pairs], pa.int64())
    holders = spark.createDataFrame(
        pa.table([places, pa.array([name for _, name in pairs], pa.string())], names=[_PLACE, HOLDER_COLUMN]),
        f"{_PLACE} bigint, {HOLDER_COLUMN} string",
    )
    return rows.join(F.broadcast(holders), _PLACE).drop(_PLACE)
