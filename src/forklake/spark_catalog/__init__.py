"""Catalogs of a lake as catalogs of a Spark session (docs/spec/spark-catalog.md).

Java asks, and Python answers: the Java half holds no logic of lakes.
"""

from typing import TYPE_CHECKING

from forklake.extras import submodules_of

__all__ = ["attach", "attached_catalog", "configured"]

if TYPE_CHECKING:
    from forklake.spark_catalog import attach, attached_catalog, configured
else:
    __getattr__ = submodules_of("spark", __name__, *__all__)  # they bring Spark
