"""Schemas, tables and columns."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.lake.verbs.runner import Runner, found_table
from forklake.model.definitions import ColumnDefinition
from forklake.ops import alter_columns, define_schema, define_table
from forklake.ops.alter_columns import ColumnName
from forklake.ops.arrange_files import PartitionKeys, set_partitioning, set_sorting
from forklake.ops.define_table import Columns, NewTable, define_columns
from forklake.ops.sort_keys import SortKeys


class TableVerbs(Runner):
    """Changes of schemas, tables and columns."""

    def create_schema(self, name: str, *, if_not_exists: bool = False) -> None:
        """Create a schema.

        Raises:
            AlreadyExistsError: There is one of that name.
        """
        self._run(lambda staging: define_schema.create_schema(staging, name, if_not_exists=if_not_exists))

    def drop_schema(self, name: str, *, cascade: bool = False, if_exists: bool = False) -> None:
        """Drop a schema; with ``cascade`` the tables, views and macros in it too.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: It holds something, and ``cascade`` was not given.
        """
        self._run(lambda staging: define_schema.drop_schema(staging, name, cascade=cascade, if_exists=if_exists))

    def create_table(
        self,
        name: str,
        columns: Columns,
        *,
        schema: str = "main",
        partition_by: PartitionKeys = (),
        sort_by: SortKeys = (),
        if_not_exists: bool = False,
        or_replace: bool = False,
    ) -> None:
        """Create a table.

        Args:
            name: Its name, which no table or view of the schema has.
            columns: Names and types, as DuckDB or DuckLake write them; ``STRUCT(a INTEGER)[]`` too.
            schema: The schema it goes into.
            partition_by: Columns, or fields with a transform, that its files are partitioned by.
            sort_by: What its files are sorted by: SQL such as ``a DESC``, or keys as values.
            if_not_exists: Do nothing if there is a table of that name.
            or_replace: Drop the table of that name first; the new one has an id of its own.

        Raises:
            AlreadyExistsError: There is a table or view of that name.
            InvalidInputError: A column has no such type, or a name that is taken.
        """
        defined = define_columns(self._runtime, columns)
        new = NewTable(name, defined, schema, partition_by, sort_by, if_not_exists, or_replace)
        self._run(lambda staging: define_table.create_table(staging, self._runtime, new))

    def drop_table(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a table with all it holds; time travel and forks still see it.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_table(staging.draft, found.schema_id, name) is None):
                return
            define_table.drop_table(staging, found_table(staging, name, schema))

        self._run(verb)

    def rename_table(self, name: str, new_name: str, *, schema: str = "main") -> None:
        """Give a table another name; its files stay where they are.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is a table or view of the new name.
        """
        self._run(lambda staging: define_table.rename_table(staging, found_table(staging, name, schema), new_name))

    def add_column(
        self,
        table: str,
        column: ColumnDefinition | tuple[str, str],
        *,
        parent: ColumnName | None = None,
        schema: str = "main",
    ) -> None:
        """Add a column, or with ``parent`` a field to that struct.

        Rows that are there have the column's default, which must be a literal.

        Raises:
            AlreadyExistsError: There is one of that name.
        """
        (defined,) = define_columns(self._runtime, [column])
        self._run(
            lambda staging: alter_columns.add_column(
                staging, found_table(staging, table, schema), defined, parent=parent
            )
        )

    def drop_column(self, table: str, column: ColumnName, *, schema: str = "main") -> None:
        """Drop a column, or a field by its names with dots between; its id is never used again.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: The table is partitioned or sorted by it, or has no other.
        """
        self._run(lambda staging: alter_columns.drop_column(staging, found_table(staging, table, schema), column))

    def rename_column(self, table: str, column: ColumnName, new_name: str, *, schema: str = "main") -> None:
        """Give a column, or a field by its names with dots between, another name; sort keys follow it.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is one of the new name.
        """
        self._run(
            lambda staging: alter_columns.rename_column(staging, found_table(staging, table, schema), column, new_name)
        )

    def change_column_type(self, table: str, column: ColumnName, new_type: str, *, schema: str = "main") -> None:
        """Widen the type of a column or field; files that are committed are not rewritten.

        For a struct the new type may have more fields and fewer; those that it has not are dropped. Files that the
        same transaction has written into a table that it made are written again.

        Raises:
            InvalidInputError: Not every value of the old type is one of the new.
        """
        name = column if isinstance(column, str) else ".".join(column)
        (wanted,) = define_columns(self._runtime, [(name, new_type)])
        self._run(
            lambda staging: alter_columns.set_type(
                staging, self._runtime, found_table(staging, table, schema), column, wanted
            )
        )

    def set_default(
        self, table: str, column: ColumnName, default: str | None, *, is_expression: bool = False, schema: str = "main"
    ) -> None:
        """Give a column another default for rows to come; None takes it away.

        Raises:
            InvalidInputError: No row could ever have it: it is no value of the type, or cannot be computed.
        """
        self._run(
            lambda staging: alter_columns.set_default(
                staging,
                self._runtime,
                found_table(staging, table, schema),
                column,
                default,
                is_expression=is_expression,
            )
        )

    def set_nulls_allowed(
        self, table: str, column: ColumnName, allowed: bool, *, schema: str = "main", may_read: bool = True
    ) -> None:
        """Allow NULL in a column, or forbid it where there is none.

        Args:
            table: The table.
            column: The column, or a field of a struct.
            allowed: Whether NULL is allowed from now on.
            schema: The schema that the table is in.
            may_read: Read rows on Spark where statistics do not prove that none has NULL: some were deleted, say.
                Fields of structs are never read.

        Raises:
            InvalidInputError: The column has NULLs, or nothing is known of it, or it is so already.
        """

        def verb(staging: Staging) -> None:
            row = found_table(staging, table, schema)
            if allowed:
                alter_columns.allow_nulls(staging, row, column)
            else:
                alter_columns.forbid_nulls(staging, self._runtime, row, column, may_read=may_read)

        self._run(verb)

    def set_partitioning(self, table: str, partition_by: PartitionKeys, *, schema: str = "main") -> None:
        """Partition the files to come; no keys resets it. Files that are there stay as they are.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: There is no such transform, or not for that type.
        """
        self._run(lambda staging: set_partitioning(staging, found_table(staging, table, schema), partition_by))

    def set_sorting(self, table: str, sort_by: SortKeys, *, schema: str = "main") -> None:
        """Sort the files to come; no keys resets it.

        A key is SQL such as ``lower(name) DESC NULLS FIRST``, or a `SortKey`.

        Raises:
            InvalidInputError: A key cannot be read, names no column of the table, or has no order.
        """
        self._run(lambda staging: set_sorting(staging, self._runtime, found_table(staging, table, schema), sort_by))
