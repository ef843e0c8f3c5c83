"""The source rows of a merge, kept while it runs.

A source that is small enough for every task is held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from functools import reduce
from operator import add
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    ArrayType,
    AtomicType,
    BinaryType,
    CharType,
    DataType,
    LongType,
    MapType,
    NullType,
    SpatialType,
    StringType,
    StructField,
    StructType,
    VarcharType,
    VariantType,
)

from forklake.engine.spark.change.kept_rows import NUMBER
from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.driver.failures import SPARK_ERRORS, guard_table, reaching_spark
from forklake.engine.spark.driver.plan_estimate import planned_bytes
from forklake.engine.spark.driver.session import is_remote
from forklake.engine.spark.read.collect import arrow_rows
from forklake.engine.spark.write.write_rows import shown_rows, spark_frame
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.quoting import quote_spark_name

SMALL_ROWS: Final = 1_000_000
_SMALL_BYTES: Final = 64 * 2**20
_LIKELY_BYTES: Final = 8 * 2**20
_VALUE_BYTES: Final = 16
_LONG: Final = (BinaryType, CharType, StringType, VarcharType)
_NESTED: Final = (ArrayType, MapType, StructType, VariantType)


@dataclass(frozen=True, slots=True)
class Source:
    """The rows that a merge is given.

    Attributes:
        rows: The rows; those of a small source are numbered.
        held: The same rows in the memory of the driver, if they are few enough to be sent to every task. Every
            run of ``rows`` then gives the same rows.
    """

    rows: DataFrame
    held: pa.Table | None = field(default=None, repr=False)

    @property
    def is_small(self) -> bool:
        """Whether the source is sent to every task."""
        return self.held is not None

    @property
    def names(self) -> list[str]:
        """The columns that a merge can name."""
        return [name for name in self.rows.columns if name != NUMBER]

    def without(self, numbers: NDArray[np.int64]) -> DataFrame | None:
        """Return the rows of a small source without some numbers; None if none is left.

        None saves the caller a job. A number may occur any number of times.
        """
        assert self.held is not None
        is_left = np.ones(self.held.num_rows, np.bool_)
        is_left[numbers] = False
        if not is_left.any():
            return None
        left = self.held.filter(pa.array(is_left))
        return self.rows.sparkSession.createDataFrame(left, self.rows.schema)


@reaching_spark()
def source_of(spark: SparkSession, rows: pa.Table, fields: tuple[Field, ...]) -> Source:
    """Return rows in memory as a source.

    The rows are as `forklake.files.incoming.conform` returns them for these columns.
    """
    if rows.num_rows > SMALL_ROWS or rows.nbytes > _SMALL_BYTES:
        return Source(spark_frame(spark, rows, fields))
    held = _add_numbers(shown_rows(rows, fields))
    return Source(_frame(spark, held, spark_schema(fields)), held)


@contextmanager
def measure(source: DataFrame, names: Sequence[str], table: str) -> Iterator[tuple[Source, pa.Table]]:
    """Provide a source, with the values of some columns.

    The values are all of them if the source is small, else two rows: the smallest and the largest. A source that Spark
    takes for small is collected at once. Any other, and one that turns out to be large, is run and kept until the
    block ends, in memory as far as possible. A second run might give other rows, so the rows of one run are used.
    """
    held = _likely_few(source, table)
    if held is not None:
        yield _numbered_source(source, held), held.select(list(names))
        return
    with guard_table(table):
        kept = source.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        columns = [F.col(quote_spark_name(name)) for name in names]
        bounds = [
            bound(column).alias(f"c{number}") for number, column in enumerate(columns) for bound in (F.min, F.max)
        ]
        with guard_table(table):
            sizes = F.count(F.lit(1)).alias("count"), F.sum(_byte_count(kept.schema)).alias("bytes")
            count, byte_count, *found = arrow_rows(kept.agg(*sizes, *bounds)).columns
            is_small = count[0].as_py() <= SMALL_ROWS and (byte_count[0].as_py() or 0) <= _SMALL_BYTES
            held = _held_rows(kept) if is_small else None
        if held is not None:
            yield _numbered_source(kept, held), held.select(list(names))
            return
        pairs = zip(found[::2], found[1::2], strict=True)
        yield (
            Source(kept),
            pa.table([pa.chunked_array([*low.chunks, *high.chunks]) for low, high in pairs], list(names)),
        )
    finally:
        with suppress(*SPARK_ERRORS):
            kept.unpersist()


def _likely_few(source: DataFrame, table: str) -> pa.Table | None:
    """Return the rows of a source that Spark takes for small; None if it is not.

    What fails here fails again, and is told, where the source is run as a large one.
    """
    if is_remote(source.sparkSession) or not all(_is_measurable(one.dataType) for one in source.schema.fields):
        return None
    with guard_table(table):
        try:
            plan = cast("Any", source)._jdf.queryExecution().optimizedPlan()
            if planned_bytes(plan) > _LIKELY_BYTES:
                return None
            most = plan.maxRows()
            is_bounded = most.isDefined() and most.get() <= SMALL_ROWS
            held = arrow_rows(source if is_bounded else source.limit(SMALL_ROWS + 1))  # a limit takes a shuffle
        except (*SPARK_ERRORS, pa.ArrowInvalid):
            return None
    return held if held.num_rows <= SMALL_ROWS and held.nbytes <= _SMALL_BYTES else None


def _held_rows(rows: DataFrame) -> pa.Table | None:
    """Return rows in memory; None if Arrow lacks one of their types."""
    try:
        return arrow_rows(rows)
    except (PySparkException, pa.ArrowInvalid):
        return None


def _numbered_source(rows: DataFrame, held: pa.Table) -> Source:
    """Return a small source as rows in memory.

    They keep their numbers even if a machine with cached rows is lost.
    """
    numbered = _add_numbers(held)
    return Source(_frame(rows.sparkSession, numbered, rows.schema), numbered)


def _add_numbers(rows: pa.Table) -> pa.Table:
    return rows.append_column(NUMBER, pa.array(np.arange(rows.num_rows)))


def _frame(spark: SparkSession, held: pa.Table, schema: StructType) -> DataFrame:
    return spark.createDataFrame(held, StructType([*schema.fields, StructField(NUMBER, LongType())]))


# ---- size ------------------------------------------------------------------------------------------------------------


def _byte_count(schema: StructType) -> Column:
    """Return about how many bytes a row takes in memory.

    Spark itself reports only the compressed size of cached rows.
    """
    sizes = [_size(F.col(quote_spark_name(one.name)), one.dataType) for one in schema.fields]
    return reduce(add, sizes, F.lit(_VALUE_BYTES).cast("bigint"))


def _size(value: Column, kind: DataType) -> Column:
    if not _is_measurable(kind):
        return F.lit(_SMALL_BYTES + 1)  # not even one row is small
    if isinstance(kind, _LONG):
        return F.coalesce(F.octet_length(value), F.lit(0))
    if isinstance(kind, _NESTED):
        return F.coalesce(F.octet_length(value.cast("string")), F.lit(0))
    return F.lit(_VALUE_BYTES)


def _is_measurable(kind: DataType) -> bool:
    match kind:
        case ArrayType():
            return _is_measurable(kind.elementType)
        case MapType():
            return _is_measurable(kind.keyType) and _is_measurable(kind.valueType)
        case StructType():
            return all(_is_measurable(one.dataType) for one in kind.fields)
    return isinstance(kind, AtomicType | NullType) and not isinstance(kind, SpatialType)
