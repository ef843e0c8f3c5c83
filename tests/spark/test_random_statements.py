"""Random statements of plain Spark on a table of a lake: each leaves the rows that SELECTs over plain rows give.

FORKLAKE_HISTORIES asks for more than a few; a thousand histories without Spark are ten here.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import forklake
from forklake import Catalog
from tests.lakes import IMPATIENT
from tests.spark.plans import setting
from tests.spark.spark_statements import OTHER_COLUMNS, Statements

HISTORIES = max(1, int(os.environ.get("FORKLAKE_HISTORIES", "0")) // 100)
FIRST = int(os.environ.get("FORKLAKE_FIRST", "0"))
LENGTH = 7
OTHERS = [(1, 2, "a", 0.5), (2, None, "pear", None), (3, 0, None, float("nan")), (6, 7, "A", -1.5), (9, 1, "", 2.5)]
"""The rows of the table that never changes."""
NAMES = {"t": "shop.main.t", "u": "shop.main.u"}
RAW = {"t": "raw_t", "u": "raw_u"}


@pytest.fixture
def session(spark: SparkSession) -> Iterator[SparkSession]:
    own = spark.newSession()
    with setting(own, spark_sql_codegen_wholeStage="false", spark_sql_codegen_factoryMode="NO_CODEGEN"):
        yield own


@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + HISTORIES))
def test_random_statements_leave_the_rows_that_plain_spark_computes(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    statements = Statements(seed)
    columns = ", ".join(f"{name} {kind}" for name, kind in OTHER_COLUMNS.items())
    session.createDataFrame(OTHERS, columns).createTempView("raw_u")
    with forklake.open(
        str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=session, settings=IMPATIENT
    ) as lake:
        shop = lake.create_catalog("shop")
        shop.options.set("data_inlining_row_limit", statements.random.choice([0, 3, 10, 1000]))
        with lake.attach(session, catalog="shop"):
            session.table("raw_u").writeTo("shop.main.u").create()
            _run(session, shop, statements)


def _run(session: SparkSession, shop: Catalog, statements: Statements) -> None:
    seen: dict[int, list[str]] = {}
    for number in range(LENGTH):
        statement = statements.create() if number == 0 else statements.fill() if number == 1 else statements.draw()
        expected = session.sql(statement.expected.format(**RAW))
        rows = expected.collect()
        session.sql(statement.text.format(**NAMES))
        assert texts(session.table("shop.main.t")) == sorted(map(str, map(tuple, rows))), statement.text
        schema = session.table("shop.main.t").schema
        session.createDataFrame(rows, schema).createOrReplaceTempView("raw_t")
        query = statements.query()
        assert texts(session.sql(query.format(**NAMES))) == texts(session.sql(query.format(**RAW))), query
        seen[shop.head] = sorted(map(str, map(tuple, rows)))
    for snapshot in statements.random.sample(list(seen), min(3, len(seen))):
        kept = seen[snapshot]
        assert texts(session.sql(f"SELECT * FROM shop.main.t VERSION AS OF {snapshot}")) == kept, snapshot


def texts(frame: DataFrame) -> list[str]:
    """Return the rows of a frame as texts, in order."""
    found: list[Any] = frame.collect()
    return sorted(map(str, map(tuple, found)))
