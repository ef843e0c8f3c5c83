"""Errors of lifetimes and quotas."""

from __future__ import annotations

from forklake.catalog.versions import catalog_dropped_error
from forklake.errors import CatalogDroppedError, CatalogLapsedError, QuotaError
from forklake.metastore.queries.catalogs import last_name
from forklake.metastore.queries.heads import head_by_id
from forklake.metastore.store import Session, Store
from forklake.model.hint import RenewCatalog
from forklake.model.ids import CatalogId
from forklake.model.lives import QuotaRefusal
from forklake.model.version import Head


def check_not_lapsed(store: Store, head: Head, undone: str = "nothing was done") -> None:
    """Refuse to begin what a lapsed catalog would refuse at the end.

    It costs nothing for a catalog without a lifetime.

    Raises:
        CatalogLapsedError: The catalog is past its lifetime.
    """
    if head.expires_at is None:
        return
    with store.reading() as session:
        now = session.now()
    if head.expires_at <= now:
        raise head_lapsed_error(head, undone)


def lapsed_error(store: Store | Session, catalog: CatalogId, undone: str = "nothing was done") -> CatalogDroppedError:
    """Return the error for a catalog that is past its lifetime, or dropped."""
    head = head_by_id(store, catalog)
    return catalog_dropped_error(store, catalog) if head is None else head_lapsed_error(head, undone)


def head_lapsed_error(head: Head, undone: str) -> CatalogLapsedError:
    """Return the error for a catalog that is past its lifetime and live."""
    since = "" if head.expires_at is None else f", which ended at {head.expires_at.isoformat(sep=' ')}"
    return CatalogLapsedError(
        f'Catalog "{head.name}" is past its lifetime{since}; {undone}.',
        catalog_id=head.version.catalog_id,
        hint=RenewCatalog(head.name),
    )


def quota_error(store: Store | Session, refusal: QuotaRefusal, undone: str) -> QuotaError:
    """Return the error for what a quota refuses.

    ``undone`` ends it.
    """
    name = last_name(store, refusal.catalog_id)
    return QuotaError(
        f'The quota of catalog "{name}" does not allow it: max_{refusal.counted} is {refusal.limit:,}, and this would'
        f" make {refusal.wanted:,}. {undone}.",
        hint="Drop what is not needed, or give the catalog a greater quota.",
    )
