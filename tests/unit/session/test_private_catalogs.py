"""The database ``memory`` and temporary tables belong to a session, and end with it; none of this starts Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection, Lake
from forklake.errors import InvalidInputError, NotFoundError

ATTACH = "ATTACH 'ducklake:lake.db' AS lake (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        yield made


def _rows(session: Connection, text: str) -> list[Any]:
    result = session.sql(text)
    assert result is not None
    return result.fetchall()


def test_without_use_tables_are_made_in_memory(session: Connection) -> None:
    with pytest.raises(NotFoundError, match='"t" does not exist: no catalog is in use'):
        session.sql("FROM t")
    session.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)")
    for name in ("t", "memory.t", "memory.main.t", "MEMORY.T"):
        assert _rows(session, f"FROM {name}") == [(1,), (2,)]
    session.sql(f"{ATTACH}; CREATE TABLE lake.copied AS SELECT 1 AS i; USE lake; CREATE TABLE t (x VARCHAR)")
    assert (_rows(session, "FROM copied"), _rows(session, "FROM t")) == ([(1,)], [])
    assert _rows(session, "FROM memory.t") == [(1,), (2,)]
    session.sql("USE memory; DROP TABLE t; CREATE VIEW v AS SELECT 3 AS a; CREATE SCHEMA memory.s")
    assert _rows(session, "FROM v") == [(3,)]
    session.sql("CREATE OR REPLACE TABLE memory.s.t AS SELECT 4 AS a")
    assert _rows(session, "FROM memory.s.t") == [(4,)]


def test_without_use_schemas_are_made_in_memory(session: Connection) -> None:
    session.sql("CREATE SCHEMA s; CREATE TABLE s.t AS SELECT 1 AS i")
    assert _rows(session, "FROM s.t") == _rows(session, "FROM memory.s.t") == [(1,)]
    session.sql("DROP SCHEMA s CASCADE")
    with pytest.raises(NotFoundError):
        session.sql("FROM s.t")


def test_memory_is_shared_with_cursors_and_gone_with_the_last_of_them(session: Connection) -> None:
    session.sql("CREATE TABLE t AS SELECT 1 AS i")
    place = Path(str(session._state.memory._directory.name))  # type: ignore[union-attr]
    cursor = session.cursor()
    assert _rows(cursor, "FROM memory.t") == [(1,)]
    cursor.sql("INSERT INTO t VALUES (2)")
    cursor.close()
    assert _rows(session, "FROM t") == [(1,), (2,)]
    assert place.exists()
    session.close()
    assert not place.exists()
    with forklake.connect() as other, pytest.raises(NotFoundError):
        other.sql("FROM memory.t")


def test_temporary_tables_are_the_sessions_own(session: Connection) -> None:
    session.sql(f"{ATTACH}; USE lake; CREATE TABLE t AS SELECT 'kept' AS x")
    session.sql("CREATE TEMP TABLE t AS SELECT 1 AS i; INSERT INTO t VALUES (2)")
    place = Path(str(session._state.temporary._directory.name))  # type: ignore[union-attr]
    assert (_rows(session, "FROM t"), _rows(session, "FROM lake.t")) == ([(1,), (2,)], [("kept",)])
    assert _rows(session, "FROM temp.t") == _rows(session, "FROM temp.main.t") == [(1,), (2,)]
    cursor = session.cursor()
    assert _rows(cursor, "FROM t") == [("kept",)]
    cursor.sql("CREATE TEMPORARY TABLE t AS SELECT 3 AS i")
    assert (_rows(cursor, "FROM t"), _rows(session, "FROM t")) == ([(3,)], [(1,), (2,)])
    session.sql("DROP TABLE t")
    assert _rows(session, "FROM t") == [("kept",)]
    session.close()
    assert not place.exists()
    assert _rows(cursor, "FROM t") == [(3,)]
    cursor.close()


def test_a_transaction_changes_a_catalog_and_temporary_tables(session: Connection) -> None:
    session.sql(f"{ATTACH}; USE lake; CREATE TABLE t (i INTEGER); CREATE TEMP TABLE own (i INTEGER)")
    session.sql("BEGIN; INSERT INTO t VALUES (1); INSERT INTO own VALUES (2)")
    assert (_rows(session, "FROM t"), _rows(session, "FROM own")) == ([(1,)], [(2,)])
    session.sql("ROLLBACK")
    assert (_rows(session, "FROM t"), _rows(session, "FROM own")) == ([], [])
    session.sql("BEGIN; INSERT INTO own VALUES (2); INSERT INTO t VALUES (1); COMMIT")
    assert (_rows(session, "FROM t"), _rows(session, "FROM own")) == ([(1,)], [(2,)])
    session.sql("CREATE TABLE memory.m (i INTEGER); BEGIN; INSERT INTO t VALUES (3)")
    with pytest.raises(InvalidInputError, match='write to database "memory" in a transaction that has already'):
        session.sql("INSERT INTO memory.m VALUES (4)")
    session.sql("COMMIT")
    assert (_rows(session, "FROM t"), _rows(session, "FROM memory.m")) == ([(1,), (3,)], [])


def test_a_view_of_a_catalog_sees_no_temporary_table(session: Connection) -> None:
    session.sql(f"{ATTACH}; USE lake; CREATE TABLE t AS SELECT 'kept' AS x; CREATE VIEW v AS FROM t")
    session.sql("CREATE TEMP TABLE t AS SELECT 2 AS i")
    assert [_rows(session, f"DESCRIBE {name}")[0][0] for name in ("t", "v")] == ["i", "x"]


def test_a_session_of_one_call_gives_rows_of_its_temporary_tables(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    result = shop.sql("CREATE TEMP TABLE t AS SELECT 1 AS i; FROM t")
    assert result is not None
    assert result.fetchall() == [(1,)]
    with shop.transaction() as transaction:
        found = transaction.sql("CREATE TEMP TABLE t AS SELECT 2 AS i; FROM t")
        assert found is not None
        assert found.fetchall() == [(2,)]
    assert shop.tables() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TEMP TABLE lake.t (i INTEGER)", r'TEMPORARY table names can \*only\* use the "temp" catalog'),
        ("CREATE TABLE own (i INTEGER)", None),
        ("CREATE TEMP TABLE own (i INTEGER)", "already exists"),
    ],
)
def test_what_there_is_no_temporary_form_of_is_refused(session: Connection, text: str, message: str | None) -> None:
    session.sql(f"{ATTACH}; USE lake; CREATE TEMP TABLE own (i INTEGER)")
    if message is None:
        session.sql(text)
        assert _rows(session, "FROM lake.own") == []
    else:
        with pytest.raises(forklake.errors.ForklakeError, match=message):
            session.sql(text)


def test_a_catalog_or_schema_of_that_name_comes_first(session: Connection) -> None:
    session.sql("ATTACH 'ducklake:lake.db' AS memory (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)")
    session.sql(
        "CREATE TABLE memory.t AS SELECT 1 AS i; USE memory; CREATE SCHEMA temp; CREATE TABLE temp.u AS SELECT 2 AS i"
    )
    assert (_rows(session, "FROM t"), _rows(session, "FROM temp.u")) == ([(1,)], [(2,)])
    assert session._state.memory.catalog is None
    assert session._state.temporary.catalog is None
