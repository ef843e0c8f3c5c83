"""Catalogs as a session has them attached, for tests that need no session."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forklake import Catalog, Lake, Transaction
from forklake.model.ids import SnapshotId
from forklake.session import functions
from forklake.session.listings.metadata_tables import metadata_table
from forklake.session.names.attached_catalogs import Attachments
from forklake.session.names.attachment import Attachment
from forklake.session.names.known_rows import Changes, Differences, Files, Rows
from forklake.session.safety.confinement import Policy


def call(
    name: str, attached: Sequence[Attachment], arguments: Sequence[Any], named: Mapping[str, Any]
) -> Rows | Changes | Differences | Files:
    """Call a function as a session does that is not confined."""
    return functions.call(name, attached, arguments, named, Policy(Attachments()))


def call_scalar(name: str, attached: Sequence[Attachment], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Return the value of a function as a session does that is not confined."""
    return functions.call_scalar(name, attached, arguments, named, Policy(Attachments()))


@dataclass(frozen=True)
class Attached:
    """A catalog under an alias."""

    alias: str
    lake: Lake
    catalog: Catalog
    transaction: Transaction | None = None
    read_only: bool = False
    is_temporary: bool = False
    schema: str = "main"
    has_changes: bool = False
    last_committed: SnapshotId | None = None
    option_overrides: Mapping[str, str] = field(default_factory=dict)

    @property
    def reader(self) -> Catalog | Transaction:
        return self.transaction or self.catalog

    @property
    def is_in_transaction(self) -> bool:
        return self.transaction is not None

    def writer(self, kind: str) -> Catalog | Transaction:
        return self.reader

    def maintainer(self, kind: str) -> Catalog | Transaction:
        return self.reader

    def note_commits(self, snapshots: Iterable[SnapshotId | None]) -> None:
        pass

    def table(self, name: str) -> list[tuple[Any, ...]]:
        """Return the rows of a metadata table that there is."""
        found = metadata_table(self, name)
        assert found is not None, name
        return found.rows

    def call(self, function: str, *arguments: Any, **named: Any) -> Rows | Changes | Differences | Files:
        """Call a function for this catalog alone."""
        return call(function, [self], [self.alias, *arguments], named)

    def rows(self, function: str, *arguments: Any, **named: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a function that needs no job."""
        found = self.call(function, *arguments, **named)
        assert isinstance(found, Rows)
        return found.rows

    def value(self, function: str, *arguments: Any, **named: Any) -> Any:
        """Return the value of a function in an expression."""
        return call_scalar(function, [self], [self.alias, *arguments], named)
