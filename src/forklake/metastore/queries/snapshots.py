"""Queries on snapshots of a lineage or of the whole lake, and their changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from forklake.metastore.source import Question, Source, ask
from forklake.metastore.store import Session, Values
from forklake.metastore.visibility import Chain, chain_params, with_chain
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.numbering import Numbering, Run
from forklake.model.records import Snapshot
from forklake.model.version import Version


@dataclass(frozen=True, slots=True)
class LineageSnapshot:
    """A snapshot, with its time and its schema version."""

    snapshot_id: SnapshotId
    time: datetime
    schema_version: int


def with_lineage(source: Source) -> str:
    """Return the start of a statement on a lineage.

    It is a common table expression with rows (owner_id, first, bound): the owner's snapshots from the first to the
    bound are versions.
    """
    unpacked = source.dialect.unpack({"owners": "bigint", "firsts": "bigint", "bounds": "bigint"})
    return f"WITH lineage(owner_id, first, bound) AS ({unpacked})"


def lineage_params(version: Version) -> dict[str, Any]:
    """Return the parameters of `with_lineage`."""
    return {
        "owners": [segment.owner for segment in version.lineage],
        "firsts": [segment.versions_from for segment in version.lineage],
        "bounds": [min(version.snapshot_id, segment.upto) for segment in version.lineage],
    }


def snapshot_of_lineage(source: Source, version: Version, snapshot: int) -> LineageSnapshot | None:
    """Return a snapshot if it is part of the lineage.

    The lineage has the catalog's own snapshots, and its ancestors' up to each pin.
    """
    return _of_lineage(source, version, "AND s.snapshot_id = :at", at=snapshot)


def owner_of(source: Source, version: Version) -> CatalogId:
    """Return the catalog of a lineage that made the snapshot of a version."""
    found = source.query(
        "SELECT catalog_id FROM forklake.ducklake_snapshot WHERE snapshot_id = :s", s=version.snapshot_id
    )
    return CatalogId(found[0][0]) if found else version.catalog_id


def is_own(source: Source, catalog: CatalogId, snapshot: SnapshotId) -> bool:
    """Return whether a snapshot is one that a catalog made and retains."""
    return bool(
        source.query(
            "SELECT 1 FROM forklake.ducklake_snapshot WHERE catalog_id = :c AND snapshot_id = :s", c=catalog, s=snapshot
        )
    )


def is_retained(source: Source, snapshot: SnapshotId) -> bool:
    """Return whether a snapshot, of whatever catalog, is not expired."""
    return ask(source, ask_retained(snapshot))


def ask_retained(snapshot: SnapshotId) -> Question[bool]:
    """Ask whether a snapshot, of whatever catalog, is not expired."""
    return Question("SELECT 1 FROM forklake.ducklake_snapshot WHERE snapshot_id = :s", {"s": snapshot}, bool)


def newest_until(source: Source, version: Version, time: datetime) -> LineageSnapshot | None:
    """Return the newest snapshot of the lineage that was made at or before a time."""
    return _of_lineage(source, version, "AND s.snapshot_time <= :time ORDER BY s.snapshot_id DESC LIMIT 1", time=time)


def first_since(source: Source, version: Version, time: datetime) -> LineageSnapshot | None:
    """Return the first snapshot of the lineage that was made at or after a time."""
    return _of_lineage(source, version, "AND s.snapshot_time >= :time ORDER BY s.snapshot_id LIMIT 1", time=time)


def newest_before(source: Source, version: Version, snapshot: SnapshotId) -> SnapshotId | None:
    """Return the newest snapshot of the lineage before one."""
    condition = "AND s.snapshot_id < :before ORDER BY s.snapshot_id DESC LIMIT 1"
    found = _of_lineage(source, version, condition, before=snapshot)
    return None if found is None else found.snapshot_id


def _of_lineage(source: Source, version: Version, condition: str, **params: Any) -> LineageSnapshot | None:
    found = source.query(
        f"{with_lineage(source)}"
        " SELECT s.snapshot_id, s.snapshot_time, s.schema_version FROM lineage c"
        " CROSS JOIN forklake.ducklake_snapshot s"
        f" WHERE s.catalog_id = c.owner_id AND s.snapshot_id >= c.first AND s.snapshot_id <= c.bound {condition}",
        **lineage_params(version),
        **params,
    )
    if not found:
        return None
    snapshot, time, schema_version = found[0]
    return LineageSnapshot(SnapshotId(snapshot), source.time(time), schema_version)


_SNAPSHOT = (
    "SELECT s.snapshot_id, s.catalog_id, s.snapshot_time, s.schema_version,"
    " x.changes_made, x.author, x.commit_message, x.commit_extra_info"
)
_CHANGES = " JOIN forklake.ducklake_snapshot_changes x ON x.catalog_id = s.catalog_id AND x.snapshot_id = s.snapshot_id"


def lineage(source: Source, version: Version, only: SnapshotId | None = None) -> list[Snapshot]:
    """Return the snapshots of a lineage, oldest first, or only one of them."""
    wanted = "" if only is None else " AND s.snapshot_id = :only"
    found = source.query(
        f"{with_lineage(source)} {_SNAPSHOT}"
        f" FROM lineage c CROSS JOIN forklake.ducklake_snapshot s{_CHANGES}"
        f" WHERE s.catalog_id = c.owner_id AND s.snapshot_id >= c.first AND s.snapshot_id <= c.bound{wanted}"
        " ORDER BY s.snapshot_id",
        **lineage_params(version),
        only=only,
    )
    return [_snapshot(source, row) for row in found]


def snapshots_upto(source: Source, chain: Chain) -> list[Snapshot]:
    """Return the snapshots of the owners of a chain up to its bounds, oldest first."""
    found = source.query(
        f"{with_chain(source)} {_SNAPSHOT} FROM chain c CROSS JOIN forklake.ducklake_snapshot s{_CHANGES}"
        " WHERE s.catalog_id = c.owner_id AND s.snapshot_id <= c.bound ORDER BY s.snapshot_id",
        **chain_params(chain),
    )
    return [_snapshot(source, row) for row in found]


def snapshots_after(source: Source, after: SnapshotId | None, limit: int) -> list[Snapshot]:
    """Return a page of the snapshots of all catalogs, by id."""
    found = source.query(
        f"{_SNAPSHOT} FROM forklake.ducklake_snapshot s{_CHANGES}"
        # The planner has to see the number: for an unknown one it plans to read a tenth of the table.
        f" WHERE s.snapshot_id > :after ORDER BY s.snapshot_id LIMIT {int(limit)}",
        after=-1 if after is None else after,
    )
    return [_snapshot(source, row) for row in found]


def _snapshot(source: Source, row: Values) -> Snapshot:
    return Snapshot(row[0], row[1], source.time(row[2]), *row[3:])


def first_own(source: Source, catalog: CatalogId) -> SnapshotId | None:
    """Return the snapshot that a catalog began with, even if it is expired since.

    It is None if the catalog was purged, or never existed.
    """
    ((found,),) = source.query(
        "SELECT min(snapshot_id) FROM forklake.ducklake_snapshot_lineage WHERE catalog_id = :c", c=catalog
    )
    return None if found is None else SnapshotId(found)


def first_author(source: Source, catalog: CatalogId) -> str | None:
    """Return the author of the snapshot that a catalog began with, if it is known."""
    found = source.query(
        "SELECT x.author FROM forklake.ducklake_snapshot_changes x WHERE x.catalog_id = :c AND x.snapshot_id ="
        " (SELECT min(l.snapshot_id) FROM forklake.ducklake_snapshot_lineage l WHERE l.catalog_id = :c)",
        c=catalog,
    )
    return found[0][0] if found else None


def newest_expired(source: Source, version: Version, first: SnapshotId) -> SnapshotId | None:
    """Return the newest expired snapshot of a lineage.

    Those before the one that ``first`` follows are not asked for, nor is the one before the first snapshot of a fork:
    a fork begins with what that showed.
    """
    ((found,),) = source.query(
        f"{with_lineage(source)} SELECT max(l.snapshot_id) FROM lineage c"
        " CROSS JOIN forklake.ducklake_snapshot_lineage l LEFT JOIN forklake.ducklake_snapshot s"
        " ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id"
        " WHERE l.catalog_id = c.owner_id AND l.snapshot_id >= c.first AND l.snapshot_id <= c.bound"
        " AND s.snapshot_id IS NULL"
        " AND (l.snapshot_id >= :first OR l.snapshot_id = (SELECT f.previous_snapshot_id"
        " FROM forklake.ducklake_snapshot_lineage f WHERE f.catalog_id = l.catalog_id AND f.snapshot_id = :first))",
        **lineage_params(version),
        first=first,
    )
    return None if found is None else SnapshotId(found)


def known_commit(source: Source, catalog: CatalogId, commit_key: str | None) -> SnapshotId | None:
    """Return the snapshot that a commit with this key made.

    It is found even if it is expired since.
    """
    found = source.query(
        "SELECT snapshot_id FROM forklake.ducklake_snapshot_lineage WHERE catalog_id = :c AND commit_key = :key",
        c=catalog,
        key=commit_key,
    )
    return SnapshotId(found[0][0]) if found else None


def changes_between(
    source: Source, catalog: CatalogId, base: SnapshotId, head: SnapshotId
) -> list[tuple[SnapshotId, str]]:
    """Return what the snapshots of a catalog from base to head did, oldest first.

    It walks back from the head, snapshot by snapshot, and ends early at one that is expired: the first one
    returned is the base if and only if all are known.
    """
    return ask(source, _ask_changes(catalog, base, ":head", {"head": head}))


def ask_changes_since(catalog: CatalogId, base: SnapshotId) -> Question[list[tuple[SnapshotId, str]]]:
    """Ask what the snapshots of a catalog from a base to its head did.

    The answer is that of `changes_between`.
    """
    return _ask_changes(catalog, base, "(SELECT h.snapshot_id FROM forklake.ducklake_head h WHERE h.catalog_id = :c)")


def _ask_changes(
    catalog: CatalogId, base: SnapshotId, head: str, params: Mapping[str, Any] = MappingProxyType({})
) -> Question[list[tuple[SnapshotId, str]]]:
    return Question(
        "WITH RECURSIVE walk(snapshot_id, previous_snapshot_id) AS ("
        " SELECT l.snapshot_id, l.previous_snapshot_id FROM forklake.ducklake_snapshot_lineage l"
        " JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id"
        f" WHERE l.catalog_id = :c AND l.snapshot_id = {head}"
        " UNION ALL"
        " SELECT l.snapshot_id, l.previous_snapshot_id FROM walk w JOIN forklake.ducklake_snapshot_lineage l"
        " ON l.catalog_id = :c AND l.snapshot_id = w.previous_snapshot_id"
        " JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id"
        " WHERE w.snapshot_id > :base)"
        " SELECT w.snapshot_id, x.changes_made FROM walk w JOIN forklake.ducklake_snapshot_changes x"
        " ON x.catalog_id = :c AND x.snapshot_id = w.snapshot_id ORDER BY w.snapshot_id",
        {"c": catalog, "base": base, **params},
        lambda found: [(SnapshotId(snapshot), str(changes)) for snapshot, changes in found],
    )


def forget_snapshots(session: Session, catalog: CatalogId, snapshots: Sequence[SnapshotId]) -> None:
    """Delete snapshots of a catalog, what they did, and their tags.

    Their order and their commit keys stay.
    """
    for table in ("ducklake_snapshot_tag", "ducklake_snapshot_changes", "ducklake_snapshot"):
        session.execute(
            f"DELETE FROM forklake.{table} WHERE catalog_id = :c AND snapshot_id IN (:snapshots...)",
            c=catalog,
            snapshots=list(snapshots),
        )


def forget_snapshots_before(session: Session, catalog: CatalogId, snapshot: SnapshotId) -> None:
    """Delete the snapshots of a catalog before one, what they did, and their tags."""
    for table in ("ducklake_snapshot", "ducklake_snapshot_changes", "ducklake_snapshot_tag"):
        session.execute(
            f"DELETE FROM forklake.{table} WHERE catalog_id = :c AND snapshot_id < :s", c=catalog, s=snapshot
        )


def numberings(source: Source, catalogs: Iterable[CatalogId]) -> dict[CatalogId, Numbering]:
    """Return the numberings of those catalogs that were imported.

    A merged file with a ``numbering_id`` is read up to a number: the one that this catalog's numbering gives
    for the snapshot. A file without one carries snapshot ids.
    """
    ids = sorted(set(catalogs))
    if not ids:
        return {}
    found = source.query(
        "SELECT catalog_id, snapshot_id, source_snapshot_id, snapshot_count FROM forklake.ducklake_numbering"
        " WHERE catalog_id IN (:ids...) ORDER BY catalog_id, snapshot_id",
        ids=ids,
    )
    runs: dict[CatalogId, list[Run]] = {}
    for catalog, snapshot, number, count in found:
        runs.setdefault(CatalogId(catalog), []).append(Run(SnapshotId(snapshot), number, count))
    return {catalog: Numbering(tuple(of_catalog)) for catalog, of_catalog in runs.items()}
