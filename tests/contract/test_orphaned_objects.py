"""The search for orphaned files in an object store."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from pyarrow import fs

from forklake import Lake, Settings
from forklake.errors import LeaseLostError
from tests.loopback import object_store

ROWS = [{"id": number} for number in range(20)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[fs.S3FileSystem]:
    """An empty object store that this process reaches through its environment."""
    with object_store(tmp_path_factory.mktemp("store")) as endpoint, pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            patch.setenv(name, value)
        yield fs.S3FileSystem(endpoint_override=endpoint, allow_bucket_creation=True)


@pytest.fixture
def bucket(store: fs.S3FileSystem) -> str:
    # A name of its own: connections to a bucket are kept for as long as the process lives.
    name = f"bucket-{uuid4()}"
    store.create_dir(name)
    return name


def put(store: fs.S3FileSystem, place: str) -> str:
    with store.open_output_stream(place) as stream:
        stream.write(b"stray")
    return f"s3://{place}"


def keys(store: fs.S3FileSystem, bucket: str) -> set[str]:
    found = store.get_file_info(fs.FileSelector(bucket, recursive=True))
    return {f"s3://{info.path}" for info in found if info.type == fs.FileType.File}


@pytest.mark.slow  # a server
def test_orphaned_objects_go_and_all_others_stay(store: fs.S3FileSystem, bucket: str, tmp_path: Path) -> None:
    gone: list[str] = []

    def take_one(step: str) -> None:
        if step == "orphans: judged" and gone:
            store.delete_file(gone.pop().removeprefix("s3://"))

    settings = Settings(on_step=take_one)
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=f"s3://{bucket}/a lake", settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        shop.table("orders").append(ROWS)
        agent = shop.fork("agent")
        agent.table("orders").append(ROWS)
        place = f"{bucket}/a lake/shop/"
        named = keys(store, bucket)
        left = {
            put(store, place + name)
            for name in (
                "stray.parquet",
                "main/orders/stray 100%.parquet",
                "main/orders/day=1/stray.puffin",
                f"main/orders/write-{uuid4()}/_temporary/0/part-0.crc",
            )
        }
        others = {put(store, place + "main/orders/notes.txt"), put(store, f"{bucket}/a lake/other.parquet")}
        search = shop.maintenance.delete_orphaned_files
        assert search(older_than=timedelta(days=1)).files == ()
        found = search(cleanup_all=True, dry_run=True).files
        assert {file.path for file in found} == left
        assert {file.byte_count for file in found} == {5}
        assert all(abs(file.modified - datetime.now(UTC)) < timedelta(hours=1) for file in found)
        transaction = shop.transaction()
        transaction.table("orders").append(ROWS)
        assert search(cleanup_all=True).files == (), "a writer is at work"
        transaction.commit()
        named = keys(store, bucket) - left - others
        gone.append(f"s3://{place}stray.parquet")
        done = search(cleanup_all=True)
        assert ({file.path for file in done.files}, done.failures) == (left, ())
        assert keys(store, bucket) == named | others
        assert lake.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
        assert {file.path for file in shop.table("orders").storage.files()} < named


@pytest.mark.slow  # a server
def test_objects_of_a_writer_whose_lease_ran_out_go(store: fs.S3FileSystem, bucket: str, tmp_path: Path) -> None:
    settings = Settings(lease_seconds=-1.0)
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=f"s3://{bucket}/lake", settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        late = shop.transaction()
        late.table("orders").append(ROWS)
        assert len(shop.maintenance.delete_orphaned_files(cleanup_all=True).files) == 1
        with pytest.raises(LeaseLostError):
            late.commit()
        assert keys(store, bucket) == set()


@pytest.mark.slow  # a server
def test_what_lies_in_a_bucket_already_is_nobodys_directory(
    store: fs.S3FileSystem, bucket: str, tmp_path: Path
) -> None:
    theirs = put(store, f"{bucket}/warehouse/sales/orders/part-0.parquet")
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=f"s3://{bucket}/lake") as lake:
        sales = lake.create_catalog("sales", data_path=f"s3://{bucket}/warehouse")
        other = lake.create_catalog("other", data_path=f"s3://{bucket}/warehouse")
        assert other.inspect.info.data_path == f"s3://{bucket}/warehouse/other/"
        assert sales.inspect.info.data_path == f"s3://{bucket}/warehouse/{sales.inspect.info.uuid}/"
        assert lake.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
    assert keys(store, bucket) == {theirs}
