"""The transaction of a session, over all catalogs that its statements name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forklake.config import RetryPolicy
from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Transaction
from forklake.lake.internals import begin, is_past, runtime_of, staging_of
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.names import fold
from forklake.session.names.attached_catalogs import AttachedCatalog

if TYPE_CHECKING:
    from forklake.session.safety.confinement import Policy


class Work:
    """A transaction of a session: it reads any catalog, and changes at most one.

    A catalog is seen as it was when a statement first named it. Without BEGIN each statement is a transaction.
    """

    def __init__(self, policy: Policy | None = None, *, is_explicit: bool, is_read_only: bool = False) -> None:
        self.policy = policy
        """What the session may reach; definitions that a confined one stores are marked."""
        self.is_explicit = is_explicit
        self.is_aborted = False
        """Whether a statement failed in it, so that it can only be ended, without its changes."""
        self._is_read_only = is_read_only
        self._open: dict[AttachedCatalog, Transaction] = {}
        self._written: AttachedCatalog | None = None
        self._temporary: AttachedCatalog | None = None
        self._within: AttachedCatalog | None = None
        """The catalog whose transaction is somebody else's, who ends it."""
        self._noted: dict[AttachedCatalog, SnapshotId] = {}

    @classmethod
    def within(cls, attached: AttachedCatalog, transaction: Transaction) -> Work:
        """Return the work of a session inside an open transaction of a handle.

        The owner of that transaction ends it. No other catalog can be changed.
        """
        made = cls(is_explicit=True)
        made._open[attached] = transaction
        made._written = made._within = attached
        return made

    def reader(self, attached: AttachedCatalog) -> Catalog | Transaction:
        """Return the handle that statements read a catalog with."""
        if is_past(attached.catalog):
            return attached.catalog
        if attached not in self._open:
            self._open[attached] = begin(attached.catalog, may_alter_later=self.is_explicit)
        return self._open[attached]

    def writer(self, attached: AttachedCatalog, kind: str) -> Transaction:
        """Return the transaction that a statement of this kind changes a catalog with.

        Raises:
            InvalidInputError: The catalog or the transaction is read-only, or it has changed another catalog.
        """
        if self._is_read_only:
            raise InvalidInputError(
                f'TransactionContext Error: Cannot write to database "{attached.alias}" - transaction is launched in'
                " read-only mode"
            )
        if attached.read_only:
            raise InvalidInputError(
                f'Invalid Input Error: Cannot execute statement of type "{kind}" on database "{attached.alias}"'
                " which is attached in read-only mode!"
            )
        if attached.is_temporary:
            self._temporary = attached
            return self._open_transaction(attached)
        if self.policy is not None and self.policy.is_confined and not attached.is_private:
            staging_of(self._open_transaction(attached)).distrust()
        written = self._written
        # One catalog under two names is two: each name has a transaction of its own, of which one is committed.
        if written is not None and written is not attached:
            raise InvalidInputError(
                f'TransactionContext Error: Attempting to write to database "{attached.alias}" in a transaction that'
                f' has already modified database "{written.alias}" - a single transaction can only write to a single'
                " attached database."
            )
        self._written = attached
        return self._open_transaction(attached)

    def _open_transaction(self, attached: AttachedCatalog) -> Transaction:
        found = self.reader(attached)
        assert isinstance(found, Transaction)
        return found

    def find(self, name: str, url: str) -> AttachedCatalog | None:
        """Return a catalog that was named before, without an ATTACH of it."""
        known = (one for one in self._open if one.is_only_named and one.url == url)
        return next((one for one in known if fold(one.alias) == fold(name)), None)

    def has_changes(self, attached: AttachedCatalog) -> bool:
        """Return whether the transaction has changed a catalog."""
        found = self._open.get(attached)
        return found is not None and found.has_changes

    def note(self, attached: AttachedCatalog, snapshots: Iterable[SnapshotId | None]) -> None:
        """Remember what a statement committed by itself; `commit` returns it."""
        newest = max((one for one in snapshots if one is not None), default=None)
        if newest is not None:
            self._noted[attached] = newest

    @property
    def place(self) -> tuple[Store, CatalogId] | None:
        """The store and the catalog that is changed, if one is."""
        if self._written is None:
            return None
        catalog = self._written.catalog
        return runtime_of(catalog).store, catalog.catalog_id

    def release_unchanged(self) -> None:
        """Let another catalog be changed if nothing was changed so far.

        A statement that failed has changed nothing.
        """
        if self._written is not None and not self.has_changes(self._written):
            self._written = self._within

    def commit(self, retry: RetryPolicy) -> dict[AttachedCatalog, SnapshotId]:
        """Commit the changes as one snapshot, and return its id by catalog.

        Empty if nothing was changed.

        Raises:
            CommitConflictError: Another commit changed the same things; nothing was committed.
            InvalidInputError: The catalog requires a commit message; the transaction is still open.
        """
        if self.is_aborted:
            self.rollback()
            return self._noted
        written = self._written
        made = None if written is None or written not in self._open else self._open[written].commit(retry=retry)
        if self._temporary is not None and self._temporary in self._open:
            self._open[self._temporary].commit(retry=retry)
        self.rollback()
        done = {} if written is None or made is None or made.snapshot_id is None else {written: made.snapshot_id}
        return self._noted | done

    def rollback(self) -> None:
        """Discard all changes, except those of the transaction given to `within`."""
        for attached, transaction in self._open.items():
            if attached is not self._within and transaction.is_open:
                transaction.rollback()
        self._open.clear()
        self._written = self._temporary = None
