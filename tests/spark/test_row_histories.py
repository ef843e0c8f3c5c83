"""Random histories of rows and files on Spark, through the public API, against a model of rows.

FORKLAKE_HISTORIES asks for more of them; a thousand histories without Spark are a hundred here.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from forklake import Lake
from forklake.errors import CommitConflictError
from tests.rows.driver import Driver, files_of
from tests.rows.histories import Place, generate, run
from tests.rows.rivals import change_together
from tests.rows.spark_hands import SparkHands
from tests.sound import check_sound

HISTORIES = max(10, int(os.environ.get("FORKLAKE_HISTORIES", "0")) // 10)
STEPS = 12
PARTS = [range(part, HISTORIES, 4) for part in range(4)]


@pytest.mark.timeout(0 if HISTORIES > 10 else 600)
@pytest.mark.parametrize("seeds", PARTS, ids=[f"part-{part}" for part in range(len(PARTS))])
def test_every_history_of_rows_shows_on_spark_what_the_model_has(
    seeds: range, tmp_path: Path, spark: SparkSession
) -> None:
    for seed in seeds:
        steps = generate(seed, STEPS)
        failure = run(steps, Place(tmp_path, reads_each_step=False), lambda: SparkHands(spark), feeds=1)
        assert failure is None, f"seed {seed}: {failure}"


@pytest.mark.soak
def test_ten_forks_and_their_parent_change_the_same_rows_at_the_same_time(tmp_path: Path, spark: SparkSession) -> None:
    def prepare(driver: Driver) -> None:
        for seed in range(3):
            driver.step_on(driver.catalogs[0], "append", Random(seed))

    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark) as lake:
        driver = change_together(lake, SparkHands(spark), 1, 1, prepare)
        driver.check(Random(0), feeds=1)
        driver.check_files(tmp_path / "data")
        check_sound(lake, deep=True)


def test_deletes_of_one_file_by_several_threads_are_run_again_until_all_are_done(
    tmp_path: Path, spark: SparkSession
) -> None:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT", "price": "INTEGER"})
        shop.table("orders").append([{"id": number, "price": 0} for number in range(20)])
        overtaken = shop.transaction()
        overtaken.table("orders").delete("id = 19")

        with ThreadPoolExecutor(4) as pool:
            changes = [pool.submit(shop.table("orders").delete, f"id = {number}") for number in range(2)]
            changes += [pool.submit(shop.table("orders").update, {"price": "price + 1"}, "id >= 10") for _ in range(2)]
            assert [change.result().row_count for change in changes] == [1, 1, 10, 10]

        with pytest.raises(CommitConflictError):
            overtaken.commit()
        rows = sorted(tuple(row) for row in shop.table("orders").dataframe().collect())
        assert rows == [(number, 2 if number >= 10 else 0) for number in range(2, 20)]
        # What the conflicts left behind is gone: every file on disk is one that some snapshot reads.
        there = {str(path) for path in (tmp_path / "data").rglob("*") if path.is_file()}
        assert there == files_of(shop, "orders")
