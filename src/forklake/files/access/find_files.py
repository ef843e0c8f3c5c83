"""Finds files by paths and patterns, on this machine and on object stores."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from forklake.errors import InvalidInputError, InvalidPathError, NotFoundError
from forklake.files.access import storage
from forklake.model.interruption import end_in_time

_MAGIC: Final = re.compile(r"[*?[]")
_NO_NAME: Final = re.compile(r"(?!)")


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
    return sorted(_match_local(place))


def _match_local(pattern: str) -> Iterator[str]:
    """Yield the files of this machine that a pattern matches.

    Each directory is read once, however many ``**`` there are. Links are followed, but not to where they came from.
    """
    parts = [part for place, part in enumerate(pattern.split("/")) if part not in ("", ".") or not place]
    if pattern.rpartition("/")[2] in ("", "."):
        return  # a directory
    fixed = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    if ".." in parts[fixed:]:
        yield from {path for path in glob.glob(pattern, recursive=True, include_hidden=True) if os.path.isfile(path)}
        return
    tests = _part_tests("/".join(parts[fixed:]))
    waiting: list[tuple[str, set[int], tuple[tuple[int, int], ...]]] = []
    if fixed < len(parts):  # else it is a path, and there is no such file
        waiting.append(("/".join(parts[:fixed]) + ("/" if fixed else ""), _skip_any({0}, tests), ()))
    while waiting:
        directory, places, above = waiting.pop()
        end_in_time()
        try:
            held = os.stat(directory or ".")
            entries = list(os.scandir(directory or "."))
        except OSError:
            continue  # it is none, or may not be read
        here = held.st_dev, held.st_ino
        for entry in entries if here not in above else ():
            path = directory + entry.name
            if os.path.isdir(path):
                after = _places_after(entry.name, places, tests)
                if after:
                    waiting.append((f"{path}/", after, (*above, here)))
            elif _ends_with(entry.name, places, tests) and os.path.isfile(path):
                yield path


def _ends_with(name: str, places: Collection[int], tests: Sequence[re.Pattern[str] | None]) -> bool:
    """Return whether a pattern ends with a name, given the places before it."""
    for place in places:
        test = tests[place] if place < len(tests) else _NO_NAME
        is_last = place == len(tests) - 1
        if is_last and (test is None or test.match(name)):
            return True
    return False


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
        places = _places_after(name, places, tests)
    return len(tests) in places


def _places_after(name: str, places: Collection[int], tests: Sequence[re.Pattern[str] | None]) -> set[int]:
    """Return the places in a pattern behind a name, given those before it."""
    taken = set()
    for place in places:
        test = tests[place] if place < len(tests) else _NO_NAME
        if test is None:
            taken.add(place)
        elif test.match(name):
            taken.add(place + 1)
    return _skip_any(taken, tests)


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
