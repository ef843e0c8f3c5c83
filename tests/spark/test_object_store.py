"""Lakes in an object store that Spark's Hadoop has no file system for, as PySpark's package has none."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyspark.sql import SparkSession

from forklake import Catalog, Lake
from forklake.engine.spark.driver.hadoop import is_for_arrow
from forklake.errors import (
    AlreadyExistsError,
    DataFileError,
    EngineError,
    InvalidInputError,
    InvalidPathError,
    NotFoundError,
)
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from tests.lakes import IMPATIENT
from tests.loopback import object_store

FIELDS = (Field(ColumnId(1), "id", types.INT64),)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[fs.S3FileSystem]:
    """An empty object store that the driver and the tasks of the session reach through their environment."""
    with object_store(tmp_path_factory.mktemp("store")) as endpoint, pytest.MonkeyPatch.context() as patch:
        environment = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        for name, value in environment.items():
            patch.setenv(name, value)
            patch.setitem(spark.sparkContext.environment, name, value)
        yield fs.S3FileSystem(endpoint_override=endpoint, allow_bucket_creation=True)


@pytest.fixture
def bucket(store: fs.S3FileSystem) -> str:
    # A name of its own: connections to a bucket are kept for as long as the process lives.
    name = f"bucket-{uuid4()}"
    store.create_dir(name)
    return name


@pytest.fixture
def shop(bucket: str, tmp_path: Path, spark: SparkSession) -> Iterator[Catalog]:
    path = f"s3://{bucket}/a lake"
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=path, spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
        yield shop


def keys(store: fs.S3FileSystem, bucket: str) -> set[str]:
    """Return the URLs of all objects that are no directories."""
    found = store.get_file_info(fs.FileSelector(bucket, recursive=True))
    return {f"s3://{info.path}" for info in found if info.type == fs.FileType.File}


def rows(catalog: Catalog, where: str | None = None) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in catalog.table("orders").dataframe(where=where).collect())


def test_rows_are_written_read_changed_and_forked_in_an_object_store(
    shop: Catalog, store: fs.S3FileSystem, bucket: str, spark: SparkSession
) -> None:
    orders = shop.table("orders")
    orders.append([{"id": 1, "item": "a"}, {"id": 2, "item": "b"}])
    orders.append(spark.range(10, 20).selectExpr("id", "concat('item ', id) AS item"))
    assert rows(shop, "id < 11") == [(1, "a"), (2, "b"), (10, "item 10")]
    assert orders.inspect.plan("id < 5").file_count == 1

    assert orders.delete("id % 2 = 0").row_count == 6
    assert orders.update({"item": "'x'"}, "id = 11").row_count == 1
    assert orders.merge([{"id": 1, "item": "m"}, {"id": 100, "item": "n"}], ["id"]).row_count == 2
    expected = [(1, "m"), (11, "x"), *((id, f"item {id}") for id in (13, 15, 17, 19)), (100, "n")]
    assert rows(shop) == expected

    agent = shop.fork("agent")
    assert agent.table("orders").delete("id < 100").row_count == 6
    assert (rows(agent), rows(shop)) == ([(100, "n")], expected)
    assert {file.path for file in orders.storage.files()} <= keys(store, bucket)


def test_files_are_merged_in_an_object_store(store: fs.S3FileSystem, bucket: str, shop: Catalog) -> None:
    shop.options.set("small_writes", "spark")
    for number in range(3):
        shop.table("orders").append([{"id": number, "item": "x"}])
    before = keys(store, bucket)
    assert [one.files_processed for one in shop.maintenance.merge_adjacent_files()] == [3]
    (file,) = shop.table("orders").storage.files()
    assert keys(store, bucket) == before | {file.path}
    rows = shop.table("orders").dataframe(["id", "rowid"]).collect()
    assert sorted(tuple(row) for row in rows) == [(number, number) for number in range(3)]


def test_a_failed_write_leaves_no_object_and_a_second_try_works(
    shop: Catalog, store: fs.S3FileSystem, bucket: str, spark: SparkSession
) -> None:
    orders = shop.table("orders")
    with pytest.raises(InvalidInputError, match="boo"):
        orders.append(spark.range(0, 4, 1, 2).selectExpr("id", "if(id = 3, raise_error('boo'), 'x') AS item"))
    assert keys(store, bucket) == set()
    orders.append(spark.range(0, 4, 1, 2).selectExpr("id"))
    assert keys(store, bucket) == {file.path for file in orders.storage.files()}
    assert len(rows(shop)) == 4


def test_a_bucket_that_is_not_there_is_named(store: fs.S3FileSystem, tmp_path: Path, spark: SparkSession) -> None:
    path = f"s3://nobody-{uuid4()}/lake"
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=path, spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        for frame in ([{"id": 1}], spark.range(1)):
            with pytest.raises(DataFileError, match=rf'File "{path}/.*" was not written: .*bucket'):
                shop.table("orders").append(frame)
        assert len(shop.snapshots()) == 2


def test_what_only_spark_writes_names_the_file_system_that_its_hadoop_lacks(shop: Catalog, spark: SparkSession) -> None:
    shop.create_table("v", {"v": "VARIANT"})
    frame = spark.range(1).selectExpr("parse_json('1') AS v")
    with pytest.raises(EngineError, match=r'"v" of table "v" is a variant.*no file system for "s3://bucket-') as caught:
        shop.table("v").append(frame)
    assert "spark.hadoop.fs.s3.impl" in str(caught.value.hint)


def test_a_storage_that_nobody_knows_says_which_there_are(tmp_path: Path) -> None:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path="odd://x/lake", settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        with pytest.raises(InvalidPathError, match='No storage is known for "odd://x/"') as caught:
            shop.table("orders").append([{"id": 1}])
        assert "s3" in str(caught.value.hint)


def test_a_file_system_that_the_session_has_is_used(spark: SparkSession) -> None:
    session = spark.newSession()
    assert is_for_arrow(session, "t", ["/data/x", "s3://bucket/x"], FIELDS)
    session.conf.set("fs.s3.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
    assert not is_for_arrow(session, "t", ["/data/x", "S3://bucket/x"], FIELDS)
    session.conf.set("fs.s3.impl", "com.example.NoSuchFileSystem")
    assert is_for_arrow(session, "t", ["s3://bucket/x"], FIELDS)
    assert not is_for_arrow(session, "t", ["/data/x", "file:///data/x", "hdfs://host/x"], FIELDS)


def test_local_paths_are_local_whatever_the_default_file_system_is(tmp_path: Path, spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("fs.defaultFS", "hdfs://nowhere.invalid:1")
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "100% #1", spark=session) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
        shop.table("orders").append(session.range(3).selectExpr("id"))
        assert rows(shop) == [(0, None), (1, None), (2, None)]


def test_files_of_others_in_an_object_store_are_found_by_patterns_and_added(
    shop: Catalog, store: fs.S3FileSystem, bucket: str
) -> None:
    for number in range(3):
        store.create_dir(f"{bucket}/theirs/item=i{number}/deep")
        with store.open_output_stream(f"{bucket}/theirs/item=i{number}/deep/f{number}.parquet") as sink:
            pq.write_table(pa.table({"id": [number]}), sink)
    with store.open_output_stream(f"{bucket}/theirs/item=i0/text.txt") as sink:
        sink.write(b"text")
    before, orders = keys(store, bucket), shop.table("orders")
    done = orders.storage.add_files([f"s3://{bucket}/theirs/**/f[01].parquet", f"s3://{bucket}/theirs/*/*/f?.parquet"])
    assert (done.row_count, done.file_count) == (3, 3)
    assert sorted(orders.rows()) == [(0, "i0"), (1, "i1"), (2, "i2")]
    with pytest.raises(AlreadyExistsError, match="is part of table"):
        orders.storage.add_files(f"s3://{bucket}/theirs/item=i1/deep/f1.parquet")
    with pytest.raises(NotFoundError, match="No files found that match the pattern"):
        orders.storage.add_files(f"s3://{bucket}/theirs/*.parquet")
    with pytest.raises(DataFileError, match=r'text\.txt" is damaged or no Parquet file'):
        orders.storage.add_files(f"s3://{bucket}/theirs/item=i0/text.txt")
    assert keys(store, bucket) == before
    with shop.session() as session:
        session.sql(f"COPY (SELECT 7 AS id, 'x' AS item) TO 's3://{bucket}/copied/x.parquet'")
        session.sql(f"CALL shop.add_data_files('orders', 's3://{bucket}/copied/*')")
    assert (7, "x") in orders.rows()
