"""Renaming, dropping, undropping and purging catalogs: what changes the list of catalogs, not their content."""

from __future__ import annotations

from typing import Any

from forklake.catalog import versions
from forklake.catalog.names import check_name
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore import procedures
from forklake.metastore.store import DuplicateKeyError, Session, Store
from forklake.metastore.tables import BEGIN, END
from forklake.model.hint import NameById
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.ops.create_catalog import already_exists

_PURGED = (
    "ducklake_snapshot",
    "ducklake_snapshot_changes",
    "ducklake_snapshot_lineage",
    "ducklake_segment",
    "ducklake_metadata",
    "ducklake_head",
)


def rename_catalog(store: Store, catalog: CatalogId, name: str) -> None:
    """Give a live catalog another name; its directory, its forks and all handles on it stay as they are.

    Raises:
        AlreadyExistsError: Another live catalog has the name.
        NotFoundError: The catalog was dropped.
    """
    check_name("catalog", name)
    try:
        with store.writing() as session:
            _lock_head(session, catalog, live=True)
            row = _last_row(session, catalog)
            if row["catalog_name"] == name:
                return
            _end_row(session, catalog, row)
            procedures.check_name_is_free(session, name)
            _begin_row(session, catalog, row | {"catalog_name": name})
    except DuplicateKeyError as error:
        raise already_exists(name) from error


def drop_catalog(store: Store, catalog: CatalogId) -> None:
    """Drop a catalog: nobody can open it or commit to it, and nothing of it is deleted.

    Its forks keep working, and `undrop_catalog` brings it back until it is purged.

    Raises:
        NotFoundError: It was dropped already.
    """
    with store.writing() as session:
        _lock_head(session, catalog, live=True)
        session.execute("UPDATE forklake.ducklake_head SET live = :no WHERE catalog_id = :c", no=False, c=catalog)
        _end_row(session, catalog, _last_row(session, catalog))


def undrop_catalog(store: Store, catalog: CatalogId) -> None:
    """Bring a dropped catalog back as it was.

    Raises:
        AlreadyExistsError: A live catalog has its name.
        NotFoundError: The catalog is live, purged, or never was.
    """
    row: dict[str, Any] = {"catalog_name": str(catalog)}
    try:
        with store.writing() as session:
            _lock_head(session, catalog, live=False)
            row = _last_row(session, catalog)
            procedures.check_name_is_free(session, row["catalog_name"])
            session.execute("UPDATE forklake.ducklake_head SET live = :yes WHERE catalog_id = :c", yes=True, c=catalog)
            _begin_row(session, catalog, row)
    except DuplicateKeyError as error:
        raise already_exists(row["catalog_name"]) from error


def purge(store: Store, catalog: CatalogId) -> None:
    """Give up what a dropped catalog sees: its snapshots, ancestry, options and commit keys go for good.

    Its catalog row stays, so that its directory is never given to another. Rows and files that forks still
    need stay until nothing needs them.

    Raises:
        NotFoundError: The catalog is not dropped, was purged already, or never was.
    """
    with store.writing() as session:
        session.lock_alone(catalog)
        _lock_head(session, catalog, live=False)
        for table in _PURGED:
            session.execute(f"DELETE FROM forklake.{table} WHERE catalog_id = :c", c=catalog)


def dropped_catalog(store: Store, name_or_id: str | int) -> CatalogId:
    """Return the dropped, unpurged catalog of that name or id.

    Raises:
        NotFoundError: There is none.
        InvalidInputError: Several were dropped under the name.
    """
    if not isinstance(name_or_id, int):
        check_name("catalog", name_or_id)
    condition = "k.catalog_id = :which" if isinstance(name_or_id, int) else "fold(k.catalog_name) = fold(:which)"
    is_possible = not isinstance(name_or_id, int) or 0 <= name_or_id < 2**63
    found = (
        []
        if not is_possible
        else store.query(
            "SELECT k.catalog_id FROM forklake.ducklake_catalog k"
            " JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
            f" WHERE {condition} AND NOT h.live AND k.end_snapshot ="
            " (SELECT max(l.end_snapshot) FROM forklake.ducklake_catalog l WHERE l.catalog_id = k.catalog_id)"
            " ORDER BY k.catalog_id",
            which=name_or_id,
        )
    )
    if not found:
        raise NotFoundError(
            f'No dropped catalog "{name_or_id}" exists; nothing was done.',
            hint="A live catalog is dropped first; a purged one is gone.",
        )
    if len(found) > 1:
        ids = ", ".join(str(catalog) for (catalog,) in found)
        raise InvalidInputError(
            f'{len(found)} catalogs were dropped under the name "{name_or_id}": {ids}; nothing was done.',
            hint=NameById(found[0][0]),
        )
    return CatalogId(found[0][0])


def _lock_head(session: Session, catalog: CatalogId, *, live: bool) -> None:
    """Take the lock that commits, drop and undrop of a catalog share, and check what it is."""
    # Writing the row takes its lock; a commit in flight is waited for, and its successor sees what we do.
    changed = session.execute(
        "UPDATE forklake.ducklake_head SET live = live WHERE catalog_id = :c AND live = :live", c=catalog, live=live
    )
    if not changed:
        if live:
            raise versions.dropped(catalog)
        raise NotFoundError(f"The catalog with id {catalog} is not a dropped one; nothing was done.")


_COLUMNS = (
    "catalog_uuid",
    "catalog_name",
    "parent_catalog_id",
    "parent_snapshot_id",
    "data_path",
    "path",
    "path_is_relative",
    "begin_time",
)


def _last_row(session: Session, catalog: CatalogId) -> dict[str, Any]:
    columns = (*_COLUMNS, "end_time")
    found = session.query(
        f"SELECT {', '.join(columns)} FROM forklake.ducklake_catalog WHERE catalog_id = :c ORDER BY {END} DESC LIMIT 1",
        c=catalog,
    )
    return dict(zip(columns, found[0], strict=True))


def _end_row(session: Session, catalog: CatalogId, row: dict[str, Any]) -> None:
    row["event"] = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
    row["event_time"] = max(session.now(), session.time(row["begin_time"]))
    session.execute(
        f"UPDATE forklake.ducklake_catalog SET {END} = :event, end_time = :time"
        f" WHERE catalog_id = :c AND {END} = :live",
        event=row["event"],
        time=row["event_time"],
        c=catalog,
        live=INFINITY,
    )


def _begin_row(session: Session, catalog: CatalogId, row: dict[str, Any]) -> None:
    """Write the next row of a catalog: at the event that ended the one before it, or later if it was dropped."""
    event, begin_time = row.get("event"), row.get("event_time")
    if event is None:
        event = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
        begin_time = max(session.now(), session.time(row["end_time"]))
    session.execute(
        f"INSERT INTO forklake.ducklake_catalog (catalog_id, {', '.join(_COLUMNS)}, {BEGIN})"
        f" VALUES (:c, {', '.join(f':{name}' for name in _COLUMNS)}, :event)",
        c=catalog,
        event=event,
        **{name: row[name] for name in _COLUMNS} | {"begin_time": begin_time},
    )
