"""Reads of PostgreSQL that are cancelled when the time of their statement is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import psycopg

from forklake.metastore.postgres_connect import is_pooled, run_together
from forklake.metastore.postgres_pool import Connection
from forklake.model.interruption import interruptible, is_watched

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


def read_all(connection: Connection, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
    """Return the rows of each of some queries, which are a transaction.

    They are cancelled when their time is over.
    """
    if not is_watched():
        return _rows(connection, statements)
    with interruptible_read(connection):
        return _rows(connection, statements)


def _rows(connection: Connection, statements: Sequence[tuple[str, Any]]) -> list[list[tuple[Any, ...]]]:
    if len(statements) == 1 and not is_pooled(connection):
        return [connection.rows(*statements[0])]
    return [cursor.fetchall() for cursor in run_together(connection, statements, ends=True)]
