"""Reads of PostgreSQL that are cancelled when the time of their statement is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import psycopg

from forklake.metastore.postgres_pool import Connection
from forklake.model.interruption import interruptible

_CANCEL_SECONDS: Final = 5.0


@contextmanager
def interruptible_read(connection: Connection) -> Iterator[None]:
    """Let a read be cancelled when its time is over.

    A connection whose read was cancelled is closed: a late signal must not reach the next statement on it.
    """
    cancelled: list[bool] = []

    def cancel() -> None:
        cancelled.append(True)
        with suppress(psycopg.Error):
            connection.cancel_safe(timeout=_CANCEL_SECONDS)

    try:
        with interruptible(cancel):
            yield
    finally:
        if cancelled:
            connection.close()


def read_rows(connection: Connection, text: str, values: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query, which is cancelled when its time is over."""
    with interruptible_read(connection):
        return connection.execute(text, values).fetchall()
