"""Footers of files that others wrote, read by Spark tasks."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import pyarrow as pa
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.failures import guard_table
from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.files.foreign.adopt_files import Adoption, adopt_files
from forklake.model.definitions import NewDataFile

_FILES_PER_TASK: Final = 1_000
_REPORT: Final = pa.schema([("number", pa.int64()), ("files", pa.binary())])


def adopt_in_tasks(spark: SparkSession, paths: Sequence[str], adoption: Adoption) -> list[NewDataFile]:
    """Return files as new data files of a table, as `adopt_files` does, in order.

    Raises:
        InvalidInputError: A file does not fit the table.
        DataFileError: A file is missing, damaged, encrypted or no Parquet file.
        EngineError: The job failed.
    """
    parts = [list(paths[first : first + _FILES_PER_TASK]) for first in range(0, len(paths), _FILES_PER_TASK)]

    def adopt(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = batch.column(0).to_pylist()
            made = [pickle.dumps(adopt_files(parts[number], adoption)) for number in numbers]
            yield pa.record_batch([pa.array(numbers, pa.int64()), pa.array(made, pa.binary())], schema=_REPORT)

    table = adoption.rules.table
    with guard_table(table), progress(spark, f'Reading footers for "{table}"'):
        numbers = spark.range(0, len(parts), 1, len(parts))
        reports = map_in_python(numbers, adopt, "number long, files binary").collect()
    found: dict[int, list[NewDataFile]] = {report.number: pickle.loads(report.files) for report in reports}
    return [file for number in range(len(parts)) for file in found[number]]
