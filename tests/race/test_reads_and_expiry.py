"""A version that is expired and collected between two reads of one statement is noticed, not half read."""

import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forklake import Connection, Lake, Settings
from forklake.errors import SnapshotNotFoundError
from forklake.metastore import sqlite
from tests.lakes import LakeFactory
from tests.passage import Passage, split

READS = 6
"""What a SELECT asks after the head: four kinds of rows, statistics, directories. Then comes the check."""

Stop = Callable[[int, Callable[[], object]], None]


class Interruption(Passage):
    """Lets something happen after a statement has run and before the next one of the same round trip begins."""

    def __init__(self, url: str, directory: Path) -> None:
        self._left = -1
        self._rest = b""
        self._done = threading.Semaphore(0)
        self.happens: Callable[[], object] = lambda: None
        super().__init__(url, directory)

    def after(self, count: int, happens: Callable[[], object]) -> None:
        self._left, self.happens = count, happens

    def hears(self, data: bytes, client: socket.socket, server: socket.socket) -> bool:
        if self._left < 0:
            server.sendall(data)
            return True
        messages, self._rest = split(self._rest + data)
        for message in messages:
            server.sendall(message)
            self._left -= message[:1] == b"E"  # Execute
            if self._left == 0:
                self._left = -1
                while self._done.acquire(blocking=False):
                    pass
                server.sendall(b"H\0\0\0\4")  # Flush: the server tells that it has run the statement
                assert self._done.acquire(timeout=60)
                self.happens()
        if self._left < 0:
            server.sendall(self._rest)
            self._rest = b""
        return True

    def answers(self, data: bytes, rest: bytes) -> bytes:
        messages, rest = split(rest + data)
        for message in messages:
            if message[:1] == b"C":  # CommandComplete
                self._done.release()
        return rest


@pytest.fixture
def url(lake_factory: LakeFactory) -> str:
    return lake_factory.url()


@pytest.fixture
def lake(lake_factory: LakeFactory, url: str) -> Iterator[Lake]:
    """A lake with one catalog: 1 and 2 in one file, then 3 in another."""
    settings = Settings(engine="local")
    with Lake(url, data_path=lake_factory.directory / "data", settings=settings) as lake:
        shop = lake.create_catalog("shop")
        for text in ("CREATE TABLE t (i INTEGER)", "INSERT INTO t VALUES (1), (2)", "INSERT INTO t VALUES (3)"):
            shop.sql(text)
        yield lake


@pytest.fixture
def reader(lake: Lake, url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Lake, Stop]]:
    """Another client of the lake, and what makes something happen after its next statements."""
    settings = Settings(engine="local")
    if lake._runtime.store.is_embedded:
        with Lake(url, settings=settings) as other:
            yield other, lambda count, happens: _interrupt_sqlite(monkeypatch, other, count, happens)
        return
    with tempfile.TemporaryDirectory() as directory:
        passage = Interruption(url, Path(directory))
        try:
            with Lake(passage.url, settings=settings) as other:
                yield other, passage.after
        finally:
            passage.close()


def _interrupt_sqlite(patch: pytest.MonkeyPatch, lake: Lake, count: int, happens: Callable[[], object]) -> None:
    original, reading, left = sqlite._SQLiteSession.query, threading.get_ident(), [count]

    def query(self: Any, sql: str, /, **params: Any) -> list[Any]:
        found = original(self, sql, **params)
        if threading.get_ident() == reading:
            left[0] -= 1
            if left[0] == 0:
                happens()
        return found

    patch.setattr(sqlite._SQLiteSession, "query", query)


def rows(session: Connection) -> list[Any]:
    found = session.sql("SELECT i + 0 FROM t WHERE i > 0 ORDER BY ALL")
    assert found is not None
    return found.fetchall()


@pytest.mark.parametrize("place", range(1, READS + 1))
@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_version_that_is_collected_between_two_reads_of_a_statement_is_refused(
    lake: Lake, reader: tuple[Lake, Stop], place: int
) -> None:
    other, interrupt = reader
    session = other.catalog("shop").session()
    for _ in range(4):  # until nothing is left to prepare, or to read for the first time
        assert rows(session) == [(1,), (2,), (3,)]
    shop, happened = lake.catalog("shop"), []

    def collect() -> None:
        shop.sql("DELETE FROM t; INSERT INTO t VALUES (4)")
        happened.append(shop.maintenance.expire_snapshots(older_than="2100-01-01"))

    interrupt(1 + place, collect)
    with pytest.raises(SnapshotNotFoundError, match="it was expired while it was in use"):
        rows(session)
    assert happened, "the statement took fewer reads"
    assert rows(session) == [(4,)]


@pytest.mark.parametrize("place", [1, READS])
@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_version_that_is_retained_is_read_to_its_end_whoever_commits_meanwhile(
    lake: Lake, reader: tuple[Lake, Stop], place: int
) -> None:
    other, interrupt = reader
    session = other.catalog("shop").session()
    for _ in range(4):
        rows(session)
    shop, happened = lake.catalog("shop"), []
    interrupt(1 + place, lambda: happened.append(shop.sql("DELETE FROM t; INSERT INTO t VALUES (4)")))
    assert rows(session) == [(1,), (2,), (3,)]
    assert happened
    assert rows(session) == [(4,)]
