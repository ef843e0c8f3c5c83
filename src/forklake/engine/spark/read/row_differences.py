"""The rows that differ between two scans, as a DataFrame."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.driver.failures import reaching_spark
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.read.scan import scan
from forklake.files.parquet.deletes import read_deletes
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import ScanDeletes, ScanFile, ScanPlan

_PLACE: Final = "_ducklake_forklake_place"
_POSITION: Final = "_ducklake_forklake_position"
_ROW: Final = "_ducklake_forklake_row"
_SNAPSHOT: Final = "_ducklake_forklake_snapshot"
_SIDE: Final = "_ducklake_forklake_side"
_KIND: Final = "_ducklake_forklake_change"
_LINEAGE: Final = {"rowid": _ROW, "snapshot_id": _SNAPSHOT}
_PLACES: Final = {"place": _PLACE, "data_file_row": _POSITION}
_FEW_PLACES: Final = 500_000
CHANGE: Final = "change_type"
ROW_ID: Final = "rowid"


@reaching_spark()
def differences(spark: SparkSession, before: ScanPlan, after: ScanPlan) -> DataFrame:
    """Return rows as `forklake.engine.engine.Engine.differences` describes.

    Of a file that both scans read for the same rows, only those that one of them has deleted are compared.
    """
    names = [field.name for field in after.fields]
    columns = [F.col(quote_spark_name(name)) for name in names]
    both = _side(spark, before, after, 0).unionAll(_side(spark, after, before, 1))
    of_row = Window.partitionBy(_ROW)
    is_pair = F.count(F.lit(1)).over(of_row) > 1
    is_moved = is_pair & (F.min(_SNAPSHOT).over(of_row) == F.max(_SNAPSHOT).over(of_row))
    is_new = F.col(_SIDE) == 1
    kind = F.when(is_pair, F.when(is_new, "update_postimage").otherwise("update_preimage")).otherwise(
        F.when(is_new, "insert").otherwise("delete")
    )
    told = both.select(kind.alias(_KIND), F.col(_ROW), *columns, is_moved.alias(_SIDE))
    return told.where(~F.col(_SIDE)).drop(_SIDE).toDF(CHANGE, ROW_ID, *names)


def _side(spark: SparkSession, plan: ScanPlan, other: ScanPlan, number: int) -> DataFrame:
    """Return the rows of one scan that may differ from those of the other."""
    columns = [F.col(quote_spark_name(field.name)) for field in plan.fields]
    known = {(file.path, file.row_id_start): file for file in other.files}
    pairs = [(file, known.get((file.path, file.row_id_start))) for file in plan.files]
    shared = [(file, twin) for file, twin in pairs if twin is not None and file.has_rows_of(twin)]
    taken = {file.data_file_id for file, _ in shared}
    alone = replace(plan, files=tuple(file for file in plan.files if file.data_file_id not in taken))
    rows = scan(spark, alone, lineage=_LINEAGE).select(_ROW, _SNAPSHOT, *columns)
    if shared:
        there = replace(plan, files=tuple(file for file, _ in shared), inlined=())
        places = _deleted_places(spark, [twin for _, twin in shared])
        found = scan(spark, there, lineage={**_LINEAGE, **_PLACES}).join(places, [_PLACE, _POSITION], "left_semi")
        rows = rows.unionAll(found.select(_ROW, _SNAPSHOT, *columns))
    return rows.withColumn(_SIDE, F.lit(number))


def _deleted_places(spark: SparkSession, files: Sequence[ScanFile]) -> DataFrame:
    """Return the rows of files that are deleted, each at least once.

    Each has the number of its file among these, and its position there.
    """
    schema = f"{_PLACE} bigint, {_POSITION} bigint"
    inlined = [(place, position) for place, file in enumerate(files) for position in file.inlined_deletes]
    places = spark.createDataFrame(inlined, schema)
    written = [(place, file.deletes) for place, file in enumerate(files) if file.deletes is not None]
    if written:
        told = spark.createDataFrame(
            [(place, json.dumps(asdict(deletes))) for place, deletes in written], "p bigint, d string"
        )
        places = places.unionAll(map_in_python(told.repartition(min(len(written), 200)), _positions, schema))
    counts = [deletes.delete_count for _, deletes in written]
    is_few = None not in counts and sum(count or 0 for count in counts) <= _FEW_PLACES
    return F.broadcast(places) if is_few else places  # Spark cannot tell how few they are


def _positions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read delete files in a task, and return the positions in them."""
    for batch in batches:
        for place, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            positions = read_deletes(ScanDeletes(**json.loads(text)))
            yield pa.RecordBatch.from_pydict(
                {_PLACE: pa.array([place] * len(positions), pa.int64()), _POSITION: pa.array(positions, pa.int64())}
            )
