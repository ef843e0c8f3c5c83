"""An attached catalog, as catalog functions and metadata tables need it."""

from __future__ import annotations

from typing import Protocol

from forklake.lake import Catalog, Lake, Transaction
from forklake.model.ids import SnapshotId


class Attachment(Protocol):
    """A catalog under the name that a session gave it, in the middle of the session's work."""

    @property
    def alias(self) -> str:
        """The name."""

    @property
    def lake(self) -> Lake:
        """The lake; the same object for all catalogs that are attached of it."""

    @property
    def catalog(self) -> Catalog:
        """The catalog; a handle on the past if it was attached at a snapshot."""

    @property
    def reader(self) -> Catalog | Transaction:
        """What statements read now: the open transaction if there is one, else the catalog."""

    @property
    def read_only(self) -> bool:
        """Whether statements may not change the catalog."""

    @property
    def schema(self) -> str:
        """The schema of names that do not say theirs."""

    @property
    def has_changes(self) -> bool:
        """Whether the open transaction has changed the catalog."""

    @property
    def last_committed(self) -> SnapshotId | None:
        """The snapshot that sessions on this attachment committed last."""

    def writer(self, kind: str) -> Catalog | Transaction:
        """Return what a statement of some kind changes the catalog with.

        Raises:
            InvalidInputError: The catalog is read-only, or the session's transaction has changed another one.
        """
