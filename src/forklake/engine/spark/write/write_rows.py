"""Rows of a Spark frame written to data files of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.driver.failures import guard_table
from forklake.engine.spark.driver.hadoop import hadoop_path, is_for_arrow
from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.driver.shared_path import check_shared, check_written
from forklake.engine.spark.write.arrow_writer import write_with_arrow
from forklake.engine.spark.write.conform import conform
from forklake.engine.spark.write.data_files import describe_files
from forklake.engine.spark.write.native_writer import write_native
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow.values import display_array
from forklake.files.arrow.wide_integers import short_column
from forklake.files.parquet.partitions import hive_path
from forklake.model import types
from forklake.model.definitions import NewDataFile
from forklake.model.field import Field, has_unnumbered_parts, has_variants
from forklake.model.scan import ROW_ID_FIELD_ID
from forklake.model.types import Type
from forklake.model.write import WriteTarget

_ARROW_ONLY: Final[frozenset[Type]] = frozenset(
    {types.UINT8, types.UINT16, types.UINT32, types.UINT64, types.UUID, types.TIME, types.TIMESTAMP_NS}
)
"""Types that Spark's Parquet writer does not have."""


def write(frame: DataFrame, target: WriteTarget, *, by_name: bool = True) -> list[NewDataFile]:
    """Write the rows of a frame into new files of a table; no rows, no files.

    The files lie below the table's directory. Values are cast as docs/spec/casts.md says. The result does not
    depend on the settings of the frame's session. If anything fails, and on an interrupt, the jobs are
    cancelled and no file is left behind, as far as the storage allows. The files belong to no table yet:
    `remove` them if they are not committed.

    Args:
        frame: The rows. It is run once, or twice for a sorted table.
        target: The table.
        by_name: Whether columns are matched by name, not by position.

    Raises:
        InvalidInputError: The columns do not fit the table's, or a value does not fit its column.
        DataFileError: A file cannot be written.
        EngineError: The job failed.
    """
    if frame.isStreaming:
        raise InvalidInputError(
            f'A stream cannot be written to table "{target.table}" as a whole; nothing was written.',
            hint="Write each batch of it, with foreachBatch.",
        )
    with guard_table(target.table):
        rows = conform(frame, target.fields, target.table, by_name=by_name)
        return _write_conformed(rows, target)


def write_arrow(spark: SparkSession, rows: pa.Table, target: WriteTarget) -> list[NewDataFile]:
    """Write rows in memory, in parallel; otherwise as `write`.

    Args:
        spark: The session to use.
        rows: As `forklake.files.incoming.conform` returns them.
        target: The table.
    """
    with guard_table(target.table):
        return _write_conformed(spark_frame(spark, rows, target.fields), target)


def spark_frame(spark: SparkSession, rows: pa.Table, fields: tuple[Field, ...]) -> DataFrame:
    """Return rows in memory as a Spark frame.

    The rows are as `forklake.files.incoming.conform` returns them for these columns.
    """
    return spark.createDataFrame(shown_rows(rows, fields), spark_schema(fields))


def shown_rows(rows: pa.Table, fields: tuple[Field, ...]) -> pa.Table:
    """Return rows in memory in the types that Spark shows.

    The rows are as `forklake.files.incoming.conform` returns them for these columns.
    """
    return pa.table(
        [short_column(display_array(field, rows.column(field.name)), field.name) for field in fields],
        [field.name for field in fields],
    )


def _write_conformed(rows: DataFrame, target: WriteTarget) -> list[NewDataFile]:
    """Write rows that `conform` returned."""
    directory = f"{target.directory}write-{uuid4()}/"
    try:
        with progress(rows.sparkSession, f'Writing "{target.table}"'):
            check_shared(rows.sparkSession, target.directory)
            if needs_arrow(target) or is_for_arrow(rows.sparkSession, target.table, [directory], target.fields):
                files = write_with_arrow(rows, target, directory)
            else:
                write_native(rows, target, hadoop_path(directory))
                check_written(directory)
                files = describe_files(target, directory)
        return move_into_place(files, target, directory)
    except BaseException:
        storage.delete_directory(directory)
        raise


def remove(target: WriteTarget, files: Iterable[NewDataFile]) -> list[str]:
    """Delete uncommitted files of `write`; return the paths that still exist."""
    return storage.delete(f"{target.directory}{file.path}" for file in files)


def needs_arrow(target: WriteTarget) -> bool:
    """Return whether PyArrow writes this table's files.

    Spark's own Parquet writer cannot, or tells too little of them.
    """
    if target.is_encrypted or target.options.parquet_compression == "brotli" or _has_any(target.fields, _ARROW_ONLY):
        return True
    if _has_any(target.fields, {types.GEOMETRY}) and not has_variants(target.fields):
        return True  # PyArrow's tells the boxes of geometries
    # Spark's files with lists need a name mapping, with which DuckDB does not find the ids that rows carry.
    carries_ids = any(field.column_id == ROW_ID_FIELD_ID for field in target.fields)
    return carries_ids and has_unnumbered_parts(target.fields)


def _has_any(fields: Iterable[Field], kinds: Collection[Type]) -> bool:
    return any(field.type in kinds or _has_any(field.children, kinds) for field in fields)


def move_into_place(
    files: Sequence[NewDataFile], target: WriteTarget, directory: str, below: Sequence[str] | None = None
) -> list[NewDataFile]:
    """Move files to their final paths, and delete the directory they were written to.

    Local files are renamed. Object stores can only copy, so there files stay where they are, and all else in
    the directory is deleted.

    Args:
        files: The files.
        target: The table.
        directory: Where they were written to.
        below: Where each file goes below the table's directory; by default, where its partition belongs.
    """
    if not storage.is_local(directory):
        kept = {f"{target.directory}{file.path}" for file in files}
        storage.delete(path for path in storage.list_files(directory) if path not in kept)
        return list(files)
    moved: list[NewDataFile] = []
    try:
        for file, place in zip(files, below or [_below(file, target) for file in files], strict=True):
            path = f"{place}{storage.new_file_name()}"
            storage.move(f"{target.directory}{file.path}", f"{target.directory}{path}")
            moved.append(replace(file, path=path))
        storage.delete_directory(directory)
    except BaseException:
        remove(target, moved)
        raise
    return moved


def _below(file: NewDataFile, target: WriteTarget) -> str:
    if not target.partition_keys or not target.options.hive_file_pattern or target.is_encrypted:
        return ""
    return hive_path(target.partition_keys, file.partition_values)
