"""Catalogs of a lake as catalogs of a Spark session (docs/spec/spark-catalog.md).

Java asks, and Python answers: the Java half holds no logic of lakes.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["attach", "configured"]

if TYPE_CHECKING:
    from forklake.spark_catalog import attach, configured
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring Spark
