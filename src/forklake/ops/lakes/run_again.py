"""Retries a transaction after a conflict, or if its base expired meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, TypeVar

from forklake.catalog.races import Races
from forklake.config import Clock, RetryPolicy
from forklake.errors import CommitConflictError, SnapshotExpiredError
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId

T = TypeVar("T")

_RETRIES: Final = logging.getLogger("forklake.retry")


def run_again(
    attempt: Callable[[], T],
    where: Callable[[], tuple[Store, CatalogId] | None],
    retry: RetryPolicy,
    clock: Clock,
) -> T:
    """Run a whole transaction, and again on the new head after each conflict.

    A conflict is a lost race: it waits in the line of its process, and for its turn, as a commit does. It is one, too,
    if the snapshot that the transaction began at is expired while it reads. Return what the transaction returns.

    Args:
        attempt: Begins a transaction, does its work and commits. If it raises, it has left nothing behind.
        where: The store and catalog that the attempt failed to commit to, if it knows.
        retry: How often, and how long to wait before each time.
        clock: The clock that waits.

    Raises:
        CommitConflictError: Others were faster every time; nothing was committed.
        SnapshotExpiredError: So was whoever expires snapshots.
    """
    with ExitStack() as stack:
        races: Races | None = None
        while True:
            try:
                return attempt()
            except (CommitConflictError, SnapshotExpiredError):
                if races is None:
                    races = stack.enter_context(Races(where(), retry, clock))
                if not races.lose():
                    raise
                _RETRIES.info("Running a transaction again on the new head")
