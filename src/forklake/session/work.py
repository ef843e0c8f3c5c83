"""What a session is in the middle of: the transactions that its statements read and write."""

from __future__ import annotations

from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Transaction
from forklake.model.ids import SnapshotId
from forklake.model.names import fold
from forklake.session.catalogs import AttachedCatalog


class Work:
    """A transaction of a session: over all catalogs that its statements name, changing one of them at most.

    A catalog is seen as it was when a statement first named it. Without BEGIN each statement is a transaction.
    """

    def __init__(self, *, is_explicit: bool) -> None:
        self.is_explicit = is_explicit
        self._open: dict[str, Transaction] = {}
        self._is_ours = True
        self._written: AttachedCatalog | None = None

    @classmethod
    def within(cls, attached: AttachedCatalog, transaction: Transaction) -> Work:
        """Return the work of a session whose statements are part of somebody else's transaction, who ends it."""
        made = cls(is_explicit=True)
        made._open[fold(attached.alias)] = transaction
        made._is_ours = False
        return made

    def reader(self, attached: AttachedCatalog) -> Catalog | Transaction:
        """Return what statements read of a catalog."""
        if attached.catalog.is_read_only:
            return attached.catalog
        key = fold(attached.alias)
        if key not in self._open:
            self._open[key] = attached.catalog._begin(goes_on=self.is_explicit)
        return self._open[key]

    def writer(self, attached: AttachedCatalog, kind: str) -> Transaction:
        """Return what a statement of some kind changes a catalog with.

        Raises:
            InvalidInputError: The catalog is read-only, or the transaction has changed another one.
        """
        if attached.read_only:
            raise InvalidInputError(
                f'Invalid Input Error: Cannot execute statement of type "{kind}" on database "{attached.alias}"'
                " which is attached in read-only mode!"
            )
        written = self._written
        if written is not None and written.catalog.catalog_id != attached.catalog.catalog_id:
            raise InvalidInputError(
                f'TransactionContext Error: Attempting to write to database "{attached.alias}" in a transaction that'
                f' has already modified database "{written.alias}" - a single transaction can only write to a single'
                " attached database."
            )
        found = self.reader(attached)
        assert isinstance(found, Transaction)
        self._written = attached
        return found

    def has_changes(self, attached: AttachedCatalog) -> bool:
        """Return whether the transaction has changed a catalog."""
        found = self._open.get(fold(attached.alias))
        return found is not None and found.has_changes

    def uses(self, attached: AttachedCatalog) -> bool:
        """Return whether a statement of the transaction has named a catalog."""
        return fold(attached.alias) in self._open

    def settle(self) -> None:
        """Let another catalog be changed if nothing was changed so far: a statement that failed changes nothing."""
        if self._written is not None and not self.has_changes(self._written):
            self._written = None

    def commit(self) -> dict[str, SnapshotId]:
        """Commit what was changed as one snapshot, and return it by the alias of its catalog; nothing if none was.

        Raises:
            CommitConflictError: Somebody else changed the same things; nothing was committed.
            InvalidInputError: The catalog asks for a commit message; the transaction is still open.
        """
        written = None if self._written is None else self._open.get(fold(self._written.alias))
        made = None if written is None else written.commit()
        alias = "" if self._written is None else fold(self._written.alias)
        self._open = {key: one for key, one in self._open.items() if one is not written}
        self.rollback()
        return {} if made is None else {alias: made}

    def rollback(self) -> None:
        """Forget all changes."""
        if self._is_ours:
            for transaction in self._open.values():
                if transaction.is_open:
                    transaction.rollback()
        self._open.clear()
        self._written = None
