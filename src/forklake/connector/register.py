"""Registration of format ``forklake`` in a Spark session."""

from __future__ import annotations

from pyspark.sql import SparkSession

from forklake.connector import driver_source
from forklake.connector.source import LakeSource
from forklake.engine.spark.driver.session import is_remote
from forklake.ops.lakes.runtime import setup_of
from forklake.spark_catalog.classes import is_known


def register(spark: SparkSession | None = None) -> SparkSession:
    """Register format ``forklake`` in a Spark session, and return the session.

    It is the session given, else the active one, else one that is started now. No setting of the session is
    changed, but for one that is ours. Registering twice does no harm.

    Raises:
        EngineError: There is no session and none can be started.
    """
    found = setup_of(spark=spark).spark()
    if is_remote(found) or not is_known(found):
        found.dataSource.register(LakeSource)
    else:
        driver_source.install(found)
    return found
