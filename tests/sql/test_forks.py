"""Catalogs and forks in SQL: what agents and tenants do to their own, nobody else sees."""

from __future__ import annotations

from typing import Any

import pytest

from forklake import Connection
from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError, NotFoundError

pytestmark = pytest.mark.parametrize("store", ["file", "postgres"], indirect=True)


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def attach(session: Connection, catalog: str, options: str = "") -> None:
    session.sql(f"ATTACH 'ducklake:' AS {catalog} (CATALOG '{catalog}'{options})")


@pytest.fixture
def shop(session: Connection) -> Connection:
    session.sql("CREATE TABLE orders (id INTEGER, state VARCHAR)")
    session.sql("INSERT INTO orders VALUES (1, 'new'), (2, 'new'), (3, 'new')")
    return session


def test_a_fork_starts_as_its_parent_is_and_goes_its_own_way(shop: Connection) -> None:
    assert rows(shop, "SELECT catalog_name, created FROM ducklake_fork_catalog('lake', 'agent')") == [("agent", True)]
    attach(shop, "agent")
    shop.sql("UPDATE agent.orders SET state = 'paid' WHERE id = 1; DELETE FROM agent.orders WHERE id = 2")
    shop.sql("INSERT INTO lake.orders VALUES (4, 'new')")

    assert rows(shop, "FROM agent.orders ORDER BY id") == [(1, "paid"), (3, "new")]
    assert rows(shop, "SELECT count(*), min(state) FROM lake.orders") == [(4, "new")]
    difference = "SELECT id FROM lake.orders EXCEPT SELECT id FROM agent.orders ORDER BY id"
    assert rows(shop, difference) == [(2,), (4,)]


def test_a_fork_of_a_fork_and_definitions_in_it(shop: Connection) -> None:
    shop.sql("CALL ducklake_fork_catalog('shop', 'a')")
    attach(shop, "a")
    shop.sql("ALTER TABLE a.orders ADD COLUMN note VARCHAR DEFAULT '-'; INSERT INTO a.orders VALUES (9, 'x', 'mine')")
    shop.sql("CALL ducklake_fork_catalog('a', 'b')")
    attach(shop, "b")
    shop.sql("ALTER TABLE b.orders RENAME state TO status; DROP TABLE a.orders; CREATE VIEW b.v AS FROM orders")

    assert rows(shop, "SELECT id, status, note FROM b.v WHERE id IN (1, 9) ORDER BY id") == [
        (1, "new", "-"),
        (9, "x", "mine"),
    ]
    assert rows(shop, "SELECT count(*) FROM lake.orders") == [(3,)]
    with pytest.raises(NotFoundError, match="orders does not exist"):
        shop.sql("FROM a.orders")


def test_a_fork_is_taken_at_a_snapshot_and_reads_the_past_before_it(shop: Connection) -> None:
    ((full,),) = rows(shop, "FROM lake.current_snapshot()")
    shop.sql("DELETE FROM orders")
    shop.sql(f"CALL ducklake_fork_catalog('lake', 'past', at => {full})")
    attach(shop, "past")

    assert rows(shop, "SELECT count(*) FROM past.orders") == [(3,)]
    assert rows(shop, "SELECT count(*) FROM past.orders AT (VERSION => 1)") == [(0,)]
    ((after,),) = rows(shop, "FROM lake.current_snapshot()")
    with pytest.raises(NotFoundError, match=f"No snapshot found at version {after}"):
        shop.sql(f"FROM past.orders AT (VERSION => {after})")
    ((own,),) = rows(shop, "FROM past.current_snapshot()")
    assert rows(shop, f"FROM past.table_changes('orders', {own}, {own})") == []


def test_a_name_that_is_taken_is_refused_or_found(shop: Connection) -> None:
    fork = "SELECT catalog_id, created FROM ducklake_fork_catalog('lake', 'agent'"
    ((first, created),) = rows(shop, fork + ")")
    assert created
    with pytest.raises(AlreadyExistsError, match="'agent' already exists"):
        shop.sql(fork + ")")
    assert rows(shop, fork + ", if_not_exists => true)") == [(first, False)]
    assert rows(shop, "SELECT ducklake_fork_catalog('lake', 'other')") != [(first,)]


def test_tenants_of_one_store_do_not_see_each_other(shop: Connection) -> None:
    shop.sql("CALL ducklake_create_catalog('lake', 'tenant')")
    attach(shop, "tenant")
    shop.sql("CREATE TABLE tenant.secrets (s VARCHAR); INSERT INTO tenant.secrets VALUES ('x')")

    with pytest.raises(NotFoundError):
        shop.sql("FROM tenant.orders")
    assert rows(shop, "SELECT table_name FROM __ducklake_metadata_lake.ducklake_table") == [("orders",)]
    assert rows(shop, "SELECT table_name FROM __ducklake_metadata_tenant.ducklake_table") == [("secrets",)]
    assert rows(shop, "SELECT count(*) FROM tenant.snapshots()") == [(3,)]


def test_catalogs_are_listed_renamed_dropped_and_brought_back(shop: Connection) -> None:
    shop.sql("CALL ducklake_create_catalog('lake', 'b'); CALL ducklake_rename_catalog('lake', 'b', 'c')")
    names = "SELECT catalog_name FROM ducklake_catalogs('lake') ORDER BY 1"
    assert rows(shop, names) == [("c",), ("shop",)]
    shop.sql("CALL ducklake_drop_catalog('lake', 'c')")
    assert rows(shop, names) == [("shop",)]
    shop.sql("CALL ducklake_undrop_catalog('lake', 'c')")
    assert rows(shop, names) == [("c",), ("shop",)]
    with pytest.raises(NotFoundError, match="nobody"):
        shop.sql("CALL ducklake_drop_catalog('lake', 'nobody')")


def test_one_transaction_reads_many_catalogs_and_writes_one(shop: Connection) -> None:
    shop.sql("CALL ducklake_fork_catalog('lake', 'agent')")
    attach(shop, "agent")
    shop.sql("BEGIN; INSERT INTO agent.orders SELECT id + 10, state FROM lake.orders")
    with pytest.raises(InvalidInputError, match="a single transaction can only write to a single attached database"):
        shop.sql("DELETE FROM lake.orders")
    with pytest.raises(ForklakeError):
        shop.sql("CALL ducklake_fork_catalog('agent', 'too_early')")
    assert rows(shop, "SELECT count(*) FROM agent.orders") == [(6,)]
    other = shop.cursor()
    assert rows(other, "SELECT count(*) FROM agent.orders") == [(3,)]
    shop.sql("COMMIT")
    assert rows(other, "SELECT count(*) FROM agent.orders") == [(6,)]
    other.close()


def test_a_catalog_attached_for_reading_or_at_a_snapshot_is_not_changed(shop: Connection) -> None:
    attach(shop, "shop", ", READ_ONLY")
    shop.sql("ATTACH 'ducklake:' AS early (CATALOG 'shop', SNAPSHOT_VERSION 1)")
    for alias in ("shop", "early"):
        with pytest.raises(InvalidInputError, match="read-only mode"):
            shop.sql(f"INSERT INTO {alias}.orders VALUES (5, 'x')")
    assert rows(shop, "SELECT count(*) FROM early.orders") == [(0,)]
    assert rows(shop, "SELECT count(*) FROM shop.orders") == [(3,)]


def test_macros_and_views_read_their_own_catalog_whatever_it_is_attached_as(shop: Connection) -> None:
    shop.sql(
        "CREATE MACRO lake.n() AS TABLE SELECT count(*) AS n FROM lake.orders;"
        "CREATE MACRO more(x) AS x + (SELECT count(*) FROM orders);"
        "CREATE MACRO most(x) AS 10 * lake.more(x);"
        "CREATE VIEW counted AS FROM lake.n()"
    )
    shop.sql("CALL ducklake_fork_catalog('lake', 'agent'); CALL ducklake_create_catalog('lake', 'tenant')")
    attach(shop, "agent")
    shop.sql("DELETE FROM agent.orders WHERE id > 1; USE agent; DETACH lake")
    shop.sql("ATTACH 'ducklake:' AS lake (CATALOG 'tenant'); ATTACH 'ducklake:' AS x (CATALOG 'shop'); USE lake")
    shop.sql("CREATE TABLE orders (id INTEGER)")  # another tenant's, under the old name and in use

    assert rows(shop, "SELECT * FROM x.n(), agent.n(), x.counted, agent.counted") == [(3, 1, 3, 1)]
    assert rows(shop, "SELECT x.more(1), agent.more(1), x.most(1), agent.most(1)") == [(4, 2, 40, 20)]


def test_a_merge_lists_rows_that_both_inserted_under_one_key(shop: Connection) -> None:
    shop.sql("CALL ducklake_fork_catalog('lake', 'agent')")
    attach(shop, "agent")
    shop.sql("INSERT INTO agent.orders VALUES (4, 'theirs'), (5, 'theirs'); INSERT INTO lake.orders VALUES (4, 'ours')")
    call = "CALL ducklake_merge_catalog('lake', 'agent', keys => MAP {'orders': ['id']}"
    assert [row[1:5] for row in rows(shop, f"{call}, dry_run => true)") if row[1] == "conflict"] == [
        ("conflict", "key id = 4", "main", "orders")
    ]
    with pytest.raises(ForklakeError, match="a row with id = 4 was added"):
        shop.sql(f"{call})")
    with pytest.raises(ForklakeError, match='no table "nowhere" to have a strategy for; nothing was done'):
        shop.sql(f"{call}, strategy => MAP {{'nowhere': 'ours'}})")
    shop.sql(f"{call}, strategy => MAP {{'orders': 'ours'}})")
    assert rows(shop, "FROM lake.orders WHERE id > 3 ORDER BY id") == [(4, "ours"), (5, "theirs")]
