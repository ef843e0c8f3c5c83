"""Limits what catalogs may hold."""

from __future__ import annotations

from typing import Final

from forklake.catalog import versions
from forklake.errors import InvalidInputError
from forklake.metastore import limits
from forklake.metastore.queries import heads
from forklake.model.ids import CatalogId
from forklake.model.lives import Quota, QuotaUsage
from forklake.model.records import UNSAID, CommitInfo
from forklake.ops.catalogs.log_deed import log_deed
from forklake.ops.lakes.runtime import Runtime

_MOST: Final = 2**62


def set_quota(runtime: Runtime, catalog: CatalogId, quota: Quota, info: CommitInfo = UNSAID) -> None:
    """Limit what a catalog may hold, in place of the limits that it had.

    Without any limit it has no quota.

    Raises:
        InvalidInputError: A limit is no number, is negative, or lies below what is used already.
        NotFoundError: The catalog was dropped.
    """
    limited = {
        "max_bytes": quota.max_bytes,
        "max_files": quota.max_files,
        "max_forks": quota.max_forks,
        "max_depth": quota.max_depth,
    }
    for name, limit in limited.items():
        is_number = isinstance(limit, int) and not isinstance(limit, bool)
        if limit is not None and (not is_number or not 0 <= limit <= _MOST):
            raise InvalidInputError(
                f"{name} is a whole number from 0 to {_MOST:,}, not {limit!r}; the quota was not set."
            )
    with runtime.store.writing() as session:
        if not heads.lock_head(session, catalog, live=True):
            raise versions.catalog_dropped_error(session, catalog)
        is_limited = any(limit is not None for limit in limited.values())
        limits.write_quota(session, catalog, quota if is_limited else None)
        used = limits.usage(session, catalog, subtree=quota.subtree)
        counts = (used.byte_count, used.file_count, used.fork_count, used.depth)
        for (name, limit), count in zip(limited.items(), counts, strict=True):
            if limit is not None and count > limit:
                raise InvalidInputError(
                    f"{name} cannot be {limit:,}: {count:,} are used already; the quota was not set.",
                    hint="Drop what is not needed first, or allow as much as is used.",
                )
    allowed = ", ".join(f"{name} {limit}" for name, limit in limited.items() if limit is not None)
    among = ", its forks counted with it" if quota.subtree else ""
    log_deed(
        runtime.store, f"given a quota ({allowed}{among})" if allowed else "freed of its quota", catalog, info=info
    )


def quota_of(runtime: Runtime, catalog: CatalogId) -> QuotaUsage:
    """Return the quota of a catalog, and how much of it is used.

    A catalog that has none has no limits.
    """
    with runtime.store.reading() as session:
        quota = limits.quota_of(session, catalog) or Quota()
        return QuotaUsage(quota, limits.usage(session, catalog, subtree=quota.subtree))


def has_quota(runtime: Runtime, catalog: CatalogId) -> bool:
    """Return whether a quota limits a catalog.

    It is its own, or that of an ancestor that counts its forks.
    """
    return limits.is_limited(runtime.store, catalog)
