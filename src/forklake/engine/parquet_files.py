"""Parquet files that belong to no table."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from forklake.engine.failures import running


def read_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return the rows of files, with the columns of the first; footers are read now, rows when they are asked for.

    Raises:
        DataFileError: A file is missing, damaged or encrypted.
        EngineError: The job failed for another reason.
    """
    with running("the files", paths):
        return spark.read.parquet(*paths)
