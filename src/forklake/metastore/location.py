"""Store URLs: which database holds a lake."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from forklake import metastore
from forklake.config import Settings
from forklake.errors import ConfigError, MetastoreCorruptError
from forklake.extras import require
from forklake.metastore.sqlite import SQLiteStore, is_sqlite_file
from forklake.metastore.store import Store

_WORDS: Final = re.compile(r"(?is)(?:ducklake:)?postgres:(.*)")
_PARAMETER: Final = re.compile(r"\?(\w[\w.-]*)=")


def open_store(url: str, settings: Settings, *, is_upgraded: bool = False) -> Store:
    """Open the metadata database that a URL names.

    A bare path is an existing SQLite or DuckDB file, told apart by its first bytes, or a new SQLite file;
    ``sqlite:path``, ``duckdb:path``, ``postgresql://...`` and ``postgres:<libpq words>`` name the product.
    Embedded files are created if they are missing; opening never changes a PostgreSQL database. It may hold many
    lakes: ``metadata_schema=name`` among the words or the parameters of a PostgreSQL URL selects one.

    A lake that is about to be upgraded may be of any version.

    Raises:
        ConfigError: The URL names no database that forklake knows.
        MetastoreError: The database cannot be opened, or holds no lake of this version.
    """
    kind, rest = split_url(url)
    if kind == "postgres":
        with require("postgres"):
            from forklake.metastore.postgres import PostgresStore  # noqa: PLC0415 - a driver is loaded when it is needed

        return PostgresStore(rest, settings, is_upgraded=is_upgraded)
    path = Path(rest)
    if kind == "duckdb":
        return _open_duckdb(path, settings, is_upgraded=is_upgraded)
    if kind == "sqlite" or not is_filled(path):
        _check_directory(path)
        return SQLiteStore(path, settings, is_upgraded=is_upgraded)
    return _open_by_content(path, settings, is_upgraded=is_upgraded)


def postgres_conninfo(url: str) -> str | None:
    """Return the libpq connection string of a PostgreSQL URL.

    It is None for another database.
    """
    kind, rest = split_url(url)
    return rest if kind == "postgres" else None


def with_metadata_schema(url: str, name: str) -> str:
    """Return the URL of the lake in a named schema of the database.

    ``public`` and ``main`` are the default lake.

    Raises:
        ConfigError: The database has no schemas, or the URL names another one.
    """
    conninfo = postgres_conninfo(url)
    if conninfo is None:
        if name.lower() in ("", "public", "main"):
            return url
        raise ConfigError(
            f'The metadata schema "{name}" cannot be used: a file holds one lake.',
            hint="Name another file for another lake; schemas are for PostgreSQL.",
        )
    with require("postgres"):
        from forklake.metastore import postgres_address  # noqa: PLC0415 - a driver is loaded when it is needed

    named = postgres_address.with_metadata_schema(conninfo, name)
    return named if postgres_address.is_url(named) else f"postgres:{named}"


def with_database_kind(url: str, kind: str) -> str:
    """Return the URL of a lake in a database of a kind that is named beside the URL.

    >>> with_database_kind("lake.db", "DuckDB"), with_database_kind("sqlite:lake.db", "sqlite")
    ('duckdb:lake.db', 'sqlite:lake.db')

    Raises:
        ConfigError: There is no such kind, or the URL names another one.
    """
    wanted = kind.lower()
    if not wanted:
        return url
    if wanted not in _KINDS:
        raise ConfigError(
            f'No metadata database is known by the type "{wanted}"; nothing was attached.',
            hint=f"It is one of {', '.join(_KINDS)}.",
        )
    named = _SCHEME.match(url)
    if named is None:
        return f"{wanted}:{url}"
    if named[1].lower().replace("postgresql", "postgres") != wanted:
        raise ConfigError(f'The URL names a database of type {named[1]}, not "{wanted}"; nothing was attached.')
    return url


def is_postgres_words(url: str) -> bool:
    """Return whether a URL is ``postgres:`` and libpq words, or none."""
    found = _WORDS.match(url)
    return found is not None and not found[1].lstrip().startswith("//")


def with_postgres_words(url: str, words: Mapping[str, str]) -> str:
    r"""Return a URL of libpq words with further words, unless it says them itself.

    >>> with_postgres_words("postgres:dbname=shop", {"user": "ada", "password": "it's"})
    "postgres:user='ada' password='it\\'s' dbname=shop"
    """
    found = _WORDS.match(url)
    assert found is not None
    quoted = (value.replace("\\", "\\\\").replace("'", "\\'") for value in words.values())
    more = " ".join(f"{word}='{value}'" for word, value in zip(words, quoted, strict=True))
    # Of a word that is there twice, libpq takes the last.
    return f"postgres:{more} {found[1]}".rstrip() if more else url


def embedded_path(url: str) -> Path | None:
    """Return the file of an embedded store, or None for a server."""
    kind, rest = split_url(url)
    return None if kind == "postgres" else Path(rest)


def is_filled(path: Path) -> bool:
    """Return whether there is a file with something in it.

    Raises:
        ConfigError: No file can have such a name.
    """
    try:
        return path.exists() and path.stat().st_size > 0
    except OSError as error:
        raise ConfigError(
            f'There can be no lake in "{path}": {error.strerror or error}; nothing was done.',
            hint="Name another file.",
        ) from error


def is_store(url: str) -> bool:
    """Return whether a text names a metadata database.

    It does by a URL, or as a file that is one.
    """
    try:
        kind, rest = split_url(url)
        if kind != "file":
            return True
        with Path(rest).open("rb") as file:
            start = file.read(16)
    except (ConfigError, OSError):
        return False
    return start[8:12] == b"DUCK" or start == b"SQLite format 3\0"


def lake_key(url: str) -> str:
    """Return the key that identifies a lake.

    It is the absolute path of an embedded store, or else the URL. A relative path starts at the current directory
    of this moment. The URL of a server may hold a password.
    """
    path = embedded_path(url)
    return url if path is None else os.path.abspath(path)


def split_url(url: str) -> tuple[str, str]:
    """Return the kind of database that a URL names, and the rest of the URL.

    The kind is postgres, sqlite or duckdb, or file if the URL does not say. The text before a colon names the
    kind, unless it is one letter (a drive), or has a dot or a slash in it (a file). So ``./mysql:lake.db`` is a
    file, and ``mysql:lake.db`` is refused. A path object is always a file.

    Raises:
        ConfigError: The URL names no database that forklake knows, or is libpq words without ``postgres:``.
    """
    if isinstance(url, os.PathLike):
        return "file", str(url)
    text = re.sub(r"^ducklake:", "", url, flags=re.IGNORECASE) if isinstance(url, str) else ""
    if not text.strip() or "\0" in text:
        raise ConfigError("The lake's URL is empty or not text.", hint='Name a file or a "postgresql://..." URL.')
    found = _SCHEME.match(text)
    if found is None:
        if _LIBPQ_WORDS.match(text) and not os.path.isfile(text):
            # The message does not repeat it: it may have a password.
            raise ConfigError(
                'The lake\'s URL is a connection string of PostgreSQL without "postgres:" before it; nothing was made.',
                hint='Write "postgres:host=... dbname=...". A file of that name is written with "./" before it.',
            )
        return "file", _local_path(text)
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme in ("postgres", "postgresql") and rest.startswith("//"):
        return "postgres", f"{scheme}:{rest}"
    if scheme not in _KINDS:
        raise ConfigError(
            f'No metadata database is known by "{found[1]}:"; nothing was made.',
            hint="Use a file path, sqlite:path, duckdb:path, postgresql://... or postgres:<libpq words>."
            f' A file of that name is written "./{found[1]}:...".',
        )
    if not rest.strip():
        raise ConfigError(f'The URL "{scheme}:" names no database.')
    if scheme == "postgres":
        return scheme, rest
    parameter = _PARAMETER.search(rest)
    if parameter is not None:
        raise ConfigError(
            f'The URL of a file has no parameter "{parameter[1]}"; nothing was opened.',
            hint="Leave out what follows the question mark. A file that is called so is named by its path alone.",
        )
    return scheme, _local_path(rest.removeprefix("//"))


_KINDS: Final = ("sqlite", "duckdb", "postgres")
_LIBPQ_WORDS: Final = re.compile(
    r"(?is)(?![./~])(?:.*\s)?(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*="
)
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+_-]+):")


def _local_path(path: str) -> str:
    """Return the path of a metadata file; refuse anything else."""
    if path.startswith(":memory:"):
        raise ConfigError(
            "A lake cannot be kept in memory; nothing was made.",
            hint='Name a file, in a temporary directory perhaps. One that has this name is written "./:memory:".',
        )
    found = re.match(r"[A-Za-z][A-Za-z0-9+_-]+://", path)
    if found is not None:
        raise ConfigError(
            f'A metadata file is on a disk of this machine, not at "{found[0]}..."; nothing was made.',
            hint="Name a local file for the metadata. Data files may be elsewhere: that is the data path.",
        )
    return path


def _open_by_content(path: Path, settings: Settings, *, is_upgraded: bool) -> Store:
    _check_directory(path)
    try:
        if is_sqlite_file(path):
            return SQLiteStore(path, settings, is_upgraded=is_upgraded)
        with path.open("rb") as file:
            start = file.read(12)
        if start[8:] == b"DUCK":
            return _open_duckdb(path, settings, is_upgraded=is_upgraded)
    except OSError as error:
        raise ConfigError(f'The metadata file "{path}" cannot be read: {error.strerror}.') from error
    raise MetastoreCorruptError(
        f'The file "{path}" is neither a SQLite nor a DuckDB database; nothing was changed.',
        hint="Name another file, or restore this one from a backup.",
    )


def _open_duckdb(path: Path, settings: Settings, *, is_upgraded: bool) -> Store:
    _check_directory(path)
    return metastore.duckdb.DuckDBStore(path, settings, is_upgraded=is_upgraded)


def _check_directory(path: Path) -> None:
    if path.is_dir():
        raise ConfigError(f'"{path}" is a directory; a metadata file was expected.')
    if not path.absolute().parent.is_dir():
        raise ConfigError(f'The directory of the metadata file "{path}" does not exist.', hint="Make it first.")
