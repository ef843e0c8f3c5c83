"""Many agents in one Spark application: each thread has a session and a fork of its own."""

from __future__ import annotations

import gc
from collections.abc import Callable

from pyspark.sql import SparkSession

from benchmarks.databases import Databases
from benchmarks.measure import Samples, time_threads
from benchmarks.memory import heap, resident
from benchmarks.report import Figure
from benchmarks.spark import new_lake
from forklake import Catalog, Lake

_GROUP = "agents in one Spark application"
_ROWS = 1_000
_MORE = 2


def agents(databases: Databases, quick: bool) -> list[Figure]:
    """Append and read with 1, 10 and 100 sessions at once; the same number of times each."""
    counts, turns = ((1, 2, 4), 8) if quick else ((1, 10, 100), 100)
    figures: list[Figure] = []
    with new_lake() as (lake, spark, _):
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
        shop.table("orders").append(spark.range(_ROWS).selectExpr("id", "'base' AS item"))
        _round(lake, shop, spark, "warm-up", counts[0], max(2, turns // 10))
        alone = None
        for count in counts:
            before = heap(spark)
            took, samples = _round(lake, shop, spark, f"of-{count}", count, turns)
            alone = alone or turns / took
            figures += [
                Figure(_GROUP, f"append + read, {count} sessions", turns / took, "/s", alone, "one session"),
                Figure(_GROUP, f"one append + read, {count} sessions, p50", samples.p50, "ms"),
                Figure(_GROUP, f"heap of the JVM after {count} sessions", heap(spark), "MiB", before, "before"),
            ]
        return figures + _growth(lake, shop, spark, counts[-1], turns)


def _round(lake: Lake, shop: Catalog, spark: SparkSession, name: str, count: int, turns: int) -> tuple[float, Samples]:
    """Let agents take their turns; return the seconds that all took together, and the times of single turns."""
    forks = [shop.fork(f"{name}-{number}").name for number in range(count)]
    samples = Samples()

    def begin(number: int) -> Callable[[], object]:
        session = spark.newSession()
        orders = lake.using(session).catalog(forks[number]).table("orders")
        return lambda: [
            samples.time(_turn, session, orders.append, orders.dataframe, turn // count + 2)
            for turn in range(number, turns, count)
        ]

    return time_threads(count, begin), samples


def _turn(session: SparkSession, append: Callable[..., object], read: Callable[..., object], parts: int) -> None:
    append(session.range(_ROWS).selectExpr("id", "'own' AS item"))
    (row,) = read().selectExpr("count(*)", "sum(id)").collect()  # type: ignore[attr-defined]
    assert row[0] == parts * _ROWS, (row[0], parts)


def _growth(lake: Lake, shop: Catalog, spark: SparkSession, count: int, turns: int) -> list[Figure]:
    """Return what memory does in more rounds of the same: figures beside those before the rounds."""
    gc.collect()
    before = resident(spark) | {"heap of the JVM": heap(spark)}
    for number in range(_MORE):
        _round(lake, shop, spark, f"again-{number}", count, turns)
    gc.collect()
    after = resident(spark) | {"heap of the JVM": heap(spark)}
    return [
        Figure(
            _GROUP, f"{name} after {_MORE} more rounds of {count} sessions", after[name], "MiB", before[name], "before"
        )
        for name in before
    ]
