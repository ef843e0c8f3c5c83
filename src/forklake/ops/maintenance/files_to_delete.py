"""Tells which files clean-up may be about to delete.

Whoever names a file by absolute path, or by a name of his own, asks this first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forklake.catalog.places import catalog_directories
from forklake.metastore.queries.files import scheduled_among
from forklake.metastore.queries.named_files import named_paths
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId


def doomed_files(
    source: Store | Session, lake_path: str | None, catalogs: Iterable[CatalogId], paths: Sequence[str]
) -> list[str]:
    """Return which of some files wait for deletion and are named by no row.

    The caller holds the locks of the catalogs in whose directories they lie, or says that the names are new. A file
    that a row names was never judged free: only who was told that by this function, or copied such a row, could have
    named it since.
    """
    waiting = scheduled_among(source, catalogs, paths)
    if not waiting:
        return []
    named: set[str] = set()
    for catalog, directory in catalog_directories(source, lake_path, set(catalogs)).items():
        named |= named_paths(source, catalog, directory, [path for path in waiting if path.startswith(directory)])
    return [path for path in waiting if path not in named]
