"""The DuckDBs of this process.

One reaches nothing, and one reads and writes local files. Each process has its own, a forked child included.
"""

from __future__ import annotations

import os
import threading
from typing import Final, Literal

import duckdb

_Kind = Literal["closed", "files"]

# Many statements share a database, each in its own thread.
_SETTINGS: Final[dict[_Kind, tuple[tuple[str, str], ...]]] = {
    "closed": (
        ("threads", "1"),
        ("memory_limit", "'1GB'"),
        ("temp_directory", "''"),
        ("TimeZone", "'UTC'"),
        ("preserve_insertion_order", "true"),
        # It loses rows of EXISTS (... WHERE a.x = b.y AND a.id < b.id AND a.s <> b.s).
        ("disabled_optimizers", "'deliminator'"),
        ("python_enable_replacements", "false"),
        ("autoinstall_known_extensions", "false"),
        ("autoload_known_extensions", "false"),
        ("allow_community_extensions", "false"),
        ("enable_external_access", "false"),
        ("lock_configuration", "true"),
    ),
    "files": (
        ("threads", "1"),
        ("TimeZone", "'UTC'"),
        ("python_enable_replacements", "false"),
    ),
}
_lock: Final = threading.Lock()
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


def _database(kind: _Kind) -> duckdb.DuckDBPyConnection:
    key = kind, os.getpid()
    found = _databases.get(key)
    if found is not None:
        return found
    with _lock:
        if key not in _databases:
            made = duckdb.connect(":memory:")
            for name, value in _SETTINGS[kind]:
                made.execute(f"SET {name} = {value}")
            _databases[key] = made
        return _databases[key]
