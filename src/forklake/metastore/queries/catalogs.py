"""Queries on the list of catalogs, now or at a moment, and on their directories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from forklake.metastore import visibility
from forklake.metastore.queries import merges
from forklake.metastore.source import Question, Source, ask
from forklake.metastore.store import Session
from forklake.metastore.written_tables import BEGIN, END
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.records import UNSAID, CommitInfo

_PAGE: Final = 1000

Moment = SnapshotId | datetime | None
"""When the list of catalogs is read as of: a snapshot, a time, or now."""


@dataclass(frozen=True, slots=True)
class ListedCatalog:
    """A catalog now, or at a moment, with its newest own snapshot of that time."""

    catalog_id: CatalogId
    name: str
    uuid: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    snapshot_id: SnapshotId
    begin_time: datetime
    path: str
    path_is_relative: bool
    since_snapshot: SnapshotId
    end_snapshot: SnapshotId | None

    @property
    def is_live(self) -> bool:
        """Whether it has not ended: it was neither dropped nor renamed since."""
        return self.end_snapshot is None


def catalog_by_name(source: Source, name: str, at: Moment = None) -> ListedCatalog | None:
    """Return the catalog that has the name now, or had it at a moment."""
    return _first(_list_catalogs(source, at, "fold(k.catalog_name) = fold(:name)", name=name))


def catalog_by_id(source: Source, catalog: CatalogId) -> ListedCatalog | None:
    """Return a live catalog."""
    return _first(_list_catalogs(source, None, "k.catalog_id = :c", c=catalog))


def catalog_by_uuid(source: Source, uuid: str, name: str) -> ListedCatalog | None:
    """Return the live catalog that was created with a uuid and still has a name."""
    return _first(
        _list_catalogs(source, None, "k.catalog_uuid = :uuid AND k.catalog_name = :name", uuid=uuid, name=name)
    )


def forks_of(source: Source, parent: CatalogId | None, limit: int) -> list[ListedCatalog]:
    """Return the first live forks of a catalog by id, or the first live roots."""
    is_child = "k.parent_catalog_id IS NULL" if parent is None else "k.parent_catalog_id = :parent"
    return _list_catalogs(source, None, f"{is_child} ORDER BY k.catalog_id LIMIT {int(limit)}", parent=parent)


def catalogs_after(
    source: Source,
    after: str,
    limit: int,
    at: Moment = None,
    between: tuple[str, str] | None = None,
    labels: Mapping[str, str] = MappingProxyType({}),
) -> list[ListedCatalog]:
    """Return a page of catalogs by folded name: those after a name.

    ``between`` limits the page to names from the first of two up to, but not including, the other. All names are
    given folded. ``labels`` limits it to catalogs that have them all now. A page costs the same however many catalogs
    there are, if few lack the labels.
    """
    first, last = between or (None, None)
    within = " AND fold(k.catalog_name) >= :first AND fold(k.catalog_name) < :last" if between else ""
    labelled = "".join(
        " AND EXISTS (SELECT 1 FROM forklake.ducklake_catalog_label b WHERE b.catalog_id = k.catalog_id"
        f" AND b.key = :key{place} AND b.value = :value{place})"
        for place in range(len(labels))
    )
    return _list_catalogs(
        source,
        at,
        f"fold(k.catalog_name) > :after{within}{labelled}"
        f" ORDER BY fold(k.catalog_name), k.end_snapshot LIMIT {int(limit)}",
        after=after,
        first=first,
        last=last,
        **{f"key{place}": key for place, key in enumerate(labels)},
        **{f"value{place}": value for place, value in enumerate(labels.values())},
    )


def _list_catalogs(source: Source, at: Moment, condition: str, **params: Any) -> list[ListedCatalog]:
    # A limit is written as a number that the planner sees: for an unknown one it plans to read a tenth of the table.
    rows = visibility.catalog_rows(source, at, condition, **params)
    return [
        ListedCatalog(
            catalog_id=CatalogId(catalog),
            name=str(name),
            uuid=str(uuid),
            parent_id=parent,
            parent_snapshot_id=pin,
            snapshot_id=SnapshotId(snapshot),
            begin_time=source.time(begin_time),
            path=str(path),
            path_is_relative=bool(is_relative),
            since_snapshot=SnapshotId(begin),
            end_snapshot=None if end == INFINITY else SnapshotId(end),
        )
        for catalog, name, uuid, parent, pin, snapshot, begin_time, path, is_relative, begin, end in rows
    ]


def _first(found: list[ListedCatalog]) -> ListedCatalog | None:
    return found[0] if found else None


_NEWEST = "(SELECT max(l.end_snapshot) FROM forklake.ducklake_catalog l WHERE l.catalog_id = k.catalog_id)"


def dropped_by_name(source: Source, name: str) -> list[CatalogId]:
    """Return the ids of catalogs that were dropped under a name and not purged since."""
    return _list_dropped(source, "fold(k.catalog_name) = fold(:name)", name=name)


def dropped_by_id(source: Source, catalog: int) -> list[CatalogId]:
    """Return a list with the catalog of that id, if it is dropped and not purged."""
    return _list_dropped(source, "k.catalog_id = :c", c=catalog)


def dropped_between(source: Source, names: tuple[str, str] | None) -> list[CatalogId]:
    """Return the ids of catalogs that were dropped under certain names.

    The names are folded: from the first up to, but not including, the other; None is all of them.
    """
    first, last = names or (None, None)
    within = "fold(k.catalog_name) >= :first AND fold(k.catalog_name) < :last" if names else "1 = 1"
    return _list_dropped(source, within, first=first, last=last)


def live_between(source: Source, *ranges: tuple[str, str]) -> list[CatalogId]:
    """Return the ids of live catalogs with names of certain ranges.

    Ranges are given as for dropped ones; without any, all are returned.
    """
    within = " OR ".join(
        f"(fold(k.catalog_name) >= :first{place} AND fold(k.catalog_name) < :last{place})"
        for place in range(len(ranges))
    )
    found = source.query(
        f"SELECT k.catalog_id FROM forklake.ducklake_catalog k WHERE k.{END} = :live AND ({within or '1 = 1'})",
        live=INFINITY,
        **{f"first{place}": first for place, (first, _) in enumerate(ranges)},
        **{f"last{place}": last for place, (_, last) in enumerate(ranges)},
    )
    return [CatalogId(catalog) for (catalog,) in found]


@dataclass(frozen=True, slots=True)
class IdleCatalog:
    """A live catalog, and where its head is."""

    catalog_id: CatalogId
    name: str
    snapshot_id: SnapshotId


def idle_after(
    source: Source,
    after: IdleCatalog | None,
    limit: int,
    parent: CatalogId | None,
    between: tuple[str, str] | None,
    created: datetime | None,
    idle_since: datetime | None,
) -> list[IdleCatalog]:
    """Return a page of the live catalogs for which each given condition holds.

    Args:
        source: The store.
        after: The last of the page before.
        limit: The size of a page.
        parent: What they were forked from.
        between: The range of their folded names.
        created: They were created before this time.
        idle_since: Their heads are older than this time.
    """
    by_name = parent is None and between is not None
    key = "fold(k.catalog_name)" if by_name else "k.catalog_id"
    conditions = [
        "k.parent_catalog_id = :parent" if parent is not None else "",
        "fold(k.catalog_name) >= :first AND fold(k.catalog_name) < :last" if between is not None else "",
        "(SELECT min(o.begin_time) FROM forklake.ducklake_catalog o WHERE o.catalog_id = k.catalog_id) < :created"
        if created is not None
        else "",
        "s.snapshot_time < :idle" if idle_since is not None else "",
        "" if after is None else f"{key} > fold(:after)" if by_name else f"{key} > :after",
    ]
    first, last = between or (None, None)
    found = source.query(
        "SELECT k.catalog_id, k.catalog_name, h.snapshot_id FROM forklake.ducklake_catalog k"
        " JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
        " JOIN forklake.ducklake_snapshot s ON s.catalog_id = h.catalog_id AND s.snapshot_id = h.snapshot_id"
        f" WHERE k.{END} = :live{''.join(f' AND {condition}' for condition in conditions if condition)}"
        f" ORDER BY {key} LIMIT {int(limit)}",
        live=INFINITY,
        parent=parent,
        first=first,
        last=last,
        created=created,
        idle=idle_since,
        after=None if after is None else after.name if by_name else after.catalog_id,
    )
    return [IdleCatalog(CatalogId(catalog), str(name), SnapshotId(snapshot)) for catalog, name, snapshot in found]


def _list_dropped(source: Source, condition: str, **params: Any) -> list[CatalogId]:
    found = source.query(
        "SELECT k.catalog_id FROM forklake.ducklake_catalog k"
        " JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
        f" WHERE {condition} AND NOT h.live AND k.end_snapshot = {_NEWEST} ORDER BY k.catalog_id",
        **params,
    )
    return [CatalogId(catalog) for (catalog,) in found]


@dataclass(frozen=True, slots=True)
class ListedDrop:
    """A dropped catalog that was not purged, with its head."""

    catalog_id: CatalogId
    name: str
    uuid: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    snapshot_id: SnapshotId
    dropped_at: datetime
    path: str
    path_is_relative: bool
    author: str | None
    message: str | None


def dropped_after(source: Source, after: int, limit: int, between: tuple[str, str] | None = None) -> list[ListedDrop]:
    """Return a page of dropped catalogs by id: those after an id.

    ``between`` limits the page to folded names from the first of two up to, but not including, the other.
    """
    first, last = between or (None, None)
    within = " AND fold(k.catalog_name) >= :first AND fold(k.catalog_name) < :last" if between else ""
    found = source.query(
        "SELECT k.catalog_id, k.catalog_name, k.catalog_uuid, k.parent_catalog_id, k.parent_snapshot_id, h.snapshot_id,"
        " k.end_time, k.path, k.path_is_relative, k.ended_by, k.ended_message FROM forklake.ducklake_head h"
        " JOIN forklake.ducklake_catalog k ON k.catalog_id = h.catalog_id"
        f" WHERE h.catalog_id > :after AND NOT h.live AND k.end_snapshot = {_NEWEST}{within}"
        f" ORDER BY h.catalog_id LIMIT {int(limit)}",
        after=after,
        first=first,
        last=last,
    )
    return [
        ListedDrop(
            CatalogId(catalog), name, str(uuid), parent, pin, head, source.time(time), path, bool(is_relative), *who
        )
        for catalog, name, uuid, parent, pin, head, time, path, is_relative, *who in found
    ]


def last_names(source: Source, catalogs: Iterable[CatalogId]) -> dict[CatalogId, tuple[str, bool]]:
    """Return the name that each catalog has, or had at last, and whether it is live."""
    found = source.query(
        "SELECT k.catalog_id, k.catalog_name, k.end_snapshot FROM forklake.ducklake_catalog k"
        f" WHERE k.catalog_id IN (:ids...) AND k.end_snapshot = {_NEWEST}",
        ids=sorted(set(catalogs)),
    )
    return {CatalogId(catalog): (str(name), end == INFINITY) for catalog, name, end in found}


def last_name(source: Source, catalog: CatalogId) -> str | None:
    """Return the name that a catalog has, or had when it was dropped.

    It is None if nothing is known of the catalog any more.
    """
    found = source.query(
        "SELECT catalog_name FROM forklake.ducklake_catalog WHERE catalog_id = :c ORDER BY end_snapshot DESC", c=catalog
    )
    return str(found[0][0]) if found else None


@dataclass(frozen=True, slots=True)
class CatalogMark:
    """A catalog that tells one lake from another.

    Each lake counts its ids; uuids are unique.
    """

    catalog_id: CatalogId
    uuid: str


def newest_mark(source: Source) -> CatalogMark | None:
    """Return the catalog that was created last.

    It may be dropped or purged. None if the lake never had a catalog.
    """
    found = source.query(
        "SELECT catalog_id, catalog_uuid FROM forklake.ducklake_catalog ORDER BY catalog_id DESC LIMIT 1"
    )
    return CatalogMark(CatalogId(found[0][0]), str(found[0][1])) if found else None


def is_known(source: Source, mark: CatalogMark) -> bool:
    """Return whether a catalog was created in this lake: live, dropped or purged."""
    found = source.query("SELECT catalog_uuid FROM forklake.ducklake_catalog WHERE catalog_id = :c", c=mark.catalog_id)
    return mark.uuid in {str(uuid) for (uuid,) in found}


def parent_of(source: Source, catalog: CatalogId) -> CatalogId | None:
    """Return the catalog that one was created from, as a fork or a copy."""
    found = source.query("SELECT parent_catalog_id FROM forklake.ducklake_catalog WHERE catalog_id = :c", c=catalog)
    return next((CatalogId(parent) for (parent,) in found if parent is not None), None)


def directories(source: Source, catalogs: Iterable[CatalogId]) -> dict[CatalogId, tuple[str, bool]]:
    """Return what `directories_of` asks for."""
    return ask(source, directories_of(catalogs))


def directories_of(catalogs: Iterable[CatalogId]) -> Question[dict[CatalogId, tuple[str, bool]]]:
    """Ask for the path of each catalog, and whether it is relative to the lake's.

    Dropped and purged catalogs are included.
    """
    return Question(
        "SELECT catalog_id, path, path_is_relative FROM forklake.ducklake_catalog WHERE catalog_id IN (:ids...)",
        {"ids": sorted(catalogs)},
        lambda found: {CatalogId(catalog): (str(path), bool(relative)) for catalog, path, relative in found},
    )


def all_directories(source: Source) -> Iterator[tuple[CatalogId, tuple[str, bool]]]:
    """Yield all catalogs there ever were, with their paths as `directories` has them."""
    after = -1
    while found := source.query(
        "SELECT DISTINCT catalog_id, path, path_is_relative FROM forklake.ducklake_catalog WHERE catalog_id > :after"
        f" ORDER BY catalog_id LIMIT {_PAGE}",
        after=after,
    ):
        yield from ((CatalogId(catalog), (str(path), bool(is_relative))) for catalog, path, is_relative in found)
        after = found[-1][0]


def catalogs_at(source: Source, paths: Sequence[str]) -> set[CatalogId]:
    """Return the catalogs whose directories have one of the folded paths.

    Dropped and purged catalogs are included.
    """
    found = source.query(
        "SELECT DISTINCT catalog_id FROM forklake.ducklake_catalog WHERE fold(path) IN (:paths...)", paths=list(paths)
    )
    return {CatalogId(catalog) for (catalog,) in found}


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """A row of ``ducklake_catalog``.

    It describes a catalog from one rename, drop or undrop to the next.
    """

    catalog_uuid: str
    catalog_name: str
    parent_catalog_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    data_path: str | None
    path: str
    path_is_relative: bool
    begin_time: datetime
    end_time: datetime | None


_ROW = tuple(column.name for column in fields(CatalogRow))
_WRITTEN = _ROW[:-1]


def newest_row(session: Session, catalog: CatalogId) -> CatalogRow:
    """Return the newest row of a catalog: the live one, or the one its drop ended."""
    found = session.query(
        f"SELECT {', '.join(_ROW)} FROM forklake.ducklake_catalog WHERE catalog_id = :c ORDER BY {END} DESC LIMIT 1",
        c=catalog,
    )
    uuid, name, parent, pin, data_path, path, is_relative, begin, end = found[0]
    ended = None if end is None else session.time(end)
    return CatalogRow(str(uuid), name, parent, pin, data_path, path, bool(is_relative), session.time(begin), ended)


def end_row(
    session: Session, catalog: CatalogId, snapshot: SnapshotId, time: datetime, info: CommitInfo = UNSAID
) -> None:
    """End the live row of a catalog; ``info`` says by whom and why."""
    session.execute(
        f"UPDATE forklake.ducklake_catalog SET {END} = :s, end_time = :time, ended_by = :by, ended_message = :message"
        f" WHERE catalog_id = :c AND {END} = :live",
        s=snapshot,
        time=time,
        by=info.author,
        message=info.message,
        c=catalog,
        live=INFINITY,
    )


def end_rows(
    session: Session, ends: Sequence[tuple[CatalogId, SnapshotId]], time: datetime, info: CommitInfo = UNSAID
) -> None:
    """End the live rows of catalogs, each at a snapshot id of its own."""
    given = {"time": time, "by": info.author, "message": info.message, "live": INFINITY}
    session.execute_many(
        f"UPDATE forklake.ducklake_catalog SET {END} = :s,"
        " end_time = CASE WHEN begin_time > :time THEN begin_time ELSE :time END,"
        " ended_by = :by, ended_message = :message"
        f" WHERE catalog_id = :c AND {END} = :live",
        [{"c": catalog, "s": snapshot, **given} for catalog, snapshot in ends],
    )


def begin_row(session: Session, catalog: CatalogId, row: CatalogRow, snapshot: SnapshotId, time: datetime) -> None:
    """Write the next row of a catalog.

    It begins at a snapshot id and a time of its own.

    Raises:
        DuplicateKeyError: A live catalog has the name.
    """
    session.execute(
        f"INSERT INTO forklake.ducklake_catalog (catalog_id, {', '.join(_WRITTEN)}, {BEGIN})"
        f" VALUES (:c, {', '.join(f':{name}' for name in _WRITTEN)}, :s)",
        c=catalog,
        s=snapshot,
        **{name: getattr(row, name) for name in _WRITTEN} | {"begin_time": time},
    )


_PURGED = (
    "ducklake_snapshot",
    "ducklake_snapshot_changes",
    "ducklake_snapshot_lineage",
    "ducklake_segment",
    "ducklake_metadata",
    "ducklake_snapshot_tag",
    "ducklake_lifetime",
    "ducklake_quota",
    "ducklake_catalog_label",
    "ducklake_head",
)


def purge(session: Session, purged: Sequence[CatalogId]) -> None:
    """Delete the snapshots, ancestry, options and heads of catalogs.

    Commit keys, tags, lifetimes, quotas and labels go as well. Their own rows and their names stay, and what others
    must know of what they contained.
    """
    named = merges.ones_in_others(session, purged)
    if named:
        merges.remember_chains(session, named)
    merges.forget_merges(session, sorted({*purged} - {*named}))
    for table in _PURGED:
        session.execute(f"DELETE FROM forklake.{table} WHERE catalog_id IN (:ids...)", ids=list(purged))
