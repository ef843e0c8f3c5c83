"""Rows of a source matched with those of a table: which of them change, and what they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Final

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.change_rows import ROW_ID, NewValues, find_rows
from forklake.engine.conform import conform
from forklake.engine.delete_files import FILE, POSITION
from forklake.engine.failures import translated
from forklake.engine.projection import quoted
from forklake.model.field import Field
from forklake.model.merge import Clause, Deed, Merge
from forklake.model.scan import ROW_ID_COLUMN, ScanPlan

TARGET: Final = "target"
SOURCE: Final = "source"
_CLAUSE: Final = "__forklake_clause__"
_SIDES: Final = {
    (False, False): "inner",
    (True, False): "right",
    (False, True): "left",
    (True, True): "full",
}
"""How target and source are joined, by whether rows of the source, and of the target, count if they match nothing."""


@dataclass(frozen=True, slots=True)
class MergedRows:
    """The rows that a merge changes, and what gives their new values; None where there are none by its clauses.

    ``may_repeat`` says that rows which match several of the source are deleted, so it is all the same.
    """

    rows: DataFrame
    updated: NewValues | None
    inserted: NewValues | None
    may_repeat: bool


def merge_rows(spark: SparkSession, plan: ScanPlan, source: DataFrame, merge: Merge) -> MergedRows:
    """Match the rows of a plan with those of a source.

    A row of the table that matches several rows of the source comes several times.
    """
    found = find_rows(spark, plan, None, with_values=True)
    target = found.select(
        F.struct(*(F.col(quoted(field.name)) for field in plan.fields)).alias(TARGET), FILE, POSITION, ROW_ID
    )
    given = source.select(F.struct(*(F.col(quoted(name)) for name in source.columns)).alias(SOURCE))
    sides = {clause.side for clause in merge.clauses}
    how = _SIDES["not matched" in sides, "not matched by source" in sides]
    joined = target.join(given, F.expr(merge.on), how)
    number = reduce(
        lambda otherwise, numbered: F.when(_applies(numbered[1]), F.lit(numbered[0])).otherwise(otherwise),
        reversed(list(enumerate(merge.clauses))),
        F.lit(None).cast("int"),
    )
    rows = joined.withColumn(_CLAUSE, number).where(F.col(_CLAUSE).isNotNull())
    may_repeat = all(clause.deed == "delete" for clause in merge.clauses if clause.side == "matched")
    return MergedRows(rows, _values(plan, merge, "update"), _values(plan, merge, "insert"), may_repeat)


@contextmanager
def with_bounds(source: DataFrame, names: Sequence[str], table: str) -> Iterator[tuple[DataFrame, pa.Table]]:
    """Give a source, and the smallest and the largest values of some of its columns, as two rows.

    It is run once and kept, in memory as far as that goes, until the block ends: run again, it might give other rows.
    """
    kept = source.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        columns = [F.col(quoted(name)) for name in names]
        bounds = [
            bound(column).alias(f"c{number}") for number, column in enumerate(columns) for bound in (F.min, F.max)
        ]
        with translated(table):
            found = kept.agg(*bounds).toArrow().columns
        pairs = zip(found[::2], found[1::2], strict=True)
        yield kept, pa.table([pa.chunked_array([*low.chunks, *high.chunks]) for low, high in pairs], list(names))
    finally:
        kept.unpersist()


def _applies(clause: Clause) -> Column:
    match clause.side:
        case "matched":
            applies = F.col(TARGET).isNotNull() & F.col(SOURCE).isNotNull()
        case "not matched":
            applies = F.col(TARGET).isNull()
        case "not matched by source":
            applies = F.col(SOURCE).isNull()
    return applies if clause.condition is None else applies & F.coalesce(F.expr(clause.condition), F.lit(False))


def _values(plan: ScanPlan, merge: Merge, deed: Deed) -> NewValues | None:
    numbered = [(number, clause) for number, clause in enumerate(merge.clauses) if clause.deed == deed]
    if not numbered:
        return None

    def values(rows: DataFrame) -> DataFrame:
        # Each clause has types of its own; united are the rows that have the table's.
        frames = [_of_clause(rows.where(F.col(_CLAUSE) == number), clause, plan) for number, clause in numbered]
        return reduce(DataFrame.union, frames)

    return values


def _of_clause(rows: DataFrame, clause: Clause, plan: ScanPlan) -> DataFrame:
    fields: Sequence[Field] = plan.fields
    new = dict(clause.values)
    if clause.deed == "insert":
        frame = rows.select(*(F.expr(new[field.name]).alias(field.name) for field in fields if field.name in new))
        return conform(frame, fields, plan.table, by_name=True)
    columns = [
        F.expr(new[field.name]).alias(field.name)
        if field.name in new
        else F.col(TARGET).getField(field.name).alias(field.name)
        for field in fields
    ]
    with_ids = (*fields, Field(None, ROW_ID_COLUMN, "int64"))
    return conform(rows.select(*columns, F.col(ROW_ID).alias(ROW_ID_COLUMN)), with_ids, plan.table, by_name=False)
