"""Data sources of Python in a Spark session, and their Java half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.udf import _wrap_function

from forklake.engine.spark.driver.python_workers import name_python
from forklake.spark_catalog.classes import load_class


def register_source(spark: SparkSession, source: type[DataSource]) -> None:
    """Register a data source of Python in a session.

    As ``spark.dataSource.register`` does, which refuses a name that a class of Java has.
    """
    name_python(spark)
    session: Any = spark
    wrapped = _wrap_function(session.sparkContext, source)
    made = session._jvm.org.apache.spark.sql.execution.datasources.v2.python.UserDefinedPythonDataSource(wrapped)
    session._jsparkSession.sessionState().dataSourceManager().registerDataSource(source.name(), made)


def install_java_half(spark: SparkSession, source: Path, bridge: object) -> None:
    """Load the Java half of a data source, which asks a bridge.

    Raises:
        EngineError: Spark does not compile it.
    """
    session: Any = spark
    ensure_callback_server_started(session._sc._gateway)  # type: ignore[no-untyped-call]
    load_class(spark, source).register(session._jsparkSession, bridge)
