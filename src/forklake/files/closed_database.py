"""The DuckDB of this process, for values and rows that it is given.

It reaches nothing else: no file, no network, no extension, and no setting can be changed.
"""

from __future__ import annotations

import os
import threading
from typing import Final

import duckdb

_CONFIGURATION: Final = (
    # One query of one statement is small; many statements share the process, each in its own thread.
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
)

_lock: Final = threading.Lock()
_databases: Final[dict[int, duckdb.DuckDBPyConnection]] = {}
"""The database of this process, by process id: a forked child makes its own."""


def database() -> duckdb.DuckDBPyConnection:
    """Return the DuckDB of this process, which reaches nothing but what it is given."""
    found = _databases.get(os.getpid())
    if found is not None:
        return found
    with _lock:
        if os.getpid() not in _databases:
            made = duckdb.connect(":memory:")
            for name, value in _CONFIGURATION:
                made.execute(f"SET {name} = {value}")
            _databases[os.getpid()] = made
        return _databases[os.getpid()]
