"""Counts over all catalogs of a lake: forks, files, sizes, growth."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from forklake.metastore.source import Source
from forklake.metastore.store import Session, Values
from forklake.metastore.written_tables import END
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass


def fork_counts(source: Source, catalogs: Sequence[CatalogId]) -> dict[CatalogId, int]:
    """Return how many live forks each catalog has; those without forks are left out."""
    found = source.query(
        "SELECT k.parent_catalog_id, count(*) FROM forklake.ducklake_catalog k"
        f" WHERE k.parent_catalog_id IN (:ids...) AND k.{END} = :live GROUP BY k.parent_catalog_id",
        ids=list(catalogs),
        live=INFINITY,
    )
    return {CatalogId(catalog): int(count) for catalog, count in found}


def root_count(source: Source) -> int:
    """Return how many live catalogs have no parent."""
    found = source.query(
        f"SELECT count(*) FROM forklake.ducklake_catalog k WHERE k.parent_catalog_id IS NULL AND k.{END} = :live",
        live=INFINITY,
    )
    return int(found[0][0])


@dataclass(frozen=True, slots=True)
class DroppedParent:
    """A dropped catalog from which live forks descend.

    ``snapshot_id`` is None if it was purged.
    """

    catalog_id: CatalogId
    name: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    snapshot_id: SnapshotId | None


def dropped_parents(source: Source) -> list[DroppedParent]:
    """Return the dropped catalogs that a live catalog descends from, by id."""
    wanted = (
        "SELECT DISTINCT p.parent_catalog_id FROM forklake.ducklake_catalog p"
        f" WHERE p.parent_catalog_id IS NOT NULL AND p.{END} = :live"
    )
    found: dict[int, Values] = {}
    rows = source.query(_DROPPED.format(wanted=f"({wanted})"), live=INFINITY)
    while rows:
        found |= {row[0]: row for row in rows}
        above = sorted({row[2] for row in rows if row[2] is not None} - found.keys())
        rows = source.query(_DROPPED.format(wanted="(:ids...)"), live=INFINITY, ids=above) if above else []
    return [DroppedParent(*found[catalog]) for catalog in sorted(found)]


_DROPPED = (
    "SELECT k.catalog_id, k.catalog_name, k.parent_catalog_id, k.parent_snapshot_id, h.snapshot_id"
    " FROM forklake.ducklake_catalog k LEFT JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
    f" WHERE k.catalog_id IN {{wanted}} AND k.{END} < :live AND k.{END} ="
    f" (SELECT max(l.{END}) FROM forklake.ducklake_catalog l WHERE l.catalog_id = k.catalog_id)"
)


def creation_times(session: Session, catalogs: Sequence[CatalogId]) -> dict[CatalogId, datetime]:
    """Return when each catalog was created, whatever its name was then."""
    found = session.query(
        "SELECT k.catalog_id, min(k.begin_time) FROM forklake.ducklake_catalog k"
        " WHERE k.catalog_id IN (:ids...) GROUP BY k.catalog_id",
        ids=list(catalogs),
    )
    return {CatalogId(catalog): session.time(time) for catalog, time in found}


def head_times(session: Session, catalogs: Sequence[CatalogId]) -> dict[CatalogId, datetime]:
    """Return when the head of each catalog was committed; purged ones are left out."""
    found = session.query(
        "SELECT h.catalog_id, s.snapshot_time FROM forklake.ducklake_head h JOIN forklake.ducklake_snapshot s"
        " ON s.catalog_id = h.catalog_id AND s.snapshot_id = h.snapshot_id WHERE h.catalog_id IN (:ids...)",
        ids=list(catalogs),
    )
    return {CatalogId(catalog): session.time(time) for catalog, time in found}


def inheriting_catalogs(source: Source, catalogs: Sequence[CatalogId]) -> set[CatalogId]:
    """Return which of the catalogs see rows of an ancestor."""
    found = source.query(
        "SELECT DISTINCT g.catalog_id FROM forklake.ducklake_segment g WHERE g.catalog_id IN (:ids...)",
        ids=list(catalogs),
    )
    return {CatalogId(catalog) for (catalog,) in found}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many catalogs and snapshots there are."""

    live: int
    roots: int
    dropped: int
    purged: int
    snapshots: int


def counts(source: Source) -> Counts:
    """Return how many catalogs and snapshots there are.

    Both counts are of one state of the database.
    """
    found = source.query(
        f"SELECT (SELECT count(*) FROM forklake.ducklake_catalog WHERE {END} = :live),"
        f" (SELECT count(*) FROM forklake.ducklake_catalog WHERE {END} = :live AND parent_catalog_id IS NULL),"
        " (SELECT count(*) FROM forklake.ducklake_head WHERE NOT live),"
        " (SELECT count(DISTINCT catalog_id) FROM forklake.ducklake_catalog),"
        " (SELECT count(*) FROM forklake.ducklake_snapshot)",
        live=INFINITY,
    )
    live, roots, dropped, ever, snapshots = (int(value) for value in found[0])
    return Counts(live, roots, dropped, ever - live - dropped, snapshots)


def snapshots_since(source: Source, starts: Sequence[datetime]) -> list[int]:
    """Return how many snapshots were made in each period.

    A period lasts until the start of the next, the last one until now.
    """
    return _by_period(source, "SELECT s.snapshot_time FROM forklake.ducklake_snapshot s", starts)


def catalogs_since(source: Source, starts: Sequence[datetime]) -> list[int]:
    """Return how many catalogs were created in each period; dropped ones count."""
    # A catalog has a row for each name it had; it was made with the first.
    return _by_period(source, "SELECT min(k.begin_time) FROM forklake.ducklake_catalog k GROUP BY k.catalog_id", starts)


def _by_period(source: Source, times: str, starts: Sequence[datetime]) -> list[int]:
    params: dict[str, Any] = {f"t{number}": start for number, start in enumerate(starts)}
    # Newest first: most rows of a busy lake are recent.
    newest_first = " ".join(f"WHEN x.made_at >= :t{number} THEN {number}" for number in reversed(range(len(starts))))
    found = source.query(
        f"WITH x(made_at) AS ({times}) SELECT CASE {newest_first} END AS period, count(*) FROM x"
        " WHERE x.made_at >= :t0 GROUP BY period",
        **params,
    )
    made = {int(period): int(count) for period, count in found}
    return [made.get(number, 0) for number in range(len(starts))]
