"""Catalogs of the lake in use, which are named without an ATTACH of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection, Lake
from forklake.errors import CatalogDroppedError, InvalidInputError, NotFoundError


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    """A lake with the catalog ``shop`` and its fork ``agent-001``; each has a row of its own in ``orders``."""
    monkeypatch.chdir(tmp_path)
    with forklake.open("lake.db") as made:
        shop = made.create_catalog("shop")
        shop.options.set("data_inlining_row_limit", 100)
        shop.sql("CREATE TABLE orders (id INTEGER); CREATE SCHEMA sales; CREATE TABLE sales.deals (id INTEGER)")
        fork = shop.fork("agent-001")
        shop.sql("INSERT INTO orders VALUES (1)")
        fork.sql("INSERT INTO orders VALUES (2), (3)")
        yield made


@pytest.fixture
def session(lake: Lake) -> Iterator[Connection]:
    """A session in which ``shop`` is attached as ``s`` and in use."""
    with forklake.connect() as made:
        made.sql("ATTACH 'ducklake:lake.db' AS s (CATALOG 'shop'); USE s")
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def count(session: Connection, name: str) -> int:
    return int(rows(session, f"SELECT count(*) FROM {name}")[0][0])


def test_a_catalog_is_named_in_queries_and_statements(session: Connection, lake: Lake) -> None:
    assert count(session, '"agent-001".main.orders') == count(session, '"AGENT-001".orders') == 2
    assert count(session, "orders") == count(session, "shop.orders") == 1
    session.sql('INSERT INTO "agent-001".orders VALUES (4); CREATE SCHEMA "agent-001".extra')
    assert lake.catalog("agent-001").table("orders").count() == 3
    assert "extra" in lake.catalog("agent-001").schemas.list()
    assert count(session, '"agent-001".snapshots()') == count(session, "ducklake_snapshots('agent-001')")
    assert rows(session, 'SHOW TABLES FROM "agent-001"') == [("deals",), ("orders",)]
    assert rows(session, 'DESCRIBE "agent-001".orders')[0][:2] == ("id", "INTEGER")
    assert rows(session, "SHOW DATABASES") == [("s",)]


@pytest.mark.parametrize("said", ['"agent-001"', "agent-001", "'agent-001'", "agent-001.main", '"agent-001".main'])
def test_a_catalog_is_used_by_its_name(session: Connection, said: str) -> None:
    session.sql(f"USE {said}")
    assert rows(session, "SELECT current_catalog(), current_schema()") == [("agent-001", "main")]
    assert count(session, "orders") == 2
    assert count(session, "s.orders") == 1
    assert rows(session, "SHOW TABLES") == [("orders",)]
    listed = {row[0] for row in rows(session, "FROM duckdb_tables()")}
    assert listed == {"agent-001", "s"}
    session.sql("USE shop")
    assert count(session, "orders") == 1


def test_odd_names_with_hyphens_are_read_whole_or_refused(session: Connection, lake: Lake) -> None:
    for name in ("a-b-c", "x-1a", "run-2026-01-31", "a-001b-2"):
        lake.create_catalog(name)
        session.sql(f"USE {name}")
        assert rows(session, "SELECT current_catalog()") == [(name,)]
    for wrong in ("agent - 001", "agent -001", "agent- 001", "agent-"):
        with pytest.raises((InvalidInputError, NotFoundError)):
            session.sql(f"USE {wrong}")


def test_aliases_and_schemas_win_over_names_of_catalogs(session: Connection, lake: Lake) -> None:
    lake.create_catalog("sales").create_table("deals", {"x": "INTEGER", "y": "INTEGER"})
    lake.create_catalog("s").create_table("orders", {"other": "INTEGER"})
    assert [row[0] for row in rows(session, "DESCRIBE sales.deals")] == ["id"]
    assert [row[0] for row in rows(session, "DESCRIBE sales.main.deals")] == ["x", "y"]
    assert [row[0] for row in rows(session, "DESCRIBE s.orders")] == ["id"]
    session.sql("USE sales")
    assert rows(session, "SELECT current_catalog(), current_schema()") == [("s", "sales")]


def test_with_several_lakes_it_is_the_lake_in_use(session: Connection) -> None:
    session.sql("ATTACH 'ducklake:other.db' AS other; CREATE TABLE other.t (i INTEGER)")
    session.sql("CALL ducklake_fork_catalog('other', 'there')")
    assert count(session, '"agent-001".orders') == 2
    with pytest.raises(NotFoundError):
        session.sql("FROM there.t")
    session.sql("USE other")
    assert count(session, "there.t") == 0
    with pytest.raises(NotFoundError):
        session.sql('FROM "agent-001".orders')
    session.sql("USE memory")
    for name in ("there.t", '"agent-001".orders'):
        with pytest.raises(NotFoundError):
            session.sql(f"FROM {name}")


def test_what_is_found_through_a_read_only_catalog_is_read_only(lake: Lake) -> None:
    with forklake.connect() as session:
        session.sql("ATTACH 'ducklake:lake.db' AS s (CATALOG 'shop', READ_ONLY); USE s")
        assert count(session, '"agent-001".orders') == 2
        with pytest.raises(InvalidInputError, match="read-only mode"):
            session.sql('INSERT INTO "agent-001".orders VALUES (4)')


def test_a_transaction_knows_a_named_catalog_again(session: Connection, lake: Lake) -> None:
    session.sql('BEGIN; INSERT INTO "agent-001".orders VALUES (4)')
    assert count(session, '"agent-001".orders') == 3
    with pytest.raises(InvalidInputError, match="a single transaction can only write to a single attached database"):
        session.sql("INSERT INTO orders VALUES (5)")
    lake.catalog("agent-001").rename("agent-002")
    assert count(session, '"agent-001".orders') == 3
    session.sql("COMMIT")
    assert count(session, '"agent-002".orders') == 3
    with pytest.raises(NotFoundError):
        session.sql('FROM "agent-001".orders')


def test_a_name_that_goes_to_another_catalog_means_that_one(session: Connection, lake: Lake) -> None:
    assert count(session, '"agent-001".orders') == 2
    lake.catalog("agent-001").drop()
    lake.catalog("shop").fork("agent-001")
    assert count(session, '"agent-001".orders') == 1


def test_a_catalog_in_use_that_is_dropped_is_told_of(session: Connection, lake: Lake) -> None:
    session.sql('USE "agent-001"')
    lake.catalog("agent-001").drop()
    with pytest.raises(CatalogDroppedError, match='Catalog "agent-001"'):
        session.sql("FROM orders")
    assert count(session, "s.orders") == 1
    session.sql("USE s")


def test_the_last_alias_can_be_detached_while_a_catalog_beside_it_is_in_use(session: Connection) -> None:
    session.sql('USE "agent-001"; DETACH s')
    assert rows(session, "SHOW DATABASES") == []
    assert count(session, "orders") == 2
    session.sql("ATTACH 'ducklake:lake.db' AS \"agent-001\" (CATALOG 'shop')")
    assert count(session, "orders") == 1


def test_stored_text_reaches_no_catalog_that_its_reader_did_not_attach(session: Connection) -> None:
    with pytest.raises(NotFoundError, match="agent-001"):
        session.sql('CREATE VIEW theirs AS FROM "agent-001".main.orders')
    session.sql("ATTACH 'ducklake:lake.db' AS a (CATALOG 'agent-001'); CREATE VIEW theirs AS FROM a.main.orders")
    assert rows(session, "DESCRIBE theirs")[0][:2] == ("id", "INTEGER")
    session.sql("DETACH a")
    with pytest.raises(NotFoundError):
        session.sql("FROM theirs")


def test_sessions_of_a_lake_and_of_a_catalog_name_their_neighbours(lake: Lake) -> None:
    with lake.connect() as session:
        assert count(session, '"agent-001".orders') == 2
        session.sql("USE shop; INSERT INTO orders VALUES (9)")
        assert session.attached == []
    found = lake.catalog("shop").sql('SELECT count(*) FROM "agent-001".orders')
    assert found is not None
    assert found.fetchall() == [(2,)]
    with lake.catalog("shop").transaction() as txn:
        seen = txn.sql('SELECT count(*) FROM "agent-001".orders')
        assert seen is not None
        assert seen.fetchall() == [(2,)]
        with pytest.raises(InvalidInputError, match="single attached database"):
            txn.sql('INSERT INTO "agent-001".orders VALUES (4)')


def test_cursors_name_catalogs_each_on_their_own(session: Connection) -> None:
    session.sql('USE "agent-001"')
    with session.cursor() as other:
        assert count(other, "orders") == 2
        other.sql("USE s")
        assert count(other, "orders") == 1
    assert count(session, "orders") == 2
