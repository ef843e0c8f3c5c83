"""Statements that define: schemas, tables, views, macros, comments. They run on metadata alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.files.texts import parse_values
from forklake.lake import Transaction
from forklake.lake.rows import place_of
from forklake.model.definitions import SortKey
from forklake.model.field import Field, plain_column
from forklake.model.type_text import field_of, type_text
from forklake.session.names import SessionNames, Target
from forklake.session.state import State
from forklake.sql import statements as said
from forklake.sql.insertion import check_default


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
    for column in statement.columns:
        if column.default is not None and column.default_is_expression:
            check_default(column.default)
    check_sort_keys(writer, target.name, [field_of(column) for column in statement.columns], statement.sort_by)
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
    state.work.writer(target.attached, "CREATE").create_macro(
        target.name,
        statement.implementations,
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
        writer.drop_schema(name, cascade=statement.cascade, if_exists=statement.if_exists)
        return
    if statement.cascade:
        raise InvalidInputError("Not implemented Error: Cascade Drop not supported in DuckLake")
    target = names.target(statement.name)
    writer = state.work.writer(target.attached, "DROP")
    _check_kind(writer, target, statement)
    match statement.kind:
        case "table":
            writer.drop_table(target.name, schema=target.schema, if_exists=statement.if_exists)
        case "view":
            writer.drop_view(target.name, schema=target.schema, if_exists=statement.if_exists)
        case _:
            writer.drop_macro(target.name, schema=target.schema, if_exists=statement.if_exists)


def _check_kind(writer: Transaction, target: Target, statement: said.Drop) -> None:
    """Refuse to drop a view as a table, and the other way round."""
    schema = lookup.find_schema(writer._content(), target.schema)
    if schema is None or statement.kind not in ("table", "view"):
        return
    content = writer._content()
    is_table = lookup.find_table(content, schema.schema_id, target.name) is not None
    is_view = lookup.find_view(content, schema.schema_id, target.name) is not None
    if (is_view and statement.kind == "table") or (is_table and statement.kind == "view"):
        there, wanted = ("View", "Table") if is_view else ("Table", "View")
        raise InvalidInputError(
            f"Catalog Error: Existing object {target.name} is of type {there}, trying to drop type {wanted}"
        )


# ---- ALTER -----------------------------------------------------------------------------------------------------------


def alter_table(state: State, statement: said.AlterTable) -> None:
    """ALTER TABLE."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "ALTER")
    if statement.if_exists and not _has_table(writer, target):
        return
    _check_is("table", writer, target)
    action = statement.action
    try:
        _ACTIONS[type(action)](writer, target, action)
    except NotFoundError as error:
        if not _has_table(writer, target):
            raise
        raise NotFoundError(
            f'Catalog Error: Cannot alter table "{target.name}": column {_column_of(action)} does not exist'
        ) from error


def _column_of(action: said.TableAction) -> str:
    """Return the column that an action names, as it was written."""
    match action:
        case said.AddColumn(inside=path) | said.ChangeType(path=path):
            return ".".join(path)
        case said.DropColumn(column=path) | said.RenameColumn(column=path):
            return ".".join(path)
        case said.SetDefault(column=path) | said.SetNullsAllowed(column=path):
            return ".".join(path)
        case said.SetPartitioning(keys=keys):
            return ", ".join(key.column for key in keys)
    return ""


def alter_view(state: State, statement: said.AlterView) -> None:
    """ALTER VIEW ... RENAME TO."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "ALTER")
    _check_is("view", writer, target)
    try:
        writer.rename_view(target.name, statement.new_name, schema=target.schema)
    except NotFoundError:
        if not statement.if_exists:
            raise


def _check_is(kind: Literal["table", "view"], writer: Transaction, target: Target) -> None:
    """Refuse a view where a table is meant, and the other way round."""
    content = writer._content()
    schema = lookup.find_schema(content, target.schema)
    find = lookup.find_view if kind == "table" else lookup.find_table
    if schema is not None and find(content, schema.schema_id, target.name) is not None:
        raise InvalidInputError(f'Catalog Error: "{target.name}" is not a {kind}; nothing was changed.')


def _has_table(writer: Transaction, target: Target) -> bool:
    content = writer._content()
    schema = lookup.find_schema(content, target.schema)
    return schema is not None and lookup.find_table(content, schema.schema_id, target.name) is not None


def _has_column(writer: Transaction, target: Target, path: said.Name) -> bool:
    content = writer._content()
    try:
        lookup.column(content, lookup.table(content, target.name, target.schema), path)
    except NotFoundError:
        return False
    return True


def _add_column(writer: Transaction, target: Target, action: said.AddColumn) -> None:
    if action.if_not_exists and _has_column(writer, target, (*action.inside, action.column.name)):
        return
    if action.column.default is not None and not action.column.default_is_expression and not action.column.children:
        parse_values(field_of(action.column), [action.column.default])
    writer.add_column(target.name, action.column, parent=action.inside or None, schema=target.schema)


def _drop_column(writer: Transaction, target: Target, action: said.DropColumn) -> None:
    if action.if_exists and not _has_column(writer, target, action.column):
        return
    writer.drop_column(target.name, action.column, schema=target.schema)


def _change_type(writer: Transaction, target: Target, action: said.ChangeType) -> None:
    if action.using is not None:
        raise InvalidInputError("Not implemented Error: USING in ALTER COLUMN TYPE is not supported in DuckLake")
    writer.change_column_type(target.name, action.path, type_text(field_of(action.column)), schema=target.schema)


def _set_sorting(writer: Transaction, target: Target, action: said.SetSorting) -> None:
    content = writer._content()
    row = lookup.table(content, target.name, target.schema)
    check_sort_keys(writer, target.name, table_fields(content, row.table_id), action.keys)
    writer.set_sorting(target.name, action.keys, schema=target.schema)


def check_sort_keys(writer: Transaction, table: str, fields: Sequence[Field], keys: Sequence[SortKey]) -> None:
    """Refuse keys that name columns which a table does not have: no row could be inserted into it.

    Raises:
        InvalidInputError: One does, in DuckLake's words.
    """
    missing = []
    for key in keys:
        try:
            if plain_column(key.expression, fields) is None:
                place_of(writer).to_spark_sql(key.expression, table, fields)
        except NotFoundError:
            missing.append(key.expression)
        except ForklakeError:
            continue  # it is understood by DuckLake, or is not: inserts will tell
    if missing:
        raise InvalidInputError(
            "Binder Error: Columns in the SET SORTED BY statement were not found in the DuckLake table."
            f" Unmatched columns were: {', '.join(missing)}"
        )


_ACTIONS: Final[Mapping[type[Any], Callable[[Transaction, Target, Any], None]]] = {
    said.AddColumn: _add_column,
    said.DropColumn: _drop_column,
    said.ChangeType: _change_type,
    said.RenameColumn: lambda writer, target, action: writer.rename_column(
        target.name, action.column, action.new_name, schema=target.schema
    ),
    said.RenameTable: lambda writer, target, action: writer.rename_table(
        target.name, action.new_name, schema=target.schema
    ),
    said.SetDefault: lambda writer, target, action: writer.set_default(
        target.name, action.column, action.default, is_expression=action.is_expression, schema=target.schema
    ),
    said.SetNullsAllowed: lambda writer, target, action: writer.set_nulls_allowed(
        target.name, action.column, action.allowed, schema=target.schema
    ),
    said.SetPartitioning: lambda writer, target, action: writer.set_partitioning(
        target.name, action.keys, schema=target.schema
    ),
    said.SetSorting: _set_sorting,
}


# ---- COMMENT ---------------------------------------------------------------------------------------------------------


def comment(state: State, statement: said.Comment) -> None:
    """COMMENT ON a table, a view, or a column of either."""
    if statement.kind not in ("table", "view", "column"):
        raise InvalidInputError(
            f"Not implemented Error: COMMENT ON {statement.kind.upper()} is not supported in DuckLake"
        )
    is_column = statement.kind == "column"
    target = SessionNames(state).target(statement.name[:-1] if is_column else statement.name)
    column = statement.name[-1] if is_column else None
    writer = state.work.writer(target.attached, "COMMENT")
    if statement.kind != "column":
        _check_is(statement.kind, writer, target)
    if statement.kind == "table" or (is_column and _has_table(writer, target)):
        writer.comment_on_table(target.name, statement.text, column=column and (column,), schema=target.schema)
    else:
        writer.comment_on_view(target.name, statement.text, column=column, schema=target.schema)
