"""Retries a transaction after a conflict, or if its base expired meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from forklake.config import Clock, RetryPolicy
from forklake.errors import CommitConflictError, SnapshotExpiredError

T = TypeVar("T")

_RETRIES: Final = logging.getLogger("forklake.retry")


def run_again(attempt: Callable[[], T], retry: RetryPolicy, clock: Clock) -> T:
    """Run a whole transaction, and again on the new head after each conflict.

    It is one, too, if the snapshot that the transaction began at is expired while it reads. Return what the
    transaction returns.

    Args:
        attempt: Begins a transaction, does its work and commits. If it raises, it has left nothing behind.
        retry: How often, and how long to wait before each time.
        clock: The clock that waits.

    Raises:
        CommitConflictError: Others were faster every time; nothing was committed.
        SnapshotExpiredError: So was whoever expires snapshots.
    """
    waits = retry.waits(clock)
    while True:
        try:
            return attempt()
        except (CommitConflictError, SnapshotExpiredError):
            wait = next(waits, None)
            if wait is None:
                raise
            _RETRIES.info("Running a transaction again on the new head")
        clock.sleep(wait)
