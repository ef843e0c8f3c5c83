"""Gives a lake, or a catalog, another base path. Files are not moved.

docs/spec/paths.md has the rules.
"""

from __future__ import annotations

import logging
import os
from typing import Final

from forklake.catalog import paths
from forklake.catalog.versions import head_by_name
from forklake.config import Settings
from forklake.errors import InvalidPathError, MetastoreUnavailableError, NotFoundError
from forklake.metastore import new_catalogs
from forklake.metastore.location import open_store
from forklake.metastore.queries import catalogs, leases, moved_paths
from forklake.metastore.queries import option_rows as options
from forklake.metastore.queries.catalogs import CatalogRow
from forklake.metastore.store import Session, Store
from forklake.model.hint import SetDataPath
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.overview import Relocation
from forklake.model.placement import Placement
from forklake.ops.lakes.lake_exists import lake_exists

_LOOKED_AT: Final = 100
"""So many catalogs tell whether a directory is that of the lake."""

_LOG: Final = logging.getLogger("forklake.maintenance")


def relocate(
    url: str,
    data_path: str | os.PathLike[str],
    *,
    catalog: str | None = None,
    dry_run: bool = False,
    settings: Settings | None = None,
) -> Relocation:
    """Give a lake, or one catalog of it, another base path, all or nothing.

    Whoever moved the files calls this afterwards: only stored paths change. The base path that a lake has confirms
    that its metadata is where it belongs, see `forklake.ops.lakes.metadata_home`.

    Raises:
        NotFoundError: There is no such file, or no such catalog.
        InvalidPathError: The lake has no data path, the files are not there, or directories would overlap.
        MetastoreUnavailableError: A writer is at work.
    """
    if not lake_exists(url):
        raise NotFoundError(f'There is no lake at "{url}"; nothing was moved.')
    store = open_store(url, settings or Settings())
    try:
        new = paths.normalise_base(data_path)
        if catalog is None:
            return relocate_lake(store, new, dry_run=dry_run)
        return _relocate_catalog(store, catalog, new, dry_run=dry_run)
    finally:
        store.close()


def relocate_lake(store: Store, new: str, *, dry_run: bool = False) -> Relocation:
    """Give the lake of an open store another base path, in its stored form."""
    home = options.OptionRow(options.HOME, store.home(), "", -1)
    with store.reading() if dry_run else store.writing() as session:
        old = _begin(session, None, dry_run=dry_run)
        if new != old:
            if moved_paths.meets_catalog(session, new):
                raise InvalidPathError(
                    f'The lake was not moved to "{new}": the directory of a catalog with a data path of its own lies'
                    " there, or around it.",
                    hint="Directories of catalogs never overlap; choose another data path.",
                )
            _check_files(session, None, new)
        if dry_run:
            return Relocation(old, new, moved_paths.count_named(session, old) if new != old else {}, is_done=False)
        moved = {}
        if new != old:
            moved = moved_paths.move_named(session, old, new)
            moved_paths.move_base_paths(session, old, new)
            options.write_option(session, THE_LAKE, options.OptionRow("data_path", new, "", -1))
        options.write_option(session, THE_LAKE, home)
    _LOG.info("The lake has another base path; %d rows were changed", sum(moved.values()))
    return Relocation(old, new, moved, is_done=True)


def _relocate_catalog(store: Store, name: str, new: str, *, dry_run: bool) -> Relocation:
    catalog = head_by_name(store, name).version.catalog_id
    with store.reading() if dry_run else store.writing() as session:
        lake_path = _begin(session, catalog, dry_run=dry_run)
        row = catalogs.newest_row(session, catalog)
        old = paths.join((lake_path, False), (row.path, row.path_is_relative))
        own = old.removeprefix(row.data_path or lake_path)
        placement = paths.place(lake_path, new, at_base=not own)
        stored = placement.prefix + own
        target = paths.join((lake_path, False), (stored, placement.is_relative))
        if target != old:
            _check_place(session, lake_path, name, row, placement, own)
            _check_files(session, catalog, target)
        if dry_run:
            return Relocation(
                old, target, moved_paths.count_named(session, old) if target != old else {}, is_done=False
            )
        moved = moved_paths.move_named(session, old, target) if target != old else {}
        moved_paths.move_catalog(session, catalog, placement.data_path, stored, is_relative=placement.is_relative)
    _LOG.info("Catalog %d has another base path; %d rows were changed", catalog, sum(moved.values()))
    return Relocation(old, target, moved, is_done=True)


def _begin(session: Session, catalog: CatalogId | None, *, dry_run: bool) -> str:
    """Lock out writers, and return the base path of the lake."""
    if not dry_run:
        session.lock_alone(THE_LAKE)
        session.lock_writers()
    if leases.count_running(session, catalog):
        raise MetastoreUnavailableError(
            "The data path was not changed: a writer is at work, whose files go to the old one.",
            hint="Stop writers, or wait until their leases have ended.",
        )
    found = options.lake_data_path(session)
    if found is None:
        raise InvalidPathError("The lake has no data path yet; nothing was moved.", hint=SetDataPath())
    return found


def _check_place(session: Session, lake_path: str, name: str, row: CatalogRow, placement: Placement, own: str) -> None:
    """Refuse a place where the directory would overlap another catalog's."""
    paths.check_not_around(lake_path, placement, own)
    is_taken = new_catalogs.overlaps(session, placement)
    if is_taken or (own and new_catalogs.lies_at_or_below(session, placement.prefix + own)):
        raise InvalidPathError(
            f'Catalog "{name}" was not moved: its directory would lie in, or contain, that of a catalog.',
            hint=f'It is in "{row.data_path or lake_path}" now; choose another data path.',
        )


def _check_files(session: Session, catalog: CatalogId | None, place: str) -> None:
    """Refuse a local place where files must be and are not.

    It is not there, or has no directory of a catalog.
    """
    if "://" in place or not moved_paths.has_files(session, catalog):
        return
    if not os.path.isdir(place):
        raise InvalidPathError(
            f'There is no directory "{place}"; nothing was changed.', hint="Move or copy the files first."
        )
    expected = moved_paths.directories_with_files(session, _LOOKED_AT) if catalog is None else []
    if expected and not any(os.path.isdir(place + directory) for directory in expected):
        raise InvalidPathError(
            f'"{place}" has no directory of a catalog, such as "{expected[0]}"; nothing was changed.',
            hint="Name the directory that the directories of the catalogs were moved into.",
        )
