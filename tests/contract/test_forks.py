"""What a fork sees, and what it leaves alone."""

import pytest

from forklake import Catalog, Lake, NewDataFile, NewDeleteFile

pytestmark = pytest.mark.parametrize(
    "lake_factory", ["sqlite", "duckdb", "postgres", "partitioned", "pgbouncer"], indirect=True
)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
    shop.append_files("orders", [NewDataFile("a.parquet", 10, 100), NewDataFile("b.parquet", 5, 50)])
    return shop


def test_the_first_catalog_is_numbered_as_ducklake_numbers_it(lake: Lake) -> None:
    first = lake.create_catalog("first")
    first.create_table("t", {"i": "INTEGER"})
    assert (first.catalog_id, first.head, first.table("t").table_id) == (0, 1, 1)


def test_a_fork_starts_with_the_ids_and_files_of_its_parent(shop: Catalog) -> None:
    agent = shop.fork("agent")
    assert agent.table("orders").table_id == shop.table("orders").table_id
    assert [(f.data_file_id, f.path) for f in agent.table("orders").files()] == [
        (f.data_file_id, f.path) for f in shop.table("orders").files()
    ]


def test_a_fork_changes_inherited_things_without_touching_its_parent(shop: Catalog) -> None:
    before = shop.table("orders").files()
    agent = shop.fork("agent")
    agent.delete_rows("orders", [NewDeleteFile(before[0].data_file_id, "d.parquet", 3, 30)])
    agent.remove_files("orders", [before[1].data_file_id])
    agent.rename_table("orders", "sales")
    agent.drop_column("sales", "amount")

    assert [t.name for t in shop.tables()] == ["orders"]
    assert [c.name for c in shop.table("orders").columns] == ["id", "amount"]
    assert [f.delete_file for f in shop.table("orders").files()] == [None, None]
    (left,) = agent.table("sales").files()
    assert left.path == before[0].path
    assert left.delete_file is not None
    assert "/agent/" in left.delete_file.path


def test_rows_added_in_a_fork_never_carry_a_row_id_of_its_parent(shop: Catalog) -> None:
    agent = shop.fork("agent")
    for catalog in (shop, agent):
        catalog.append_files("orders", [NewDataFile("c.parquet", 7, 70)])
    starts = [catalog.table("orders").files()[-1].row_id_start for catalog in (shop, agent)]
    assert starts == [15, agent.catalog_id << 36]
