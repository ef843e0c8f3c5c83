"""Schemas, tables and columns."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from forklake import ops
from forklake.catalog import describe, lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.catalog.view import live_data_files
from forklake.errors import InvalidInputError
from forklake.lake.verbs.defaults import settled
from forklake.lake.verbs.retype import stage_type
from forklake.lake.verbs.runner import Runner, table_id
from forklake.lake.verbs.sort_keys import SortKeys, given_keys, renamed
from forklake.model import change
from forklake.model.definitions import ColumnDefinition, PartitionField, SortKey
from forklake.model.ids import PartitionId, SchemaId, SortId, TableId
from forklake.model.type_text import column_definition
from forklake.ops.search_nulls import search_nulls

Columns = Mapping[str, str] | Iterable[ColumnDefinition | tuple[str, str]]
"""Columns to make: a mapping of names to types, or pairs, or definitions."""

ColumnName = str | tuple[str, ...]
"""A column, or a field of structs: the names that lead to it, or one text with dots between them."""

PartitionKeys = Sequence[PartitionField | str]
"""Keys of a partitioning: columns, or fields with a transform."""


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table to make, with what is to be done if there is one of its name."""

    name: str
    columns: tuple[ColumnDefinition, ...]
    schema: str = "main"
    partition_by: PartitionKeys = ()
    sort_by: SortKeys = ()
    if_not_exists: bool = False
    or_replace: bool = False

    def __post_init__(self) -> None:
        if self.if_not_exists and self.or_replace:
            raise InvalidInputError("Cannot specify both OR REPLACE and IF NOT EXISTS.")

    def stage(self, staging: Staging) -> TableId | None:
        """Make the table as part of a transaction, and return its id; None if there is one already."""
        schema_id = lookup.schema(staging.draft, self.schema).schema_id
        found = lookup.find_table(staging.draft, schema_id, self.name)
        if found is not None and self.if_not_exists:
            return None
        if found is not None and self.or_replace:
            staging.stage(change.DropTable(found.table_id))
        elif self.or_replace and lookup.find_view(staging.draft, schema_id, self.name) is not None:
            raise InvalidInputError(
                f"Existing object {self.name} is of type View, trying to replace with type Table. Nothing was replaced."
            )
        new_id = TableId(staging.new_object())
        staging.stage(change.CreateTable(new_id, str(uuid.uuid4()), schema_id, self.name, self.columns))
        if self.partition_by:
            _partition(staging, new_id, self.partition_by)
        if self.sort_by:
            _sort(staging, new_id, self.sort_by)
        return new_id


class TableVerbs(Runner):
    """Changes of schemas, tables and columns."""

    def create_schema(self, name: str, *, if_not_exists: bool = False) -> None:
        """Create a schema.

        Raises:
            AlreadyExistsError: There is one of that name.
        """

        def verb(staging: Staging) -> None:
            if if_not_exists and lookup.find_schema(staging.draft, name) is not None:
                return
            staging.stage(change.CreateSchema(SchemaId(staging.new_object()), str(uuid.uuid4()), name))

        self._run(verb)

    def drop_schema(self, name: str, *, cascade: bool = False, if_exists: bool = False) -> None:
        """Drop a schema; with ``cascade`` the tables, views and macros in it too.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: It holds something, and ``cascade`` was not given.
        """

        def verb(staging: Staging) -> None:
            if if_exists and lookup.find_schema(staging.draft, name) is None:
                return
            staging.stage(change.DropSchema(lookup.schema(staging.draft, name).schema_id, cascade))

        self._run(verb)

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
        new = NewTable(name, _defined(columns), schema, partition_by, sort_by, if_not_exists, or_replace)
        self._run(new.stage)

    def drop_table(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a table with all it holds; time travel and forks still see it.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            found = lookup.find_schema(staging.draft, schema)
            if if_exists and (found is None or lookup.find_table(staging.draft, found.schema_id, name) is None):
                return
            staging.stage(change.DropTable(table_id(staging, name, schema)))

        self._run(verb)

    def rename_table(self, name: str, new_name: str, *, schema: str = "main") -> None:
        """Give a table another name; its files stay where they are.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is a table or view of the new name.
        """
        self._run(lambda staging: staging.stage(change.RenameTable(table_id(staging, name, schema), new_name)))

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
        (defined,) = _defined([column])

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            inside = None if parent is None else lookup.column(staging.draft, row, parent).column_id
            staging.stage(change.AddColumn(row.table_id, defined, inside))

        self._run(verb)

    def drop_column(self, table: str, column: ColumnName, *, schema: str = "main") -> None:
        """Drop a column, or a field by its names with dots between; its id is never used again.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: The table is partitioned or sorted by it, or has no other.
        """

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            staging.stage(change.DropColumn(row.table_id, lookup.column(staging.draft, row, column).column_id))

        self._run(verb)

    def rename_column(self, table: str, column: ColumnName, new_name: str, *, schema: str = "main") -> None:
        """Give a column, or a field by its names with dots between, another name; sort keys follow it.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is one of the new name.
        """

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            found = lookup.column(staging.draft, row, column)
            keys = describe.sorting(staging.draft, row.table_id)
            staging.stage(change.RenameColumn(row.table_id, found.column_id, new_name))
            following = keys if found.parent_column is not None else renamed(keys, found.column_name, new_name)
            if following != tuple(keys):
                _stage_sorting(staging, row.table_id, following)

        self._run(verb)

    def change_column_type(self, table: str, column: ColumnName, new_type: str, *, schema: str = "main") -> None:
        """Widen the type of a column or field; files that are committed are not rewritten.

        For a struct the new type may have more fields and fewer; those that it has not are dropped. Files that the
        same transaction has written into a table that it made are written again.

        Raises:
            InvalidInputError: Not every value of the old type is one of the new.
        """
        (wanted,) = _defined([(column if isinstance(column, str) else ".".join(column), new_type)])

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            found = lookup.column(staging.draft, row, column).column_id
            if row.origin is not None or not live_data_files(staging.draft, row.table_id):
                stage_type(staging, row.table_id, found, wanted)
                return
            written = ops.staged_files.StagedFiles(staging, self._runtime, row)
            stage_type(staging, row.table_id, found, wanted)
            written.rewrite()

        self._run(verb)

    def set_default(
        self, table: str, column: ColumnName, default: str | None, *, is_expression: bool = False, schema: str = "main"
    ) -> None:
        """Give a column another default for rows to come; None takes it away.

        Raises:
            InvalidInputError: No row could ever have it: it is no value of the type, or cannot be computed.
        """

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            found = lookup.column(staging.draft, row, column)
            wanted = settled(ColumnDefinition(found.column_name, found.column_type, True, default, is_expression))
            staging.stage(
                change.SetDefault(row.table_id, found.column_id, wanted.default, wanted.default_is_expression)
            )

        self._run(verb)

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
            row = lookup.table(staging.draft, table, schema)
            found = lookup.column(staging.draft, row, column)
            searched = None
            if found.nulls_allowed and not allowed and may_read and found.parent_column is None:
                searched = search_nulls(staging, self._runtime, row, found)
            staging.stage(change.SetNullsAllowed(row.table_id, found.column_id, allowed, searched))

        self._run(verb)

    def set_partitioning(self, table: str, partition_by: PartitionKeys, *, schema: str = "main") -> None:
        """Partition the files to come; no keys resets it. Files that are there stay as they are.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: There is no such transform, or not for that type.
        """
        self._run(lambda staging: _partition(staging, table_id(staging, table, schema), partition_by))

    def set_sorting(self, table: str, sort_by: SortKeys, *, schema: str = "main") -> None:
        """Sort the files to come; no keys resets it.

        A key is SQL such as ``lower(name) DESC NULLS FIRST``, or a `SortKey`.

        Raises:
            InvalidInputError: A key cannot be read, names no column of the table, or has no order.
        """
        self._run(lambda staging: _sort(staging, table_id(staging, table, schema), sort_by))


def _partition(staging: Staging, table: TableId, keys: PartitionKeys) -> None:
    is_list = isinstance(keys, Sequence) and not isinstance(keys, str)
    if not is_list or not all(isinstance(key, str | PartitionField) for key in keys):
        raise InvalidInputError(
            f"A table is partitioned by a list of columns or PartitionField, not {keys!r}; nothing was changed."
        )
    fields = tuple(PartitionField(key) if isinstance(key, str) else key for key in keys)
    staging.stage(change.SetPartitioning(table, PartitionId(staging.new_object() if fields else 0), fields))


def _sort(staging: Staging, table: TableId, keys: SortKeys) -> None:
    row = lookup.table_by_id(staging.draft, table)
    _stage_sorting(staging, table, given_keys(keys, row.table_name, table_fields(staging.draft, table)))


def _stage_sorting(staging: Staging, table: TableId, sort_keys: tuple[SortKey, ...]) -> None:
    staging.stage(change.SetSorting(table, SortId(staging.new_object() if sort_keys else 0), sort_keys))


def _defined(columns: Columns) -> tuple[ColumnDefinition, ...]:
    given = columns.items() if isinstance(columns, Mapping) else columns
    defined = []
    for column in given:
        if isinstance(column, ColumnDefinition):
            defined.append(settled(column))
            continue
        try:
            name, column_type = column
        except (TypeError, ValueError):
            raise InvalidInputError(f"A column is a pair of name and type, not {column!r}.") from None
        try:
            defined.append(column_definition(name, column_type))
        except (ValueError, AttributeError) as error:
            raise InvalidInputError(f'Column "{name}" cannot be of that type: {error}') from error
    return tuple(defined)
