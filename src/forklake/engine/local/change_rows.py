"""Deletes and updates of rows that were found in this process, written by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from forklake.engine.changed_rows import ROW_ID_FIELD, TWICE, ChangedRows, Inlining, without_ids
from forklake.errors import InvalidInputError
from forklake.files import storage
from forklake.files.conform import conform
from forklake.files.deletes import read_deletes, write_delete_file
from forklake.files.parquet_writer import write_files
from forklake.files.schema import arrow_schema
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.ids import DataFileId
from forklake.model.scan import OWN_PLACES, ROW_ID_COLUMN, ScanFile, ScanPlan
from forklake.model.write import WriteTarget

_Positions = NDArray[np.int64]


def change_found(
    plan: ScanPlan, found: pa.Table, target: WriteTarget, inlining: Inlining, *, is_update: bool, keeps_ids: bool
) -> ChangedRows:
    """Update or delete rows of a plan that were already found; write files as needed.

    After a failure nothing is left behind.

    Args:
        plan: The scan that found the rows.
        found: The rows: where each is, in the columns of `OWN_PLACES`, and for an update its new values.
        target: The table.
        inlining: How many rows the metadata takes instead of files.
        is_update: Whether the rows are updated. A row that is only deleted may occur several times.
        keeps_ids: Whether updated rows keep their ids.

    Raises:
        InvalidInputError: A row is updated twice, or a new value does not fit its column.
        DataFileError: A file cannot be read or written.
    """
    paths, positions, row_ids = (found.column(place).combine_chunks() for place in range(len(OWN_PLACES)))
    values = found.select(range(len(OWN_PLACES), found.num_columns)) if is_update else None
    # Before anything is written: a value may not fit.
    rows = None if values is None else conform(values, target.fields, target.table, by_name=False)
    written: list[str] = []
    try:
        inlined = _unique_ids(row_ids.filter(paths.is_null()).to_pylist(), may_repeat=not is_update)
        kept, whole = _split(plan, paths, positions, may_repeat=not is_update)
        is_few = sum(places.size for _, places in kept) <= inlining.deletes
        delete_files: list[NewDeleteFile] = []
        for file, places in [] if is_few else kept:
            delete_files.append(_write_deletes(file, places, target))
            written.append(target.directory + delete_files[-1].path)
        few = None if rows is None or rows.num_rows > inlining.rows else rows
        files = [] if rows is None or few is not None else _write_updates(rows, row_ids, target, keeps_ids=keeps_ids)
    except BaseException:
        storage.delete(written)
        raise
    return ChangedRows(
        whole_files=tuple(file.data_file_id for file, _ in whole),
        delete_files=tuple(delete_files),
        positions=_number_positions(kept) if is_few else (),
        inlined=tuple(inlined),
        data_files=tuple(files),
        rows=None if few is None else few.append_column(ROW_ID_COLUMN, row_ids),
        deleted_count=sum(places.size for _, places in (*kept, *whole)) + len(inlined),
        inserted_count=0,
    )


def _unique_ids(row_ids: Sequence[int], *, may_repeat: bool) -> list[int]:
    found = sorted(set(row_ids))
    if len(found) < len(row_ids) and not may_repeat:
        raise InvalidInputError(TWICE)
    return found


_Deleted = list[tuple[ScanFile, _Positions]]


def _split(plan: ScanPlan, paths: pa.Array, positions: pa.Array, *, may_repeat: bool) -> tuple[_Deleted, _Deleted]:
    """Return the deleted positions by file: those that keep other rows, and the rest."""
    files = {file.path: file for file in plan.files}
    kept: _Deleted = []
    whole: _Deleted = []
    for path in pc.unique(paths.drop_null()).to_pylist():
        given = positions.filter(pc.fill_null(pc.equal(paths, path), False)).to_numpy()
        places = np.unique(given)
        if places.size < given.size and not may_repeat:
            raise InvalidInputError(TWICE)
        file = files[path]
        # What the metadata deletes may be in the delete file as well, if another wrote it.
        gone = np.unique(
            np.concatenate([_earlier_deletes(file), places, np.asarray(file.inlined_deletes, np.int64)])
        ).size
        (kept if gone < file.record_count else whole).append((file, places))
    return kept, whole


def _earlier_deletes(file: ScanFile) -> _Positions:
    return np.array([], np.int64) if file.deletes is None else read_deletes(file.deletes)


def _write_deletes(file: ScanFile, places: _Positions, target: WriteTarget) -> NewDeleteFile:
    storage.make_directory(target.directory)
    gone = np.union1d(_earlier_deletes(file), places)
    return write_delete_file(target.directory, file.data_file_id, file.path, gone, is_encrypted=target.is_encrypted)


def _number_positions(deleted: _Deleted) -> tuple[tuple[DataFileId, int], ...]:
    return tuple((file.data_file_id, position) for file, places in deleted for position in places.tolist())


def _write_updates(rows: pa.Table, row_ids: pa.Array, target: WriteTarget, *, keeps_ids: bool) -> list[NewDataFile]:
    if not rows.num_rows:
        return []
    if not keeps_ids:
        return write_files(rows.to_batches(), target, arrow_schema(target.fields))
    # In a file with a name mapping, DuckDB does not find the ids.
    with_ids = replace(target, fields=(*target.fields, ROW_ID_FIELD), needs_mapping=False)
    schema = arrow_schema(with_ids.fields)
    held = pa.table([*rows.columns, row_ids], schema=schema)
    return [without_ids(file) for file in write_files(held.to_batches(), with_ids, schema)]
