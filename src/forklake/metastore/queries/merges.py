"""Queries on what catalogs contain of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.metastore.visibility import Chain, chain_params, with_chain
from forklake.metastore.written_tables import BEGIN
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.overview import SnapshotEdge
from forklake.model.version import Segment


def contained_snapshots(
    source: Source, snapshots: Sequence[tuple[CatalogId, SnapshotId]]
) -> list[dict[CatalogId, SnapshotId]]:
    """Return what each of some snapshots contains, in one statement.

    It is told by the newest snapshot of each catalog. Those are its own, those of the chain of its epoch, and what
    merges of all these brought.
    """
    if not snapshots:
        return []
    unpacked = source.dialect.unpack(dict.fromkeys(("places", "catalogs", "snapshots"), "bigint"))
    found = source.query(
        f"WITH asked(place, catalog_id, snapshot_id) AS ({unpacked}), chain(place, owner_id, bound) AS ("
        "SELECT place, catalog_id, snapshot_id FROM asked"
        " UNION ALL SELECT a.place, g.owner_id, g.upto FROM asked a CROSS JOIN forklake.ducklake_segment g"
        " WHERE g.catalog_id = a.catalog_id AND g.since <= a.snapshot_id AND g.until > a.snapshot_id)"
        " SELECT place, owner_id, bound FROM chain"
        f"{MERGED_CATALOGS}",
        places=list(range(len(snapshots))),
        catalogs=[catalog for catalog, _ in snapshots],
        snapshots=[snapshot for _, snapshot in snapshots],
    )
    contained: list[dict[CatalogId, SnapshotId]] = [{} for _ in snapshots]
    for place, catalog, snapshot in sorted(found):
        contained[place][catalog] = max(snapshot, contained[place].get(catalog, snapshot))
    return contained


MERGED_CATALOGS: Final = (
    " UNION ALL SELECT c.place, m.source_id, max(m.source_snapshot_id) FROM chain c"
    f" CROSS JOIN forklake.ducklake_merge m WHERE m.catalog_id = c.owner_id AND m.{BEGIN} <= c.bound"
    " GROUP BY c.place, m.source_id"
)
"""What the merges of chains brought, after the chains themselves."""


def merging_snapshots(source: Source, chain: Chain, first: SnapshotId) -> list[SnapshotId]:
    """Return the snapshots of a chain, from one on, that merged, refreshed or reset.

    A refresh that brought nothing new is told by its epoch alone. A catalog's first one began no epoch; that of a copy
    brought all that it shows.
    """
    first_of = (
        "(SELECT min(l.snapshot_id) FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = {0}.catalog_id)"
    )
    found = source.query(
        f"{with_chain(source)} SELECT m.{BEGIN} AS snapshot_id FROM chain c CROSS JOIN forklake.ducklake_merge m"
        f" WHERE m.catalog_id = c.owner_id AND m.{BEGIN} <= c.bound AND m.{BEGIN} >= :first"
        f" AND (m.kind IN ('merge', 'refresh', 'reset') OR m.kind = 'chain' AND m.{BEGIN} = {first_of.format('m')})"
        " UNION SELECT g.since FROM chain c CROSS JOIN forklake.ducklake_segment g"
        " WHERE g.catalog_id = c.owner_id AND g.since <= c.bound AND g.since >= :first"
        f" AND g.since > {first_of.format('g')}"
        " ORDER BY snapshot_id",
        first=first,
        **chain_params(chain),
    )
    return [SnapshotId(snapshot) for (snapshot,) in found]


def merge_at(source: Source, catalog: CatalogId, snapshot: SnapshotId) -> tuple[CatalogId, SnapshotId] | None:
    """Return what a snapshot merged, or was refreshed or reset to, if it did."""
    found = source.query(
        f"SELECT m.source_id, m.source_snapshot_id FROM forklake.ducklake_merge m WHERE m.catalog_id = :c"
        f" AND m.{BEGIN} = :s AND m.kind IN ('merge', 'refresh', 'reset') ORDER BY m.source_id LIMIT 1",
        c=catalog,
        s=snapshot,
    )
    return next(((CatalogId(merged), SnapshotId(at)) for merged, at in found), None)


def may_have_returned(
    source: Source, since: Mapping[CatalogId, SnapshotId], until: Mapping[CatalogId, SnapshotId]
) -> bool:
    """Return whether something may have been brought back.

    Commits count that lie between two states of knowledge.
    """
    asked = [(catalog, low, high) for catalog, high in until.items() if (low := since.get(catalog, -1)) < high]
    if not asked:
        return False
    unpacked = source.dialect.unpack(dict.fromkeys(("catalogs", "lows", "highs"), "bigint"))
    catalogs, lows, highs = zip(*asked, strict=True)
    found = source.query(
        f"WITH asked(catalog_id, low, high) AS ({unpacked}) SELECT 1 FROM asked a CROSS JOIN forklake.ducklake_merge m"
        f" WHERE m.catalog_id = a.catalog_id AND m.may_return AND m.{BEGIN} > a.low AND m.{BEGIN} <= a.high LIMIT 1",
        catalogs=list(catalogs),
        lows=list(lows),
        highs=list(highs),
    )
    return bool(found)


def segments_at(source: Source, catalog: CatalogId, snapshot: SnapshotId) -> list[Segment]:
    """Return the ancestors that a catalog sees at one of its own snapshots.

    The nearest comes first. The catalog may be dropped.
    """
    found = source.query(
        "SELECT owner_id, upto FROM forklake.ducklake_segment"
        " WHERE catalog_id = :c AND since <= :s AND until > :s ORDER BY depth",
        c=catalog,
        s=snapshot,
    )
    return [Segment(CatalogId(owner), SnapshotId(upto)) for owner, upto in found]


def pinned_chain(source: Source, catalog: CatalogId, snapshot: SnapshotId) -> list[Segment] | None:
    """Return the chain of a snapshot as a catalog has it that is pinned there.

    It is None if none retains its first snapshot. While one does, all that the snapshot showed is kept.
    """
    found = source.query(
        "SELECT p.catalog_id, p.since FROM forklake.ducklake_segment p"
        " JOIN forklake.ducklake_snapshot s ON s.catalog_id = p.catalog_id AND s.snapshot_id = p.since"
        " WHERE p.owner_id = :c AND p.upto = :s AND p.depth = 1 ORDER BY p.catalog_id LIMIT 1",
        c=catalog,
        s=snapshot,
    )
    return segments_at(source, CatalogId(found[0][0]), SnapshotId(found[0][1])) if found else None


def merged_snapshots(source: Source, catalog: CatalogId) -> dict[SnapshotId, CatalogId]:
    """Return the newest own snapshots that other catalogs contain by a merge.

    Each comes with the catalog. A fork keeps its pin itself, and what a catalog knows of ancestors that it left is not
    kept for it.
    """
    found = source.query(
        "SELECT m.catalog_id, max(m.source_snapshot_id) FROM forklake.ducklake_merge m"
        " JOIN forklake.ducklake_head h ON h.catalog_id = m.catalog_id"
        " WHERE m.source_id = :c AND m.catalog_id <> :c AND m.kind IN ('merge', 'reset', 'via') GROUP BY m.catalog_id",
        c=catalog,
    )
    return {SnapshotId(snapshot): CatalogId(other) for other, snapshot in found}


def graph_edges(source: Source, catalogs: Sequence[CatalogId]) -> list[SnapshotEdge]:
    """Return how some catalogs began as forks, and what they merged.

    They come in the order of their snapshots.
    """
    found = source.query(
        f"SELECT m.catalog_id, m.{BEGIN} AS made_at, m.kind, m.source_id, m.source_snapshot_id"
        " FROM forklake.ducklake_merge m WHERE m.catalog_id IN (:ids...) AND m.kind IN ('merge', 'refresh', 'reset')"
        " UNION SELECT k.catalog_id, l.first, 'fork', k.parent_catalog_id, k.parent_snapshot_id"
        " FROM forklake.ducklake_catalog k JOIN (SELECT catalog_id, min(snapshot_id) AS first"
        " FROM forklake.ducklake_snapshot_lineage WHERE catalog_id IN (:ids...) GROUP BY catalog_id) l"
        " ON l.catalog_id = k.catalog_id WHERE k.parent_catalog_id IS NOT NULL ORDER BY made_at",
        ids=list(catalogs),
    )
    return [SnapshotEdge(*row) for row in found]


def distances(source: Source, forks: Sequence[CatalogId], most: int) -> dict[CatalogId, tuple[int, int]]:
    """Return how many snapshots forks are ahead of their parents, and behind them.

    Each number is at most ``most``: what is counted are entries of an index. Forks of purged catalogs are left out.
    """
    ahead, behind = (
        "(SELECT count(*) FROM (SELECT 1 AS one FROM forklake.ducklake_snapshot_lineage s"
        f" WHERE s.catalog_id = k.{catalog} AND s.snapshot_id > k.{known} LIMIT {int(most)}) c)"
        for catalog, known in (("fork_id", "own"), ("parent_id", "contained"))
    )
    merged = (
        "coalesce((SELECT max(m.source_snapshot_id) FROM forklake.ducklake_merge m WHERE m.catalog_id = f.{}"
        " AND m.source_id = f.{} AND m.source_snapshot_id > f.parent_snapshot_id), {})"
    )
    first = "(SELECT min(l.snapshot_id) FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = f.catalog_id)"
    found = source.query(
        "WITH k(fork_id, parent_id, own, contained) AS (SELECT DISTINCT f.catalog_id, f.parent_catalog_id,"
        f" {merged.format('parent_catalog_id', 'catalog_id', first)},"
        f" {merged.format('catalog_id', 'parent_catalog_id', 'f.parent_snapshot_id')}"
        " FROM forklake.ducklake_catalog f JOIN forklake.ducklake_head p ON p.catalog_id = f.parent_catalog_id"
        " WHERE f.catalog_id IN (:ids...))"
        f" SELECT k.fork_id, {ahead}, {behind} FROM k",
        ids=list(forks),
    )
    return {CatalogId(fork): (int(more), int(less)) for fork, more, less in found}


def epoch_begin(source: Source, catalog: CatalogId) -> SnapshotId | None:
    """Return the first snapshot of a fork's last epoch; None if it has no ancestors."""
    ((since,),) = source.query(
        "SELECT max(since) FROM forklake.ducklake_segment WHERE catalog_id = :c AND until = :never",
        c=catalog,
        never=INFINITY,
    )
    return None if since is None else SnapshotId(since)


def ones_in_others(source: Source, catalogs: Sequence[CatalogId]) -> list[CatalogId]:
    """Return those of some catalogs that others contain.

    Only these can become the base of a merge.
    """
    found = source.query(
        "SELECT owner_id FROM forklake.ducklake_segment WHERE owner_id IN (:ids...) AND NOT (catalog_id IN (:ids...))"
        " UNION SELECT source_id FROM forklake.ducklake_merge"
        " WHERE source_id IN (:ids...) AND NOT (catalog_id IN (:ids...))",
        ids=list(catalogs),
    )
    return sorted(CatalogId(catalog) for (catalog,) in found)


def refreshed_ones(source: Source, catalogs: Sequence[CatalogId]) -> list[CatalogId]:
    """Return those of some catalogs that were refreshed, whenever that was."""
    found = source.query(
        "SELECT DISTINCT catalog_id FROM forklake.ducklake_merge WHERE catalog_id IN (:ids...) AND kind = 'refresh'",
        ids=list(catalogs),
    )
    return sorted(CatalogId(catalog) for (catalog,) in found)


def forget_merges(session: Session, catalogs: Sequence[CatalogId]) -> None:
    """Delete what is written of what catalogs contain."""
    session.execute("DELETE FROM forklake.ducklake_merge WHERE catalog_id IN (:ids...)", ids=list(catalogs))


def write_contained(
    session: Session, catalog: CatalogId, snapshot: SnapshotId, known: Mapping[CatalogId, SnapshotId]
) -> None:
    """Write what a catalog without ancestors contains from its first snapshot on."""
    session.insert_many(
        "ducklake_merge",
        ("catalog_id", "source_id", BEGIN, "source_snapshot_id", "kind", "may_return"),
        [(catalog, source, snapshot, upto, "chain", False) for source, upto in sorted(known.items())],
    )


def forget_past_epochs(session: Session, catalog: CatalogId) -> None:
    """Delete the segments of epochs of which no snapshot is left.

    What they say of ancestors stays.
    """
    found = session.query(
        "SELECT DISTINCT g.since FROM forklake.ducklake_segment g WHERE g.catalog_id = :c"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot s WHERE s.catalog_id = g.catalog_id"
        " AND s.snapshot_id >= g.since AND s.snapshot_id < g.until)",
        c=catalog,
    )
    for (since,) in found:
        remember_chains(session, [catalog], since)
        session.execute(
            "DELETE FROM forklake.ducklake_segment WHERE catalog_id = :c AND since = :since", c=catalog, since=since
        )


def remember_chains(session: Session, catalogs: Sequence[CatalogId], since: SnapshotId | None = None) -> None:
    """Write what segments say of ancestors as merge rows, before they go.

    What the ancestors contained at their bounds is part of it, but for the catalog itself, of which it has its
    snapshots. They are those of the epoch that begins at a snapshot, or of all.
    """
    epoch = "" if since is None else " AND g.since = :since"
    session.execute(
        f"INSERT INTO forklake.ducklake_merge (catalog_id, source_id, {BEGIN}, source_snapshot_id, kind, may_return)"
        " SELECT k.catalog_id, k.source_id, k.since, max(k.newest), 'chain', :no FROM ("
        " SELECT g.catalog_id, g.since, g.owner_id AS source_id, g.upto AS newest FROM forklake.ducklake_segment g"
        f" WHERE g.catalog_id IN (:ids...){epoch}"
        " UNION ALL SELECT g.catalog_id, g.since, m.source_id, m.source_snapshot_id FROM forklake.ducklake_segment g"
        f" JOIN forklake.ducklake_merge m ON m.catalog_id = g.owner_id AND m.{BEGIN} <= g.upto"
        f" WHERE g.catalog_id IN (:ids...){epoch} AND m.source_id <> g.catalog_id) k"
        " WHERE NOT EXISTS (SELECT 1 FROM forklake.ducklake_merge o WHERE o.catalog_id = k.catalog_id"
        f" AND o.source_id = k.source_id AND o.{BEGIN} = k.since)"
        " GROUP BY k.catalog_id, k.source_id, k.since",
        ids=list(catalogs),
        no=False,
        since=since,
    )
