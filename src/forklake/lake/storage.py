"""Files and inlined rows of a table: `Table.storage`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from forklake import ops
from forklake.catalog import describe
from forklake.catalog.transaction import Staging
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.records import Commit, DataFile, InlinedRow
from forklake.model.rows import TableRow
from forklake.ops.rows import change_files, change_inlined

if TYPE_CHECKING:
    from forklake.lake.table import Table


class Storage:
    """The files and inlined rows of a table, for callers that have files of their own."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def files(self) -> list[DataFile]:
        """Return the data files with their delete files, in the order they were added.

        Raises:
            NotFoundError: The table was dropped.
        """
        content, runtime = self._table._content(), self._table._reader._runtime
        row = self._table._find_row(content)
        return describe.data_files(runtime.store, runtime.lake_path, content, row)

    def inlined_rows(self) -> list[InlinedRow]:
        """Return the inlined rows, by row id.

        Raises:
            NotFoundError: The table was dropped.
        """
        return describe.inlined_rows(self._table._content(), self._table.table_id)

    def add_files(
        self,
        files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        allow_missing: bool = False,
        ignore_extra_columns: bool = False,
        hive_partitioning: bool | None = None,
    ) -> Commit:
        """Add Parquet files that others wrote, where they are, as one snapshot.

        Nothing is copied. Columns are matched by name, at every depth; statistics come from the footers. A file below
        the directory of a catalog is that catalog's, and deleted when nobody needs it any more; other files never
        are. ``row_count`` of the commit is the number of rows added.

        Args:
            files: A path, a pattern (``*``, ``**``, ``?``, ``[...]``), or a list of them, local or on an object store.
            allow_missing: Accept files without some of the columns, which then have their defaults.
            ignore_extra_columns: Accept files with more columns, which then are not read.
            hive_partitioning: Whether directories such as ``year=2024`` give the values of columns; by default they do.

        Raises:
            NotFoundError: A pattern matches nothing.
            AlreadyExistsError: The table has one of the files already.
            InvalidInputError: A file does not fit the table; nothing was added.
            DataFileError: A file cannot be read as Parquet; nothing was added.
        """
        runtime, patterns = self._table._reader._runtime, ops.add_data_files.file_patterns(files)

        def add(staging: Staging, row: TableRow) -> int:
            return ops.add_data_files.add_data_files(
                staging,
                runtime,
                row,
                patterns,
                allow_missing=allow_missing,
                ignore_extra_columns=ignore_extra_columns,
                hive_partitioning=hive_partitioning,
            ).row_count

        return self._run(add)

    def append_files(self, files: Sequence[NewDataFile]) -> Commit:
        """Add data files that the caller has written to the table.

        The columns of a file have field ids and the names of the table's columns, or a name mapping assigns them. The
        files have new names: one that the table had before may be that of a file which is about to be deleted.

        Raises:
            InvalidPathError: A path does not lie below the table's directory.
            InvalidInputError: Partition values do not fit the table's partitioning, or a file waits for deletion.
        """
        runtime = self._table._reader._runtime
        return self._run(lambda staging, row: change_files.append_files(staging, runtime, row, files))

    def delete_rows(self, delete_files: Sequence[NewDeleteFile]) -> Commit:
        """Add delete files that the caller has written.

        Each holds all deleted positions of its data file. Their names are new, as for `append_files`.

        Raises:
            NotFoundError: A data file is not part of the table.
            CommitConflictError: Another commit deleted rows of the same data file.
            InvalidInputError: A file waits for deletion.
        """
        runtime = self._table._reader._runtime
        return self._run(
            lambda staging, row: change_files.delete_rows(staging, runtime, row, delete_files), rerun=False
        )

    def remove_files(self, data_file_ids: Sequence[int]) -> Commit:
        """Remove data files, with their delete files, from the table.

        Their rows are no longer part of it.

        Raises:
            NotFoundError: A data file is not part of the table.
        """
        return self._run(lambda staging, row: change_files.remove_files(staging, row, data_file_ids), rerun=False)

    def insert_inlined(self, rows: Sequence[Mapping[str, str | None]]) -> Commit:
        """Add inlined rows.

        Each row maps column names to values, as exact text or None. A column that a row does not name is NULL.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: NULL is not allowed in a column.
        """
        return self._run(lambda staging, row: change_inlined.insert_inlined(staging, row, rows))

    def delete_inlined(self, row_ids: Sequence[int]) -> Commit:
        """Delete inlined rows by their row ids.

        Raises:
            NotFoundError: There is no such row.
        """
        return self._run(lambda staging, row: change_inlined.delete_inlined(staging, row, row_ids), rerun=False)

    def inline_deletes(self, positions: Mapping[int, Sequence[int]]) -> Commit:
        """Delete rows of data files by position; the deletes are kept in the metadata.

        Raises:
            NotFoundError: A data file is not part of the table.
            InvalidInputError: A row does not exist or is deleted already.
        """
        return self._run(lambda staging, row: change_inlined.inline_deletes(staging, row, positions), rerun=False)

    def flush_inlined(self) -> Commit:
        """Write the inlined rows and deletes of the table into files.

        ``row_count`` of the commit is the number of rows written. Rows keep their ids and snapshots; see
        `Maintenance.flush_inlined`.

        Raises:
            InvalidInputError: The transaction has deleted or updated rows of the table.
        """
        runtime = self._table._reader._runtime

        def flush(staging: Staging, row: TableRow) -> int:
            change = ops.flush_inlined.flush_table(staging, runtime, row)
            return 0 if change is None else len(change.row_ids)

        return self._run(flush)

    def _run(self, change: Callable[[Staging, TableRow], int], *, rerun: bool = True) -> Commit:
        table = self._table
        return table._reader._commit(lambda staging: change(staging, table._find_row(staging.draft)), rerun=rerun)
