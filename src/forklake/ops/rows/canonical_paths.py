"""Gives each file the one path by which the lake knows it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from forklake.catalog.paths import stored_ancestors
from forklake.catalog.places import catalog_directories
from forklake.files.access import storage
from forklake.metastore.queries.catalogs import catalogs_at
from forklake.model.names import fold
from forklake.ops.lakes.runtime import Runtime


def settle_paths(runtime: Runtime, paths: Sequence[str]) -> list[str]:
    """Return files by one path each, in order and without duplicates.

    Links are followed, but below the lake's base path or a catalog's directory a path begins as that is spelled: by
    text alone clean-up tells whose files they are. So ``s3a://`` becomes ``s3://`` where a catalog is called so.
    """
    whole = [_without_link(path) for path in paths]
    base = runtime.lake_path or ""
    spelled = {directory: _spellings(directory, base) for directory in {os.path.dirname(path) for path in whole}}
    every = {one for spellings in spelled.values() for one in spellings}
    places = {fold(place) for one in every for place in stored_ancestors(base, one)}
    holders = catalogs_at(runtime.store, sorted(places)) if places else set()
    held = tuple(catalog_directories(runtime.store, base, holders).values())
    settled = {
        directory: next((one for one in spellings if held and f"{one}/".startswith(held)), spellings[0])
        for directory, spellings in spelled.items()
    }
    return list(dict.fromkeys(f"{settled[os.path.dirname(path)]}/{os.path.basename(path)}" for path in whole))


def _without_link(path: str) -> str:
    if not storage.is_local(path):
        return path
    place = os.path.abspath(storage.local_path(path))
    return os.path.realpath(place) if os.path.islink(place) else place


def _spellings(directory: str, base: str) -> list[str]:
    """Return the texts that may stand for a directory, the preferred one first."""
    if not storage.is_local(directory):
        return storage.url_spellings(directory)
    real, found = os.path.realpath(directory), [directory]
    real_base = os.path.join(os.path.realpath(base), "") if base and storage.is_local(base) else None
    if real_base is not None and os.path.join(real, "").startswith(real_base):
        found.insert(0, (base + os.path.join(real, "").removeprefix(real_base)).rstrip("/"))
    else:
        found.insert(0, real)
    return found
