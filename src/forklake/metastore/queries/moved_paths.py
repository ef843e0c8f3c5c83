"""Queries that move the stored paths of a lake, or of one catalog.

A path that is relative moves with what it is relative to. These are the others.
"""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema.sections import TABLES
from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.model.ids import CatalogId

_CATALOG: Final = "ducklake_catalog"
_NAMED: Final = tuple(
    table.name
    for table in TABLES
    if table.name != _CATALOG and {"path", "path_is_relative"} <= {column.name for column in table.stored_columns}
)
"""The tables whose rows name places by path."""

_BELOW: Final = "substr(path, 1, CAST(:size AS integer)) = :old"
_MOVED: Final = "CAST(:new AS varchar) || substr({}, CAST(:size AS integer) + 1)"


def count_named(source: Source, place: str) -> dict[str, int]:
    """Return how many rows of each table name a place below another.

    They name it by absolute path.
    """
    return {
        name: int(
            source.query(
                f"SELECT count(*) FROM forklake.{name} WHERE NOT path_is_relative AND {_BELOW}",
                old=place,
                size=len(place),
            )[0][0]
        )
        for name in _NAMED
    }


def move_named(session: Session, old: str, new: str) -> dict[str, int]:
    """Move the absolute paths below a place to another.

    Return how many there were in each table.
    """
    return {
        name: session.execute(
            f"UPDATE forklake.{name} SET path = {_MOVED.format('path')} WHERE NOT path_is_relative AND {_BELOW}",
            old=old,
            new=new,
            size=len(old),
        )
        for name in _NAMED
    }


def move_base_paths(session: Session, old: str, new: str) -> None:
    """Move the base paths that catalogs have of their own below the lake's."""
    session.execute(
        f"UPDATE forklake.{_CATALOG} SET data_path = {_MOVED.format('data_path')}"
        " WHERE path_is_relative AND substr(data_path, 1, CAST(:size AS integer)) = :old",
        old=old,
        new=new,
        size=len(old),
    )


def move_catalog(session: Session, catalog: CatalogId, data_path: str | None, path: str, *, is_relative: bool) -> None:
    """Write the directory of a catalog into all rows of its catalog list."""
    session.execute(
        f"UPDATE forklake.{_CATALOG} SET data_path = :data_path, path = :path, path_is_relative = :relative"
        " WHERE catalog_id = :c",
        data_path=data_path,
        path=path,
        relative=is_relative,
        c=catalog,
    )


def meets_catalog(source: Source, place: str) -> bool:
    """Return whether a catalog lies at, above or below a place.

    Only those count that are outside the lake's base path.
    """
    return bool(
        source.query(
            f"SELECT 1 FROM forklake.{_CATALOG} WHERE NOT path_is_relative"
            " AND (substr(path, 1, CAST(:size AS integer)) = :place OR substr(:place, 1, length(path)) = path) LIMIT 1",
            place=place,
            size=len(place),
        )
    )


def has_files(source: Source, catalog: CatalogId | None) -> bool:
    """Return whether a catalog, or any, has files with relative paths."""
    of = "" if catalog is None else " AND catalog_id = :c"
    return any(
        source.query(f"SELECT 1 FROM forklake.{name} WHERE path_is_relative{of} LIMIT 1", c=catalog)
        for name in ("ducklake_data_file", "ducklake_delete_file")
    )


def directories_with_files(source: Source, limit: int) -> list[str]:
    """Return directories of catalogs that have files, below the lake's base path."""
    found = source.query(
        f"SELECT DISTINCT k.path FROM forklake.{_CATALOG} k WHERE k.path_is_relative AND EXISTS (SELECT 1"
        " FROM forklake.ducklake_data_file f WHERE f.catalog_id = k.catalog_id AND f.path_is_relative)"
        f" LIMIT {int(limit)}"
    )
    return [str(path) for (path,) in found]
