"""The Spark session that jobs run in: the caller's, or a lean one that is started when the first job needs it."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession

from forklake.engine.java import check_java
from forklake.errors import EngineError

OWN_SETTINGS: Final = "forklake."
"""What settings of our own begin with; a session keeps them beside Spark's."""

_QUIET: Final = Path(__file__).with_name("log4j2.properties").as_uri()
_FAIR: Final = Path(__file__).with_name("fair.xml").as_uri()
_LEAN: Final = {
    "spark.app.name": "forklake",
    "spark.driver.extraJavaOptions": f"-XX:+UseParallelGC -Dlog4j2.configurationFile={_QUIET}",
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # looks at the stack for every column that is built
    "spark.scheduler.allocation.file": _FAIR,
    "spark.scheduler.mode": "FAIR",  # threads of one application take turns
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.ui.retainedExecutions": "100",  # what is over is kept for a page that is not shown
    "spark.ui.enabled": "false",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.ui.retainedTasks": "2000",
    "spark.ui.showConsoleProgress": "false",
}
_LOOPBACK: Final = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
_starting: Final = threading.Lock()


def session(given: SparkSession | None, conf: Mapping[str, str]) -> SparkSession:
    """Return the session to use: the one given, else the active or default one, else a new one.

    Only a new session takes Spark's settings from ``conf``; one that exists keeps its own, and takes only those that
    begin with ``forklake.``. Threads that ask at the same time get the same session. It is never stopped here.

    Raises:
        EngineError: There is no session and none can be started.
    """
    found = given or existing()
    if found is None:
        with _starting:
            found = existing() or _started(conf)
    for key, value in conf.items():
        if key.startswith(OWN_SETTINGS):
            found.conf.set(key, value)
    return found


def is_remote(spark: SparkSession) -> bool:
    """Return whether the session is a client of Spark Connect, which has no JVM at hand."""
    return not hasattr(spark, "_jsparkSession")


def existing() -> SparkSession | None:
    """Return the active or default session, None if there is none that runs.

    Raises:
        EngineError: There is one, and its Java process is gone.
    """
    try:
        found = SparkSession.active()
    except PySparkRuntimeError:
        return None
    except (Py4JNetworkError, ConnectionError) as error:
        raise EngineError(
            "Spark's Java process is gone, and no other can be started in this process.",
            hint="Start the program again.",
        ) from error
    if is_remote(found):
        return found
    # A session whose context was stopped is still registered.
    return found if found.sparkContext._jsc is not None else None


def _started(conf: Mapping[str, str]) -> SparkSession:
    settings = {key: value for key, value in conf.items() if not key.startswith(OWN_SETTINGS)}
    is_connect = "spark.remote" in settings or "SPARK_REMOTE" in os.environ
    if not is_connect:
        settings = {**_LEAN, "spark.master": os.environ.get("MASTER", "local[*]"), **settings}
        if settings["spark.master"].startswith("local"):
            settings = {**_LOOPBACK, **settings}
        if "PYSPARK_GATEWAY_PORT" not in os.environ:
            check_java()
    builder = SparkSession.builder.config(map=dict(settings))
    try:
        python = settings.get("spark.pyspark.python", sys.executable)
        with _environment(python, local=settings.get("spark.master", "").startswith("local")):
            return builder.getOrCreate()
    except (PySparkException, Py4JError, OSError, ValueError) as error:
        where = settings.get("spark.remote") or settings.get("spark.master") or os.environ.get("SPARK_REMOTE")
        raise EngineError(f'Could not start Spark on "{where}": {_first_line(error)}') from error
    finally:
        # The builder is one for the whole process: what we set must not reach a session that the caller builds later.
        for key in settings:
            SparkSession.builder._options.pop(key, None)


@contextmanager
def _environment(python: str, *, local: bool) -> Iterator[None]:
    """Let the JVM and the Python workers start with what they need, and leave the environment as it was."""
    wanted = {"PYSPARK_PYTHON": python}
    if local:
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"
    added = [name for name in wanted if name not in os.environ]
    os.environ.update({name: wanted[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _first_line(error: BaseException) -> str:
    """Return the sentence of an error that says what went wrong, without a Java stack."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if re.match(r":?\s*(java|org)\.[\w.$]+(Exception|Error)\b", line)]
    return (causes or lines or [type(error).__name__])[0].lstrip(": ")
