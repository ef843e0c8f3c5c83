"""Listing catalogs, all or page by page."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from forklake.catalog.moments import Moment, read_moment
from forklake.catalog.names import MAX_NAME_LENGTH, check_text
from forklake.catalog.paths import join
from forklake.catalog.versions import dropped
from forklake.errors import InvalidInputError
from forklake.metastore import visibility
from forklake.metastore.store import Store, Values
from forklake.metastore.visibility import Source
from forklake.model.ids import INFINITY, CatalogId, SnapshotId
from forklake.model.names import fold
from forklake.model.records import CatalogInfo

MAX_PAGE: Final = 10_000
_PAGE: Final = 1000
_LAST_NAME: Final = "\U0010ffff" * (MAX_NAME_LENGTH + 1)


def list_catalogs(
    store: Store,
    lake_path: str | None,
    *,
    prefix: str = "",
    after: str | None = None,
    limit: int | None = None,
    at: Moment | None = None,
) -> list[CatalogInfo]:
    """Return catalogs by name: those that live now, or lived at a snapshot or a time; all, or a page of them.

    ``after`` is the last name of the page before. A page costs the same however many catalogs there are. Without a
    limit, all are read from one state of the database.

    Raises:
        InvalidInputError: The limit, or the moment, makes no sense.
    """
    check_text("prefix", prefix)
    check_text("name to go on after", after)
    moment = None if at is None else check_moment(at)
    if limit is not None:
        return [catalog_info(store, lake_path, row) for row in _page(store, prefix, after, check_limit(limit), moment)]
    found: list[CatalogInfo] = []
    with store.reading() as session:
        while page := _page(session, prefix, found[-1].name if found else after, _PAGE, moment):
            found += [catalog_info(store, lake_path, row) for row in page]
            if len(page) < _PAGE:
                break
    return found


def _page(source: Source, prefix: str, after: str | None, limit: int, at: SnapshotId | datetime | None) -> list[Values]:
    condition, params = "fold(k.catalog_name) > :after", {"after": fold(after or "")}
    if prefix:
        condition += " AND fold(k.catalog_name) >= :first AND fold(k.catalog_name) < :last"
        params |= {"first": fold(prefix), "last": fold(prefix) + _LAST_NAME}
    return visibility.catalog_rows(
        source,
        at,
        # A number that the planner sees: for an unknown one it plans to read a tenth of the table.
        f"{condition} ORDER BY fold(k.catalog_name), k.end_snapshot LIMIT {limit}",
        **params,
    )


def catalog_by_id(store: Store, lake_path: str | None, catalog: CatalogId) -> CatalogInfo:
    """Return a live catalog as a list shows it.

    Raises:
        NotFoundError: It was dropped, or never was.
    """
    found = visibility.catalog_rows(store, None, "k.catalog_id = :c", c=catalog)
    if not found:
        raise dropped(catalog)
    return catalog_info(store, lake_path, found[0])


def check_limit(limit: int) -> int:
    """Return how many things a page may show.

    Raises:
        InvalidInputError: It is no number, or not a sensible one.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise InvalidInputError(f"The limit of a page must be between 1 and {MAX_PAGE}, not {limit!r}.")
    return limit


def check_moment(at: Moment) -> SnapshotId | datetime:
    """Return a snapshot id of any catalog, or a time.

    Raises:
        InvalidInputError: It is neither.
    """
    moment = read_moment(at)
    if not isinstance(moment, datetime) and not 0 <= moment < INFINITY:
        raise InvalidInputError(f"A moment is a snapshot id or a time, not {at!r}.")
    return moment


def catalog_info(store: Store, lake_path: str | None, row: Values) -> CatalogInfo:
    """Name the values of a catalog row."""
    catalog, name, uuid, parent, pin, snapshot, begin_time, path, is_relative, end = row
    return CatalogInfo(
        catalog_id=catalog,
        name=str(name),
        uuid=str(uuid),
        parent_id=parent,
        parent_snapshot_id=pin,
        snapshot_id=snapshot,
        begin_time=store.time(begin_time),
        data_path=join((lake_path or "", False), (str(path), bool(is_relative))),
        is_live=end == INFINITY,
    )
