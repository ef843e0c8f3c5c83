"""Rows of a source matched with those of a table: which of them change, and what they become."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, cast

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import LongType, StructField, StructType

from forklake.engine.change_rows import ROW_ID, NewValues, find_rows
from forklake.engine.conform import conform
from forklake.engine.delete_files import FILE, POSITION
from forklake.engine.failures import translated
from forklake.engine.projection import quoted
from forklake.engine.session import is_remote
from forklake.engine.write import spark_frame
from forklake.model.field import Field
from forklake.model.merge import Clause, Deed, Merge, Side
from forklake.model.scan import ROW_ID_COLUMN, ScanPlan

TARGET: Final = "target"
SOURCE: Final = "source"
_NUMBER: Final = "__forklake_number__"
_SMALL_BYTES: Final = 64 * 2**20
_SMALL_ROWS: Final = 1_000_000
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


@dataclass(frozen=True, slots=True)
class Source:
    """The rows that a merge is given.

    Attributes:
        rows: They; if they are small, each with a number.
        is_small: Whether they are few enough to be sent to every task. They then come out the same, however often they
            are run.
    """

    rows: DataFrame
    is_small: bool = False

    @property
    def names(self) -> list[str]:
        """The columns that a merge can name."""
        return [name for name in self.rows.columns if name != _NUMBER]


def merge_rows(spark: SparkSession, plan: ScanPlan, source: Source, merge: Merge) -> MergedRows:
    """Match the rows of a plan with those of a source.

    A row of the table that matches several rows of the source comes several times.
    """
    sides = {clause.side for clause in merge.clauses}
    may_repeat = all(clause.deed == "delete" for clause in merge.clauses if clause.side == "matched")
    updated, inserted = _values(plan, merge, "update"), _values(plan, merge, "insert")
    found = find_rows(spark, plan, None, with_values=True)
    if source.is_small and "not matched by source" not in sides:
        rows = _looked_up(found, plan, source, merge, keeps_all=inserted is not None)
        new = None if inserted is None else lambda kept: inserted(_unmatched(kept, source, merge))
        return MergedRows(rows, updated, new, may_repeat)
    target = found.select(_struct([field.name for field in plan.fields], TARGET), FILE, POSITION, ROW_ID)
    given = source.rows.select(_struct(source.names, SOURCE))
    how = _SIDES["not matched" in sides, "not matched by source" in sides]
    if sum(file.record_count for file in plan.files) > _SMALL_ROWS:
        target = target.hint("merge")  # by the size of its files alone, Spark might send the table to every task
    joined = target.join(F.broadcast(given) if source.is_small else given, F.expr(merge.on), how)
    rows = joined.withColumn(_CLAUSE, _first(merge, _applies)).where(F.col(_CLAUSE).isNotNull())
    return MergedRows(rows, updated, inserted, may_repeat)


def _looked_up(found: DataFrame, plan: ScanPlan, source: Source, merge: Merge, *, keeps_all: bool) -> DataFrame:
    """Return the rows of the table that match a small source: each task has all of it, and no row of the table moves.

    If ``keeps_all``, those that match and stay as they are come too, without their places: the source's is matched.
    """
    # Not structs: they would be made of every row before it is known whether it matches.
    joined = found.alias(TARGET).join(F.broadcast(source.rows).alias(SOURCE), F.expr(merge.on))
    target = F.struct(*(F.col(f"{TARGET}.{quoted(field.name)}") for field in plan.fields)).alias(TARGET)
    given = F.struct(*(F.col(f"{SOURCE}.{quoted(name)}") for name in source.names)).alias(SOURCE)
    both = joined.select(target, given, FILE, POSITION, ROW_ID, _NUMBER)
    marked = both.withColumn(_CLAUSE, _first(merge, _holds, side="matched"))
    changes = F.col(_CLAUSE).isNotNull()
    if not keeps_all:
        return marked.where(changes)
    return marked.withColumns({name: F.when(changes, F.col(name)) for name in (TARGET, SOURCE, FILE, POSITION, ROW_ID)})


def _unmatched(kept: DataFrame, source: Source, merge: Merge) -> DataFrame:
    """Return the rows of a small source that matched nothing."""
    rows = source.rows.join(kept.select(_NUMBER), _NUMBER, "left_anti")
    given = rows.select(_struct(source.names, SOURCE))
    return given.withColumn(_CLAUSE, _first(merge, _holds, side="not matched"))


def source_of(spark: SparkSession, rows: pa.Table, fields: tuple[Field, ...]) -> Source:
    """Return rows in memory, as `forklake.files.conform` returns them for these columns, as a source."""
    is_small = rows.num_rows <= _SMALL_ROWS and rows.nbytes <= _SMALL_BYTES
    return Source(spark_frame(spark, _numbered(rows), (*fields, Field(None, _NUMBER, "int64"))), is_small)


def _numbered(rows: pa.Table) -> pa.Table:
    return rows.append_column(_NUMBER, pa.array(range(rows.num_rows), pa.int64()))


@contextmanager
def measured(source: DataFrame, names: Sequence[str], table: str) -> Iterator[tuple[Source, pa.Table]]:
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
            count, *found = kept.agg(F.count(F.lit(1)).alias("count"), *bounds).toArrow().columns
        pairs = zip(found[::2], found[1::2], strict=True)
        ends = pa.table([pa.chunked_array([*low.chunks, *high.chunks]) for low, high in pairs], list(names))
        is_small = count[0].as_py() <= _SMALL_ROWS and _kept_bytes(kept) <= _SMALL_BYTES
        yield _collected(kept) if is_small else Source(kept), ends
    finally:
        kept.unpersist()


def _collected(kept: DataFrame) -> Source:
    """Return a small source as rows in memory, which keep their numbers even if a machine that keeps rows is lost."""
    try:
        rows = _numbered(kept.toArrow())
        schema = StructType([*kept.schema.fields, StructField(_NUMBER, LongType())])
        return Source(kept.sparkSession.createDataFrame(rows, schema), is_small=True)
    except (PySparkException, pa.ArrowInvalid):
        return Source(kept)  # a type that Arrow does not have


def _kept_bytes(kept: DataFrame) -> int:
    """Return the size of rows that are kept, as Spark knows it; no client of Spark Connect is told."""
    if is_remote(kept.sparkSession):
        return _SMALL_BYTES + 1
    return int(str(cast("Any", kept)._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))


def _struct(names: Sequence[str], name: str) -> Column:
    return F.struct(*(F.col(quoted(column)) for column in names)).alias(name)


def _first(merge: Merge, applies: Callable[[Clause], Column], side: Side | None = None) -> Column:
    """Return the number of the first clause, of one side or of any, that applies to a row; NULL if none does."""
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
