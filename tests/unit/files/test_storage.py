"""Paths and files, whatever their names, and errors that say which file and why."""

import errno
import os
from pathlib import Path
from uuid import UUID

import pytest

from forklake.errors import DataFileError, InvalidPathError
from forklake.files.access import storage

ODD_NAMES = ["with space", "100%", "a#b", "ä€漢", "q?x=1", "back\\slash", "c=%2F"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_path_is_taken_as_it_is_written(tmp_path: Path, name: str) -> None:
    path = f"{tmp_path}/{name}/{name}.parquet"
    with storage.open_output(path) as file:
        file.write(b"abc")
    assert Path(path).read_bytes() == b"abc"
    assert storage.size(path) == storage.size(f"file://{path}") == 3
    with storage.open_input(path) as file:
        assert file.read() == b"abc"
    storage.move(path, f"{tmp_path}/new {name}/x")
    assert storage.list_files(str(tmp_path)) == [f"{tmp_path}/new {name}/x"]
    assert storage.delete([f"{tmp_path}/new {name}/x"]) == []
    assert storage.list_files(str(tmp_path)) == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_url_is_taken_as_it_is_written(name: str) -> None:
    path = f"mock://store/{name}.parquet"  # a store of PyArrow's that lies in memory
    with storage.open_output(path) as file:
        file.write(b"abc")
    storage.move(path, f"{path}.new")
    assert storage.list_files("mock://store/") == [f"{path}.new"]
    assert storage.size(f"{path}.new") == 3
    assert storage.delete([f"{path}.new", path]) == []
    with pytest.raises(DataFileError, match="was not read: "):
        storage.open_input(f"{path}.new")


@pytest.mark.slow
def test_an_endpoint_and_a_region_need_no_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(DataFileError, match=r'File "s3://bucket/x y\.parquet" was not read: .*NETWORK_CONNECTION'):
        storage.open_input("s3://bucket/x y.parquet")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = f"{tmp_path}/gone.parquet"
    for attempt in (storage.open_input, storage.size):
        with pytest.raises(DataFileError, match=r'File ".*gone\.parquet" was not read: there is no such file\.'):
            attempt(path)
    with pytest.raises(DataFileError, match=r'was not moved to ".*/there": there is no such file'):
        storage.move(path, f"{tmp_path}/there")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="there is no such file"):
        storage.size(str(tmp_path))


def test_a_path_through_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DataFileError, match=r"was not written: (a part of the path is a file|it is there already)"):
        storage.open_output(f"{tmp_path}/file/x.parquet")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space is left on the device"),
        (errno.EACCES, "permission is denied"),
        (errno.EROFS, "the file system is read-only"),
        (errno.ENOENT, "its directory is not there and cannot be made"),
    ],
)
def test_what_the_system_refuses_is_said_in_words(number: int, words: str) -> None:
    with (
        pytest.raises(DataFileError, match=f'File "/d/x" was not written: {words}'),
        storage.explain_errors("/d/x", "written"),
    ):
        raise OSError(number, os.strerror(number))


def fill(path: str) -> None:
    with storage.open_output(path) as file, storage.explain_errors(path, "written"):
        file.write(b"x" * 100_000)


def test_a_full_device_is_recognised() -> None:
    with pytest.raises(DataFileError, match="no space is left on the device") as caught:
        fill("/dev/full")
    assert caught.value.hint is not None


@pytest.mark.parametrize("path", ["relative/x.parquet", "", "nowhere://host/x", "/nul\0"])
def test_a_path_that_names_no_place_is_refused(path: str) -> None:
    with pytest.raises(InvalidPathError):
        storage.open_input(path)


def test_deleting_names_what_is_still_there(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "file").write_bytes(b"")
    paths = [f"{tmp_path}/{name}" for name in ("gone", "directory", "file")]
    assert storage.delete([*paths, "nowhere://x/y"]) == [f"{tmp_path}/directory", "nowhere://x/y"]
    assert not (tmp_path / "file").exists()


def test_names_of_data_files_are_uuids_of_version_7_and_grow() -> None:
    names = [storage.new_file_name() for _ in range(1000)]
    assert len(set(names)) == 1000
    ids = [UUID(name.removeprefix("ducklake-").removesuffix(".parquet")) for name in names]
    assert {(found.version, found.variant) for found in ids} == {(7, "specified in RFC 4122")}
    stamps = [found.int >> 80 for found in ids]
    assert stamps == sorted(stamps)


def test_names_of_delete_files_say_so() -> None:
    name = storage.delete_file_name()
    assert name.startswith("ducklake-")
    assert name.endswith("-delete")
