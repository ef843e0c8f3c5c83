"""Reading and writing tables on Spark, beside Spark itself on the same files."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import forklake
from benchmarks.databases import Databases
from benchmarks.measure import Samples
from benchmarks.memory import peaks
from benchmarks.report import Aim, Figure
from forklake import Catalog, Lake, NewDataFile, PartitionField, Settings, Table

COLUMNS = (
    "id",
    "cast(id % 1000 as int) AS customer",
    "cast(id % 7 as double) * 1.5 AS price",
    "cast(id % 13 as double) / 3 AS weight",
    "concat('item-', id % 5000) AS item",
    "element_at(array('north', 'south', 'east', 'west'), cast(id % 4 as int) + 1) AS region",
    "timestamp_ntz '2026-01-01' + make_dt_interval(0, 0, 0, id % 31536000) AS placed_at",
    "cast(id % 100000 as decimal(10,2)) AS amount",
)
AGGREGATE = ("count(*)", "sum(customer)", "sum(price)", "max(weight)")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    rows: int = 10_000_000
    files: int = 20
    rounds: int = 5
    planned: tuple[int, ...] = (100, 1_000, 10_000)
    depths: tuple[int, ...] = (1, 16, 64)


QUICK = Sizes(rows=20_000, files=4, rounds=1, planned=(10, 50), depths=(1, 3))


@contextmanager
def new_lake(settings: Settings | None = None) -> Iterator[tuple[Lake, SparkSession, Path]]:
    """A lake in a temporary directory, with its Spark session."""
    directory = Path(tempfile.mkdtemp(prefix="forklake-bench-"))
    try:
        with forklake.open(str(directory / "lake.db"), data_path=directory / "data", settings=settings) as lake:
            yield lake, lake.spark, directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _rows(spark: SparkSession, count: int, parts: int) -> DataFrame:
    return spark.range(0, count, 1, parts).selectExpr(*COLUMNS)


def filled(catalog: Catalog, spark: SparkSession, name: str, sizes: Sizes) -> Table:
    """Return a new table with one file for each part of its rows."""
    catalog.create_table(name, rows=_rows(spark, 0, 1))
    catalog.options.set("per_thread_output", True, table=name)
    table = catalog.table(name)
    table.append(_rows(spark, sizes.rows, sizes.files))
    assert len(table.storage.files()) == sizes.files, len(table.storage.files())
    return table


def raw(spark: SparkSession, table: Table) -> DataFrame:
    return spark.read.schema(table.inspect.spark_schema).parquet(*(file.path for file in table.storage.files()))


def aggregated(frame: DataFrame, count: int | None = None) -> tuple[object, ...]:
    (row,) = frame.selectExpr(*AGGREGATE).collect()
    assert count is None or row[0] == count, (row[0], count)
    return tuple(row)


def turn_about(rounds: int, *calls: Callable[[], object]) -> list[Samples]:
    """Run the calls in turn, once to warm up and then so often; each has its own samples."""
    samples = [Samples() for _ in calls]
    for call in calls:
        call()
    for number in range(rounds):
        # Who goes first changes: what the one leaves behind is the other's beginning.
        order = list(zip(samples, calls, strict=True))
        for kept, call in order if number % 2 == 0 else reversed(order):
            kept.time(call)
    return samples


def scan(databases: Databases, quick: bool) -> list[Figure]:
    """Scan and aggregate a clean table."""
    sizes = QUICK if quick else Sizes()
    with new_lake() as (lake, spark, _):
        table = filled(lake.create_catalog("shop"), spark, "orders", sizes)
        assert aggregated(table.dataframe(), sizes.rows) == aggregated(raw(spark, table), sizes.rows)
        ours, reference = turn_about(
            sizes.rounds,
            lambda: aggregated(table.dataframe(), sizes.rows),
            lambda: aggregated(raw(spark, table), sizes.rows),
        )
        name = f"scan and aggregate {sizes.rows:,} rows in {sizes.files} files, p50"
        figures = [
            Figure("scan on Spark", name, ours.p50, "ms", reference.p50, "spark.read.parquet", Aim("at most", 1.05))
        ]
        return figures + _memory("scan on Spark", spark)


def append(databases: Databases, quick: bool) -> list[Figure]:
    """Append rows to a table."""
    sizes = QUICK if quick else Sizes(rounds=3)
    with new_lake() as (lake, spark, directory):
        shop = lake.create_catalog("shop")

        def ours() -> None:
            name = f"t{uuid.uuid4().hex}"
            shop.create_table(name, rows=_rows(spark, sizes.rows, 2))
            assert shop.table(name).count() == sizes.rows
            for file in shop.table(name).storage.files():
                Path(file.path).unlink()

        def plain() -> None:
            target = directory / uuid.uuid4().hex
            _rows(spark, sizes.rows, 2).write.parquet(str(target))
            shutil.rmtree(target)

        mine, theirs = turn_about(sizes.rounds, ours, plain)
        name = f"append {sizes.rows:,} rows, p50"
        figures = [Figure("append on Spark", name, mine.p50, "ms", theirs.p50, "df.write.parquet", Aim("at most", 1.1))]
        return figures + _memory("append on Spark", spark)


def plan(databases: Databases, quick: bool) -> list[Figure]:
    """Plan a scan of many files."""
    sizes = QUICK if quick else Sizes(rounds=3)
    figures = []
    with new_lake() as (lake, spark, _):
        shop = lake.create_catalog("shop")
        for count in sizes.planned:
            table = _many_files(shop, spark, f"t{count}", count)
            paths = [file.path for file in table.storage.files()]
            if count <= 1000:
                assert table.dataframe().count() == count * 10
            ours, reference = turn_about(
                sizes.rounds,
                lambda table=table: _planned(table.dataframe()),  # type: ignore[misc]
                lambda paths=paths: _planned(spark.read.parquet(*paths)),  # type: ignore[misc]
            )
            figures.append(
                Figure("plan on Spark", f"plan a scan of {count:,} files, p50", ours.p50, "ms", reference.p50,
                       "spark.read.parquet", Aim("at most", 0.1) if count == 10_000 else None)
            )  # fmt: skip
    return figures


def _planned(frame: DataFrame) -> None:
    frame._jdf.queryExecution().executedPlan()


def _many_files(catalog: Catalog, spark: SparkSession, name: str, count: int) -> Table:
    """Return a table of many small files: one file, under many names."""
    catalog.create_table(name, rows=_rows(spark, 10, 1))
    table = catalog.table(name)
    (first,) = table.storage.files()
    made = []
    for _ in range(count - 1):
        path = Path(first.path).with_name(f"ducklake-{uuid.uuid4()}.parquet")
        os.link(first.path, path)
        made.append(NewDataFile(path.name, 10, first.file_size_bytes))
    catalog.table(name).storage.append_files(made)
    assert len(table.storage.files()) == count
    return table


def prune(databases: Databases, quick: bool) -> list[Figure]:
    """Leave files out by partition and by statistics."""
    sizes = QUICK if quick else Sizes()
    figures = []
    with new_lake() as (lake, spark, _):
        shop = lake.create_catalog("shop")
        shop.create_table("parted", rows=_rows(spark, 0, 1), partition_by=[PartitionField("placed_at", "month")])
        shop.create_table("sorted", rows=_rows(spark, 0, 1), sort_by=["id"])
        shop.options.set("target_file_size", "8MB", table="sorted")
        cases = (
            ("parted", "placed_at >= '2026-03-01' AND placed_at < '2026-04-01'",
             "placed_at >= timestamp_ntz'2026-03-01' AND placed_at < timestamp_ntz'2026-04-01'"),
            ("sorted", f"id BETWEEN {sizes.rows // 2} AND {sizes.rows // 2 + 1000}",
             f"id BETWEEN {sizes.rows // 2} AND {sizes.rows // 2 + 1000}"),
        )  # fmt: skip
        for name, where, raw_where in cases:
            table = shop.table(name)
            table.append(_rows(spark, sizes.rows, 4))
            expected = aggregated(raw(spark, table).where(raw_where))
            ours, reference = turn_about(
                sizes.rounds,
                lambda table=table, where=where, expected=expected: _same(  # type: ignore[misc]
                    aggregated(table.dataframe(where=where)), expected
                ),
                lambda table=table, raw_where=raw_where, expected=expected: _same(  # type: ignore[misc]
                    aggregated(raw(spark, table).where(raw_where)), expected
                ),
            )
            summary = table.inspect.plan(where)
            group = "prune on Spark"
            what = {"parted": "one month of a table partitioned by month", "sorted": "1,000 ids of a sorted table"}[
                name
            ]
            figures.append(Figure(group, f"{what}, p50", ours.p50, "ms", reference.p50, "Spark on all files"))
            figures.append(
                Figure(
                    group, f"{what}, files", summary.file_count, "", len(table.storage.files()), "files of the table"
                )
            )
    return figures


def floats(databases: Databases, quick: bool) -> list[Figure]:
    """Filter frames by columns of floats, one of them in the order of the rows."""
    sizes = QUICK if quick else Sizes(rounds=9)
    measured = ("id", "(id - 1000) / 8.0D AS measured", "cast(id % 7 as double) * 1.5 AS price", "id % 13 AS weight")
    last, middle = (sizes.rows - 5000) / 8, sizes.rows / 16
    cases = {
        "the end of an ordered column": f"measured > {last}D",
        "one value of an ordered column": f"measured = {middle}D",
        "a range of an ordered column": f"measured BETWEEN {middle}D AND {middle + 100}D",
        "zero of an ordered column": "measured = 0.0D",
        "a seventh of the rows": "price = 1.5D",
        "half of the rows": "price > 4.0D",
    }
    figures = []
    with new_lake() as (lake, spark, _):
        shop = lake.create_catalog("shop")
        for kind, more in {"no NaN": "measured", "one NaN": "if(id = 0, double('nan'), measured) AS measured"}.items():
            name = kind.replace(" ", "_")
            rows = spark.range(0, sizes.rows, 1, 4).selectExpr(*measured).selectExpr("id", more, "price", "weight")
            shop.create_table(name, rows=rows.limit(0))
            shop.options.set("per_thread_output", True, table=name)
            shop.table(name).append(rows)
            for what, where in cases.items():
                figures.append(_filtered(spark, shop.table(name), f"{what}, {kind}", where, sizes.rounds))
    return figures


def _filtered(spark: SparkSession, table: Table, what: str, where: str, rounds: int) -> Figure:
    """Return how long a frame that a user filters takes, beside Spark on the same files."""

    def summed(frame: DataFrame) -> tuple[object, ...]:
        (row,) = frame.where(where).selectExpr("count(*)", "sum(weight)", "min(id)").collect()
        return tuple(row)

    expected = summed(raw(spark, table))
    ours, reference = turn_about(
        rounds,
        lambda: _same(summed(table.dataframe()), expected),
        lambda: _same(summed(raw(spark, table)), expected),
    )
    return Figure("filters on floats", f"{what}, p50", ours.p50, "ms", reference.p50, "spark.read.parquet")


def _same(found: object, expected: object) -> None:
    assert found == expected, (found, expected)


def depth(databases: Databases, quick: bool) -> list[Figure]:
    """Scan through forks of forks."""
    sizes = QUICK if quick else Sizes(rounds=15)
    figures = []
    with new_lake() as (lake, spark, _):
        root = lake.create_catalog("shop")
        table = filled(root, spark, "orders", sizes)
        last, made = root, 0
        for wanted in sizes.depths:
            while made < wanted:
                made += 1
                last = last.fork(f"fork-{made}")
            fork = last.table("orders")
            ours, reference = turn_about(
                sizes.rounds,
                lambda fork=fork: aggregated(fork.dataframe(), sizes.rows),  # type: ignore[misc]
                lambda: aggregated(table.dataframe(), sizes.rows),
            )
            figures.append(
                Figure("scan through forks on Spark", f"scan at depth {wanted}, p50", ours.p50, "ms",
                       reference.p50, "the root", Aim("at most", 1.05))
            )  # fmt: skip
    return figures


def _memory(group: str, spark: SparkSession) -> list[Figure]:
    return [Figure(group, f"peak memory, {name}", value, "MiB") for name, value in peaks(spark).items()]
