"""Tells who sees a file: catalogs, snapshots and rows."""

from __future__ import annotations

from typing import Final

from forklake.catalog.paths import stored_ancestors
from forklake.catalog.places import catalog_directories
from forklake.errors import InvalidInputError
from forklake.metastore.garbage import FileView
from forklake.metastore.queries import catalogs
from forklake.metastore.queries.file_views import views_of_file, views_of_path
from forklake.metastore.store import Session
from forklake.model.clean_up import FileReference
from forklake.model.ids import INFINITY, CatalogId
from forklake.model.names import fold
from forklake.ops.lakes.runtime import Runtime

MAX_LIMIT: Final = 1_000_000


def file_references(runtime: Runtime, file: str | int, *, limit: int = 1000) -> list[FileReference]:
    """Return the rows that name a data file or delete file, and who sees each of them.

    A row that nobody sees any more, and that is not collected yet, is there once, without a catalog.

    Args:
        runtime: The lake.
        file: The absolute path of the file, or its id. To find an id, the rows of all catalogs are searched.
        limit: How many catalogs are told for each row, at most.

    Raises:
        InvalidInputError: The limit makes no sense, or it is neither a path nor an id.
    """
    if isinstance(file, bool) or not isinstance(file, str | int) or file == "":
        raise InvalidInputError(f"A file is named by its path or its id, not by {file!r}.")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInputError(f"The limit must be between 1 and {MAX_LIMIT}, not {limit!r}.")
    with runtime.store.reading() as session:
        if isinstance(file, int):
            found = views_of_file(session, file, limit) if 0 <= file < INFINITY else []
        else:
            found = views_of_path(session, file, _holders(session, runtime.lake_path, file), limit)
        names: dict[CatalogId, str | None] = {}
        for view in found:
            for catalog in (view.owner, view.catalog):
                if catalog is not None and catalog not in names:
                    names[catalog] = catalogs.last_name(session, catalog)
    return [_reference(view, names) for view in found]


def _holders(session: Session, lake_path: str | None, path: str) -> dict[CatalogId, str]:
    """Return the catalog in whose directory a file lies, if any, and the directory."""
    places = [fold(place) for place in stored_ancestors(lake_path or "", path.rpartition("/")[0])]
    directories = catalog_directories(session, lake_path, catalogs.catalogs_at(session, places))
    return {catalog: directory for catalog, directory in directories.items() if path.startswith(directory)}


def _reference(view: FileView, names: dict[CatalogId, str | None]) -> FileReference:
    return FileReference(
        kind="data file" if view.table == "ducklake_data_file" else "delete file",
        file_id=view.file_id,
        path=view.path,
        owner_id=view.owner,
        owner_name=names[view.owner],
        table_id=view.table_id,
        begin_snapshot_id=view.begin,
        end_snapshot_id=None if view.end == INFINITY else view.end,
        catalog_id=view.catalog,
        catalog_name=None if view.catalog is None else names[view.catalog],
        first_snapshot_id=view.first,
        last_snapshot_id=view.last,
    )
