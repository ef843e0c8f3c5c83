"""Handles on the versions of catalogs that AT names."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from forklake.catalog.moments import read_time
from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Transaction
from forklake.session.functions.function import clock
from forklake.session.names.attached_catalogs import AttachedCatalog
from forklake.sql.relation import At

if TYPE_CHECKING:
    from forklake.session.state import SessionState


def reader_at(state: SessionState, attached: AttachedCatalog, at: At | None) -> Catalog | Transaction:
    """Return the handle that a catalog is read with.

    Without a version it is what the statement sees.

    Raises:
        InvalidInputError: It is no version.
        NotFoundError: The catalog has no such snapshot.
    """
    if at is None:
        return state.reader(attached)
    if at.kind == "version":
        if not isinstance(at.value, int):
            raise InvalidInputError(f"Binder Error: A version is the number of a snapshot, not {at.value!r}.")
        return attached.catalog.at(version=at.value)
    if at.kind == "tag":
        if not isinstance(at.value, str):
            raise InvalidInputError(f"Binder Error: A tag is the name of a snapshot, not {at.value!r}.")
        return attached.catalog.at(tag=at.value)
    if isinstance(at.value, timedelta):
        return attached.catalog.at(timestamp=clock(attached.lake)() - at.value)
    return attached.catalog.at(timestamp=read_time(at.value))
