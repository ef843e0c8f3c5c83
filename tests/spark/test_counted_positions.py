"""Positions of rows that change, counted where files are read as a whole: the same as Spark's reader tells."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake import Lake, Settings
from forklake.engine.spark.change.change_rows import find_rows
from forklake.engine.spark.read.primed_files import is_deterministic
from forklake.model.scan import OWN_FILE, OWN_POSITION, OWN_ROW_ID, ROW_ID_COLUMN, ScanFile, ScanPlan
from tests.spark.plans import deleted, field, physical_plan, plan, scanned, setting, values, written_by_arrow

_FIELDS = [field(1, "a", "int64"), field(2, "b", "int64")]
_COUNT = "compareAndExchange"
_READ = "_tmp_metadata_row_index:bigint"


@pytest.fixture
def files(tmp_path: Path) -> ScanPlan:
    """Five files of several row groups: with deletes, with the ids of rows, and empty ones among them."""

    def file(number: int, first: int, count: int, *, ids: bool = False, gone: tuple[int, ...] = ()) -> ScanFile:
        columns = {"a": pa.array(range(first, first + count), pa.int64()), "b": pa.array([number] * count, pa.int64())}
        if ids:
            columns[ROW_ID_COLUMN] = pa.array([None if a % 5 else a + 10**6 for a in range(first, first + count)])
        path = written_by_arrow(tmp_path / f"{number}.parquet", columns, row_group_size=100)
        made = deleted(tmp_path / f"{number}-deletes.parquet", gone) if gone else None
        deletes = made and replace(made, delete_count=len(gone))
        return scanned(path, _FIELDS, number, record_count=count, row_id_start=first, deletes=deletes)

    return plan(
        _FIELDS,
        file(1, 0, 1000),
        file(2, 1000, 0),
        file(3, 1000, 700, gone=(0, 99, 100, 350)),
        file(4, 1700, 300, ids=True),
        file(5, 2000, 1500, ids=True, gone=tuple(range(0, 1500, 7))),
    )


def _found(rows: DataFrame) -> list[tuple[object, ...]]:
    return values(rows.select(OWN_FILE, OWN_POSITION, OWN_ROW_ID, "a"))


@pytest.mark.parametrize("condition", [None, "a % 7 = 3", "a % 1000 = 999", "a % 2 = 5"])
def test_positions_are_counted_as_spark_would_tell_them(
    spark: SparkSession, files: ScanPlan, condition: str | None
) -> None:
    counted = find_rows(spark, files, condition, columns=["a"])
    with setting(spark, spark_sql_files_maxPartitionBytes="100", spark_sql_files_openCostInBytes="1"):
        split = find_rows(spark, files, condition, columns=["a"])
        assert _COUNT not in physical_plan(split), "files that tasks share are not counted"
        expected = _found(split)
    assert _COUNT in physical_plan(counted)
    assert _READ not in physical_plan(counted)
    assert _found(counted) == expected
    assert len(expected) == {None: 3281, "a % 2 = 5": 0}.get(condition, len(expected))
    assert is_deterministic(counted), "they are the same each time"


@pytest.mark.parametrize(
    "condition", ["a >= 949", "a % 2 = 1 AND CAST(a AS INT) = 5", "NOT a = 3 OR b = 2", "a LIKE '1%'"]
)
def test_where_parquet_may_leave_out_rows_nothing_is_counted(
    spark: SparkSession, files: ScanPlan, condition: str
) -> None:
    rows = find_rows(spark, files, condition, columns=["a"])
    assert _COUNT not in physical_plan(rows)
    assert all(file != 1 or position == a for file, position, _, a in _found(rows))


@pytest.mark.parametrize("columns", [["a"], []])
def test_positions_are_counted_without_generated_code_too(
    spark: SparkSession, files: ScanPlan, columns: list[str]
) -> None:
    expected = values(find_rows(spark, files, None, columns=columns))
    assert len(expected) == 3281
    with setting(spark, spark_sql_codegen_wholeStage="false", spark_sql_codegen_factoryMode="NO_CODEGEN"):
        found = find_rows(spark, files, None, columns=columns)
        assert _COUNT in physical_plan(found)
        assert values(found) == expected


def test_rows_that_are_used_twice_at_once_are_counted_right(spark: SparkSession, files: ScanPlan) -> None:
    rows = find_rows(spark, files, "a % 3 = 0", columns=["a"])
    expected = _found(rows)
    assert sorted(_found(rows.union(rows).coalesce(1))) == sorted([*expected, *expected])
    once = rows.select(OWN_FILE, OWN_POSITION, OWN_ROW_ID, "a").rdd
    assert all(one == other for one, other in once.zip(once).collect())
    assert sorted(tuple(one) for one, _ in once.zip(once).collect()) == sorted(expected)


def test_a_condition_by_chance_is_still_not_the_same_each_time(spark: SparkSession, files: ScanPlan) -> None:
    rows = find_rows(spark, files, "random() < 0.5", columns=["a"])
    assert _COUNT in physical_plan(rows)
    assert not is_deterministic(rows)


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    settings = Settings(local_read_rows=0)
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=settings) as made:
        yield made


def test_columns_that_get_new_values_are_not_read(
    lake: Lake, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = lake.create_catalog("shop")
    rows = spark.range(300).selectExpr("id", "id * 2 AS twice", "'old' AS `it em`", "struct(id AS x, 1 AS y) AS pair")
    shop.create_table("orders", rows=rows)
    seen: list[list[str]] = []

    def noted(*given: object, columns: list[str], **more: object) -> DataFrame:
        seen.append(list(columns))
        return find_rows(*given, columns=columns, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("forklake.engine.spark.change.change_rows.find_rows", noted)
    monkeypatch.setattr("forklake.engine.spark.change.merge_rows.find_rows", noted)
    orders = shop.table("orders")
    orders.update({"it em": "'new'"}, "id % 3 = 0")
    orders.update({"it em": 'concat("it em", twice)', "twice": "0"}, "id % 3 = 1")
    source = spark.range(0, 400, 3).selectExpr(
        "id", "-id AS twice", "'merged' AS `it em`", "struct(id AS x, 2 AS y) AS pair"
    )
    orders.merge(source, ["id"])
    assert seen == [["id", "twice", "pair"], ["id", "twice", "it em", "pair"], ["id"]]
    found = {row[0]: tuple(row) for row in orders.dataframe(["id", "twice", "it em", "pair"]).collect()}
    assert found[3] == (3, -3, "merged", (3, 2))
    assert found[4] == (4, 0, "old8", (4, 1))
    assert found[5] == (5, 10, "old", (5, 1))
    assert found[399] == (399, -399, "merged", (399, 2))
    assert len(found) == 334
