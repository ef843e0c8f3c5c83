"""Queries on who sees a file: rows that name it, catalogs that see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from forklake.metastore import garbage
from forklake.metastore.garbage import FileView
from forklake.metastore.queries.dead_rows import table_levels
from forklake.metastore.source import Source
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, MetadataTable
from forklake.model.ids import CatalogId

_IDS: Final[tuple[tuple[MetadataTable[Any], str], ...]] = (
    (DATA_FILE, "data_file_id"),
    (DELETE_FILE, "delete_file_id"),
)


def views_of_path(source: Source, path: str, holders: Mapping[CatalogId, str], limit: int) -> list[FileView]:
    """Return who sees a file, by its absolute path.

    ``holders`` has the catalogs in whose directories it may lie, and these directories.
    """
    found = []
    for table, column in _IDS:
        conditions = ["NOT r.path_is_relative AND r.path = :path"]
        params: dict[str, Any] = {"path": path}
        for place, (holder, directory) in enumerate(holders.items()):
            ends = path.removeprefix(directory).split("/")
            params |= {f"c{place}": holder, f"ends{place}": ["/".join(ends[at:]) for at in range(len(ends))]}
            conditions.append(f"r.path_is_relative AND r.catalog_id = :c{place} AND r.path IN (:ends{place}...)")
        for condition in conditions:
            views = garbage.file_views(source, table, column, condition, params, limit)
            found += [view for view in views if path in (view.path, _resolve(source, view, holders))]
    return found


def views_of_file(source: Source, file_id: int, limit: int) -> list[FileView]:
    """Return who sees a data file or delete file, by its id.

    Copies of a row have the same id. The rows of all catalogs are searched.
    """
    return [view for table, column in _IDS for view in _by_id(source, table, column, file_id, limit)]


def _by_id(source: Source, table: MetadataTable[Any], column: str, file_id: int, limit: int) -> Iterator[FileView]:
    yield from garbage.file_views(source, table, column, f"r.{column} = :file", {"file": file_id}, limit)


def _resolve(source: Source, view: FileView, holders: Mapping[CatalogId, str]) -> str | None:
    levels = table_levels(source, [view.table_id]).get(int(view.table_id))
    place = holders.get(view.owner)
    if levels is None or place is None:
        return None
    for level, is_relative in (*levels, (view.path, True)):
        place = place + level if is_relative else level
    return place
