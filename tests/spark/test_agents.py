"""Many agents in one Spark application: each has a session and a fork of its own, and they share a lake."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake import Lake
from tests.lakes import IMPATIENT

AGENTS = 20
DELETING = 4  # of them


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


def test_agents_that_work_at_once_see_their_own_rows_views_and_settings(lake: Lake, spark: SparkSession) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    shop.table("orders").append(spark.range(10).selectExpr("id", "'base' AS item"))
    together = threading.Barrier(AGENTS)

    def work(number: int) -> list[tuple[object, ...]]:
        session = spark.newSession()
        session.conf.set("spark.sql.session.timeZone", f"GMT+{number % 10}")
        orders = lake.using(session).catalog("shop").fork(f"agent-{number}").table("orders")
        together.wait(60)
        session.range(number, number + 1).createOrReplaceTempView("mine")
        orders.append(session.sql(f"SELECT 100 + id AS id, 'agent {number}' AS item FROM mine"))
        if number < DELETING:
            orders.delete(f"id = {number}")
        orders.dataframe().createOrReplaceTempView("orders")
        zone = session.conf.get("spark.sql.session.timeZone")
        seen = session.sql("SELECT count(*), max(id), max_by(item, id), min(id) FROM orders").collect()
        return [(*row, zone, session.table("mine").first()[0]) for row in seen]  # type: ignore[index]

    with ThreadPoolExecutor(AGENTS) as threads:
        seen = list(threads.map(work, range(AGENTS)))
    for number, rows in enumerate(seen):
        count, first = (10 if number < DELETING else 11), (1 if number == 0 else 0)
        assert rows == [(count, 100 + number, f"agent {number}", first, f"GMT+{number % 10}", number)]
    assert shop.table("orders").count() == 10
    assert not spark.catalog.tableExists("orders")


def test_a_lake_in_another_session_shares_all_but_the_session(lake: Lake, spark: SparkSession) -> None:
    other = lake.using(spark.newSession())
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    other.catalog("shop").table("orders").append([{"id": 1}])
    frame = other.catalog("shop").table("orders").dataframe()
    assert frame.sparkSession is other.spark
    assert shop.table("orders").dataframe().sparkSession is spark
    assert shop.table("orders").count() == 1
