"""Data files, delete files, and rows that are kept in the metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forklake.lake.verbs.runner import Runner, found_table
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.ops import change_files, change_inlined


class FileVerbs(Runner):
    """Changes of what a table holds."""

    def append_files(self, table: str, files: Sequence[NewDataFile], *, schema: str = "main") -> None:
        """Make data files that were written part of a table.

        The columns of a file have field ids and the names of the table's columns, or a mapping says what they are.

        Raises:
            InvalidPathError: A path does not lie below the table's directory.
            InvalidInputError: Partition values do not fit the table's partitioning.
        """
        self._run(lambda staging: change_files.append_files(staging, found_table(staging, table, schema), files))

    def delete_rows(self, table: str, delete_files: Sequence[NewDeleteFile], *, schema: str = "main") -> None:
        """Make delete files that were written count; each holds all deleted positions of its data file.

        Raises:
            NotFoundError: A data file is not part of the table.
            CommitConflictError: Somebody deleted rows of the same data file meanwhile.
        """
        self._run(
            lambda staging: change_files.delete_rows(staging, found_table(staging, table, schema), delete_files),
            rerun=False,
        )

    def remove_files(self, table: str, data_file_ids: Sequence[int], *, schema: str = "main") -> None:
        """End data files, with their delete files: none of their rows is part of the table any more.

        Raises:
            NotFoundError: A data file is not part of the table.
        """
        self._run(
            lambda staging: change_files.remove_files(staging, found_table(staging, table, schema), data_file_ids),
            rerun=False,
        )

    def insert_inlined(self, table: str, rows: Sequence[Mapping[str, str | None]], *, schema: str = "main") -> None:
        """Add rows that are kept in the metadata: for each, values by column name, as exact text or None.

        A column that a row does not name is NULL.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: NULL is not allowed in a column.
        """
        self._run(lambda staging: change_inlined.insert_inlined(staging, found_table(staging, table, schema), rows))

    def delete_inlined(self, table: str, row_ids: Sequence[int], *, schema: str = "main") -> None:
        """Delete rows that are kept in the metadata, by their row ids.

        Raises:
            NotFoundError: There is no such row.
        """
        self._run(
            lambda staging: change_inlined.delete_inlined(staging, found_table(staging, table, schema), row_ids),
            rerun=False,
        )

    def inline_deletes(self, table: str, positions: Mapping[int, Sequence[int]], *, schema: str = "main") -> None:
        """Delete rows of data files by position, and keep that in the metadata.

        Raises:
            NotFoundError: A data file is not part of the table.
            InvalidInputError: A row does not exist or is deleted already.
        """
        self._run(
            lambda staging: change_inlined.inline_deletes(staging, found_table(staging, table, schema), positions),
            rerun=False,
        )
