"""What can be read of a catalog, at its head, in the past, and within a transaction."""

from __future__ import annotations

from abc import abstractmethod

from forklake.catalog import describe, lookup
from forklake.catalog.view import Content
from forklake.lake.table import Table
from forklake.lake.verbs.runner import Runner
from forklake.model.records import Macro, View


class Reader(Runner):
    """Tables and schemas as one reader sees them."""

    @abstractmethod
    def _content(self) -> Content:
        """Return what is seen, at this statement."""

    def schemas(self) -> list[str]:
        """Return the names of the schemas, in order."""
        return [row.schema_name for row in lookup.schemas(self._content())]

    def tables(self, schema: str | None = None) -> list[Table]:
        """Return all tables, or those of a schema, by schema and name."""
        content = self._content()
        if schema is not None:
            wanted = lookup.schema(content, schema)
            return [Table(self, row, wanted.schema_name) for row in lookup.tables(content, wanted.schema_id)]
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [Table(self, row, names[row.schema_id]) for row in lookup.tables(content)]
        return sorted(found, key=lambda table: (table.schema_name, table.name))

    def table(self, name: str, *, schema: str = "main") -> Table:
        """Return a table.

        Raises:
            NotFoundError: There is none of that name.
        """
        content = self._content()
        row = lookup.table(content, name, schema)
        return Table(self, row, lookup.schema_by_id(content, row.schema_id).schema_name)

    def views(self, schema: str | None = None) -> list[View]:
        """Return all views, or those of a schema, by schema and name."""
        content = self._content()
        wanted = None if schema is None else lookup.schema(content, schema).schema_id
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [describe.view(content, row, names[row.schema_id]) for row in lookup.views(content, wanted)]
        return sorted(found, key=lambda view: (view.schema_name, view.name))

    def view(self, name: str, *, schema: str = "main") -> View:
        """Return a view.

        Raises:
            NotFoundError: There is none of that name.
        """
        content = self._content()
        row = lookup.view(content, name, schema)
        return describe.view(content, row, lookup.schema_by_id(content, row.schema_id).schema_name)

    def macros(self, schema: str | None = None) -> list[Macro]:
        """Return all macros, or those of a schema, by schema and name."""
        content = self._content()
        wanted = None if schema is None else lookup.schema(content, schema).schema_id
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [describe.macro(content, row, names[row.schema_id]) for row in lookup.macros(content, wanted)]
        return sorted(found, key=lambda macro: (macro.schema_name, macro.name))

    def macro(self, name: str, *, schema: str = "main") -> Macro:
        """Return a macro with its overloads.

        Raises:
            NotFoundError: There is none of that name.
        """
        content = self._content()
        row = lookup.macro(content, name, schema)
        return describe.macro(content, row, lookup.schema_by_id(content, row.schema_id).schema_name)
