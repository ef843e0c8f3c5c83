"""A catalog may be called main, as their schemas are, and names that mean two things are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection
from forklake.errors import InvalidInputError

ATTACH = "ATTACH 'ducklake:lake.db' AS main (DATA_PATH 'data', CATALOG 'main', CREATE_IF_NOT_EXISTS true)"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A session with the catalog ``main``, which has a table, and its fork ``agent``, which has none of it any more."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        made.sql(f"{ATTACH}; CREATE TABLE main.orders (id INTEGER); CREATE TABLE main.main.shops (id INTEGER)")
        made.sql("CALL ducklake_fork_catalog('main', 'agent'); ATTACH 'ducklake:lake.db' AS agent (CATALOG 'agent')")
        made.sql("DROP TABLE agent.main.shops; INSERT INTO agent.orders VALUES (1)")
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def columns(session: Connection, query: str) -> list[tuple[str, str]]:
    return [(name, kind) for name, kind, *_ in rows(session, f"DESCRIBE {query}")]


def catalogs(session: Connection) -> dict[str, str]:
    """Return the catalogs of the lake and where their files are."""
    return {row[1]: row[7] for row in rows(session, "FROM main.catalogs()")}


def count(session: Connection, name: str) -> int:
    return int(rows(session, f"SELECT count(*) FROM {name}")[0][0])


@pytest.mark.parametrize("use", ["", "USE main; ", "USE main.main; ", "USE agent; USE main; "])
def test_a_catalog_called_main_is_used_like_any_other(session: Connection, use: str) -> None:
    session.sql(f"{use}INSERT INTO main.orders VALUES (1), (2); ALTER TABLE main.orders ADD COLUMN name VARCHAR")
    session.sql("CREATE SCHEMA main.s; CREATE TABLE main.s.t (i INTEGER); DROP TABLE main.main.shops")
    assert [count(session, name) for name in ("main.orders", "main.main.orders", "agent.main.orders")] == [2, 2, 1]
    assert [name for (name,) in rows(session, "SHOW TABLES FROM main")] == ["orders", "t"]
    assert [name for name, *_ in rows(session, "DESCRIBE main.orders")] == ["id", "name"]
    assert sorted(catalogs(session)) == ["agent", "main"]


def test_in_use_it_is_what_names_are_looked_for_in(session: Connection) -> None:
    session.sql("USE main; INSERT INTO orders VALUES (1), (2), (3)")
    assert (count(session, "orders"), count(session, "main.orders")) == (3, 3)
    assert rows(session, "SELECT current_database(), current_schema()") == [("main", "main")]
    session.sql("CREATE VIEW main.big AS SELECT * FROM main.orders; CREATE MACRO main.one() AS 1")
    assert columns(session, "main.main.big") == columns(session, "SELECT main.one() AS id") == [("id", "INTEGER")]


def test_in_another_catalog_main_alone_can_mean_two_things(session: Connection) -> None:
    session.sql("USE agent")
    for statement in (
        "SELECT count(*) FROM main.orders",
        "INSERT INTO main.orders VALUES (2)",
        "DROP TABLE main.orders",
        "CREATE TABLE main.t (i INTEGER)",
        "CREATE VIEW v AS FROM main.orders",
    ):
        with pytest.raises(InvalidInputError) as refused:
            session.sql(statement)
        words = 'Ambiguous reference to catalog or schema "main" - use a fully qualified path like "agent.main"'
        assert words in str(refused.value)
        assert '"main.main.' in str(refused.value.hint)
    assert (count(session, "agent.main.orders"), count(session, "main.main.orders"), count(session, "orders")) == (
        1,
        0,
        1,
    )
    assert rows(session, "FROM main.current_snapshot()") != rows(session, "FROM agent.current_snapshot()")


def test_what_is_stored_in_a_catalog_names_its_own_schema_main(session: Connection) -> None:
    session.sql("DETACH main; USE agent; ALTER TABLE orders ADD COLUMN own VARCHAR")
    session.sql("CREATE VIEW seen AS SELECT own FROM main.orders; CREATE MACRO one() AS 'x'")
    session.sql("CREATE MACRO two() AS main.one()")
    session.sql("ATTACH 'ducklake:lake.db' AS main (CATALOG 'main'); CREATE MACRO main.main.one() AS 1")
    for use in ("agent", "main"):
        session.sql(f"USE {use}")
        assert columns(session, "FROM agent.seen") == [("own", "VARCHAR")]
        assert columns(session, "SELECT agent.two() AS own") == [("own", "VARCHAR")]


def test_a_macro_that_one_of_the_two_has_is_meant(session: Connection) -> None:
    session.sql("CREATE MACRO main.main.one() AS 1; USE agent")
    assert columns(session, "SELECT main.one() AS a") == [("a", "INTEGER")]
    session.sql("CREATE MACRO agent.main.one() AS 'x'")
    with pytest.raises(InvalidInputError, match='Ambiguous reference to catalog or schema "main"'):
        columns(session, "SELECT main.one() AS a")
    assert columns(session, "SELECT agent.main.one() AS a, main.main.one() AS b") == [
        ("a", "VARCHAR"),
        ("b", "INTEGER"),
    ]


def test_any_catalog_that_is_called_as_a_schema_is_ambiguous(session: Connection) -> None:
    session.sql("USE main; CREATE SCHEMA agent; CREATE TABLE main.agent.orders (id INTEGER)")
    with pytest.raises(InvalidInputError, match=r'"agent" - use a fully qualified path like "main\.agent"'):
        session.sql("SELECT count(*) FROM agent.orders")
    assert (count(session, "main.agent.orders"), count(session, "agent.main.orders")) == (0, 1)


def test_python_has_a_catalog_called_main(session: Connection) -> None:
    with forklake.open("lake.db") as lake:
        found = lake.catalog("main").sql("INSERT INTO main.orders VALUES (1); SELECT count(*) FROM orders")
        assert found is not None
        assert found.fetchall() == [(1,)]
