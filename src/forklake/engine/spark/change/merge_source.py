"""The rows that a merge is given: kept while it runs, and held in memory if they are small enough for every task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Final

import numpy as np
import pyarrow as pa
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

from forklake.engine.spark.columns.projection import quoted
from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.driver.failures import SPARK_ERRORS, reaching_spark, translated
from forklake.engine.spark.read.collect import arrow_rows
from forklake.engine.spark.write.write_rows import shown_rows, spark_frame
from forklake.model.field import Field

NUMBER: Final = "__forklake_number__"
"""The column with the numbers of the rows of a small source, from 0 on."""

SMALL_ROWS: Final = 1_000_000
_SMALL_BYTES: Final = 64 * 2**20
_VALUE_BYTES: Final = 16
_LONG: Final = (BinaryType, CharType, StringType, VarcharType)
_NESTED: Final = (ArrayType, MapType, StructType, VariantType)


@dataclass(frozen=True, slots=True)
class Source:
    """The rows that a merge is given.

    Attributes:
        rows: They; if they are small, each with a number.
        held: The same, in the memory of the driver, if they are few enough to be sent to every task. They then come out
            the same, however often they are run.
    """

    rows: DataFrame
    held: pa.Table | None = field(default=None, repr=False)

    @property
    def is_small(self) -> bool:
        """Whether every task may have all of it."""
        return self.held is not None

    @property
    def names(self) -> list[str]:
        """The columns that a merge can name."""
        return [name for name in self.rows.columns if name != NUMBER]

    def without(self, numbers: DataFrame) -> DataFrame | None:
        """Return the rows of a small source whose numbers are not given; None if all are, so that no job need be run.

        The numbers may be there any number of times; each comes to the driver once, so they are no more than the rows.
        """
        assert self.held is not None
        found = arrow_rows(numbers.distinct()).column(0).drop_null().to_numpy()
        is_left = np.ones(self.held.num_rows, np.bool_)
        is_left[found] = False
        if not is_left.any():
            return None
        left = self.held.filter(pa.array(is_left))
        return self.rows.sparkSession.createDataFrame(left, self.rows.schema)


@reaching_spark()
def source_of(spark: SparkSession, rows: pa.Table, fields: tuple[Field, ...]) -> Source:
    """Return rows in memory, as `forklake.files.conform` returns them for these columns, as a source."""
    if rows.num_rows > SMALL_ROWS or rows.nbytes > _SMALL_BYTES:
        return Source(spark_frame(spark, rows, fields))
    held = _numbered(shown_rows(rows, fields))
    return Source(_framed(spark, held, spark_schema(fields)), held)


@contextmanager
def measured(source: DataFrame, names: Sequence[str], table: str) -> Iterator[tuple[Source, pa.Table]]:
    """Give a source, and the smallest and the largest values of some of its columns, as two rows.

    It is run once and kept, in memory as far as that goes, until the block ends: run again, it might give other rows.
    """
    with translated(table):
        kept = source.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        columns = [F.col(quoted(name)) for name in names]
        bounds = [
            bound(column).alias(f"c{number}") for number, column in enumerate(columns) for bound in (F.min, F.max)
        ]
        with translated(table):
            sizes = F.count(F.lit(1)).alias("count"), F.sum(_byte_count(kept.schema)).alias("bytes")
            count, byte_count, *found = arrow_rows(kept.agg(*sizes, *bounds)).columns
        pairs = zip(found[::2], found[1::2], strict=True)
        ends = pa.table([pa.chunked_array([*low.chunks, *high.chunks]) for low, high in pairs], list(names))
        is_small = count[0].as_py() <= SMALL_ROWS and (byte_count[0].as_py() or 0) <= _SMALL_BYTES
        yield _collected(kept) if is_small else Source(kept), ends
    finally:
        with suppress(*SPARK_ERRORS):
            kept.unpersist()


def _collected(kept: DataFrame) -> Source:
    """Return a small source as rows in memory, which keep their numbers even if a machine that keeps rows is lost."""
    try:
        held = _numbered(arrow_rows(kept))
        return Source(_framed(kept.sparkSession, held, kept.schema), held)
    except (PySparkException, pa.ArrowInvalid):
        return Source(kept)  # a type that Arrow does not have


def _numbered(rows: pa.Table) -> pa.Table:
    return rows.append_column(NUMBER, pa.array(np.arange(rows.num_rows)))


def _framed(spark: SparkSession, held: pa.Table, schema: StructType) -> DataFrame:
    return spark.createDataFrame(held, StructType([*schema.fields, StructField(NUMBER, LongType())]))


# ---- size ------------------------------------------------------------------------------------------------------------


def _byte_count(schema: StructType) -> Column:
    """Return about how many bytes a row takes in memory; what Spark says of rows that it keeps is their packed size."""
    sizes = [_size(F.col(quoted(one.name)), one.dataType) for one in schema.fields]
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
