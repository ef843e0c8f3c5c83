"""Temporary views and macros, and names that are found in ``main``: as DuckDB has them; none of this starts Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import forklake
from forklake import Connection
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError

_TEMPORARY = (
    "CREATE TABLE t AS SELECT 1 AS x",
    "CREATE TABLE b.t AS SELECT 2 AS x",
    "CREATE TEMP VIEW v AS FROM t",
    "FROM v",
    "USE b",
    "FROM v",  # it names what its session names
    "USE memory",
    "CREATE TEMPORARY VIEW t AS SELECT 9 AS y",
    "FROM t",
    "FROM memory.t",
    "DROP TABLE t",
    "DROP TABLE IF EXISTS t",
    "DROP VIEW t",
    "FROM t",
    "CREATE TEMP TABLE tt AS SELECT 5 AS i",
    "CREATE TEMP VIEW tt AS SELECT 6",
    "CREATE OR REPLACE TEMP VIEW tt AS SELECT 6",
    "CREATE VIEW tt AS SELECT 7 AS i",
    "FROM memory.tt",
    "FROM tt",
    "CREATE TEMP VIEW temp.main.q2 AS SELECT 1 AS i",
    "CREATE TEMP VIEW main.q3 AS SELECT 1 AS i",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "SELECT view_name, database_name, schema_name, temporary FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
    "SELECT table_name, database_name, temporary FROM duckdb_tables() WHERE NOT internal ORDER BY ALL",
    "SELECT table_catalog, table_name, table_type FROM information_schema.tables ORDER BY ALL",
    "CREATE TEMP MACRO m(a) AS a + 1",
    "SELECT m(1)",
    "CREATE MACRO m(a) AS a + 2",
    "SELECT m(1)",
    "SELECT memory.m(1)",
    "SELECT database_name FROM duckdb_functions() WHERE function_name = 'm' ORDER BY 1",
    "DROP MACRO m",
    "SELECT m(1)",
    "CREATE TEMP FUNCTION f(a) AS TABLE SELECT a AS i",
    "FROM f(3)",
    "DROP MACRO TABLE f",
    "FROM f(3)",
    "CREATE TEMP MACRO b.m2(a) AS a",
    "CREATE OR REPLACE TEMP MACRO m(a) AS a + 5",
    "SELECT m(1)",
    "BEGIN",
    "CREATE TEMP VIEW vv AS SELECT 1 AS i",
    "FROM vv",
    "ROLLBACK",
    "FROM vv",
    "CREATE MACRO b.added(a) AS a + 10",
    "CREATE MACRO added(a) AS a + 20",
    "CREATE TEMP MACRO twice(a) AS added(added(a))",
    "SELECT twice(1)",
    "USE b",
    "SELECT twice(1)",
    "USE memory",
    "ALTER VIEW v RENAME TO v9",
    "FROM v9",
    "COMMENT ON VIEW v9 IS 'c'",
    "SELECT comment FROM duckdb_views() WHERE view_name = 'v9'",
    "CREATE TEMP VIEW bad AS FROM nowhere",
    "CREATE TEMP VIEW vx(a, b) AS SELECT 1",
    "CREATE TEMP VIEW vx(a) AS SELECT 1, 2 AS i",
    "FROM vx",
    "INSERT INTO v9 VALUES (1)",
    "DROP VIEW temp.v9",
    "FROM v9",
    "DROP VIEW temp.nope",
    "DROP VIEW IF EXISTS temp.nope",
    "CREATE TEMP SCHEMA s",
    "CREATE TEMP VIEW t AS FROM t",
    "FROM t",  # of itself, without end
)
_IN_MAIN = (
    "CREATE SCHEMA s",
    "CREATE TABLE v (a INTEGER)",
    "INSERT INTO v VALUES (1)",
    "CREATE MACRO mq() AS 42",
    "CREATE VIEW s.w AS FROM v",
    "FROM s.w",
    "CREATE MACRO s.more() AS mq() + 1",
    "SELECT s.more()",
    "CREATE MACRO s.listed() AS TABLE FROM v",
    "DESCRIBE FROM s.listed()",
    "USE s",
    "FROM v",
    "SELECT mq()",
    "INSERT INTO v VALUES (2)",
    "UPDATE v SET a = a + 1",
    "SELECT a FROM main.v ORDER BY a",
    "CREATE TABLE v AS SELECT 7::SMALLINT AS a",
    "FROM v",
    "FROM w",  # what is in the schema of a view comes first
    "CREATE MACRO mq() AS 50",
    "SELECT more()",
    "DESCRIBE FROM s.listed()",
    "DROP TABLE v",
    "DROP TABLE v",
    "DROP TABLE v",
    "FROM w",
    "DROP MACRO mq",
    "SELECT mq()",
    "DROP MACRO mq",
    "SELECT mq()",
)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        made.sql("ATTACH 'ducklake:b.db' AS b; SET engine = 'local'")
        yield made


@pytest.mark.parametrize("script", [_TEMPORARY, _IN_MAIN], ids=["temporary", "in main"])
def test_names_mean_what_they_mean_to_duckdb(session: Connection, script: Sequence[str]) -> None:
    theirs = duckdb.connect()
    theirs.execute("ATTACH ':memory:' AS b")
    for statement in script:
        assert (statement, _answer(session, statement)) == (statement, _answer(theirs, statement))


def _answer(session: Any, statement: str) -> Any:
    """Return the rows of a statement, or that it failed."""
    try:
        result = session.sql(statement) if isinstance(session, Connection) else session.execute(statement)
    except (ForklakeError, duckdb.Error):
        return "refused"
    return [] if result is None else result.fetchall()


def test_a_name_is_found_in_main_in_a_catalog_of_a_lake_too(session: Connection) -> None:
    session.sql("USE b")
    test_names_mean_what_they_mean_to_duckdb(session, _IN_MAIN)


def test_a_moment_decides_where_a_name_is_found(session: Connection) -> None:
    session.sql("USE b; CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 1 AS a")
    ((then,),) = _answer(session, "FROM b.current_snapshot()")
    session.sql("DROP TABLE s.t; CREATE TABLE main.t AS SELECT 2 AS a; USE b.s")
    assert (_answer(session, "FROM t"), _answer(session, f"FROM t AT (VERSION => {then})")) == ([(2,)], [(1,)])


def test_what_is_temporary_ends_with_its_session_and_is_unknown_to_stored_texts(session: Connection) -> None:
    session.sql("USE b; CREATE TABLE t AS SELECT 1 AS i; CREATE TEMP VIEW v AS FROM t; CREATE TEMP MACRO m() AS 1")
    cursor = session.cursor()
    for statement in ("FROM v", "SELECT m()"):
        with pytest.raises((NotFoundError, InvalidInputError), match="does not exist"):
            cursor.sql(statement)
    with pytest.raises(NotFoundError, match="Table with name v does not exist"):
        session.sql("CREATE VIEW stored AS FROM v")
    session.register("frame", [{"i": 7}])
    session.sql("CREATE TEMP VIEW of_frame AS FROM frame")
    assert _answer(session, "DESCRIBE of_frame") == [("i", "BIGINT", "YES", None, None, None)]
