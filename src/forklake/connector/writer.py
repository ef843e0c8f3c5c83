"""Table writes as a Python data source.

The tasks write files, and the driver commits all of them at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from forklake.catalog import lookup, versions
from forklake.catalog.lease import Lease, take_lease
from forklake.catalog.transaction import Staging
from forklake.connector.arrow_batches import arrow_schema_of
from forklake.connector.source_options import Source
from forklake.engine.spark.columns.spark_types import ducklake_columns
from forklake.engine.spark.write.write_rows import move_into_place
from forklake.errors import CommitUnknownError, ConflictError, ForklakeError
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.incoming.conform import conform
from forklake.files.parquet.parquet_writer import write_files
from forklake.lake import Catalog
from forklake.lake.internals import content_of, run, runtime_of
from forklake.model.definitions import NewDataFile
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import TableRow
from forklake.model.write import WriteTarget
from forklake.ops.lakes.run_again import run_again
from forklake.ops.objects.define_table import NewTable, create_table
from forklake.ops.rows.change_table import delete_all
from forklake.ops.rows.register_files import register_files
from forklake.ops.rows.write_target import writing


@dataclass(frozen=True)
class WrittenFiles(WriterCommitMessage):
    """The files that a task wrote, as metadata."""

    files: tuple[NewDataFile, ...]


class TableWriter(DataSourceArrowWriter):
    """Appends rows to a table, or replaces all of them, in one snapshot.

    The snapshot makes the table if there is none. The writer is pickled to the tasks and to the process that commits,
    and holds neither a lake nor a connection.
    """

    def __init__(self, source: Source, schema: StructType, overwrite: bool, commit_key: str | None) -> None:
        """Plan the write.

        Raises:
            InvalidInputError: The columns do not fit the table's; nothing was written.
            NotFoundError: There is no such lake, catalog or schema.
            DataFileError: No file can be written into the table's directory.
        """
        self._source = source
        self._overwrite = overwrite
        self._commit_key = commit_key
        with source.open_catalog() as catalog:
            content = content_of(catalog)
            found = lookup.find_table(content, lookup.schema(content, source.schema).schema_id, source.table)
            self._table_id = None if found is None else found.table_id
            # The columns of a table that the commit makes.
            self._columns = ducklake_columns(schema) if found is None else ()
            self._is_done = self._is_committed(catalog)
            self._target = self._plan(catalog)
            # No row, but all columns: what can never fit is refused before a task runs.
            conform(arrow_schema_of(schema).empty_table(), self._target.fields, self._target.table, by_name=True)
            # A write that is planned and never run leaves its lease to run out.
            self._lease = "" if self._is_done else take_lease(runtime_of(catalog).store, catalog.catalog_id).lease_id
        self._directory = f"{self._target.directory}write-{uuid4()}/"
        if not self._is_done:
            self._make_directory()

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WrittenFiles:
        """Write the rows of a task into new files; after a failure none is left.

        Raises:
            InvalidInputError: A value does not fit its column.
            DataFileError: A file cannot be written.
        """
        if self._is_done:
            return WrittenFiles(())
        fields, table = self._target.fields, self._target.table
        batches = (
            batch
            for given in iterator
            for batch in conform(pa.Table.from_batches([given]), fields, table, by_name=True).to_batches()
        )
        # A task that Spark stopped may still run when the write is over: it must not make the directory again.
        private = replace(self._target, directory=self._directory, is_private=True)
        files = write_files(batches, private, arrow_schema(fields))
        below = self._directory.removeprefix(self._target.directory)
        return WrittenFiles(tuple(replace(file, path=f"{below}{file.path}") for file in files))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Add all files to the table, in one snapshot.

        Nothing happens if the commit key was committed before. If the commit is refused, the files are removed;
        they stay if its outcome is unknown.

        Raises:
            ConflictError: The table's columns or partitioning were changed while tasks wrote; nothing was committed.
            ForklakeError: As for any commit.
        """
        written = [file for message in messages if isinstance(message, WrittenFiles) for file in message.files]
        files: Sequence[NewDataFile] = written
        try:
            files = move_into_place(written, self._target, self._directory)
            with self._source.open_catalog() as catalog:
                if not self._is_committed(catalog):
                    self._commit(catalog, files)
                    return
        except CommitUnknownError:
            raise
        except ForklakeError:
            self._remove(files)
            raise
        self._remove(files)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove the files of all tasks if one of them failed.

        Spark also calls this after a failed commit. The commit has then removed the files that are safe to remove,
        and no others may be.
        """
        if not messages or any(message is None for message in messages):
            storage.delete_directory(self._directory)
            self._end_lease()

    def _make_directory(self) -> None:
        try:
            storage.make_directory(self._directory)
        except ForklakeError:
            self._end_lease()
            raise

    def _commit(self, catalog: Catalog, files: Sequence[NewDataFile]) -> None:
        def attempt() -> None:
            with catalog.transaction(commit_key=self._commit_key) as transaction:
                run(transaction, lambda staging: self._stage(staging, catalog, files))

        runtime = runtime_of(catalog)
        where = runtime.store, catalog.catalog_id
        run_again(attempt, lambda: where, runtime.settings.retry, runtime.settings.clock)

    def _plan(self, catalog: Catalog) -> WriteTarget:
        """Return where and how rows are written; nothing is changed yet."""
        planned = catalog.transaction()
        try:
            target = run(planned, lambda staging: self._written_table(staging, catalog)[1])
        finally:
            planned.rollback()
        assert target is not None
        return target

    def _written_table(self, staging: Staging, catalog: Catalog) -> tuple[TableRow, WriteTarget]:
        """Return the table, and how it is written.

        It is made if there was none when the write was planned.
        """
        runtime, table_id = runtime_of(catalog), self._table_id
        if table_id is None:
            new = NewTable(self._source.table, self._columns, self._source.schema)
            table_id = create_table(staging, runtime, new)
            assert table_id is not None
        row = lookup.table_by_id(staging.draft, table_id)
        return row, writing(runtime, staging.draft, row).target

    def _stage(self, staging: Staging, catalog: Catalog, files: Sequence[NewDataFile]) -> None:
        row, now = self._written_table(staging, catalog)
        # What a file holds is told by the columns that its table had when it was added.
        if _layout(now) != _layout(self._target):
            raise ConflictError(
                f'Table "{self._target.table}" was altered while rows for it were written; nothing was committed.',
                hint="Write them again.",
            )
        staging.use_lease(self._own_lease(catalog))
        if self._overwrite:
            delete_all(staging, row)
        register_files(staging, row.table_id, files)

    def _is_committed(self, catalog: Catalog) -> bool:
        key, store = self._commit_key, runtime_of(catalog).store
        return key is not None and versions.known_commit(store, catalog.catalog_id, key) is not None

    def _remove(self, files: Sequence[NewDataFile]) -> None:
        storage.delete(self._target.directory + file.path for file in files)
        storage.delete_directory(self._directory)
        self._end_lease()

    def _own_lease(self, catalog: Catalog) -> Lease:
        return Lease(runtime_of(catalog).store, catalog.catalog_id, self._lease)

    def _end_lease(self) -> None:
        with suppress(ForklakeError), self._source.open_catalog() as catalog:  # else it runs out
            self._own_lease(catalog).end()


def _layout(target: WriteTarget) -> Hashable:
    """Return what must be as planned when the files are added."""
    return target.directory, target.fields, target.partition_keys
