"""Data files rewritten to the current columns of their table, by Spark tasks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.failures import guard_table
from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.driver.shared_path import check_shared
from forklake.files.access import storage
from forklake.files.parquet.rewrite_file import Rewriting, rewrite_file
from forklake.model.definitions import NewDataFile
from forklake.model.write import WriteTarget

_REPORT: Final = pa.schema([("number", pa.int64()), ("file", pa.binary())])


def rewrite_files(spark: SparkSession, old: Sequence[Rewriting], target: WriteTarget) -> list[NewDataFile]:
    """Rewrite files as `rewrite_file` does, several at a time, in order.

    If anything fails, no new file is left behind, as far as the storage allows.

    Raises:
        InvalidInputError: A value does not fit its column's new type.
        DataFileError: A file cannot be read or written.
        EngineError: The job failed.
    """
    directory = f"{target.directory}write-{uuid4()}/"
    try:
        with guard_table(target.table), progress(spark, f'Rewriting "{target.table}"'):
            check_shared(spark, target.directory)
            storage.make_directory(directory)
            numbers = spark.range(0, len(old), 1, len(old))
            reports = map_in_python(numbers, _task(old, target, directory), "number long, file binary").collect()
        files: dict[int, NewDataFile] = {report.number: pickle.loads(report.file) for report in reports}
        kept = {target.directory + file.path for file in files.values()}
        # What a task left that was tried again, or ran twice.
        storage.delete(path for path in storage.list_files(directory) if path not in kept)
    except BaseException:
        storage.delete_directory(directory)
        raise
    return [files[number] for number in range(len(old))]


def _task(
    old: Sequence[Rewriting], target: WriteTarget, directory: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    # An attempt that Spark stopped may still run when the write is over: it must not make the directory again.
    private = replace(target, directory=directory, is_private=True)
    below = directory.removeprefix(target.directory)

    def rewrite(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = batch.column(0).to_pylist()
            made = (rewrite_file(old[number], private) for number in numbers)
            files = [pickle.dumps(replace(file, path=below + file.path)) for file in made]
            yield pa.record_batch([pa.array(numbers, pa.int64()), pa.array(files, pa.binary())], schema=_REPORT)

    return rewrite
