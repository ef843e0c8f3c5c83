"""The Spark session that jobs run in: the caller's, or one of our own.

Our own is lean, and is started when the first job needs it.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote as speaks_connect

from forklake.engine.display import show_line
from forklake.engine.spark.driver.environment import environment
from forklake.engine.spark.driver.gateway import forget, has_ended, is_lost, is_stopped
from forklake.engine.spark.driver.java import check_java
from forklake.engine.spark.driver.launch import launch
from forklake.engine.spark.driver.machine import driver_memory, memory_bytes, names_in_defaults_file
from forklake.engine.spark.driver.quiet import quiet
from forklake.engine.statement_limits import uncounted_time
from forklake.errors import EngineError

OWN_SETTINGS: Final = "forklake."
"""What settings of our own begin with; a session keeps them beside Spark's."""

GONE: Final = "Spark's Java process is gone"

_QUIET: Final = Path(__file__).with_name("log4j2.properties").as_uri()
_FAIR: Final = Path(__file__).with_name("fair.xml").as_uri()
_LEAN: Final = {
    "spark.app.name": "forklake",
    "spark.driver.defaultJavaOptions": f"-XX:+UseParallelGC -Dlog4j2.configurationFile={_QUIET}",
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # looks at the stack for every column that is built
    "spark.scheduler.allocation.file": _FAIR,
    "spark.scheduler.mode": "FAIR",  # threads of one application take turns
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "8",
    # What is over is kept for a page that is not shown: with each query the text of its plan, and the values in it.
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.ui.retainedTasks": "2000",
    "spark.ui.showConsoleProgress": "false",
}
_LOCAL: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # A task that runs out of memory fails. Else Java would end with it, which here is everybody's.
    "spark.executor.killOnFatalError.depth": "0",
}
_AGAIN: Final = (
    "Run it again: Spark is started anew. If it lacked memory, give it more:"
    ' Settings(spark={"spark.driver.memory": "4g"}).'
)
_MAKE_ANOTHER: Final = (
    "Make a new SparkSession, and give it to forklake.open(spark=), Lake.using() or forklake.connect(spark=)."
)
_starting: Final = threading.RLock()
_own: weakref.WeakSet[SparkContext] = weakref.WeakSet()
"""The contexts that were started here."""
_lost_theirs = False
"""Whether the caller's session was lost, and there was none since."""


def session(given: SparkSession | None, conf: Mapping[str, str]) -> SparkSession:
    """Return the session to use: the given one, else the active, else a new one.

    The active session may be the default one. Only a new session takes Spark's settings from ``conf``; an
    existing one keeps its own, and takes only those that begin with ``forklake.``. Threads that ask at the same
    time get the same session. It is never stopped here. If the Java process of our own session is gone, that is
    reported once, and then the session is started again; a caller's session is not.

    Raises:
        EngineError: There is no session and none can be started, or the Java process of the session is gone.
    """
    found = existing_session() if given is None else check_running(given, "that was given")
    if found is None:
        with uncounted_time(), _starting:
            found = existing_session() or _start(conf)
    for key, value in conf.items():
        if key.startswith(OWN_SETTINGS):
            found.conf.set(key, value)
    return found


def is_remote(spark: SparkSession) -> bool:
    """Return whether the session is a Spark Connect client, without a JVM in reach."""
    return not hasattr(spark, "_jsparkSession")


def is_running(spark: SparkSession) -> bool:
    """Return whether a session is running, as far as is known; no round trip.

    It is not if it was stopped, or if its Java process is known to have ended. Of a Spark Connect client
    nothing is known until it asks.
    """
    if is_remote(spark):
        return True
    context: Any = SparkContext._active_spark_context
    return cast("Any", spark)._sc is context and context._jsc is not None and not has_ended()


def existing_session() -> SparkSession | None:
    """Return the active or default session; None if none is running.

    Raises:
        EngineError: There was one, and its Java process is gone.
    """
    global _lost_theirs  # noqa: PLW0603 - one Java process for this one, as PySpark has it
    # A client of Spark Connect may have started the server itself, which is gone to it as any other is.
    if not speaks_connect() and has_ended() and (loss := detect_loss("nothing was done")) is not None:
        raise loss
    try:
        found = SparkSession.active()
    except PySparkRuntimeError:
        found = None
    except (Py4JError, ConnectionError) as error:
        raise (
            detect_loss("nothing was done") or EngineError(f"Spark does not answer: {_first_line(error)}")
        ) from error
    # A session whose context was stopped is still registered.
    if found is not None and is_running(found):
        _lost_theirs = False
        return found
    if _lost_theirs:
        raise EngineError(f"{GONE}, and the session was not started by forklake.", hint=_MAKE_ANOTHER)
    return None


def detect_loss(outcome: str) -> EngineError | None:
    """Return the error to raise if Spark was lost, and drop the connection to it.

    None: Spark is there.

    Args:
        outcome: What became of the statement that found out.
    """
    global _lost_theirs  # noqa: PLW0603
    with _starting:
        context = SparkContext._active_spark_context
        is_ours = context is not None and context in _own
        if is_lost():
            forget()
            if context is None:
                return None  # nobody had a session any more
            _lost_theirs = not is_ours
            return EngineError(f"{GONE}; {outcome}.", hint=hint_of_loss())
        if is_stopped():
            if is_ours:
                forget()
            return EngineError(f"Spark was stopped; {outcome}.", hint=_AGAIN if is_ours else _MAKE_ANOTHER)
    return None


def hint_of_loss() -> str:
    """Return the hint for users after Java was lost."""
    return _MAKE_ANOTHER if _lost_theirs else _AGAIN


def check_running(spark: SparkSession, which: str, hint: str = _MAKE_ANOTHER) -> SparkSession:
    """Return a caller's session if it is running.

    Raises:
        EngineError: It is stopped, or its Java process is gone.
    """
    if not is_running(spark):
        detect_loss("nothing was done")
        raise EngineError(
            f"The Spark session {which} is stopped, or its Java process is gone; nothing was done.", hint=hint
        )
    return spark


# ---- start -----------------------------------------------------------------------------------------------------------


def _start(conf: Mapping[str, str]) -> SparkSession:
    if SparkContext._active_spark_context is not None:
        return _of_context()
    settings = {key: value for key, value in conf.items() if not key.startswith(OWN_SETTINGS)}
    is_connect = "spark.remote" in settings or "SPARK_REMOTE" in os.environ
    if not is_connect:
        settings = _with_defaults(settings)
        if "PYSPARK_GATEWAY_PORT" not in os.environ:
            check_java()
    wanted = {"PYSPARK_PYTHON": settings.get("spark.pyspark.python", sys.executable)}
    if settings.get("spark.master", "").startswith("local"):
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"
    java = None
    builder = SparkSession.builder.config(map=dict(settings))
    try:
        with show_line("Starting Spark ..."), quiet(), environment(**wanted):
            if not is_connect and SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
                java = launch(settings)
            made = builder.getOrCreate()
    except BaseException as error:
        reason = _first_line(error)  # what went wrong in Java, Java is asked for
        # A half-started session is of no use to anybody, and stands in the way of the next.
        forget()
        if isinstance(error, (EngineError, PySparkException, Py4JError, OSError, ValueError)):
            where = settings.get("spark.remote") or settings.get("spark.master") or os.environ.get("SPARK_REMOTE")
            raise EngineError(f'Could not start Spark on "{where}": {reason}') from error
        raise
    finally:
        # The builder is one for the whole process: what we set must not reach a session that the caller builds later.
        for key in settings:
            SparkSession.builder._options.pop(key, None)
    if java is not None:
        java.show()
    if not is_remote(made):
        _own.add(made.sparkContext)
        # It would tell with a stack when Java goes; whoever needs Java is told so.
        cast("Any", made.sparkContext)._accumulatorServer.handle_error = lambda request, address: None
    return made


def _of_context() -> SparkSession:
    """Return a session for a SparkContext that the caller made without one.

    It keeps its settings.
    """
    try:
        return SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise EngineError(f"There is a SparkContext, and no session can be made of it: {_first_line(error)}") from error


def _with_defaults(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings completed with the defaults of our own sessions."""
    defaults = {**_LEAN, "spark.master": os.environ.get("MASTER", "local[*]")}
    if "SPARK_DRIVER_MEMORY" not in os.environ and not names_in_defaults_file("spark.driver.memory"):
        defaults["spark.driver.memory"] = driver_memory(memory_bytes())
    if settings.get("spark.master", defaults["spark.master"]).startswith("local"):
        defaults |= _LOCAL
    if re.search(r"-XX:\+Use\w+GC\b", settings.get("spark.driver.extraJavaOptions", "")):
        key = "spark.driver.defaultJavaOptions"
        defaults[key] = defaults[key].replace("-XX:+UseParallelGC ", "")  # Java takes only one
    return {**defaults, **settings}


def _first_line(error: BaseException) -> str:
    """Return the sentence of an error that says what went wrong, without a stack."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if re.match(r":?\s*(java|org)\.[\w.$]+(Exception|Error)\b", line)]
    return (causes or lines or [type(error).__name__])[0].lstrip(": ")
