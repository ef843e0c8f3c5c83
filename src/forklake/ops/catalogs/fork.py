"""Forks catalogs at their head or an earlier snapshot, without copying anything."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from forklake.catalog import limits, versions
from forklake.catalog.moments import Moment
from forklake.catalog.names import check_new_catalog
from forklake.errors import (
    AlreadyExistsError,
    CatalogDroppedError,
    CommitUnknownError,
    InvalidInputError,
    MetastoreError,
    SnapshotNotFoundError,
)
from forklake.metastore.queries import catalogs
from forklake.metastore.store import ConnectionLostError, DuplicateKeyError, Store
from forklake.model.hint import AllowExisting, ForkAgain, ListCatalogs
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import Terms
from forklake.model.names import fold
from forklake.model.placement import ForkOutcome, ForkResult, MadeCatalog, NewFork, Placement
from forklake.model.progress import Progress, ignore_progress
from forklake.ops.catalogs.catalog_terms import NO_TERMS
from forklake.ops.catalogs.create_catalog import overlap_error, place_new
from forklake.ops.lakes.runtime import Runtime

_COMMITS: Final = logging.getLogger("forklake.commit")
_RETRIES: Final = logging.getLogger("forklake.retry")

BATCH = 10_000
"""How many forks are made in one transaction."""


def fork(
    runtime: Runtime,
    parent: CatalogId,
    name: str,
    *,
    at: Moment | None = None,
    data_path: str | None = None,
    if_not_exists: bool = False,
    terms: Terms = NO_TERMS,
) -> MadeCatalog:
    """Fork a catalog by reference, at its head or at any snapshot that it can see.

    This is one short transaction whatever the parent holds: it writes about ten rows and waits for nobody but an
    expiry or purge of the catalog that made the pinned snapshot, and for others that fork what a quota limits.

    Raises:
        AlreadyExistsError: A live catalog has the name and, with ``if_not_exists``, is no fork of this parent.
        SnapshotNotFoundError: The parent has no such snapshot.
        NotFoundError: The parent was dropped.
        CatalogLapsedError: The parent is past its lifetime.
        QuotaError: A quota of the parent, or of an ancestor, allows no more forks.
    """
    store, lake_path = runtime.store, runtime.lake_path
    check_new_catalog(name)
    pin = _pin(store, parent, at)
    new, placement = place_new(lake_path, name, data_path)
    try:
        result = _fork_once(store, parent, pin, [new], placement, terms)
    except DuplicateKeyError as error:
        return MadeCatalog(_existing_fork(store, parent, new, error, if_not_exists=if_not_exists), created=False)
    _check(store, result, parent, pin, name, placement)
    return MadeCatalog(result.catalogs[0], created=True)


def fork_many(
    runtime: Runtime,
    parent: CatalogId,
    names: Sequence[str],
    *,
    at: Moment | None = None,
    terms: Terms = NO_TERMS,
    progress: Progress = ignore_progress,
) -> list[CatalogId]:
    """Fork a catalog once for each name, all at the same snapshot.

    Forks are made in batches of 10,000, each all or nothing: after an error, whole batches before it remain.
    After each batch, ``progress`` is told the number of forks made so far.

    Raises:
        AlreadyExistsError: A name is taken.
        InvalidInputError: A name is given twice.
    """
    store, lake_path = runtime.store, runtime.lake_path
    for name in names:
        check_new_catalog(name)
    seen: set[str] = set()
    for name in names:
        if fold(name) in seen:
            raise InvalidInputError(f'The name "{name}" is given twice; no fork was made.')
        seen.add(fold(name))
    pin = _pin(store, parent, at)
    made: list[CatalogId] = []
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        placed = [place_new(lake_path, name, None) for name in batch]
        placement = placed[0][1]
        try:
            result = _fork_once(store, parent, pin, [new for new, _ in placed], placement, terms)
        except DuplicateKeyError as error:
            raise AlreadyExistsError(
                f"One of the names '{names[start]}' to '{placed[-1][0].name}' is taken by a live catalog;"
                f" none of these was made, {start} before them were.",
                hint=ListCatalogs(prefix=_common_start(batch)),
            ) from error
        _check(store, result, parent, pin, names[start], placement)
        # What follows is pinned where the first batch was.
        pin = result.pin
        made += result.catalogs
        progress("Forking", len(made), len(names))
    return made


def _pin(store: Store, parent: CatalogId, at: Moment | None) -> SnapshotId | None:
    if at is None:
        return None
    head = versions.head_by_id(store, parent).version
    return versions.version_of(store, head, at).snapshot_id


def _fork_once(
    store: Store,
    parent: CatalogId,
    pin: SnapshotId | None,
    forks: Sequence[NewFork],
    placement: Placement,
    terms: Terms,
) -> ForkResult:
    """Fork; after a lost connection, look up by the uuids whether it happened."""
    try:
        return store.fork(parent, pin, forks, placement, terms)
    except ConnectionLostError as error:
        lost: MetastoreError = error
    settings = store.settings
    for wait in settings.retry.waits(settings.clock):
        _RETRIES.warning("The connection was lost during a fork of catalog %d; asking again", parent)
        settings.clock.sleep(wait)
        try:
            # The names are unique, so this waits for the lost attempt if it still runs.
            return store.fork(parent, pin, forks, placement, terms)
        except DuplicateKeyError:
            found = catalogs.catalog_by_uuid(store, forks[0].uuid, forks[0].name)
            made = [known for new in forks if (known := catalogs.catalog_by_name(store, new.name))] if found else []
            if len(made) < len(forks):
                raise
            return ForkResult(
                ForkOutcome.FORKED,
                made[0].parent_snapshot_id,
                [catalog.catalog_id for catalog in made],
                [catalog.snapshot_id for catalog in made],
            )
        except MetastoreError as error:
            # Whatever it is: the first attempt may have happened, and this does not say that it did not.
            lost = error
    names = f"'{forks[0].name}'" + (f" to '{forks[-1].name}'" if len(forks) > 1 else "")
    raise CommitUnknownError(
        f"Whether the fork {names} was made is unknown: the connection was lost and could not be regained"
        f" ({lost.message}). It was made once or not at all, all names together.",
        hint=ForkAgain(),
    ) from lost


def _common_start(names: Sequence[str]) -> str:
    """Return the common prefix of all names."""
    first, last = min(names), max(names)
    return first[: next((at for at, letter in enumerate(first) if last[at : at + 1] != letter), len(first))]


def _existing_fork(
    store: Store, parent: CatalogId, new: NewFork, error: DuplicateKeyError, *, if_not_exists: bool
) -> CatalogId:
    found = catalogs.catalog_by_name(store, new.name)
    if not if_not_exists or found is None:
        raise AlreadyExistsError(f"Catalog '{new.name}' already exists.", hint=AllowExisting()) from error
    if found.parent_id is None:
        raise AlreadyExistsError(f"Catalog '{new.name}' exists but is not a fork (it's a root catalog).") from error
    if found.parent_id != parent:
        raise AlreadyExistsError(
            f"Catalog '{new.name}' exists but was forked from a different parent"
            f" (catalog_id {found.parent_id}, not {parent})."
        ) from error
    return found.catalog_id


def _check(
    store: Store, result: ForkResult, parent: CatalogId, pin: SnapshotId | None, name: str, placement: Placement
) -> None:
    match result.outcome:
        case ForkOutcome.MISSING | ForkOutcome.DROPPED:
            raise CatalogDroppedError(
                f"Catalog '{name}' was not made: the catalog with id {parent} was dropped.", catalog_id=parent
            )
        case ForkOutcome.LAPSED:
            raise limits.lapsed_error(store, parent, f"'{name}' was not made")
        case ForkOutcome.OVER_QUOTA:
            assert result.refusal is not None
            raise limits.quota_error(store, result.refusal, f"'{name}' was not made")
        case ForkOutcome.NO_SNAPSHOT:
            raise SnapshotNotFoundError(f"No snapshot found at version {pin}", hint=f"'{name}' was not made.")
        case ForkOutcome.OVERLAP:
            raise overlap_error(name, placement)
    _COMMITS.info("Catalog %d forked at snapshot %d: %d forks", parent, result.pin, len(result.catalogs))
