"""The Spark session and its Java process: how they start, fail and end."""

from typing import TYPE_CHECKING

from forklake.extras import submodules_of

__all__ = [
    "failures",
    "gateway",
    "session",
    "time_limit",
]

if TYPE_CHECKING:
    from forklake.engine.spark.driver import failures, gateway, session, time_limit
else:
    __getattr__ = submodules_of("spark", __name__, *__all__)  # they bring PySpark
