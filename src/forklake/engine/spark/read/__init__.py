"""Reading: frames from tables and files, queries on them, and their rows."""

from typing import TYPE_CHECKING

from forklake.extras import submodules_of

__all__ = [
    "adopt_in_tasks",
    "change_feed",
    "collect",
    "noted_reads",
    "query",
    "row_differences",
    "row_positions",
    "rows_frame",
    "shared_scan",
    "table_rows",
]

if TYPE_CHECKING:
    from forklake.engine.spark.read import (
        adopt_in_tasks,
        change_feed,
        collect,
        noted_reads,
        query,
        row_differences,
        row_positions,
        rows_frame,
        shared_scan,
        table_rows,
    )
else:
    __getattr__ = submodules_of("spark", __name__, *__all__)  # they bring PySpark
