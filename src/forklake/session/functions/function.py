"""What a catalog function is, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from forklake.catalog import lookup
from forklake.catalog.view import Content, View
from forklake.errors import InvalidInputError
from forklake.lake import Lake
from forklake.lake.internals import runtime_of, version_of
from forklake.metastore.store import Store
from forklake.model.field import Field
from forklake.model.names import split_name
from forklake.model.rows import TableRow
from forklake.session.attachment import Attachment
from forklake.session.functions.arguments import Signature
from forklake.session.known_rows import Changes, Rows
from forklake.session.presence import check_there, is_there


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a catalog function.

    Attributes:
        attachments: All that the session has attached.
        arguments: What was given, by the names of the parameters.
        bound: The catalog that the function is called for; None for a function that finds it itself.
        schema_name: The schema that the function was called in, as in ``alias.schema.table_changes(...)``.
    """

    attachments: Sequence[Attachment]
    arguments: Mapping[str, Any]
    bound: Attachment | None
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

    def committed(self) -> View:
        """Return the catalog as the session's transaction found it: what it has changed itself is no metadata yet."""
        return View(self.store, version_of(self.attachment.reader))

    def text(self, name: str) -> str | None:
        """Return an argument that is a text, if it was given."""
        value = self.arguments.get(name)
        return None if value is None else str(value)

    def required(self, name: str, what: str) -> str:
        """Return an argument that must not be NULL.

        Raises:
            InvalidInputError: It is.
        """
        value = self.text(name)
        if value is None:
            raise InvalidInputError(f"Binder Error: {what} cannot be NULL")
        return value

    def check_writable(self, function: str) -> None:
        """Refuse to change a catalog that is attached for reading.

        Raises:
            InvalidInputError: It is.
        """
        if self.attachment.read_only:
            raise InvalidInputError(
                f'Invalid Input Error: Cannot call "{function}" on database "{self.attachment.alias}" which is attached'
                " in read-only mode!"
            )


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """A function of catalogs that is called in FROM or by CALL.

    Attributes:
        name: Its name, without ``ducklake_``; one of DuckDB's has all of its name.
        signatures: What it can be called with, after the name of the catalog.
        run: What it does.
        is_bound: Whether it belongs to one attached catalog, which its first argument names. If not, the first
            argument is one of its own.
        acts: What it gives, if it changes something when it is called: a statement is understood before anything is
            changed.
        scalar: The column that is its value where it is called in an expression; None if it cannot be.
    """

    name: str
    signatures: tuple[Signature, ...]
    run: Callable[[Call], Rows | Changes]
    is_bound: bool = True
    acts: tuple[Field, ...] | None = None
    scalar: str | None = None

    @property
    def full_name(self) -> str:
        """The name under which it takes the name of a catalog, if it does."""
        return self.name if self.name.startswith("duckdb_") else f"ducklake_{self.name}"


def clock(lake: Lake | None) -> Callable[[], datetime]:
    """Return the clock of a lake, which is asked when it is needed; the machine's if there is none."""

    def now() -> datetime:
        if lake is None:
            return datetime.now(UTC)
        with runtime_of(lake).store.reading() as session:
            return session.now()

    return now


def named_table(content: Content, name: str, schema: str | None, default_schema: str) -> TableRow:
    """Return a table by its name; without a schema, the name may be ``schema.table`` in one text.

    Raises:
        NotFoundError: There is none of that name.
    """
    place, parts = (schema or default_schema, name), split_name(name)
    if schema is None and parts is not None and len(parts) == 2 and not is_there("table", content, *place):
        place = (parts[0], parts[1]) if lookup.find_schema(content, parts[0]) is not None else place
    check_there("table", content, *place)
    return lookup.table(content, place[1], place[0])
