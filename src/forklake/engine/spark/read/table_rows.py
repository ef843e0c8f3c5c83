"""Rows of a table with their lineage, as a frame."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.read.scan import scan
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import LINEAGE_COLUMNS, PLACE_LINEAGE, ScanPlan


def table_rows(
    spark: SparkSession,
    plan: ScanPlan,
    columns: Sequence[str] | None = None,
    condition: str | None = None,
    *,
    keep_order: bool = False,
    is_limited: bool = False,
) -> DataFrame:
    """Return rows as `forklake.engine.engine.Engine.scan` describes."""
    own = {fold(field.name) for field in plan.fields}
    beside = {fold(name) for name in columns or ()} - own
    lineage = {name: name for name in LINEAGE_COLUMNS if name in beside}
    lineage |= {name: of_row for name, of_row in PLACE_LINEAGE.items() if of_row in beside}
    of_table = columns
    if lineage and columns is not None:
        of_table = [name for name in columns if fold(name) in own or fold(name) not in (*lineage, *lineage.values())]
    found = scan(
        spark,
        plan,
        columns=of_table,
        condition=condition,
        lineage=lineage,
        keep_order=keep_order,
        is_limited=is_limited,
    )
    if not lineage or columns is None:
        return found
    named = {fold(name): name for name in found.columns}
    return found.select(*(quote_spark_name(named[fold(name)]) for name in columns))
