"""Threads share connections to PostgreSQL, also where the server takes fewer of them than the pool would."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from forklake.metastore.postgres_pool import Connection, ConnectionPool, NoRoomError

ROUNDS = 5


class FullServer:
    """A server that takes one connection, and says so to everybody else."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._taken = False
        self._lock = threading.Lock()
        self.attempts = 0

    def connect(self) -> Connection:
        with self._lock:
            self.attempts += 1
            is_full, self._taken = self._taken, True
        if is_full:
            time.sleep(0.001)
            raise NoRoomError("sorry, too many clients already")
        return Connection.connect(self._url, autocommit=True)


def test_threads_wait_for_a_connection_instead_of_asking_a_full_server_for_more(postgres_database: str) -> None:
    server = FullServer(postgres_database)
    pool = ConnectionPool(server.connect, size=8, timeout_seconds=60)

    def work() -> None:
        for _ in range(ROUNDS):
            connection = pool.take()
            time.sleep(0.02)
            pool.give_back(connection)

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work) for _ in range(4)]:
            done.result()
    pool.close()
    # One for each that takes, and one more for each that is woken when somebody else was faster.
    assert server.attempts <= 2 * 4 * ROUNDS


def test_a_connection_that_comes_back_while_the_server_refuses_another_is_taken(postgres_database: str) -> None:
    server = FullServer(postgres_database)
    given: list[Connection] = []

    def connect() -> Connection:
        try:
            return server.connect()
        except NoRoomError:
            pool.give_back(given.pop())  # what another thread may do meanwhile
            raise

    pool = ConnectionPool(connect, size=8, timeout_seconds=0.5)
    first = pool.take()
    given.append(first)
    assert pool.take() is first
    pool.close()
    first.close()


def test_a_full_server_without_a_connection_of_ours_is_told_at_once(postgres_database: str) -> None:
    server = FullServer(postgres_database)
    server.connect().close()
    pool = ConnectionPool(server.connect, size=8, timeout_seconds=3600)
    with ThreadPoolExecutor(4) as threads:
        for failed in [threads.submit(pool.take) for _ in range(4)]:
            with pytest.raises(NoRoomError):
                failed.result()
