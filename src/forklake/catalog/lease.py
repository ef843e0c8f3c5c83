"""Leases of writers: files that no row names yet are not taken for orphans.

docs/spec/garbage.md states the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import uuid4

from forklake.errors import CommitUnknownError, LeaseLostError, MetastoreUnavailableError
from forklake.metastore.queries import leases
from forklake.metastore.source import Question
from forklake.metastore.store import ConnectionLostError, Store, Values
from forklake.model.ids import CatalogId
from forklake.model.rows import TableRow

T = TypeVar("T")


class Lease:
    """A lease that was taken.

    Only a search for orphaned files takes it away, once it has run out; until then it holds, however late it is.
    """

    def __init__(self, store: Store, catalog_id: CatalogId, lease_id: str) -> None:
        self.lease_id = lease_id
        self._store = store
        self._catalog_id = catalog_id
        self._since = self._now()

    def renew(self) -> None:
        """Begin its time anew if less than half of it is left; ask nobody if more is.

        Raises:
            LeaseLostError: It was taken away.
        """
        seconds = self._store.settings.lease_seconds
        if self._now() - self._since < timedelta(seconds=seconds / 2):
            return
        now = self._now()
        if not _write(lambda: leases.renew(self._store, self._catalog_id, self.lease_id)):
            raise lease_lost_error(self._catalog_id)
        self._since = now
        self._store.step("lease: renewed")

    def end(self) -> None:
        """End it, whether or not it is still there."""
        _write(lambda: leases.delete(self._store, self._catalog_id, self.lease_id))
        self._store.step("lease: ended")

    def _now(self) -> datetime:
        # What has passed by the clock of this process; when a lease runs out, the database's clock says.
        return self._store.settings.clock.now()


def take_lease(store: Store, catalog: CatalogId) -> Lease:
    """Take a lease on the files that a writer of the catalog writes from now on.

    Raises:
        MetastoreError: It cannot be taken; nothing may be written.
    """
    lease = Lease(store, catalog, str(uuid4()))
    _write(lambda: leases.write(store, catalog, lease.lease_id))
    store.step("lease: taken")
    return lease


def ask_lease(store: Store, catalog: CatalogId, table: TableRow, keep: Callable[[Lease], object]) -> Question[None]:
    """Return the question that takes a lease on files of a table, for a server.

    It is taken, and handed to ``keep``, when the answers are there; not if rows of the table may go into the metadata.
    """
    lease = Lease(store, catalog, str(uuid4()))
    asked = leases.ask_for(store, catalog, lease.lease_id, table.schema_id, table.table_id)

    def read(rows: list[Values]) -> None:
        if asked.read(rows):
            keep(lease)
            store.step("lease: taken")

    return Question(asked.sql, asked.params, read)


def lease_lost_error(catalog: CatalogId) -> LeaseLostError:
    """Return the error for a writer whose lease is gone."""
    return LeaseLostError(
        f"The lease of a writer of catalog {catalog} ran out, and a search for orphaned files has taken it away and may"
        " have deleted what was written. Nothing was committed.",
        hint="Write the rows again. Settings(lease_seconds=...) gives writers more time.",
    )


def _write(statement: Callable[[], T]) -> T:
    """Run a statement that is a transaction of its own.

    It runs once more if the connection is lost, so it does no harm if it runs twice.
    """
    try:
        return statement()
    except (CommitUnknownError, ConnectionLostError):
        pass
    try:
        return statement()
    except (CommitUnknownError, ConnectionLostError) as error:
        raise MetastoreUnavailableError(
            f"The lease of a writer was not written: {error.message}", hint="Try again; nothing was committed."
        ) from error
