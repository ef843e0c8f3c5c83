"""Finds files by paths and patterns, on this machine and on object stores."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Sequence
from typing import Final

from forklake.errors import InvalidInputError, InvalidPathError, NotFoundError
from forklake.files import storage

_MAGIC: Final = re.compile(r"[*?[]")


def find_files(patterns: Sequence[str]) -> list[str]:
    """Return the files that patterns match, in the order of the patterns.

    The files of one pattern are sorted by path. A path that names a file is that file, even if it could be a
    pattern. Relative paths stay relative.

    Raises:
        NotFoundError: A pattern matches nothing.
        InvalidInputError: A path is a directory.
    """
    found: list[str] = []
    for pattern in patterns:
        files = match_files(pattern)
        if not files:
            _check_no_directory(pattern)
            raise NotFoundError(f'No files found that match the pattern "{pattern}"')
        found += files
    return found


def match_files(pattern: str) -> list[str]:
    """Return the files that a pattern matches, sorted by path; there may be none."""
    if not storage.is_local(pattern):
        return _match_stored(pattern)
    place = storage.local_path(pattern)
    if os.path.isfile(place):
        return [place]
    found = glob.glob(place, recursive=True, include_hidden=True)
    return sorted({path for path in found if os.path.isfile(path)})


def _match_stored(pattern: str) -> list[str]:
    if not _MAGIC.search(pattern):
        return [pattern] if storage.exists(pattern) else []
    fixed = _MAGIC.split(pattern, maxsplit=1)[0]
    if fixed.count("/") < 3:
        raise InvalidPathError(f'"{pattern}" is a pattern of buckets, whose files are not listed; nothing was done.')
    tests = _part_tests(pattern)
    return [path for path in storage.list_files(fixed.rpartition("/")[0]) if _fits(path, tests)]


def _part_tests(pattern: str) -> list[re.Pattern[str] | None]:
    """Return what fits each part of a pattern.

    None for ``**``, which any number of names fit.
    """
    return [None if part == "**" else re.compile(fnmatch.translate(part)) for part in pattern.split("/")]


def _fits(path: str, tests: Sequence[re.Pattern[str] | None]) -> bool:
    """Return whether a path fits a pattern; it never takes long.

    >>> _fits("s3://b/x/y/a1.parquet", _part_tests("s3://b/**/[ab]?.parquet"))
    True
    >>> _fits("s3://b/x/a.parquet", _part_tests("s3://b/*.parquet"))
    False
    >>> _fits("s3://b/" + "a" * 1000, _part_tests("s3://b/" + "*a" * 30 + "*b"))
    False
    """
    places = _skip_any({0}, tests)
    for name in path.split("/"):
        taken = set()
        for place in places - {len(tests)}:
            test = tests[place]
            if test is None:
                taken.add(place)
            elif test.match(name):
                taken.add(place + 1)
        places = _skip_any(taken, tests)
    return len(tests) in places


def _skip_any(places: set[int], tests: Sequence[re.Pattern[str] | None]) -> set[int]:
    """Return places in a pattern, with those behind each ``**`` that fits nothing."""
    found = set(places)
    for place, test in enumerate(tests):
        if test is None and place in found:
            found.add(place + 1)
    return found


def _check_no_directory(path: str) -> None:
    if storage.is_local(path) and os.path.isdir(storage.local_path(path)):
        raise InvalidInputError(
            f'"{path}" is a directory, not a file; nothing was read.',
            hint=f'Name the files in it by a pattern: "{path.rstrip("/")}/**/*.parquet".',
        )
