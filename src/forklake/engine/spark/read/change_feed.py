"""The change feed of a table, as a DataFrame."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import reduce
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import LongType, StringType, StructField, StructType

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.driver.failures import reaching_spark
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.read.scan import scan
from forklake.files.access import storage
from forklake.files.parquet.deletes import read_deletes
from forklake.model.change_scan import ChangePlan, DatedScan, NewDeletes, PlainChanges
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanDeletes, ScanFile, ScanPlan

Kind = Literal["all", "insertions", "deletions"]

_PLACE: Final = "_ducklake_forklake_place"
_POSITION: Final = "_ducklake_forklake_position"
_BEGUN: Final = "_ducklake_forklake_begun"
_TOLD: Final = "_ducklake_forklake_told"
SNAPSHOT: Final = "snapshot_id"
ROW_ID: Final = "rowid"
CHANGE: Final = "change_type"
_FEW_PLACES: Final = 500_000
_MARKS: Final = ("_ducklake_forklake_snapshot", "_ducklake_forklake_row", "_ducklake_forklake_change")
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
        return _name_columns(_union(spark, _insertions(spark, plan), plan), names)
    if kind == "deletions":
        return _name_columns(_union(spark, _deletions(spark, plan), plan), names)
    parts = [part.withColumn(_MARKS[2], F.lit("insert")) for part in _insertions(spark, plan)]
    parts += [part.withColumn(_MARKS[2], F.lit("delete")) for part in _deletions(spark, plan)]
    both = _union(spark, parts, plan, has_kinds=True)
    named = _name_change() if _may_update(plan) else F.col(_MARKS[2])
    marked = both.select(F.col(_MARKS[0]), F.col(_MARKS[1]), named.alias(_MARKS[2]), *_columns(names))
    return marked.toDF(SNAPSHOT, ROW_ID, CHANGE, *names)


def _may_update(plan: ChangePlan) -> bool:
    """Return whether a snapshot may have both deleted and inserted a row."""
    adds = any(part.inserted.files or part.inserted.inlined for part in plan.plain)
    ends = any(part.ended.snapshots or part.deletes or part.inlined_deletes for part in plan.plain)
    return (adds and ends) or bool(plan.merged)


def _name_change() -> Column:
    is_update = F.count(F.lit(1)).over(Window.partitionBy(_MARKS[0], _MARKS[1])) > 1
    image = F.when(F.col(_MARKS[2]) == "insert", F.lit("update_postimage")).otherwise(F.lit("update_preimage"))
    return F.when(is_update, image).otherwise(F.col(_MARKS[2]))


def _columns(names: Sequence[str]) -> list[Any]:
    return [F.col(f"`{name.replace('`', '``')}`") for name in names]


def _name_columns(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    return rows.toDF(SNAPSHOT, ROW_ID, *names)


def _insertions(spark: SparkSession, plan: ChangePlan) -> list[DataFrame]:
    parts = [_inserted_rows(spark, part) for part in plan.plain if part.inserted.files or part.inserted.inlined]
    return parts + [_net_rows(spark, net.after, net.before) for net in plan.merged]


def _deletions(spark: SparkSession, plan: ChangePlan) -> list[DataFrame]:
    parts = [_dated_rows(spark, part.ended) for part in plan.plain if part.ended.snapshots]
    for part in plan.plain:
        at_once, rest = _split_deletes(part)
        if at_once.files:
            parts.append(_dated_rows(spark, at_once, takes_deleted=True))
        parts += _deletions_from(spark, rest)
    return parts + [_net_rows(spark, net.before, net.after) for net in plan.merged]


def _union(spark: SparkSession, parts: Sequence[DataFrame], plan: ChangePlan, *, has_kinds: bool = False) -> DataFrame:
    """Return all rows, with the snapshot that each is told at.

    With ``has_kinds``, the kind of change stands behind the row id. There are no parts if no row changed in such a way.
    """
    kinds = [_MARKS[2]] if has_kinds else []
    if not parts:
        marks = [
            *(StructField(name, LongType()) for name in _MARKS[:2]),
            *(StructField(k, StringType()) for k in kinds),
        ]
        return spark.createDataFrame([], StructType([*marks, *spark_schema(plan.fields)]))
    names = [_MARKS[1], *kinds, *(field.name for field in plan.fields)]
    return reduce(DataFrame.union, [part.select(F.col(_TOLD).alias(_MARKS[0]), *_columns(names)) for part in parts])


def _inserted_rows(spark: SparkSession, plan: PlainChanges) -> DataFrame:
    rows = scan(spark, plan.inserted, lineage={"snapshot_id": _TOLD, "rowid": _MARKS[1]})
    return rows.where(F.col(_TOLD).between(int(plan.first), int(plan.last)))


def _dated_rows(spark: SparkSession, dated: DatedScan, *, takes_deleted: bool = False) -> DataFrame:
    """Return the rows, with the snapshot that each is told at."""
    lineage = {"place": _PLACE, "rowid": _MARKS[1], "snapshot_id": _BEGUN}
    rows = scan(spark, dated.scan, lineage=lineage, takes_deleted=takes_deleted)
    if not dated.rows and len(set(dated.files)) == 1:
        return rows.withColumn(_TOLD, F.lit(int(dated.files[0])).cast("bigint"))
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


def _split_deletes(part: PlainChanges) -> tuple[DatedScan, PlainChanges]:
    """Return the files that one snapshot deleted from, and all else.

    The files have the deleted rows as their deletes, so that a scan finds them as it finds others: no row is joined.
    """
    deletes, inlined = defaultdict(list), defaultdict(list)
    for one in part.deletes:
        deletes[one.data_file_id].append(one)
    for data_file, position, told in part.inlined_deletes:
        inlined[data_file].append((position, told))
    counts = [one.after.delete_count for one in part.deletes if one.before is not None]
    are_few = None not in counts and sum(count or 0 for count in counts) <= _FEW_PLACES
    taken: dict[DataFileId, tuple[ScanFile, SnapshotId]] = {}
    for file in part.deleted_from.files:
        of_files, of_rows = deletes[file.data_file_id], inlined[file.data_file_id]
        if not of_files and len({told for _, told in of_rows}) == 1:
            positions = tuple(sorted(position for position, _ in of_rows))
            taken[file.data_file_id] = replace(file, inlined_deletes=positions), of_rows[0][1]
        elif len(of_files) == 1 and not of_rows and (of_files[0].before is None or are_few):
            taken[file.data_file_id] = _newly_deleted(part.deleted_from, file, of_files[0]), of_files[0].snapshot_id
    files = tuple(file for file in part.deleted_from.files if file.data_file_id not in taken)
    return (
        DatedScan(
            replace(part.deleted_from, files=tuple(file for file, _ in taken.values())),
            tuple(told for _, told in taken.values()),
            {},
        ),
        replace(
            part,
            deleted_from=replace(part.deleted_from, files=files),
            deletes=tuple(one for one in part.deletes if one.data_file_id not in taken),
            inlined_deletes=tuple(one for one in part.inlined_deletes if one[0] not in taken),
        ),
    )


def _newly_deleted(plan: ScanPlan, file: ScanFile, deletes: NewDeletes) -> ScanFile:
    """Return a file with only those deletes that one delete file newly made."""
    if deletes.before is None:
        return replace(file, deletes=deletes.after)
    with storage.naming_table(file.path, plan.table):
        return replace(file, inlined_deletes=tuple(_new_positions(deletes.before, deletes.after).tolist()))


def _new_positions(before: ScanDeletes, after: ScanDeletes) -> NDArray[np.int64]:
    return np.setdiff1d(read_deletes(after), read_deletes(before), assume_unique=True)


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
            before, after = told["before"], ScanDeletes(**told["after"])
            positions = read_deletes(after) if before is None else _new_positions(ScanDeletes(**before), after)
            yield pa.RecordBatch.from_pydict(
                {
                    _PLACE: pa.array([place] * len(positions), pa.int64()),
                    _POSITION: pa.array(positions, pa.int64()),
                    _TOLD: pa.array([told["snapshot_id"]] * len(positions), pa.int64()),
                }
            )
