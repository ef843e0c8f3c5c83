"""Tells which files and directories clean-up does not touch, whatever rows say.

docs/spec/garbage.md has the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from os.path import dirname

from forklake import files
from forklake.catalog.paths import is_written_out, part_below, stored_ancestors
from forklake.catalog.places import catalog_directories
from forklake.metastore.queries.catalogs import catalogs_at
from forklake.metastore.queries.named_files import named_paths
from forklake.metastore.source import Source
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId
from forklake.model.names import fold


def stray_files(
    source: Store | Session, lake_path: str | None, catalog: CatalogId, directory: str, paths: Sequence[str]
) -> dict[str, str]:
    """Return those files that a catalog may not have deleted, each with the reason.

    They do not lie below its directory, as text or because of a link, or lie in that of another catalog, too.
    """
    strays: dict[str, str] = {}
    if paths and (reason := foreign_directory(source, lake_path, catalog, directory)) is not None:
        return dict.fromkeys(paths, reason)
    for path in paths:
        if part_below(directory, path) is None:
            strays[path] = f'it does not lie in the directory of its catalog, "{directory}"'
    own = [path for path in paths if path not in strays]
    places = {fold(place) for path in own for place in stored_ancestors(lake_path or "", dirname(path))}
    others = _others_at(source, lake_path, catalog, places)
    for path in own:
        other = next((other for other in others if part_below(other, path) is not None), None)
        if other is not None:
            strays[path] = f'it lies in the directory of another catalog, "{other}"'
    return strays | files.stored_files.linked_files([path for path in own if path not in strays], directory)


def foreign_directory(source: Store | Session, lake_path: str | None, catalog: CatalogId, directory: str) -> str | None:
    """Return why a directory is not a catalog's own; None if it is.

    forklake makes no such directory, but a program that writes the tables may.
    """
    base = lake_path or ""
    if not is_written_out(directory):
        return f'the directory of its catalog, "{directory}", is not an absolute path without ".."'
    if directory != base and base.startswith(directory):
        return f'the directory of its catalog, "{directory}", contains the data path of the lake'
    others = _others_at(source, lake_path, catalog, {fold(place) for place in stored_ancestors(base, directory)})
    other = next((other for other in others if fold(directory).startswith(fold(other))), None)
    return None if other is None else f'the directory of its catalog, "{directory}", is that of another, "{other}"'


def named_among(source: Source, catalog: CatalogId, directory: str, paths: Sequence[str]) -> set[str]:
    """Return those files in a catalog's directory that a row of any catalog names.

    The row may spell the scheme in another way. The caller holds the lock of the catalog.
    """
    spellings = {path: _spellings(directory, path) for path in paths}
    every = sorted({one for spelled in spellings.values() for one in spelled})
    named = named_paths(source, catalog, directory, every)
    return {path for path, spelled in spellings.items() if not named.isdisjoint(spelled)}


def _spellings(directory: str, path: str) -> set[str]:
    spelled = {path} if files.storage.is_local(path) else {path, *files.storage.url_spellings(path)}
    below = part_below(directory, path)
    return spelled if below is None else {*spelled, directory + below}


def _others_at(source: Store | Session, lake_path: str | None, catalog: CatalogId, places: set[str]) -> list[str]:
    """Return the directories of other catalogs at some folded stored paths."""
    holders = catalogs_at(source, sorted(places)) - {catalog} if places else set()
    return sorted(catalog_directories(source, lake_path, holders).values())
