"""Merging small files on Spark, and what scans cost before and after."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from benchmarks.databases import Databases
from benchmarks.report import Aim, Figure
from benchmarks.spark import COLUMNS, aggregated, new_lake, raw, turn_about
from forklake import Catalog, Table

_GROUP = "compact on Spark"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many files there are, of how many rows each; so many rows make about 1 MB."""

    files: int = 1000
    rows_in_file: int = 26_000
    rounds: int = 2


QUICK = Sizes(files=20, rows_in_file=1000, rounds=1)


def compact(databases: Databases, quick: bool) -> list[Figure]:
    """Merge small files beside Spark that reads and writes the same ones."""
    sizes = QUICK if quick else Sizes()
    count = sizes.files * sizes.rows_in_file
    with new_lake() as (lake, spark, directory):
        shop = lake.create_catalog("shop")
        shop.options.set("small_writes", "spark")
        table = _filled(shop, spark, sizes)
        files = table.storage.files()
        byte_count = sum(file.file_size_bytes for file in files)
        # As many files as there come of it here.
        parts = sum(one.files_created for one in shop.maintenance.merge_adjacent_files(dry_run=True))

        def ours() -> None:
            with shop.fork(f"fork-{uuid.uuid4()}") as fork:
                done = fork.maintenance.merge_adjacent_files()
                assert sum(one.files_processed for one in done) == sizes.files, done
                _remove(fork.table("orders"), keep=table)

        def plain() -> None:
            target = directory / uuid.uuid4().hex
            raw(spark, table).coalesce(parts).write.parquet(str(target))
            shutil.rmtree(target)

        mine, theirs = turn_about(sizes.rounds, ours, plain)
        name = f"merge {sizes.files:,} files of {byte_count / sizes.files / 1e6:.1f} MB into {parts}, p50"
        reference = "spark.read.parquet and df.write.parquet"
        figures = [Figure(_GROUP, name, mine.p50, "ms", theirs.p50, reference, Aim("at most", 1.3))]
        merged = shop.fork("merged")
        merged.maintenance.merge_adjacent_files()
        after, before = turn_about(
            sizes.rounds,
            lambda: aggregated(merged.table("orders").dataframe(), count),
            lambda: aggregated(table.dataframe(), count),
        )
        told = f"scan and aggregate {count:,} rows after merging, p50"
        return [*figures, Figure(_GROUP, told, after.p50, "ms", before.p50, "before")]


def _filled(catalog: Catalog, spark: SparkSession, sizes: Sizes) -> Table:
    catalog.create_table("orders", rows=_rows(spark, 0, 1))
    catalog.options.set("per_thread_output", True, table="orders")
    table = catalog.table("orders")
    table.append(_rows(spark, sizes.files * sizes.rows_in_file, sizes.files))
    assert len(table.storage.files()) == sizes.files, len(table.storage.files())
    return table


def _rows(spark: SparkSession, count: int, parts: int) -> DataFrame:
    return spark.range(0, count, 1, parts).selectExpr(*COLUMNS, "md5(cast(id AS string)) AS token")


def _remove(table: Table, keep: Table) -> None:
    kept = {file.path for file in keep.storage.files()}
    for file in table.storage.files():
        if file.path not in kept:
            Path(file.path).unlink()
