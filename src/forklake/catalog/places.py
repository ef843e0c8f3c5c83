"""Where files are: the directories of catalogs, and the files in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forklake.catalog import lookup
from forklake.catalog.paths import join
from forklake.catalog.state import Content
from forklake.metastore.queries.catalogs import directories
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId
from forklake.model.rows import DataFileRow, DeleteFileRow, Row, TableRow


def catalog_directories(
    store: Store | Session, lake_path: str | None, catalogs: set[CatalogId]
) -> Mapping[CatalogId, str]:
    """Return the directory of each catalog, including dropped and purged ones."""
    return lake_directories(lake_path, directories(store, catalogs)) if catalogs else {}


def lake_directories(lake_path: str | None, found: Mapping[CatalogId, tuple[str, bool]]) -> Mapping[CatalogId, str]:
    """Return the directory of each catalog whose path was found."""
    return {catalog: join((lake_path or "", False), path) for catalog, path in found.items()}


def owner_of(row: Row, own: CatalogId) -> CatalogId:
    """Return the catalog that wrote a row; a staged row is the catalog's own."""
    return own if row.origin is None else row.origin.owner


def table_directory(store: Store | Session, lake_path: str | None, content: Content, table: TableRow) -> str:
    """Return where a catalog's own files of a table lie, with a slash at the end."""
    own = content.version.catalog_id
    return directory_below(catalog_directories(store, lake_path, {own})[own], content, table)


def directory_below(root: str, content: Content, table: TableRow) -> str:
    """Return where files of a table lie below the directory of a catalog.

    There is a slash at the end.
    """
    schema = lookup.schema_by_id(content, table.schema_id)
    directory = join((root, False), (schema.path, schema.path_is_relative), (table.path, table.path_is_relative))
    return directory if directory.endswith("/") else f"{directory}/"


class Places:
    """The absolute paths of the files of one table.

    ``roots`` has the directories of the catalogs that own them, if they are known already.
    """

    def __init__(
        self,
        store: Store | Session,
        lake_path: str | None,
        content: Content,
        table: TableRow,
        files: Iterable[DataFileRow | DeleteFileRow],
        *,
        roots: Mapping[CatalogId, str] | None = None,
    ) -> None:
        schema = lookup.schema_by_id(content, table.schema_id)
        below = ((schema.path, schema.path_is_relative), (table.path, table.path_is_relative))
        self._own = content.version.catalog_id
        owners = {owner_of(row, self._own) for row in files}
        if roots is None:
            roots = catalog_directories(store, lake_path, owners)
        self._directories = {owner: join((roots[owner], False), *below) for owner in owners}

    def path(self, row: DataFileRow | DeleteFileRow) -> str:
        """Return where a file is."""
        return self._directories[owner_of(row, self._own)] + row.path if row.path_is_relative else row.path
