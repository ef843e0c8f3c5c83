"""Catalog functions and their calls, as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from forklake.catalog import lookup
from forklake.catalog.state import CatalogState, Content
from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import runtime_of, version_of
from forklake.metastore.store import Store
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold, split_name
from forklake.model.rows import TableRow
from forklake.session.functions.arguments import Signature
from forklake.session.names.attachment import Attachment
from forklake.session.names.existence import check_object, object_exists
from forklake.session.names.known_rows import Changes, Differences, Files, Rows
from forklake.session.safety.confinement import Policy


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a catalog function.

    Attributes:
        attachments: All catalogs that the session has attached.
        arguments: The arguments that were given, by the names of the parameters.
        bound: The catalog that the function is called for; None for a function that finds it itself.
        policy: What the session may reach.
        schema_name: The schema that the function was called in, as in ``alias.schema.table_changes(...)``.
    """

    attachments: Sequence[Attachment]
    arguments: Mapping[str, Any]
    bound: Attachment | None
    policy: Policy
    schema_name: str | None = None

    @property
    def attachment(self) -> Attachment:
        """The catalog that the function is called for."""
        assert self.bound is not None
        return self.bound

    @property
    def store(self) -> Store:
        """The store of its lake."""
        return runtime_of(self.attachment.lake).store

    @property
    def lake_path(self) -> str | None:
        """The base path of its lake."""
        return runtime_of(self.attachment.lake).lake_path

    def signature(self) -> dict[str, Any]:
        """Return the author and the message of what the call does.

        Raises:
            PermissionDeniedError: A confined session may not name them.
        """
        author, message, _ = self.policy.lasting.signature(self.text("author"), self.text("message"))
        return {"author": author, "message": message}

    def other_catalog(self, name: str) -> Catalog:
        """Return a catalog by its alias, or by its name in the lake.

        If it is attached at a snapshot, it is the catalog at that snapshot.

        Raises:
            NotFoundError: There is none, or none that the session may reach.
        """
        found = next((one for one in self.attachments if fold(one.alias) == fold(name)), None)
        return self.policy.catalog(self.attachment.lake, name) if found is None else found.catalog

    def writable_catalog(self, name: str) -> Catalog:
        """Return a catalog by its alias, or by its name in the lake, that may be changed.

        Raises:
            NotFoundError: There is none, or none that the session may reach.
            InvalidInputError: It is attached, or was given, read-only.
        """
        attached = next((one for one in self.attachments if fold(one.alias) == fold(name)), None)
        found = self.other_catalog(name)
        is_read_only = self.policy.is_read_only(self.attachment.lake, found) if attached is None else attached.read_only
        if is_read_only:
            raise InvalidInputError(f'Catalog "{name}" is attached in read-only mode; nothing was changed.')
        return found

    def committed_state(self) -> CatalogState:
        """Return the committed state of the catalog that the session's transaction reads.

        The transaction's own changes are not part of it.
        """
        return CatalogState(self.store, version_of(self.attachment.reader))

    def text(self, name: str) -> str | None:
        """Return an argument as text; None if it was not given."""
        value = self.arguments.get(name)
        return None if value is None else str(value)

    def required_text(self, name: str, what: str) -> str:
        """Return an argument that must not be NULL.

        Raises:
            InvalidInputError: It is NULL.
        """
        value = self.text(name)
        if value is None:
            raise InvalidInputError(f"Binder Error: {what} cannot be NULL")
        return value

    def check_writable(self, function: str) -> None:
        """Refuse to change a catalog that is attached read-only.

        Raises:
            InvalidInputError: It is read-only.
        """
        if self.attachment.read_only:
            raise InvalidInputError(
                f'Invalid Input Error: Cannot call "{function}" on database "{self.attachment.alias}" which is attached'
                " in read-only mode!"
            )

    def check_no_changes(self, what: str, action: str) -> None:
        """Refuse to act in a transaction that has changes.

        What is done takes effect at once; a ROLLBACK would undo the changes alone.

        Raises:
            InvalidInputError: A transaction has changes.
        """
        if any(attachment.has_changes for attachment in self.attachments):
            raise InvalidInputError(
                f"{what} cannot be {action} in a transaction that has changes; nothing was done.",
                hint="Say COMMIT or ROLLBACK first.",
            )


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """A catalog function, which is called in FROM or by CALL.

    Attributes:
        name: Its name, without ``ducklake_``; a function of DuckDB has its full name.
        signatures: Its signatures, without the alias of the catalog.
        run: The implementation.
        is_bound: Whether it belongs to one attached catalog, which its first argument names. If not, the first
            argument is one of its own.
        acts: Its columns, if calling it changes something; None if not. A statement is bound as a whole before
            such a function is called.
        scalar: The column that is its value where it is called in an expression; None if it cannot be. A function
            is called once when the statement begins, however many rows want its value, even if none does. So what
            cannot be undone has none.
    """

    name: str
    signatures: tuple[Signature, ...]
    run: Callable[[Call], Rows | Changes | Differences | Files]
    is_bound: bool = True
    acts: tuple[Field, ...] | None = None
    scalar: str | None = None

    @property
    def full_name(self) -> str:
        """The name of the long form, which takes the alias as its first argument.

        DuckDB's own functions have only this name.
        """
        return self.name if self.name.startswith("duckdb_") else f"ducklake_{self.name}"


def clock(lake: Lake | None) -> Callable[[], datetime]:
    """Return the clock of a lake: the database's, which is read at each call.

    Without a lake it is the clock of this machine.
    """

    def now() -> datetime:
        if lake is None:
            return datetime.now(UTC)
        with runtime_of(lake).store.reading() as session:
            return session.now()

    return now


def named_table(content: Content, name: str, schema: str | None, attached: Attachment) -> TableRow:
    """Return a table of an attached catalog by its name.

    Without ``schema``, the name may be ``schema.table`` in one text.

    Raises:
        NotFoundError: There is none of that name.
    """
    place = table_place(content, name, schema, attached.schema)
    check_object("table", content, attached, *place)
    return lookup.table(content, place[1], place[0])


def table_place(content: Content, name: str, schema: str | None, default_schema: str) -> tuple[str, str]:
    """Return the schema and the name of a table that a call names.

    Without ``schema``, the name may be ``schema.table`` in one text.
    """
    place, parts = (schema or default_schema, name), split_name(name)
    if schema is None and parts is not None and len(parts) == 2 and not object_exists("table", content, *place):
        return (parts[0], parts[1]) if lookup.find_schema(content, parts[0]) is not None else place
    return place
