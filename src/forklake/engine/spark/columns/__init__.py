"""Columns and their values in Spark: types, literals, casts, projections."""

from typing import TYPE_CHECKING

from forklake.extras import submodules_of

__all__ = [
    "column_expressions",
    "duckdb_functions",
    "projection",
    "spark_types",
]

if TYPE_CHECKING:
    from forklake.engine.spark.columns import column_expressions, duckdb_functions, projection, spark_types
else:
    __getattr__ = submodules_of("spark", __name__, *__all__)  # they bring PySpark
