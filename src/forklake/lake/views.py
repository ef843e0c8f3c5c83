"""Views of a catalog as a handle."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace

from forklake.catalog import describe, lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.transaction import Staging
from forklake.errors import NotFoundError
from forklake.lake.runner import Runner, create
from forklake.model.ids import ViewId
from forklake.model.records import Commit, View
from forklake.model.rows import ViewRow
from forklake.ops import define_view
from forklake.ops.set_tag import set_view_tag


class Views:
    """The views of a catalog, or as a transaction sees them.

    Names are written ``view`` or ``schema.view``, each part in double quotes where it has a dot; with ``schema`` a name
    is taken as it is.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def list(self, schema: str | None = None) -> builtins.list[View]:
        """Return all views, or those of a schema, by schema and name."""
        content = self._runner._content()
        wanted = None if schema is None else lookup.schema(content, schema).schema_id
        names = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
        found = [describe.view(content, row, names[row.schema_id]) for row in lookup.views(content, wanted)]
        return sorted(found, key=lambda view: (view.schema_name, view.name))

    def get(self, name: str, *, schema: str | None = None) -> View:
        """Return a view.

        Raises:
            NotFoundError: There is none of that name.
        """
        content = self._runner._content()
        row = lookup.view(content, *reversed(qualified_name(name, schema)))
        return describe.view(content, row, lookup.schema_by_id(content, row.schema_id).schema_name)

    def create(
        self,
        name: str,
        sql: str,
        *,
        column_aliases: Sequence[str] = (),
        dialect: str = "duckdb",
        schema: str | None = None,
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> View:
        """Create a view, a query under a name, and return it. What it names is looked up when it is read.

        ``created`` of what is returned tells whether this call made it, ``commit`` what it did.

        Raises:
            AlreadyExistsError: There is a table or view of that name.
            InvalidInputError: The text is no query, or several. (In another dialect it is taken as it is.)
        """
        schema, name = qualified_name(name, schema)
        new = define_view.NewView(name, sql, schema, column_aliases, dialect, if_not_exists, or_replace)
        runtime = self._runner._runtime
        created, done = create(self._runner, lambda staging: (define_view.create_view(staging, runtime, new), 0))
        try:
            made = self.get(name, schema=schema)
        except NotFoundError:
            if not self._runner._is_done:
                raise
            # Made the first time, and gone since.
            made = View(ViewId(-1), schema, name, "", sql, dialect, tuple(column_aliases), {}, {})
        return replace(made, created=created, commit=done)

    def drop(self, name: str, *, schema: str | None = None, if_exists: bool = False) -> Commit:
        """Drop a view.

        Raises:
            NotFoundError: There is none of that name.
        """
        schema, name = qualified_name(name, schema)

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_view(staging.draft, found.schema_id, name) is None):
                return
            define_view.drop_view(staging, lookup.view(staging.draft, name, schema))

        return self._runner._commit(verb)

    def rename(self, name: str, new_name: str, *, schema: str | None = None) -> Commit:
        """Give a view another name.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is a table or view of the new name.
        """
        return self._change(name, schema, lambda staging, view: define_view.rename_view(staging, view, new_name))

    def set_tag(
        self, name: str, key: str, value: str | None, *, column: str | None = None, schema: str | None = None
    ) -> Commit:
        """Set a tag of a view, or of one of its columns; None takes it away. The key ``comment`` is its comment."""
        return self._change(name, schema, lambda staging, view: set_view_tag(staging, view, key, value, column=column))

    def comment(
        self, name: str, comment: str | None, *, column: str | None = None, schema: str | None = None
    ) -> Commit:
        """Say something about a view, or about one of its columns; None takes it back."""
        return self.set_tag(name, "comment", comment, column=column, schema=schema)

    def _change(self, name: str, schema: str | None, change: Callable[[Staging, ViewRow], None]) -> Commit:
        schema, name = qualified_name(name, schema)
        return self._runner._commit(lambda staging: change(staging, lookup.view(staging.draft, name, schema)))
