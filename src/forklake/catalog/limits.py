"""Errors of lifetimes and quotas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forklake.catalog.versions import catalog_dropped_error
from forklake.errors import CatalogDroppedError, CatalogLapsedError, QuotaError
from forklake.metastore.queries.catalogs import last_name
from forklake.metastore.queries.heads import head_by_id
from forklake.metastore.store import Session, Store
from forklake.model.hint import RenewCatalog
from forklake.model.ids import CatalogId
from forklake.model.lives import MAX_COLUMNS, MAX_WORDS, Counted, Excess, QuotaRefusal
from forklake.model.names import byte_length
from forklake.model.version import Head

_OF_EVERY_QUOTA: Final[Mapping[Counted, tuple[str, str]]] = {
    "columns": ("the columns of a table, nested ones counted, are", "Spread them over several tables."),
    "words": ("what is said with a commit or a tag has bytes:", "Say it in fewer words."),
    "tags": ("the tags of its snapshots are", "Take tags away that are not needed."),
}


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
    if refusal.counted in _OF_EVERY_QUOTA:
        what, hint = _OF_EVERY_QUOTA[refusal.counted]
        return QuotaError(
            f'Catalog "{name}" has a quota, and with one {what} at most {refusal.limit:,}, not {refusal.wanted:,}.'
            f" {undone}.",
            hint=hint,
        )
    return QuotaError(
        f'The quota of catalog "{name}" does not allow it: max_{refusal.counted} is {refusal.limit:,}, and this would'
        f" make {refusal.wanted:,}. {undone}.",
        hint="Drop what is not needed, or give the catalog a greater quota.",
    )


def beyond_every_quota(*said: str | None, widest_table: int = 0) -> Excess | None:
    """Return what every quota refuses in a commit or a tag.

    Args:
        said: The texts that come with it.
        widest_table: The most columns of a table that the commit makes or gives other columns.
    """
    if widest_table > MAX_COLUMNS:
        return Excess("columns", MAX_COLUMNS, widest_table)
    words = sum(map(byte_length, said))
    return Excess("words", MAX_WORDS, words) if words > MAX_WORDS else None
