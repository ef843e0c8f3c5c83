"""Paths and patterns name files."""

from pathlib import Path

import pytest

from forklake.errors import InvalidInputError, InvalidPathError, NotFoundError
from forklake.files.access.find_files import find_files


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in (
        "a1.parquet",
        "a2.parquet",
        "b[1].parquet",
        "deep/er/c.parquet",
        "deep/d.parquet",
        "e.txt",
        ".h.parquet",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a1.parquet", ["a1.parquet"]),
        ("a?.parquet", ["a1.parquet", "a2.parquet"]),
        ("[a-b]*.parquet", ["a1.parquet", "a2.parquet", "b[1].parquet"]),
        ("a[!1].parquet", ["a2.parquet"]),
        ("b[1].parquet", ["b[1].parquet"]),
        ("deep/**/*.parquet", ["deep/d.parquet", "deep/er/c.parquet"]),
        ("**/c.parquet", ["deep/er/c.parquet"]),
        ("deep/*", ["deep/d.parquet"]),
        ("*", [".h.parquet", "a1.parquet", "a2.parquet", "b[1].parquet", "e.txt"]),
    ],
)
def test_patterns_match_as_in_duckdb(place: Path, pattern: str, expected: list[str]) -> None:
    found = find_files([f"{place}/{pattern}"])
    assert [path.removeprefix(f"{place}/") for path in found] == expected


def test_urls_of_local_files_and_relative_paths_are_paths(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    assert find_files([f"file://{place}/a1.parquet", "a2.parquet"]) == [f"{place}/a1.parquet", "a2.parquet"]


def test_what_matches_nothing_and_directories_are_errors_that_name_them(place: Path) -> None:
    with pytest.raises(NotFoundError, match=r'No files found that match the pattern ".*/z\*"'):
        find_files([f"{place}/a1.parquet", f"{place}/z*"])
    with pytest.raises(InvalidPathError, match=r'^"s3://b\*/x" is a pattern of buckets, whose files are not listed'):
        find_files(["s3://b*/x"])
    with pytest.raises(InvalidInputError, match=r'deep" is a directory') as raised:
        find_files([f"{place}/deep"])
    assert raised.value.hint == f'Name the files in it by a pattern: "{place}/deep/**/*.parquet".'
