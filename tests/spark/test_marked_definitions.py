"""Marked views and macros as Spark computes them: what they may do they do, whoever uses them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import forklake
from forklake import Connection, Lake
from forklake.model.quoting import quote_text
from tests.unit.session.tenants import attempt

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), spark=spark) as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE goods (i INTEGER, s VARCHAR); INSERT INTO goods VALUES (1, 'a'), (2, 'b')")
        shop.sql("CREATE MACRO twice(x) AS x * 2")
        shop.fork("bait")
        shop.fork("rival").sql("CREATE TABLE vault (s VARCHAR); INSERT INTO vault VALUES ('sesame')")
        yield lake


@pytest.fixture
def owner(lake: Lake) -> Iterator[Connection]:
    with lake.connect(["bait", "rival"]) as session:
        session.sql("USE bait; SET VARIABLE secret = 'sesame'")
        session.sql("CREATE TEMP TABLE temporary AS SELECT 'sesame' AS s")
        session.register("frame_of_caller", pa.table({"s": ["sesame"]}))
        yield session


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.rows()


def test_what_a_marked_definition_may_do_it_does(lake: Lake, owner: Connection) -> None:
    with lake.connect(["bait"], confined=True) as agent:
        agent.sql("CREATE MACRO total(x) AS (SELECT sum(i) FROM goods) + x")
        agent.sql("CREATE VIEW two AS SELECT *, twice(i) AS t, total(i) AS all_of FROM goods")
        agent.sql(
            "CREATE MACRO rows_from(n) AS TABLE WITH w AS (FROM goods) SELECT i, twice(i) AS d FROM w WHERE i >= n"
        )
        agent.sql("CREATE MACRO more(x, y := 10) AS total(x) + y; CREATE MACRO upper(x) AS 'taken'")
        agent.sql("CREATE MACRO starts(a, b) AS starts_with(a, b); CREATE MACRO next_one(l) AS l[2]")
        agent.sql("CREATE MACRO counted(x) AS count(x) FILTER (x > 1)")
        for session in (agent, owner):
            assert rows(session, "SELECT total(1), more(1), more(1, y := 0)") == [(4, 14, 4)]
            assert rows(session, "SELECT * FROM two ORDER BY i") == [(1, "a", 2, 4), (2, "b", 4, 5)]
            assert rows(session, "FROM rows_from(2)") == [(2, 4)]
            assert rows(session, "SELECT next_one([i, 3]), starts(s, 'a') FROM goods ORDER BY i") == [
                (3, True),
                (3, False),
            ]
            assert rows(session, "SELECT counted(i), upper(min(s)) FROM goods") == [(1, "A")]
    owner.sql("USE rival")
    assert rows(owner, "SELECT bait.main.total((SELECT count(*) FROM vault))") == [(4,)]
    assert rows(owner, "WITH w AS (FROM vault) SELECT s, v.i FROM w, bait.main.rows_from(2) AS v") == [("sesame", 2)]


@pytest.mark.parametrize(
    "body",
    [
        "(SELECT string_agg(catalog_name, ',') FROM ducklake_catalogs('bait'))",
        "(SELECT string_agg(database_name, ',') FROM duckdb_databases())",
        "(SELECT string_agg(table_catalog || table_name, ',') FROM information_schema.tables)",
        "(SELECT string_agg(table_name, ',') FROM duckdb_tables())",
        "(SELECT string_agg(s, ',') FROM (SELECT table_name AS s FROM duckdb_columns()))",
        "getvariable('secret')",
        "(WITH w AS (SELECT 1 AS s) SELECT max(s) FROM w) || (SELECT max(s) FROM w)",
        "(SELECT max(s) FROM (FROM w))",
        "(SELECT max(x) FROM (SELECT s AS x))",
        "list_max([s])",
        "list_transform([1], lambda y: s)[1]",
    ],
)
def test_what_another_program_wrote_reaches_its_own_catalog_only(lake: Lake, owner: Connection, body: str) -> None:
    lake.catalog("bait").sql("CREATE MACRO m(x) AS 1; CREATE TABLE notes (s VARCHAR)")
    with lake._runtime.store.writing() as session:
        session.execute(
            f"UPDATE forklake.ducklake_macro_impl SET sql = {quote_text(body)}, trusted = NULL WHERE sql = '1'"
        )
    for text in (
        "SELECT m(1)",
        "WITH w AS (SELECT 'sesame' AS s) SELECT m(1)",
        "WITH w AS (SELECT 'sesame' AS s) SELECT m(1) FROM w",
        "INSERT INTO bait.main.notes SELECT m(1) FROM rival.main.vault AS w",
    ):
        told = attempt(owner, text)
        assert "sesame" not in told
        assert not {"vault", "rival", "temporary", "frame_of_caller"} & set(told.replace(",", " ").split()), told
    stored = attempt(owner, "FROM bait.main.notes")
    assert not any(word in stored for word in ("sesame", "vault", "rival", "temporary"))


def test_sort_keys_of_spark_that_another_program_wrote_are_not_computed(
    lake: Lake, owner: Connection, spark: SparkSession
) -> None:
    bait = lake.catalog("bait")
    bait.sql("ALTER TABLE goods SET SORTED BY (lower(s))")
    body = "java_method('java.lang.System', 'setProperty', 'forklake.taken', s)"
    with lake._runtime.store.writing() as session:
        session.execute(
            f"UPDATE forklake.ducklake_sort_expression SET expression = {quote_text(body)},"
            " dialect = 'spark', trusted = NULL"
        )
    jvm: Any = spark
    told = attempt(owner, "INSERT INTO bait.main.goods SELECT range, 'taken' FROM range(20000)")
    assert jvm._jvm.java.lang.System.getProperty("forklake.taken") is None
    assert "another program" in told
    owner.sql("ALTER TABLE goods SET SORTED BY (i); INSERT INTO goods SELECT range, 'b' FROM range(20000)")
