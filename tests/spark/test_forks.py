"""Forks whose tables hold rows: shared files, own files, own columns."""

import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, ColumnDefinition, Lake
from tests.lakes import IMPATIENT

AGENTS = 10


@pytest.fixture
def rows_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(rows_lake: Lake) -> Catalog:
    shop = rows_lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR", "price": "DECIMAL(10,2)"})
    shop.table("orders").append([{"id": n, "item": f"item {n}", "price": n} for n in range(100)])
    return shop


def seen(catalog: Catalog, *columns: str) -> list[tuple[Any, ...]]:
    """Return the rows of a catalog's table, in order."""
    return sorted(tuple(row) for row in catalog.table("orders").dataframe(list(columns) or None).collect())


def test_a_fork_reads_inherited_files_in_place_and_writes_its_own_below_its_directory(
    rows_lake: Lake, shop: Catalog, tmp_path: Path
) -> None:
    agent = shop.fork("agent")
    agent.table("orders").append([{"id": 1000, "item": "own", "price": 1}])
    inherited, own = (file.path for file in agent.table("orders").storage.files())
    assert inherited == shop.table("orders").storage.files()[0].path
    assert own.startswith(f"{tmp_path}/data/agent/main/orders/ducklake-")
    assert (len(seen(shop)), len(seen(agent))) == (100, 101)


def test_a_fork_of_the_past_reads_that_past(shop: Catalog) -> None:
    past = shop.head
    shop.table("orders").append([{"id": 1000, "item": "later", "price": 1}])
    shop.table("orders").alter.rename_column("item", "thing")
    audit = shop.fork("audit", at=past)
    assert audit.table("orders").dataframe().columns == ["id", "item", "price"]
    assert seen(audit) == [(n, f"item {n}", Decimal(n)) for n in range(100)]
    assert len(seen(shop, "thing")) == 101


def test_changes_of_a_forks_columns_apply_to_inherited_files(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").alter.rename_column("item", "price_text")
    agent.table("orders").alter.drop_column("price")
    agent.table("orders").alter.add_column(ColumnDefinition("item", "INTEGER", default="7"))
    agent.table("orders").append([{"id": 1000, "price_text": "new", "item": 8}])
    assert seen(agent, "id", "price_text", "item")[98:] == [(98, "item 98", 7), (99, "item 99", 7), (1000, "new", 8)]
    found = agent.table("orders").dataframe(["id"], where="item = 7 AND price_text = 'item 3'").collect()
    assert [row[0] for row in found] == [3]
    assert seen(shop)[0] == (0, "item 0", Decimal(0))


def test_ten_forks_with_appends_and_changes_of_columns_are_eleven_catalogs(shop: Catalog, spark: SparkSession) -> None:
    expected = {"shop": [(n, f"item {n}", Decimal(n)) for n in range(100)]}
    catalogs = {"shop": shop}
    for number in range(AGENTS):
        agent = (catalogs["agent-4"] if number > 7 else shop).fork(f"agent-{number}")
        rows = list(expected["agent-4" if number > 7 else "shop"])
        table = agent.table("orders")
        if number % 2:
            agent.table("orders").alter.rename_column("item", f"item_{number}")
        if number % 3 == 0:
            agent.table("orders").alter.add_column(ColumnDefinition("note", "VARCHAR", default="none"))
        own = [(1000 * (number + 1) + n, f"agent {number}", Decimal(n)) for n in range(number + 1)]
        columns = table.dataframe().columns
        frame = spark.createDataFrame([(*row, "none")[: len(columns)] for row in own], table.inspect.spark_schema)
        table.append(frame if number % 2 else frame.toPandas())
        shop.table("orders").append([{"id": -number - 1, "item": "shop", "price": number}])
        expected["shop"] = sorted([*expected["shop"], (-number - 1, "shop", Decimal(number))])
        expected[agent.name] = sorted([*rows, *own])
        catalogs[agent.name] = agent
    for name, catalog in catalogs.items():
        assert seen(catalog, *catalog.table("orders").dataframe().columns[:3]) == expected[name], name
        assert catalog.table("orders").count() == len(expected[name])


def test_parent_and_fork_append_at_the_same_time(shop: Catalog) -> None:
    agent = shop.fork("agent")
    errors: list[BaseException] = []

    def work(catalog: Catalog, first: int) -> None:
        try:
            for number in range(5):
                catalog.table("orders").append([{"id": first + number, "item": "x", "price": 0}])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(catalog, 1000)) for catalog in (shop, shop, agent, agent)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    for catalog in (shop, agent):
        assert len(seen(catalog)) == 110
        ids = [row[0] for row in catalog.table("orders").dataframe(["rowid"]).collect()]
        assert len(set(ids)) == 110
