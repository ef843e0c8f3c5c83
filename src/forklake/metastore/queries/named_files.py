"""Queries on files by their paths: which rows, of whatever catalog, name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from forklake.metastore.queries.dead_rows import table_levels
from forklake.metastore.source import Source
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, SCHEMA, TABLE
from forklake.model.ids import CatalogId

_FILES: Final = (DATA_FILE, DELETE_FILE)


def named_paths(source: Source, holder: CatalogId, directory: str, paths: Sequence[str]) -> set[str]:
    """Return which of some files in a catalog's directory are named by a row.

    The row may be one of any catalog. Rows that name a file by their table's directory are asked for before those
    that name it absolutely: a copy of a row is absolute, so a row that is copied and then removed meanwhile is seen
    in one place or the other. The caller holds the lock of the catalog.
    """
    if not paths:
        return set()
    wanted = set(paths)
    found = _below_own_tables(source, holder, directory, wanted)
    found |= _below_placed_tables(source, wanted - found)
    for files in _FILES:
        rows = source.query(
            f"SELECT path FROM forklake.{files.name} WHERE NOT path_is_relative AND path IN (:paths...)",
            paths=sorted(wanted - found),
        )
        found |= {str(path) for (path,) in rows}
    return found


def _below_own_tables(source: Source, holder: CatalogId, directory: str, paths: set[str]) -> set[str]:
    """Return the files that relative rows of the catalog itself name."""
    suffixes = _suffixes(path.removeprefix(directory) for path in paths)
    rows = [
        (int(table), str(path))
        for files in _FILES
        for table, path in source.query(
            f"SELECT DISTINCT table_id, path FROM forklake.{files.name} WHERE catalog_id = :c AND path_is_relative"
            " AND path IN (:suffixes...)",
            c=holder,
            suffixes=suffixes,
        )
    ]
    levels = table_levels(source, {table for table, _ in rows})
    named = set()
    for table, path in rows:
        if table in levels:
            named.add(_join(directory, *levels[table], (path, True)))
        else:
            # Nobody knows where it is, so it may be here.
            named |= {each for each in paths if each.endswith(f"/{path}")}
    return named & paths


def _below_placed_tables(source: Source, paths: set[str]) -> set[str]:
    """Return the files that relative rows of tables with an absolute path name.

    forklake makes no such tables. If one lies above a file, the rows of all catalogs are searched.
    """
    above = sorted({path[: place + 1] for path in paths for place, letter in enumerate(path) if letter == "/"})
    if not above:
        return set()
    places = {
        int(table): str(path)
        for table, path in source.query(
            f"SELECT table_id, path FROM forklake.{TABLE.name} WHERE NOT path_is_relative AND path IN (:above...)",
            above=above,
        )
    }
    schemas = {
        int(schema): str(path)
        for schema, path in source.query(
            f"SELECT schema_id, path FROM forklake.{SCHEMA.name} WHERE NOT path_is_relative AND path IN (:above...)",
            above=above,
        )
    }
    if schemas:
        places |= {
            int(table): schemas[schema] + str(path)
            for table, schema, path in source.query(
                f"SELECT table_id, schema_id, path FROM forklake.{TABLE.name}"
                " WHERE path_is_relative AND schema_id IN (:schemas...)",
                schemas=sorted(schemas),
            )
        }
    return _rows_below(source, places, paths) if places else set()


def _rows_below(source: Source, places: Mapping[int, str], paths: set[str]) -> set[str]:
    suffixes = _suffixes(path.removeprefix(place) for place in set(places.values()) for path in paths)
    named = set()
    for files in _FILES:
        rows = source.query(
            f"SELECT table_id, path FROM forklake.{files.name} WHERE path_is_relative AND table_id IN (:tables...)"
            " AND path IN (:suffixes...)",
            tables=sorted(places),
            suffixes=suffixes,
        )
        named |= {places[table] + path for table, path in rows}
    return named & paths


def _suffixes(paths: Iterable[str]) -> list[str]:
    """Return every end of the paths that begins at a part of them.

    >>> _suffixes(["main/t/f"])
    ['f', 'main/t/f', 't/f']
    """
    found = set()
    for path in paths:
        parts = path.split("/")
        found |= {"/".join(parts[place:]) for place in range(len(parts))}
    return sorted(found)


def _join(directory: str, *levels: tuple[str, bool]) -> str:
    path = directory
    for level, is_relative in levels:
        path = path + level if is_relative else level
    return path
