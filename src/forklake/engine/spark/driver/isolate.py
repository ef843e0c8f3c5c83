"""Frames in sessions of their own, with settings that their callers do not see."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, cast

from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.driver.session import is_remote

_SHARED: Final = frozenset({"_jsc", "_jvm", "_profiler_collector", "_sc"})
"""What sessions of one Spark context have in common."""


_DEPRECATED: Final = frozenset({"spark.sql.parser.escapedStringLiterals"})
"""Settings that Spark warns about whenever they are set, whatever to."""

EXCLUDED_RULES: Final = "spark.sql.optimizer.excludedRules"
_OPTIMIZER: Final = "org.apache.spark.sql.catalyst.optimizer"


def without_rules(spark: SparkSession, *rules: str) -> dict[str, str]:
    """Return the setting that excludes rules of the optimizer.

    Rules that the session excludes stay excluded.
    """
    before = spark.conf.get(EXCLUDED_RULES, None)
    return {EXCLUDED_RULES: ",".join([*filter(None, [before]), *(f"{_OPTIMIZER}.{rule}" for rule in rules)])}


@contextmanager
def isolate(frame: DataFrame, settings: Mapping[str, str]) -> Iterator[DataFrame]:
    """Provide a frame in a copy of its session that has more settings.

    The frame keeps its plan, cached data included. The copy is gone afterwards. The caller's session is not
    touched, so threads do not see each other's settings.
    """
    if is_remote(frame.sparkSession):
        with _remote(frame, settings) as made:
            yield made
        return
    spark = cast("Any", frame.sparkSession)
    java_session = cast("Any", frame)._jdf.sparkSession().cloneSession()
    _set(java_session.conf(), settings)
    plan = cast("Any", frame)._jdf.queryExecution().analyzed()
    made = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(java_session, plan)
    yield cast("Any", type(frame))(made, _python_session(spark, java_session))


def clone(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """Return a copy of a session with more settings; it lives while it is referenced.

    It has the current settings, views and functions of the session, and never becomes the active session.
    """
    if is_remote(spark):
        copy: Any = _remote_copy(spark) if hasattr(spark, "cloneSession") else spark.newSession()
        # Left to the end of the process, the session would wait then for a thread that is there no more.
        weakref.finalize(copy, _release, copy.client)
        _set(copy.conf, settings)
        return cast("SparkSession", copy)
    java_session = cast("Any", spark)._jsparkSession.cloneSession()
    _set(java_session.conf(), settings)
    return _python_session(spark, java_session)


def _set(conf: Any, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        if key not in _DEPRECATED or conf.get(key) != value:
            conf.set(key, value)


class _OwnSession(SparkSession):
    """A session that never becomes the active one.

    That holds even after it has made a frame of Python data.
    """

    def createDataFrame(self, *args: Any, **options: Any) -> Any:  # noqa: N802
        sessions = cast("Any", SparkSession)._get_j_spark_session_class(cast("Any", self)._jvm)
        before, java_before = SparkSession._activeSession, sessions.getActiveSession()
        try:
            return super().createDataFrame(*args, **options)
        finally:
            SparkSession._activeSession = before
            if java_before.isDefined():
                sessions.setActiveSession(java_before.get())
            else:
                sessions.clearActiveSession()


def _python_session(spark: Any, java_session: Any) -> SparkSession:
    """Return the Python side of a session.

    Its constructor is not called, as that would hand the session to all RDDs of the process.
    """
    made = object.__new__(_OwnSession)
    made.__dict__.update({name: value for name, value in vars(spark).items() if name in _SHARED})
    made._jsparkSession = java_session
    return cast("SparkSession", made)


def _remote_copy(spark: Any) -> Any:
    spark.version  # noqa: B018  (the server knows no session before the first thing that is asked of it)
    copy = spark.cloneSession()
    copy.client.set_retry_policies(spark.client.get_retry_policies())  # as patient as the caller's
    return copy


def _release(client: Any) -> None:
    """End a session of a server.

    `stop` is not used: on a server of this process it ends every other session too.
    """
    with suppress(Exception):  # it, or the server, may be gone already
        client.release_session()
        client.close()


@contextmanager
def _remote(frame: DataFrame, settings: Mapping[str, str]) -> Iterator[DataFrame]:
    spark = cast("Any", frame.sparkSession)
    if hasattr(spark, "cloneSession"):
        copy = _remote_copy(spark)
        try:
            _set(copy.conf, settings)
            yield cast("Any", type(frame))(cast("Any", frame)._plan, copy)
        finally:
            _release(copy.client)
        return
    # Servers before 4.1 cannot copy a session: its own settings are changed, and put back.
    before = {key: spark.conf.get(key, None) for key in settings}
    try:
        _set(spark.conf, settings)
        yield frame
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)
