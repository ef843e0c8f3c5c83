"""What a merge is given: what is small enough for every task, and which rows of a table it can match at all."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake import Lake
from forklake.engine.spark.change import merge_source
from forklake.engine.spark.change.key_filter import filter_by_keys
from forklake.engine.spark.change.merge_source import measure
from tests.lakes import IMPATIENT


def test_a_source_is_small_by_what_its_rows_take_in_memory(spark: SparkSession) -> None:
    rows = spark.range(70_000)
    for note, is_small in (
        ("'short'", True),
        ("repeat('ab', 500)", False),
        ("array(struct(repeat('ab', 500) AS text))", False),
        ("cast(repeat('ab', 500) AS binary)", False),
    ):
        with measure(rows.selectExpr("id", f"{note} AS note"), ["id"], "orders") as (source, values):
            assert source.is_small is is_small, note
            assert sorted(values.column("id").to_pylist()) == ([*range(70_000)] if is_small else [0, 69_999])


def test_a_source_without_rows_is_small(spark: SparkSession) -> None:
    with measure(spark.range(0), ["id"], "orders") as (source, values):
        assert source.is_small
        assert values.column("id").to_pylist() == []


def test_a_source_that_spark_takes_for_small_is_run_by_one_job(
    spark: SparkSession, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(lambda: spark.sparkContext.setLocalProperty("spark.jobGroup.id", None))  # type: ignore[arg-type]
    spark.sparkContext.setJobGroup("measured", "")
    with measure(spark.range(0, 1000, 1, 3), ["id"], "orders") as (source, _):
        assert source.held is not None
        assert sorted(source.held.column("id").to_pylist()) == [*range(1000)]
        assert sorted(row[0] for row in source.rows.select("id").collect()) == [*range(1000)]
    assert len(spark.sparkContext.statusTracker().getJobIdsForGroup("measured")) == 1


def test_a_source_of_more_rows_than_spark_promised_is_kept_as_a_large_one(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_source, "SMALL_ROWS", 1000)
    with measure(spark.range(2000).where("id % 2 >= 0"), ["id"], "orders") as (source, values):
        assert not source.is_small
        assert (source.rows.count(), values.column("id").to_pylist()) == (2000, [0, 1999])


@pytest.mark.parametrize(
    "keys", [[], [None], [7], [-1, 0, 2**63 - 1, -(2**63)], list(range(-50, 50_000, 7)), [3 * 2**40, None]]
)
def test_a_sieve_keeps_every_row_that_has_a_key(spark: SparkSession, keys: list[int | None]) -> None:
    wide = spark.createDataFrame(pa.table({"key": pa.array(keys, pa.int64())}))
    rows = spark.range(-1_000, 60_000).selectExpr("id AS key").union(wide)
    kept = {row[0] for row in filter_by_keys(rows, F.col("key"), pa.chunked_array([keys], pa.int64())).collect()}
    known = {key for key in keys if key is not None}
    assert known <= kept, "rows with a key are missing"
    assert None not in kept
    assert len(kept - known) < 61_000 / 20, "the sieve lets too much through"


def test_rows_of_a_large_table_are_matched_by_integers_of_any_width(tmp_path: Path, spark: SparkSession) -> None:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        rows = spark.range(-60_000, 60_000).selectExpr("cast(if(id = 5, NULL, id) AS int) AS id", "'old' AS item")
        shop.create_table("orders", rows=rows)
        orders = shop.table("orders")
        given = [(-60_000, "a"), (59_999, "b"), (None, "c"), (5, "d"), (2**40, "e")]
        source = spark.createDataFrame(given, "id bigint, item string")
        with pytest.raises(Exception, match=r"1099511627776|out of range"):
            orders.merge(source, ["id"])
        assert orders.merge(source.where("id IS NULL OR id < 100000"), ["id"]).row_count == 4
        changed = orders.dataframe().where("item <> 'old'").collect()
        assert sorted(tuple(row) for row in changed if row[0] is not None) == [(-60_000, "a"), (5, "d"), (59_999, "b")]
        assert [row[1] for row in changed if row[0] is None] == ["c"]
        assert orders.count() == 120_002
