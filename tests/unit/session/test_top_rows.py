"""ORDER BY with LIMIT reads the files that can hold the first rows, and inlined rows are left out as files are."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import duckdb
import pytest

from forklake import Connection, Lake

_COLUMNS = "i INTEGER, d DOUBLE, s VARCHAR, ts TIMESTAMP, n DECIMAL(8, 2), b BOOLEAN"


@pytest.fixture
def session(lake: Lake) -> Iterator[Connection]:
    with lake.create_catalog("shop").session() as made:
        made.sql("CALL ducklake_set_option('shop', 'data_inlining_row_limit', 2)")
        yield made


def _rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def _plan(session: Connection, text: str) -> str:
    ((_, plan),) = _rows(session, f"EXPLAIN {text}")
    return str(plan)


def _append(lake: Lake, table: str, query: str) -> None:
    """Add rows that DuckDB computes."""
    lake.catalog("shop").table(table).append(duckdb.sql(query).to_arrow_table())


@pytest.fixture
def days(session: Connection, lake: Lake) -> Connection:
    """A table of four files, each of a later day, with 40, 30, 20 and 10 rows."""
    session.sql("CREATE TABLE e (t TIMESTAMP, i INTEGER)")
    for day, count in enumerate((40, 30, 20, 10), 1):
        seconds = f"SELECT TIMESTAMP '2026-01-0{day}' + INTERVAL (i) SECOND AS t, i::INTEGER AS i"
        _append(lake, "e", f"{seconds} FROM range({count}) r(i)")
    return session


@pytest.mark.parametrize(
    ("text", "scanned"),
    [
        ("FROM e ORDER BY t DESC LIMIT 1", 10),
        ("FROM e ORDER BY t LIMIT 3", 40),
        ("SELECT i FROM e ORDER BY t DESC, i LIMIT 10 OFFSET 1", 30),
        ("SELECT i AS t, t AS x FROM e ORDER BY 2 DESC LIMIT 1", 10),
        ("FROM e WHERE t < TIMESTAMP '2026-01-03' ORDER BY t DESC LIMIT 5", 30),
        ("FROM (SELECT * FROM e ORDER BY t DESC LIMIT 1) WHERE i > 3", 10),
        ("FROM e WHERE i >= 0 ORDER BY t DESC LIMIT 1", 10),
        # What is left out is not known, or a row more or less changes the result.
        ("FROM e WHERE i > 0 ORDER BY t DESC LIMIT 1", 100),
        ("FROM e WHERE i >= 0 AND (i % 2 = 0 OR NULL) ORDER BY t DESC LIMIT 1", 100),
        ("FROM e WHERE i >= 0 AND i > NULL ORDER BY t DESC LIMIT 1", 0),
        ("FROM e ORDER BY t DESC NULLS FIRST LIMIT 1", 100),
        ("FROM e ORDER BY t + INTERVAL 1 DAY DESC LIMIT 1", 100),
        ("SELECT -i AS t FROM e ORDER BY t LIMIT 1", 100),
        ("SELECT count(*) OVER (), t FROM e ORDER BY t DESC LIMIT 1", 100),
        ("SELECT max(i), t FROM e GROUP BY t ORDER BY t DESC LIMIT 1", 100),
        ("SELECT DISTINCT i, t FROM e ORDER BY t DESC LIMIT 1", 100),
        ("SELECT unnest(CASE WHEN i < 5 THEN [i] END), t FROM e ORDER BY t DESC LIMIT 7", 100),
        ("FROM e WHERE i IN (SELECT i FROM e) ORDER BY t DESC LIMIT 1", 100),
        ("FROM e ORDER BY t DESC LIMIT 0", 100),
        ("FROM e ORDER BY t DESC", 100),
    ],
)
def test_the_first_rows_are_read_from_few_files(days: Connection, text: str, scanned: int) -> None:
    plan = _plan(days, text)
    assert (f"TABLE_SCAN of ~{scanned} rows" if scanned else "EMPTY_RESULT") in plan
    with duckdb.connect() as database:
        database.execute("CREATE TABLE e (t TIMESTAMP, i INTEGER)")
        database.executemany("INSERT INTO e VALUES (?, ?)", _rows(days, "FROM e"))
        assert _rows(days, text) == database.execute(text).fetchall()


def test_a_plan_tells_what_the_order_left_out(days: Connection) -> None:
    plan = _plan(days, "FROM e ORDER BY t DESC LIMIT 1")
    assert '  optional: Dynamic Filter: the first 1 rows by "t" DESC\n  TABLE_SCAN of ~10 rows' in plan
    assert "Files left out by order: 3 (" in plan


def test_deleted_rows_are_none_of_the_first(days: Connection) -> None:
    days.sql("DELETE FROM e WHERE t >= TIMESTAMP '2026-01-04 00:00:02'")
    assert [i for _, i in _rows(days, "FROM e ORDER BY t DESC LIMIT 4")] == [1, 0, 19, 18]
    days.sql("BEGIN; DELETE FROM e WHERE i < 19; INSERT INTO e VALUES ('2020-01-01', -1)")
    assert [i for _, i in _rows(days, "FROM e ORDER BY t DESC LIMIT 2")] == [19, 29]
    assert [i for _, i in _rows(days, "FROM e ORDER BY t LIMIT 2")] == [-1, 19]
    days.sql("ROLLBACK")


@pytest.mark.parametrize("seed", range(6))
def test_the_first_rows_of_any_table_are_duckdbs(session: Connection, lake: Lake, seed: int) -> None:
    rng = Random(seed)
    session.sql(f"CREATE TABLE t ({_COLUMNS})")
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t ({_COLUMNS})")
        for _ in range(8):
            low, count = rng.randrange(-50, 50), rng.choice((1, 5, 30))
            null, nan = rng.choice((1, 4, 1000)), rng.choice((3, 1000))
            values = f"""SELECT if(x % {null} = 0, NULL, x)::INTEGER AS i, if(x % {nan} = 0, 'nan'::DOUBLE, x / 4) AS d,
                's' || x AS s, TIMESTAMP '2026-01-01' + INTERVAL (x) HOUR AS ts,
                if(x % {null} = 1, NULL, x / 3)::DECIMAL(8, 2) AS n, x % 2 = 0 AS b
                FROM range({low}, {low + count}) r(x)"""
            _append(lake, "t", values)
            database.execute(f"INSERT INTO t {values}")
            if rng.random() < 0.4:
                deleted = f"DELETE FROM t WHERE i BETWEEN {low} AND {low + rng.randrange(count)}"
                session.sql(deleted)
                database.execute(deleted)
        for _ in range(25):
            column, way = rng.choice(["i", "d", "s", "ts", "n", "b"]), rng.choice(("", "DESC"))
            where = rng.choice(("", f"WHERE i > {rng.randrange(-60, 60)}", "WHERE n <= 3.5 AND d > -4", "WHERE i <> 7"))
            text = f"SELECT {column} FROM t {where} ORDER BY {column} {way} LIMIT {rng.choice((1, 3, 40))}"
            text += rng.choice(("", " OFFSET 2"))
            found, expected = _rows(session, text), database.execute(text).fetchall()
            assert repr(found) == repr(expected), text


def test_inlined_rows_that_no_condition_fits_are_not_read(session: Connection) -> None:
    session.sql(f"CREATE TABLE t ({_COLUMNS})")
    session.sql("INSERT INTO t VALUES (3, 'nan', 'x', '2026-01-01', 1.5, true), (NULL, 1, 'y', NULL, -1, false)")
    for nothing in ("i = 4", "i > 3", "s = 'z'", "ts < '2025-01-01'", "n = 0", "i = 3 AND n < -1"):
        assert "inlined rows: 0\n  EMPTY_RESULT" in _plan(session, f"FROM t WHERE {nothing}")
        assert _rows(session, f"FROM t WHERE {nothing}") == []
    for text, count in (("i = 3", 1), ("d > 100", 1), ("i IS NULL", 1), ("b = false", 1), ("s >= 'y'", 1)):
        assert len(_rows(session, f"FROM t WHERE {text}")) == count
    session.sql("ALTER TABLE t ALTER i TYPE BIGINT; ALTER TABLE t ADD COLUMN k INTEGER DEFAULT 7")
    assert len(_rows(session, "FROM t WHERE k = 7")) == 2
    assert len(_rows(session, "FROM t WHERE i = 3")) == 1
