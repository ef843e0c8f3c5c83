"""Drops many catalogs: those past their lifetimes, or those that a caller chooses."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from forklake.catalog import versions
from forklake.catalog.moments import Time
from forklake.catalog.names import check_text
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.queries import catalogs, heads, lifetimes
from forklake.metastore.queries.catalogs import IdleCatalog
from forklake.metastore.queries.lifetimes import EndedLifetime
from forklake.metastore.store import Session
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import DroppedTogether, EndedCatalog, LeftCatalog, Reaped
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import UNSAID, CommitInfo
from forklake.ops.catalogs.list_catalogs import names_between
from forklake.ops.catalogs.log_deed import log_deed
from forklake.ops.catalogs.purge_catalogs import BATCH, drop_live, purge_dropped
from forklake.ops.lakes.relative_times import limit_of
from forklake.ops.lakes.runtime import Runtime

_LOG: Final = logging.getLogger("forklake.maintenance")

_PAGE: Final = 10_000
_UNDONE: Final = "nothing was dropped"
_LAPSED: Final = CommitInfo(message="Past its lifetime")


def reap(
    runtime: Runtime,
    *,
    limit: int | None = None,
    dry_run: bool = False,
    progress: Progress = ignore_progress,
    is_over: Callable[[], bool] = lambda: False,
) -> Reaped:
    """Drop the catalogs that are past their lifetimes.

    Those that were dropped long enough ago are purged. It is done in transactions of some hundred catalogs, each all or
    nothing, and can be repeated after an interruption. Whether a lifetime is over is asked again once nobody can commit
    to the catalog or renew it.

    Args:
        runtime: The lake.
        limit: How many catalogs to drop or purge, at most.
        dry_run: Only return which.
        progress: Told after each transaction how many catalogs are done.
        is_over: Whether to leave the rest to the next time; asked before each transaction.

    Raises:
        InvalidInputError: The limit is no number above 0.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InvalidInputError(f"A reap is limited to a number of catalogs, not to {limit!r}; nothing was dropped.")
    dropped: list[EndedCatalog] = []
    purged: list[EndedCatalog] = []
    found = islice(_ended_catalogs(runtime), limit)
    while not is_over() and (batch := list(islice(found, BATCH))):
        names = {each.catalog_id: each.name for each in batch}
        live = [each.catalog_id for each in batch if each.is_live]
        gone = [each.catalog_id for each in batch if not each.is_live]
        if not dry_run:
            live = _drop_ended(runtime, live)
            gone = purge_dropped(runtime, gone, _may_be_purged, _LAPSED)
        dropped += [EndedCatalog(catalog, names[catalog]) for catalog in live]
        purged += [EndedCatalog(catalog, names[catalog]) for catalog in gone]
        progress("Reaping", len(dropped) + len(purged), None)
    return Reaped(tuple(dropped), tuple(purged), dry_run)


def _ended_catalogs(runtime: Runtime) -> Iterator[EndedLifetime]:
    """Yield the catalogs that a reap drops or purges, by their ends."""
    last: EndedLifetime | None = None
    while True:
        with runtime.store.reading() as session:
            page = lifetimes.ended_lifetimes(session, last, _PAGE)
        yield from (each for each in page if each.is_live or each.may_be_purged)
        if len(page) < _PAGE:
            return
        last = page[-1]


def _drop_ended(runtime: Runtime, live: Sequence[CatalogId]) -> list[CatalogId]:
    if not live:
        return []
    with runtime.store.writing() as session:
        session.lock_all_alone(live)
        held = heads.lock_heads(session, live, live=True)
        over = lifetimes.still_ended(session, held)
        drop_live(session, [each.catalog_id for each in over], _LAPSED)
        lifetimes.forget_lifetimes(session, [each.catalog_id for each in over if each.purge_after_seconds is None])
    _LOG.info("Catalogs dropped past their lifetimes: %s", ", ".join(str(each.catalog_id) for each in over))
    log_deed(runtime.store, "dropped", *(each.catalog_id for each in over), info=_LAPSED)
    return [each.catalog_id for each in over]


def _may_be_purged(session: Session, dropped: Sequence[CatalogId]) -> list[CatalogId]:
    return [each.catalog_id for each in lifetimes.still_ended(session, dropped) if each.may_be_purged]


def drop_catalogs(
    runtime: Runtime,
    *,
    parent: str | None = None,
    prefix: str = "",
    older_than: Time | timedelta | None = None,
    idle: Time | timedelta | None = None,
    keep: Iterable[str] = (),
    dry_run: bool = False,
    info: CommitInfo = UNSAID,
    progress: Progress = ignore_progress,
) -> DroppedTogether:
    """Drop all live catalogs that every given condition holds for.

    They are chosen in batches of 10,000, and dropped in transactions of some hundred, each all or nothing. A catalog
    whose head moved since it was chosen is left.

    Args:
        runtime: The lake.
        parent: Forks of this catalog.
        prefix: Those whose names begin so, regardless of case.
        older_than: Those that were created before a time, or longer ago than an age.
        idle: Those with no commit since a time, or for an age.
        keep: The names of live catalogs that stay.
        dry_run: Only return which.
        info: Who does it, and why.
        progress: Told after each transaction how many catalogs are done.

    Raises:
        InvalidInputError: No condition is given, or one makes no sense.
        NotFoundError: The parent, or one that is to be kept, is no live catalog.
    """
    check_text("prefix", prefix)
    if parent is None and not prefix and older_than is None and idle is None:
        raise InvalidInputError(
            f"Say which catalogs to drop; {_UNDONE}.", hint="By their parent, a prefix of their names, age or idleness."
        )
    if isinstance(keep, str):
        raise InvalidInputError(f"Catalogs to keep are a list of names, not {keep!r}; {_UNDONE}.")
    with runtime.store.reading() as session:
        above = None if parent is None else versions.head_by_name(session, parent).version.catalog_id
        kept = {_kept_catalog(session, name) for name in keep}
        now = session.now()
    created, idle_since = (
        None if given is None else limit_of(given, lambda: now, _UNDONE) for given in (older_than, idle)
    )
    chosen = _choose(runtime, above, names_between(prefix), created, idle_since)
    found = (each for each in chosen if each.catalog_id not in kept)
    dropped: list[EndedCatalog] = []
    left: list[LeftCatalog] = []
    while batch := list(islice(found, BATCH)):
        moved = set() if dry_run else _drop_unmoved(runtime, batch, info)
        for each in batch:
            if each.catalog_id in moved:
                left.append(LeftCatalog(each.catalog_id, each.name, "It was committed to or dropped meanwhile."))
            else:
                dropped.append(EndedCatalog(each.catalog_id, each.name))
        progress("Dropping", len(dropped) + len(left), None)
    return DroppedTogether(tuple(dropped), tuple(left), dry_run)


def _kept_catalog(session: Session, name: str) -> CatalogId:
    try:
        return versions.head_by_name(session, name).version.catalog_id
    except NotFoundError as error:
        raise NotFoundError(f'Catalog "{name}" to keep does not exist; {_UNDONE}.', hint=error.advice) from error


def _choose(
    runtime: Runtime,
    parent: CatalogId | None,
    between: tuple[str, str] | None,
    created: datetime | None,
    idle_since: datetime | None,
) -> Iterator[IdleCatalog]:
    after: IdleCatalog | None = None
    while True:
        page = catalogs.idle_after(runtime.store, after, _PAGE, parent, between, created, idle_since)
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1]


def _drop_unmoved(runtime: Runtime, batch: Sequence[IdleCatalog], info: CommitInfo) -> set[CatalogId]:
    """Drop those of some catalogs whose heads are where they were; return the others."""
    seen = {each.catalog_id: each.snapshot_id for each in batch}
    with runtime.store.writing() as session:
        session.lock_all_alone(list(seen))
        held = heads.lock_heads(session, list(seen), live=True)
        at: dict[CatalogId, SnapshotId] = heads.head_snapshots(session, held)
        unmoved = [catalog for catalog in held if at[catalog] == seen[catalog]]
        drop_live(session, unmoved, info)
    _LOG.info("Catalogs dropped: %s", ", ".join(map(str, unmoved)))
    log_deed(runtime.store, "dropped", *unmoved, info=info)
    return set(seen) - set(unmoved)
