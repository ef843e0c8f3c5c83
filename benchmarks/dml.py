"""Changing rows on Spark: what it costs, and what scans cost afterwards."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import deltalake
import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import DataFrame, SparkSession

from benchmarks.databases import Databases
from benchmarks.measure import Samples
from benchmarks.report import Aim, Figure
from benchmarks.spark import COLUMNS, QUICK, Sizes, aggregated, filled, new_lake, raw, turn_about
from forklake import Catalog, Table
from tests.interop.ducklake import attached

_SCAN = "scan with deletes on Spark"
_CHANGE = "change 1 % on Spark"
_MERGE = (
    "MERGE INTO orders USING news ON orders.id = news.id"
    " WHEN MATCHED THEN UPDATE SET customer = news.customer, item = news.item"
    " WHEN NOT MATCHED THEN INSERT (id, customer, item) VALUES (news.id, news.customer, news.item)"
)


def scan_deleted(databases: Databases, quick: bool) -> list[Figure]:
    """Scan tables of which rows are deleted."""
    sizes = QUICK if quick else Sizes()
    figures = []
    with new_lake() as (lake, spark, _):
        shop = lake.create_catalog("shop")
        table = filled(shop, spark, "orders", sizes)
        part = sizes.rows // sizes.files
        cases = {
            "4 of 20 files with 1 % deleted": (f"id < {4 * part} AND id % 100 = 7", 1.15),
            "all files with 0.1 % deleted": ("id % 1000 = 7", 1.3),
            "all files with 10 % deleted": ("id % 10 = 7", 1.3),
        }
        for number, (name, (where, aim)) in enumerate(cases.items()):
            fork = shop.fork(f"fork-{number}").table("orders")
            gone = fork.delete(where).row_count
            assert gone == table.count(where), (gone, where)
            ours, reference = turn_about(
                sizes.rounds,
                lambda fork=fork, gone=gone: aggregated(fork.dataframe(), sizes.rows - gone),  # type: ignore[misc]
                lambda: aggregated(raw(spark, table), sizes.rows),
            )
            figures.append(
                Figure(_SCAN, f"scan, {name}, p50", ours.p50, "ms", reference.p50, "raw scan", Aim("at most", aim))
            )
        figures += _small_deletes(shop, table, spark, sizes)
    return figures


def _small_deletes(shop: Catalog, table: Table, spark: SparkSession, sizes: Sizes) -> list[Figure]:
    fork = shop.fork("small-deletes").table("orders")
    deletes = 5 if sizes.rows < 1_000_000 else 100
    step = sizes.rows // deletes
    samples = Samples()
    for number in range(deletes):
        assert samples.time(fork.delete, f"id = {number * step + 3}").row_count == 1
    ours, reference = turn_about(
        sizes.rounds,
        lambda: aggregated(fork.dataframe(), sizes.rows - deletes),
        lambda: aggregated(raw(spark, table), sizes.rows),
    )
    return [
        Figure(_SCAN, f"one of {deletes} deletes of one row, p50", samples.p50, "ms"),
        Figure(_SCAN, f"scan after {deletes} deletes of one row, p50", ours.p50, "ms", reference.p50, "raw scan"),
    ]


def change(databases: Databases, quick: bool) -> list[Figure]:
    """Delete, update and merge 1 % of the rows, beside delta-rs and DuckLake."""
    sizes = QUICK if quick else Sizes(rounds=3)
    with new_lake() as (lake, spark, directory):
        shop = lake.create_catalog("shop")
        table = filled(shop, spark, "orders", sizes)
        paths = [file.path for file in table.storage.files()]
        delta = directory / "delta"
        deltalake.write_deltalake(str(delta), ds.dataset(paths).scanner().to_reader())
        count = sizes.rows // 100
        source = spark.range(0, sizes.rows, 100).selectExpr(*COLUMNS[:2], "'merged' AS item")
        arrow = source.toArrow()
        shop.create_table("news", rows=source)
        figures = []
        for name, ours, theirs, aim in (
            ("DELETE", lambda f: f.table("orders").delete("id % 100 = 7").row_count,
             lambda d: d.delete("id % 100 = 7"), 0.25),
            ("UPDATE", lambda f: f.table("orders").update({"item": "'x'"}, "id % 100 = 7").row_count,
             lambda d: d.update(updates={"item": "'x'"}, predicate="id % 100 = 7"), 0.4),
            ("MERGE", lambda f: f.table("orders").merge(source, ["id"]).row_count,
             lambda d: _delta_merge(d, arrow), 0.5),
            ("MERGE by SQL,", lambda f: f.sql(_MERGE).fetchall()[0][0], lambda d: _delta_merge(d, arrow), 0.5),
        ):  # fmt: skip
            mine, reference = Samples(), Samples()
            for number in range(sizes.rounds + 1):
                if number == 1:
                    mine, reference = Samples(), Samples()  # the first round was to warm up, as in other comparisons
                fork = shop.fork(f"fork-{uuid.uuid4()}")
                assert mine.time(ours, fork) == count
                copy = directory / uuid.uuid4().hex
                shutil.copytree(delta, copy)
                reference.time(theirs, deltalake.DeltaTable(str(copy)))
                shutil.rmtree(copy)
            figures.append(
                Figure(_CHANGE, f"{name} {count:,} rows, p50", mine.p50, "ms", reference.p50, "delta-rs",
                       Aim("at most", aim))
            )  # fmt: skip
        return figures + _ducklake(directory, paths, count) + _feed(shop, sizes, count)


def _delta_merge(table: deltalake.DeltaTable, source: pa.Table) -> None:
    merge = table.merge(source, "t.id = s.id", source_alias="s", target_alias="t")
    merge.when_matched_update({"item": "s.item", "customer": "s.customer"}).when_not_matched_insert_all().execute()


def _ducklake(directory: Path, paths: list[str], count: int) -> list[Figure]:
    """Return what DuckDB with DuckLake takes for the same, for comparison."""
    figures = []
    with attached(f"ducklake:{directory / 'their.ducklake'}", DATA_PATH=f"{directory}/their/") as (connection, _):
        connection.execute(f"CREATE TABLE orders AS FROM read_parquet({paths})")
        for name, statement in (
            ("UPDATE", "UPDATE orders SET item = 'x' WHERE id % 100 = 7"),
            ("DELETE", "DELETE FROM orders WHERE id % 100 = 7"),
        ):
            samples = Samples()
            (changed,) = samples.time(lambda statement=statement: connection.execute(statement).fetchone())  # type: ignore[misc]
            assert changed == count, changed
            figures.append(Figure(_CHANGE, f"DuckLake on DuckDB {duckdb.__version__}: {name}", samples.p50, "ms"))
    return figures


def _feed(shop: Catalog, sizes: Sizes, count: int) -> list[Figure]:
    fork = shop.fork("feed")
    fork.table("orders").update({"item": "'x'"}, "id % 100 = 7")
    table = fork.table("orders")
    head = fork.head
    ours, reference = turn_about(
        sizes.rounds,
        lambda: _counted(table.changes(head), 2 * count),
        lambda: _counted(table.dataframe(), sizes.rows),
    )
    return [
        Figure(_CHANGE, f"change feed of {count:,} updates, p50", ours.p50, "ms", reference.p50, "reading the table",
               Aim("at most", 1.3))
    ]  # fmt: skip


def _counted(frame: DataFrame, expected: int) -> None:
    (row,) = frame.selectExpr("count(*)", "max(item)", "sum(price)").collect()
    assert row[0] == expected, (row[0], expected)


BENCHMARKS: dict[str, Callable[[Databases, bool], list[Figure]]] = {"scan-deleted": scan_deleted, "change": change}
