"""Registration of format ``forklake`` in a Spark session."""

from __future__ import annotations

from pyspark.sql import SparkSession

from forklake.connector.source import LakeSource
from forklake.ops.runtime import setup_of


def register(spark: SparkSession | None = None) -> SparkSession:
    """Register format ``forklake`` in a Spark session, and return the session.

    It is the session given, else the active one, else one that is started now. No setting of the session is
    changed. Registering twice does no harm.

    Raises:
        EngineError: There is no session and none can be started.
    """
    found = setup_of(spark=spark).spark()
    found.dataSource.register(LakeSource)
    return found
