"""Turns: who has lost races for the head of a catalog waits in a line.

It waits in its process first: one thread of it at a time waits in the database for the lock of a catalog's turn, so
that those of a busy catalog take one connection of the pool, and none waits with the last: commits need that.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from forklake.model.ids import CatalogId


class _Place:
    """The place of a thread in a line, and when it loses it once it is the first."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.is_first = threading.Event()
        self.has_lock = False
        self.ends = 0.0


class Turns:
    """The lines of a process, one for each catalog; threads may share it."""

    def __init__(self, connections: int, seconds: float) -> None:
        """Make lines of which so many at once may wait in the database.

        A thread waits for so many seconds, and is the first for as long.
        """
        self._connections = threading.Semaphore(connections)
        self._seconds = seconds
        self._lines: dict[CatalogId, deque[_Place]] = {}
        self._mutex = threading.Lock()

    def is_waited_for(self, catalog: CatalogId) -> bool:
        """Return whether another thread stands in the line of a catalog."""
        with self._mutex:
            line = self._lines.get(catalog)
            return line is not None and line[0].thread != threading.get_ident()

    @contextmanager
    def here(self, catalog: CatalogId) -> Iterator[bool]:
        """Wait in the line of this process.

        Yield whether this thread came to be the first in time. Whoever came first is first. Who stays the first for too
        long is passed, so that it delays all others together no longer than one of them waits.
        """
        with self._mutex:
            line = self._lines.setdefault(catalog, deque())
            is_mine = bool(line) and line[0].thread == threading.get_ident()
            if not is_mine:
                place = _Place()
                line.append(place)
                self._let_first_go(line)
        if is_mine:
            yield True
            return
        try:
            came = self._wait(line, place)
            if not came:
                self._leave(catalog, line, place)
            yield came
        finally:
            self._leave(catalog, line, place)

    def _wait(self, line: deque[_Place], place: _Place) -> bool:
        deadline = time.monotonic() + self._seconds
        while True:
            with self._mutex:
                until = min(deadline, line[0].ends)
            if place.is_first.wait(max(0.0, until - time.monotonic())):
                return True
            with self._mutex:
                if line[0] is not place and line[0].ends <= time.monotonic():
                    line.popleft()
                    self._let_first_go(line)
            if time.monotonic() >= deadline:
                return place.is_first.is_set()

    def _leave(self, catalog: CatalogId, line: deque[_Place], place: _Place) -> None:
        with self._mutex:
            if place in line:
                line.remove(place)
                if line:
                    self._let_first_go(line)
                else:
                    del self._lines[catalog]

    def _let_first_go(self, line: deque[_Place]) -> None:
        if not line[0].is_first.is_set():
            line[0].ends = time.monotonic() + self._seconds
            line[0].is_first.set()

    @contextmanager
    def lock(self, catalog: CatalogId) -> Iterator[bool]:
        """Take one of the connections that may be spent on the lock of a catalog.

        Yield whether the first in the line should lock it: not if it has locked it already, or none is left. Nobody
        waits for one: other catalogs have them.
        """
        with self._mutex:
            line = self._lines.get(catalog)
            place = line[0] if line else None
        if place is None or place.thread != threading.get_ident() or place.has_lock:
            yield False
            return
        if not self._connections.acquire(blocking=False):
            yield False
            return
        place.has_lock = True
        try:
            yield True
        finally:
            place.has_lock = False
            self._connections.release()
