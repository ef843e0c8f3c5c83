"""Base paths, places, and the paths of files."""

import os
from pathlib import Path

import pytest

from forklake.catalog.paths import check_file_path, check_not_around, join, normalise_base, place
from forklake.errors import InvalidPathError


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("/data", "/data/"),
        ("/data//x/./y/../z/", "/data/x/z/"),
        ("/", "/"),
        (Path("/data"), "/data/"),
        ("s3://bucket", "s3://bucket/"),
        ("s3://bucket//a/./b", "s3://bucket/a/b/"),
        ("abfss://c@account.dfs.core.windows.net/x", "abfss://c@account.dfs.core.windows.net/x/"),
    ],
)
def test_a_base_path_has_one_form(path: str, normal: str) -> None:
    assert normalise_base(path) == normal
    assert normalise_base(normal) == normal


def test_a_relative_path_is_made_absolute() -> None:
    assert normalise_base("lake") == f"{os.getcwd()}/lake/"


@pytest.mark.parametrize("path", ["", "  ", "\0", "s3://", "s3://bucket/../other", b"/data"])
def test_a_path_that_names_no_place_is_refused(path: str) -> None:
    with pytest.raises(InvalidPathError):
        normalise_base(path)


def test_a_place_below_the_lake_is_stored_relative_to_it() -> None:
    found = place("/lake/", None)
    assert (found.data_path, found.prefix, found.is_relative, found.above) == (None, "", True, ("",))
    found = place("/lake/", "/lake/A/b")
    assert (found.data_path, found.prefix, found.is_relative) == ("/lake/A/b/", "A/b/", True)
    assert found.above == ("", "a/", "a/b/")
    assert place("/lake/", "/lake").data_path is None


def test_a_place_elsewhere_is_stored_whole() -> None:
    found = place("/lake/", "/other/X")
    assert (found.prefix, found.is_relative, found.above) == ("/other/X/", False, ("/", "/other/", "/other/x/"))
    found = place("/lake/", "s3://bucket/x")
    assert found.above == ("s3://bucket/", "s3://bucket/x/")
    assert place("/lake/", "/lakes").is_relative is False  # a longer name is another place


def test_a_catalog_at_the_base_itself_looks_above_only() -> None:
    assert place("/lake/", "/lake/a", at_base=True).above == ("",)
    assert place("/lake/", None, at_base=True).above == ()
    with pytest.raises(InvalidPathError, match="contains the lake's own data path"):
        place("/data/lake/", "/data", at_base=True)


@pytest.mark.parametrize("directory", ["lake/", "LAKE/"])
def test_no_directory_lies_around_the_lake(directory: str) -> None:
    with pytest.raises(InvalidPathError, match="would contain the lake's data path"):
        check_not_around("/data/lake/", place("/data/lake/", "/data"), directory)
    check_not_around("/data/lake/", place("/data/lake/", "/data"), "lakes/")


def test_a_level_that_is_not_relative_starts_anew() -> None:
    assert join(("/lake/", False), ("shop/", True), ("s3://b/main/", False), ("t/", True)) == "s3://b/main/t/"


@pytest.mark.parametrize("path", ["f.parquet", "a/b/f.parquet", "key=1/f", "..f", "f..", "ä😀"])
def test_a_file_may_lie_anywhere_below_its_table(path: str) -> None:
    assert check_file_path(path) == path


@pytest.mark.parametrize(
    "path", ["", "/f", "../f", "a/../f", "a//f", "f/", "s3://b/f", "FILE://f", "\0", "\ud800", None, 1]
)
def test_a_file_lies_nowhere_else(path: str) -> None:
    with pytest.raises(InvalidPathError, match="must lie below its table's directory"):
        check_file_path(path)
