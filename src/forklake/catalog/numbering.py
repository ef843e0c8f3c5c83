"""The snapshot numbers in files that were merged before their catalog was imported."""

from __future__ import annotations

from collections.abc import Iterable

from forklake.metastore.queries import snapshots
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId
from forklake.model.numbering import Numbering


def numberings(store: Store | Session, catalogs: Iterable[CatalogId]) -> dict[CatalogId, Numbering]:
    """Return the numberings of those catalogs that were imported.

    A merged file with a ``numbering_id`` is read up to the number that the numbering of that catalog gives for the
    snapshot it is read as of; a file without one carries snapshot ids.
    """
    ids = set(catalogs)
    return snapshots.numberings(store, ids) if ids else {}
