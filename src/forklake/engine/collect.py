"""Bringing the few rows of a Spark frame to the driver."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.engine.failures import running


def collect_arrow(frame: DataFrame, table: str) -> pa.Table:
    """Return the rows of a frame of the caller, which is about to go into a table.

    Raises:
        EngineError: The job failed.
    """
    with running(f'rows for table "{table}"'):
        return frame.toArrow()
