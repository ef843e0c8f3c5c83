"""Queries on heads: the newest snapshot of each catalog, and whether it is live."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from forklake.metastore.source import Question, Source, ask
from forklake.metastore.store import Session, Values
from forklake.metastore.visibility import BareChain, Chain
from forklake.model.ids import INFINITY, THE_LAKE, CatalogId, SnapshotId
from forklake.model.version import Head, Segment, Version

_HEAD = (
    "SELECT h.catalog_id, h.snapshot_id, s.schema_version, s.snapshot_time, k.catalog_name,"
    " k.parent_catalog_id, g.owner_id, g.upto, g.versions_from, g.since, g.until,"
    " (SELECT o.value FROM forklake.ducklake_metadata o WHERE o.catalog_id IN (h.catalog_id, :lake) AND o.scope = ''"
    " AND o.key = 'require_commit_message' ORDER BY o.catalog_id DESC LIMIT 1), e.expires_at,"
    " EXISTS (SELECT 1 FROM forklake.ducklake_files_scheduled_for_deletion d WHERE d.catalog_id = h.catalog_id)"
    " FROM forklake.ducklake_catalog k"
    " JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
    " JOIN forklake.ducklake_snapshot s ON s.catalog_id = h.catalog_id AND s.snapshot_id = h.snapshot_id"
    " LEFT JOIN forklake.ducklake_segment g ON g.catalog_id = h.catalog_id"
    " AND (g.until = :live OR g.versions_from < :live)"
    " LEFT JOIN forklake.ducklake_lifetime e ON e.catalog_id = h.catalog_id"
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
    return ask(source, ask_head_by_id(source, catalog))


def ask_head_by_id(source: Source, catalog: CatalogId) -> Question[Head | None]:
    """Ask for a live catalog, with its newest snapshot and its chain."""
    return Question(
        f"{_HEAD} WHERE k.catalog_id = :c AND k.end_snapshot = :live ORDER BY g.depth",
        {"c": catalog, "live": INFINITY, "lake": THE_LAKE},
        lambda found: _head(source, found) if found else None,
    )


def heads_by_ids(source: Source, catalogs: Sequence[CatalogId]) -> list[Head]:
    """Return those of some catalogs that are live, by id, in one statement."""
    found: dict[CatalogId, list[Values]] = {}
    for row in source.query(
        f"{_HEAD} WHERE k.catalog_id IN (:ids...) AND k.end_snapshot = :live ORDER BY h.catalog_id, g.depth",
        ids=list(catalogs),
        live=INFINITY,
        lake=THE_LAKE,
    ):
        found.setdefault(CatalogId(row[0]), []).append(row)
    return [_head(source, rows) for rows in found.values()]


def _head(source: Source, found: list[Values]) -> Head:
    catalog, snapshot, schema_version, time, name, parent, *_, requires_message, end, files_wait = found[0]
    made = snapshot, schema_version, source.time(time)
    version = _version(CatalogId(catalog), *made, [row[6:11] for row in found], is_root=parent is None)
    expires_at = None if end is None else source.time(end)
    return Head(name, version, requires_message == "true", expires_at, parent, bool(files_wait))


def _version(
    catalog: CatalogId,
    snapshot: SnapshotId,
    schema_version: int,
    time: datetime,
    found: Sequence[Values],
    *,
    is_root: bool,
) -> Version:
    """Return a version with the segments that were found.

    They are those of its epoch, and of the first one.
    """
    segments, earlier, since = [Segment(catalog, INFINITY)], [], SnapshotId(0)
    for owner, upto, versions_from, begun, until in found:
        if owner is None:
            continue
        segment = Segment(CatalogId(owner), SnapshotId(upto), SnapshotId(versions_from))
        if begun <= snapshot < until:
            segments.append(segment)
            since = SnapshotId(begun)
        else:
            earlier.append(segment)
    return Version(catalog, snapshot, schema_version, time, tuple(segments), is_root, since, tuple(earlier))


def version_of(source: Source, catalog: CatalogId, snapshot: SnapshotId) -> Version | None:
    """Return a catalog, live or dropped, at one of its own snapshots.

    It is None if the catalog has no such snapshot any more.
    """
    found = source.query(
        "SELECT s.schema_version, s.snapshot_time, k.parent_catalog_id, g.owner_id, g.upto, g.versions_from, g.since,"
        " g.until FROM forklake.ducklake_snapshot s JOIN forklake.ducklake_catalog k ON k.catalog_id = s.catalog_id"
        " LEFT JOIN forklake.ducklake_segment g ON g.catalog_id = s.catalog_id"
        " AND ((g.since <= s.snapshot_id AND g.until > s.snapshot_id) OR g.versions_from < :none)"
        " WHERE s.catalog_id = :c AND s.snapshot_id = :s AND k.end_snapshot ="
        " (SELECT max(l.end_snapshot) FROM forklake.ducklake_catalog l WHERE l.catalog_id = s.catalog_id)"
        " ORDER BY g.depth",
        c=catalog,
        s=snapshot,
        none=INFINITY,
    )
    if not found:
        return None
    schema_version, time, parent = found[0][:3]
    made = snapshot, schema_version, source.time(time)
    return _version(catalog, *made, [row[3:] for row in found], is_root=parent is None)


def first_epoch(source: Source, catalog: CatalogId) -> tuple[Segment, ...]:
    """Return the ancestors that a catalog saw at first.

    There are none once no version of that epoch is left.
    """
    found = source.query(
        "SELECT g.owner_id, g.upto, g.versions_from FROM forklake.ducklake_segment g WHERE g.catalog_id = :c"
        " AND g.since = (SELECT min(f.since) FROM forklake.ducklake_segment f WHERE f.catalog_id = :c"
        " AND f.versions_from < :none) ORDER BY g.depth",
        c=catalog,
        none=INFINITY,
    )
    return tuple(Segment(CatalogId(owner), SnapshotId(upto), SnapshotId(first)) for owner, upto, first in found)


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


def head_snapshots(session: Session, catalogs: Sequence[CatalogId]) -> dict[CatalogId, SnapshotId]:
    """Return where the heads of catalogs are; the caller holds them."""
    found = session.query(
        "SELECT catalog_id, snapshot_id FROM forklake.ducklake_head WHERE catalog_id IN (:ids...)", ids=list(catalogs)
    )
    return {CatalogId(catalog): SnapshotId(snapshot) for catalog, snapshot in found}


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


def begin_epoch(session: Session, catalog: CatalogId, snapshot: SnapshotId, segments: Sequence[Segment]) -> None:
    """Give a catalog another chain from a snapshot on; the one that it had ends there."""
    session.execute(
        "UPDATE forklake.ducklake_segment SET until = :s WHERE catalog_id = :c AND until = :live",
        s=snapshot,
        c=catalog,
        live=INFINITY,
    )
    chain = BareChain([segment.owner for segment in segments], [segment.upto for segment in segments])
    write_segments(session, catalog, snapshot, chain, [segment.versions_from for segment in segments])


def write_segments(
    session: Session,
    catalog: CatalogId,
    since: SnapshotId,
    chain: Chain,
    versions_from: Sequence[SnapshotId],
) -> None:
    """Begin an epoch of a catalog: the chain that it sees from a snapshot on."""
    unpacked = session.dialect.unpack(dict.fromkeys(("depths", "owners", "bounds", "firsts"), "bigint"))
    session.execute(
        "INSERT INTO forklake.ducklake_segment (catalog_id, since, depth, owner_id, upto, versions_from)"
        f" WITH chain(depth, owner_id, upto, versions_from) AS ({unpacked})"
        " SELECT :c, :since, depth, owner_id, upto, versions_from FROM chain",
        c=catalog,
        since=since,
        depths=list(range(1, len(chain.owners) + 1)),
        owners=list(chain.owners),
        bounds=list(chain.bounds),
        firsts=list(versions_from),
    )


def forget_ancestry(session: Session, catalog: CatalogId) -> None:
    """Delete the segments of a catalog: from then on it sees only its own rows."""
    session.execute("DELETE FROM forklake.ducklake_segment WHERE catalog_id = :c", c=catalog)
