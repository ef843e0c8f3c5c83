"""The bytes of files that a catalog keeps, alone or with others."""

from __future__ import annotations

from forklake.catalog import versions
from forklake.metastore import garbage, visibility
from forklake.metastore.source import Source
from forklake.metastore.store import Store
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE
from forklake.model.ids import CatalogId
from forklake.model.upkeep import CatalogBytes
from forklake.model.version import Version


def catalog_bytes(store: Store, catalog: CatalogId) -> CatalogBytes:
    """Return the bytes of files that a catalog keeps.

    Raises:
        NotFoundError: The catalog was dropped.
    """
    with store.reading() as session:
        version = versions.head_by_id(session, catalog).version
        own, alone, kept = garbage.file_bytes(session, catalog)
        inherited = _visible_bytes(session, version) - _visible_bytes(session, _without_ancestors(version))
    return CatalogBytes(own, alone, inherited, alone + kept)


def _visible_bytes(source: Source, chain: visibility.Chain) -> int:
    totals = (visibility.file_totals(source, chain, table) for table in (DATA_FILE, DELETE_FILE))
    return sum(size for of_kind in totals for _, size in of_kind.values())


def _without_ancestors(version: Version) -> visibility.BareChain:
    return visibility.BareChain(version.owners[:1], version.bounds[:1])
