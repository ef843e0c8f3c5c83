"""Views that Spark makes are views of stock DuckDB with DuckLake: the same rows, in the same columns."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake
from tests.interop.ducklake import attached, url_of

TABLES = """
CREATE SCHEMA stock;
CREATE TABLE main.orders (id BIGINT, item VARCHAR, n INTEGER, x DOUBLE, day DATE, xs INTEGER[], price DECIMAL(8, 2));
INSERT INTO main.orders VALUES (1, 'pear', 3, 0.5, '2026-01-05', [10, 20], 1.25),
  (2, NULL, NULL, 1.5, '2026-02-05', [], NULL), (3, 'plum', -4, NULL, NULL, NULL, 99.99),
  (4, 'pear', 3, 'nan', '1969-12-31', [30, NULL], 0), (5, 'Pear', 0, '-inf', NULL, [1], 7);
CREATE TABLE stock.items (item VARCHAR, price DECIMAL(8, 2));
INSERT INTO stock.items VALUES ('pear', 1.25), ('plum', 2.5), (NULL, 3)
"""
VIEWS = {
    "columns": "SELECT id AS `the id`, item, price FROM shop.main.orders",
    "conditions": "SELECT id FROM shop.main.orders WHERE n > 1 AND item = 'pear' OR day < DATE '1970-01-01'",
    "joins": "SELECT o.id, i.price FROM shop.main.orders o LEFT JOIN shop.stock.items i ON o.item = i.item",
    "groups": "SELECT item, count(*) AS c, count(DISTINCT n) AS d, max(x) AS m FROM shop.main.orders GROUP BY item",
    "sets": "SELECT item FROM shop.main.orders UNION SELECT item FROM shop.stock.items",
    "gone": "SELECT id FROM shop.main.orders o WHERE NOT EXISTS (SELECT 1 FROM shop.stock.items WHERE item = o.item)",
    "cases": "SELECT id, CASE WHEN n > 1 THEN 'many' ELSE coalesce(item, 'none') END AS k FROM shop.main.orders",
    "first": "SELECT id, item, n FROM shop.main.orders ORDER BY n, item, id DESC LIMIT 3",
    "last": "SELECT id, x FROM shop.main.orders ORDER BY x DESC, id LIMIT 2",
    "lists": "SELECT id, explode(xs) AS e FROM shop.main.orders",
    "same": "SELECT id, n <=> 3 AS y FROM shop.main.orders",
    "sold": "SELECT o.id FROM shop.main.orders o LEFT SEMI JOIN shop.stock.items i ON o.item = i.item",
    "unsold": "SELECT o.id FROM shop.main.orders o LEFT ANTI JOIN shop.stock.items i ON o.item = i.item",
    "times": "SELECT id, TIMESTAMP_NTZ '2026-01-31 00:00:00' AS t FROM shop.main.orders",
    "above": "SELECT item, c FROM shop.main.groups WHERE c > 1",
}


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    if spark.version.startswith("4.1"):
        pytest.skip("Spark makes views of catalogs since 4.2")
    return spark.newSession()


@pytest.fixture
def shop(tmp_path: Path, session: SparkSession) -> Iterator[Catalog]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=session) as lake:
        shop = lake.create_catalog("shop")
        shop.sql(TABLES)
        with lake.attach(session, catalog="shop"):
            yield shop


def test_views_that_spark_makes_have_the_same_rows_in_stock_ducklake(
    shop: Catalog, session: SparkSession, tmp_path: Path
) -> None:
    expected = {}
    for name, text in VIEWS.items():
        session.sql(f"CREATE VIEW shop.main.{name} AS {text}")
        frame = session.sql(text)
        expected[name] = frame.columns, sorted(map(str, map(tuple, frame.collect())))
    made = shop.maintenance.export(tmp_path / "shop.ducklake")
    with attached(url_of(made.path), READ_ONLY=True) as (connection, _):
        for name, (columns, rows) in expected.items():
            read = connection.execute(f"FROM {name}")
            assert [column[0] for column in read.description or ()] == columns, name
            assert sorted(map(str, read.fetchall())) == rows, name
