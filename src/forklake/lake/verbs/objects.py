"""Views, macros, comments and tags."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.lake.verbs.runner import Runner, found_table
from forklake.model.definitions import MacroImplementation
from forklake.ops import define_macro, define_view, set_tag
from forklake.ops.alter_columns import ColumnName


class ObjectVerbs(Runner):
    """Changes of views and macros, and of what is said about tables, views and columns."""

    def create_view(
        self,
        name: str,
        sql: str,
        *,
        column_aliases: Sequence[str] = (),
        dialect: str = "duckdb",
        schema: str = "main",
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> None:
        """Create a view: a query under a name. What it names is looked up when it is read.

        Raises:
            AlreadyExistsError: There is a table or view of that name.
            InvalidInputError: The text is no query, or several. (In another dialect it is taken as it is.)
        """
        new = define_view.NewView(name, sql, schema, column_aliases, dialect, if_not_exists, or_replace)
        self._run(lambda staging: define_view.create_view(staging, self._runtime, new))

    def drop_view(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a view.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_view(staging.draft, found.schema_id, name) is None):
                return
            define_view.drop_view(staging, lookup.view(staging.draft, name, schema))

        self._run(verb)

    def rename_view(self, name: str, new_name: str, *, schema: str = "main") -> None:
        """Give a view another name.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is a table or view of the new name.
        """
        self._run(lambda staging: define_view.rename_view(staging, lookup.view(staging.draft, name, schema), new_name))

    def create_macro(
        self,
        name: str,
        implementations: Sequence[MacroImplementation] | MacroImplementation,
        *,
        schema: str = "main",
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> None:
        """Create a macro with its overloads, all scalar or all table. What they name is looked up when they are called.

        Raises:
            AlreadyExistsError: There is a macro of that name.
            InvalidInputError: A body is no expression, or that of a table macro no query.
        """
        overloads = (implementations,) if isinstance(implementations, MacroImplementation) else tuple(implementations)
        new = define_macro.NewMacro(name, overloads, schema, if_not_exists, or_replace)
        self._run(lambda staging: define_macro.create_macro(staging, self._runtime, new))

    def drop_macro(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a macro with all its overloads.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_macro(staging.draft, found.schema_id, name) is None):
                return
            define_macro.drop_macro(staging, lookup.macro(staging.draft, name, schema))

        self._run(verb)

    def set_table_tag(
        self, table: str, key: str, value: str | None, *, column: ColumnName | None = None, schema: str = "main"
    ) -> None:
        """Set a tag of a table, or of one of its columns; None takes it away. The key ``comment`` is its comment."""
        self._run(
            lambda staging: set_tag.set_table_tag(
                staging, found_table(staging, table, schema), key, value, column=column
            )
        )

    def set_view_tag(
        self, view: str, key: str, value: str | None, *, column: str | None = None, schema: str = "main"
    ) -> None:
        """Set a tag of a view, or of one of its columns; None takes it away. The key ``comment`` is its comment."""
        self._run(
            lambda staging: set_tag.set_view_tag(
                staging, lookup.view(staging.draft, view, schema), key, value, column=column
            )
        )

    def comment_on_table(
        self, table: str, comment: str | None, *, column: ColumnName | None = None, schema: str = "main"
    ) -> None:
        """Say something about a table, or about one of its columns; None takes it back."""
        self.set_table_tag(table, "comment", comment, column=column, schema=schema)

    def comment_on_view(
        self, view: str, comment: str | None, *, column: str | None = None, schema: str = "main"
    ) -> None:
        """Say something about a view, or about one of its columns; None takes it back."""
        self.set_view_tag(view, "comment", comment, column=column, schema=schema)
