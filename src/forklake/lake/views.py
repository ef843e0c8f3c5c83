"""Views of a catalog as a handle."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forklake.catalog import describe, lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.transaction import Staging
from forklake.catalog.view import Content
from forklake.lake.objects import Objects
from forklake.model.ids import SchemaId, ViewId
from forklake.model.records import Commit, View
from forklake.model.rows import ViewRow
from forklake.ops import define_view
from forklake.ops.set_tag import set_view_tag


class Views(Objects[ViewRow, View]):
    """The views of a catalog, or as a transaction sees them.

    Names are written ``view`` or ``schema.view``, each part in double quotes where it has a dot; with ``schema`` a name
    is taken as it is.
    """

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
        aliases = tuple(column_aliases)
        return self._make(
            lambda staging: define_view.create_view(staging, runtime, new),
            name,
            schema,
            lambda local: View(ViewId(local), schema, name, "", sql, dialect, aliases, {}, {}),
        )

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

    def _rows(self, content: Content, schema_id: SchemaId | None) -> Sequence[ViewRow]:
        return lookup.views(content, schema_id)

    def _find(self, content: Content, schema_id: SchemaId, name: str) -> ViewRow | None:
        return lookup.find_view(content, schema_id, name)

    def _row(self, content: Content, name: str, schema: str) -> ViewRow:
        return lookup.view(content, name, schema)

    def _described(self, content: Content, row: ViewRow, schema_name: str) -> View:
        return describe.view(content, row, schema_name)

    def _drop(self, staging: Staging, row: ViewRow) -> None:
        define_view.drop_view(staging, row)
