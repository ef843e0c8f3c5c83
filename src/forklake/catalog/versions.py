"""Finds a version of a catalog in its lineage: its head, or by id, time or tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from forklake.catalog.moments import Moment, TagName, Time, read_moment, read_time
from forklake.catalog.names import check_name
from forklake.errors import (
    CatalogDroppedError,
    InvalidInputError,
    NotFoundError,
    SnapshotExpiredError,
    SnapshotNotFoundError,
)
from forklake.metastore.queries import catalogs, heads, tags
from forklake.metastore.queries import snapshots as stored
from forklake.metastore.store import Session, Store
from forklake.model.hint import ListCatalogs, ListSnapshots, ListTags, UndropCatalog
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.records import Snapshot
from forklake.model.version import Head, Version


def head_by_name(store: Store | Session, name: str) -> Head:
    """Return the live catalog of that name with its newest snapshot.

    This takes one statement.

    Raises:
        NotFoundError: No live catalog has the name.
    """
    check_name("catalog", name)
    found = heads.head_by_name(store, name)
    if found is None:
        raise NotFoundError(f'Catalog "{name}" does not exist.', hint=ListCatalogs())
    return found


def head_by_id(store: Store | Session, catalog: CatalogId) -> Head:
    """Return a live catalog with its newest snapshot, in one statement.

    Raises:
        NotFoundError: It was dropped, or never existed.
    """
    found = heads.head_by_id(store, catalog)
    if found is None:
        raise catalog_dropped_error(store, catalog)
    return found


def heads_by_ids(store: Store | Session, catalogs: Sequence[CatalogId]) -> list[Head]:
    """Return live catalogs with their newest snapshots, in one statement.

    They come in the order asked for.

    Raises:
        NotFoundError: One was dropped, or never existed.
    """
    found = {head.version.catalog_id: head for head in heads.heads_by_ids(store, sorted(set(catalogs)))}
    for catalog in catalogs:
        if catalog not in found:
            raise catalog_dropped_error(store, catalog)
    return [found[catalog] for catalog in catalogs]


def catalog_dropped_error(store: Store | Session, catalog: CatalogId) -> CatalogDroppedError:
    """Return the error for a handle whose catalog was dropped.

    It says how to restore the catalog, unless that was purged.
    """
    name = catalogs.last_name(store, catalog)
    title = f"The catalog with id {catalog}" if name is None else f'Catalog "{name}" (id {catalog})'
    if not catalogs.dropped_by_id(store, catalog) and name is not None:
        return CatalogDroppedError(f"{title} was purged; nothing was done.", catalog_id=catalog)
    return CatalogDroppedError(
        f"{title} was dropped; nothing was done.",
        catalog_id=catalog,
        hint=UndropCatalog(catalog),
    )


def version_at(store: Store | Session, head: Version, snapshot: int) -> Version:
    """Return the version of a snapshot in the lineage.

    It is one of the catalog's own, or of an ancestor up to the pin.

    Raises:
        SnapshotNotFoundError: It is none of those, or expired.
    """
    if isinstance(snapshot, bool) or not isinstance(snapshot, int):
        raise InvalidInputError(f"A snapshot is named by its id, a whole number, not by {snapshot!r}.")
    found = stored.snapshot_of_lineage(store, head, snapshot) if 0 <= snapshot < INFINITY else None
    if found is None:
        raise no_snapshot_error(snapshot)
    return _in_epoch(store, head, found)


def own_version(store: Store | Session, head: Version, snapshot: SnapshotId) -> Version:
    """Return the version of one of the catalog's own snapshots.

    It may have expired since.
    """
    own = heads.version_of(store, head.catalog_id, snapshot)
    return head.at(snapshot, head.schema_version, head.snapshot_time) if own is None else own


def _in_epoch(store: Store | Session, head: Version, found: stored.LineageSnapshot) -> Version:
    """Return the version of a snapshot, with the chain of its epoch."""
    if found.snapshot_id >= head.since or any(segment.versions_from < INFINITY for segment in head.segments[1:]):
        return head.at(found.snapshot_id, found.schema_version, found.time)  # the first epoch, or the same one
    own = heads.version_of(store, head.catalog_id, found.snapshot_id)
    if own is not None:
        return own
    first = (head.segments[0], *heads.first_epoch(store, head.catalog_id))
    at_first = replace(head, segments=first, since=SnapshotId(0), earlier=())
    return at_first.at(found.snapshot_id, found.schema_version, found.time)


def no_snapshot_error(snapshot: int) -> SnapshotNotFoundError:
    """Return the error for a snapshot that is not in the catalog's lineage."""
    return SnapshotNotFoundError(f"No snapshot found at version {snapshot}", hint=ListSnapshots())


def check_retained(store: Store | Session, version: Version) -> None:
    """Refuse what was read of a version if it is expired by now.

    The rows of a retained version are never removed, so what was read before this call is complete.

    Raises:
        SnapshotNotFoundError: It was expired, and its rows may be gone.
    """
    if not stored.is_retained(store, version.snapshot_id):
        raise expired_error(version)


def expired_error(version: Version) -> SnapshotExpiredError:
    """Return the error for a version that was expired while somebody read it."""
    return SnapshotExpiredError(
        f"No snapshot found at version {version.snapshot_id}: it was expired while it was in use.",
        hint="Begin again at a snapshot that is there.",
    )


def owner_of(store: Store | Session, version: Version) -> CatalogId:
    """Return the catalog of the lineage that made the snapshot of a version."""
    return stored.owner_of(store, version)


def version_at_time(store: Store | Session, head: Version, given: Time) -> Version:
    """Return the newest version of the lineage that was made at or before a time.

    Raises:
        InvalidInputError: It is no time.
        SnapshotNotFoundError: The catalog had none then, or it is expired.
    """
    time = read_time(given)
    found = stored.newest_until(store, head, time)
    if found is None:
        raise SnapshotNotFoundError(f"No snapshot found at timestamp {time.isoformat(sep=' ')}")
    return _in_epoch(store, head, found)


def version_at_tag(store: Store | Session, head: Version, tag: TagName) -> Version:
    """Return the version of the lineage that has a tag.

    Of several of that name, the nearest owner's counts.

    Raises:
        InvalidInputError: There is none, and the text may have been meant as a time.
        SnapshotNotFoundError: There is none, or its snapshot is no version of the catalog any more.
    """
    found = tags.tags_of_lineage(store, head, check_name("tag", tag.name))
    if found:
        return version_at(store, head, found[0].snapshot_id)
    if tag.unread is None:
        raise SnapshotNotFoundError(f'No snapshot found at tag "{tag.name}"', hint=ListTags())
    raise InvalidInputError(
        f"{tag.unread}, and the catalog has no such tag.",
        hint="A time is written as 2026-01-31 12:00:00 or 2026-01-31T12:00:00+01:00; without a zone it is UTC.",
    )


def version_of(store: Store | Session, head: Version, given: Moment) -> Version:
    """Return the version at a moment.

    That is `version_at` for a snapshot id, `version_at_time` for a time and `version_at_tag` for a tag.

    Raises:
        InvalidInputError: It is none of them.
        SnapshotNotFoundError: The catalog has no such version.
    """
    moment = read_moment(given)
    if isinstance(moment, TagName):
        return version_at_tag(store, head, moment)
    if isinstance(moment, datetime):
        return version_at_time(store, head, moment)
    return version_at(store, head, moment)


def first_snapshot(store: Store | Session, head: Version, given: Moment) -> SnapshotId:
    """Return the snapshot with an id or a tag, or the first one since a time.

    The snapshot is one of the lineage; one made at the time counts.

    Raises:
        InvalidInputError: It is none of these.
        SnapshotNotFoundError: There is none.
    """
    moment = read_moment(given)
    if isinstance(moment, TagName):
        return version_at_tag(store, head, moment).snapshot_id
    if not isinstance(moment, datetime):
        return version_at(store, head, moment).snapshot_id
    found = stored.first_since(store, head, moment)
    if found is None:
        raise SnapshotNotFoundError(f"No snapshot found at timestamp {moment.isoformat(sep=' ')}")
    return found.snapshot_id


def check_changes_known(store: Store | Session, last: Version, first: SnapshotId) -> None:
    """Check that what changed from one snapshot to another can be told.

    Every snapshot from the one before the first on has to be retained. What an expired one showed may be collected.

    Raises:
        SnapshotNotFoundError: One of them is expired.
    """
    expired = stored.newest_expired(store, last, first)
    if expired is not None:
        raise SnapshotNotFoundError(
            f"The changes from snapshot {first} to {last.snapshot_id} are not known any more: snapshot {expired} has"
            " expired.",
            hint="Start with the second snapshot after that one, or read the table as it is.",
        )


def first_known_change(store: Store | Session, head: Version) -> SnapshotId | None:
    """Return the first snapshot from which on all changes can be told.

    0 if none is expired; None if that is true of no snapshot yet: only the newest is retained.
    """
    expired = stored.newest_expired(store, head, SnapshotId(0))
    if expired is None:
        return SnapshotId(0)
    retained = [one.snapshot_id for one in stored.lineage(store, head) if one.snapshot_id > expired]
    return retained[1] if len(retained) > 1 else None


_PAGE = 1000


def snapshots(store: Store | Session, head: Version) -> list[Snapshot]:
    """Return the lineage of a catalog, oldest first.

    It has its own snapshots, and its ancestors' up to each pin.
    """
    return stored.lineage(store, head)


def lake_snapshots(store: Store, after: SnapshotId | None, limit: int | None) -> list[Snapshot]:
    """Return the snapshots of all catalogs by id, a page or all of them.

    All are read from one state of the database.
    """
    if limit is not None:
        return stored.snapshots_after(store, after, limit)
    found: list[Snapshot] = []
    with store.reading() as session:
        while page := stored.snapshots_after(session, found[-1].snapshot_id if found else after, _PAGE):
            found += page
            if len(page) < _PAGE:
                break
    return found


def creating_snapshot(store: Store, catalog: CatalogId) -> SnapshotId:
    """Return the snapshot that a catalog was created with.

    It is found even if it is expired since.

    Raises:
        NotFoundError: The catalog was purged, or never existed.
    """
    found = stored.first_own(store, catalog)
    if found is None:
        raise catalog_dropped_error(store, catalog)
    return found


def known_commit(store: Store, catalog: CatalogId, commit_key: str) -> SnapshotId | None:
    """Return the snapshot that a commit with this key made.

    It is found even if it is expired since.
    """
    return stored.known_commit(store, catalog, commit_key)


def version_by_name(store: Store, name: str, moment: SnapshotId | datetime | None) -> Version:
    """Return the catalog that had a name at a moment, at its newest own snapshot then.

    The catalog may be live or dropped since.

    Raises:
        NotFoundError: None had it.
    """
    check_name("catalog", name)
    found = catalogs.catalog_by_name(store, name, moment)
    if found is None:
        raise NotFoundError(f'Catalog "{name}" did not exist at {moment}.', hint=ListCatalogs(at=moment))
    version = heads.version_of(store, found.catalog_id, found.snapshot_id)
    if version is None:
        raise SnapshotNotFoundError(f"No snapshot found at version {found.snapshot_id}")
    return version
