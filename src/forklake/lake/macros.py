"""Macros of a catalog as a handle."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import replace

from forklake.catalog import describe, lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.transaction import Staging
from forklake.errors import NotFoundError
from forklake.lake.runner import Runner, create
from forklake.model.definitions import MacroImplementation
from forklake.model.ids import MacroId
from forklake.model.records import Commit, Macro
from forklake.ops import define_macro


class Macros:
    """The macros of a catalog, or as a transaction sees them. Names are written as those of views."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def list(self, schema: str | None = None) -> builtins.list[Macro]:
        """Return all macros, or those of a schema, by schema and name."""
        content = self._runner._content()
        wanted = None if schema is None else lookup.schema(content, schema).schema_id
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [describe.macro(content, row, names[row.schema_id]) for row in lookup.macros(content, wanted)]
        return sorted(found, key=lambda macro: (macro.schema_name, macro.name))

    def get(self, name: str, *, schema: str | None = None) -> Macro:
        """Return a macro with its overloads.

        Raises:
            NotFoundError: There is none of that name.
        """
        content = self._runner._content()
        row = lookup.macro(content, *reversed(qualified_name(name, schema)))
        return describe.macro(content, row, lookup.schema_by_id(content, row.schema_id).schema_name)

    def create(
        self,
        name: str,
        implementations: Sequence[MacroImplementation] | MacroImplementation,
        *,
        schema: str | None = None,
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> Macro:
        """Create a macro with its overloads, all scalar or all table, and return it.

        What they name is looked up when they are called. ``created`` of what is returned tells whether this call made
        it, ``commit`` what it did.

        Raises:
            AlreadyExistsError: There is a macro of that name.
            InvalidInputError: A body is no expression, or that of a table macro no query.
        """
        schema, name = qualified_name(name, schema)
        overloads = (implementations,) if isinstance(implementations, MacroImplementation) else tuple(implementations)
        new = define_macro.NewMacro(name, overloads, schema, if_not_exists, or_replace)
        runtime = self._runner._runtime
        created, done = create(self._runner, lambda staging: (define_macro.create_macro(staging, runtime, new), 0))
        try:
            made = self.get(name, schema=schema)
        except NotFoundError:
            if not self._runner._is_done:
                raise
            # Made the first time, and gone since.
            made = Macro(MacroId(-1), schema, name, overloads[0].type if overloads else "scalar", overloads)
        return replace(made, created=created, commit=done)

    def drop(self, name: str, *, schema: str | None = None, if_exists: bool = False) -> Commit:
        """Drop a macro with all its overloads.

        Raises:
            NotFoundError: There is none of that name.
        """
        schema, name = qualified_name(name, schema)

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_macro(staging.draft, found.schema_id, name) is None):
                return
            define_macro.drop_macro(staging, lookup.macro(staging.draft, name, schema))

        return self._runner._commit(verb)
