"""Rows read by PyArrow, and queries computed by DuckDB, in this process.

That is the driver, or a Spark task. Nothing here imports PySpark.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["duckdb_rows"]

if TYPE_CHECKING:
    from forklake.engine.local import duckdb_rows
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring DuckDB
