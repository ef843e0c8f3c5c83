"""Schema changes of a table: `Table.alter`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from forklake.catalog.transaction import Staging
from forklake.model.definitions import ColumnDefinition
from forklake.model.records import Commit
from forklake.model.rows import TableRow
from forklake.ops.objects import alter_columns, arrange_files
from forklake.ops.objects.alter_columns import ColumnName
from forklake.ops.objects.arrange_files import PartitionKeys
from forklake.ops.objects.define_table import define_columns, read_column_type
from forklake.ops.objects.set_tag import set_table_tag
from forklake.ops.objects.sort_keys import SortKeys

if TYPE_CHECKING:
    from forklake.lake.table import Table


class Alter:
    """Changes of one table: its columns, layout, comments and tags.

    Each is one snapshot, or part of the transaction that the table was taken from.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._runtime = table._reader._runtime

    def add_column(self, column: ColumnDefinition | tuple[str, str], *, parent: ColumnName | None = None) -> Commit:
        """Add a column, or with ``parent`` a field of that struct.

        Existing rows get the column's default, which must be a literal.

        Raises:
            AlreadyExistsError: There is one of that name.
        """
        (defined,) = define_columns(self._runtime, [column])
        return self._run(lambda staging, row: alter_columns.add_column(staging, row, defined, parent=parent))

    def drop_column(self, column: ColumnName) -> Commit:
        """Drop a column, or a field of a struct.

        A field is named by its path with dots. The id of the column is never used again.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: The table is partitioned or sorted by it, or has no other.
        """
        return self._run(lambda staging, row: alter_columns.drop_column(staging, self._runtime, row, column))

    def rename_column(self, column: ColumnName, new_name: str) -> Commit:
        """Rename a column, or a field of a struct.

        A field is named by its path with dots. Sort keys use the new name.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is one of the new name.
        """
        return self._run(
            lambda staging, row: alter_columns.rename_column(staging, self._runtime, row, column, new_name)
        )

    def set_type(self, column: ColumnName, new_type: str) -> Commit:
        """Widen the type of a column or field; committed files are not rewritten.

        The new type of a struct may add and leave out fields; those that it leaves out are dropped. If the
        transaction created the table, the files that it has written into it are written again.

        Raises:
            InvalidInputError: Not every value of the old type is one of the new.
        """
        name = column if isinstance(column, str) else ".".join(column)
        wanted = read_column_type(name, new_type)
        return self._run(lambda staging, row: alter_columns.set_type(staging, self._runtime, row, column, wanted))

    def set_default(self, column: ColumnName, default: str | None, *, is_expression: bool = False) -> Commit:
        """Set the default of a column for new rows; None removes it.

        Raises:
            InvalidInputError: It is no value of the column's type, or cannot be computed.
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
            may_read: Read rows on Spark where statistics cannot prove the absence of NULL, for example because rows
                were deleted. Fields of structs are never read.

        Raises:
            InvalidInputError: The column has NULLs, or nothing is known of it, or it forbids NULL already.
        """
        return self._run(
            lambda staging, row: alter_columns.forbid_nulls(staging, self._runtime, row, column, may_read=may_read)
        )

    def drop_not_null(self, column: ColumnName) -> Commit:
        """Allow NULL in a column.

        Raises:
            InvalidInputError: It allows NULL already.
        """
        return self._run(lambda staging, row: alter_columns.allow_nulls(staging, row, column))

    def set_partitioning(self, partition_by: PartitionKeys) -> Commit:
        """Set the partition keys of new files; an empty list removes them.

        Existing files stay as they are.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: There is no such transform, or not for that type.
        """
        return self._run(lambda staging, row: arrange_files.set_partitioning(staging, row, partition_by))

    def set_sorting(self, sort_by: SortKeys) -> Commit:
        """Set the sort keys of new files; an empty list removes them.

        A key is SQL such as ``lower(name) DESC NULLS FIRST``, or a `SortKey`.

        Raises:
            InvalidInputError: A key cannot be parsed, names no column of the table, or has no order.
        """
        return self._run(lambda staging, row: arrange_files.set_sorting(staging, self._runtime, row, sort_by))

    def set_tag(self, key: str, value: str | None, *, column: ColumnName | None = None) -> Commit:
        """Set a tag of the table, or of one of its columns; None removes it.

        The tag ``comment`` is the comment.
        """
        return self._run(lambda staging, row: set_table_tag(staging, row, key, value, column=column))

    def comment(self, comment: str | None, *, column: ColumnName | None = None) -> Commit:
        """Set the comment of the table, or of one of its columns; None removes it."""
        return self.set_tag("comment", comment, column=column)

    def _run(self, change: Callable[[Staging, TableRow], None]) -> Commit:
        table = self._table
        return table._reader._commit(lambda staging: change(staging, table._find_row(staging.draft)))
