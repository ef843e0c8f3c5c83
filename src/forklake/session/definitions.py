"""Statements that make and drop schemas, tables and macros, and comments. They run on metadata alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from forklake.catalog import lookup
from forklake.errors import InvalidInputError, InvalidNameError
from forklake.lake import Transaction
from forklake.lake.internals import content_of, runtime_of
from forklake.model.inlined_names import is_own_name
from forklake.model.names import fold
from forklake.ops.options import effective_options
from forklake.session.names import SessionNames, Target
from forklake.session.presence import Kind, check_schema, check_there, is_there
from forklake.session.state import State
from forklake.sql import statements as said
from forklake.sql.portable import portable


def create_schema(state: State, statement: said.CreateSchema) -> None:
    """CREATE SCHEMA."""
    attached, name = SessionNames(state).schema_target(statement.name)
    if statement.or_replace:
        raise InvalidInputError("Cannot replace a schema; nothing was changed.", hint="DROP SCHEMA it first.")
    state.work.writer(attached, "CREATE").create_schema(name, if_not_exists=statement.if_not_exists)


def create_table(state: State, statement: said.CreateTable) -> None:
    """CREATE TABLE with columns."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "CREATE")
    check_schema(content_of(writer), target.attached.alias, target.schema)
    check_names(writer, target, [column.name for column in statement.columns])
    writer.create_table(
        target.name,
        statement.columns,
        schema=target.schema,
        partition_by=statement.partition_by,
        sort_by=statement.sort_by,
        if_not_exists=statement.if_not_exists,
        or_replace=statement.or_replace,
    )


def create_macro(state: State, statement: said.CreateMacro) -> None:
    """CREATE MACRO."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "CREATE")
    check_schema(content_of(writer), target.attached.alias, target.schema)
    alias, macros = target.attached.alias, {fold(one.name) for one in writer.macros()}
    writer.create_macro(
        target.name,
        [replace(one, sql=portable(one.sql, alias, one.type, macros)) for one in statement.implementations],
        schema=target.schema,
        if_not_exists=statement.if_not_exists,
        or_replace=statement.or_replace,
    )


# ---- DROP ------------------------------------------------------------------------------------------------------------


def drop(state: State, statement: said.Drop) -> None:
    """DROP of a schema, a table, a view or a macro."""
    names = SessionNames(state)
    if statement.kind == "schema":
        attached, name = names.schema_target(statement.name)
        writer = state.work.writer(attached, "DROP")
        if not statement.if_exists:
            check_schema(content_of(writer), attached.alias, name)
        writer.drop_schema(name, cascade=statement.cascade, if_exists=statement.if_exists)
        return
    if statement.cascade:
        raise InvalidInputError("Not implemented Error: Cascade Drop not supported in DuckLake")
    target = names.target(statement.name)
    writer = state.work.writer(target.attached, "DROP")
    _check_kind(writer, target, statement)
    if not statement.if_exists:
        kind: Kind = "macro" if statement.kind == "table macro" else statement.kind
        check_there(kind, content_of(writer), target.schema, target.name)
    match statement.kind:
        case "table":
            writer.drop_table(target.name, schema=target.schema, if_exists=statement.if_exists)
        case "view":
            writer.drop_view(target.name, schema=target.schema, if_exists=statement.if_exists)
        case _:
            writer.drop_macro(target.name, schema=target.schema, if_exists=statement.if_exists)


def _check_kind(writer: Transaction, target: Target, statement: said.Drop) -> None:
    """Refuse to drop a view as a table, and the other way round."""
    content = content_of(writer)
    is_table = is_there("table", content, target.schema, target.name)
    is_view = is_there("view", content, target.schema, target.name)
    if (is_view and statement.kind == "table") or (is_table and statement.kind == "view"):
        there, wanted = ("View", "Table") if is_view else ("Table", "View")
        raise InvalidInputError(
            f"Catalog Error: Existing object {target.name} is of type {there}, trying to drop type {wanted}"
        )


# ---- what is checked before ------------------------------------------------------------------------------------------


def check_is(kind: Literal["table", "view"], writer: Transaction, target: Target, deed: str = "ALTER") -> None:
    """Refuse a view where a table is meant, and the other way round.

    Raises:
        InvalidInputError: It is one.
    """
    other: Literal["table", "view"] = "view" if kind == "table" else "table"
    if is_there(other, content_of(writer), target.schema, target.name):
        raise InvalidInputError(
            f"Binder Error: Cannot use {deed} {kind.upper()} on entry {target.name} - it is not a {kind}"
        )


def has_table(writer: Transaction, target: Target) -> bool:
    """Return whether a name leads to a table."""
    return is_there("table", content_of(writer), target.schema, target.name)


def check_names(writer: Transaction, target: Target, names: Sequence[str]) -> None:
    """Refuse names of columns that DuckLake keeps for itself where rows may be kept in the metadata.

    Raises:
        InvalidNameError: One is such a name.
    """
    taken = next((name for name in names if is_own_name(name)), None)
    schema = lookup.find_schema(content_of(writer), target.schema)
    if taken is None or schema is None:
        return
    content, runtime = content_of(writer), runtime_of(writer)
    table = lookup.find_table(content, schema.schema_id, target.name)
    table_id = -1 if table is None else table.table_id
    catalog = content.version.catalog_id
    options = effective_options(runtime.store, catalog, schema.schema_id, table_id, runtime.options)
    if options["data_inlining_row_limit"] != "0":
        raise InvalidNameError(
            f'Binder Error: Column name "{taken}" is reserved by DuckLake for internal use when data inlining is'
            " enabled. If you must use this column name, disable inlining by calling"
            " ducklake_set_option('data_inlining_row_limit', 0)."
        )


# ---- COMMENT ---------------------------------------------------------------------------------------------------------


def comment(state: State, statement: said.Comment) -> None:
    """COMMENT ON a table, a view, or a column of either."""
    if statement.kind not in ("table", "view", "column"):
        raise InvalidInputError(
            f"Not implemented Error: COMMENT ON {statement.kind.upper()} is not supported in DuckLake"
        )
    is_column = statement.kind == "column"
    if is_column and len(statement.name) == 1:
        raise InvalidInputError(f'Binder Error: COMMENT ON COLUMN names a table too: t."{statement.name[0]}"')
    target = SessionNames(state).target(statement.name[:-1] if is_column else statement.name)
    column = statement.name[-1] if is_column else None
    writer = state.work.writer(target.attached, "COMMENT")
    if statement.kind != "column":
        check_is(statement.kind, writer, target, "COMMENT ON")
        check_there(statement.kind, content_of(writer), target.schema, target.name)
    elif not is_there("view", content_of(writer), target.schema, target.name):
        check_there("table", content_of(writer), target.schema, target.name)
    if statement.kind == "table" or (is_column and has_table(writer, target)):
        writer.comment_on_table(target.name, statement.text, column=column and (column,), schema=target.schema)
    else:
        writer.comment_on_view(target.name, statement.text, column=column, schema=target.schema)
