"""An object store that refuses, fails half way, or has lost something: it is told, and done when the store lets it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from pyarrow import fs

from forklake import Lake, Settings
from forklake.errors import DataFileError
from tests.contract.support import rows
from tests.contract.test_garbage import expire_all
from tests.duck_engine import DuckEngine
from tests.object_gate import Gate, gate_of_environment
from tests.race.scenes import append
from tests.sound import check_sound

pytestmark = pytest.mark.slow  # a server


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    """An object store which this process reaches through its environment."""
    with gate_of_environment("anybody") as gate:
        yield gate


@pytest.fixture
def bucket(gate: Gate) -> str:
    # A name of its own: connections to a bucket are kept for as long as the process lives.
    name = f"bucket-{uuid4()}"
    gate.storage().create_dir(name)
    return name


def keys(gate: Gate, bucket: str) -> set[str]:
    found = gate.storage().get_file_info(fs.FileSelector(bucket, recursive=True))
    return {f"s3://{info.path}" for info in found if info.type == fs.FileType.File}


@contextmanager
def opened(tmp_path: Path, bucket: str) -> Iterator[Lake]:
    settings = Settings(engine=DuckEngine())
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=f"s3://{bucket}/lake", settings=settings) as lake:
        yield lake


def test_objects_that_may_not_be_deleted_stay_scheduled_and_one_that_is_gone_counts(
    gate: Gate, bucket: str, tmp_path: Path
) -> None:
    with opened(tmp_path, bucket) as lake:
        shop = lake.create_catalog("shop")
        table = shop.create_table("t", {"id": "BIGINT"})
        for first in (0, 20, 40):
            append(table, range(first, first + 20))
        gone, kept, other = (file.path for file in table.storage.files())
        table.storage.remove_files([file.data_file_id for file in table.storage.files()])
        expire_all(shop)
        gate.storage().delete_file(gone.removeprefix("s3://"))
        with gate.refusing("DELETE", kept.rpartition("/")[2]):
            done = shop.maintenance.cleanup_old_files(cleanup_all=True)
            assert (set(done.deleted), done.failed) == ({gone, other}, (kept,))
            (why,) = done.failures
            assert why.startswith(f'File "{kept}" was not deleted: ')
            assert "ACCESS_DENIED" in why or "Access Denied" in why or "permission" in why
            (step,) = [one for one in shop.maintenance.checkpoint() if one.name == "cleanup_old_files"]
            assert (step.count, step.failures) == (0, ()), "its grace period has not passed"
        assert keys(gate, bucket) == {kept}
        assert shop.maintenance.cleanup_old_files(cleanup_all=True).deleted == (kept,)
        assert keys(gate, bucket) == set()
        check_sound(lake)


def test_an_orphaned_object_that_may_not_be_deleted_is_told(gate: Gate, bucket: str, tmp_path: Path) -> None:
    with opened(tmp_path, bucket) as lake:
        shop = lake.create_catalog("shop")
        append(shop.create_table("t", {"id": "BIGINT"}), range(20))
        (named,) = keys(gate, bucket)
        strays = {f"{named.rpartition('/')[0]}/{name}.parquet" for name in ("stray", "stuck")}
        for stray in strays:
            with gate.storage().open_output_stream(stray.removeprefix("s3://")) as stream:
                stream.write(b"stray")
        with gate.refusing("DELETE", "stuck"):
            done = shop.maintenance.delete_orphaned_files(cleanup_all=True)
        assert [file.path.rpartition("/")[2] for file in done.files] == ["stray.parquet"]
        (why,) = done.failures
        assert "stuck.parquet" in why
        assert len(shop.maintenance.delete_orphaned_files(cleanup_all=True).files) == 1
        assert keys(gate, bucket) == {named}


@pytest.mark.parametrize("verb", ["append", "merge"])
def test_objects_that_may_not_be_written_leave_nothing_behind(
    gate: Gate, bucket: str, tmp_path: Path, verb: str
) -> None:
    with opened(tmp_path, bucket) as lake:
        shop = lake.create_catalog("shop")
        table = shop.create_table("t", {"id": "BIGINT"})
        for first in (0, 20):
            append(table, range(first, first + 20))
        before, head = keys(gate, bucket), shop.head

        def write() -> None:
            if verb == "append":
                append(table, range(40, 60))
            else:
                shop.maintenance.merge_adjacent_files()

        for method in ("PUT", "POST"):
            with gate.refusing(method, "/lake/shop/"), pytest.raises(DataFileError, match="was not written"):
                write()
            assert (keys(gate, bucket), shop.head) == (before, head)
            assert rows(lake, "SELECT lease_id FROM forklake.ducklake_lease") == []
        assert gate.told
        write()
        assert shop.head > head
        check_sound(lake, deep=True)


def test_an_object_that_is_gone_stops_a_merge_which_leaves_nothing_behind(
    gate: Gate, bucket: str, tmp_path: Path
) -> None:
    with opened(tmp_path, bucket) as lake:
        shop = lake.create_catalog("shop")
        table = shop.create_table("t", {"id": "BIGINT"})
        for first in (0, 20):
            append(table, range(first, first + 20))
        lost = table.storage.files()[0].path
        gate.storage().delete_file(lost.removeprefix("s3://"))
        before = keys(gate, bucket)
        with pytest.raises(DataFileError, match="there is no such file"):
            shop.maintenance.merge_adjacent_files()
        assert keys(gate, bucket) == before
        assert rows(lake, "SELECT lease_id FROM forklake.ducklake_lease") == []
        assert [one.code for one in lake.maintenance.check().findings if one.severity == "error"]
