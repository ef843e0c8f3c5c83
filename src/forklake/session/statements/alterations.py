"""The statements ALTER TABLE and ALTER VIEW.

They run on metadata alone, except where rows must be searched for NULL.
"""

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
from forklake.ops.objects import alter_columns as columns
from forklake.ops.objects.arrange_files import set_partitioning, set_sorting
from forklake.ops.objects.define_table import define_columns, rename_table
from forklake.ops.objects.define_view import rename_view
from forklake.session.names.existence import check_object, object_exists
from forklake.session.names.name_resolution import SessionNames, Target
from forklake.session.state import SessionState
from forklake.session.statements.definitions import check_kind, check_names, has_table
from forklake.sql import statements


def alter_table(state: SessionState, statement: statements.AlterTable) -> None:
    """Run ALTER TABLE."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "ALTER")
    if statement.if_exists and not has_table(writer, target):
        return
    check_kind("table", writer, target)
    check_object("table", content_of(writer), target.attached, target.schema, target.name)
    action = statement.action
    try:
        _check_new_name(state, writer, target, action)
        _ACTIONS[type(action)](writer, target, action)
    except NotFoundError as error:
        raise _no_column(writer, target, action) or error from error


def _check_new_name(state: SessionState, writer: Transaction, target: Target, action: statements.TableAction) -> None:
    """Refuse a reserved name for a column that an action makes or renames."""
    match action:
        case statements.AddColumn(column=column, inside=()) if not (
            action.if_not_exists and _has_column(writer, target, (column.name,))
        ):
            check_names(state, writer, target, [column.name])
        case statements.RenameColumn(column=(_,)) if _has_column(writer, target, action.column):
            check_names(state, writer, target, [action.new_name])
        case _:
            pass


def _no_column(writer: Transaction, target: Target, action: statements.TableAction) -> NotFoundError | None:
    """Return the error for a column that the table does not have, in DuckLake's words.

    None if the action names no column.
    """
    content = content_of(writer)
    known = [field.name for field in table_fields(content, lookup.table(content, target.name, target.schema).table_id)]
    text = f'Binder Error: Table "{target.name}" does not have a column with name "{{}}"'
    match action:
        case statements.RenameColumn(column=path):
            text = "Catalog Error: Failed to rename column - column {} does not exist"
        case statements.SetNullsAllowed(column=path):
            text = "Catalog Error: Failed to alter column - column {} does not exist"
        case statements.AddColumn(inside=path):
            text = 'Binder Error: Column "{}" does not exist'
        case statements.ChangeType(path=path):
            pass
        case statements.DropColumn(column=path) | statements.SetDefault(column=path):
            pass
        case statements.SetPartitioning(keys=keys):
            path = (next((key.column for key in keys if fold(key.column) not in map(fold, known)), keys[0].column),)
            text = 'Catalog Error: Unexpected partition key - column "{}" does not exist'
        case _:
            return None
    if len(path) > 1:
        whole = ".".join(path)
        return NotFoundError(f'Catalog Error: Cannot alter table "{target.name}": column {whole} does not exist')
    near = nearest(path[0], known)
    return NotFoundError(text.format(path[0]) + (f'\n\nDid you mean: "{near}"' if near else ""))


def alter_view(state: SessionState, statement: statements.AlterView) -> None:
    """Run ALTER VIEW ... RENAME TO."""
    target = SessionNames(state).target(statement.name)
    writer = state.work.writer(target.attached, "ALTER")
    check_kind("view", writer, target)
    if statement.if_exists and not object_exists("view", content_of(writer), target.schema, target.name):
        return
    check_object("view", content_of(writer), target.attached, target.schema, target.name)
    row = lookup.view(content_of(writer), target.name, target.schema)
    run(writer, lambda staging: rename_view(staging, row, statement.new_name))


def _has_column(writer: Transaction, target: Target, path: statements.Name) -> bool:
    content = content_of(writer)
    try:
        lookup.column(content, lookup.table(content, target.name, target.schema), path)
    except NotFoundError:
        return False
    return True


def _row(staging: Staging, target: Target) -> TableRow:
    return lookup.table(staging.draft, target.name, target.schema)


def _add_column(writer: Transaction, target: Target, action: statements.AddColumn) -> None:
    if action.if_not_exists and _has_column(writer, target, (*action.inside, action.column.name)):
        return
    (column,), parent = define_columns(runtime_of(writer), [action.column]), action.inside or None
    run(writer, lambda staging: columns.add_column(staging, _row(staging, target), column, parent=parent))


def _drop_column(writer: Transaction, target: Target, action: statements.DropColumn) -> None:
    if action.if_exists and not _has_column(writer, target, action.column):
        return
    runtime = runtime_of(writer)
    run(writer, lambda staging: columns.drop_column(staging, runtime, _row(staging, target), action.column))


def _rename_column(writer: Transaction, target: Target, action: statements.RenameColumn) -> None:
    def verb(staging: Staging) -> None:
        columns.rename_column(staging, runtime_of(writer), _row(staging, target), action.column, action.new_name)

    run(writer, verb)


def _change_type(writer: Transaction, target: Target, action: statements.ChangeType) -> None:
    if action.using is not None:
        raise InvalidInputError("Not implemented Error: USING in ALTER COLUMN TYPE is not supported in DuckLake")
    runtime = runtime_of(writer)
    run(writer, lambda staging: columns.set_type(staging, runtime, _row(staging, target), action.path, action.type))


def _set_default(writer: Transaction, target: Target, action: statements.SetDefault) -> None:
    def verb(staging: Staging) -> None:
        row = _row(staging, target)
        columns.set_default(
            staging, runtime_of(writer), row, action.column, action.default, is_expression=action.is_expression
        )

    run(writer, verb)


def _set_nulls_allowed(writer: Transaction, target: Target, action: statements.SetNullsAllowed) -> None:
    def verb(staging: Staging) -> None:
        if action.allowed:
            columns.allow_nulls(staging, _row(staging, target), action.column)
        else:
            columns.forbid_nulls(staging, runtime_of(writer), _row(staging, target), action.column)

    run(writer, verb)


def _set_partitioning(writer: Transaction, target: Target, action: statements.SetPartitioning) -> None:
    run(writer, lambda staging: set_partitioning(staging, _row(staging, target), action.keys))


def _set_sorting(writer: Transaction, target: Target, action: statements.SetSorting) -> None:
    run(writer, lambda staging: set_sorting(staging, runtime_of(writer), _row(staging, target), action.keys))


def _rename_table(writer: Transaction, target: Target, action: statements.RenameTable) -> None:
    run(writer, lambda staging: rename_table(staging, _row(staging, target), action.new_name))


_ACTIONS: Final[Mapping[type[Any], Callable[[Transaction, Target, Any], None]]] = {
    statements.AddColumn: _add_column,
    statements.DropColumn: _drop_column,
    statements.ChangeType: _change_type,
    statements.RenameColumn: _rename_column,
    statements.RenameTable: _rename_table,
    statements.SetDefault: _set_default,
    statements.SetNullsAllowed: _set_nulls_allowed,
    statements.SetPartitioning: _set_partitioning,
    statements.SetSorting: _set_sorting,
}
