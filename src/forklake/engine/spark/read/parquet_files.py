"""Parquet files that belong to no table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from forklake.engine.allowance import charge_files, current_allowance
from forklake.engine.spark.driver.failures import guard_jobs
from forklake.engine.spark.driver.hadoop import check_uncovered
from forklake.engine.spark.read.pushed_filters import filter_options
from forklake.files import storage

_AS_NAMED: Final = {"__globPaths__": "false"}
"""Spark's own option for paths that are no patterns: names may have braces, brackets and stars in them."""


def read_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return the rows of files, with the columns of the first file.

    Footers are read now, rows when they are asked for. Filters on the rows find NaN and both zeros, as the
    writer of the files is unknown.

    Raises:
        DataFileError: A file is missing, damaged or encrypted.
        EngineError: The job failed for another reason, or a secret of the session covers a file.
    """
    if current_allowance() is not None:
        charge_files(storage.sizes(paths).items())
    check_uncovered(paths)
    with guard_jobs("the files", paths):
        rows = spark.read.options(**_AS_NAMED).parquet(*paths)
        options = filter_options(rows.schema, ())
        return spark.read.schema(rows.schema).options(**options, **_AS_NAMED).parquet(*paths) if options else rows
