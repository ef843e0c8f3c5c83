"""PyArrow's Parquet writer inside Spark tasks.

It is used for types, codecs and encryption that Spark's own writer lacks.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.columns.arrow_columns import storage_array
from forklake.engine.spark.driver.isolate import isolate
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.driver.time_limit import watch_jobs
from forklake.engine.spark.write.file_layout import lay_out, layout_settings
from forklake.engine.spark.write.partition_tokens import with_tokens
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.parquet.parquet_writer import write_files
from forklake.model.definitions import NewDataFile
from forklake.model.field import has_variants
from forklake.model.quoting import quote_spark_name
from forklake.model.write import WriteTarget

_SETTINGS: Final = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
}
_REPORT: Final = pa.schema([("file", pa.binary())])


def write_with_arrow(rows: DataFrame, target: WriteTarget, directory: str) -> list[NewDataFile]:
    """Write conformed rows into Parquet files below a directory.

    The rows are as `conform` returns them. The files are returned as the metadata records them. A task that is
    tried again, or runs twice, may leave other files in the directory.
    """
    if has_variants(target.fields):
        raise InvalidInputError(
            f'Rows of table "{target.table}" cannot be written by Spark: beside a variant it has columns that only'
            " PyArrow writes, or it is encrypted."
        )
    schema = arrow_schema(target.fields)
    with isolate(rows, layout_settings(rows.sparkSession) | _SETTINGS) as frame:
        watch_jobs(frame.sparkSession)
        tokened, tokens = with_tokens(frame, target)
        # Of columns with dots or backticks in their names, mapInArrow makes something else.
        columns = [
            F.col(quote_spark_name(field.name)).alias(f"c{number}") for number, field in enumerate(target.fields)
        ]
        arranged = lay_out(tokened, target, tokens).select(*columns)
        storage.make_directory(directory)
        # An attempt that Spark stopped may still run when the write is over: it must not make the directory again.
        task = _task(replace(target, directory=directory, is_private=True), schema)
        reports = map_in_python(arranged, task, "file binary").collect()
    below = directory.removeprefix(target.directory)
    files: Iterator[NewDataFile] = (pickle.loads(report.file) for report in reports)
    return [replace(file, path=f"{below}{file.path}") for file in files]


def _task(target: WriteTarget, schema: pa.Schema) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        files = write_files((_storage_batch(batch, target, schema) for batch in batches), target, schema)
        yield pa.record_batch([pa.array([pickle.dumps(file) for file in files], pa.binary())], schema=_REPORT)

    return write_partition


def _storage_batch(batch: pa.RecordBatch, target: WriteTarget, schema: pa.Schema) -> pa.RecordBatch:
    columns = [storage_array(values, field) for values, field in zip(batch.columns, target.fields, strict=True)]
    return pa.record_batch(columns, schema=schema)
