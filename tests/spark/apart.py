"""A SQL session in a process, and so in a Java process, of its own.

For what must not depend on what other tests left in the memory of the session that they share.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import forklake
from forklake import Connection, Settings

_connection: Connection | None = None
"""The one of this process, which is apart."""


class SessionApart:
    """Runs queries in its process, one after another."""

    def __init__(self, process: ProcessPoolExecutor) -> None:
        self._process = process

    def first(self, query: str) -> Any:
        """Return the first row of a query.

        Raises:
            ForklakeError: The query was refused, or it failed.
        """
        return self._process.submit(_first, query).result()


@contextmanager
def session_apart(directory: Path, prepare: str, memory: str) -> Iterator[SessionApart]:
    """Run a session with so much memory for two tasks at once, in a new catalog, after some statements."""
    clean = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, clean, initializer=_open, initargs=(directory, prepare, memory)) as process:
        yield SessionApart(process)


def _open(directory: Path, prepare: str, memory: str) -> None:
    global _connection  # noqa: PLW0603 - it lives as long as the process
    settings = Settings(spark={"spark.master": "local[2]", "spark.driver.memory": memory})
    _connection = forklake.connect(settings=settings)
    options = f"CATALOG 'c', DATA_PATH '{directory}/data', CREATE_IF_NOT_EXISTS true"
    _connection.sql(f"ATTACH 'ducklake:{directory}/lake.db' AS c ({options}); USE c; {prepare}")


def _first(query: str) -> Any:
    assert _connection is not None
    gc.collect()  # else Java holds what queries before have made, for as long as Python pleases
    result = _connection.sql(query)
    assert result is not None
    return result.fetchall()[0]
