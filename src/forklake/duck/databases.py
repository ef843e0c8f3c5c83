"""The DuckDBs that values and files are computed with.

One of each process reaches nothing, and one reads and writes local files; a forked child has its own. What options of
users say of files is done by one that ends with the block. None of them loads an extension.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Final, Literal

import duckdb

from forklake.duck import json_depth
from forklake.model.interruption import interruptible

_Kind = Literal["closed", "files"]

_ALWAYS: Final = (
    ("TimeZone", "'UTC'"),
    ("python_enable_replacements", "false"),
    ("autoinstall_known_extensions", "false"),
    ("autoload_known_extensions", "false"),
)
_OWN: Final = (("memory_limit", "'2GB'"),)
# Many statements share a database, each in its own thread.
_SETTINGS: Final[dict[_Kind, tuple[tuple[str, str], ...]]] = {
    "closed": (
        ("threads", "1"),
        ("memory_limit", "'1GB'"),
        ("temp_directory", "''"),
        *_ALWAYS,
        ("preserve_insertion_order", "true"),
        # It loses rows of EXISTS (... WHERE a.x = b.y AND a.id < b.id AND a.s <> b.s).
        ("disabled_optimizers", "'deliminator'"),
        ("allow_community_extensions", "false"),
        ("enable_external_access", "false"),
        ("lock_configuration", "true"),
    ),
    "files": (("threads", "1"), *_ALWAYS),
}
_lock: Final = threading.Lock()
_taught: Final[set[int]] = set()
"""The processes, by id, whose closed database knows the macros of `json_depth`."""
_databases: Final[dict[tuple[_Kind, int], duckdb.DuckDBPyConnection]] = {}
"""The databases, by kind and process id."""


def closed_database() -> duckdb.DuckDBPyConnection:
    """Return the DuckDB for values and rows that it is given.

    It reaches nothing else: no file, no network, no extension, and no setting can be changed.
    """
    return _database("closed")


def file_database() -> duckdb.DuckDBPyConnection:
    """Return the DuckDB for local Parquet files; it is given no text of a user."""
    return _database("files")


@contextmanager
def own_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide a DuckDB for local files that users read and write as they like.

    What it does is ended with the time of the statement.
    """
    with _make((*_ALWAYS, *_OWN)) as database, interruptible(database.interrupt):
        yield database


@contextmanager
def closed_cursor(text: str = "") -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide a cursor of the closed database, which knows the macros in a text.

    What it does is ended with the time of the statement.
    """
    learn_macros(text)
    with closing(closed_database().cursor()) as cursor, interruptible(cursor.interrupt):
        yield cursor


def learn_macros(text: str) -> None:
    """Let the closed database know the macros of `json_depth`, if a text has one.

    Few queries do, and it takes longer than a small query.
    """
    if json_depth.SHALLOW not in text.lower():
        return
    database = closed_database()
    with _lock:
        if os.getpid() not in _taught:
            json_depth.teach(database)
            _taught.add(os.getpid())


def _database(kind: _Kind) -> duckdb.DuckDBPyConnection:
    key = kind, os.getpid()
    found = _databases.get(key)
    if found is not None:
        return found
    with _lock:
        if key not in _databases:
            _databases[key] = _make(_SETTINGS[kind])
        return _databases[key]


def _make(settings: Iterable[tuple[str, str]]) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(":memory:")
    for name, value in settings:
        database.execute(f"SET {name} = {value}")
    return database
