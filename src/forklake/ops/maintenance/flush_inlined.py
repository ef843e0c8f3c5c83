"""Flushes inlined rows and inlined deletes of tables into files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa

from forklake.catalog import lookup
from forklake.catalog.changes.flush import check_flushable, table_shape
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import Content
from forklake.catalog.table_files import TableFiles, table_files
from forklake.catalog.transaction import Staging
from forklake.errors import ForklakeError, IncompleteError
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.incoming.inlined_rows import stored_rows
from forklake.files.parquet.deletes import read_dated_deletes, write_delete_file
from forklake.files.parquet.parquet_writer import write_files
from forklake.files.parquet.row_order import sort_rows
from forklake.metastore.queries.snapshots import numberings
from forklake.metastore.written_tables import INLINED_DELETE, INLINED_ROW, SCHEMA, TABLE
from forklake.model.change import FlushInlined
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.file_merge import CARRIED_LINEAGE
from forklake.model.ids import DataFileId, DeleteFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.progress import Progress, ignore_progress
from forklake.model.quoting import quote_name
from forklake.model.records import FlushedTable
from forklake.model.rows import InlinedRow, TableRow
from forklake.model.scan import (
    ROW_ID_COLUMN,
    ScanFile,
    ScanPlan,
    ScanRows,
)
from forklake.model.write import WriteTarget
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import effective_option
from forklake.ops.rows.append import sorts_on_driver
from forklake.ops.rows.write_target import writing

_BATCH_ROWS: Final = 20_000
"""How many rows are made values of at a time."""


@dataclass(frozen=True, slots=True)
class Flushing:
    """Which tables are flushed.

    Attributes:
        schema: The schema of the tables; with a table, ``main`` if not given.
        table: The table. Without it, tables whose option ``auto_compact`` is off are left out.
        progress: Told the table, how many tables are done, and how many there are.
    """

    schema: str | None = None
    table: str | None = None
    progress: Progress = ignore_progress


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of the tables.

    Attributes:
        tables: Those whose data was flushed, by schema and name.
        failures: Those that failed.
    """

    tables: Sequence[FlushedTable] = ()
    failures: Sequence[tuple[str, ForklakeError]] = ()

    def all_tables(self) -> list[FlushedTable]:
        """Return the tables that were flushed, if none failed.

        To be called after the commit.

        Raises:
            IncompleteError: Some failed.
        """
        if self.failures:
            raise IncompleteError("flushed", self.failures, done=self.tables)
        return list(self.tables)


def flush_inlined(staging: Staging, runtime: Runtime, given: Flushing) -> Flushed:
    """Flush inlined data of one table, of a schema, or of all tables into files.

    Nothing changes for readers: rows keep their ids and snapshots, and the change feed does not report it. Rows
    that the transaction itself has added stay inlined. Of several tables, one that fails does not stop the others.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        given: What to flush.

    Raises:
        NotFoundError: There is no such schema or table.
        InvalidInputError: The transaction has deleted rows of the table that was named; nothing was flushed.
    """
    tables = _chosen_tables(staging.draft, runtime, given)
    done: list[FlushedTable] = []
    failures: list[tuple[str, ForklakeError]] = []
    for place, (schema, row) in enumerate(tables):
        title = f"{quote_name(schema)}.{quote_name(row.table_name)}"
        given.progress(title, place, len(tables))
        try:
            done.append(_summary(schema, row, flush_table(staging, runtime, row)))
        except ForklakeError as error:
            if len(tables) == 1:
                raise
            failures.append((title, error))
    if tables:
        given.progress(title, len(tables), len(tables))
    return Flushed([one for one in done if one.row_count or one.delete_count], failures)


def plan_flush(content: Content, runtime: Runtime, given: Flushing) -> list[FlushedTable]:
    """Return what `flush_inlined` would flush; no file is read."""
    found = []
    for schema, row in _chosen_tables(content, runtime, given):
        rows = _committed_rows(content, row.table_id)
        deletes = table_files(content, row.table_id).inlined_deletes
        if rows or deletes:
            found.append(
                FlushedTable(schema, row.table_name, len(rows), sum(len(positions) for positions in deletes.values()))
            )
    return found


def flush_table(staging: Staging, runtime: Runtime, table: TableRow) -> FlushInlined | None:
    """Flush the inlined data of one table into files.

    Return the change, or None if there is nothing to flush.

    Raises:
        InvalidInputError: The transaction has deleted rows of the table; nothing was flushed.
        DataFileError: A file cannot be read or written; none is left behind.
    """
    rows = _committed_rows(staging.draft, table.table_id)
    files = table_files(staging.draft, table.table_id)
    touched = [file for file in files.data if file.data_file_id in files.inlined_deletes]
    if not (rows or touched):
        return None
    check_flushable(staging.draft, table)
    target = _target(runtime, staging, table)
    planner = ScanPlanner(runtime.store, runtime.lake_path, staging.draft, table, by_origin=True)
    plan = planner.plan_rows(TableFiles(touched, files.deletes, files.inlined_deletes), [])
    staging.take_lease()
    written: list[str] = []
    # Removed as well if the transaction fails later: what is written is known here.
    staging.on_undo(lambda: storage.delete(written))
    try:
        data_files = _write_rows(runtime, planner, rows, target) if rows else []
        written += [target.directory + file.path for file in data_files]
        dates = _DeleteDates(runtime, staging.draft, table.table_id, files)
        delete_files, whole = _write_deletes(plan, dates, target, written)
    except ForklakeError:
        storage.delete(written)
        raise
    runtime.settings.on_step("flush: files written")
    change = FlushInlined(
        table_id=table.table_id,
        files=tuple((DataFileId(staging.new_file()), file) for file in data_files),
        row_ids=tuple(row.row_id for row in rows),
        newest=max((_begin_of(row) for row in rows), default=None),
        delete_files=tuple((DeleteFileId(staging.new_file()), file) for file in delete_files),
        whole_files=tuple(whole),
        positions=frozenset((file.data_file_id, at) for file in plan.files for at in file.inlined_deletes),
        shape=table_shape(staging.draft, table.table_id),
        base=staging.draft.version.snapshot_id,
    )
    staging.stage(change)
    runtime.settings.on_step("flush: files registered")
    return change


def _summary(schema: str, table: TableRow, change: FlushInlined | None) -> FlushedTable:
    if change is None:
        return FlushedTable(schema, table.table_name, 0)
    sizes = [file.file_size_bytes for _, file in change.files]
    sizes += [file.file_size_bytes for _, file in change.delete_files]
    return FlushedTable(schema, table.table_name, len(change.row_ids), len(change.positions), len(sizes), sum(sizes))


def _chosen_tables(content: Content, runtime: Runtime, given: Flushing) -> list[tuple[str, TableRow]]:
    """Return the tables to look at, each with its schema, in the order of both names."""
    names = {row.schema_id: row.schema_name for row in content.rows(SCHEMA)}
    if given.table is not None:
        rows = [lookup.table(content, given.table, given.schema or "main")]
    else:
        only = None if given.schema is None else lookup.schema(content, given.schema).schema_id
        rows = [row for row in _flushable_tables(content, runtime) if only is None or row.schema_id == only]
    return sorted(((names[row.schema_id], row) for row in rows), key=lambda one: (one[0], one[1].table_name))


def _flushable_tables(content: Content, runtime: Runtime) -> list[TableRow]:
    """Return the tables with inlined data that may be flushed."""
    held = {row.table_id for row in content.rows(INLINED_ROW)} | {row.table_id for row in content.rows(INLINED_DELETE)}
    catalog = content.version.catalog_id
    return [
        row
        for row in content.rows(TABLE)
        if row.table_id in held
        and effective_option(runtime.store, catalog, "auto_compact", row.schema_id, row.table_id) != "false"
    ]


def _committed_rows(content: Content, table_id: TableId) -> list[InlinedRow]:
    """Return the inlined rows that have a snapshot.

    Rows of the transaction itself get theirs only at the commit.
    """
    return [row for row in content.rows(INLINED_ROW, {"table_id": table_id}) if row.origin is not None]


def _begin_of(row: InlinedRow) -> SnapshotId:
    assert row.origin is not None
    return row.origin.begun


def _target(runtime: Runtime, staging: Staging, table: TableRow) -> WriteTarget:
    target = writing(runtime, staging.draft, table, may_alter_later=staging.may_alter_later).target
    # In a file with a name mapping, DuckDB does not find the ids.
    return replace(target, needs_mapping=False, options=replace(target.options, sort_on_insert=True))


def _write_rows(
    runtime: Runtime, planner: ScanPlanner, rows: Sequence[InlinedRow], target: WriteTarget
) -> list[NewDataFile]:
    """Write the inlined rows with their ids and snapshots to files.

    They are in the sort order of the table, or else in the order of their ids. Only a part of them is in memory as
    values at a time, unless they are sorted.
    """
    batches = _batches(planner, sorted(rows, key=lambda row: row.row_id), target)
    fields = (*target.fields, *CARRIED_LINEAGE)
    schema = arrow_schema(fields)
    if not target.sort_keys:
        return write_files(batches, target, schema)
    table = pa.Table.from_batches(batches, schema)
    if sorts_on_driver(target):
        return write_files(sort_rows(table, target.sort_keys).to_batches(), target, schema)
    files = runtime.engine.write(table, replace(target, fields=fields))
    names = {field.name for field in CARRIED_LINEAGE}
    return [
        replace(file, column_stats={name: given for name, given in file.column_stats.items() if name not in names})
        for file in files
    ]


def _batches(planner: ScanPlanner, rows: Sequence[InlinedRow], target: WriteTarget) -> Iterator[pa.RecordBatch]:
    for begin in range(0, len(rows), _BATCH_ROWS):
        plan = planner.plan_rows(TableFiles([], {}, {}), rows[begin : begin + _BATCH_ROWS])
        yield from (
            pa.concat_tables([_with_lineage(part, target) for part in plan.inlined])
            .sort_by(ROW_ID_COLUMN)
            .combine_chunks()
            .to_batches()
        )


def _with_lineage(part: ScanRows, target: WriteTarget) -> pa.Table:
    rows = stored_rows(part, target.fields, target.table)
    lineage = (
        pa.array([row_id for row_id, _, _ in part.rows], pa.int64()),
        pa.array([snapshot for _, snapshot, _ in part.rows], pa.int64()),
    )
    for field, values in zip(arrow_schema(CARRIED_LINEAGE), lineage, strict=True):
        rows = rows.append_column(field, values)
    return rows


class _DeleteDates:
    """The snapshots that deleted rows of data files."""

    def __init__(self, runtime: Runtime, content: Content, table: TableId, files: TableFiles) -> None:
        self._deletes = files.deletes
        held = {row.numbering_id for row in files.deletes.values() if row.numbering_id is not None}
        self._numberings = numberings(runtime.store, held)
        own = content.version.snapshot_id
        self._inlined = {
            (row.data_file_id, row.row_id): own if row.origin is None else row.origin.begun
            for row in content.rows(INLINED_DELETE, {"table_id": table})
        }

    def positions(self, file: ScanFile) -> tuple[Mapping[int, SnapshotId], bool]:
        """Return all deleted positions of a file, each with its snapshot.

        Return also whether any is only inlined: it is not in the delete file yet.
        """
        inlined = {at: self._inlined[file.data_file_id, at] for at in file.inlined_deletes}
        if file.deletes is None:
            return inlined, True
        row = self._deletes[file.data_file_id]
        assert row.origin is not None
        numbering = None if row.numbering_id is None else self._numberings[row.numbering_id]
        places, snapshots = read_dated_deletes(file.deletes, row.origin.begun, numbering)
        earlier = dict(zip(places.tolist(), map(SnapshotId, snapshots.tolist()), strict=True))
        return inlined | earlier, not inlined.keys() <= earlier.keys()


def _write_deletes(
    plan: ScanPlan, dates: _DeleteDates, target: WriteTarget, written: list[str]
) -> tuple[Sequence[NewDeleteFile], Sequence[DataFileId]]:
    """Write delete files for the data files that have inlined deletes.

    Return also the data files that have no rows left.
    """
    made, whole = [], []
    for file in plan.files:
        positions, is_new = dates.positions(file)
        if len(positions) >= file.record_count:
            whole.append(file.data_file_id)
        elif is_new:
            storage.make_directory(target.directory)
            deletes = write_delete_file(
                target.directory,
                file.data_file_id,
                file.path,
                list(positions),
                snapshots=list(positions.values()),
                is_encrypted=target.is_encrypted,
            )
            written.append(target.directory + deletes.path)
            made.append(deletes)
    return made, whole
