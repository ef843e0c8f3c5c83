"""What sessions and edges may ask of handles beyond their public methods.

Users of the package have no need of it. Nobody outside `forklake.lake` takes anything else of a handle that is private.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from forklake.catalog.transaction import Staging
from forklake.catalog.view import Content
from forklake.lake.catalog import Catalog
from forklake.lake.lake import Lake, LakeAt
from forklake.lake.options import Options
from forklake.lake.table import Table
from forklake.lake.transaction import Transaction
from forklake.model.ids import CatalogId
from forklake.model.records import Commit
from forklake.model.version import Version
from forklake.ops.runtime import Runtime

T = TypeVar("T")

Reader = Catalog | Transaction
"""What tables are read of: a catalog, now or at a snapshot, or a transaction."""


def runtime_of(handle: Lake | LakeAt | Reader | Table | Options) -> Runtime:
    """Return the open lake that a handle belongs to."""
    return handle._reader._runtime if isinstance(handle, Table) else handle._runtime


def content_of(handle: Reader | Table) -> Content:
    """Return what a handle sees at this moment.

    Raises:
        NotFoundError: The catalog or the table was dropped.
    """
    return handle._content()


def version_of(reader: Reader) -> Version:
    """Return the committed version that a handle sees, or that its transaction began on."""
    return reader._version() if isinstance(reader, Catalog) else reader._content().version


def catalog_of(transaction: Transaction) -> tuple[CatalogId, str]:
    """Return the catalog that a transaction changes, with the name that it had when the transaction began."""
    return transaction._head.version.catalog_id, transaction._head.name


def begin(catalog: Catalog, *, may_alter_later: bool) -> Transaction:
    """Begin a transaction; ``may_alter_later`` is False for one of a single statement. See `Staging`."""
    return catalog._begin(may_alter_later=may_alter_later)


def run(runner: Reader, verb: Callable[[Staging], T]) -> T | None:
    """Run a verb of `forklake.ops` as part of a transaction, or as one of its own, and return what it returns.

    A transaction of its own is run again after a conflict. None if the verb was not run: all of it was committed
    before, under the commit key of the transaction.
    """
    return runner._run(verb)


def commit(runner: Reader, verb: Callable[[Staging], int]) -> Commit:
    """Run a verb of `forklake.ops` that returns how many rows it touched, as `run` does, and return what it did."""
    return runner._commit(verb)


def is_past(catalog: Catalog) -> bool:
    """Return whether this is a handle on the past, which changes nothing."""
    return catalog._past_version is not None
