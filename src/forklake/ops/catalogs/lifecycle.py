"""Renames, drops and undrops catalogs.

These operations change the list of catalogs, not their content.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from forklake.catalog import versions
from forklake.catalog.names import check_name, check_new_catalog
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore import limits, new_catalogs
from forklake.metastore.queries import catalogs, heads, lifetimes
from forklake.metastore.queries.catalogs import CatalogRow
from forklake.metastore.store import DuplicateKeyError, Session, Store
from forklake.model.hint import NameById
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.lives import NewLifetime
from forklake.model.records import UNSAID, CommitInfo
from forklake.ops.catalogs.create_catalog import already_exists_error, refuse_taken_name
from forklake.ops.catalogs.log_deed import log_deed


def rename_catalog(store: Store, catalog: CatalogId, name: str, info: CommitInfo = UNSAID) -> None:
    """Rename a live catalog.

    Its directory, its forks and all handles on it stay as they are.

    Raises:
        AlreadyExistsError: Another live catalog has the name.
        NotFoundError: The catalog was dropped.
    """
    check_new_catalog(name)
    with refuse_taken_name(store, name), store.writing() as session:
        _lock_head(session, catalog, live=True)
        row = catalogs.newest_row(session, catalog)
        if row.catalog_name == name:
            return
        snapshot, time = _end_row(session, catalog, row, info)
        new_catalogs.check_name_is_free(session, name)
        catalogs.begin_row(session, catalog, replace(row, catalog_name=name), snapshot, time)
    log_deed(store, f"renamed from {row.catalog_name!r}", catalog, info=info)


def drop_catalog(store: Store, catalog: CatalogId, info: CommitInfo = UNSAID) -> None:
    """Drop a catalog: it can no longer be opened or committed to.

    Nothing of it is deleted. Its forks keep working, and `undrop_catalog` restores it until it is purged.

    Raises:
        NotFoundError: It was dropped already.
    """
    with store.writing() as session:
        _lock_head(session, catalog, live=True)
        heads.write_live(session, catalog, live=False)
        _end_row(session, catalog, catalogs.newest_row(session, catalog), info)
    log_deed(store, "dropped", catalog, info=info)


def undrop_catalog(
    store: Store, catalog: CatalogId, lifetime: NewLifetime | None = None, info: CommitInfo = UNSAID
) -> str:
    """Restore a dropped catalog as it was, and return its name.

    It gets the lifetime that is given. If none is, one that has passed is forgotten: the catalog lives until it is
    dropped or given another. Quotas do not refuse it; what is over them refuses the next commit or fork.

    Raises:
        AlreadyExistsError: A live catalog has its name.
        NotFoundError: The catalog is live, purged, or never existed.
    """
    name = str(catalog)
    try:
        with store.writing() as session:
            _lock_head(session, catalog, live=False)
            row = catalogs.newest_row(session, catalog)
            name = row.catalog_name
            new_catalogs.check_name_is_free(session, name)
            heads.write_live(session, catalog, live=True)
            snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
            catalogs.begin_row(session, catalog, row, snapshot, max(session.now(), row.end_time or row.begin_time))
            if lifetime is not None:
                lifetimes.move_end(session, catalog, lifetime)
            elif limits.is_lapsed(session, catalog):
                lifetimes.forget_lifetimes(session, [catalog])
            store.step("undrop: before the end")
    except DuplicateKeyError as error:
        raise already_exists_error(name) from error
    log_deed(store, "brought back", catalog, info=info)
    return name


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
    """Take the lock that commits, drop and undrop of a catalog share.

    Also check that the catalog is live, or dropped, as required.
    """
    if heads.lock_head(session, catalog, live=live):
        return
    if live:
        raise versions.catalog_dropped_error(session, catalog)
    raise NotFoundError(f"The catalog with id {catalog} is not a dropped one; nothing was done.")


def _end_row(session: Session, catalog: CatalogId, row: CatalogRow, info: CommitInfo) -> tuple[SnapshotId, datetime]:
    """End the live row of a catalog; return the snapshot id and time of its end."""
    snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
    time = max(session.now(), row.begin_time)
    catalogs.end_row(session, catalog, snapshot, time, info)
    return snapshot, time
