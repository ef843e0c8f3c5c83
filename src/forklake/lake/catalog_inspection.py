"""Facts about a catalog: `Catalog.inspect`."""

from __future__ import annotations

from collections.abc import Callable

from forklake.catalog.names import qualified_name
from forklake.catalog.state import Content
from forklake.errors import CatalogDroppedError
from forklake.model.ids import CatalogId
from forklake.model.lives import Lifetime
from forklake.model.overview import TableChange
from forklake.model.records import CatalogInfo
from forklake.model.upkeep import CatalogBytes
from forklake.ops.catalogs.catalog_bytes import catalog_bytes
from forklake.ops.catalogs.list_catalogs import catalog_by_id, parent_of
from forklake.ops.catalogs.renew import author_of, labels_of, lifetime_of
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.table_history import named_table_history


class CatalogInspection:
    """Facts about one catalog at the moment of each call."""

    def __init__(self, runtime: Runtime, catalog_id: CatalogId, content: Callable[[], Content]) -> None:
        self._runtime = runtime
        self._catalog_id = catalog_id
        self._content = content

    @property
    def info(self) -> CatalogInfo:
        """The catalog as `Lake.catalogs` lists it now.

        Raises:
            NotFoundError: It was dropped.
        """
        return catalog_by_id(self._runtime, self._catalog_id)

    @property
    def parent(self) -> CatalogInfo | None:
        """The catalog that this one was forked from.

        None if there is none, or if it was dropped since.
        """
        return parent_of(self._runtime, self._catalog_id)

    @property
    def bytes(self) -> CatalogBytes:
        """The bytes of its files: own, seen by forks, inherited, freed without it.

        Raises:
            NotFoundError: It was dropped.
        """
        return catalog_bytes(self._runtime.store, self._catalog_id)

    @property
    def lifetime(self) -> Lifetime | None:
        """When the catalog ends of itself; None if it does not."""
        return lifetime_of(self._runtime, self._catalog_id)

    @property
    def author(self) -> str | None:
        """Who created the catalog, if that was said and its first snapshot is retained."""
        return author_of(self._runtime, self._catalog_id)

    @property
    def labels(self) -> dict[str, str]:
        """The labels that the catalog was created with, by name."""
        return labels_of(self._runtime, self._catalog_id)

    @property
    def is_live(self) -> bool:
        """Whether the catalog still exists, and was not dropped."""
        try:
            catalog_by_id(self._runtime, self._catalog_id)
        except CatalogDroppedError:
            return False
        return True

    def table_history(self, name: str, *, schema: str | None = None) -> list[TableChange]:
        """Return the snapshots that changed the table of a name, oldest first.

        If there is none, it is the table that had the name when it was dropped last: its last entry is the snapshot
        that dropped it. Expired snapshots are left out. For a handle on the past, so are later ones.

        Raises:
            NotFoundError: There is no such table, and nothing is known of one that there was.
        """
        schema, name = qualified_name(name, schema)
        return named_table_history(self._runtime.store, self._content(), schema, name)
