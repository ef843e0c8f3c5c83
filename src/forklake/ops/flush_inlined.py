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
from forklake.files import storage
from forklake.files.deletes import read_dated_deletes, write_delete_file
from forklake.files.inlined_rows import stored_rows
from forklake.files.parquet_writer import write_files
from forklake.files.row_order import sort_rows
from forklake.files.schema import arrow_schema
from forklake.metastore.queries.snapshots import numberings
from forklake.metastore.written_tables import INLINED_DELETE, INLINED_ROW, SCHEMA, TABLE
from forklake.model.change import FlushInlined
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.file_merge import CARRIED_LINEAGE
from forklake.model.ids import DataFileId, DeleteFileId, SnapshotId, TableId
from forklake.model.records import FlushedTable
from forklake.model.rows import InlinedRow, TableRow
from forklake.model.scan import (
    ROW_ID_COLUMN,
    ScanFile,
    ScanPlan,
    ScanRows,
)
from forklake.model.write import WriteTarget
from forklake.ops.append import sorts_on_driver
from forklake.ops.runtime import Runtime
from forklake.ops.scoped_options import effective_option
from forklake.ops.write_target import writing

_BATCH_ROWS: Final = 20_000
"""How many rows are made values of at a time."""


def flush_inlined(
    staging: Staging, runtime: Runtime, *, schema: str | None = None, table: str | None = None
) -> list[FlushedTable]:
    """Flush inlined data of one table, of a schema, or of all tables into files.

    Nothing changes for readers: rows keep their ids and snapshots, and the change feed does not report it. Rows
    that the transaction itself has added stay inlined. Tables whose option ``auto_compact`` is off are left out
    unless one is named.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        schema: The schema of the tables; with a table, ``main`` if not given.
        table: The table.

    Returns:
        The tables whose rows were flushed, by schema and name.

    Raises:
        NotFoundError: There is no such schema or table.
        InvalidInputError: The transaction has deleted rows of the table; nothing was flushed.
    """
    if table is not None:
        row = lookup.table(staging.draft, table, schema or "main")
        count = flush_table(staging, runtime, row)
        name = lookup.schema_by_id(staging.draft, row.schema_id).schema_name
        return [FlushedTable(name, row.table_name, count)] if count else []
    only = None if schema is None else lookup.schema(staging.draft, schema).schema_id
    names = {row.schema_id: row.schema_name for row in staging.draft.rows(SCHEMA)}
    found = [
        FlushedTable(names[row.schema_id], row.table_name, count)
        for row in _flushable_tables(staging, runtime)
        if only is None or row.schema_id == only
        if (count := flush_table(staging, runtime, row))
    ]
    return sorted(found, key=lambda flushed: (flushed.schema_name, flushed.table_name))


def flush_table(staging: Staging, runtime: Runtime, table: TableRow) -> int:
    """Flush the inlined data of one table into files; return how many rows it flushed.

    Raises:
        InvalidInputError: The transaction has deleted rows of the table; nothing was flushed.
    """
    rows = _committed_rows(staging, table.table_id)
    files = table_files(staging.draft, table.table_id)
    touched = [file for file in files.data if file.data_file_id in files.inlined_deletes]
    if not (rows or touched):
        return 0
    check_flushable(staging.draft, table)
    target = _target(runtime, staging, table)
    planner = ScanPlanner(runtime.store, runtime.lake_path, staging.draft, table, by_origin=True)
    plan = planner.plan_rows(TableFiles(touched, files.deletes, files.inlined_deletes), [])
    staging.take_lease()
    written: list[str] = []
    # Removed as well if the transaction fails halfway: what is written so far is known here.
    staging.on_undo(lambda: storage.delete(written))
    data_files = _write_rows(runtime, planner, rows, target) if rows else []
    written += [target.directory + file.path for file in data_files]
    dates = _DeleteDates(runtime, staging.draft, table.table_id, files)
    delete_files, whole = _write_deletes(plan, dates, target, written)
    runtime.settings.on_step("flush: files written")
    staging.stage(
        FlushInlined(
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
    )
    runtime.settings.on_step("flush: files registered")
    return len(rows)


def _flushable_tables(staging: Staging, runtime: Runtime) -> list[TableRow]:
    """Return the tables with inlined data that may be flushed."""
    draft = staging.draft
    held = {row.table_id for row in draft.rows(INLINED_ROW)} | {row.table_id for row in draft.rows(INLINED_DELETE)}
    tables = [row for row in draft.rows(TABLE) if row.table_id in held]
    catalog = draft.version.catalog_id
    return [
        row
        for row in sorted(tables, key=lambda row: row.table_id)
        if effective_option(runtime.store, catalog, "auto_compact", row.schema_id, row.table_id) != "false"
    ]


def _committed_rows(staging: Staging, table_id: TableId) -> list[InlinedRow]:
    """Return the inlined rows that have a snapshot.

    Rows of the transaction itself get theirs only at the commit.
    """
    return [row for row in staging.draft.rows(INLINED_ROW, {"table_id": table_id}) if row.origin is not None]


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
        pa.array([int(snapshot) for _, snapshot, _ in part.rows], pa.int64()),
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
