"""What views and macros of a catalog have in common.

They are found by name, listed and dropped.
"""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from forklake.catalog import lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.errors import NotFoundError
from forklake.lake.runner import Runner
from forklake.model.ids import SchemaId
from forklake.model.names import join_name
from forklake.model.records import Commit, Macro, View
from forklake.model.rows import MacroRow, SchemaRow, ViewRow

Row = TypeVar("Row", ViewRow, MacroRow)
Record = TypeVar("Record", View, Macro)


class Objects(ABC, Generic[Row, Record]):
    """Objects of one kind in a catalog, or in a transaction.

    Names are written ``name`` or ``schema.name``, each part in double quotes where it has a dot; if ``schema`` is
    given, the name is not split.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def list(self, schema: str | None = None) -> builtins.list[Record]:
        """Return all objects, or those of a schema, by schema and name."""
        content = self._runner._content()
        wanted = None if schema is None else lookup.schema(content, schema).schema_id
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [self._describe(content, row, names[row.schema_id]) for row in self._rows(content, wanted)]
        return sorted(found, key=lambda one: (one.schema_name, one.name))

    def get(self, name: str, *, schema: str | None = None) -> Record:
        """Return an object by its name.

        Raises:
            NotFoundError: There is none of that name.
        """
        schema, name = qualified_name(name, schema)
        return self._find_record(self._runner._content(), name, schema)

    def drop(self, name: str, *, schema: str | None = None, if_exists: bool = False) -> Commit:
        """Drop an object; of a macro, all its overloads.

        With ``if_exists``, nothing is done if there is none.

        Raises:
            NotFoundError: There is none of that name, or a table has it and a view was meant.
        """
        schema, name = qualified_name(name, schema)

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if found is not None:
                self._check_kind(staging.draft, found, name)
            if if_exists and (found is None or self._find(staging.draft, found.schema_id, name) is None):
                return
            self._drop(staging, self._row(staging.draft, name, schema))

        return self._runner._commit(verb)

    def _check_kind(self, content: Content, schema: SchemaRow, name: str) -> None:
        """Refuse a name that an object of another kind has, if kinds share names."""

    def _make(
        self, verb: Callable[[Staging], int | None], name: str, schema: str, gone: Callable[[int], Record]
    ) -> Record:
        made = self._runner._make(
            lambda staging: (verb(staging), 0), lambda seen: self._find_record(seen, name, schema), gone
        )
        return replace(made.thing, created=made.created, commit=made.commit)

    def _find_record(self, content: Content, name: str, schema: str) -> Record:
        row = self._row(content, name, schema)
        return self._describe(content, row, lookup.schema_by_id(content, row.schema_id).schema_name)

    @abstractmethod
    def _rows(self, content: Content, schema_id: SchemaId | None) -> Sequence[Row]:
        """Return the metadata rows of all objects, or of those of a schema."""

    @abstractmethod
    def _find(self, content: Content, schema_id: SchemaId, name: str) -> Row | None:
        """Return the metadata row of an object; None if there is none."""

    @abstractmethod
    def _row(self, content: Content, name: str, schema: str) -> Row:
        """Return the metadata row of an object; raise an error if there is none."""

    @abstractmethod
    def _describe(self, content: Content, row: Row, schema_name: str) -> Record:
        """Return an object as users see it."""

    @abstractmethod
    def _drop(self, staging: Staging, row: Row) -> None:
        """Drop an object."""


def wrong_kind_error(name: str, schema: str, *, there: str, wanted: str) -> NotFoundError:
    """Return the error for a name that something of another kind has."""
    return NotFoundError(f'"{join_name(schema, name)}" is a {there}, not a {wanted}; nothing was dropped.')
