"""Limits of confined sessions end statements that Spark runs, and sessions go on after that."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import forklake
from forklake import Catalog, Confinement, Connection, Lake
from forklake.errors import InvalidInputError, LimitError, NotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENDLESS = "SELECT count(*) FROM range(30000000) a, range(30000000) b WHERE a.range % 7 = b.range % 11"

COUNT_TO = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r{}) "
RECURSIONS = {
    "numbers": COUNT_TO.format("") + "SELECT count(*) FROM r",
    "rows": COUNT_TO.format("") + "SELECT n FROM r",
    "written": "CREATE TABLE u AS " + COUNT_TO.format("") + "SELECT n FROM r",
    "inserted": "INSERT INTO t " + COUNT_TO.format("") + "SELECT n FROM r",
    "the same row": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT count(*) FROM r",
    "of a table": "WITH RECURSIVE r AS (FROM t WHERE i < 3 UNION ALL SELECT i + 1 FROM r) SELECT sum(i) FROM r",
    "with a join": "WITH RECURSIVE r AS (FROM t WHERE i < 3 UNION ALL SELECT (r.i + 1) % 100 FROM r JOIN t USING (i))"
    " SELECT sum(i) FROM r",
    "texts": "WITH RECURSIVE r(s) AS (SELECT 'a' UNION ALL SELECT reverse(s) || 'b' FROM r) SELECT max(s) FROM r",
    "distinct": COUNT_TO.replace("UNION ALL", "UNION").format("") + "SELECT count(*) FROM r",
    "in a subquery": "SELECT (" + COUNT_TO.format("") + "SELECT max(n) FROM r) + i FROM t",
    "twice": COUNT_TO.format("") + "SELECT count(*) FROM r a JOIN r b USING (n)",
}


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), spark=spark) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.sql("CREATE TABLE t AS SELECT range AS i FROM range(100)")
    return shop


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.rows()


def test_jobs_end_with_the_time_of_their_statement(shop: Catalog) -> None:
    with shop.session(confined=Confinement(max_seconds=2)) as session:
        for text in (ENDLESS, f"INSERT INTO t {ENDLESS}", f"CREATE TABLE u AS {ENDLESS}"):
            with pytest.raises(LimitError, match="longer than the 2 seconds") as error:
                rows(session, text)
            assert error.value.limit == "seconds"
    with shop.session(confined=Confinement(max_seconds=600)) as session:
        assert rows(session, "SELECT sum(i) FROM t") == [(4950,)]
    assert [table.name for table in shop.tables()] == ["t"]


def test_recursive_queries_end_with_the_time_of_their_statement(shop: Catalog) -> None:
    taken = {}
    with shop.session(confined=Confinement(max_seconds=1)) as session:
        for name, text in RECURSIONS.items():
            begun = time.monotonic()
            with pytest.raises(LimitError, match="longer than the 1 seconds"):
                rows(session, text)
            taken[name] = time.monotonic() - begun
        # The session goes on as before: ordinary recursion needs no jobs.
        assert rows(session, COUNT_TO.format(" WHERE n < 20") + "SELECT sum(n) FROM r") == [(210,)]
    assert [table.name for table in shop.tables()] == ["t"]
    assert {name: seconds for name, seconds in taken.items() if seconds > 6} == {}


def test_bytes_are_counted_whoever_reads_them(shop: Catalog) -> None:
    shop.sql("CREATE TABLE u AS FROM t")
    (size,) = rows(shop.session(), "SELECT max(file_size_bytes) FROM shop.table_info()")[0]
    with shop.session(confined=Confinement(max_bytes=size, max_rows=50)) as session:
        assert rows(session, "SELECT sum(i) FROM t") == [(4950,)]
        assert rows(session, "SELECT max(a.i + b.i) FROM t a, t b") == [(198,)], "a file counts once"
        for text in (
            "SELECT sum(t.i) FROM t JOIN u USING (i)",
            "UPDATE t SET i = 0 FROM u WHERE u.i = t.i",
            "SELECT i + 1 FROM t UNION ALL SELECT i + 2 FROM u",
            "MERGE INTO t USING u ON t.i = u.i WHEN MATCHED THEN DELETE",
        ):
            with pytest.raises(LimitError, match="bytes of files"):
                rows(session, text)
        with pytest.raises(LimitError, match="50 rows"):
            rows(session, "SELECT i + 1 FROM t")
        assert len(rows(session, "SELECT i + 1 FROM t LIMIT 50")) == 50
        assert rows(session, "DELETE FROM t WHERE i % 2 = 0") == [(50,)]


def test_only_given_catalogs_are_read_together(lake: Lake, shop: Catalog) -> None:
    shop.fork("mine").sql("DELETE FROM t WHERE i > 0")
    shop.fork("theirs").sql("UPDATE t SET i = -1")
    across = "SELECT DISTINCT catalog_name FROM ducklake_across('shop', 't', {}) ORDER BY 1"
    with lake.connect(["shop", "mine"], confined=True) as session:
        for choice in ("parent => 'shop'", "prefix => 'm'", "names => ['mine']"):
            assert rows(session, across.format(choice)) == [("mine",)]
        for choice in ("names => ['mine', 'theirs']", "prefix => 'th'", "parent => 'theirs'"):
            with pytest.raises(NotFoundError):
                session.sql(across.format(choice))


def test_patterns_of_strangers_take_no_hours(shop: Catalog) -> None:
    long = "repeat('a', 20000) || i"
    with shop.session(confined=Confinement(max_seconds=600)) as session:
        for condition in (
            f"{long} LIKE '%a%a%a%a%a%a%a%a%b'",
            f"{long} ILIKE '%A%a%A%a%A%a%A%a%b'",
            f"{long} GLOB '*a*a*a*a*a*a*a*a*b'",
            f"regexp_matches({long}, '(.*)(.*)(.*)(.*)(.*)[^a0-9]')",
        ):
            assert rows(session, f"SELECT count(*), levenshtein('a', 'b') FROM t WHERE {condition}") == [(0, 1)]
        with pytest.raises(InvalidInputError, match="levenshtein takes texts"):
            rows(session, "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))")
