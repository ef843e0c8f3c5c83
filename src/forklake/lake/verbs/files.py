"""Data files, delete files, and rows that are kept in the metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.errors import NotFoundError
from forklake.lake.verbs.runner import Runner, table_id
from forklake.model import change
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.ids import ColumnId, DataFileId, DeleteFileId
from forklake.model.name_mapping import name_mapping
from forklake.model.names import fold
from forklake.ops.register_files import register_files


class FileVerbs(Runner):
    """Changes of what a table holds."""

    def append_files(self, table: str, files: Sequence[NewDataFile], *, schema: str = "main") -> None:
        """Make data files that were written part of a table.

        The columns of a file have field ids and the names of the table's columns, or a mapping says what they are.

        Raises:
            InvalidPathError: A path does not lie below the table's directory.
            InvalidInputError: Partition values do not fit the table's partitioning.
        """

        def verb(staging: Staging) -> None:
            into = table_id(staging, table, schema)
            named = name_mapping(table_fields(staging.draft, into)) if staging.may_alter_later else None
            register_files(
                staging, into, [file if file.mapping is not None else replace(file, mapping=named) for file in files]
            )

        self._run(verb)

    def delete_rows(self, table: str, delete_files: Sequence[NewDeleteFile], *, schema: str = "main") -> None:
        """Make delete files that were written count; each holds all deleted positions of its data file.

        Raises:
            NotFoundError: A data file is not part of the table.
            CommitConflictError: Somebody deleted rows of the same data file meanwhile.
        """

        def verb(staging: Staging) -> None:
            numbered = tuple((DeleteFileId(staging.new_file()), file) for file in delete_files)
            staging.stage(change.DeleteRows(table_id(staging, table, schema), numbered))

        self._run(verb, rerun=False)

    def remove_files(self, table: str, data_file_ids: Sequence[int], *, schema: str = "main") -> None:
        """End data files, with their delete files: none of their rows is part of the table any more.

        Raises:
            NotFoundError: A data file is not part of the table.
        """
        ids = tuple(DataFileId(file) for file in data_file_ids)
        self._run(lambda staging: staging.stage(change.RemoveFiles(table_id(staging, table, schema), ids)), rerun=False)

    def insert_inlined(self, table: str, rows: Sequence[Mapping[str, str | None]], *, schema: str = "main") -> None:
        """Add rows that are kept in the metadata: for each, values by column name, as exact text or None.

        A column that a row does not name is NULL.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: NULL is not allowed in a column.
        """

        def verb(staging: Staging) -> None:
            row = lookup.table(staging.draft, table, schema)
            ids = {
                fold(column.column_name): column.column_id
                for column in lookup.columns(staging.draft, row.table_id)
                if column.parent_column is None
            }
            staging.stage(
                change.InsertInlined(row.table_id, tuple(_by_id(values, ids, row.table_name) for values in rows))
            )

        self._run(verb)

    def delete_inlined(self, table: str, row_ids: Sequence[int], *, schema: str = "main") -> None:
        """Delete rows that are kept in the metadata, by their row ids.

        Raises:
            NotFoundError: There is no such row.
        """
        self._run(
            lambda staging: staging.stage(change.DeleteInlined(table_id(staging, table, schema), tuple(row_ids))),
            rerun=False,
        )

    def inline_deletes(self, table: str, positions: Mapping[int, Sequence[int]], *, schema: str = "main") -> None:
        """Delete rows of data files by position, and keep that in the metadata.

        Raises:
            NotFoundError: A data file is not part of the table.
            InvalidInputError: A row does not exist or is deleted already.
        """
        pairs = tuple((DataFileId(file), place) for file, places in positions.items() for place in places)
        self._run(
            lambda staging: staging.stage(change.InlineDeletes(table_id(staging, table, schema), pairs)), rerun=False
        )


def _by_id(
    values: Mapping[str, str | None], ids: Mapping[str, ColumnId], table: str
) -> tuple[tuple[ColumnId, str | None], ...]:
    found = []
    for name, value in values.items():
        if fold(name) not in ids:
            raise NotFoundError(f'Table "{table}" does not have a column with name "{name}"')
        found.append((ids[fold(name)], value))
    return tuple(found)
