"""Merges: rows of a source matched with rows of a table.

The match tells which rows change, and what they become.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegralType

from forklake.engine.spark.change.change_rows import NewValues, find_rows
from forklake.engine.spark.change.kept_rows import FILE, NUMBER, POSITION, ROW_ID, KeptRows
from forklake.engine.spark.change.key_filter import filter_by_keys
from forklake.engine.spark.change.merge_source import SMALL_ROWS, Source
from forklake.engine.spark.driver.failures import reaching_spark
from forklake.engine.spark.write.conform import conform
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.merge import SOURCE, TARGET, Clause, Merge, MergeOperation, Side
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import OWN_PLACES, ROW_ID_COLUMN, ScanPlan

_CLAUSE: Final = "_ducklake_forklake_clause"
_WORTH_SIEVING: Final = 100_000
_WHOLE_TARGET: Final = re.compile(rf"\b{TARGET}\b(?!\.[^*])")
"""The whole row of the table in an expression, or what may be it."""

_SIDES: Final = {
    (False, False): "inner",
    (True, False): "right",
    (False, True): "left",
    (True, True): "full",
}
"""How target and source are joined, by whether rows of the source, and of the target, count if they match nothing."""


@dataclass(frozen=True, slots=True)
class MergedRows:
    """The rows that a merge changes, and the functions for their new values.

    A function is None where no clause of the merge needs it. ``may_repeat``: rows that match several source
    rows are only deleted, so they may occur several times. ``is_scan``: no row of the table matches several.
    """

    rows: DataFrame
    updated: NewValues | None
    inserted: NewValues | None
    may_repeat: bool
    is_scan: bool = False


@reaching_spark()
def merge_rows(spark: SparkSession, plan: ScanPlan, source: Source, merge: Merge) -> MergedRows:
    """Match the rows of a plan with those of a source.

    A table row that matches several source rows occurs several times.
    """
    sides = {clause.side for clause in merge.clauses}
    may_repeat = all(clause.operation == "delete" for clause in merge.clauses if clause.side == "matched")
    updated, inserted = _values(plan, merge, "update"), _values(plan, merge, "insert")
    found = find_rows(spark, plan, None, columns=_used_columns(plan, merge))
    if source.is_small and "not matched by source" not in sides:
        rows = _look_up(found, plan, source, merge, keeps_all=inserted is not None)
        new = inserted and _unmatched_values(inserted, source, merge)
        return MergedRows(rows, updated, new, may_repeat, is_scan=_is_unique(source, merge))
    target = found.select(_struct(_values_in(found), TARGET), FILE, POSITION, ROW_ID)
    given = source.rows.select(_struct(source.names, SOURCE))
    how = _SIDES["not matched" in sides, "not matched by source" in sides]
    if _row_count(plan) > SMALL_ROWS:
        target = target.hint("merge")  # by the size of its files alone, Spark might send the table to every task
    joined = target.join(F.broadcast(given) if source.is_small else given, F.expr(merge.on), how)
    rows = joined.withColumn(_CLAUSE, _first(merge, _applies)).where(F.col(_CLAUSE).isNotNull())
    return MergedRows(rows, updated, inserted, may_repeat)


def _used_columns(plan: ScanPlan, merge: Merge) -> list[str]:
    """Return the columns of the table that a merge needs of its rows.

    They are those that an update leaves as they are, and those that an expression names, always as `TARGET`'s. There is
    one at least, as there are no structs without any.
    """
    updates = [{name for name, _ in clause.values} for clause in merge.clauses if clause.operation == "update"]
    text = fold(" ".join(merge.texts))
    names_all = _WHOLE_TARGET.search(text) is not None

    def is_used(name: str) -> bool:
        return (
            names_all
            or any(name not in new for new in updates)
            or any(f"{TARGET}.{shown}" in text for shown in (fold(name), fold(quote_spark_name(name))))
        )

    names = [field.name for field in plan.fields]
    return [name for name in names if is_used(name)] or names[:1]


def _values_in(found: DataFrame) -> list[str]:
    return [name for name in found.columns if name not in OWN_PLACES]


def _look_up(found: DataFrame, plan: ScanPlan, source: Source, merge: Merge, *, keeps_all: bool) -> DataFrame:
    """Return the table rows that match a small source.

    Each task has the whole source, so no row of the table moves. With ``keeps_all``, rows that match but stay
    unchanged come too, without their places: the merge then knows that their source row has matched.
    """
    # Not structs: they would be made of every row before it is known whether it matches.
    candidates = _filter_candidates(found, source, merge) if _row_count(plan) >= _WORTH_SIEVING else found
    joined = candidates.alias(TARGET).join(F.broadcast(source.rows).alias(SOURCE), F.expr(merge.on))
    target = F.struct(*(F.col(f"{TARGET}.{quote_spark_name(name)}") for name in _values_in(found))).alias(TARGET)
    given = F.struct(*(F.col(f"{SOURCE}.{quote_spark_name(name)}") for name in source.names)).alias(SOURCE)
    both = joined.select(target, given, FILE, POSITION, ROW_ID, NUMBER)
    marked = both.withColumn(_CLAUSE, _first(merge, _holds, side="matched"))
    changes = F.col(_CLAUSE).isNotNull()
    if not keeps_all:
        return marked.where(changes)
    return marked.withColumns({name: F.when(changes, F.col(name)) for name in (TARGET, SOURCE, FILE, POSITION, ROW_ID)})


def _filter_candidates(found: DataFrame, source: Source, merge: Merge) -> DataFrame:
    """Leave out rows that match no source row by the first integer key, if any."""
    assert source.held is not None
    for ours, theirs in merge.keys:
        kinds = found.schema[ours].dataType, source.rows.schema[theirs].dataType
        if all(isinstance(kind, IntegralType) for kind in kinds):
            return filter_by_keys(found, F.col(quote_spark_name(ours)), source.held.column(theirs))
    return found


def _is_unique(source: Source, merge: Merge) -> bool:
    """Return whether those rows of a small source that have a key differ in it."""
    assert source.held is not None
    keys = (source.held.column(theirs).drop_null() for _, theirs in merge.keys)
    return any(
        (pa.types.is_integer(key.type) or pa.types.is_string(key.type)) and pc.count_distinct(key).as_py() == len(key)
        for key in keys
    )


def _row_count(plan: ScanPlan) -> int:
    return sum(file.record_count for file in plan.files)


def _unmatched_values(inserted: NewValues, source: Source, merge: Merge) -> NewValues:
    def new(kept: KeptRows) -> DataFrame | None:
        rows = _unmatched_rows(kept, source, merge)
        return None if rows is None else inserted(KeptRows(rows))

    return new


def _unmatched_rows(kept: KeptRows, source: Source, merge: Merge) -> DataFrame | None:
    """Return the rows of a small source that matched nothing; None if all matched."""
    rows = source.without(kept.numbers())
    if rows is None:
        return None
    given = rows.select(_struct(source.names, SOURCE))
    return given.withColumn(_CLAUSE, _first(merge, _holds, side="not matched"))


def _struct(names: Sequence[str], name: str) -> Column:
    return F.struct(*(F.col(quote_spark_name(column)) for column in names)).alias(name)


def _first(merge: Merge, applies: Callable[[Clause], Column], side: Side | None = None) -> Column:
    """Return the number of the first clause that applies to a row; NULL if none.

    With ``side``, only clauses of that side count.
    """
    return reduce(
        lambda otherwise, numbered: F.when(applies(numbered[1]), F.lit(numbered[0])).otherwise(otherwise),
        [pair for pair in reversed(list(enumerate(merge.clauses))) if side in (None, pair[1].side)],
        F.lit(None).cast("int"),
    )


def _applies(clause: Clause) -> Column:
    match clause.side:
        case "matched":
            applies = F.col(TARGET).isNotNull() & F.col(SOURCE).isNotNull()
        case "not matched":
            applies = F.col(TARGET).isNull()
        case "not matched by source":
            applies = F.col(SOURCE).isNull()
    return applies & _holds(clause)


def _holds(clause: Clause) -> Column:
    return F.lit(True) if clause.condition is None else F.coalesce(F.expr(clause.condition), F.lit(False))


def _values(plan: ScanPlan, merge: Merge, operation: MergeOperation) -> NewValues | None:
    numbered = [(number, clause) for number, clause in enumerate(merge.clauses) if clause.operation == operation]
    if not numbered:
        return None

    def values(kept: KeptRows) -> DataFrame:
        # Each clause has types of its own; united are the rows that have the table's.
        frames = [_of_clause(kept.frame.where(F.col(_CLAUSE) == number), clause, plan) for number, clause in numbered]
        return reduce(DataFrame.union, frames)

    return values


def _of_clause(rows: DataFrame, clause: Clause, plan: ScanPlan) -> DataFrame:
    fields: Sequence[Field] = plan.fields
    new = dict(clause.values)
    if clause.operation == "insert":
        frame = rows.select(*(F.expr(new[field.name]).alias(field.name) for field in fields if field.name in new))
        return conform(frame, fields, plan.table, by_name=True)
    columns = [
        F.expr(new[field.name]).alias(field.name)
        if field.name in new
        else F.col(TARGET).getField(field.name).alias(field.name)
        for field in fields
    ]
    with_ids = (*fields, Field(None, ROW_ID_COLUMN, types.INT64))
    return conform(rows.select(*columns, F.col(ROW_ID).alias(ROW_ID_COLUMN)), with_ids, plan.table, by_name=False)
