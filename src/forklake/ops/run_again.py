"""Running something again after a concurrent commit came between."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from forklake.config import Clock, RetryPolicy
from forklake.errors import CommitConflictError

T = TypeVar("T")


def run_again(attempt: Callable[[], T], retry: RetryPolicy, clock: Clock) -> T:
    """Run a whole transaction, again on the new head after each conflict, and return what it returns.

    Args:
        attempt: Begins a transaction, does its work and commits. If it raises, it has left nothing behind.
        retry: How often, and how long to wait before each time.
        clock: What waits.

    Raises:
        CommitConflictError: Others were faster every time; nothing was committed.
    """
    waits = retry.waits(clock)
    while True:
        try:
            return attempt()
        except CommitConflictError:
            wait = next(waits, None)
            if wait is None:
                raise
        clock.sleep(wait)
