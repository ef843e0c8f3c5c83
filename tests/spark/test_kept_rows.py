"""Rows that change, told to the driver or left to the tasks: what is written is the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake, Settings
from forklake.engine.spark.change import kept_rows
from forklake.errors import InvalidInputError

_ROWS = 3000


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession) -> Iterator[Catalog]:
    """A catalog with a table of three files and some rows in the metadata."""
    settings = Settings(local_read_rows=0)
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", rows=spark.range(0, _ROWS, 1, 3).selectExpr("id", "'old' AS item"))
        shop.options.set("per_thread_output", True, table="orders")
        shop.table("orders").append(spark.range(_ROWS, 2 * _ROWS, 1, 2).selectExpr("id", "'old' AS item"))
        shop.options.set("data_inlining_row_limit", 5, table="orders")
        shop.table("orders").append([{"id": 2 * _ROWS + n, "item": "old"} for n in range(4)])
        yield shop


@contextmanager
def jobs_of(spark: SparkSession, group: str) -> Iterator[list[int]]:
    """Provide the jobs that the block runs, once it has ended."""
    found: list[int] = []
    spark.sparkContext.setJobGroup(group, "")
    try:
        yield found
        found += spark.sparkContext.statusTracker().getJobIdsForGroup(group)
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


@pytest.mark.parametrize("most_files", [500, 0], ids=["in the driver", "by tasks"])
def test_changes_write_the_same_wherever_the_places_of_rows_are(
    shop: Catalog, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, most_files: int
) -> None:
    monkeypatch.setattr(kept_rows, "_MOST_FILES", most_files)
    orders, random = shop.table("orders"), Random(7)
    model = dict.fromkeys(range(2 * _ROWS + 4), "old")
    ids = {row[0]: row[1] for row in orders.dataframe(["id", "rowid"]).collect()}
    for turn in range(3):
        step, rest = random.randint(5, 50), random.randint(0, 4)
        chosen = [key for key in model if key % step == rest]
        assert orders.delete(f"id % {step} = {rest}").row_count == len(chosen)
        model = {key: item for key, item in model.items() if key not in set(chosen)}
        step, rest = random.randint(5, 50), random.randint(0, 4)
        chosen = [key for key in model if key % step == rest]
        assert orders.update({"item": f"'turn {turn}'"}, f"id % {step} = {rest}").row_count == len(chosen)
        model |= dict.fromkeys(chosen, f"turn {turn}")
        keys = random.sample(range(3 * _ROWS), 300)
        source = spark.createDataFrame([(key, f"merged {turn}") for key in keys], "id bigint, item string")
        assert orders.merge(source, ["id"]).row_count == len(keys)
        model |= dict.fromkeys(keys, f"merged {turn}")
    found = orders.dataframe(["id", "item", "rowid"]).collect()
    assert {row[0]: row[1] for row in found} == model
    assert len(found) == len(model)
    kept = {row[0]: row[2] for row in found if row[0] in ids and ids[row[0]] == row[2]}
    assert len(kept) > _ROWS, "rows keep their ids"
    assert sum(file.record_count - (file.delete_file.delete_count if file.delete_file else 0)
               for file in orders.storage.files()) <= len(model)  # fmt: skip


def test_few_rows_are_changed_by_few_jobs(shop: Catalog, spark: SparkSession) -> None:
    orders = shop.table("orders")
    shop.options.set("data_inlining_row_limit", 0, table="orders")
    with jobs_of(spark, "a delete") as jobs:
        assert orders.delete("id % 100 = 7").row_count == 60
    assert len(jobs) == 1, "rows are found, and told"
    with jobs_of(spark, "an update") as jobs:
        assert orders.update({"item": "'new'"}, "id % 100 = 8").row_count == 60
    assert len(jobs) == 2, "rows are found, kept and told, and written"
    with jobs_of(spark, "a merge") as jobs:
        assert orders.merge([{"id": key, "item": "new"} for key in range(9, 2 * _ROWS, 100)], ["id"]).row_count == 60
    assert len(jobs) == 3, "the source is sent; rows are found, kept and told, and written"
    with jobs_of(spark, "an update by chance") as jobs:
        assert orders.update({"item": "'chance'"}, "id % 100 = 8 AND random() < 2").row_count == 60
    assert len(jobs) == 3, "rows that may be others each time are kept before they are told"


def test_a_row_that_several_rows_would_update_is_refused_in_the_driver_too(shop: Catalog, spark: SparkSession) -> None:
    head = shop.head
    source = spark.createDataFrame([(3, "one"), (3, "other"), (4, "four")], "id bigint, item string")
    with pytest.raises(InvalidInputError, match="updated multiple times"):
        shop.table("orders").merge(source, ["id"])
    assert shop.head == head


def test_places_are_split_by_file_whatever_the_sign_of_its_id() -> None:
    places = np.array([(-2 << 31) + 5, (-1 << 31) + 2**31 - 1, 0, 1, (7 << 31) + 3], np.int64)
    found = [(file, positions.tolist()) for file, positions in kept_rows.split_places(places)]
    assert found == [(-2, [5]), (-1, [2**31 - 1]), (0, [0, 1]), (7, [3])]
    assert kept_rows.split_places(np.array([], np.int64)) == []
