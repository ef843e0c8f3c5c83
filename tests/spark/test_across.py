"""Rows of one table in many catalogs: those of each catalog, with its name."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import forklake
from forklake import Catalog


def rows(catalog: Catalog, *columns: str, where: str | None = None) -> Counter[tuple[object, ...]]:
    frame = catalog.table("orders").dataframe(where=where)
    chosen = [name if name in frame.columns else f"NULL AS {name}" for name in columns]
    return Counter((catalog.name, *row) for row in frame.selectExpr(*chosen).collect())


def numbers(first: int, count: int) -> pa.Table:
    return pa.table({"id": range(first, first + count), "note": [f"n{number % 3}" for number in range(count)]})


def test_rows_of_many_catalogs_are_those_of_each(spark: SparkSession, tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.create_catalog("shop")
        orders = shop.create_table("orders", {"id": "BIGINT", "note": "VARCHAR"})
        for first in (0, 1000, 2000):
            orders.append(numbers(first, 1000))
        orders.append(numbers(-2, 2))
        forks = [shop.fork(f"agent {number}") for number in range(4)]
        forks[0].table("orders").append(numbers(5000, 1500))
        forks[1].table("orders").delete("id IN (-1, 7)")
        forks[2].table("orders").append(numbers(7000, 3))
        forks[2].sql("ALTER TABLE orders ADD COLUMN extra INTEGER DEFAULT 5")
        forks[2].table("orders").update({"extra": "6"}, where="id = 7000")
        everyone = [shop, *forks]

        together = lake.across([each.name for each in everyone]).table("orders")
        frame = together.dataframe()
        assert frame.columns == ["catalog_name", "id", "note", "extra"]
        wanted = sum((rows(each, "id", "note", "extra") for each in everyone), Counter())
        assert Counter(map(tuple, frame.collect())) == wanted
        assert Counter(together.rows()) == wanted
        assert together.count() == wanted.total()
        assert together.count("id > 6000") == 502
        # Once for all catalogs, once with the other columns, and two of the files once more without a deleted row.
        read, own = Counter(together.paths()), shop.table("orders").inspect.plan().paths
        assert sum(read[path] for path in own) == 2 * len(own) + 2

        filtered = lake.across(parent="shop").table("orders").dataframe("id", where="id < 0 OR id > 6000")
        expected = sum((rows(each, "id", where="id < 0 OR id > 6000") for each in forks), Counter())
        assert Counter(map(tuple, filtered.collect())) == expected

        query = "SELECT catalog_name, count(*), max(extra) FROM ducklake_across('shop', 'orders') GROUP BY 1 ORDER BY 1"
        found = shop.sql(query)
        assert found is not None
        assert found.fetchall() == [
            ("agent 0", 4502, None),
            ("agent 1", 3000, None),
            ("agent 2", 3005, 6),
            ("agent 3", 3002, None),
        ]
        chosen = "SELECT count(*) FROM shop.across('orders', prefix := 'agent', names := ['agent 1', 'agent 3'])"
        found = shop.sql(chosen)
        assert found is not None
        assert found.fetchall() == [(6002,)]
