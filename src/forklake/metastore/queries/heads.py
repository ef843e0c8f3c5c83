"""Queries on heads: the newest snapshot of each catalog, and whether it is live."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.metastore.store import Session, Values
from forklake.metastore.visibility import Source
from forklake.model.ids import INFINITY, THE_LAKE, CatalogId, SnapshotId
from forklake.model.version import Head, Segment, Version

_HEAD = (
    "SELECT h.catalog_id, h.snapshot_id, s.schema_version, s.snapshot_time, k.catalog_name,"
    " k.parent_catalog_id, g.owner_id, g.upto,"
    " (SELECT o.value FROM forklake.ducklake_metadata o WHERE o.catalog_id IN (h.catalog_id, :lake) AND o.scope = ''"
    " AND o.key = 'require_commit_message' ORDER BY o.catalog_id DESC LIMIT 1)"
    " FROM forklake.ducklake_catalog k"
    " JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
    " JOIN forklake.ducklake_snapshot s ON s.catalog_id = h.catalog_id AND s.snapshot_id = h.snapshot_id"
    " LEFT JOIN forklake.ducklake_segment g ON g.catalog_id = h.catalog_id"
)


def head_by_name(source: Source, name: str) -> Head | None:
    """Return the live catalog of that name, with its newest snapshot and its chain."""
    found = source.query(
        f"{_HEAD} WHERE fold(k.catalog_name) = fold(:name) AND k.end_snapshot = :live ORDER BY g.depth",
        name=name,
        live=INFINITY,
        lake=THE_LAKE,
    )
    return _head(source, found) if found else None


def head_by_id(source: Source, catalog: CatalogId) -> Head | None:
    """Return a live catalog, with its newest snapshot and its chain."""
    found = source.query(
        f"{_HEAD} WHERE k.catalog_id = :c AND k.end_snapshot = :live ORDER BY g.depth",
        c=catalog,
        live=INFINITY,
        lake=THE_LAKE,
    )
    return _head(source, found) if found else None


def _head(source: Source, found: list[Values]) -> Head:
    catalog, snapshot, schema_version, time, name, parent, _, _, requires_message = found[0]
    segments = [Segment(CatalogId(catalog), INFINITY)]
    segments += [Segment(CatalogId(row[6]), SnapshotId(row[7])) for row in found if row[6] is not None]
    version = Version(
        CatalogId(catalog), SnapshotId(snapshot), schema_version, source.time(time), tuple(segments), parent is None
    )
    return Head(name, version, requires_message == "true")


def version_of(source: Source, catalog: CatalogId, snapshot: SnapshotId) -> Version | None:
    """Return a catalog, live or dropped, at one of its own snapshots.

    It is None if the catalog has no such snapshot any more.
    """
    found = source.query(
        "SELECT s.schema_version, s.snapshot_time, k.parent_catalog_id, g.owner_id, g.upto"
        " FROM forklake.ducklake_snapshot s JOIN forklake.ducklake_catalog k ON k.catalog_id = s.catalog_id"
        " LEFT JOIN forklake.ducklake_segment g ON g.catalog_id = s.catalog_id"
        " WHERE s.catalog_id = :c AND s.snapshot_id = :s AND k.end_snapshot ="
        " (SELECT max(l.end_snapshot) FROM forklake.ducklake_catalog l WHERE l.catalog_id = s.catalog_id)"
        " ORDER BY g.depth",
        c=catalog,
        s=snapshot,
    )
    if not found:
        return None
    segments = [Segment(catalog, INFINITY)]
    segments += [Segment(CatalogId(row[3]), SnapshotId(row[4])) for row in found if row[3] is not None]
    schema_version, time, parent = found[0][:3]
    return Version(catalog, snapshot, schema_version, source.time(time), tuple(segments), parent is None)


def catalogs_with_heads(source: Source, catalogs: Sequence[CatalogId]) -> set[CatalogId]:
    """Return those of some catalogs that are live or dropped, not purged."""
    found = source.query(
        "SELECT catalog_id FROM forklake.ducklake_head WHERE catalog_id IN (:ids...)", ids=list(catalogs)
    )
    return {CatalogId(catalog) for (catalog,) in found}


def ancestors(source: Source, catalogs: Sequence[CatalogId]) -> set[CatalogId]:
    """Return the catalogs whose rows some catalogs see beside their own."""
    found = source.query(
        "SELECT DISTINCT owner_id FROM forklake.ducklake_segment WHERE catalog_id IN (:ids...)", ids=list(catalogs)
    )
    return {CatalogId(owner) for (owner,) in found}


def lock_head(session: Session, catalog: CatalogId, *, live: bool) -> bool:
    """Take the lock that commits, drop and undrop of a catalog share.

    Return False if the catalog is not live, or not dropped, as ``live`` requires. Writing the row takes its lock:
    it waits for a commit in flight, and the next one sees what this transaction does.
    """
    changed = session.execute(
        "UPDATE forklake.ducklake_head SET live = live WHERE catalog_id = :c AND live = :live", c=catalog, live=live
    )
    return changed > 0


def lock_heads(session: Session, catalogs: Sequence[CatalogId], *, live: bool) -> list[CatalogId]:
    """Do what `lock_head` does for each of some catalogs.

    Return those that are as required. The caller holds their locks alone, so no two callers wait for each other.
    """
    params = {"ids": list(catalogs), "live": live}
    session.execute(
        "UPDATE forklake.ducklake_head SET live = live WHERE catalog_id IN (:ids...) AND live = :live", **params
    )
    found = session.query(
        "SELECT catalog_id FROM forklake.ducklake_head WHERE catalog_id IN (:ids...) AND live = :live"
        " ORDER BY catalog_id",
        **params,
    )
    return [CatalogId(catalog) for (catalog,) in found]


def write_live(session: Session, catalog: CatalogId, *, live: bool) -> None:
    """Record whether a catalog is live; the caller holds the lock of its head."""
    session.execute("UPDATE forklake.ducklake_head SET live = :live WHERE catalog_id = :c", live=live, c=catalog)


def write_dropped(session: Session, catalogs: Sequence[CatalogId]) -> None:
    """Record that catalogs are dropped; the caller holds the locks of their heads."""
    session.execute(
        "UPDATE forklake.ducklake_head SET live = :live WHERE catalog_id IN (:ids...)", live=False, ids=list(catalogs)
    )


def swap_head(session: Session, catalog: CatalogId, expected: SnapshotId, snapshot: SnapshotId) -> bool:
    """Move the head of a live catalog from its expected snapshot to a new one.

    Return False if the head is not there.
    """
    moved = session.execute(
        "UPDATE forklake.ducklake_head SET snapshot_id = :s WHERE catalog_id = :c AND snapshot_id = :e AND live",
        s=snapshot,
        c=catalog,
        e=expected,
    )
    return moved == 1


def forget_ancestry(session: Session, catalog: CatalogId) -> None:
    """Delete the segments of a catalog: from then on it sees only its own rows."""
    session.execute("DELETE FROM forklake.ducklake_segment WHERE catalog_id = :c", c=catalog)
