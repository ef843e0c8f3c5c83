"""Connecting to PostgreSQL, directly or through a pooler."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import psycopg
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import TextLoader

from forklake.config import Settings
from forklake.errors import MetastoreUnavailableError
from forklake.metastore.postgres_address import Address
from forklake.metastore.postgres_errors import connect_error
from forklake.metastore.postgres_pool import Connection, has_news

_SOCKET: Final = {
    "tcp_user_timeout": 10_000,  # milliseconds
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""A host that vanished is noticed in seconds; the system's own patience is a quarter of an hour, or two hours."""


class Connector:
    """Makes connections to one database.

    Settings in the URL override our defaults. A pooler does not pass on the ``options`` of a URL.
    """

    def __init__(self, address: Address, settings: Settings) -> None:
        self._address = address
        self._pool_timeout_seconds = settings.pool_timeout_seconds
        self._words: dict[str, Any] = {
            "connect_timeout": _whole_seconds(settings.connect_timeout_seconds),
            "application_name": "forklake",
            **_SOCKET,
            **address.words,
        }
        timeout = int(settings.statement_timeout_seconds * 1000)
        given = self._words.pop("options", None) or ""
        self._options: str | None = (
            # Starting workers or compiling takes longer than any of our statements; and a plan is kept while tables
            # grow.
            f"-c statement_timeout={timeout} -c plan_cache_mode=force_generic_plan"
            " -c max_parallel_workers_per_gather=0 -c jit=off -c enable_seqscan=off"
            # The last one counts: these may be another; times and isolation may not.
            f" {given} -c timezone=UTC -c default_transaction_isolation=read\\ committed"
        )

    def connect(self) -> Connection:
        """Return a new connection in autocommit mode.

        Raises:
            MetastoreUnavailableError: The server cannot be reached, or takes no connections now.
            MetastoreRefusedError: It refuses the login.
        """
        try:
            connection = self._open_connection()
            try:
                _configure(connection, self._pool_timeout_seconds)
            except BaseException:
                connection.close()
                raise
        except psycopg.Error as error:
            raise connect_error(self._address, error, int(self._words["connect_timeout"])) from error
        return connection

    def _open_connection(self) -> Connection:
        if self._options is not None:
            try:
                return _connect(**self._words, options=self._options)
            except psycopg.OperationalError as error:
                if "unsupported startup parameter" not in str(error):
                    raise
                self._options = None  # a pooler, which does not pass them on
        return _connect(**self._words)


def connect_plainly(address: Address, settings: Settings) -> Connection:
    """Return a connection for one task, with the server's own settings.

    Raises:
        MetastoreUnavailableError: The server cannot be reached, or takes no connections now.
        MetastoreRefusedError: It refuses the login.
    """
    words = {"connect_timeout": _whole_seconds(settings.connect_timeout_seconds), **address.words}
    try:
        return _connect(**words)
    except psycopg.Error as error:
        raise connect_error(address, error, int(words["connect_timeout"])) from error


def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler stands between us and the server."""
    return connection.prepare_threshold is None


def run_alone(connection: Connection, text: str, values: Any) -> list[tuple[Any, ...]]:
    """Run one statement and return its rows.

    Behind a pooler it ends the transaction as well, in the same message: the server has all of it, or nothing.
    """
    if not is_pooled(connection):
        return connection.rows(text, values)
    return psycopg.ClientCursor(connection).execute(f"{text}; COMMIT", values).fetchall()


def run_together(
    connection: Connection, statements: Sequence[tuple[str, Any]], *, ends: bool
) -> list[psycopg.Cursor[tuple[Any, ...]]]:
    """Run statements one after the other, in one round trip; return their results.

    With ``ends``, they are a whole transaction: if a pooler made one necessary, it ends in the same round trip.
    """
    ends = ends and is_pooled(connection)
    if len(statements) + ends < 2 or not psycopg.Pipeline.is_supported():
        return [connection.execute(text, values) for text, values in statements]
    found: list[psycopg.Cursor[tuple[Any, ...]]] = []
    failed: psycopg.Error | None = None
    try:
        with connection.pipeline():
            # The block ends without an error: psycopg would log what ending the pipeline says beside it.
            try:
                found = [connection.execute(text, values) for text, values in statements]
                if ends:
                    connection.execute("COMMIT")
            except psycopg.Error as error:
                failed = error
    except psycopg.Error as error:
        failed = failed or error
    if failed is not None:
        raise failed
    return found


def results_within(connection: Connection, statements: str, timeout_seconds: float) -> list[PGresult]:
    """Run statements and wait for their results no longer than a time-out.

    A pooler may have to wait for a server first, and whether there is a pooler may not be known yet.

    Raises:
        MetastoreUnavailableError: There was no answer in time; the connection is closed, nothing was done.
    """
    pgconn, deadline = connection.pgconn, time.monotonic() + timeout_seconds
    pgconn.send_query(statements.encode())
    results = []
    while True:
        while pgconn.is_busy():
            if not has_news(connection, max(0.0, deadline - time.monotonic())):
                connection.close()
                raise MetastoreUnavailableError(
                    f"PostgreSQL, or a pooler in front of it, did not answer for {timeout_seconds:g} s; nothing was"
                    " done.",
                    hint="Check that the server runs, also behind the pooler, and that its pool is large enough. Try"
                    " again.",
                )
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            break
        results.append(result)
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result)
    return results


def _connect(**words: Any) -> Connection:
    return Connection.connect(**words, autocommit=True)


def _configure(connection: Connection, timeout_seconds: float) -> None:
    connection.adapters.register_loader("uuid", TextLoader)
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.prepare_threshold = None
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    (found,) = results_within(connection, "SELECT pg_backend_pid()", timeout_seconds)
    # A pooler shows a process id of its own, and may hand each transaction to another server connection.
    if found.get_value(0, 0) == str(connection.info.backend_pid).encode():
        connection.prepare_threshold = 2


def _whole_seconds(seconds: float) -> int:
    return max(2, round(seconds))  # the least that libpq takes
