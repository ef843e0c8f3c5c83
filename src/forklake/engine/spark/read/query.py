"""Queries: Spark SQL over frames, in a session with fixed settings.

In that session nothing but the query decides what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.columns.duckdb_functions import duckdb_functions
from forklake.engine.spark.driver.failures import SPARK_ERRORS, guard_jobs, reaching_spark, translation
from forklake.engine.spark.driver.gateway import losses
from forklake.engine.spark.driver.isolate import clone, without_rules
from forklake.engine.spark.driver.progress import watch
from forklake.engine.spark.driver.quiet import quiet
from forklake.engine.spark.driver.session import check_running, is_remote
from forklake.engine.spark.driver.time_limit import watch_jobs
from forklake.engine.spark.read.collect import arrow_batches
from forklake.model.scan import ScanPlan, plan_lines

_SETTINGS: Final = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "false",
    # The other classes of Java that a filter may be handed over in do not hold -infinity.
    "spark.sql.datetime.java8API.enabled": "true",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.legacy.sizeOfNull": "false",
    "spark.sql.legacy.statisticalAggregate": "false",  # stddev of one row is NULL
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    # What the parser learns from each query is kept, and takes more of Java's memory with every new form of a query.
    "spark.sql.parser.manageParserCaches": "true",
    "spark.sql.parser.parserDfaCacheFlushRatio": "10",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.variable.substitute": "false",  # ${...} in a string is no variable
}
"""What changes the meaning of a query, how its rows come back, or what is left of it in memory."""

SMALL_ROWS: Final = 5_000
"""Up to how many rows a query is run as one of few rows."""

_FEW_ROWS: Final = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
}
"""Of few rows, compiling a query and planning it anew after each stage takes several times as long as running it."""

_MAKES_ROWS: Final = re.compile(r"\b(range|sequence|explode|explode_outer|posexplode|stack)\s*\(", re.IGNORECASE)


@reaching_spark()
def query_session(spark: SparkSession) -> SparkSession:
    """Return a session for the queries of one connection.

    It is a copy of the caller's, with all settings fixed that change the meaning of a query. The caller's
    tuning is kept. Nothing that is set or registered in the copy reaches the caller.
    """
    # The rule fails for a subquery that is shown for each row of a table in several pieces: it looks for the columns of
    # the subquery among those of the table.
    return clone(spark, {**_SETTINGS, **without_rules(spark, "PushProjectionThroughUnion")})


def are_few(plans: Iterable[ScanPlan]) -> bool:
    """Return whether scans give so few rows that `query_frame` should know."""
    files = inlined = 0
    for plan in plans:
        files += sum(file.record_count for file in plan.files)
        inlined += sum(len(rows.rows) for rows in plan.inlined)
    return files + inlined <= SMALL_ROWS


def query_frame(
    spark: SparkSession, sql: str, frames: Mapping[str, DataFrame], *, of_few_rows: bool = False
) -> DataFrame:
    """Return the rows of a query, lazily: it is analysed now, and run for its rows.

    Args:
        spark: A session from `query_session`, used by one thread at a time.
        sql: Spark SQL.
        frames: The tables of the query, by name. They may belong to other sessions of the same application.
            Afterwards there is no view of the same name.
        of_few_rows: Whether the frames have few rows, see `are_few`: then the query is interpreted, in one task
            if possible.

    Raises:
        InvalidInputError: Spark does not understand the query.
    """
    since = losses()
    try:
        if is_remote(spark):
            with duckdb_functions(spark, sql):
                return _remote_query(spark, sql, frames)
        within = _few_rows_session(spark) if of_few_rows and not _MAKES_ROWS.search(sql) else spark
        watch_jobs(within)
        with quiet(), _views(within, frames), duckdb_functions(within, sql):
            return within.sql(sql)
    except SPARK_ERRORS as error:
        raise translation(error, "the query", since=since) from error


def limit_rows(frame: DataFrame, limit: int | None, offset: int = 0) -> DataFrame:
    """Skip the first rows of a frame and limit the rest, in the order they come."""
    frame = frame.offset(offset) if offset else frame
    return frame if limit is None else frame.limit(limit)


@reaching_spark()
def rename_columns(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return a query with its columns renamed.

    Raises:
        EngineError: Spark was lost since the query was made.
    """
    check_running(frame.sparkSession, "of the query", hint="Run the query again.")
    return frame.toDF(*names)


def collect_rows(frame: DataFrame, paths: Sequence[str] = (), what: str = "the query") -> pa.Table:
    """Return all rows of a query; times are in UTC whatever the session's zone.

    Args:
        frame: The query.
        paths: The files that the query reads, as messages should name them.
        what: What messages should call the query.

    Raises:
        InvalidInputError: A value cannot be computed; with the text of the function that failed, where it has
            one.
        DataFileError: A file is missing or damaged.
        EngineError: The job failed for another reason, or Spark was lost since the query was made.
    """
    check_running(frame.sparkSession, "of the query", hint="Run the query again.")
    with guard_jobs(what, paths), watch(frame.sparkSession, f"Running {what}"):
        return frame.toArrow() if is_remote(frame.sparkSession) else arrow_batches(frame)


def explain(frame: DataFrame, plans: Sequence[ScanPlan]) -> str:
    """Explain a query: the files read and skipped per table, then Spark's plan."""
    lines = [line for plan in plans for line in plan_lines(plan)]
    try:
        with quiet():
            spark_plan = _spark_plan(frame)
    except SPARK_ERRORS as error:
        raise translation(error, "the query") from error
    return "\n".join([*lines, spark_plan])


# ---- sessions --------------------------------------------------------------------------------------------------------

_twins: Final[WeakKeyDictionary[SparkSession, SparkSession]] = WeakKeyDictionary()


def _few_rows_session(spark: SparkSession) -> SparkSession:
    """Return the copy of a session that runs queries of few rows.

    It is made for the first of them.
    """
    found = _twins.get(spark)
    if found is None:
        found = _twins[spark] = clone(spark, _FEW_ROWS)
    return found


# ---- views -----------------------------------------------------------------------------------------------------------


@contextmanager
def _views(spark: SparkSession, frames: Mapping[str, DataFrame]) -> Iterator[None]:
    made: list[str] = []
    try:
        for name, frame in frames.items():
            _within(spark, frame).createOrReplaceTempView(name)
            made.append(name)
        yield
    finally:
        for name in made:
            spark.catalog.dropTempView(name)


def _within(spark: Any, frame: Any) -> Any:
    """Return a frame of another session as one of this session.

    Views belong to the session of their frame.
    """
    if frame.sparkSession is spark:
        return frame._jdf
    of_rows = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows
    return of_rows(spark._jsparkSession, frame._jdf.logicalPlan())


def _remote_query(spark: SparkSession, sql: str, frames: Mapping[str, DataFrame]) -> DataFrame:
    """Send the frames along with the query.

    A remote session analyses a query only when rows are asked for.
    """
    from pyspark.sql.connect.dataframe import DataFrame as RemoteFrame  # noqa: PLC0415 - needs grpc
    from pyspark.sql.connect.plan import SQL, SubqueryAlias  # noqa: PLC0415

    views = [SubqueryAlias(cast("Any", frame)._plan, name) for name, frame in frames.items()]
    frame = RemoteFrame(SQL(sql, views=views), cast("Any", spark))
    frame.schema  # noqa: B018  (lets the server say what is wrong)
    return cast("DataFrame", frame)


# ---- plans -----------------------------------------------------------------------------------------------------------


def _spark_plan(frame: Any) -> str:
    if is_remote(frame.sparkSession):
        return str(frame._explain_string()).strip()
    utilities = frame.sparkSession._jvm.org.apache.spark.sql.api.python.PythonSQLUtils
    return str(utilities.explainString(frame._jdf.queryExecution(), "formatted")).strip()
