"""Rows changed as Spark's engine changes them, but by this process: the same files, the same changes of metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from forklake import Transaction
from forklake.catalog import lookup
from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.transaction import Staging
from forklake.engine.changed_rows import ChangedRows
from forklake.engine.local.file_rows import Rows, Selection, deleted_positions, file_rows, inlined_rows
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.texts import to_texts
from forklake.files.incoming.conform import conform
from forklake.files.parquet.deletes import read_deletes, write_delete_file
from forklake.files.parquet.parquet_writer import write_files
from forklake.model import types
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.field import Field
from forklake.model.ids import DataFileId
from forklake.model.scan import ROW_ID_COLUMN, ROW_ID_FIELD_ID, ScanFile
from forklake.model.write import WriteTarget
from forklake.ops.rows.append import is_inlinable
from forklake.ops.rows.change_table import stage_changes
from forklake.ops.rows.write_target import writing

ROW_ID = Field(ROW_ID_FIELD_ID, ROW_ID_COLUMN, types.INT64)


def change_rows(
    transaction: Transaction, name: str, key: str, keys: Sequence[str], values: Mapping[str, str | None] | None
) -> int:
    """Update the rows with these keys, or delete them if there are no values; keys and values are texts.

    Return how many rows it was.
    """
    table = transaction.table(name)
    staging, runtime = transaction._open(), transaction._runtime
    row = lookup.table_by_id(staging.draft, table.table_id)
    how = writing(runtime, staging.draft, row, may_alter_later=staging.may_alter_later)
    plan = plan_scan(runtime.store, runtime.lake_path, staging.draft, row)
    selection = Selection(plan.table, plan.fields, plan.fields)
    whole: list[DataFileId] = []
    deletes: list[NewDeleteFile] = []
    positions: list[tuple[DataFileId, int]] = []
    found: list[pa.Table] = []
    places = [name for name, field in zip(range(len(plan.fields)), plan.fields, strict=True) if field.name == key]

    def matching(rows: Rows) -> Rows:
        texts = to_texts(plan.fields[places[0]].type, rows.columns[places[0]])
        return rows.where(pc.is_in(pa.array(texts, pa.string()), pa.array(keys, pa.string())).to_numpy(False))

    chosen: list[tuple[ScanFile, list[int]]] = []
    for file in plan.files:
        at: list[int] = []
        for batch in file_rows(file, selection):
            rows = matching(batch)
            at += rows.positions.tolist()
            found.append(_texts(rows, plan.fields))
        if at and deleted_positions(file).size + len(at) == file.record_count:
            whole.append(file.data_file_id)
        elif at:
            chosen.append((file, at))
    if sum(len(at) for _, at in chosen) <= how.inlining_row_limit:
        positions += [(file.data_file_id, one) for file, at in chosen for one in at]
    else:
        for file, at in chosen:
            earlier = [] if file.deletes is None else read_deletes(file.deletes).tolist()
            deletes.append(
                write_delete_file(how.target.directory, file.data_file_id, file.path, sorted([*earlier, *at]))
            )
    inlined: list[int] = []
    for part in plan.inlined:
        rows = matching(inlined_rows(part, selection))
        inlined += rows.row_ids.to_pylist()
        found.append(_texts(rows, plan.fields))
    if not found:
        return 0
    old = pa.concat_tables(found)
    few, files = _written(old, values, how.target, how.inlining_row_limit, keeps_ids=row.origin is not None)
    changed = ChangedRows(tuple(whole), tuple(deletes), tuple(positions), tuple(inlined), tuple(files), few, 0, 0)

    def verb(staging: Staging) -> None:
        staging.take_lease()
        stage_changes(staging, row, how.target, changed)

    transaction._run(verb)
    return int(old.num_rows)


def _texts(rows: Rows, fields: Sequence[Field]) -> pa.Table:
    columns = {
        field.name: pa.array(to_texts(field.type, column), pa.string())
        for field, column in zip(fields, rows.columns, strict=True)
    }
    return pa.table({**columns, ROW_ID_COLUMN: rows.row_ids.cast(pa.int64())})


def _written(
    old: pa.Table, values: Mapping[str, str | None] | None, target: WriteTarget, limit: int, *, keeps_ids: bool
) -> tuple[pa.Table | None, list[NewDataFile]]:
    """Return the new rows if they are few enough for the metadata, or the files that hold them."""
    if values is None or not old.num_rows:
        return None, []
    new = old
    for name, text in values.items():
        column = pa.array([text] * old.num_rows, pa.string())
        new = new.set_column(new.schema.names.index(name), name, column)
    if new.num_rows <= limit and is_inlinable(target.fields):
        return new, []
    rows = conform(new.drop_columns([ROW_ID_COLUMN]), target.fields, target.table, by_name=False)
    storage.make_directory(target.directory)
    if not keeps_ids:
        return None, write_files(rows.to_batches(), target, arrow_schema(target.fields))
    fields = (*target.fields, ROW_ID)
    rows = rows.append_column(arrow_schema([ROW_ID])[0], new.column(ROW_ID_COLUMN))
    files = write_files(rows.to_batches(), replace(target, fields=fields, needs_mapping=False), arrow_schema(fields))
    return None, [
        replace(file, column_stats={name: it for name, it in file.column_stats.items() if name != ROW_ID_COLUMN})
        for file in files
    ]
