"""What Spark's writers leave behind when a driver dies, and leases of what Spark writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake, MergeDelete
from forklake.engine.spark.write import write_rows
from forklake.files.access import storage
from tests.lakes import IMPATIENT


class DeadDriver(BaseException):
    """The end of the process, at a place from which nothing else is done."""


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Iterator[Catalog]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        shop.table("orders").append(spark.range(10))
        yield shop


def files(shop: Catalog) -> set[str]:
    return {str(path) for path in Path(shop.inspect.info.data_path).rglob("*") if path.is_file()}


def end_leases(shop: Catalog) -> int:
    """Let all leases run out; return how many there are."""
    with shop._runtime.store.writing() as session:
        return session.execute("UPDATE forklake.ducklake_lease SET end_time = :now", now=session.now())


def test_what_spark_wrote_for_a_driver_that_died_goes(
    shop: Catalog, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = files(shop)

    def die(*args: object) -> None:
        raise DeadDriver

    with monkeypatch.context() as dead:
        dead.setattr(write_rows, "move_into_place", die)
        dead.setattr(storage, "delete_directory", lambda directory: False)
        dead.setattr("forklake.catalog.transaction.Staging.undo", lambda staging, **since: None)
        with pytest.raises(DeadDriver):
            shop.table("orders").append(spark.range(0, 100, 1, 2))
    left = files(shop) - named
    assert {Path(path).parent.name[:6] for path in left} == {"write-"}
    assert {Path(path).suffix for path in left} == {".parquet"}
    search = shop.maintenance.delete_orphaned_files
    assert search(cleanup_all=True).files == ()
    assert end_leases(shop) == 1
    assert {file.path for file in search(cleanup_all=True).files} == left
    assert files(shop) == named
    assert not list(Path(shop.inspect.info.data_path).rglob("write-*"))
    assert shop.table("orders").count() == 10


def test_changes_of_rows_end_their_leases(shop: Catalog, spark: SparkSession) -> None:
    orders = shop.table("orders")
    orders.delete("id < 2")
    orders.update({"id": "id + 100"}, "id < 4")
    orders.merge(spark.range(5, 15), on=["id"], matched=[MergeDelete()])
    orders.delete("id > 1000")
    assert end_leases(shop) == 0
    assert sorted(row.id for row in orders.dataframe().collect()) == [4, 102, 103]
    assert shop.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
