"""ALTER of tables and views. Metadata is enough, but where rows must be searched for NULL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Transaction
from forklake.lake.internals import content_of, run, runtime_of
from forklake.model.names import fold, nearest
from forklake.model.rows import TableRow
from forklake.ops import alter_columns as columns
from forklake.ops.arrange_files import set_partitioning, set_sorting
from forklake.ops.define_table import define_columns, rename_table
from forklake.ops.define_view import rename_view
from forklake.session.definitions import check_is, check_names, has_table
from forklake.session.name_resolution import SessionNames, Target
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
    row = lookup.view(content_of(writer), target.name, target.schema)
    run(writer, lambda staging: rename_view(staging, row, statement.new_name))


def _has_column(writer: Transaction, target: Target, path: said.Name) -> bool:
    content = content_of(writer)
    try:
        lookup.column(content, lookup.table(content, target.name, target.schema), path)
    except NotFoundError:
        return False
    return True


def _row(staging: Staging, target: Target) -> TableRow:
    return lookup.table(staging.draft, target.name, target.schema)


def _add_column(writer: Transaction, target: Target, action: said.AddColumn) -> None:
    if action.if_not_exists and _has_column(writer, target, (*action.inside, action.column.name)):
        return
    if not action.inside:
        check_names(writer, target, [action.column.name])
    (column,), parent = define_columns(runtime_of(writer), [action.column]), action.inside or None
    run(writer, lambda staging: columns.add_column(staging, _row(staging, target), column, parent=parent))


def _drop_column(writer: Transaction, target: Target, action: said.DropColumn) -> None:
    if action.if_exists and not _has_column(writer, target, action.column):
        return
    run(writer, lambda staging: columns.drop_column(staging, _row(staging, target), action.column))


def _rename_column(writer: Transaction, target: Target, action: said.RenameColumn) -> None:
    if len(action.column) == 1 and _has_column(writer, target, action.column):
        check_names(writer, target, [action.new_name])
    run(writer, lambda staging: columns.rename_column(staging, _row(staging, target), action.column, action.new_name))


def _change_type(writer: Transaction, target: Target, action: said.ChangeType) -> None:
    if action.using is not None:
        raise InvalidInputError("Not implemented Error: USING in ALTER COLUMN TYPE is not supported in DuckLake")
    runtime = runtime_of(writer)
    run(writer, lambda staging: columns.set_type(staging, runtime, _row(staging, target), action.path, action.type))


def _set_default(writer: Transaction, target: Target, action: said.SetDefault) -> None:
    def verb(staging: Staging) -> None:
        row = _row(staging, target)
        columns.set_default(
            staging, runtime_of(writer), row, action.column, action.default, is_expression=action.is_expression
        )

    run(writer, verb)


def _set_nulls_allowed(writer: Transaction, target: Target, action: said.SetNullsAllowed) -> None:
    def verb(staging: Staging) -> None:
        if action.allowed:
            columns.allow_nulls(staging, _row(staging, target), action.column)
        else:
            columns.forbid_nulls(staging, runtime_of(writer), _row(staging, target), action.column)

    run(writer, verb)


def _set_partitioning(writer: Transaction, target: Target, action: said.SetPartitioning) -> None:
    run(writer, lambda staging: set_partitioning(staging, _row(staging, target), action.keys))


def _set_sorting(writer: Transaction, target: Target, action: said.SetSorting) -> None:
    run(writer, lambda staging: set_sorting(staging, runtime_of(writer), _row(staging, target), action.keys))


def _rename_table(writer: Transaction, target: Target, action: said.RenameTable) -> None:
    run(writer, lambda staging: rename_table(staging, _row(staging, target), action.new_name))


_ACTIONS: Final[Mapping[type[Any], Callable[[Transaction, Target, Any], None]]] = {
    said.AddColumn: _add_column,
    said.DropColumn: _drop_column,
    said.ChangeType: _change_type,
    said.RenameColumn: _rename_column,
    said.RenameTable: _rename_table,
    said.SetDefault: _set_default,
    said.SetNullsAllowed: _set_nulls_allowed,
    said.SetPartitioning: _set_partitioning,
    said.SetSorting: _set_sorting,
}
