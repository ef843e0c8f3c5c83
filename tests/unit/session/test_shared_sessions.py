"""What sessions have attached and in a transaction, where several catalogs, lakes or sessions meet. No Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection, Lake
from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from forklake.session.names.name_resolution import SessionNames
from forklake.sql.parse import parse_query
from forklake.sql.query.bind import bind_query

ATTACH = "ATTACH 'ducklake:{0}.db' AS {0} (DATA_PATH '{0}_data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A session with the catalogs ``shop`` of two lakes, attached as ``one`` and ``two``; a table ``t`` in each."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        for alias in ("one", "two"):
            made.sql(f"{ATTACH.format(alias)}; CREATE TABLE {alias}.t(i INTEGER)")
        yield made


def count(session: Connection, table: str) -> int:
    found = session.sql(f"SELECT count(*) FROM {table}")
    assert found is not None
    return int(found.fetchall()[0][0])


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


# ---- one transaction changes one catalog -----------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["two", "again"])
def test_a_transaction_changes_one_attached_catalog_and_loses_nothing(session: Connection, other: str) -> None:
    session.sql("ATTACH 'ducklake:one.db' AS again (CATALOG 'shop')")
    session.sql("BEGIN; INSERT INTO one.t VALUES (1)")
    with pytest.raises(InvalidInputError, match=f'write to database "{other}" in a transaction that has already'):
        session.sql(f"INSERT INTO {other}.t VALUES (2)")
    session.sql("INSERT INTO one.t VALUES (3); COMMIT")
    assert (count(session, "one.t"), count(session, "two.t")) == (2, 0)


def test_sql_in_a_transaction_changes_no_catalog_but_its_own(session: Connection) -> None:
    with Lake("one.db") as lake, lake.catalog("shop").transaction() as transaction:
        with pytest.raises(InvalidInputError, match='write to database "other"'):
            transaction.sql("ATTACH 'ducklake:two.db' AS other (CATALOG 'shop'); INSERT INTO other.t VALUES (1)")
        transaction.sql("INSERT INTO t VALUES (1)")
    assert (count(session, "one.t"), count(session, "two.t")) == (1, 0)


# ---- what is attached now --------------------------------------------------------------------------------------------


def test_a_name_leads_to_what_is_attached_now_within_a_transaction_too(session: Connection) -> None:
    session.sql("INSERT INTO two.t VALUES (1)")
    session.sql("ATTACH 'ducklake:one.db' AS x (CATALOG 'shop'); BEGIN")
    assert count(session, "x.t") == 0
    session.sql("ATTACH OR REPLACE 'ducklake:two.db' AS x (CATALOG 'shop')")
    assert count(session, "x.t") == 1
    session.sql("ROLLBACK")
    assert rows(session, "SELECT ducklake_last_committed_snapshot('x')") == [(None,)]


def test_what_another_session_detached_is_in_use_no_longer(session: Connection) -> None:
    session.sql("ATTACH 'ducklake:one.db' AS x (CATALOG 'shop')")
    with session.cursor() as other:
        other.sql("USE x")
        session.sql("DETACH x")
        for statement in ("INSERT INTO t VALUES (1)", "SELECT * FROM t", "CREATE SCHEMA s", "SHOW TABLES"):
            with pytest.raises((NotFoundError, InvalidInputError), match=r"[Nn]o catalog is in use"):
                other.sql(statement)
        session.sql("ATTACH 'ducklake:two.db' AS x (CATALOG 'shop')")
        other.sql("INSERT INTO t VALUES (1)")
    assert (count(session, "one.t"), count(session, "two.t")) == (0, 1)


def test_a_transaction_outlives_that_another_session_detaches_its_catalog(session: Connection) -> None:
    with session.cursor() as other:
        other.sql("BEGIN; INSERT INTO two.t VALUES (1)")
        session.sql("DETACH two")
        other.sql("COMMIT")
    session.sql(ATTACH.format("two"))
    assert count(session, "two.t") == 1


# ---- what fails changes nothing --------------------------------------------------------------------------------------


def test_attaching_under_a_name_that_is_taken_makes_no_catalog(session: Connection) -> None:
    with pytest.raises(AlreadyExistsError, match='"one" already exists'):
        session.sql("ATTACH 'ducklake:two.db' AS one (CATALOG 'fresh', CREATE_IF_NOT_EXISTS true)")
    with pytest.raises(AlreadyExistsError, match='"one" already exists'):
        session.sql("ATTACH 'ducklake:three.db' AS one (CATALOG 'fresh', DATA_PATH 'x', CREATE_IF_NOT_EXISTS true)")
    assert rows(session, "SELECT catalog_name FROM two.catalogs()") == [("shop",)]
    assert not Path("three.db").exists()


def test_attaching_again_if_not_there_does_nothing_whoever_chose_the_name(session: Connection) -> None:
    session.sql("ATTACH IF NOT EXISTS 'ducklake:one.db' (CATALOG 'shop')")
    assert [name for (name,) in rows(session, "SHOW DATABASES")] == ["one", "two"]


@pytest.mark.parametrize(
    "statement", ["DROP SCHEMA s.x.y", "CREATE SCHEMA s.x.y", "USE s.x.y", "SHOW TABLES FROM s.x.y"]
)
def test_a_schema_has_a_name_of_two_parts_at_most(session: Connection, statement: str) -> None:
    session.sql("USE one; CREATE SCHEMA s")
    with pytest.raises((InvalidInputError, NotFoundError), match=r'"s\.x\.y"'):
        session.sql(statement)
    assert sorted(name for alias, name in rows(session, "SHOW SCHEMAS") if alias == "one") == ["main", "s"]
    assert rows(session, "SELECT current_schema()") == [("main",)]


def test_values_that_no_statement_asks_for_are_refused_before_anything_runs(session: Connection) -> None:
    for values in ([7], [7, 8, 9], {"a": 1}):
        with pytest.raises(InvalidInputError, match=r"parameter|Values were not provided"):
            session.sql("INSERT INTO one.t VALUES (1); INSERT INTO one.t VALUES (?), (?)", values)
    assert count(session, "one.t") == 0


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW one.v AS SELECT ? AS a",
        "CREATE VIEW one.v AS SELECT * FROM one.t WHERE i = $1",
        "CREATE MACRO one.m(x) AS x + ?",
        "CREATE MACRO one.m(x) AS TABLE SELECT $1 AS i",
    ],
)
def test_what_is_stored_as_text_has_no_parameters(session: Connection, statement: str) -> None:
    with pytest.raises(InvalidInputError, match="Parameters within a"):
        session.sql(statement, [1])
    assert rows(session, "SELECT view_name FROM duckdb_views()") == []
    assert rows(session, "SELECT function_name FROM duckdb_functions() WHERE NOT internal") == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ducklake_create_catalog('one', 'new') AS id WHERE id > 0",
        "SELECT ducklake_create_catalog('one', 'new') + 0 AS id GROUP BY id ORDER BY id",
        "WITH made AS (SELECT * FROM ducklake_create_catalog('one', 'new')) SELECT a.created FROM made a, made b",
    ],
)
def test_a_function_that_acts_is_called_once_however_often_its_value_is_used(session: Connection, query: str) -> None:
    bind_query(parse_query(query), SessionNames(session._state))
    assert sorted(rows(session, "SELECT catalog_name FROM one.catalogs()")) == [("new",), ("shop",)]


def test_what_was_committed_last_is_known_to_all_sessions_since_the_catalog_was_attached(session: Connection) -> None:
    session.sql("ATTACH 'ducklake:one.db' AS x (CATALOG 'shop')")
    last = "FROM ducklake_last_committed_snapshot('x')"
    with session.cursor() as other:
        session.sql("CREATE TABLE x.made (i INTEGER)")
        ((snapshot,),) = rows(session, last)
        assert rows(session, "FROM x.current_snapshot()") == [(snapshot,)]
        assert rows(other, last) == [(snapshot,)]
        other.sql("BEGIN; DROP TABLE x.made")
        assert rows(other, last) == rows(session, last) == [(snapshot,)]
        other.sql("COMMIT")
        assert rows(session, last) == [(snapshot + 1,)]
    session.sql("DETACH x; ATTACH 'ducklake:one.db' AS x (CATALOG 'shop')")
    assert rows(session, last) == [(None,)]
