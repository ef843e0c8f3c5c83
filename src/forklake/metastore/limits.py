"""Lifetimes and quotas in the transactions that they may refuse, for every store.

On PostgreSQL commits and forks ask within ``lake_commit`` and ``lake_fork``, whose comments hold here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from forklake.metastore.schema.own_bytes import own_bytes, own_files
from forklake.metastore.source import Source
from forklake.metastore.store import Session, Values
from forklake.model.ids import INFINITY, CatalogId
from forklake.model.lives import Counted, Excess, NewLifetime, Quota, QuotaRefusal, Terms, Usage


def is_lapsed(session: Session, catalog: CatalogId) -> bool:
    """Return whether a catalog is past its lifetime."""
    found = session.query("SELECT expires_at FROM forklake.ducklake_lifetime WHERE catalog_id = :c", c=catalog)
    return bool(found) and session.time(found[0][0]) <= session.now()


def renew_by_commit(session: Session, catalog: CatalogId) -> None:
    """Move the end of a catalog that its commits keep alive."""
    found = session.query(
        "SELECT expires_at, renew_seconds FROM forklake.ducklake_lifetime"
        " WHERE catalog_id = :c AND renew_seconds IS NOT NULL",
        c=catalog,
    )
    for end, seconds in found:
        session.execute(
            "UPDATE forklake.ducklake_lifetime SET expires_at = :end WHERE catalog_id = :c",
            c=catalog,
            end=max(session.time(end), session.now() + timedelta(seconds=seconds)),
        )


def write_terms(session: Session, catalog: CatalogId, terms: Terms) -> None:
    """Write the lifetime and the labels of a new catalog."""
    if terms.lifetime is not None:
        write_lifetime(session, catalog, terms.lifetime)
    session.insert_many(
        "ducklake_catalog_label",
        ("catalog_id", "key", "value"),
        [(catalog, key, value) for key, value in terms.labels.items()],
    )


def write_lifetime(session: Session, catalog: CatalogId, lifetime: NewLifetime) -> datetime:
    """Give a catalog that has no lifetime one; return its end.

    It begins now, by the clock of the database.
    """
    end = end_of(lifetime, session.now())
    session.execute(
        "INSERT INTO forklake.ducklake_lifetime (catalog_id, expires_at, renew_seconds, purge_after_seconds)"
        " VALUES (:c, :end, :renew, :purge)",
        c=catalog,
        end=end,
        renew=lifetime.renew_seconds,
        purge=lifetime.purge_after_seconds,
    )
    return end


def end_of(lifetime: NewLifetime, now: datetime) -> datetime:
    """Return when a lifetime ends that begins now."""
    return lifetime.until or now + timedelta(seconds=lifetime.seconds or 0)


def count_own(session: Session, catalog: CatalogId) -> int:
    """Count what a catalog holds of its own anew; return how many heads change.

    For whoever writes or ends rows without a commit. The caller holds the head of the catalog.
    """
    return session.execute(
        f"UPDATE forklake.ducklake_head SET own_files = {OWN_FILES}, own_bytes = {OWN_BYTES}"
        f" WHERE catalog_id = :c AND (own_files <> {OWN_FILES} OR own_bytes <> {OWN_BYTES})",
        c=catalog,
        never=INFINITY,
    )


OWN_FILES: Final = own_files(":never")
"""The number of live files that the catalog of a head has rows of its own for."""
OWN_BYTES: Final = own_bytes(":never")
"""The bytes of those files, and of its own definitions and inlined rows."""

_ANCESTORS: Final = "SELECT g.owner_id FROM forklake.ducklake_segment g WHERE g.catalog_id = :c"
_LIMITING: Final = f"(catalog_id = :c OR (subtree AND catalog_id IN ({_ANCESTORS})))"
_FORKS: Final = "SELECT g.catalog_id FROM forklake.ducklake_segment g WHERE g.owner_id = :q"


def spend(
    session: Session, catalog: CatalogId, files: int, size: int, beyond: Excess | None = None
) -> QuotaRefusal | None:
    """Count the files and bytes of a commit with its catalog's.

    If a quota refuses them, they are counted back, and the answer says why. The caller holds the head.
    """
    if not files and not size and beyond is None:
        return None
    count = (
        "UPDATE forklake.ducklake_head SET own_files = own_files + :files, own_bytes = own_bytes + :bytes"
        " WHERE catalog_id = :c"
    )
    session.execute(count, files=files, bytes=size, c=catalog)
    refusal = find_excess(session, catalog, files=files > 0, sizes=size > 0, beyond=beyond)
    if refusal is not None:
        session.execute(count, files=-files, bytes=-size, c=catalog)
    return refusal


def find_excess(
    session: Session, catalog: CatalogId, *, files: bool = True, sizes: bool = True, beyond: Excess | None = None
) -> QuotaRefusal | None:
    """Return why a quota refuses a catalog as it now stands; None if none does.

    It is its own quota, or one of an ancestor that counts its forks. Such an ancestor's spenders wait for each other
    from here on, so that no two of them spend the same rest. The caller holds the head of the catalog.

    Args:
        session: The transaction.
        catalog: The catalog whose totals have grown.
        files: Whether it has more files than before.
        sizes: Whether it has more bytes than before.
        beyond: What every quota refuses.
    """
    if not (files or sizes or beyond):
        return None
    for owner, quota in _lock_quotas(session, _LIMITING, catalog):
        if beyond is not None:
            return QuotaRefusal(owner, beyond.counted, beyond.limit, beyond.wanted)
        byte_count, file_count = _own_totals(session, owner, subtree=quota.subtree)
        limits: list[tuple[Counted, bool, int | None, int]] = [
            ("bytes", sizes, quota.max_bytes, byte_count),
            ("files", files, quota.max_files, file_count),
        ]
        for counted, is_asked, limit, wanted in limits:
            if is_asked and limit is not None and wanted > limit:
                return QuotaRefusal(owner, counted, limit, wanted)
    return None


def find_excess_of_forks(
    session: Session, parent: CatalogId, owners: Sequence[CatalogId], count: int
) -> QuotaRefusal | None:
    """Return why a quota refuses new forks of a catalog; None if none does.

    Args:
        session: The transaction; spenders of a quota wait for each other from here on.
        parent: The catalog that is forked.
        owners: The chain of the new forks without themselves, nearest first; that of a copy is empty.
        count: How many forks are to be made.
    """
    levels = {owner: level for level, owner in enumerate(owners, 1)}
    if not owners:
        levels[parent] = 1
    asked = "(catalog_id = :c OR catalog_id IN (:owners...))"
    for owner, quota in _lock_quotas(session, asked, parent, owners=list(levels)):
        level = levels.get(owner, 1)
        if quota.max_depth is not None and level > quota.max_depth:
            return QuotaRefusal(owner, "depth", quota.max_depth, level)
        if quota.max_forks is not None and (quota.subtree or owner == parent):
            wanted = count + _fork_count(session, owner, quota.max_forks, subtree=quota.subtree)
            if wanted > quota.max_forks:
                return QuotaRefusal(owner, "forks", quota.max_forks, wanted)
    return None


_QUOTA: Final = "max_bytes, max_files, max_forks, max_depth, subtree"


def _lock_quotas(session: Session, asked: str, catalog: CatalogId, **params: object) -> list[tuple[CatalogId, Quota]]:
    """Return quotas by catalog; whoever asks for one of them next waits."""
    given = {"c": catalog, **params}
    statement = f"SELECT catalog_id, {_QUOTA} FROM forklake.ducklake_quota WHERE {asked} ORDER BY catalog_id"
    found = session.query(statement, **given)
    if found:
        for catalog_id, *_ in found:
            session.lock_quota(CatalogId(catalog_id))
        found = session.query(statement, **given)
    return [(CatalogId(row[0]), _quota(row[1:])) for row in found]


def _quota(row: Values) -> Quota:
    max_bytes, max_files, max_forks, max_depth, subtree = row
    return Quota(max_bytes, max_files, max_forks, max_depth, bool(subtree))


def _own_totals(source: Source, owner: CatalogId, *, subtree: bool) -> tuple[int, int]:
    counted = f"h.live AND (h.catalog_id = :q OR h.catalog_id IN ({_FORKS}))" if subtree else "h.catalog_id = :q"
    ((byte_count, file_count),) = source.query(
        "SELECT coalesce(sum(h.own_bytes), 0), coalesce(sum(h.own_files), 0) FROM forklake.ducklake_head h"
        f" WHERE {counted}",
        q=owner,
    )
    return int(byte_count), int(file_count)


def _fork_count(source: Source, owner: CatalogId, limit: int, *, subtree: bool) -> int:
    """Return how many live forks a catalog has, up to one more than a limit."""
    live = (
        "SELECT DISTINCT g.catalog_id FROM forklake.ducklake_segment g JOIN forklake.ducklake_head h"
        " ON h.catalog_id = g.catalog_id AND h.live WHERE g.owner_id = :q"
        if subtree
        else "SELECT k.catalog_id FROM forklake.ducklake_catalog k"
        " WHERE k.parent_catalog_id = :q AND k.end_snapshot = :live"
    )
    ((found,),) = source.query(
        f"SELECT count(*) FROM ({live} LIMIT {int(limit) + 1}) f", q=owner, **({} if subtree else {"live": INFINITY})
    )
    return int(found)


_ALL: Final = 2**62


def usage(source: Source, catalog: CatalogId, *, subtree: bool) -> Usage:
    """Return what a catalog uses, alone or with its forks and theirs."""
    byte_count, file_count = _own_totals(source, catalog, subtree=subtree)
    ((depth,),) = source.query(
        "SELECT coalesce(max(g.depth), 0) FROM forklake.ducklake_segment g JOIN forklake.ducklake_head h"
        " ON h.catalog_id = g.catalog_id AND h.live WHERE g.owner_id = :q",
        q=catalog,
    )
    return Usage(byte_count, file_count, _fork_count(source, catalog, _ALL, subtree=subtree), int(depth))


def quota_of(source: Source, catalog: CatalogId) -> Quota | None:
    """Return the quota of a catalog; None if it has none."""
    found = source.query(f"SELECT {_QUOTA} FROM forklake.ducklake_quota WHERE catalog_id = :c", c=catalog)
    return _quota(found[0]) if found else None


def is_limited(source: Source, catalog: CatalogId) -> bool:
    """Return whether a quota counts what a catalog holds.

    It is its own, or that of an ancestor that counts its forks.
    """
    return bool(source.query(f"SELECT 1 FROM forklake.ducklake_quota WHERE {_LIMITING} LIMIT 1", c=catalog))


def write_quota(session: Session, catalog: CatalogId, quota: Quota | None) -> None:
    """Give a catalog a quota, or none, in place of the one it has.

    The caller holds its head. From here on whoever spends of it waits.
    """
    session.lock_quota(catalog)
    if quota is None:
        session.execute("DELETE FROM forklake.ducklake_quota WHERE catalog_id = :c", c=catalog)
        return
    session.execute(
        f"INSERT INTO forklake.ducklake_quota (catalog_id, {_QUOTA})"
        " VALUES (:c, :bytes, :files, :forks, :depth, :subtree) ON CONFLICT (catalog_id) DO UPDATE SET"
        f" {', '.join(f'{name} = excluded.{name}' for name in _QUOTA.split(', '))}",
        c=catalog,
        bytes=quota.max_bytes,
        files=quota.max_files,
        forks=quota.max_forks,
        depth=quota.max_depth,
        subtree=quota.subtree,
    )
