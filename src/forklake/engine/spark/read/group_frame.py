"""The rows of one group of files, in the columns of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import LongType, StructField, StructType

from forklake.engine.spark.columns.projection import is_same, project
from forklake.engine.spark.columns.spark_types import LINEAGE_TYPES, read_type, spark_schema
from forklake.engine.spark.driver.hadoop import is_for_arrow
from forklake.engine.spark.read import delete_join as file_facts
from forklake.engine.spark.read.arrow_reader import PATH_COLUMN, POSITION_COLUMN, read_with_arrow
from forklake.engine.spark.read.file_index import read_parquet
from forklake.engine.spark.read.groups import FileGroup, needs_vectors
from forklake.engine.spark.read.valued_files import valued_frame
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.numbering import Run
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN

_POSITION: Final = "_ducklake_forklake_row_number"
_OF_SPARK: Final = "_tmp_metadata_row_index"
"""Spark's reader takes a column of this name for the positions of rows, whatever the file holds."""

_VECTOR_SETTINGS: Final = (
    "spark.sql.parquet.enableVectorizedReader",
    "spark.sql.parquet.enableNestedColumnVectorizedReader",
)


def group_frame(
    spark: SparkSession, table: str, group: FileGroup, needed: Sequence[Field], extra: Mapping[str, str]
) -> DataFrame:
    """Return the needed columns of the table, then lineage.

    ``extra`` maps the names to return lineage under to the names of lineage. Files without deletes that hold
    all columns as the table shows them are read as Spark would read them alone.
    """
    if needs_vectors(group.fields) and not all(spark.conf.get(key, "true") == "true" for key in _VECTOR_SETTINGS):
        group = replace(group, needs_arrow=True)
    if is_for_arrow(spark, table, (file.path for file in group.files), group.fields):
        group = replace(group, needs_arrow=True)
    if any(fold(field.name) == _OF_SPARK for field in group.fields):
        group = replace(group, needs_arrow=True)
    if _is_raw(group, needed, extra):
        schema = spark_schema(group.fields, read_type)
        if not group.is_dirty:
            return read_parquet(spark, group.files, schema, group.without_nan, group.share)
        raw = valued_frame(spark, table, group, schema, set(), None)
        if raw is not None:
            return raw
    asked = set(extra.values())
    from_path = [field for field in needed if field.column_id in dict(group.from_path)]
    frame = _rows(spark, table, group, asked, from_path)
    if group.upto is not None:
        snapshot = F.col(SNAPSHOT_ID_COLUMN)
        frame = frame.where((snapshot <= int(group.upto)) | snapshot.isNull())
    by_path = {field.column_id: F.col(file_facts.from_path_column(field)) for field in from_path}
    columns = [
        by_path[field.column_id].alias(field.name)
        if field.column_id in by_path
        else project(field, group.fields, lambda held: F.col(quote_spark_name(held.name)))
        for field in needed
    ]
    return frame.select(*columns, *[_LINEAGE[name](group).alias(output) for output, name in extra.items()])


def _is_raw(group: FileGroup, needed: Sequence[Field], extra: Mapping[str, str]) -> bool:
    """Return whether files hold what is asked for as it is shown.

    Some of their rows may be deleted.
    """
    if extra or group.needs_arrow or group.upto is not None or len(needed) != len(group.fields):
        return False
    pairs = zip(needed, group.fields, strict=True)
    return all(field.name == held.name and is_same(field, held) for field, held in pairs)


def _rows(spark: SparkSession, table: str, group: FileGroup, asked: set[str], from_path: Sequence[Field]) -> DataFrame:
    """Return the rows of a group's files that are not deleted, with their lineage.

    Lineage is what each row carries in its file, and where it comes from.
    """
    fields = list(spark_schema(group.fields, read_type).fields)
    if asked & _ROW_IDS:
        fields.append(StructField(ROW_ID_COLUMN, LongType()))
    if "snapshot_id" in asked or group.upto is not None:
        fields.append(StructField(SNAPSHOT_ID_COLUMN, LongType()))
    schema = StructType(fields)
    if not group.needs_arrow and not from_path:
        frame = valued_frame(spark, table, group, schema, asked, _POSITION)
        if frame is not None:
            return frame
    frame = _rows_with_positions(spark, table, group, schema)
    if group.is_dirty or from_path or asked - _OF_ROWS:
        frame = file_facts.with_facts(frame, spark, table, group, from_path)
    if not group.is_dirty:
        return frame
    is_kept = file_facts.is_kept(F.col(_POSITION))
    return frame.where(~is_kept if group.takes_deleted else is_kept)


def _rows_with_positions(spark: SparkSession, table: str, group: FileGroup, schema: StructType) -> DataFrame:
    """Return the rows of a group's files as they are, with their files and positions."""
    if group.needs_arrow:
        rows = read_with_arrow(spark, table, group.files, schema)
        return rows.withColumnsRenamed({PATH_COLUMN: file_facts.FILE, POSITION_COLUMN: _POSITION})
    rows = read_parquet(spark, group.files, schema, group.without_nan, group.share)
    position = rows.metadataColumn("_metadata").getField("row_index").alias(_POSITION)
    depth = file_facts.name_depth(group.files)
    file_facts.check_keys(rows, group.files, depth)
    key = file_facts.file_key(rows, depth).alias(file_facts.FILE)
    return rows.select(*[F.col(quote_spark_name(name)) for name in schema.names], position, key)


def _snapshot(group: FileGroup) -> Column:
    """Return the snapshot that a row carries, as our id."""
    carried = F.col(SNAPSHOT_ID_COLUMN)
    if group.numbering is None:
        return carried
    return F.when(carried.isNotNull(), _renumber(carried, group.numbering.runs))


def _renumber(number: Column, runs: Sequence[Run]) -> Column:
    """Return our snapshot id for the number that a row of an imported file carries.

    A snapshot that was not imported becomes the next imported one. The expression is a tree as deep as the
    logarithm of the runs: in a history with many gaps, a chain would overflow Spark's stack.
    """
    if len(runs) == 1:
        run = runs[0]
        return F.greatest(number, F.lit(run.number).cast("bigint")) + F.lit(int(run.snapshot_id) - run.number)
    middle = len(runs) // 2
    last = runs[middle - 1]
    is_before = number < F.lit(last.number + last.count)
    before, after = _renumber(number, runs[:middle]), _renumber(number, runs[middle:])
    return F.when(is_before, before).otherwise(after)


def _row_id() -> Column:
    return F.coalesce(F.col(ROW_ID_COLUMN), F.col(file_facts.ROW_ID_START) + F.col(_POSITION))


_LINEAGE: Final[dict[str, Callable[[FileGroup], Column]]] = {
    "rowid": lambda _: _row_id(),
    "own_rowid": lambda _: _row_id(),
    "snapshot_id": lambda group: F.coalesce(_snapshot(group), F.col(file_facts.SNAPSHOT)),
    "filename": lambda _: F.col(file_facts.PATH),
    "file_row_number": lambda _: F.col(_POSITION),
    "file_index": lambda _: F.col(file_facts.INDEX).cast(LINEAGE_TYPES["file_index"]),
    "place": lambda _: F.col(file_facts.INDEX),
    "data_file": lambda _: F.col(file_facts.DATA_FILE),
    "data_file_row": lambda _: F.col(_POSITION),
}
_ROW_IDS: Final = frozenset({"rowid", "own_rowid"})
_OF_ROWS: Final = frozenset({"file_row_number", "data_file_row"})
