"""Two versions are compared in SQL: what changed, how many rows, and which."""

from __future__ import annotations

from typing import Any

import pytest

from forklake import Connection
from forklake.errors import InvalidInputError, NotFoundError

pytestmark = pytest.mark.parametrize("store", ["file"], indirect=True)


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


@pytest.fixture
def shop(session: Connection) -> Connection:
    session.sql("CREATE TABLE orders (id INTEGER, state VARCHAR)")
    session.sql("INSERT INTO orders SELECT i, 'new' FROM range(20) r(i)")
    session.sql("CALL ducklake_fork_catalog('lake', 'agent')")
    session.sql("ATTACH 'ducklake:' AS agent (CATALOG 'agent')")
    session.sql("UPDATE agent.orders SET state = 'paid' WHERE id = 1; DELETE FROM agent.orders WHERE id IN (2, 3)")
    session.sql("ALTER TABLE agent.orders ADD COLUMN note VARCHAR; INSERT INTO agent.orders VALUES (20, 'new', 'x')")
    return session


def test_changes_and_tables_are_listed(shop: Connection) -> None:
    found = rows(shop, "SELECT * EXCLUDE (files_added, files_removed) FROM ducklake_diff('lake', 'agent')")
    assert found == [
        ("change", 'table "main"."orders": column "note" added', None, None, None, None, None, None),
        ("table", "changed", "main", "orders", 1, None, None, None),
    ]
    counts = "SELECT rows_inserted, rows_deleted, rows_updated FROM ducklake_diff('lake', 'agent', count_rows => true)"
    assert rows(shop, f"{counts} WHERE kind = 'table'") == [(1, 2, 1)]
    assert rows(shop, "SELECT count(*) FROM lake.diff('lake')") == [(0,)]


def test_rows_of_a_table_are_a_relation(shop: Connection) -> None:
    shop.sql("DELETE FROM lake.orders WHERE id = 5")
    differing = "FROM ducklake_diff('lake', 'agent', table_name => 'orders', since_base => {})"
    assert rows(
        shop, f"SELECT change_type, id, state, note {differing.format('true')} ORDER BY id, change_type DESC"
    ) == [
        ("update_preimage", 1, "new", None),
        ("update_postimage", 1, "paid", None),
        ("delete", 2, "new", None),
        ("delete", 3, "new", None),
        ("insert", 20, "new", "x"),
    ]
    kinds = f"SELECT change_type, count(*) {differing.format('false')} GROUP BY ALL ORDER BY ALL"
    assert rows(shop, kinds) == [("delete", 2), ("insert", 2), ("update_postimage", 1), ("update_preimage", 1)]
    assert rows(shop, "SELECT count(*) FROM ducklake_diff('agent', table_name => 'main.orders')") == [(5,)]


def test_a_transaction_compares_what_it_sees(shop: Connection) -> None:
    ((before,),) = rows(shop, "SELECT ducklake_current_snapshot('agent')")
    shop.sql("BEGIN; FROM agent.orders")
    with shop.cursor() as other:
        other.sql("DELETE FROM agent.orders WHERE id = 7")
    assert rows(shop, f"FROM ducklake_diff('agent', since => {before})") == []
    shop.sql("COMMIT")
    assert len(rows(shop, f"FROM ducklake_diff('agent', since => {before}, table_name => 'orders')")) == 1


def test_wrong_calls_are_refused(shop: Connection) -> None:
    with pytest.raises(NotFoundError, match='Catalog "nobody" does not exist'):
        shop.sql("FROM ducklake_diff('lake', 'nobody')")
    with pytest.raises(NotFoundError, match='"nothing" does not exist'):
        shop.sql("FROM ducklake_diff('lake', 'agent', table_name => 'nothing')")
    with pytest.raises(InvalidInputError, match="has no parent to compare it with"):
        shop.sql("FROM ducklake_diff('lake')")
    with pytest.raises(InvalidInputError, match="schema_name says where a table is"):
        shop.sql("FROM ducklake_diff('lake', 'agent', schema_name => 'main')")
    with pytest.raises(InvalidInputError, match="count_rows is of all tables"):
        shop.sql("FROM ducklake_diff('lake', 'agent', table_name => 'orders', count_rows => true)")
