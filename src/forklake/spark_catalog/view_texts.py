"""Texts of views that mean the same to Spark and to DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pyspark.sql import DataFrame

from forklake.config import UNLIMITED
from forklake.duck.bound_queries import refusal
from forklake.engine.spark.driver.failures import SPARK_ERRORS
from forklake.engine.spark.driver.isolate import clone
from forklake.engine.spark.read.query import query_frame
from forklake.errors import ForklakeError, InvalidInputError
from forklake.model.quoting import quote_name, quote_spark_name
from forklake.session.connection import Connection
from forklake.spark_catalog.attached import MAIN, Attached, Words
from forklake.sql.spark_view import Name, Saying, SparkView, spark_view

_HINT: Final = (
    "Make the view in DuckDB's words with catalog.views.create(), or make a temporary view, which is Spark's alone."
)


class CommonText(NamedTuple):
    """A query in DuckDB's SQL, and the names of its columns."""

    sql: str
    columns: list[str]


def common_text(attached: Attached, words: Words) -> CommonText:
    """Return a text in DuckDB's SQL that means what a query of Spark means.

    It is the query itself, but for the names of tables, or its translation: whichever becomes the same plan as the
    query of Spark, over the same columns. Tables are named with their schemas, and without the catalog.

    Raises:
        InvalidInputError: No such text is known, or the query reads something that is not of the catalog.
    """
    in_use = words["in_use"]
    view = spark_view(words["text"], attached.name, words["catalog_in_use"] or "", in_use[0] if in_use else MAIN)
    with attached.catalog.session(confined=UNLIMITED) as session:
        frames = {stand_in: _stand_in(attached, session, stand_in, name) for stand_in, name in view.tables.items()}
        tables = {stand_in: _columns(session, stand_in) for stand_in in frames}
        meant = _meant_by_spark(attached, view, frames, words["name"])
        reasons = []
        for saying in view.sayings:
            # Our SQL is DuckDB's and a little more, of which stock DuckDB could not read the view.
            reason = refusal(saying.of_stand_ins, tables) or _difference(attached, session, saying, meant)
            if reason is None:
                return CommonText(saying.of_tables, meant.columns)
            reasons.append(reason)
    raise InvalidInputError(
        f'View "{words["name"]}" would mean something else in DuckDB\'s SQL, in which views are stored: {reasons[-1]}.'
        " Nothing was changed.",
        hint=_HINT,
    )


def _stand_in(attached: Attached, session: Connection, stand_in: str, name: Name) -> DataFrame:
    """Return a frame with the columns of a table or view.

    The session knows it by the name of the stand-in.

    Raises:
        InvalidInputError: A column has a type that Spark has as another.
    """
    spark: Any = attached.spark
    table = f"{quote_name(name[0])}.{quote_name(name[1])}"
    of = spark.table(".".join(map(quote_spark_name, (attached.name, *name)))).schema
    # A frame without rows would be optimised away; of an RDD Spark does not know that it has none.
    frame: DataFrame = spark.createDataFrame(spark.sparkContext.emptyRDD(), of)
    session.register(stand_in, frame)
    for (column, own), (_, other) in zip(_columns(session, table), _columns(session, stand_in), strict=True):
        if own != other:
            raise InvalidInputError(
                f'Column "{column}" of {table} has the type {own}, which Spark reads as {other}: a view that Spark'
                " makes of it would mean something else in DuckDB's SQL. Nothing was changed.",
                hint="Make the view with catalog.views.create().",
            )
    return frame


def _columns(session: Connection, table: str) -> list[tuple[str, str]]:
    """Return the names and types of a table's columns, by metadata."""
    found = session.sql(f"DESCRIBE {table}")
    return [] if found is None else [(name, kind) for name, kind, *_ in found.fetchall()]


def _meant_by_spark(attached: Attached, view: SparkView, frames: Mapping[str, DataFrame], name: str) -> DataFrame:
    try:
        return query_frame(clone(attached.spark, {}), view.of_stand_ins, frames, of_few_rows=False)
    except ForklakeError as error:
        raise InvalidInputError(
            f'View "{name}" cannot be stored without the name of its catalog; nothing was changed:'
            f" {str(error).splitlines()[0]}",
            hint='Give tables an alias, and name columns by it: "FROM shop.main.orders o", "o.id".',
        ) from error


def _difference(attached: Attached, session: Connection, saying: Saying, meant: DataFrame) -> str | None:
    """Tell how a text in DuckDB's SQL differs from what Spark understands.

    None if it does not.
    """
    try:
        found = session.sql(saying.of_stand_ins)
        if found is None:
            return "it is no query there"
        understood: Any = found.dataframe()
    except ForklakeError as error:
        return str(error).splitlines()[0].rstrip(".")
    except SPARK_ERRORS as error:
        return str(error).splitlines()[0].rstrip(".")
    ours: Any = meant
    if understood.columns != ours.columns:
        return f"its columns would be {', '.join(understood.columns)}, not {', '.join(ours.columns)}"
    for name, here, there in zip(ours.columns, ours.schema.fields, understood.schema.fields, strict=True):
        if here.dataType != there.dataType:
            return (
                f'column "{name}" would be {there.dataType.simpleString().upper()} there, and is'
                f" {here.dataType.simpleString().upper()} here"
            )
    spark: Any = attached.spark
    plans = (frame._jdf.queryExecution().analyzed() for frame in (ours, understood))
    is_same = spark._jvm.forklake.LakeViewCatalog.meanSame(spark._jsparkSession, *plans)
    return None if is_same else "what it computes is not the same there"
