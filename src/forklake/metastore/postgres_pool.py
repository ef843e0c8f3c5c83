"""A pool of PostgreSQL connections for the threads of a process.

A connection is made when a caller needs one, and kept while it is alive.
"""

from __future__ import annotations

import copy
import os
import select
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus

from forklake.errors import MetastoreError, MetastoreUnavailableError

_FEW_ROWS: Final = 100
"""An answer with more is not kept until the next statement."""

_IDLE_SECONDS: Final = 600.0
"""A connection that nobody used for so long is closed."""


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is used again and again."""

    _cursor: psycopg.Cursor[tuple[Any, ...]] | None = None

    def rows(self, text: str, values: Any) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows.

        Its cursor is used again: it knows by then how values of each type are written and read.
        """
        if self._cursor is None:
            self._cursor = self.cursor()
        found = self._cursor.execute(text, values).fetchall()
        if len(found) > _FEW_ROWS:
            self._cursor = None
        return found


class NoRoomError(MetastoreUnavailableError):
    """The server allows no more connections; those that are open keep working."""


class PoolClosedError(Exception):
    """The pool was closed."""


class PoolTimeoutError(Exception):
    """No connection became free in time."""


class ConnectionPool:
    """A pool with a limited number of connections.

    The caller who needs a connection makes it, and gets the error if that fails: an unreachable server is
    reported at once, and one that is back is used at once. There are no attempts in the background and no pauses
    between attempts.
    """

    def __init__(self, connect: Callable[[], Connection], size: int, timeout_seconds: float) -> None:
        self._connect = connect
        self._size = size
        self._timeout_seconds = timeout_seconds
        self._changed = threading.Condition()
        self._idle: deque[tuple[float, Connection]] = deque()
        self._count = 0  # of connections that are idle, in use, or being made
        self._failures = 0
        self._last_failure: MetastoreError | None = None
        self._closed = False
        self._sweep: threading.Timer | None = None
        weakref.finalize(self, _abandon, self._idle, os.getpid())

    def take(self) -> Connection:
        """Return a connection that is alive, as far as can be seen without a round trip.

        Raises:
            MetastoreError: There was none, and none could be made.
            PoolClosedError: The pool is closed.
            PoolTimeoutError: Others had them all.
        """
        deadline = time.monotonic() + self._timeout_seconds
        while True:
            found = self._idle_or_room(deadline)
            if found is not None:
                return found
            try:
                return self._connect()
            except NoRoomError:
                if not self._wait_for_another(deadline):
                    raise
            except BaseException as error:
                self._give_up_room(error)
                raise

    def give_back(self, connection: Connection) -> None:
        """Return a connection to the pool.

        One that is broken, or in the middle of a transaction, is closed.
        """
        is_idle = not connection.closed and connection.pgconn.transaction_status == TransactionStatus.IDLE
        with self._changed:
            is_kept = is_idle and not self._closed
            if is_kept:
                self._idle.append((time.monotonic(), connection))
                self._sweep_later()
            else:
                self._count -= 1
            self._changed.notify()
        if not is_kept:
            connection.close()

    def discard_idle(self) -> None:
        """Close all idle connections: where one was lost, the others likely were too."""
        with self._changed:
            self._count -= len(self._idle)
            _close_all(self._idle)
            self._changed.notify_all()

    def close(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        with self._changed:
            self._closed = True
            if self._sweep is not None:
                self._sweep.cancel()
        self.discard_idle()

    def _idle_or_room(self, deadline: float) -> Connection | None:
        """Return an idle connection, or None if the caller may make a new one."""
        with self._changed:
            known_failures = self._failures
            while True:
                if self._closed:
                    raise PoolClosedError
                while self._idle:
                    _, connection = self._idle.pop()
                    if _is_alive(connection):
                        return connection
                    self._count -= 1
                    connection.close()
                if self._count < self._size:
                    self._count += 1
                    return None
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    raise PoolTimeoutError
                if self._failures > known_failures and self._last_failure is not None and not self._idle:
                    # Somebody found out meanwhile; a queue need not do so one after the other.
                    raise copy.copy(self._last_failure)

    def _give_up_room(self, error: BaseException) -> None:
        with self._changed:
            self._count -= 1
            if isinstance(error, MetastoreError):
                self._failures += 1
                self._last_failure = copy.copy(error)
                self._changed.notify_all()
            else:
                self._changed.notify()

    def _wait_for_another(self, deadline: float) -> bool:
        """Wait for a connection that others use; return False if there is none.

        Gives up the room that the server did not grant. No other caller is woken to try as well: the server is full
        for all.
        """
        with self._changed:
            self._count -= 1
            if self._count == 0:
                self._changed.notify_all()  # nobody is left who could give one back
                return False
            return bool(self._idle) or self._changed.wait(max(0.0, deadline - time.monotonic()))

    def _sweep_later(self) -> None:
        if self._sweep is None:
            self._sweep = threading.Timer(_IDLE_SECONDS, _sweep, [weakref.ref(self)])
            self._sweep.daemon = True
            self._sweep.name = "forklake-idle-connections"
            self._sweep.start()

    def _close_unused(self) -> None:
        with self._changed:
            self._sweep = None
            while self._idle and self._idle[0][0] <= time.monotonic() - _IDLE_SECONDS:
                _, connection = self._idle.popleft()
                self._count -= 1
                connection.close()
            if self._idle and not self._closed:
                self._sweep_later()


def _sweep(pool: weakref.ref[ConnectionPool]) -> None:
    found = pool()
    if found is not None:
        found._close_unused()


def _abandon(idle: deque[tuple[float, Connection]], process_id: int) -> None:
    # A forked process has no right to end what its parent uses.
    if os.getpid() == process_id:
        _close_all(idle)


def _close_all(idle: deque[tuple[float, Connection]]) -> None:
    while idle:
        _, connection = idle.pop()
        connection.close()


def _is_alive(connection: Connection) -> bool:
    """Return whether an idle connection is silent, as a live one is.

    A server that ended the connection has sent a message or closed it.
    """
    if connection.closed:
        return False
    for _ in range(2):
        if not has_news(connection, 0):
            return True
        try:
            connection.pgconn.consume_input()  # a notice, perhaps
        except psycopg.OperationalError:
            return False
    return False


def has_news(connection: Connection, seconds: float) -> bool:
    """Wait until the server sends something or closes the connection.

    Return False if it did neither in time.
    """
    if sys.platform == "win32":
        return bool(select.select([connection.fileno()], [], [], seconds)[0])
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
