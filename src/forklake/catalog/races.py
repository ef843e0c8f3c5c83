"""The races for the head of a catalog that one commit has lost."""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

from forklake.config import Clock, RetryPolicy
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId

_RACES: Final = 3
"""After so many lost races a commit waits for its turn."""


class Races:
    """Waits after each lost race of a commit.

    It waits in the line of the process, for the turn, or a while. As a context manager it leaves the
    line and ends the turn.
    """

    def __init__(self, where: tuple[Store, CatalogId] | None, policy: RetryPolicy, clock: Clock) -> None:
        """Begin with none lost.

        If it is not known where the commit goes, it waits for no other.
        """
        self._where, self._clock = where, clock
        self._waits = policy.waits(clock)
        self._stack = ExitStack()
        self._lost = 0
        self._is_first: bool | None = None
        self._turn_ends: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def join(self) -> bool:
        """Join the line of the process before the first race, if others stand in it.

        Return whether this was worth the wait, so that the head has moved most likely.
        """
        if self._where is None:
            return False
        store, catalog = self._where
        return store.is_waited_for(catalog) and self._stand_in_line()

    def lose(self) -> bool:
        """Wait after a lost race; return whether there may be another.

        The first of the process tries again at once, and waits for the turn after the third race. Who has that meets
        only those that have lost fewer: its races do not count for a while.
        """
        if self._turn_ends is not None and time.monotonic() < self._turn_ends:
            return True
        wait = next(self._waits, None)
        if wait is None:
            return False
        self._lost += 1
        if self._lost < _RACES and self._stand_in_line():
            return True
        if self._lost == _RACES and self._take_turn():
            return True
        self._clock.sleep(wait)
        return True

    def _stand_in_line(self) -> bool:
        if self._is_first is None and self._where is not None:
            store, catalog = self._where
            self._is_first = self._stack.enter_context(store.line(catalog))
        return bool(self._is_first)

    def _take_turn(self) -> bool:
        if self._where is None or not self._stand_in_line():
            return False
        store, catalog = self._where
        if self._stack.enter_context(store.turn(catalog)):
            self._turn_ends = time.monotonic() + store.settings.lock_timeout_seconds
            return True
        self._stack.close()  # others of this process may be luckier
        return False
