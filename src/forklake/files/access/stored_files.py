"""Files as their storage lists them, in pages, and the deletion of many."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from pyarrow import fs

from forklake.errors import DataFileError
from forklake.files.access import storage
from forklake.files.access.threads import FileThreads
from forklake.model.lazy_dataclass import dataclass

_PAGE: Final = 1000
_STEPWISE_LEVELS: Final = 2
"""So many levels of an object store are listed one by one: schemas, tables. What lies below comes with few requests."""
_THREADS: Final = 16
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file, with its size and when it was last written by the clock of its storage."""

    path: str
    byte_count: int
    modified: datetime


def stored_files(directory: str, failures: list[str]) -> Iterator[list[StoredFile]]:
    """Yield all files below a directory, page by page; none if it is missing.

    However many files there are, few are held at a time: of an object store, those of one table. Links are not
    followed. What appears or goes meanwhile may be listed or not. Paths begin as the directory is spelled. What cannot
    be read is left out, and a sentence about it added to the failures.
    """
    root = directory.rstrip("/") + "/"
    is_local = storage.is_local(directory)
    found = _local_files(root, failures) if is_local else _object_files(root, _STEPWISE_LEVELS, failures)
    while page := list(islice(found, _PAGE)):
        yield page


def delete_files(paths: Sequence[str], directory: str) -> dict[str, str]:
    """Delete files below a directory; return those that remain, with the reason.

    As many as possible are deleted. A file that is gone already counts as deleted. One that a link leads out of the
    directory remains.
    """
    linked = linked_files(paths, directory)
    paths = [path for path in paths if path not in linked]
    if not paths or storage.is_local(paths[0]):
        outcomes = [storage.try_delete(path) for path in paths]
    else:
        with FileThreads(_THREADS) as pool:
            outcomes = list(pool.map(storage.try_delete, paths))
    failed = {path: reason for path, reason in zip(paths, outcomes, strict=True) if reason is not None}
    return linked | failed


def linked_files(paths: Sequence[str], directory: str) -> dict[str, str]:
    """Return those files below a directory that a link leads elsewhere.

    The reason says so. What is above the directory may be links, and a file may be one: it alone is deleted then.
    """
    if not storage.is_local(directory):
        return {}
    root = os.path.realpath(storage.local_path(directory))
    begins = len(storage.local_path(directory).rstrip("/")) + 1
    led: dict[str, bool] = {}
    for above in {os.path.dirname(storage.local_path(path)) for path in paths}:
        led[above] = os.path.realpath(above) != os.path.join(root, above[begins:]).rstrip("/")
    is_led = {path: led[os.path.dirname(storage.local_path(path))] for path in paths}
    return {path: "a link in its directory leads elsewhere" for path in paths if is_led[path]}


def undeleted_files(left: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence for each file that `delete_files` left."""
    return tuple(f'File "{path}" was not deleted: {reason.removesuffix(".")}.' for path, reason in left.items())


def delete_empty_directories(path: str, root: str) -> None:
    """Delete the local directories above a file, up to a root and with it, if empty."""
    if not storage.is_local(path):
        return
    place, last = os.path.dirname(storage.local_path(path)), storage.local_path(root).rstrip("/")
    with suppress(OSError):  # one that is not empty ends it
        while place.startswith(last):
            os.rmdir(place)
            place = os.path.dirname(place)


def _local_files(root: str, failures: list[str]) -> Iterator[StoredFile]:
    left = [root]
    while left:
        directory = left.pop()
        try:
            with storage.explain_errors(directory, "read"):
                entries = os.scandir(storage.local_path(directory))
        except DataFileError as error:
            if not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                failures.append(error.message)
            continue
        with entries:
            for entry in entries:
                name = entry.name
                if not name.isascii() and not _is_text(name):
                    continue  # no path of ours
                if entry.is_dir(follow_symlinks=False):
                    left.append(f"{directory}{name}/")
                elif entry.is_file(follow_symlinks=False) and (status := _status(entry)) is not None:
                    modified = datetime.fromtimestamp(status.st_mtime, UTC)
                    yield StoredFile(f"{directory}{name}", status.st_size, modified)


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None  # gone, or not to be seen


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _object_files(root: str, levels: int, failures: list[str]) -> Iterator[StoredFile]:
    try:
        system, place = storage.locate(root)
        base = place.rstrip("/")
        with storage.explain_errors(root, "read"):
            found = system.get_file_info(fs.FileSelector(base, allow_not_found=True, recursive=levels == 0))
    except DataFileError as error:
        failures.append(error.message)
        return
    found.reverse()
    while found:
        info = found.pop()
        path = f"{root}{info.path[len(base) :].lstrip('/')}"
        if info.type == fs.FileType.File:
            # A file whose time nobody tells counts as new.
            yield StoredFile(path, info.size or 0, info.mtime or _NEVER)
        elif info.type == fs.FileType.Directory and levels:
            yield from _object_files(f"{path}/", levels - 1, failures)
