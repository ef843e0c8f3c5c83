"""Views of a catalog: `Catalog.views`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forklake.catalog import describe, lookup
from forklake.catalog.names import qualified_name
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.lake.objects import Objects, wrong_kind_error
from forklake.model.ids import SchemaId, ViewId
from forklake.model.records import Commit, View
from forklake.model.rows import SchemaRow, ViewRow
from forklake.ops.objects import define_view
from forklake.ops.objects.set_tag import set_view_tag


class Views(Objects[ViewRow, View]):
    """The views of a catalog, or of a transaction.

    Names are written ``view`` or ``schema.view``, each part in double quotes where it has a dot; if ``schema`` is
    given, the name is not split.
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
        """Create a view, which is a query under a name, and return it.

        Names in the query are looked up when the view is read. ``created`` of the returned value says whether this
        call created it, and ``commit`` is the commit.

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
        """Rename a view.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is a table or view of the new name.
        """
        return self._change(name, schema, lambda staging, view: define_view.rename_view(staging, view, new_name))

    def set_tag(
        self, name: str, key: str, value: str | None, *, column: str | None = None, schema: str | None = None
    ) -> Commit:
        """Set a tag of a view, or of one of its columns; None removes it.

        The tag ``comment`` is the comment.
        """
        return self._change(name, schema, lambda staging, view: set_view_tag(staging, view, key, value, column=column))

    def comment(
        self, name: str, comment: str | None, *, column: str | None = None, schema: str | None = None
    ) -> Commit:
        """Set the comment of a view, or of one of its columns; None removes it."""
        return self.set_tag(name, "comment", comment, column=column, schema=schema)

    def _change(self, name: str, schema: str | None, change: Callable[[Staging, ViewRow], None]) -> Commit:
        schema, name = qualified_name(name, schema)
        return self._runner._commit(lambda staging: change(staging, lookup.view(staging.draft, name, schema)))

    def _check_kind(self, content: Content, schema: SchemaRow, name: str) -> None:
        if lookup.find_table(content, schema.schema_id, name) is not None:
            raise wrong_kind_error(name, schema.schema_name, there="table", wanted="view")

    def _rows(self, content: Content, schema_id: SchemaId | None) -> Sequence[ViewRow]:
        return lookup.views(content, schema_id)

    def _find(self, content: Content, schema_id: SchemaId, name: str) -> ViewRow | None:
        return lookup.find_view(content, schema_id, name)

    def _row(self, content: Content, name: str, schema: str) -> ViewRow:
        return lookup.view(content, name, schema)

    def _describe(self, content: Content, row: ViewRow, schema_name: str) -> View:
        return describe.view(content, row, schema_name)

    def _drop(self, staging: Staging, row: ViewRow) -> None:
        define_view.drop_view(staging, row)
