"""Gives catalogs another lifetime."""

from __future__ import annotations

from forklake.catalog import versions
from forklake.catalog.moments import Time
from forklake.errors import InvalidInputError
from forklake.metastore.queries import heads, lifetimes, snapshots
from forklake.model.ids import CatalogId
from forklake.model.lives import Lifetime
from forklake.ops.catalogs.catalog_terms import Duration, read_lifetime
from forklake.ops.lakes.runtime import Runtime


def renew(
    runtime: Runtime,
    catalog: CatalogId,
    ttl: Time | Duration | None,
    *,
    renew_by_commits: Duration | None = None,
    purge_after: Duration | None = None,
) -> Lifetime | None:
    """Give a live catalog another lifetime, from now on; return it.

    A catalog that is past its lifetime and not dropped yet can be renewed.

    Args:
        runtime: The lake.
        catalog: The catalog.
        ttl: How long it lives from now on, or until when; None: it has no lifetime any more.
        renew_by_commits: Each commit moves the end to at least so long after it; as before if not given.
        purge_after: So long after it was dropped it may be purged; as before if not given.

    Raises:
        InvalidInputError: A length of time is none, or the lifetime lies in the past.
        NotFoundError: The catalog was dropped.
    """
    if ttl is None and (renew_by_commits is not None or purge_after is not None):
        raise InvalidInputError("A catalog without a lifetime is neither renewed nor purged; nothing was done.")
    lifetime = None if ttl is None else read_lifetime(runtime.store, ttl, renew_by_commits, purge_after)
    with runtime.store.writing() as session:
        if not heads.lock_head(session, catalog, live=True):
            raise versions.catalog_dropped_error(session, catalog)
        if lifetime is not None:
            return lifetimes.move_end(session, catalog, lifetime)
        lifetimes.forget_lifetimes(session, [catalog])
        return None


def lifetime_of(runtime: Runtime, catalog: CatalogId) -> Lifetime | None:
    """Return the lifetime of a catalog; None if it has none."""
    return lifetimes.lifetimes_of(runtime.store, [catalog]).get(catalog)


def labels_of(runtime: Runtime, catalog: CatalogId) -> dict[str, str]:
    """Return the labels of a catalog, by name."""
    return dict(lifetimes.labels_of(runtime.store, [catalog]).get(catalog, {}))


def author_of(runtime: Runtime, catalog: CatalogId) -> str | None:
    """Return who created a catalog; None if that is not known."""
    return snapshots.first_author(runtime.store, catalog)
