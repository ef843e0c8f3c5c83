"""The change feed of a table, as a DataFrame."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import reduce
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import LongType, StructField, StructType

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.driver.failures import reaching_spark
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.read.scan import scan
from forklake.files.deletes import read_deletes
from forklake.model.change_scan import ChangePlan, DatedScan, PlainChanges
from forklake.model.scan import ScanDeletes

Kind = Literal["all", "insertions", "deletions"]

_PLACE: Final = "__forklake_place__"
_POSITION: Final = "__forklake_position__"
_BEGUN: Final = "__forklake_begun__"
_TOLD: Final = "__forklake_told__"
SNAPSHOT: Final = "snapshot_id"
ROW_ID: Final = "rowid"
CHANGE: Final = "change_type"
_FEW_PLACES: Final = 500_000
_MARKS: Final = ("__forklake_snapshot__", "__forklake_row__", "__forklake_change__")
"""What these are called until the end: a table may have columns of the same names."""


@reaching_spark()
def changes(spark: SparkSession, plan: ChangePlan, kind: Kind = "all") -> DataFrame:
    """Return the changes of a plan.

    The columns are ``snapshot_id``, ``rowid``, ``change_type``, and those of the table. A row that one snapshot
    both deleted and inserted was updated: it comes as ``update_preimage`` and ``update_postimage``. With
    ``insertions`` or ``deletions`` there are only these, and no ``change_type``.
    """
    names = [field.name for field in plan.fields]
    if kind == "insertions":
        return _name_columns(_insertions(spark, plan), names)
    if kind == "deletions":
        return _name_columns(_deletions(spark, plan), names)
    both = (
        _insertions(spark, plan)
        .withColumn(_MARKS[2], F.lit("insert"))
        .union(_deletions(spark, plan).withColumn(_MARKS[2], F.lit("delete")))
    )
    of_row = Window.partitionBy(_MARKS[0], _MARKS[1])
    is_update = F.count(F.lit(1)).over(of_row) > 1
    named = F.when(~is_update, F.col(_MARKS[2])).otherwise(
        F.when(F.col(_MARKS[2]) == "insert", F.lit("update_postimage")).otherwise(F.lit("update_preimage"))
    )
    marked = both.select(F.col(_MARKS[0]), F.col(_MARKS[1]), named.alias(_MARKS[2]), *_columns(names))
    return marked.toDF(SNAPSHOT, ROW_ID, CHANGE, *names)


def _columns(names: Sequence[str]) -> list[Any]:
    return [F.col(f"`{name.replace('`', '``')}`") for name in names]


def _name_columns(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    return rows.toDF(SNAPSHOT, ROW_ID, *names)


def _insertions(spark: SparkSession, plan: ChangePlan) -> DataFrame:
    parts = [_inserted_rows(spark, part) for part in plan.plain]
    parts += [_net_rows(spark, net.after, net.before) for net in plan.merged]
    return _union(spark, parts, plan)


def _deletions(spark: SparkSession, plan: ChangePlan) -> DataFrame:
    parts = [_dated_rows(spark, part.ended) for part in plan.plain]
    for part in plan.plain:
        parts += _deletions_from(spark, part)
    parts += [_net_rows(spark, net.before, net.after) for net in plan.merged]
    return _union(spark, parts, plan)


def _union(spark: SparkSession, parts: Sequence[DataFrame], plan: ChangePlan) -> DataFrame:
    """Return all rows, with the snapshot that each is told at.

    There are no parts if all snapshots are merges that changed no row of the table.
    """
    if not parts:
        marks = StructType([StructField(name, LongType()) for name in _MARKS[:2]])
        return spark.createDataFrame([], StructType([*marks, *spark_schema(plan.fields)]))
    columns = [F.col(_TOLD).alias(_MARKS[0]), F.col(_MARKS[1]), *_columns([field.name for field in plan.fields])]
    return reduce(DataFrame.union, [part.select(*columns) for part in parts])


def _inserted_rows(spark: SparkSession, plan: PlainChanges) -> DataFrame:
    rows = scan(spark, plan.inserted, lineage={"snapshot_id": _TOLD, "rowid": _MARKS[1]})
    return rows.where(F.col(_TOLD).between(int(plan.first), int(plan.last)))


def _dated_rows(spark: SparkSession, dated: DatedScan) -> DataFrame:
    """Return the rows, with the snapshot that each is told at."""
    rows = scan(spark, dated.scan, lineage={"place": _PLACE, "rowid": _MARKS[1], "snapshot_id": _BEGUN})
    told = [(place, int(snapshot)) for place, snapshot in enumerate(dated.files)]
    files = _small(spark, told, f"{_PLACE} bigint, {_TOLD} bigint")
    of_files = rows.join(F.broadcast(files), _PLACE)
    if not dated.rows:
        return of_files
    told_rows = [(row, int(begun), int(snapshot)) for (row, begun), snapshot in dated.rows.items()]
    inlined = _small(spark, told_rows, f"{_MARKS[1]} bigint, {_BEGUN} bigint, {_TOLD} bigint")
    kept = rows.where(F.col(_PLACE) >= len(dated.files)).join(F.broadcast(inlined), [_MARKS[1], _BEGUN])
    return of_files.unionByName(kept)


def _net_rows(spark: SparkSession, side: DatedScan, other: DatedScan) -> DataFrame:
    """Return the rows of one side of merges that the other side lacks.

    A row in another version is another row.
    """
    rows = _dated_rows(spark, side)
    if not other.snapshots:
        return rows
    same = [_TOLD, _MARKS[1], _BEGUN]
    return rows.join(_dated_rows(spark, other).select(*same), same, "left_anti")


def _deletions_from(spark: SparkSession, plan: PlainChanges) -> list[DataFrame]:
    """Return the deleted rows of files that still have others."""
    if not plan.deleted_from.files:
        return []
    rows = scan(spark, plan.deleted_from, lineage={"place": _PLACE, "data_file_row": _POSITION, "rowid": _MARKS[1]})
    place_of = {file.data_file_id: place for place, file in enumerate(plan.deleted_from.files)}
    schema = f"{_PLACE} bigint, {_POSITION} bigint, {_TOLD} bigint"
    places = _small(spark, [(place_of[file], at, int(told)) for file, at, told in plan.inlined_deletes], schema)
    if plan.deletes:
        told = _small(
            spark,
            [(place_of[one.data_file_id], json.dumps(asdict(one))) for one in plan.deletes],
            f"{_PLACE} bigint, spelled string",
        )
        spread = told.repartition(min(len(plan.deletes), 200))
        places = places.union(map_in_python(spread, _places, schema))
    if {file for file, _, _ in plan.inlined_deletes} & {one.data_file_id for one in plan.deletes}:
        # Two commits at the same time may delete one row, one in the metadata and one with a file: the first did it.
        places = places.groupBy(_PLACE, _POSITION).agg(F.min(_TOLD).alias(_TOLD))
    counts = [one.after.delete_count for one in plan.deletes]
    if None not in counts and sum(count or 0 for count in counts) <= _FEW_PLACES:
        places = F.broadcast(places)  # Spark cannot tell how few they are, and would sort all rows of the files
    else:
        rows = rows.hint("merge")  # nor how many rows are in files that compress well, and might send them to all tasks
    return [rows.join(places, [_PLACE, _POSITION])]


def _small(spark: SparkSession, rows: Sequence[tuple[Any, ...]], schema: str) -> DataFrame:
    return spark.createDataFrame(list(rows), schema)


def _places(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read delete files in a task, and return the positions that they newly delete."""
    for batch in batches:
        for place, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            told = json.loads(text)
            positions = read_deletes(ScanDeletes(**told["after"]))
            if told["before"] is not None:
                positions = np.setdiff1d(positions, read_deletes(ScanDeletes(**told["before"])), assume_unique=True)
            yield pa.RecordBatch.from_pydict(
                {
                    _PLACE: pa.array([place] * len(positions), pa.int64()),
                    _POSITION: pa.array(positions, pa.int64()),
                    _TOLD: pa.array([told["snapshot_id"]] * len(positions), pa.int64()),
                }
            )
