"""Renaming, dropping, undropping and purging catalogs: what changes the list of catalogs, not their content."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from forklake.catalog import versions
from forklake.catalog.names import check_name
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore import procedures
from forklake.metastore.queries import catalogs, heads
from forklake.metastore.queries.catalogs import CatalogRow
from forklake.metastore.store import DuplicateKeyError, Session, Store
from forklake.model.hint import NameById
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.ops.create_catalog import already_exists


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
            row = catalogs.newest_row(session, catalog)
            if row.catalog_name == name:
                return
            snapshot, time = _end_row(session, catalog, row)
            procedures.check_name_is_free(session, name)
            catalogs.begin_row(session, catalog, replace(row, catalog_name=name), snapshot, time)
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
        heads.write_live(session, catalog, live=False)
        _end_row(session, catalog, catalogs.newest_row(session, catalog))


def undrop_catalog(store: Store, catalog: CatalogId) -> None:
    """Bring a dropped catalog back as it was.

    Raises:
        AlreadyExistsError: A live catalog has its name.
        NotFoundError: The catalog is live, purged, or never was.
    """
    name = str(catalog)
    try:
        with store.writing() as session:
            _lock_head(session, catalog, live=False)
            row = catalogs.newest_row(session, catalog)
            name = row.catalog_name
            procedures.check_name_is_free(session, name)
            heads.write_live(session, catalog, live=True)
            snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
            catalogs.begin_row(session, catalog, row, snapshot, max(session.now(), row.end_time or row.begin_time))
    except DuplicateKeyError as error:
        raise already_exists(name) from error


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
        catalogs.purge(session, catalog)


def dropped_catalog(store: Store, name_or_id: str | int) -> CatalogId:
    """Return the dropped, unpurged catalog of that name or id.

    Raises:
        NotFoundError: There is none.
        InvalidInputError: Several were dropped under the name.
    """
    if not isinstance(name_or_id, int):
        check_name("catalog", name_or_id)
        found = catalogs.dropped_by_name(store, name_or_id)
    else:
        found = catalogs.dropped_by_id(store, name_or_id) if 0 <= name_or_id < INFINITY else []
    if not found:
        raise NotFoundError(
            f'No dropped catalog "{name_or_id}" exists; nothing was done.',
            hint="A live catalog is dropped first; a purged one is gone.",
        )
    if len(found) > 1:
        ids = ", ".join(str(catalog) for catalog in found)
        raise InvalidInputError(
            f'{len(found)} catalogs were dropped under the name "{name_or_id}": {ids}; nothing was done.',
            hint=NameById(found[0]),
        )
    return found[0]


def _lock_head(session: Session, catalog: CatalogId, *, live: bool) -> None:
    """Take the lock that commits, drop and undrop of a catalog share, and check what it is."""
    if heads.lock_head(session, catalog, live=live):
        return
    if live:
        raise versions.dropped(catalog)
    raise NotFoundError(f"The catalog with id {catalog} is not a dropped one; nothing was done.")


def _end_row(session: Session, catalog: CatalogId, row: CatalogRow) -> tuple[SnapshotId, datetime]:
    """End the live row of a catalog, and return the snapshot id and the time at which it ends."""
    snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
    time = max(session.now(), row.begin_time)
    catalogs.end_row(session, catalog, snapshot, time)
    return snapshot, time
