"""Changing what a table is, as a handle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from forklake.catalog.transaction import Staging
from forklake.model.definitions import ColumnDefinition
from forklake.model.records import Commit
from forklake.model.rows import TableRow
from forklake.ops import alter_columns, arrange_files
from forklake.ops.alter_columns import ColumnName
from forklake.ops.arrange_files import PartitionKeys
from forklake.ops.define_table import define_columns, read_column_type
from forklake.ops.set_tag import set_table_tag
from forklake.ops.sort_keys import SortKeys

if TYPE_CHECKING:
    from forklake.lake.table import Table


class Alter:
    """Changes of one table: its columns, its layout and what is said about it.

    Each is one snapshot, or part of the transaction that the table was taken from.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._runtime = table._reader._runtime

    def add_column(self, column: ColumnDefinition | tuple[str, str], *, parent: ColumnName | None = None) -> Commit:
        """Add a column, or with ``parent`` a field to that struct.

        Rows that are there have the column's default, which must be a literal.

        Raises:
            AlreadyExistsError: There is one of that name.
        """
        (defined,) = define_columns(self._runtime, [column])
        return self._run(lambda staging, row: alter_columns.add_column(staging, row, defined, parent=parent))

    def drop_column(self, column: ColumnName) -> Commit:
        """Drop a column, or a field by its names with dots between; its id is never used again.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: The table is partitioned or sorted by it, or has no other.
        """
        return self._run(lambda staging, row: alter_columns.drop_column(staging, row, column))

    def rename_column(self, column: ColumnName, new_name: str) -> Commit:
        """Give a column, or a field by its names with dots between, another name; sort keys follow it.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is one of the new name.
        """
        return self._run(lambda staging, row: alter_columns.rename_column(staging, row, column, new_name))

    def set_type(self, column: ColumnName, new_type: str) -> Commit:
        """Widen the type of a column or field; files that are committed are not rewritten.

        For a struct the new type may have more fields and fewer; those that it has not are dropped. Files that the
        same transaction has written into a table that it made are written again.

        Raises:
            InvalidInputError: Not every value of the old type is one of the new.
        """
        name = column if isinstance(column, str) else ".".join(column)
        wanted = read_column_type(name, new_type)
        return self._run(lambda staging, row: alter_columns.set_type(staging, self._runtime, row, column, wanted))

    def set_default(self, column: ColumnName, default: str | None, *, is_expression: bool = False) -> Commit:
        """Give a column another default for rows to come; None takes it away.

        Raises:
            InvalidInputError: No row could ever have it: it is no value of the type, or cannot be computed.
        """
        return self._run(
            lambda staging, row: alter_columns.set_default(
                staging, self._runtime, row, column, default, is_expression=is_expression
            )
        )

    def set_not_null(self, column: ColumnName, *, may_read: bool = True) -> Commit:
        """Forbid NULL in a column that has none.

        Args:
            column: The column, or a field of a struct.
            may_read: Read rows on Spark where statistics do not prove that none has NULL: some were deleted, say.
                Fields of structs are never read.

        Raises:
            InvalidInputError: The column has NULLs, or nothing is known of it, or it is so already.
        """
        return self._run(
            lambda staging, row: alter_columns.forbid_nulls(staging, self._runtime, row, column, may_read=may_read)
        )

    def drop_not_null(self, column: ColumnName) -> Commit:
        """Allow NULL in a column.

        Raises:
            InvalidInputError: It is so already.
        """
        return self._run(lambda staging, row: alter_columns.allow_nulls(staging, row, column))

    def set_partitioning(self, partition_by: PartitionKeys) -> Commit:
        """Partition the files to come; no keys resets it. Files that are there stay as they are.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: There is no such transform, or not for that type.
        """
        return self._run(lambda staging, row: arrange_files.set_partitioning(staging, row, partition_by))

    def set_sorting(self, sort_by: SortKeys) -> Commit:
        """Sort the files to come; no keys resets it.

        A key is SQL such as ``lower(name) DESC NULLS FIRST``, or a `SortKey`.

        Raises:
            InvalidInputError: A key cannot be read, names no column of the table, or has no order.
        """
        return self._run(lambda staging, row: arrange_files.set_sorting(staging, self._runtime, row, sort_by))

    def set_tag(self, key: str, value: str | None, *, column: ColumnName | None = None) -> Commit:
        """Set a tag of the table, or of one of its columns; None takes it away. The key ``comment`` is its comment."""
        return self._run(lambda staging, row: set_table_tag(staging, row, key, value, column=column))

    def comment(self, comment: str | None, *, column: ColumnName | None = None) -> Commit:
        """Say something about the table, or about one of its columns; None takes it back."""
        return self.set_tag("comment", comment, column=column)

    def _run(self, change: Callable[[Staging, TableRow], None]) -> Commit:
        table = self._table
        return table._reader._commit(lambda staging: change(staging, table._found(staging.draft)))
