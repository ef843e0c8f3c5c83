"""Files that Spark merges hold the same rows, sorted and laid out as the table is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake import Catalog, ColumnDefinition, Lake, PartitionField
from forklake.errors import DataFileError
from tests.lakes import IMPATIENT

ROW_ID, SNAPSHOT_ID = "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as opened:
        yield opened


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def shown(catalog: Catalog, name: str = "t") -> list[tuple[Any, ...]]:
    table = catalog.table(name)
    return rows(table.dataframe([*(column.name for column in table.columns), "rowid", "snapshot_id"]))


def on_spark(catalog: Catalog) -> Catalog:
    """Let Spark do even what is small."""
    catalog.options.set("small_writes", "spark")
    return catalog


def test_a_compaction_is_seen_by_nobody(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"k": "VARCHAR", "id": "BIGINT"}, partition_by=[PartitionField("k")])
    table = shop.table("t")
    for first in range(0, 30, 10):
        table.append([{"k": "ab"[n % 2], "id": n} for n in range(first, first + 10)])
    table.delete("id IN (3, 4)")
    table.update({"id": "id + 100"}, "id = 5")
    first = shop.snapshots()[1].snapshot_id
    before, feed, past = shown(shop), rows(table.changes(first)), shop.head
    on_spark(shop)
    merged = shop.maintenance.merge_adjacent_files()
    assert sorted(one.files_created for one in merged) == [1, 1]
    assert shop.maintenance.rewrite_data_files(delete_threshold=0)
    shop.maintenance.merge_adjacent_files()
    assert len(table.storage.files()) == 2
    assert shown(shop) == before == shown(shop.at(version=past))
    assert rows(table.changes(first)) == feed
    assert rows(table.changes(first, past)) == feed
    assert rows(table.changes(past + 1)) == []
    table.delete("id = 7")
    assert [line[1:] for line in rows(table.changes(past + 1))] == [(8, "delete", "b", 7)]
    assert sorted(Path(file.path).parent.name for file in table.storage.files()) == ["k=a", "k=b"]
    below = Path(table.storage.files()[0].path).parents[1]
    assert [path.name for path in below.iterdir() if path.name.startswith("write-")] == []


@pytest.mark.parametrize("sort_by", [["id DESC"], ["id % 7", "id"]], ids=["column", "expression"])
def test_sorted_files_follow_each_other(lake: Lake, sort_by: list[str]) -> None:
    shop = on_spark(lake.create_catalog("shop"))
    shop.create_table("t", {"id": "BIGINT"})
    for first in range(4):
        shop.table("t").append(pa.table({"id": list(range(first, 4000, 4))}))
    shop.table("t").alter.set_sorting(sort_by)
    size = min(file.file_size_bytes for file in shop.table("t").storage.files())
    shop.options.set("target_file_size", str(2 * size))
    (done,) = shop.maintenance.merge_adjacent_files()
    assert done.files_created == done.files_processed // 2
    held = [pq.read_table(file.path).column("id").to_pylist() for file in shop.table("t").storage.files()]
    key = (lambda n: -n) if len(sort_by) == 1 else (lambda n: (n % 7, n))
    joined = [n for of_file in sorted(held, key=lambda of_file: key(of_file[0])) for n in of_file]
    assert joined == sorted(range(4000), key=key)


def test_types_that_only_spark_or_only_arrow_writes(lake: Lake, spark: SparkSession) -> None:
    shop = on_spark(lake.create_catalog("shop", encrypted=True))
    shop.create_table(
        "t", {"u": "UUID", "h": "HUGEINT", "l": "INTEGER[]", "s": "STRUCT(a INTEGER, b DATE)", "j": "JSON"}
    )
    plain = on_spark(lake.create_catalog("plain"))
    plain.create_table("t", {"id": "INTEGER", "v": "VARIANT"})
    session = shop.session()
    for number in range(2):
        session.sql(
            f"INSERT INTO t SELECT '11111111-0000-0000-0000-00000000000{number}', {10**20 + number}, [1, NULL],"
            f" {{'a': {number}, 'b': DATE '2020-01-01'}}, '[1, {number}]'"
        )
        plain.table("t").append(spark.sql(f"SELECT {number} AS id, parse_json('{{\"a\": {number}}}') AS v"))
    for catalog in (shop, plain):
        frame = catalog.table("t").dataframe()
        assert frame.count() == 2
        before = shown_texts(catalog)
        assert [done.files_processed for done in catalog.maintenance.merge_adjacent_files()] == [2]
        (file,) = catalog.table("t").storage.files()
        assert file.mapping_id is None
        assert shown_texts(catalog) == before
    plain.table("t").alter.add_column(ColumnDefinition("l", "list", children=(ColumnDefinition("element", "int32"),)))
    plain.table("t").append(spark.sql("SELECT 1 AS id, parse_json('1') AS v, array(1) AS l"))
    assert plain.maintenance.merge_adjacent_files("t") == []  # no writer has both


def shown_texts(catalog: Catalog) -> list[str]:
    table = catalog.table("t")
    frame = table.dataframe([*(column.name for column in table.columns), "rowid", "snapshot_id"])
    return sorted(str(row) for row in frame.selectExpr("to_json(struct(*))").collect())


def test_a_job_that_fails_leaves_no_file(lake: Lake) -> None:
    shop = on_spark(lake.create_catalog("shop"))
    shop.create_table("t", {"id": "BIGINT"})
    for first in range(2):
        shop.table("t").append(pa.table({"id": [first]}))
    gone, kept = (Path(file.path) for file in shop.table("t").storage.files())
    gone.unlink()
    with pytest.raises(DataFileError, match=gone.name):
        shop.maintenance.merge_adjacent_files("t")
    assert [path for path in kept.parent.rglob("*") if path.is_file()] == [kept]


def test_checkpoint_flushes_expires_merges_and_rewrites(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    session = shop.session()
    session.sql("CREATE TABLE t (id INTEGER); CREATE TABLE u (id INTEGER)")
    shop.options.set("data_inlining_row_limit", "10")
    session.sql("INSERT INTO t VALUES (1), (2); INSERT INTO t VALUES (3)")
    session.sql("CALL shop.flush_inlined_data(); INSERT INTO t VALUES (4)")
    session.sql("INSERT INTO u SELECT i FROM range(100) t(i); DELETE FROM u WHERE id < 98")
    before = [shown(shop, name) for name in ("t", "u")]
    snapshots = len(shop.snapshots())
    session.sql("CHECKPOINT")
    assert [shown(shop, name) for name in ("t", "u")] == before
    assert [len(shop.table(name).storage.files()) for name in ("t", "u")] == [1, 1]
    assert (shop.table("t").storage.inlined_rows(), shop.table("u").inspect.stats.record_count) == ([], 2)
    assert len(shop.snapshots()) == snapshots + 3
    shop.options.set("expire_older_than", "0 seconds")
    session.sql("CHECKPOINT shop")
    assert len(shop.snapshots()) == 1
    assert session.execute("FROM shop.merge_adjacent_files()").fetchall() == []
