"""Lists catalogs, all or page by page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from forklake.catalog.moments import Moment, TagName, read_moment
from forklake.catalog.names import MAX_NAME_LENGTH, check_text
from forklake.catalog.paths import join
from forklake.catalog.versions import catalog_dropped_error
from forklake.errors import InvalidInputError
from forklake.metastore.queries import catalogs
from forklake.metastore.queries.catalogs import ListedCatalog, ListedDrop
from forklake.metastore.source import Source
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.names import fold
from forklake.model.records import CatalogInfo, DroppedCatalog
from forklake.ops.catalogs.catalog_terms import read_labels
from forklake.ops.lakes.runtime import Runtime

MAX_PAGE: Final = 10_000
_PAGE: Final = 1000
_LAST_NAME: Final = "\U0010ffff" * (MAX_NAME_LENGTH + 1)


def list_catalogs(
    runtime: Runtime,
    *,
    prefix: str = "",
    after: str | None = None,
    limit: int | None = None,
    at: Moment | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[CatalogInfo]:
    """Return catalogs by name, now or at a moment: all, or a page of them.

    ``after`` is the last name of the page before. A page costs the same however many catalogs there are. Without
    a limit, all are read from one state of the database. With ``labels``, only those that have all of them.

    Raises:
        InvalidInputError: The limit, or the moment, makes no sense.
    """
    store, lake_path = runtime.store, runtime.lake_path
    check_text("prefix", prefix)
    check_text("name to go on after", after)
    moment = None if at is None else check_moment(at)
    wanted = read_labels(labels)
    if limit is not None:
        page = _page(store, prefix, after, check_limit(limit), moment, wanted)
        return [catalog_info(lake_path, row) for row in page]
    found: list[CatalogInfo] = []
    with store.reading() as session:
        while page := _page(session, prefix, found[-1].name if found else after, _PAGE, moment, wanted):
            found += [catalog_info(lake_path, row) for row in page]
            if len(page) < _PAGE:
                break
    return found


def main_catalog(runtime: Runtime) -> CatalogInfo | None:
    """Return the catalog that is meant where none is named.

    It is the only root, whatever forks there are, or without a root the only catalog; else None.
    """
    with runtime.store.reading() as session:
        found = catalogs.forks_of(session, None, 2) or _page(session, "", None, 2, None, {})
    return catalog_info(runtime.lake_path, found[0]) if len(found) == 1 else None


def list_dropped(runtime: Runtime, *, prefix: str = "", limit: int | None = None) -> list[DroppedCatalog]:
    """Return dropped catalogs that can be brought back, by id: all, or the first.

    Raises:
        InvalidInputError: The prefix is no text, or the limit no number.
    """
    check_text("prefix", prefix)
    left = INFINITY if limit is None else check_limit(limit)
    between = names_between(prefix)
    found: list[DroppedCatalog] = []
    with runtime.store.reading() as session:
        while left > 0:
            after = found[-1].catalog_id if found else -1
            page = catalogs.dropped_after(session, after, min(left, _PAGE), between)
            found += [_dropped_catalog(runtime.lake_path, row) for row in page]
            left = left - len(page) if len(page) == _PAGE else 0
    return found


def _dropped_catalog(lake_path: str | None, found: ListedDrop) -> DroppedCatalog:
    return DroppedCatalog(
        catalog_id=found.catalog_id,
        name=found.name,
        uuid=found.uuid,
        parent_id=found.parent_id,
        parent_snapshot_id=found.parent_snapshot_id,
        snapshot_id=found.snapshot_id,
        dropped_at=found.dropped_at,
        data_path=join((lake_path or "", False), (found.path, found.path_is_relative)),
        author=found.author,
        message=found.message,
    )


def catalog_titles(runtime: Runtime, ids: Iterable[CatalogId | None]) -> dict[CatalogId | None, str]:
    """Return the names of catalogs for people to read; those of dropped ones say so."""
    known = catalogs.last_names(runtime.store, {catalog for catalog in ids if catalog is not None})
    return {catalog: name if is_live else f"{name} (dropped)" for catalog, (name, is_live) in known.items()}


def _page(
    source: Source,
    prefix: str,
    after: str | None,
    limit: int,
    at: SnapshotId | datetime | None,
    labels: Mapping[str, str],
) -> list[ListedCatalog]:
    return catalogs.catalogs_after(source, fold(after or ""), limit, at, names_between(prefix), labels)


def names_between(prefix: str) -> tuple[str, str] | None:
    """Return the range of folded names that begin with a text; None if it is empty."""
    return (fold(prefix), fold(prefix) + _LAST_NAME) if prefix else None


def catalog_by_id(runtime: Runtime, catalog: CatalogId) -> CatalogInfo:
    """Return the list entry of a live catalog.

    Raises:
        NotFoundError: It was dropped, or never existed.
    """
    found = catalogs.catalog_by_id(runtime.store, catalog)
    if found is None:
        raise catalog_dropped_error(runtime.store, catalog)
    return catalog_info(runtime.lake_path, found)


def list_forks(runtime: Runtime, parent: CatalogId) -> list[CatalogInfo]:
    """Return the live forks of a catalog by id, without their own forks."""
    return [catalog_info(runtime.lake_path, row) for row in catalogs.forks_of(runtime.store, parent, INFINITY)]


def parent_of(runtime: Runtime, catalog: CatalogId) -> CatalogInfo | None:
    """Return the catalog from which one was forked.

    It is None if there is none, or if it was dropped since.

    Raises:
        NotFoundError: The catalog itself was dropped.
    """
    parent = catalog_by_id(runtime, catalog).parent_id
    found = None if parent is None else catalogs.catalog_by_id(runtime.store, parent)
    return None if found is None else catalog_info(runtime.lake_path, found)


def check_limit(limit: int) -> int:
    """Return the number of entries on a page, if it is valid.

    Raises:
        InvalidInputError: It is no number, or not a sensible one.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise InvalidInputError(f"The limit of a page must be between 1 and {MAX_PAGE}, not {limit!r}.")
    return limit


def check_moment(at: Moment) -> SnapshotId | datetime:
    """Return a snapshot id of any catalog, or a time, if it is valid.

    Raises:
        InvalidInputError: It is neither.
    """
    moment = read_moment(at)
    if isinstance(moment, TagName):
        raise InvalidInputError(
            f"{moment.unread or f'No moment is named {moment.name!r}'}; a tag is one of a catalog's, not of the lake."
        )
    if not isinstance(moment, datetime) and not 0 <= moment < INFINITY:
        raise InvalidInputError(f"A moment is a snapshot id or a time, not {at!r}.")
    return moment


def catalog_info(lake_path: str | None, found: ListedCatalog) -> CatalogInfo:
    """Return a catalog as users see it, with its directory."""
    return CatalogInfo(
        catalog_id=found.catalog_id,
        name=found.name,
        uuid=found.uuid,
        parent_id=found.parent_id,
        parent_snapshot_id=found.parent_snapshot_id,
        snapshot_id=found.snapshot_id,
        begin_time=found.begin_time,
        data_path=join((lake_path or "", False), (found.path, found.path_is_relative)),
        is_live=found.is_live,
        since_snapshot=found.since_snapshot,
        end_snapshot=found.end_snapshot,
    )
