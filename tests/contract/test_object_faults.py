"""An object store that refuses, fails half way, or has lost something: it is told, and done when the store lets it."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast
from uuid import uuid4

import pytest
from pyarrow import fs

from forklake import Lake, Settings
from forklake.errors import DataFileError
from tests.contract.support import rows
from tests.contract.test_garbage import expire_all
from tests.duck_engine import DuckEngine
from tests.race.scenes import append
from tests.sound import check_sound

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

pytestmark = pytest.mark.slow  # a server

DENIED = b"""<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"""


class Gate:
    """An object store that refuses requests: a method, and a part of the key."""

    def __init__(self) -> None:
        self.refused: set[tuple[str, str]] = set()
        # What takes a second to import is not imported where these tests are only collected.
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app  # noqa: PLC0415
        from werkzeug.serving import make_server  # noqa: PLC0415

        self.told: list[str] = []
        self._store = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, environment: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        method, path = environment["REQUEST_METHOD"], environment["PATH_INFO"]
        if any(method == refused and part in path for refused, part in self.refused):
            self.told.append(f"{method} {path}")
            start_response("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(DENIED)))])
            return [DENIED]
        return cast("Iterable[bytes]", self._store(environment, start_response))

    @contextmanager
    def refusing(self, method: str, part: str) -> Iterator[None]:
        """Refuse requests until the block ends."""
        self.refused.add((method, part))
        try:
            yield
        finally:
            self.refused.clear()


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    """An object store which this process reaches through its environment."""
    gate = Gate()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ENDPOINT_URL": gate.url,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            patch.setenv(name, value)
        yield gate
    gate.close()


@pytest.fixture
def bucket(gate: Gate) -> str:
    # A name of its own: connections to a bucket are kept for as long as the process lives.
    name = f"bucket-{uuid4()}"
    storage(gate).create_dir(name)
    return name


def storage(gate: Gate) -> fs.S3FileSystem:
    return fs.S3FileSystem(endpoint_override=gate.url, allow_bucket_creation=True)


def keys(gate: Gate, bucket: str) -> set[str]:
    found = storage(gate).get_file_info(fs.FileSelector(bucket, recursive=True))
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
        storage(gate).delete_file(gone.removeprefix("s3://"))
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
            with storage(gate).open_output_stream(stray.removeprefix("s3://")) as stream:
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
        storage(gate).delete_file(lost.removeprefix("s3://"))
        before = keys(gate, bucket)
        with pytest.raises(DataFileError, match="there is no such file"):
            shop.maintenance.merge_adjacent_files()
        assert keys(gate, bucket) == before
        assert rows(lake, "SELECT lease_id FROM forklake.ducklake_lease") == []
        assert [one.code for one in lake.maintenance.check().findings if one.severity == "error"]
