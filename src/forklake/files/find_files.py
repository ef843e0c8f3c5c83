"""Finds files by paths and patterns, on this machine and on object stores."""

from __future__ import annotations

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
    expression = re.compile(_regex(pattern))
    return [path for path in storage.list_files(fixed.rpartition("/")[0]) if expression.fullmatch(path)]


def _regex(pattern: str) -> str:
    """Return the regular expression of a pattern.

    >>> bool(re.fullmatch(_regex("s3://b/**/[ab]?.parquet"), "s3://b/x/y/a1.parquet"))
    True
    >>> bool(re.fullmatch(_regex("s3://b/*.parquet"), "s3://b/x/a.parquet"))
    False
    """
    made, place = "", 0
    while place < len(pattern):
        rest = pattern[place:]
        group = re.match(r"\[(!?)(\]?[^\]]*)\]", rest)
        if rest.startswith("**/"):
            made, place = f"{made}(?:[^/]*/)*", place + 3
        elif rest.startswith("**"):
            made, place = f"{made}.*", place + 2
        elif rest.startswith("*"):
            made, place = f"{made}[^/]*", place + 1
        elif rest.startswith("?"):
            made, place = f"{made}[^/]", place + 1
        elif group is not None:
            inner = group[2].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^").replace("]", "\\]")
            made, place = f"{made}[{'^' if group[1] else ''}{inner}]", place + group.end()
        else:
            made, place = made + re.escape(rest[0]), place + 1
    return made


def _check_no_directory(path: str) -> None:
    if storage.is_local(path) and os.path.isdir(storage.local_path(path)):
        raise InvalidInputError(
            f'"{path}" is a directory, not a file; nothing was read.',
            hint=f'Name the files in it by a pattern: "{path.rstrip("/")}/**/*.parquet".',
        )
