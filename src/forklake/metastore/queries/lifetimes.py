"""Queries on the lifetimes and labels of catalogs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from forklake.metastore import limits
from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.lives import Lifetime, NewLifetime


def lifetimes_of(source: Source, catalogs: Sequence[CatalogId]) -> dict[CatalogId, Lifetime]:
    """Return the lifetimes of those of some catalogs that have one."""
    found = source.query(
        "SELECT catalog_id, expires_at, renew_seconds, purge_after_seconds FROM forklake.ducklake_lifetime"
        " WHERE catalog_id IN (:ids...)",
        ids=list(catalogs),
    )
    return {CatalogId(catalog): Lifetime(source.time(end), renew, purge) for catalog, end, renew, purge in found}


def forget_lifetimes(session: Session, catalogs: Sequence[CatalogId]) -> None:
    """Delete the lifetimes of catalogs: they end no more of themselves."""
    session.execute("DELETE FROM forklake.ducklake_lifetime WHERE catalog_id IN (:ids...)", ids=list(catalogs))


def move_end(session: Session, catalog: CatalogId, lifetime: NewLifetime) -> Lifetime:
    """Give a catalog a lifetime in place of the one it has; the caller holds its head.

    What commits add, and the time until a purge, stay as they are unless they are given.
    """
    known = lifetimes_of(session, [catalog]).get(catalog)
    if known is None:
        end = limits.write_lifetime(session, catalog, lifetime)
        return Lifetime(end, lifetime.renew_seconds, lifetime.purge_after_seconds)
    moved = Lifetime(
        limits.end_of(lifetime, session.now()),
        known.renew_seconds if lifetime.renew_seconds is None else lifetime.renew_seconds,
        known.purge_after_seconds if lifetime.purge_after_seconds is None else lifetime.purge_after_seconds,
    )
    session.execute(
        "UPDATE forklake.ducklake_lifetime SET expires_at = :end, renew_seconds = :renew, purge_after_seconds = :purge"
        " WHERE catalog_id = :c",
        c=catalog,
        end=moved.expires_at,
        renew=moved.renew_seconds,
        purge=moved.purge_after_seconds,
    )
    return moved


@dataclass(frozen=True, slots=True)
class EndedLifetime:
    """A catalog past its lifetime, and whether it is time to purge it."""

    expires_at: datetime
    catalog_id: CatalogId
    name: str
    is_live: bool
    purge_after_seconds: int | None
    may_be_purged: bool


def ended_lifetimes(session: Session, after: EndedLifetime | None, limit: int) -> list[EndedLifetime]:
    """Return a page of the catalogs past their lifetimes, by their ends.

    They may be live or dropped.
    """
    rest = "" if after is None else " AND (e.expires_at > :time OR (e.expires_at = :time AND e.catalog_id > :c))"
    return _list_ended(
        session,
        f"{rest} ORDER BY e.expires_at, e.catalog_id LIMIT {int(limit)}",
        time=None if after is None else after.expires_at,
        c=None if after is None else after.catalog_id,
    )


def lapsed_count(session: Session) -> int:
    """Return how many live catalogs are past their lifetimes."""
    ((count,),) = session.query(
        "SELECT count(*) FROM forklake.ducklake_lifetime e JOIN forklake.ducklake_head h ON h.catalog_id = e.catalog_id"
        " WHERE e.expires_at <= :now AND h.live",
        now=session.now(),
    )
    return int(count)


def still_ended(session: Session, catalogs: Sequence[CatalogId]) -> list[EndedLifetime]:
    """Return those of some catalogs that are past their lifetimes now."""
    return _list_ended(session, " AND e.catalog_id IN (:ids...) ORDER BY e.catalog_id", ids=list(catalogs))


def _list_ended(session: Session, rest: str, **params: Any) -> list[EndedLifetime]:
    now = session.now()
    found = session.query(
        "SELECT e.expires_at, e.catalog_id, k.catalog_name, h.live, e.purge_after_seconds, k.end_time"
        " FROM forklake.ducklake_lifetime e JOIN forklake.ducklake_head h ON h.catalog_id = e.catalog_id"
        " JOIN forklake.ducklake_catalog k ON k.catalog_id = e.catalog_id AND k.end_snapshot ="
        " (SELECT max(l.end_snapshot) FROM forklake.ducklake_catalog l WHERE l.catalog_id = e.catalog_id)"
        f" WHERE e.expires_at <= :now{rest}",
        now=now,
        **params,
    )
    return [
        EndedLifetime(
            session.time(end),
            CatalogId(catalog),
            name,
            bool(live),
            purge_after,
            purge_after is not None
            and dropped is not None
            and session.time(dropped) + timedelta(seconds=purge_after) <= now,
        )
        for end, catalog, name, live, purge_after, dropped in found
    ]


def labels_of(source: Source, catalogs: Sequence[CatalogId]) -> dict[CatalogId, Mapping[str, str]]:
    """Return the labels of catalogs, by name; those without any are left out."""
    found = source.query(
        "SELECT catalog_id, key, value FROM forklake.ducklake_catalog_label WHERE catalog_id IN (:ids...)"
        " ORDER BY catalog_id, key",
        ids=list(catalogs),
    )
    labels: dict[CatalogId, dict[str, str]] = {}
    for catalog, key, value in found:
        labels.setdefault(CatalogId(catalog), {})[key] = value
    return dict(labels)
