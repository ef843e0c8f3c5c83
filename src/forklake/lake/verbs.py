"""The changes that a catalog and a transaction both offer: at once, or as part of something larger."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model import change
from forklake.model.definitions import ColumnDefinition, NewDataFile, NewDeleteFile
from forklake.model.ids import DataFileId, DeleteFileId, SchemaId, TableId

Columns = Mapping[str, str] | Iterable[ColumnDefinition | tuple[str, str]]
"""Columns to make: a mapping of names to types, or pairs, or definitions."""


class Verbs(ABC):
    """Changes by name. Each is checked at once and leaves nothing behind if it is refused."""

    @abstractmethod
    def _run(self, verb: Callable[[Staging], None], *, rerun: bool = True) -> None:
        """Run a verb; ``rerun`` says that it may be run again on a newer head."""

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
        """Drop a schema; with ``cascade`` the tables in it too.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: It holds tables, and ``cascade`` was not given.
        """

        def verb(staging: Staging) -> None:
            if if_exists and lookup.find_schema(staging.draft, name) is None:
                return
            staging.stage(change.DropSchema(lookup.schema(staging.draft, name).schema_id, cascade))

        self._run(verb)

    def create_table(self, name: str, columns: Columns, *, schema: str = "main", if_not_exists: bool = False) -> None:
        """Create a table.

        Raises:
            AlreadyExistsError: There is one of that name.
            InvalidInputError: A column has no such type, or a name that is taken.
        """
        defined = _defined(columns)

        def verb(staging: Staging) -> None:
            schema_id = lookup.schema(staging.draft, schema).schema_id
            if if_not_exists and lookup.find_table(staging.draft, schema_id, name) is not None:
                return
            staging.stage(
                change.CreateTable(TableId(staging.new_object()), str(uuid.uuid4()), schema_id, name, defined)
            )

        self._run(verb)

    def drop_table(self, name: str, *, schema: str = "main", if_exists: bool = False) -> None:
        """Drop a table with all it holds; time travel and forks still see it.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            if if_exists and _find(staging, schema, name) is None:
                return
            staging.stage(change.DropTable(_table(staging, name, schema)))

        self._run(verb)

    def rename_table(self, name: str, new_name: str, *, schema: str = "main") -> None:
        """Give a table another name; its files stay where they are.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is one of the new name.
        """
        self._run(lambda staging: staging.stage(change.RenameTable(_table(staging, name, schema), new_name)))

    def add_column(
        self, table: str, column: ColumnDefinition | tuple[str, str], *, parent: str | None = None, schema: str = "main"
    ) -> None:
        """Add a column, or with ``parent`` a field to that struct.

        Raises:
            AlreadyExistsError: There is one of that name.
        """
        (defined,) = _defined([column])

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            inside = None if parent is None else lookup.column(staging.draft, row, parent).column_id
            staging.stage(change.AddColumn(row.table_id, defined, inside))

        self._run(verb)

    def drop_column(self, table: str, column: str, *, schema: str = "main") -> None:
        """Drop a column, or a field by its names with dots between; its id is never used again.

        Raises:
            NotFoundError: There is none of that name.
        """

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            staging.stage(change.DropColumn(row.table_id, lookup.column(staging.draft, row, column).column_id))

        self._run(verb)

    def rename_column(self, table: str, column: str, new_name: str, *, schema: str = "main") -> None:
        """Give a column, or a field by its names with dots between, another name.

        Raises:
            NotFoundError: There is none of the old name.
            AlreadyExistsError: There is one of the new name.
        """

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            column_id = lookup.column(staging.draft, row, column).column_id
            staging.stage(change.RenameColumn(row.table_id, column_id, new_name))

        self._run(verb)

    def append_files(self, table: str, files: Sequence[NewDataFile], *, schema: str = "main") -> None:
        """Make data files that were written part of a table.

        Raises:
            InvalidPathError: A path does not lie below the table's directory.
        """

        def verb(staging: Staging) -> None:
            numbered = tuple((DataFileId(staging.new_file()), file) for file in files)
            staging.stage(change.AppendFiles(_table(staging, table, schema), numbered))

        self._run(verb)

    def delete_rows(self, table: str, delete_files: Sequence[NewDeleteFile], *, schema: str = "main") -> None:
        """Make delete files that were written count; each holds all deleted positions of its data file.

        Raises:
            NotFoundError: A data file is not part of the table.
            CommitConflictError: Somebody deleted rows of the same data file meanwhile.
        """

        def verb(staging: Staging) -> None:
            numbered = tuple((DeleteFileId(staging.new_file()), file) for file in delete_files)
            staging.stage(change.DeleteRows(_table(staging, table, schema), numbered))

        self._run(verb, rerun=False)

    def remove_files(self, table: str, data_file_ids: Sequence[int], *, schema: str = "main") -> None:
        """End data files, with their delete files: none of their rows is part of the table any more.

        Raises:
            NotFoundError: A data file is not part of the table.
        """
        ids = tuple(DataFileId(file) for file in data_file_ids)
        self._run(lambda staging: staging.stage(change.RemoveFiles(_table(staging, table, schema), ids)), rerun=False)


def _table(staging: Staging, name: str, schema: str) -> TableId:
    return lookup.table(staging.draft, name, schema).table_id


def _find(staging: Staging, schema: str, name: str) -> TableId | None:
    found = lookup.find_schema(staging.draft, schema)
    row = None if found is None else lookup.find_table(staging.draft, found.schema_id, name)
    return None if row is None else row.table_id


def _defined(columns: Columns) -> tuple[ColumnDefinition, ...]:
    given = columns.items() if isinstance(columns, Mapping) else columns
    defined = []
    for column in given:
        if isinstance(column, ColumnDefinition):
            defined.append(column)
            continue
        try:
            name, column_type = column
        except (TypeError, ValueError):
            raise InvalidInputError(f"A column is a pair of name and type, not {column!r}.") from None
        defined.append(ColumnDefinition(name, column_type))
    return tuple(defined)
