"""The snapshot numbers in files that were merged before their catalog was imported."""

from __future__ import annotations

from collections.abc import Iterable

from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.numbering import Numbering, Run


def numberings(store: Store | Session, catalogs: Iterable[CatalogId]) -> dict[CatalogId, Numbering]:
    """Return the numberings of those catalogs that were imported.

    A merged file with a ``numbering_id`` is read up to the number that the numbering of that catalog gives for the
    snapshot it is read as of; a file without one carries snapshot ids.
    """
    ids = sorted(set(catalogs))
    if not ids:
        return {}
    found = store.query(
        "SELECT catalog_id, snapshot_id, source_snapshot_id, snapshot_count FROM forklake.ducklake_numbering"
        " WHERE catalog_id IN (:ids...) ORDER BY catalog_id, snapshot_id",
        ids=ids,
    )
    runs: dict[CatalogId, list[Run]] = {}
    for catalog, snapshot, number, count in found:
        runs.setdefault(CatalogId(catalog), []).append(Run(SnapshotId(snapshot), number, count))
    return {catalog: Numbering(tuple(of_catalog)) for catalog, of_catalog in runs.items()}
