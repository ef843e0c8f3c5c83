"""Queries: Spark SQL over frames, in a session in which nothing but the query decides what it means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import VariantVal

from forklake.engine.spark.driver.failures import SPARK_ERRORS, reaching_spark, running, translation
from forklake.engine.spark.driver.gateway import losses
from forklake.engine.spark.driver.isolate import cloned, without_rule
from forklake.engine.spark.driver.quiet import quiet
from forklake.engine.spark.driver.session import checked, is_remote
from forklake.engine.spark.read.collect import arrow_batches
from forklake.model.scan import ScanPlan, plan_lines

_SETTINGS: Final = {
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.legacy.sizeOfNull": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.variable.substitute": "false",  # ${...} in a string is no variable
}
"""What changes the meaning of a query, or how its rows come back."""

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
    """Return a session for the queries of one connection: a copy of the caller's, with what changes meaning set.

    What the caller tuned stays tuned. Nothing that is set or registered in it is seen by the caller.
    """
    # The rule fails for a subquery that is shown for each row of a table in several pieces: it looks for the columns of
    # the subquery among those of the table.
    return cloned(spark, {**_SETTINGS, **without_rule(spark, "PushProjectionThroughUnion")})


def are_few(plans: Iterable[ScanPlan]) -> bool:
    """Return whether scans give so few rows that a query of them is one of few rows."""
    files = inlined = 0
    for plan in plans:
        files += sum(file.record_count for file in plan.files)
        inlined += sum(len(rows.rows) for rows in plan.inlined)
    return files + inlined <= SMALL_ROWS


def query_frame(
    spark: SparkSession, sql: str, frames: Mapping[str, DataFrame], *, of_few_rows: bool = False
) -> DataFrame:
    """Return the rows of a query, lazily: it is analysed now, and run by whoever asks for rows.

    Args:
        spark: A session as `query_session` gives it, used by one thread at a time.
        sql: Spark SQL.
        frames: What the tables in it are, by name. They may belong to other sessions of the same application. No
            view of the same name is there afterwards.
        of_few_rows: The frames have few rows, see `are_few`: the query is interpreted, in one task where it can be.

    Raises:
        InvalidInputError: Spark cannot make sense of the query.
    """
    since = losses()
    try:
        if is_remote(spark):
            return _remote_query(spark, sql, frames)
        within = _twin(spark) if of_few_rows and not _MAKES_ROWS.search(sql) else spark
        with quiet(), _views(within, frames):
            return within.sql(sql)
    except SPARK_ERRORS as error:
        raise translation(error, "the query", since=since) from error


def limited(frame: DataFrame, limit: int | None, offset: int = 0) -> DataFrame:
    """Return rows without the first ones, and at most so many; in the order that they come in."""
    frame = frame.offset(offset) if offset else frame
    return frame if limit is None else frame.limit(limit)


@reaching_spark()
def named(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return a query with other names of its columns.

    Raises:
        EngineError: Spark was lost since the query was made.
    """
    checked(frame.sparkSession, "of the query", hint="Run the query again.")
    return frame.toDF(*names)


def collect_rows(frame: DataFrame, paths: Sequence[str] = (), what: str = "the query") -> pa.Table:
    """Return all rows of a query; moments are in UTC whatever the session's zone.

    Args:
        frame: The query.
        paths: The files that it reads, as messages shall name them.
        what: What it is, as messages shall name it.

    Raises:
        InvalidInputError: A value cannot be computed; in the words of the function that could not, where it has any.
        DataFileError: A file is missing or damaged.
        EngineError: The job failed for another reason, or Spark was lost since the query was made.
    """
    checked(frame.sparkSession, "of the query", hint="Run the query again.")
    with running(what, paths):
        return frame.toArrow() if is_remote(frame.sparkSession) else arrow_batches(frame)


def variant_values(pairs: Sequence[tuple[bytes, bytes] | None]) -> list[Any]:
    """Return what variants mean in Python; they are collected as their value and metadata."""
    return [None if pair is None else VariantVal(*pair).toPython() for pair in pairs]


def explain(frame: DataFrame, plans: Sequence[ScanPlan]) -> str:
    """Return what a query does: the files of each table that it reads and leaves out, then Spark's plan."""
    lines = [line for plan in plans for line in plan_lines(plan)]
    try:
        with quiet():
            spark_plan = _spark_plan(frame)
    except SPARK_ERRORS as error:
        raise translation(error, "the query") from error
    return "\n".join([*lines, spark_plan])


# ---- sessions --------------------------------------------------------------------------------------------------------

_twins: Final[WeakKeyDictionary[SparkSession, SparkSession]] = WeakKeyDictionary()


def _twin(spark: SparkSession) -> SparkSession:
    """Return the copy of a session that queries of few rows are run in; it is made for the first of them."""
    found = _twins.get(spark)
    if found is None:
        found = _twins[spark] = cloned(spark, _FEW_ROWS)
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
    """Return a frame of another session as one of this session: views belong to the session of their frame."""
    if frame.sparkSession is spark:
        return frame._jdf
    of_rows = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows
    return of_rows(spark._jsparkSession, frame._jdf.logicalPlan())


def _remote_query(spark: SparkSession, sql: str, frames: Mapping[str, DataFrame]) -> DataFrame:
    """Send the frames along with the query: a remote session analyses it only when rows are asked for."""
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
