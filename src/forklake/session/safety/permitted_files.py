"""Whether paths of a confined session stay in its directories."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from forklake.errors import PermissionDeniedError
from forklake.files.access import storage
from forklake.files.access.find_files import match_files

_FORBIDDEN: Final = re.compile(r"[{}\\\x00-\x1f\x7f]|%2[ef]", re.IGNORECASE)
"""What some reader of files takes for more than a letter, beside the patterns of ``*``, ``?`` and ``[``."""
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_OF_SCHEMA: Final = re.compile(r"[A-Za-z0-9_-]+")
"""What the directories of schemas are called, whatever the schemas are."""
_MAGIC: Final = re.compile(r"[*?[]")


def check_readable(patterns: Sequence[str], directories: Sequence[str]) -> None:
    """Refuse patterns that lead to a file outside of directories.

    Raises:
        PermissionDeniedError: One does, or might.
    """
    for pattern in patterns:
        if not is_readable(pattern, directories):
            raise _denial(pattern)


def is_readable(pattern: str, directories: Sequence[str]) -> bool:
    """Return whether a path or pattern leads only to files below directories.

    Symbolic links are followed.
    """
    if not _is_plain(pattern):
        return False
    fixed = _MAGIC.split(pattern, maxsplit=1)[0]
    if not is_below(fixed if fixed == pattern else fixed.rpartition("/")[0], directories, may_be_it=True):
        return False
    # What is the name of a file here might be a pattern to Spark.
    found = match_files(pattern)
    return all(_is_plain(path) and not _MAGIC.search(path) and is_below(path, directories) for path in found)


def check_target(path: str, directories: Sequence[str], *, is_directory: bool) -> None:
    """Refuse to write outside of directories, or over a file that is there.

    Raises:
        PermissionDeniedError: It lies outside, or is there.
    """
    if not _is_plain(path) or _MAGIC.search(path) or not is_below(path, directories, may_be_it=is_directory):
        raise _denial(path)
    if not is_directory and storage.exists(path):
        raise PermissionDeniedError(
            f'Permission Error: "{path}" is there already, and a confined session replaces no file; nothing was done.'
        )


def _is_plain(path: str) -> bool:
    """Return whether a path means the same to every reader."""
    if _FORBIDDEN.search(path) or ".." in path.split("/"):
        return False
    scheme = _SCHEME.match(path)
    if scheme is None:
        return True
    rest = path[scheme.end() :]
    if storage.is_local(path):
        return rest.startswith("///")
    return rest.startswith("//") and not re.search(r"[?#%]", _MAGIC.split(rest, maxsplit=1)[0])


def check_beside_schemas(path: str, directory: str) -> None:
    """Refuse a place where a schema of a catalog may have its files one day.

    What is there then keeps its tables from being written.

    Raises:
        PermissionDeniedError: The first name below the directory might be that of a schema's own.
    """
    below = f"{_real(path)}/".removeprefix(f"{_real(directory).rstrip('/')}/")
    if _OF_SCHEMA.fullmatch(below.partition("/")[0]):
        raise PermissionDeniedError(
            f'Permission Error: "{path}" is where a schema may have its files; nothing was done.',
            hint="Directly below the directory of a catalog, choose a name with a dot, as in exports.d/orders.",
        )


def is_below(path: str, directories: Sequence[str], *, may_be_it: bool = False) -> bool:
    """Return whether a path leads below one of directories.

    Or to one of them, if that counts.
    """
    place = _real(path)
    for directory in directories:
        above = _real(directory).rstrip("/")
        if place.startswith(f"{above}/") or (may_be_it and place == above):
            return True
    return False


def _real(path: str) -> str:
    """Return where a path leads; of a URL, its plain form."""
    if storage.is_local(path):
        return os.path.realpath(storage.local_path(path))
    scheme, rest = storage.url_spellings(path)[0].split("://", 1)
    return f"{scheme}://{'/'.join(part for part in rest.split('/') if part not in ('', '.'))}"


def _denial(path: str) -> PermissionDeniedError:
    return PermissionDeniedError(
        f'Permission Error: "{path}" is not in a directory of this session, which is confined; nothing was done.'
    )
