"""Deleting rows: what is written, what ends, and what others see."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake, Table
from forklake.errors import CommitConflictError, InvalidInputError, NotFoundError
from tests.lakes import IMPATIENT


@pytest.fixture
def rows_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(rows_lake: Lake) -> Catalog:
    """A catalog with a table of two files: the ids 0 to 9, and 10 to 12."""
    shop = rows_lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    for first, last in ((0, 10), (10, 13)):
        shop.table("orders").append([{"id": n, "item": f"item {n}"} for n in range(first, last)])
    return shop


def ids(table: Table) -> list[int]:
    return sorted(row[0] for row in table.dataframe(["id"]).collect())


def parquet_files(directory: Path) -> set[Path]:
    return set(directory.rglob("*.parquet"))


def test_a_delete_writes_a_delete_file_and_ends_files_of_which_no_row_is_left(shop: Catalog) -> None:
    orders = shop.table("orders")
    assert orders.delete("id IN (3, 4) OR id >= 10").row_count == 5
    (file,) = orders.storage.files()
    assert file.delete_file is not None
    assert (file.record_count, file.delete_file.delete_count) == (10, 2)
    assert "/shop/main/orders/ducklake-" in file.delete_file.path
    assert file.delete_file.path.endswith("-delete.parquet")
    assert orders.delete("id = 5").row_count == 1
    (file,) = orders.storage.files()
    assert file.delete_file is not None
    assert file.delete_file.delete_count == 3
    assert ids(orders) == [0, 1, 2, 6, 7, 8, 9]
    assert (orders.count(), shop.at(version=3).table("orders").count()) == (7, 13)
    assert orders.delete("true").row_count == 7
    assert orders.storage.files() == []


def test_a_delete_that_meets_no_row_makes_no_snapshot_and_writes_nothing(shop: Catalog, tmp_path: Path) -> None:
    head, files = shop.head, parquet_files(tmp_path)
    assert shop.table("orders").delete("id % 100 = 50").row_count == 0
    assert shop.table("orders").delete("id > 1000").row_count == 0
    assert (shop.head, parquet_files(tmp_path)) == (head, files)


def test_few_deletes_stay_in_the_metadata_and_go_together_with_a_delete_file(shop: Catalog, tmp_path: Path) -> None:
    shop.options.set("data_inlining_row_limit", "2")
    orders, files = shop.table("orders"), parquet_files(tmp_path)
    assert orders.delete("id IN (3, 11)").row_count == 2
    assert [file.inlined_deletes for file in orders.storage.files()] == [(3,), (1,)]
    assert parquet_files(tmp_path) == files
    # Each file has few enough of them, but together they are too many.
    assert orders.delete("id IN (4, 5, 12)").row_count == 3
    assert [(file.inlined_deletes, file.delete_file is None) for file in orders.storage.files()] == [
        ((3,), False),
        ((1,), False),
    ]
    assert orders.delete("id = 6").row_count == 1
    assert orders.storage.files()[0].inlined_deletes == (3, 6)
    assert ids(orders) == [0, 1, 2, 7, 8, 9, 10]
    assert orders.delete("id IN (10)").row_count == 1
    assert len(orders.storage.files()) == 1
    assert (orders.count(), ids(orders)) == (6, [0, 1, 2, 7, 8, 9])


def test_rows_in_the_metadata_are_deleted_there(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", "5")
    orders = shop.table("orders")
    orders.append([{"id": n} for n in range(100, 104)])
    assert orders.delete("id IN (1, 101, 102)").row_count == 3
    assert [row.values["id"] for row in orders.storage.inlined_rows()] == ["100", "103"]
    assert orders.storage.files()[0].inlined_deletes == (1,)


def test_a_fork_and_its_parent_delete_rows_of_the_same_file(shop: Catalog) -> None:
    agent = shop.fork("agent")
    assert agent.table("orders").delete("id < 5").row_count == 5
    assert shop.table("orders").delete("id > 5").row_count == 7
    assert agent.table("orders").delete("id = 5 OR id = 12").row_count == 2
    assert ids(shop.table("orders")) == [0, 1, 2, 3, 4, 5]
    assert ids(agent.table("orders")) == [6, 7, 8, 9, 10, 11]
    agent.table("orders").delete()
    assert (agent.table("orders").count(), shop.table("orders").count()) == (0, 6)


def test_deletes_of_one_file_conflict_and_those_that_lose_leave_no_file(shop: Catalog, tmp_path: Path) -> None:
    transaction = shop.transaction()
    assert transaction.table("orders").delete("id = 1").row_count == 1
    assert transaction.table("orders").count() == 12
    shop.table("orders").delete("id = 2")
    files = parquet_files(tmp_path)
    with pytest.raises(CommitConflictError, match="delete from file with index"):
        transaction.commit()
    assert len(parquet_files(tmp_path)) == len(files) - 1
    assert shop.table("orders").delete("id = 1").row_count == 1
    assert shop.table("orders").count() == 11


def test_rows_of_the_same_transaction_can_be_deleted(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        orders = transaction.table("orders")
        orders.append([{"id": n} for n in range(100, 105)])
        assert orders.delete("id IN (1, 101)").row_count == 2
        assert orders.delete("id IN (2, 102)").row_count == 2
        assert ids(orders) == [0, *range(3, 13), 100, 103, 104]
    assert ids(shop.table("orders")) == [0, *range(3, 13), 100, 103, 104]
    assert shop.table("orders").count() == 14


def test_where_rows_are_can_be_a_condition(shop: Catalog) -> None:
    orders = shop.table("orders")
    last = orders.storage.files()[1].path
    assert orders.delete(f"rowid = 3 OR (filename = '{last}' AND file_row_number = 0)").row_count == 2
    assert ids(orders) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12]


def test_a_condition_that_is_none_is_refused(shop: Catalog) -> None:
    head = shop.head
    with pytest.raises(NotFoundError, match='"colour" not found'):
        shop.table("orders").delete("colour = 'red'")
    with pytest.raises(InvalidInputError, match="A condition is true or false, not of type BIGINT"):
        shop.table("orders").delete("id")
    with pytest.raises(InvalidInputError, match="Parser Error"):
        shop.table("orders").delete("id = ")
    assert shop.head == head


def test_rows_of_encrypted_tables_are_deleted(rows_lake: Lake, tmp_path: Path) -> None:
    vault = rows_lake.create_catalog("vault", encrypted=True)
    vault.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    orders = vault.table("orders")
    orders.append([{"id": n, "item": "x"} for n in range(5)])
    assert orders.delete("id IN (1, 3)").row_count == 2
    assert orders.update({"item": "'y'"}, "id = 4").row_count == 1
    assert orders.delete("id = 0").row_count == 1
    assert sorted(tuple(row) for row in orders.dataframe(["id", "item", "rowid"]).collect()) == [
        (2, "x", 2),
        (4, "y", 4),
    ]
    assert all(path.read_bytes()[-4:] == b"PARE" for path in parquet_files(tmp_path))
