"""Statements that create, drop and comment on objects.

CREATE and DROP of schemas, tables and macros, DROP of views, and COMMENT. They run on metadata alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError, InvalidNameError
from forklake.lake import Transaction
from forklake.lake.internals import content_of, run, runtime_of
from forklake.model.inlined_names import is_own_name
from forklake.model.names import fold
from forklake.ops.lakes.scoped_options import effective_options
from forklake.ops.objects import define_macro, define_schema, define_table, define_view
from forklake.ops.objects.set_tag import set_table_tag, set_view_tag
from forklake.session.names.existence import Kind, check_object, check_schema, object_exists
from forklake.session.names.name_resolution import SessionNames, Target
from forklake.session.state import SessionState
from forklake.sql import statements
from forklake.sql.portable import make_portable
from forklake.sql.query.check_macro import check_macro


def create_schema(state: SessionState, statement: statements.CreateSchema) -> None:
    """Run CREATE SCHEMA."""
    attached, name = SessionNames(state).new_schema_target(statement.name)
    state.policy.check_new_schema(name)
    if statement.or_replace:
        raise InvalidInputError("Cannot replace a schema; nothing was changed.", hint="DROP SCHEMA it first.")
    writer = state.work.writer(attached, "CREATE")
    run(writer, lambda staging: define_schema.create_schema(staging, name, if_not_exists=statement.if_not_exists))


def create_table(state: SessionState, statement: statements.CreateTable) -> None:
    """Run CREATE TABLE with a list of columns."""
    target = SessionNames(state).new_target(statement.name, is_temporary=statement.is_temporary)
    writer = state.work.writer(target.attached, "CREATE")
    check_schema(content_of(writer), target.attached.alias, target.schema)
    check_names(state, writer, target, [column.name for column in statement.columns])
    runtime = runtime_of(writer)
    new = define_table.NewTable(
        target.name,
        define_table.define_columns(runtime, statement.columns),
        target.schema,
        statement.partition_by,
        statement.sort_by,
        statement.if_not_exists,
        statement.or_replace,
    )
    run(writer, lambda staging: define_table.create_table(staging, runtime, new))


def create_macro(state: SessionState, statement: statements.CreateMacro) -> None:
    """Run CREATE MACRO."""
    target = SessionNames(state).new_target(statement.name, is_temporary=statement.is_temporary)
    writer = state.work.writer(target.attached, "CREATE")
    check_schema(content_of(writer), target.attached.alias, target.schema)
    bodies = tuple(
        replace(one, sql=portable_text(writer, target, one.sql, one.type)) for one in statement.implementations
    )
    if state.policy.is_confined and not target.attached.is_private:
        inside = (target.attached, target.schema)
        for one in statement.implementations:
            check_macro(one, SessionNames(state.within(target.attached), inside, may_act=False, is_new=True))
    new = define_macro.NewMacro(target.name, bodies, target.schema, statement.if_not_exists, statement.or_replace)
    run(writer, lambda staging: define_macro.create_macro(staging, runtime_of(writer), new))


def portable_text(writer: Transaction, target: Target, text: str, kind: Literal["scalar", "table"] = "table") -> str:
    """Return a text as it is stored: without the name that its catalog is attached by.

    What is temporary names what its session names, and is stored as it is.
    """
    if target.attached.is_temporary:
        return text
    return make_portable(text, target.attached.alias, kind, {fold(one.name) for one in writer.macros.list()})


# ---- DROP ------------------------------------------------------------------------------------------------------------


def drop(state: SessionState, statement: statements.Drop) -> None:
    """Run DROP of a schema, a table, a view or a macro."""
    names = SessionNames(state)
    if statement.kind == "schema":
        attached, name = names.schema_target(statement.name)
        writer = state.work.writer(attached, "DROP")
        if not statement.if_exists:
            check_schema(content_of(writer), attached.alias, name)
        run(
            writer,
            lambda staging: define_schema.drop_schema(
                staging, name, cascade=statement.cascade, if_exists=statement.if_exists
            ),
        )
        return
    if statement.cascade:
        raise InvalidInputError("Not implemented Error: Cascade Drop not supported in DuckLake")
    kind: Kind = "macro" if statement.kind == "table macro" else statement.kind
    target = names.target(statement.name, "macro" if kind == "macro" else "relation")
    writer = state.work.writer(target.attached, "DROP")
    _check_dropped_kind(writer, target, statement)
    if statement.if_exists and not object_exists(kind, content_of(writer), target.schema, target.name):
        return
    check_object(kind, content_of(writer), target.attached, target.schema, target.name)
    run(writer, lambda staging: _drop(staging, kind, target))


def _drop(staging: Staging, kind: Kind, target: Target) -> None:
    name, schema = target.name, target.schema
    match kind:
        case "table":
            define_table.drop_table(staging, lookup.table(staging.draft, name, schema))
        case "view":
            define_view.drop_view(staging, lookup.view(staging.draft, name, schema))
        case _:
            define_macro.drop_macro(staging, lookup.macro(staging.draft, name, schema))


def _check_dropped_kind(writer: Transaction, target: Target, statement: statements.Drop) -> None:
    """Refuse to drop a view as a table, and the other way round."""
    content = content_of(writer)
    is_table = object_exists("table", content, target.schema, target.name)
    is_view = object_exists("view", content, target.schema, target.name)
    if (is_view and statement.kind == "table") or (is_table and statement.kind == "view"):
        there, wanted = ("View", "Table") if is_view else ("Table", "View")
        raise InvalidInputError(
            f"Catalog Error: Existing object {target.name} is of type {there}, trying to drop type {wanted}"
        )


# ---- what is checked before ------------------------------------------------------------------------------------------


def check_kind(kind: Literal["table", "view"], writer: Transaction, target: Target, action: str = "ALTER") -> None:
    """Refuse a view where a table is expected, and a table where a view is.

    Raises:
        InvalidInputError: The object is of the other kind.
    """
    other: Literal["table", "view"] = "view" if kind == "table" else "table"
    if object_exists(other, content_of(writer), target.schema, target.name):
        raise InvalidInputError(
            f"Binder Error: Cannot use {action} {kind.upper()} on entry {target.name} - it is not a {kind}"
        )


def has_table(writer: Transaction, target: Target) -> bool:
    """Return whether the name of a statement refers to a table."""
    return object_exists("table", content_of(writer), target.schema, target.name)


def check_names(state: SessionState, writer: Transaction, target: Target, names: Sequence[str]) -> None:
    """Refuse column names that DuckLake reserves for inlined rows.

    They are allowed where inlining is off.

    Raises:
        InvalidNameError: A name is reserved.
    """
    taken = next((name for name in names if is_own_name(name)), None)
    schema = lookup.find_schema(content_of(writer), target.schema)
    if taken is None or schema is None:
        return
    content, runtime = content_of(writer), state.runtime(writer)
    table = lookup.find_table(content, schema.schema_id, target.name)
    table_id = -1 if table is None else table.table_id
    options = effective_options(
        runtime.store,
        content.version.catalog_id,
        schema.schema_id,
        table_id,
        runtime.options,
        runtime.option_defaults,
    )
    if options["data_inlining_row_limit"] != "0":
        raise InvalidNameError(
            f'Binder Error: Column name "{taken}" is reserved by DuckLake for internal use when data inlining is'
            " enabled. If you must use this column name, disable inlining by calling"
            " ducklake_set_option('data_inlining_row_limit', 0)."
        )


# ---- COMMENT ---------------------------------------------------------------------------------------------------------


def comment(state: SessionState, statement: statements.Comment) -> None:
    """Run COMMENT ON a table, a view, or a column of either."""
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
        check_kind(statement.kind, writer, target, "COMMENT ON")
        check_object(statement.kind, content_of(writer), target.attached, target.schema, target.name)
    elif not object_exists("view", content_of(writer), target.schema, target.name):
        check_object("table", content_of(writer), target.attached, target.schema, target.name)
    if statement.kind == "table" or (is_column and has_table(writer, target)):
        run(writer, lambda staging: _comment_on_table(staging, target, column, statement.text))
    else:
        run(writer, lambda staging: _comment_on_view(staging, target, column, statement.text))


def _comment_on_table(staging: Staging, target: Target, column: str | None, text: str | None) -> None:
    row = lookup.table(staging.draft, target.name, target.schema)
    set_table_tag(staging, row, "comment", text, column=None if column is None else (column,))


def _comment_on_view(staging: Staging, target: Target, column: str | None, text: str | None) -> None:
    row = lookup.view(staging.draft, target.name, target.schema)
    set_view_tag(staging, row, "comment", text, column=column)
