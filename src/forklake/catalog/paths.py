"""Paths: base paths, directories of catalogs, and paths of files.

A catalog's stored path is relative to the lake's base path wherever it lies below it, so two stored
paths overlap exactly if one starts with the other.
"""

from __future__ import annotations

import os
import re
from typing import Final

from forklake import files
from forklake.catalog.names import is_storable
from forklake.errors import InvalidPathError
from forklake.model.names import fold
from forklake.model.placement import Placement

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def normalise_base(path: str | os.PathLike[str]) -> str:
    """Return a base path in its stored form: absolute, with a slash at the end.

    A local path is made absolute; a URL keeps its scheme and host.

    Raises:
        InvalidPathError: It is empty, or climbs with ``..``.
    """
    text = os.fspath(path)
    if not isinstance(text, str) or not text.strip() or not is_storable(text):
        raise InvalidPathError("The data path is empty or not text.")
    if not _SCHEME.match(text):
        return os.path.join(os.path.abspath(text), "")
    scheme, rest = text.split("://", 1)
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        raise InvalidPathError(f'The data path "{text}" names no place, or climbs out of it with "..".')
    return f"{scheme}://{'/'.join(parts)}/"


def place(lake_path: str, data_path: str | None, *, at_base: bool = False) -> Placement:
    """Return where new catalogs go: below the lake's base path, or below their own.

    Raises:
        InvalidPathError: The catalogs' base path contains the lake's.
    """
    base = lake_path if data_path is None else normalise_base(data_path)
    own = None if base == lake_path else base
    if base.startswith(lake_path):
        prefix, is_relative = base.removeprefix(lake_path), True
        above = ["", *_ancestors(prefix)]
    else:
        if at_base and lake_path.startswith(base):
            raise InvalidPathError(f'The data path "{base}" contains the lake\'s own data path "{lake_path}".')
        prefix, is_relative = base, False
        above = _ancestors(prefix)
    if at_base:
        above = [path for path in above if path != fold(prefix)]
    return Placement(own, prefix, is_relative, tuple(fold(path) for path in above), at_base)


def check_not_around(lake_path: str, placement: Placement, directory: str) -> None:
    """Refuse a directory that would contain the lake's base path.

    Raises:
        InvalidPathError: It would contain the base path.
    """
    if not placement.is_relative and fold(lake_path).startswith(fold(placement.prefix + directory)):
        raise InvalidPathError(
            f'The directory "{placement.prefix}{directory}" would contain the lake\'s data path "{lake_path}".',
            hint="Choose another data path or another name.",
        )


def stored_ancestors(lake_path: str, directory: str) -> list[str]:
    """Return the stored paths of a directory and all directories above it.

    >>> stored_ancestors("/data/", "/data/shop/main"), stored_ancestors("/data/", "/x")
    (['', 'shop/', 'shop/main/'], ['/', '/x/'])
    """
    place = directory if directory.endswith("/") else f"{directory}/"
    if place.startswith(lake_path):
        return ["", *_ancestors(place.removeprefix(lake_path))]
    return _ancestors(place)


def _ancestors(path: str) -> list[str]:
    """Return the path and every path above it, in stored form.

    >>> _ancestors("/a/b/"), _ancestors("s3://k/x/")
    (['/', '/a/', '/a/b/'], ['s3://k/', 's3://k/x/'])
    """
    head, rest = "", path
    match = _SCHEME.match(path)
    if match:
        head, rest = match.group(), path[match.end() :]
    found = []
    for part in rest.split("/")[:-1]:
        head += f"{part}/"
        found.append(head)
    return found


def join(*levels: tuple[str, bool]) -> str:
    """Join the levels of a path; a level that is not relative replaces those before.

    >>> join(("/data/shop/", False), ("main/", True), ("t/", True), ("f.parquet", True))
    '/data/shop/main/t/f.parquet'
    """
    path = ""
    for level, is_relative in levels:
        path = path + level if is_relative else level
    return path


def is_written_out(path: str) -> bool:
    """Return whether a path is absolute, and names each place on its way once.

    >>> is_written_out("/a/b"), is_written_out("s3://k/a/"), is_written_out("/a/../b"), is_written_out("/a//b")
    (True, True, False, False)
    """
    match = _SCHEME.match(path)
    rest = path[match.end() :] if match else path.removeprefix("/")
    parts = rest.removesuffix("/").split("/")
    is_absolute = match is not None or path.startswith("/")
    return is_absolute and is_storable(path) and not any(part in ("", ".", "..") for part in parts)


def part_below(directory: str, path: str) -> str | None:
    """Return what a path has behind a directory; None if it does not lie there.

    Both are taken by their text, and by the names that one kind of storage has: links are not followed.

    >>> part_below("s3://k/shop/", "s3a://k/shop/t/f"), part_below("/shop/", "/shop/../f"), part_below("/a/", "/ab")
    ('t/f', None, None)
    """
    root, place = map(_spell_as_one, (directory, path))
    if not is_written_out(place) or place.endswith("/"):
        return None
    return place.removeprefix(root) if root.endswith("/") and place.startswith(root) else None


def _spell_as_one(path: str) -> str:
    stored = files.storage
    return stored.local_path(path) if stored.is_local(path) else stored.url_spellings(path)[0]


def check_adopted_path(path: str) -> str:
    """Return the path of an adopted file, which may lie anywhere.

    Raises:
        InvalidPathError: It is not absolute, or climbs.
    """
    is_absolute = path.startswith("/") or _SCHEME.match(path) is not None
    if not is_absolute or ".." in path.split("/") or not is_storable(path):
        raise InvalidPathError(f"The path of an adopted file must be absolute: {path!r} is not; nothing was added.")
    return path


def check_file_path(path: str) -> str:
    """Return the path of a file below its table's directory.

    Raises:
        InvalidPathError: It is empty, absolute, or climbs.
    """
    # An empty path has one part, which is empty.
    parts = path.split("/") if isinstance(path, str) else [""]
    if ".." in parts or "" in parts or _SCHEME.match(path) or not is_storable(path):
        raise InvalidPathError(
            f"The path of a file must lie below its table's directory: {path!r} does not; nothing was registered."
        )
    return path
