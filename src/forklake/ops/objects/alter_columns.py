"""Adds, drops and changes columns of a table, and fields of its structs."""

from __future__ import annotations

from forklake import ops
from forklake.catalog import describe, lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.state import live_data_files
from forklake.catalog.transaction import Staging
from forklake.model import change
from forklake.model.definitions import ColumnDefinition
from forklake.model.rows import TableRow
from forklake.model.types import Type
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.arrange_files import stage_sorting
from forklake.ops.objects.check_default import check_default
from forklake.ops.objects.retype_column import retype_column
from forklake.ops.objects.search_nulls import search_nulls
from forklake.ops.objects.sort_keys import check_not_sorted_by, rename_in_keys

ColumnName = str | tuple[str, ...]
"""A column, or a field of structs: the names that lead to it, or one text with dots between them."""


def add_column(
    staging: Staging, table: TableRow, column: ColumnDefinition, *, parent: ColumnName | None = None
) -> None:
    """Add a column, or with ``parent`` a field to that struct.

    Its default must be checked already. Existing rows have the column's default, which must be a literal.

    Raises:
        AlreadyExistsError: There is one of that name.
    """
    inside = None if parent is None else lookup.column(staging.draft, table, parent).column_id
    staging.stage(change.AddColumn(table.table_id, column, inside, staging.new_columns(column)))


def drop_column(staging: Staging, runtime: Runtime, table: TableRow, column: ColumnName) -> None:
    """Drop a column or a field; its id is never used again.

    Raises:
        NotFoundError: There is none of that name.
        InvalidInputError: The table is partitioned or sorted by it, or has no other column.
    """
    found = lookup.column(staging.draft, table, column)
    check_not_sorted_by(staging.draft, runtime, table, found.column_id, found.column_name)
    staging.stage(change.DropColumn(table.table_id, found.column_id))


def rename_column(staging: Staging, runtime: Runtime, table: TableRow, column: ColumnName, name: str) -> None:
    """Give a column or a field another name; sort keys follow it.

    Raises:
        NotFoundError: There is none of the old name.
        AlreadyExistsError: There is one of the new name.
        InvalidInputError: A sort key names the field by a text, as in ``s['a']``.
    """
    found = lookup.column(staging.draft, table, column).column_id
    keys, fields = describe.sorting(staging.draft, table.table_id), table_fields(staging.draft, table.table_id)
    following = rename_in_keys(runtime, keys, table.table_name, fields, found, name)
    staging.stage(change.RenameColumn(table.table_id, found, name))
    if following != keys:
        stage_sorting(staging, table.table_id, following)


def set_type(staging: Staging, runtime: Runtime, table: TableRow, column: ColumnName, wanted: Type) -> None:
    """Widen the type of a column or field.

    Committed files are not rewritten. If the same transaction made the table, the files it has written are
    written again.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: Not every value of the old type is one of the new.
    """
    found = lookup.column(staging.draft, table, column).column_id
    if table.origin is not None or not live_data_files(staging.draft, table.table_id):
        retype_column(staging, runtime, table, found, wanted)
        return
    written = ops.staged_files.StagedFiles(staging, runtime, table)
    retype_column(staging, runtime, table, found, wanted)
    written.rewrite()


def set_default(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    column: ColumnName,
    default: str | None,
    *,
    is_expression: bool = False,
) -> None:
    """Set the default of a column for future rows; None removes it.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: No row could have it: it is no value of the type, or cannot be computed.
    """
    found = lookup.column(staging.draft, table, column)
    given = ColumnDefinition(found.column_name, found.column_type, True, default, is_expression)
    wanted = check_default(runtime, given)
    staging.stage(
        change.SetDefault(table.table_id, found.column_id, wanted.default, wanted.default_is_expression, wanted.trusted)
    )


def allow_nulls(staging: Staging, table: TableRow, column: ColumnName) -> None:
    """Allow NULL in a column.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: NULL is allowed already.
    """
    found = lookup.column(staging.draft, table, column)
    staging.stage(change.SetNullsAllowed(table.table_id, found.column_id, True, None))


def forbid_nulls(
    staging: Staging, runtime: Runtime, table: TableRow, column: ColumnName, *, may_read: bool = True
) -> None:
    """Forbid NULL in a column that has none.

    ``may_read`` as in `forklake.lake.alter.Alter.set_not_null`.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: The column has NULLs, or nothing is known of it, or NULL is forbidden already.
    """
    found = lookup.column(staging.draft, table, column)
    searched = None
    if found.nulls_allowed and may_read and found.parent_column is None:
        searched = search_nulls(staging, runtime, table, found)
    staging.stage(change.SetNullsAllowed(table.table_id, found.column_id, False, searched))
