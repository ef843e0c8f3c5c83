"""Views, macros, comments and tags."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from forklake import sql as parser
from forklake.catalog import lookup
from forklake.catalog.names import is_storable
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.lake.verbs.runner import Runner
from forklake.lake.verbs.tables import ColumnName
from forklake.model import change
from forklake.model.definitions import MacroImplementation
from forklake.model.ids import MacroId, ViewId


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
        if if_not_exists and or_replace:
            raise InvalidInputError("Cannot specify both OR REPLACE and IF NOT EXISTS.")
        _check_text(f'View "{name}"', sql, dialect, is_query=True)

        def verb(staging: Staging) -> None:
            schema_id = lookup.schema(staging.draft, schema).schema_id
            found = lookup.find_view(staging.draft, schema_id, name)
            if found is not None and if_not_exists:
                return
            if found is not None and or_replace:
                staging.stage(change.DropView(found.view_id))
            elif or_replace and lookup.find_table(staging.draft, schema_id, name) is not None:
                raise InvalidInputError(
                    f"Existing object {name} is of type Table, trying to replace with type View. Nothing was replaced."
                )
            new_id = ViewId(staging.new_object())
            aliases = tuple(column_aliases)
            staging.stage(change.CreateView(new_id, str(uuid.uuid4()), schema_id, name, sql, dialect, aliases))

        self._run(verb)

    def drop_view(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a view.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_view(staging.draft, found.schema_id, name) is None):
                return
            staging.stage(change.DropView(lookup.view(staging.draft, name, schema).view_id))

        self._run(verb)

    def rename_view(self, name: str, new_name: str, *, schema: str = "main") -> None:
        """Give a view another name.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is a table or view of the new name.
        """

        def verb(staging: Staging) -> None:
            staging.stage(change.RenameView(lookup.view(staging.draft, name, schema).view_id, new_name))

        self._run(verb)

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
        for one in overloads:
            _check_text(f'Macro "{name}"', one.sql, one.dialect, is_query=one.type == "table")
            for parameter in one.parameters:
                if parameter.default_is_expression and parameter.default is not None:
                    _check_text(f'Macro "{name}"', parameter.default, one.dialect, is_query=False)

        def verb(staging: Staging) -> None:
            schema_id = lookup.schema(staging.draft, schema).schema_id
            found = lookup.find_macro(staging.draft, schema_id, name)
            if found is not None and if_not_exists:
                return
            if found is not None and or_replace:
                staging.stage(change.DropMacro(found.macro_id))
            staging.stage(change.CreateMacro(MacroId(staging.new_object()), schema_id, name, overloads))

        self._run(verb)

    def drop_macro(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a macro with all its overloads.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_macro(staging.draft, found.schema_id, name) is None):
                return
            staging.stage(change.DropMacro(lookup.macro(staging.draft, name, schema).macro_id))

        self._run(verb)

    def set_table_tag(
        self, table: str, key: str, value: str | None, *, column: ColumnName | None = None, schema: str = "main"
    ) -> None:
        """Set a tag of a table, or of one of its columns; None takes it away. The key ``comment`` is its comment."""

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            if column is None:
                staging.stage(change.SetTag(row.table_id, key, value))
                return
            column_id = lookup.column(staging.draft, row, column).column_id
            staging.stage(change.SetColumnTag(row.table_id, column_id, key, value))

        self._run(verb)

    def set_view_tag(
        self, view: str, key: str, value: str | None, *, column: str | None = None, schema: str = "main"
    ) -> None:
        """Set a tag of a view, or of one of its columns; None takes it away. The key ``comment`` is its comment."""

        def verb(staging: Staging) -> None:
            row = lookup.view(staging.draft, view, schema)
            if column is None:
                staging.stage(change.SetTag(row.view_id, key, value))
            else:
                staging.stage(change.SetViewColumnTag(row.view_id, column, key, value))

        self._run(verb)

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


def _check_text(what: str, text: str, dialect: str, *, is_query: bool) -> None:
    """Refuse a text in DuckDB's words that could never be read; an empty one is refused where it is staged."""
    if not isinstance(text, str):
        raise InvalidInputError(f"{what} was not created: its text is {text!r}, which is no text.")
    if dialect != "duckdb" or not text.strip() or not is_storable(text):
        return
    try:
        parser.parse.check_kept(text, "a view" if is_query else "a macro", is_query=is_query)
    except InvalidInputError as error:
        kind = "query" if is_query else "expression"
        raise InvalidInputError(
            f"{what} was not created: its text is no {kind}. {error.message}", hint=error.advice
        ) from error
