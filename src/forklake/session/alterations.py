"""ALTER of tables and views. Metadata is enough, but where rows must be searched for NULL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Transaction
from forklake.lake.internals import content_of
from forklake.model.names import fold, nearest
from forklake.model.type_text import field_of, type_text
from forklake.session.definitions import check_is, check_names, has_table
from forklake.session.names import SessionNames, Target
from forklake.session.presence import check_there, is_there
from forklake.session.state import State
from forklake.sql import statements as said


def alter_table(state: State, statement: said.AlterTable) -> None:
    """ALTER TABLE."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "ALTER")
    if statement.if_exists and not has_table(writer, target):
        return
    check_is("table", writer, target)
    check_there("table", content_of(writer), target.schema, target.name)
    action = statement.action
    try:
        _ACTIONS[type(action)](writer, target, action)
    except NotFoundError as error:
        raise _no_column(writer, target, action) or error from error


def _no_column(writer: Transaction, target: Target, action: said.TableAction) -> NotFoundError | None:
    """Return the error for the column that an action names and the table has not, in the words that DuckLake has."""
    content = content_of(writer)
    known = [field.name for field in table_fields(content, lookup.table(content, target.name, target.schema).table_id)]
    text = f'Binder Error: Table "{target.name}" does not have a column with name "{{}}"'
    match action:
        case said.RenameColumn(column=path):
            text = "Catalog Error: Failed to rename column - column {} does not exist"
        case said.SetNullsAllowed(column=path):
            text = "Catalog Error: Failed to alter column - column {} does not exist"
        case said.AddColumn(inside=path) | said.ChangeType(path=path):
            pass
        case said.DropColumn(column=path) | said.SetDefault(column=path):
            pass
        case said.SetPartitioning(keys=keys):
            path = (next((key.column for key in keys if fold(key.column) not in map(fold, known)), keys[0].column),)
            text = 'Catalog Error: Unexpected partition key - column "{}" does not exist'
        case _:
            return None
    if len(path) > 1:
        whole = ".".join(path)
        return NotFoundError(f'Catalog Error: Cannot alter table "{target.name}": column {whole} does not exist')
    near = nearest(path[0], known)
    return NotFoundError(text.format(path[0]) + (f'\n\nDid you mean: "{near}"' if near else ""))


def alter_view(state: State, statement: said.AlterView) -> None:
    """ALTER VIEW ... RENAME TO."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "ALTER")
    check_is("view", writer, target)
    if statement.if_exists and not is_there("view", content_of(writer), target.schema, target.name):
        return
    check_there("view", content_of(writer), target.schema, target.name)
    writer.rename_view(target.name, statement.new_name, schema=target.schema)


def _has_column(writer: Transaction, target: Target, path: said.Name) -> bool:
    content = content_of(writer)
    try:
        lookup.column(content, lookup.table(content, target.name, target.schema), path)
    except NotFoundError:
        return False
    return True


def _add_column(writer: Transaction, target: Target, action: said.AddColumn) -> None:
    if action.if_not_exists and _has_column(writer, target, (*action.inside, action.column.name)):
        return
    if not action.inside:
        check_names(writer, target, [action.column.name])
    writer.add_column(target.name, action.column, parent=action.inside or None, schema=target.schema)


def _drop_column(writer: Transaction, target: Target, action: said.DropColumn) -> None:
    if action.if_exists and not _has_column(writer, target, action.column):
        return
    writer.drop_column(target.name, action.column, schema=target.schema)


def _rename_column(writer: Transaction, target: Target, action: said.RenameColumn) -> None:
    if len(action.column) == 1 and _has_column(writer, target, action.column):
        check_names(writer, target, [action.new_name])
    writer.rename_column(target.name, action.column, action.new_name, schema=target.schema)


def _change_type(writer: Transaction, target: Target, action: said.ChangeType) -> None:
    if action.using is not None:
        raise InvalidInputError("Not implemented Error: USING in ALTER COLUMN TYPE is not supported in DuckLake")
    writer.change_column_type(target.name, action.path, type_text(field_of(action.column)), schema=target.schema)


def _set_default(writer: Transaction, target: Target, action: said.SetDefault) -> None:
    writer.set_default(
        target.name, action.column, action.default, is_expression=action.is_expression, schema=target.schema
    )


def _set_sorting(writer: Transaction, target: Target, action: said.SetSorting) -> None:
    writer.set_sorting(target.name, action.keys, schema=target.schema)


_ACTIONS: Final[Mapping[type[Any], Callable[[Transaction, Target, Any], None]]] = {
    said.AddColumn: _add_column,
    said.DropColumn: _drop_column,
    said.ChangeType: _change_type,
    said.RenameColumn: _rename_column,
    said.RenameTable: lambda writer, target, action: writer.rename_table(
        target.name, action.new_name, schema=target.schema
    ),
    said.SetDefault: _set_default,
    said.SetNullsAllowed: lambda writer, target, action: writer.set_nulls_allowed(
        target.name, action.column, action.allowed, schema=target.schema
    ),
    said.SetPartitioning: lambda writer, target, action: writer.set_partitioning(
        target.name, action.keys, schema=target.schema
    ),
    said.SetSorting: _set_sorting,
}
