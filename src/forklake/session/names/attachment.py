"""An attached catalog, as catalog functions and metadata tables use it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from forklake.lake import Catalog, Lake, Transaction
from forklake.model.ids import SnapshotId


class Attachment(Protocol):
    """A catalog under the alias that a session gave it, within its transaction."""

    @property
    def alias(self) -> str:
        """The name that the catalog is attached under."""

    @property
    def lake(self) -> Lake:
        """The lake; all catalogs that are attached from it share one object."""

    @property
    def catalog(self) -> Catalog:
        """The catalog; a handle on the past if it was attached at a snapshot."""

    @property
    def reader(self) -> Catalog | Transaction:
        """What statements read now.

        It is the open transaction if there is one, else the catalog.
        """

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction was begun; else each statement is one."""

    @property
    def read_only(self) -> bool:
        """Whether statements must not change the catalog."""

    @property
    def is_temporary(self) -> bool:
        """Whether it holds what is temporary in a session."""

    @property
    def schema(self) -> str:
        """The schema of names that do not include one."""

    @property
    def has_changes(self) -> bool:
        """Whether the open transaction has changed the catalog."""

    @property
    def option_overrides(self) -> Mapping[str, str]:
        """Options that the session has set, which count before all that are set."""

    @property
    def last_committed(self) -> SnapshotId | None:
        """The newest snapshot that sessions on this attachment committed."""

    def maintainer(self, kind: str) -> Catalog | Transaction:
        """Return the handle that a maintenance statement changes the catalog with.

        It is the transaction that was begun, or else the catalog, where each change is a commit.

        Raises:
            InvalidInputError: As for `writer`.
        """

    def note_commits(self, snapshots: Iterable[SnapshotId | None]) -> None:
        """Remember snapshots that were committed outside of the transaction.

        `last_committed` tells of them.
        """

    def writer(self, kind: str) -> Catalog | Transaction:
        """Return the handle that a statement of this kind changes the catalog with.

        Raises:
            InvalidInputError: The catalog is read-only, or the session's transaction has changed another one.
        """
