"""COPY FROM DATABASE: all of one catalog in another, as DuckDB copies its databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

import forklake
from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MADE = (
    "CREATE SCHEMA a.s",
    'CREATE TABLE a.t (i INTEGER NOT NULL DEFAULT 3, "a b" VARCHAR, l STRUCT(x INTEGER)[])',
    "INSERT INTO a.t VALUES (1, 'x', [{'x': 1}]), (2, NULL, NULL)",
    "CREATE TABLE a.s.u AS SELECT 1::DECIMAL(9,2) AS x",
    "CREATE TABLE a.s.empty (d DATE)",
    "CREATE VIEW a.v AS SELECT i + 1 AS j FROM a.t",
    "CREATE MACRO a.m(x) AS x + 1",
    "COMMENT ON TABLE a.t IS 'of t'",
    "COMMENT ON COLUMN a.s.u.x IS 'of x'",
    "COMMENT ON VIEW a.v IS 'of v'",
)
_ASKED = (
    "FROM {}.t ORDER BY i",
    "FROM {}.s.u",
    "FROM {}.s.empty",
    "FROM {}.v ORDER BY j",
    "SELECT {}.m(1)",
    "SELECT comment FROM duckdb_tables() WHERE database_name = '{}' ORDER BY table_name",
    "SELECT comment FROM duckdb_columns() WHERE database_name = '{}' AND table_name = 'u'",
    "SELECT comment FROM duckdb_views() WHERE database_name = '{}' AND NOT internal",
)


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[forklake.Connection]:
    with forklake.connect(spark) as made:
        for alias in ("a", "b"):
            made.sql(f"ATTACH 'ducklake:{tmp_path}/{alias}.db' AS {alias}")
        for statement in _MADE:
            made.sql(statement)
        yield made


def rows(session: forklake.Connection, query: str) -> list[tuple[object, ...]]:
    found = session.sql(query)
    assert found is not None
    return found.fetchall()


def test_a_copy_holds_what_duckdbs_holds(session: forklake.Connection) -> None:
    theirs = duckdb.connect()
    theirs.execute("ATTACH ':memory:' AS a; ATTACH ':memory:' AS b")
    for statement in (*_MADE, "COPY FROM DATABASE a TO b"):
        theirs.execute(statement)
    before = rows(session, "SELECT count(*) FROM b.snapshots()")[0][0]
    session.sql("COPY FROM DATABASE a TO b")
    for asked in _ASKED:
        assert rows(session, asked.format("b")) == theirs.execute(asked.format("b")).fetchall()
    assert rows(session, "SELECT count(*) FROM b.snapshots()") == [(int(str(before)) + 1,)]
    session.sql("DELETE FROM a.t")
    assert rows(session, "SELECT count(*) FROM b.v") == [(2,)]  # the view reads its own catalog
    with pytest.raises(AlreadyExistsError, match=r'"main\.t" already exists in "b"; nothing was copied'):
        session.sql("COPY FROM DATABASE a TO b")


def test_definitions_and_rows_are_copied_one_after_the_other(session: forklake.Connection) -> None:
    with pytest.raises(NotFoundError, match=r'"main\.t" does not exist in "b"; nothing was copied'):
        session.sql("COPY FROM DATABASE a TO b (DATA)")
    session.sql("ALTER TABLE a.t SET PARTITIONED BY (i); COPY FROM DATABASE a TO b (SCHEMA)")
    assert rows(session, "SELECT count(*) FROM b.t") == [(0,)]
    session.sql("COPY FROM DATABASE a TO b (DATA)")
    assert rows(session, "FROM b.t ORDER BY i") == rows(session, "FROM a.t ORDER BY i")
    assert rows(session, "SELECT count(*) FROM ducklake_list_files('b', 't')") == [(2,)]


def test_a_copy_that_is_rolled_back_leaves_nothing(session: forklake.Connection) -> None:
    session.sql("BEGIN; COPY FROM DATABASE a TO b; ROLLBACK")
    assert rows(session, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'b'") == [(0,)]


def test_private_catalogs_are_copied_too(session: forklake.Connection) -> None:
    session.sql("COPY FROM DATABASE a TO memory; COPY FROM DATABASE memory TO temp")
    assert rows(session, "FROM memory.v ORDER BY j") == rows(session, "FROM temp.v ORDER BY j") == [(2,), (3,)]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("COPY FROM DATABASE a TO a", 'Cannot copy from database "a" to itself'),
        ("COPY FROM DATABASE a TO nowhere", "nowhere"),
        ("COPY FROM DATABASE nowhere TO b", "nowhere"),
        ("COPY FROM DATABASE a TO b (INDEX)", "syntax error"),
    ],
)
def test_what_cannot_be_copied_is_refused(session: forklake.Connection, statement: str, words: str) -> None:
    with pytest.raises((InvalidInputError, NotFoundError), match=words):
        session.sql(statement)
    assert rows(session, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'b'") == [(0,)]
