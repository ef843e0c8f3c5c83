"""COPY FROM DATABASE: everything of one attached catalog into another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from forklake.lake import Catalog, Table, Transaction
from forklake.lake.internals import content_of, run, runtime_of
from forklake.model.definitions import ColumnDefinition
from forklake.model.names import join_name
from forklake.model.records import Column, View
from forklake.ops.objects import define_macro, define_schema, define_table, define_view
from forklake.ops.objects.set_tag import set_table_tag, set_view_tag
from forklake.session.names.existence import object_exists
from forklake.session.names.name_resolution import SessionNames
from forklake.session.state import SessionState
from forklake.session.statements import changes
from forklake.sql import statements
from forklake.sql.catalog_statements import CopyDatabase
from forklake.sql.simple_queries import all_of


def copy_database(state: SessionState, statement: CopyDatabase) -> None:
    """Run COPY FROM DATABASE.

    Definitions are made first, then rows are copied, in one transaction. If a name is taken nothing is made.

    Raises:
        AlreadyExistsError: The target has something of a name that is to be made.
        InvalidInputError: Source and target are one catalog.
        NotFoundError: There is no such catalog, or no table for rows that are copied without definitions.
    """
    names = SessionNames(state)
    source, target = names.attached_catalog(statement.source), names.attached_catalog(statement.target)
    if source is target or source.alias == target.alias:
        raise InvalidInputError(
            f'Binder Error: Cannot copy from database "{source.alias}" to itself; nothing was copied.'
        )
    reader = state.reader(source)
    tables = reader.tables()
    if not statement.has_definitions:
        _check_tables(tables, state.reader(target), target.alias)
    else:
        writer = state.work.writer(target, "COPY FROM DATABASE")
        _check_names(reader, writer, target.alias)
        _define(reader, writer)
    if statement.has_rows:
        for table in tables:
            place = (table.schema_name, table.name)
            changes.insert(
                state, statements.Insert((target.alias, *place), all_of((source.alias, *place)), _names(table))
            )


def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns)


def _check_tables(tables: Sequence[Table], target: Catalog | Transaction, alias: str) -> None:
    """Refuse before any row is copied, if a table for rows is missing."""
    for table in tables:
        if not object_exists("table", content_of(target), table.schema_name, table.name):
            raise NotFoundError(
                f'Catalog Error: Table with name "{join_name(table.schema_name, table.name)}" does not exist in'
                f' "{alias}"; nothing was copied.',
                hint="COPY FROM DATABASE without (DATA) makes it.",
            )


def _check_names(reader: Catalog | Transaction, writer: Transaction, alias: str) -> None:
    """Refuse before anything is made, if a name is taken."""
    content = content_of(writer)
    wanted = [
        *(("table", one.schema_name, one.name) for one in reader.tables()),
        *(("view", one.schema_name, one.name) for one in reader.views.list()),
        *(("macro", one.schema_name, one.name) for one in reader.macros.list()),
    ]
    for kind, schema, name in wanted:
        kinds = ("macro",) if kind == "macro" else ("table", "view")
        if any(object_exists(one, content, schema, name) for one in kinds):  # type: ignore[arg-type]
            raise AlreadyExistsError(
                f'Catalog Error: {kind.capitalize()} with name "{join_name(schema, name)}" already exists in'
                f' "{alias}"; nothing was copied.'
            )


def _define(reader: Catalog | Transaction, writer: Transaction) -> None:
    """Make schemas, tables, macros and views as another catalog has them.

    They have its comments and tags, too.
    """
    runtime = runtime_of(writer)

    def verb(staging: Staging) -> None:
        for schema in reader.schemas.list():
            define_schema.create_schema(staging, schema, if_not_exists=True)
        for table in reader.tables():
            columns, layout = tuple(map(_definition, table.columns)), table.inspect
            new = define_table.NewTable(table.name, columns, table.schema_name, layout.partition_by, layout.sort_by)
            define_table.create_table(staging, runtime, new)
            row = lookup.table(staging.draft, table.name, table.schema_name)
            for key, value in layout.tags.items():
                set_table_tag(staging, row, key, value)
            for path, key, value in _column_tags(table.columns):
                set_table_tag(staging, row, key, value, column=path)
        for macro in reader.macros.list():
            made = define_macro.NewMacro(macro.name, macro.implementations, macro.schema_name)
            define_macro.create_macro(staging, runtime, made)
        for view in reader.views.list():
            facts = (view.name, view.sql, view.schema_name, view.column_aliases, view.dialect)
            shown = define_view.NewView(*facts, trusted=view.trusted)
            define_view.create_view(staging, runtime, shown)
            _tag_view(staging, view)

    run(writer, verb)


def _column_tags(columns: Sequence[Column], parent: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Return the tags of columns and of what is nested in them.

    Each is the path of a column, a key and a value.
    """
    for column in columns:
        path = (*parent, column.name)
        yield from ((path, key, value) for key, value in column.tags.items())
        yield from _column_tags(column.children, path)


def _tag_view(staging: Staging, view: View) -> None:
    row = lookup.view(staging.draft, view.name, view.schema_name)
    for key, value in view.tags.items():
        set_view_tag(staging, row, key, value)
    for column, tags in view.column_tags.items():
        for key, value in tags.items():
            set_view_tag(staging, row, key, value, column=column)


def _definition(column: Column) -> ColumnDefinition:
    return ColumnDefinition(
        column.name,
        column.type,
        column.nulls_allowed,
        column.default,
        column.default_is_expression,
        tuple(_definition(child) for child in column.children),
        trusted=column.trusted,
    )
