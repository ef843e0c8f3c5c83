"""Making format ``forklake`` known to a session of Spark."""

from __future__ import annotations

from pyspark.sql import SparkSession

from forklake.connector.source import LakeSource
from forklake.ops.runtime import setup_of


def register(spark: SparkSession | None = None) -> SparkSession:
    """Make format ``forklake`` known to a session: the one given, else the active one, else one that is started now.

    No setting of the session is changed. Doing it twice does no harm.

    Raises:
        EngineError: There is no session and none can be started.
    """
    found = setup_of(spark=spark).spark()
    found.dataSource.register(LakeSource)
    return found
