"""Conditions mean the same to Spark as to DuckDB, whatever the session's settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.sql.rows.row_texts import condition
from tests.unit.sql.cases import CONDITIONS, FIELDS, answers, table

_AS_TEXT = ("ns", "ti", "u", "iv")

SETTINGS = {
    "ansi, New York, case sensitive": {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.caseSensitive": "true",
    },
    "no ansi, Tokyo, ntz": {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.caseSensitive": "false",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.parser.escapedStringLiterals": "true",
    },
}


@contextmanager
def settings(spark: SparkSession, wanted: dict[str, str]) -> Iterator[None]:
    before: dict[str, str | None] = {name: spark.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def shown(spark: SparkSession) -> DataFrame:
    """Return the table as Spark shows it."""
    columns = ", ".join(f'"{f.name}"::VARCHAR' if f.name in _AS_TEXT else f'"{f.name}"' for f in FIELDS)
    rows: list[Any] = table().execute(f"SELECT {columns} FROM t ORDER BY id").fetchall()
    exact = [tuple(_exact(field.type.name, value) for field, value in zip(FIELDS, row, strict=True)) for row in rows]
    return spark.createDataFrame(exact, spark_schema(FIELDS))


def _exact(kind: str, value: Any) -> Any:
    return Decimal(value) if kind in ("uint64", "int128") and value is not None else value


@pytest.mark.parametrize("wanted", SETTINGS.values(), ids=SETTINGS)
def test_conditions_are_true_false_and_null_where_duckdb_says_so(spark: SparkSession, wanted: dict[str, str]) -> None:
    database, differing = table(), []
    with settings(spark, wanted):
        frame = shown(spark)
        # Many at a time: a job costs more than a condition.
        for start in range(0, len(CONDITIONS), 40):
            texts = CONDITIONS[start : start + 40]
            tests = [f"{condition(text, 't', FIELDS).spark_sql} AS `_{place}`" for place, text in enumerate(texts)]
            found = frame.selectExpr("`id`", *tests).collect()
            for place, text in enumerate(texts, 1):
                said, meant = {row[0]: row[place] for row in found}, answers(database, text)
                if said != meant:
                    differing.append((text, said, meant))
    assert not differing
