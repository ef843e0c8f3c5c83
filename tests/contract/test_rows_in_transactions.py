"""Rows that are changed more than once before anybody sees them, and columns that change around them."""

from typing import Any

import pytest

from forklake import Catalog, Lake, Transaction
from tests.rows.arrow_hands import TABLE, ArrowHands, planned
from tests.rows.conditions import Assigned, Compared
from tests.rows.model import TableModel
from tests.rows.operations import Delete, Update
from tests.rows.reference_reader import read_plan

HANDS = ArrowHands(1)
FIRST = Compared(("k",), "=", 1)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table(TABLE, {"k": "BIGINT", "a": "INTEGER"})
    shop.table(TABLE).append([{"k": number, "a": 0} for number in range(3)])
    return shop


def rows_of(catalog: Catalog | Transaction) -> list[dict[str, Any]]:
    found = read_plan(planned(catalog.table(TABLE), None))
    return sorted((dict(row.values) for row in found), key=lambda row: row["k"])


def changes_at_head(catalog: Catalog) -> list[tuple[int, str, int]]:
    feed = HANDS.feed(catalog.table(TABLE), catalog.head, catalog.head)
    return sorted((values["k"], kind, values["a"]) for _, _, kind, values in feed)


def test_rows_written_under_a_partitioning_that_their_transaction_takes_back_are_kept(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.table(TABLE).alter.set_partitioning(["a"])
        transaction.table(TABLE).append([{"k": 3, "a": 1}, {"k": 4, "a": 2}])
        transaction.table(TABLE).alter.set_partitioning([])
        assert len(rows_of(transaction)) == 5
    assert [row["k"] for row in rows_of(shop)] == [0, 1, 2, 3, 4]
    assert [file.partition_values for file in shop.table(TABLE).storage.files()] == [(), (), ()]
    assert shop.table(TABLE).inspect.stats.record_count == 5


def test_rows_written_under_a_partitioning_that_their_transaction_replaces_are_kept(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.table(TABLE).alter.set_partitioning(["a"])
        transaction.table(TABLE).append([{"k": 3, "a": 1}])
        transaction.table(TABLE).alter.set_partitioning(["k"])
        transaction.table(TABLE).append([{"k": 4, "a": 2}])
    assert [row["k"] for row in rows_of(shop)] == [0, 1, 2, 3, 4]
    assert [file.partition_values for file in shop.table(TABLE).storage.files()] == [(), (), ("4",)]


def test_a_row_that_is_added_and_updated_by_one_snapshot_is_an_insert(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.table(TABLE).append([{"k": 3, "a": 1}, {"k": 4, "a": 1}])
        HANDS.change(transaction, TableModel(()), Update((Assigned("a", value=9),), Compared(("k",), "=", 3)))
    assert changes_at_head(shop) == [(3, "insert", 9), (4, "insert", 1)]


def test_a_row_that_is_added_and_deleted_by_one_snapshot_is_no_change(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.table(TABLE).append([{"k": 3, "a": 1}, {"k": 4, "a": 1}])
        HANDS.change(transaction, TableModel(()), Delete(Compared(("k",), "=", 3)))
    assert changes_at_head(shop) == [(4, "insert", 1)]


def test_a_row_that_is_updated_twice_by_one_snapshot_is_updated_once(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        HANDS.change(transaction, TableModel(()), Update((Assigned("a", value=5),), Compared(("k",), "<", 2)))
        HANDS.change(transaction, TableModel(()), Update((Assigned("a", value=6),), FIRST))
    assert changes_at_head(shop) == [
        (0, "update_postimage", 5),
        (0, "update_preimage", 0),
        (1, "update_postimage", 6),
        (1, "update_preimage", 0),
    ]


def test_a_row_that_is_updated_and_deleted_by_one_snapshot_is_deleted(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        HANDS.change(transaction, TableModel(()), Update((Assigned("a", value=5),), Compared(("k",), "<", 2)))
        HANDS.change(transaction, TableModel(()), Delete(FIRST))
    assert changes_at_head(shop) == [(0, "update_postimage", 5), (0, "update_preimage", 0), (1, "delete", 0)]


@pytest.fixture
def inlining(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table(TABLE, {"k": "BIGINT", "s": "STRUCT(x INTEGER, y VARCHAR, z INTEGER)"})
    shop.options.set("data_inlining_row_limit", 10)
    return shop


def test_an_inlined_struct_outlives_the_drop_of_one_of_its_fields(inlining: Catalog) -> None:
    inlining.table(TABLE).append([{"k": 1, "s": {"x": 1, "y": "one", "z": 2}}])
    assert len(inlining.table(TABLE).storage.inlined_rows()) == 1
    inlining.table(TABLE).alter.drop_column("s.y")
    assert rows_of(inlining) == [{"k": 1, "s": {"x": 1, "z": 2}}]


def test_a_struct_outlives_changes_of_its_fields_by_the_transaction_that_wrote_it(inlining: Catalog) -> None:
    with inlining.transaction() as transaction:
        transaction.table(TABLE).append([{"k": 1, "s": {"x": 1, "y": "one", "z": 2}}])
        transaction.table(TABLE).alter.drop_column("s.y")
        transaction.table(TABLE).alter.rename_column("s.z", "y")
        transaction.table(TABLE).alter.add_column(("z", "DATE"), parent="s")
        assert rows_of(transaction) == [{"k": 1, "s": {"x": 1, "y": 2, "z": None}}]
    assert rows_of(inlining) == [{"k": 1, "s": {"x": 1, "y": 2, "z": None}}]
