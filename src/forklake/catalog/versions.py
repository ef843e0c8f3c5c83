"""Which version of a catalog is meant: by head, id or time, within its lineage."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from forklake.catalog.moments import Moment, Time, read_moment, read_time
from forklake.catalog.names import check_name
from forklake.errors import CatalogDroppedError, InvalidInputError, NotFoundError, SnapshotNotFoundError
from forklake.metastore import visibility
from forklake.metastore.store import Session, Store
from forklake.model.hint import ListCatalogs, ListSnapshots, UndropCatalog
from forklake.model.ids import INFINITY, THE_LAKE, CatalogId, SnapshotId
from forklake.model.records import Snapshot
from forklake.model.version import Link, Version

_HEAD = (
    "SELECT h.catalog_id, h.snapshot_id, s.schema_version, s.snapshot_time, h.live, k.catalog_name,"
    " k.parent_catalog_id, g.owner_id, g.upto,"
    " (SELECT o.value FROM forklake.ducklake_metadata o WHERE o.catalog_id IN (h.catalog_id, :lake) AND o.scope = ''"
    " AND o.key = 'require_commit_message' ORDER BY o.catalog_id DESC LIMIT 1)"
    " FROM forklake.ducklake_catalog k"
    " JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
    " JOIN forklake.ducklake_snapshot s ON s.catalog_id = h.catalog_id AND s.snapshot_id = h.snapshot_id"
    " LEFT JOIN forklake.ducklake_segment g ON g.catalog_id = h.catalog_id"
)


@dataclass(frozen=True, slots=True)
class Head:
    """A live catalog as it is now."""

    name: str
    version: Version
    requires_message: bool


def head_by_name(store: Store | Session, name: str) -> Head:
    """Return the live catalog of that name, with its newest snapshot, in one statement.

    Raises:
        NotFoundError: No live catalog has the name.
    """
    check_name("catalog", name)
    found = store.query(
        f"{_HEAD} WHERE fold(k.catalog_name) = fold(:name) AND k.end_snapshot = :live ORDER BY g.depth",
        name=name,
        live=INFINITY,
        lake=THE_LAKE,
    )
    if not found:
        raise NotFoundError(f'Catalog "{name}" does not exist.', hint=ListCatalogs())
    return _head(store, found)


def head_by_id(store: Store | Session, catalog: CatalogId) -> Head:
    """Return a live catalog with its newest snapshot, in one statement.

    Raises:
        NotFoundError: It was dropped, or never was.
    """
    found = store.query(
        f"{_HEAD} WHERE k.catalog_id = :c AND k.end_snapshot = :live ORDER BY g.depth",
        c=catalog,
        live=INFINITY,
        lake=THE_LAKE,
    )
    if not found:
        raise dropped(catalog)
    return _head(store, found)


def dropped(catalog: CatalogId) -> CatalogDroppedError:
    """Return the error for a handle whose catalog is gone."""
    return CatalogDroppedError(
        f"The catalog with id {catalog} was dropped; nothing was done.",
        catalog_id=catalog,
        hint=UndropCatalog(catalog),
    )


def last_name(store: Store | Session, catalog: CatalogId) -> str | None:
    """Return the name that a catalog has, or had when it was dropped; None if nothing is known of it any more."""
    found = store.query(
        "SELECT catalog_name FROM forklake.ducklake_catalog WHERE catalog_id = :c ORDER BY end_snapshot DESC", c=catalog
    )
    return str(found[0][0]) if found else None


def _head(store: Store | Session, found: list[tuple[Any, ...]]) -> Head:
    catalog, snapshot, schema_version, time, _, name, parent, _, _, requires = found[0]
    links = [Link(CatalogId(catalog), INFINITY)]
    links += [Link(CatalogId(row[7]), SnapshotId(row[8])) for row in found if row[7] is not None]
    version = Version(
        CatalogId(catalog), SnapshotId(snapshot), schema_version, store.time(time), tuple(links), parent is None
    )
    return Head(name, version, requires == "true")


def version_at(store: Store | Session, head: Version, snapshot: int) -> Version:
    """Return the version of a snapshot: one of the catalog's own, or of an ancestor up to the pin.

    Raises:
        SnapshotNotFoundError: It is none of those, or expired.
    """
    if isinstance(snapshot, bool) or not isinstance(snapshot, int):
        raise InvalidInputError(f"A snapshot is named by its id, a whole number, not by {snapshot!r}.")
    found = _in_lineage(store, head, "AND s.snapshot_id = :at", at=snapshot) if 0 <= snapshot < INFINITY else []
    if not found:
        raise no_snapshot(snapshot)
    return head.at(SnapshotId(found[0][0]), found[0][2], store.time(found[0][1]))


def no_snapshot(snapshot: int) -> SnapshotNotFoundError:
    """Return the error for a snapshot that is none of the catalog's."""
    return SnapshotNotFoundError(f"No snapshot found at version {snapshot}", hint=ListSnapshots())


def version_at_time(store: Store | Session, head: Version, given: Time) -> Version:
    """Return the newest version of the lineage that was made at or before a time.

    Raises:
        InvalidInputError: It is no time.
        SnapshotNotFoundError: The catalog had none then, or it is expired.
    """
    time = read_time(given)
    found = _in_lineage(store, head, "AND s.snapshot_time <= :time", " ORDER BY s.snapshot_id DESC LIMIT 1", time=time)
    if not found:
        raise SnapshotNotFoundError(f"No snapshot found at timestamp {time.isoformat(sep=' ')}")
    return head.at(SnapshotId(found[0][0]), found[0][2], store.time(found[0][1]))


def version_of(store: Store | Session, head: Version, given: Moment) -> Version:
    """Return the version that a moment names: `version_at` of a snapshot id, `version_at_time` of a time.

    Raises:
        InvalidInputError: It is neither.
        SnapshotNotFoundError: The catalog has no such version.
    """
    moment = read_moment(given)
    if isinstance(moment, datetime):
        return version_at_time(store, head, moment)
    return version_at(store, head, moment)


def first_snapshot(store: Store | Session, head: Version, given: Moment) -> SnapshotId:
    """Return a snapshot of the lineage: the one with that id, or the first that was made at or after a time.

    Raises:
        InvalidInputError: It is neither an id nor a time.
        SnapshotNotFoundError: There is none.
    """
    moment = read_moment(given)
    if not isinstance(moment, datetime):
        return version_at(store, head, moment).snapshot_id
    found = _in_lineage(store, head, "AND s.snapshot_time >= :time", " ORDER BY s.snapshot_id LIMIT 1", time=moment)
    if not found:
        raise SnapshotNotFoundError(f"No snapshot found at timestamp {moment.isoformat(sep=' ')}")
    return SnapshotId(found[0][0])


def _in_lineage(
    store: Store | Session, head: Version, condition: str, order: str = "", **params: Any
) -> list[tuple[Any, ...]]:
    return store.query(
        f"{visibility.with_chain(store)}"
        " SELECT s.snapshot_id, s.snapshot_time, s.schema_version FROM chain c"
        " CROSS JOIN forklake.ducklake_snapshot s"
        f" WHERE s.catalog_id = c.owner_id AND s.snapshot_id <= c.bound {condition}{order}",
        **visibility.chain_params(head),
        **params,
    )


_PAGE = 1000
_SNAPSHOT = (
    "SELECT s.snapshot_id, s.catalog_id, s.snapshot_time, s.schema_version,"
    " x.changes_made, x.author, x.commit_message, x.commit_extra_info"
)


def snapshots(store: Store | Session, head: Version) -> list[Snapshot]:
    """Return the lineage of a catalog, oldest first: its own snapshots and its ancestors' up to the pin."""
    found = store.query(
        f"{visibility.with_chain(store)} {_SNAPSHOT}"
        " FROM chain c CROSS JOIN forklake.ducklake_snapshot s JOIN forklake.ducklake_snapshot_changes x"
        " ON x.catalog_id = s.catalog_id AND x.snapshot_id = s.snapshot_id"
        " WHERE s.catalog_id = c.owner_id AND s.snapshot_id <= c.bound ORDER BY s.snapshot_id",
        **visibility.chain_params(head),
    )
    return [_snapshot(store, row) for row in found]


def lake_snapshots(store: Store, after: SnapshotId | None, limit: int | None) -> list[Snapshot]:
    """Return the snapshots of all catalogs, by id: a page of them, or all from one state of the database."""
    if limit is not None:
        return _lake_page(store, after, limit)
    found: list[Snapshot] = []
    with store.reading() as session:
        while page := _lake_page(session, found[-1].snapshot_id if found else after, _PAGE):
            found += page
            if len(page) < _PAGE:
                break
    return found


def _lake_page(store: Store | Session, after: SnapshotId | None, limit: int) -> list[Snapshot]:
    found = store.query(
        f"{_SNAPSHOT} FROM forklake.ducklake_snapshot s JOIN forklake.ducklake_snapshot_changes x"
        " ON x.catalog_id = s.catalog_id AND x.snapshot_id = s.snapshot_id"
        # The planner has to see the number: for an unknown one it plans to read a tenth of the table.
        f" WHERE s.snapshot_id > :after ORDER BY s.snapshot_id LIMIT {int(limit)}",
        after=-1 if after is None else after,
    )
    return [_snapshot(store, row) for row in found]


def _snapshot(store: Store | Session, row: tuple[Any, ...]) -> Snapshot:
    return Snapshot(row[0], row[1], store.time(row[2]), *row[3:])


def known_commit(store: Store, catalog: CatalogId, commit_key: str) -> SnapshotId | None:
    """Return the snapshot that a commit with this key made, even if it is expired since."""
    found = store.query(
        "SELECT snapshot_id FROM forklake.ducklake_snapshot_lineage WHERE catalog_id = :c AND commit_key = :key",
        c=catalog,
        key=commit_key,
    )
    return SnapshotId(found[0][0]) if found else None


def version_by_name(store: Store, name: str, moment: SnapshotId | datetime | None) -> Version:
    """Return the catalog that had the name at a moment, live or dropped since, at its newest own snapshot then.

    Raises:
        NotFoundError: None had it.
    """
    check_name("catalog", name)
    found = visibility.catalog_rows(store, moment, "fold(k.catalog_name) = fold(:name)", name=name)
    if not found:
        raise NotFoundError(f'Catalog "{name}" did not exist at {moment}.', hint=ListCatalogs(at=moment))
    return _version_of(store, CatalogId(found[0][0]), SnapshotId(found[0][5]))


def _version_of(store: Store, catalog: CatalogId, snapshot: SnapshotId) -> Version:
    found = store.query(
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
        raise SnapshotNotFoundError(f"No snapshot found at version {snapshot}")
    links = [Link(catalog, INFINITY)]
    links += [Link(CatalogId(row[3]), SnapshotId(row[4])) for row in found if row[3] is not None]
    schema_version, time, parent = found[0][:3]
    return Version(catalog, snapshot, schema_version, store.time(time), tuple(links), parent is None)
