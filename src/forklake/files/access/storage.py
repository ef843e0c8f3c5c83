"""Storage of files: local directories and object stores behind a few verbs.

A path is absolute, or a URL such as ``s3://bucket/key``. Its text is taken as it is: spaces, ``%`` and
``#`` stand for themselves, in URLs too, as in DuckDB.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Final
from uuid import uuid4

import pyarrow as pa
from pyarrow import fs

from forklake.errors import DataFileError, InvalidPathError
from forklake.files.access.keyring import Credential, credential_for
from forklake.files.access.uuid7 import uuid7

_URL: Final = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)/?(.*)", re.IGNORECASE | re.DOTALL)
_ALIASES: Final = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
_REASONS: Final = {
    errno.ENOENT: "there is no such file",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "no space is left on the device",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file is larger than is allowed",
    errno.ENOTDIR: "a part of the path is a file, not a directory",
    errno.EISDIR: "it is a directory",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EEXIST: "it is there already",
}
_HINTS: Final = {
    errno.ENOENT: "Was it moved or removed by something other than the lake?",
    errno.ENOSPC: "Free some space, and run the statement again.",
    errno.EDQUOT: "Free some space, and run the statement again.",
}


def is_local(path: str) -> bool:
    """Return whether a path is one of this machine's file system.

    >>> is_local("/data/100% new/"), is_local("file:///data/"), is_local("s3://bucket/data/")
    (True, True, False)
    """
    match = _URL.match(path)
    return match is None or match[1].lower() == "file"


def url_spellings(url: str) -> list[str]:
    """Return a URL under all names of its kind of storage, the common one first.

    >>> url_spellings("s3a://bucket/x")
    ['s3://bucket/x', 's3a://bucket/x', 's3n://bucket/x']
    """
    scheme, rest = url.split("://", 1)
    name = _ALIASES.get(scheme.lower(), scheme.lower())
    return [f"{one}://{rest}" for one in (name, *(other for other, of in _ALIASES.items() if of == name))]


def local_path(path: str) -> str:
    """Return the path of a local file without ``file://``."""
    return path[len("file://") :] if path[:7].lower() == "file://" else path


def absolute_path(path: str) -> str:
    """Return the absolute path of a local one; a URL stays as it is."""
    return os.path.abspath(local_path(path)) if is_local(path) else path


def open_input(path: str) -> pa.NativeFile:
    """Open a file for reading, at any position.

    Raises:
        DataFileError: It is missing or cannot be read.
    """
    system, place = locate(path)
    with explain_errors(path, "read"):
        return system.open_input_file(place)


def read_end(path: str, byte_count: int) -> tuple[bytes, int]:
    """Return the last bytes of a file, and how many it has.

    All of them are returned if there are fewer. A local file is read in this thread: PyArrow would hand it to
    another one, which costs more than the reading.

    Raises:
        DataFileError: It is missing or cannot be read.
    """
    with explain_errors(path, "read"):
        if not is_local(path):
            with open_input(path) as stored:
                size = stored.size()
                return stored.read_at(byte_count, max(0, size - byte_count)), size
        _, place = locate(path)
        number = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        try:
            size = os.fstat(number).st_size
            return os.pread(number, byte_count, max(0, size - byte_count)), size
        finally:
            os.close(number)


def open_output(path: str, *, within: str | None = None) -> pa.NativeFile:
    """Open a new file for writing; missing local directories are made.

    Args:
        path: The file.
        within: A local directory above it that is not made if it is missing.

    Raises:
        DataFileError: It cannot be written there.
    """
    system, place = locate(path)
    with explain_errors(path, "written"):
        if is_local(path):
            if within is not None:
                os.stat(local_path(within))
            os.makedirs(os.path.dirname(place), exist_ok=True)
        return system.open_output_stream(place)


def size(path: str) -> int:
    """Return how many bytes a file has.

    Raises:
        DataFileError: It is missing.
    """
    system, place = locate(path)
    with explain_errors(path, "read"):
        info = system.get_file_info(place)
        if info.type != fs.FileType.File:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return int(info.size)


def exists(path: str) -> bool:
    """Return whether there is a file at a path.

    Raises:
        DataFileError: The storage cannot be asked.
    """
    system, place = locate(path)
    with explain_errors(path, "read"):
        return bool(system.get_file_info(place).type == fs.FileType.File)


def sizes(paths: Sequence[str]) -> dict[str, int]:
    """Return how many bytes files have.

    Those that are missing, or cannot be looked at, are left out.
    """
    found = {}
    for path in paths:
        with suppress(DataFileError, InvalidPathError):
            found[path] = size(path)
    return found


def move(source: str, target: str) -> None:
    """Move a file; a local file is renamed, at once and without copying.

    Raises:
        DataFileError: The file is missing, or cannot be moved there; it stays where it was.
    """
    system, place = locate(source)
    _, new_place = locate(target)
    with explain_errors(source, f'moved to "{target}"'):
        if is_local(source):
            os.makedirs(os.path.dirname(new_place), exist_ok=True)
            os.rename(place, new_place)
        else:
            system.move(place, new_place)


def make_directory(path: str) -> None:
    """Make a local directory and its parents; object stores need none.

    Raises:
        DataFileError: It cannot be made.
    """
    if is_local(path):
        with explain_errors(path, "made"):
            os.makedirs(local_path(path), exist_ok=True)


def delete(paths: Iterable[str]) -> list[str]:
    """Delete files, as many as possible; return the paths that remain.

    A file that is gone already counts as deleted. Never raises for a file, so it can follow another error.
    """
    return [path for path in paths if try_delete(path) is not None]


def try_delete(path: str) -> str | None:
    """Delete a file; return the reason if it remains, or else None.

    A file that is gone already counts as deleted. Never raises for a file.
    """
    try:
        system, place = locate(path)
        system.delete_file(place)
    except FileNotFoundError:
        return None
    except (OSError, pa.ArrowException, UnicodeError) as error:
        return _REASONS.get(getattr(error, "errno", None) or 0) or str(error).strip() or type(error).__name__
    except (InvalidPathError, DataFileError) as error:
        return error.message
    return None


def list_files(directory: str) -> list[str]:
    """Return the paths of all files below a directory, sorted; none if it is missing.

    Raises:
        DataFileError: It cannot be read.
    """
    system, place = locate(directory)
    place = place.rstrip("/")
    with explain_errors(directory, "read"):
        found = system.get_file_info(fs.FileSelector(place, allow_not_found=True, recursive=True))
    below = (info.path[len(place) :].lstrip("/") for info in found if info.type == fs.FileType.File)
    return sorted(f"{directory.rstrip('/')}/{path}" for path in below)


def is_empty(directory: str) -> bool:
    """Return whether nothing lies in a directory, or it is missing.

    Raises:
        DataFileError: It cannot be listed.
    """
    if is_local(directory):
        with explain_errors(directory, "read"):
            try:
                with os.scandir(local_path(directory)) as entries:
                    return next(entries, None) is None
            except FileNotFoundError:
                return True
    system, place = locate(directory)
    with explain_errors(directory, "read"):
        return not system.get_file_info(fs.FileSelector(place.rstrip("/"), allow_not_found=True))


def delete_directory(directory: str) -> bool:
    """Delete a directory with all its content; return whether it is gone.

    Never raises, so it can follow another error.
    """
    try:
        system, place = locate(directory)
        system.delete_dir(place.rstrip("/"))
    except FileNotFoundError:
        return True
    except (OSError, pa.ArrowException, InvalidPathError, DataFileError):
        return False
    return True


def new_file_name() -> str:
    """Return a unique name for a data file; later names sort behind earlier ones."""
    return f"ducklake-{uuid7()}.parquet"


def delete_file_name() -> str:
    """Return a unique name for a delete file, without its ending."""
    return f"ducklake-{uuid4()}-delete"


@contextmanager
def explain_errors(path: str, verb: str) -> Iterator[None]:
    """Turn errors about a file into a `DataFileError` that names the file.

    The errors are those of the operating system or of an object store.

    Args:
        path: The file.
        verb: What was not done to it: ``read``, ``written``.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        number = getattr(error, "errno", None)
        if number is None and isinstance(error, FileNotFoundError):
            number = errno.ENOENT
        reason, hint = _REASONS.get(number or 0) or str(error).strip() or type(error).__name__, _HINTS.get(number or 0)
        if number == errno.ENOENT and verb == "written":
            reason, hint = "its directory is not there and cannot be made", "Check the data path of the lake."
        raise DataFileError(f'File "{path}" was not {verb}: {reason}.', hint=hint) from error
    except UnicodeError as error:
        name = path.encode(errors="backslashreplace").decode()
        raise DataFileError(f'File "{name}" was not {verb}: no file can have such a name.') from error


@contextmanager
def naming_table(path: str, table: str) -> Iterator[None]:
    """Add the data file and its table to errors about it or its delete file.

    Args:
        path: The data file.
        table: The table's name.
    """
    try:
        yield
    except DataFileError as error:
        reason, own = error.message, f'File "{path}" '
        if reason.startswith(f"{own}was not read: "):
            reason = reason.removeprefix(f"{own}was not read: ")
        elif reason.startswith(own):
            reason = f"it {reason.removeprefix(own)}"
        message = f'Cannot read data file "{path}" of table "{table}": {reason}'
        raise DataFileError(message, hint=error.advice) from error


def reason_of(number: int) -> str:
    """Return the text for an error number of the operating system.

    Rare errors have the system's own text.
    """
    return _REASONS.get(number) or os.strerror(number)


def hint_for(message: str) -> str | None:
    """Return the hint for an error message with a reason of `reason_of`, if any."""
    return next((hint for number, hint in _HINTS.items() if _REASONS[number] in message), None)


def locate(path: str) -> tuple[fs.FileSystem, str]:
    """Return the storage of a path, and what the path is called there.

    Raises:
        InvalidPathError: It is neither absolute nor a URL, or no storage is known for it.
        DataFileError: The storage cannot be reached.
    """
    match = _URL.match(path)
    if match is not None and match[1].lower() != "file":
        system, base = _store(_ALIASES.get(match[1].lower(), match[1].lower()), match[2], credential_for(path))
        return system, f"{base.rstrip('/')}/{match[3]}" if base else match[3]
    place = local_path(path)
    if not place.startswith("/") or "\0" in place:
        raise InvalidPathError(f'The path "{path}" is neither absolute nor a URL; nothing was done.')
    return _LOCAL, place


_LOCAL: Final = fs.LocalFileSystem()


@lru_cache(maxsize=128)
def _store(scheme: str, authority: str, credential: Credential | None) -> tuple[fs.FileSystem, str]:
    """Return the store of a URL, and the store's own name of the URL's root.

    It is kept by its credential, which comes from the environment if there is none.
    """
    url = f"{scheme}://{authority}/"
    try:
        if scheme == "s3":
            return _s3(authority) if credential is None else _s3_with(credential, authority), authority
        system, base = fs.FileSystem.from_uri(url)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError, ImportError) as error:
        raise InvalidPathError(
            f'No storage is known for "{url}": {error}',
            hint="There are directories, and URLs that begin with s3://, gs://, abfss:// or hdfs://.",
        ) from error
    except OSError as error:
        raise DataFileError(f'The storage "{url}" cannot be reached: {error}') from error
    return system, base


def _s3(bucket: str) -> fs.FileSystem:
    """Return S3, or the compatible store at the endpoint in the environment."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None and endpoint is None:
        region = fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(region=region, endpoint_override=endpoint)


def _s3_with(credential: Credential, bucket: str) -> fs.FileSystem:
    """Return S3, or a compatible store, as a credential says.

    The environment says nothing but the keys of a credential that has them found.
    """
    region = credential.region
    if region is None:
        region = fs.resolve_s3_region(bucket) if credential.endpoint is None else "us-east-1"
    return fs.S3FileSystem(
        access_key=credential.key_id,
        secret_key=credential.secret,
        session_token=credential.session_token,
        anonymous=credential.key_id is None and not credential.is_found,
        region=region,
        # Without one, PyArrow would ask the environment.
        endpoint_override=credential.endpoint or f"s3.{region}.amazonaws.com",
        scheme="https" if credential.use_ssl else "http",
        force_virtual_addressing=credential.url_style == "vhost",
    )
