"""Deletes and updates of rows that were found in this process, written by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.engine.changed_rows import ROW_ID_FIELD, TWICE, ChangedRows, Inlining, without_ids
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow import compute as pc
from forklake.files.arrow.schema import arrow_schema
from forklake.files.incoming.conform import conform
from forklake.files.parquet.deletes import read_deletes, write_delete_file
from forklake.files.parquet.parquet_writer import write_files
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.merge import MergeOperation
from forklake.model.scan import OWN_PLACES, ROW_ID_COLUMN, ScanFile, ScanPlan
from forklake.model.write import WriteTarget

_Positions = NDArray[np.int64]


def change_found(
    plan: ScanPlan,
    found: pa.Table,
    target: WriteTarget,
    inlining: Inlining,
    before_files: Callable[[], object],
    *,
    is_update: bool,
    keeps_ids: bool,
) -> ChangedRows:
    """Update or delete rows of a plan that were already found; write files as needed.

    After a failure nothing is left behind.

    Args:
        plan: The scan that found the rows.
        found: The rows: where each is, in the columns of `OWN_PLACES`, and for an update its new values.
        target: The table.
        inlining: How many rows the metadata takes instead of files.
        before_files: Is called before a file is written, if any is.
        is_update: Whether the rows are updated. A row that is only deleted may occur several times.
        keeps_ids: Whether updated rows keep their ids.

    Raises:
        InvalidInputError: A row is updated twice, or a new value does not fit its column.
        DataFileError: A file cannot be read or written.
    """
    files, positions, row_ids = (found.column(place).combine_chunks() for place in range(len(OWN_PLACES)))
    values = found.select(range(len(OWN_PLACES), found.num_columns)) if is_update else None
    # Before anything is written: a value may not fit.
    rows = None if values is None else conform(values, target.fields, target.table, by_name=False)
    changes = _Changes(files, positions, row_ids, rows, row_ids, None, may_repeat=not is_update)
    return _write_changes(plan, changes, target, inlining, before_files, keeps_ids=keeps_ids)


def merge_found(
    plan: ScanPlan,
    found: pa.Table,
    operations: Sequence[MergeOperation],
    target: WriteTarget,
    inlining: Inlining,
    before_files: Callable[[], object],
    *,
    may_repeat: bool,
    keeps_ids: bool,
) -> ChangedRows:
    """Update, delete and insert the rows that a merge found; write files as needed.

    After a failure nothing is left behind.

    Args:
        plan: The scan that found the rows of the table.
        found: The rows: where each is, in the columns of `OWN_PLACES`, NULL if it is new; the number of its operation;
            and, unless all are deleted, its new values.
        operations: What is done with rows, by number.
        target: The table.
        inlining: How many rows the metadata takes instead of files.
        before_files: Is called before a file is written, if any is.
        may_repeat: Whether a row may come several times: it is only deleted.
        keeps_ids: Whether updated rows keep their ids.

    Raises:
        InvalidInputError: A row is changed twice, or a new value does not fit its column.
        DataFileError: A file cannot be read or written.
    """
    numbers = found.column(len(OWN_PLACES)).combine_chunks()

    def of(operation: MergeOperation) -> pa.Array:
        return pc.is_in(numbers, pa.array([n for n, one in enumerate(operations) if one == operation], numbers.type))

    values = found.select(range(len(OWN_PLACES) + 1, found.num_columns))

    def new(chosen: pa.Array, operation: MergeOperation) -> pa.Table | None:
        if operation not in operations:
            return None
        return conform(values.filter(chosen), target.fields, target.table, by_name=False)

    is_updated, is_inserted = of("update"), of("insert")
    gone = found.select(range(len(OWN_PLACES))).filter(pc.invert(is_inserted))
    files, positions, row_ids = (column.combine_chunks() for column in gone.columns)
    changes = _Changes(
        files,
        positions,
        row_ids,
        new(is_updated, "update"),
        found.column(2).filter(is_updated).combine_chunks(),
        new(is_inserted, "insert"),
        may_repeat=may_repeat,
    )
    return _write_changes(plan, changes, target, inlining, before_files, keeps_ids=keeps_ids)


@dataclass(frozen=True, slots=True)
class _Changes:
    """Rows that go, by their places, and those that come.

    Updated rows come with their ids, inserted ones have none yet.
    """

    files: pa.Array
    positions: pa.Array
    row_ids: pa.Array
    updated: pa.Table | None
    updated_ids: pa.Array
    inserted: pa.Table | None
    may_repeat: bool


def _write_changes(
    plan: ScanPlan,
    changes: _Changes,
    target: WriteTarget,
    inlining: Inlining,
    before_files: Callable[[], object],
    *,
    keeps_ids: bool,
) -> ChangedRows:
    written: list[str] = []
    try:
        ids = changes.row_ids.filter(changes.files.is_null()).to_pylist()
        inlined = _unique_ids(ids, may_repeat=changes.may_repeat)
        kept, whole = _split(plan, changes.files, changes.positions, may_repeat=changes.may_repeat)
        is_few = sum(places.size for _, places in kept) <= inlining.deletes
        few = _few_rows(changes, inlining.rows)
        delete_files: list[NewDeleteFile] = []
        if (kept and not is_few) or (few is None and (changes.updated is not None or changes.inserted is not None)):
            before_files()
        for file, places in [] if is_few else kept:
            delete_files.append(_write_deletes(file, places, target))
            written.append(target.directory + delete_files[-1].path)
        files: list[NewDataFile] = []
        if few is None and changes.updated is not None:
            files += _write_updates(changes.updated, changes.updated_ids, target, keeps_ids=keeps_ids)
            written += [target.directory + file.path for file in files]
        if few is None and changes.inserted is not None:
            files += write_files(changes.inserted.to_batches(), target, arrow_schema(target.fields))
    except BaseException:
        storage.delete(written)
        raise
    return ChangedRows(
        whole_files=tuple(file.data_file_id for file, _ in whole),
        delete_files=tuple(delete_files),
        positions=_number_positions(kept) if is_few else (),
        inlined=tuple(inlined),
        data_files=tuple(files),
        rows=few,
        deleted_count=sum(places.size for _, places in (*kept, *whole)) + len(inlined),
        inserted_count=0 if changes.inserted is None else changes.inserted.num_rows,
    )


def _few_rows(changes: _Changes, limit: int) -> pa.Table | None:
    """Return the new rows, with the ids of updated ones, if the metadata takes them."""
    parts = []
    if changes.updated is not None:
        parts.append(changes.updated.append_column(ROW_ID_COLUMN, changes.updated_ids))
    if changes.inserted is not None:
        none = pa.nulls(changes.inserted.num_rows, pa.int64())
        parts.append(changes.inserted.append_column(ROW_ID_COLUMN, none))
    if not parts or sum(part.num_rows for part in parts) > limit:
        return None
    return pa.concat_tables(parts)


def _unique_ids(row_ids: Sequence[int], *, may_repeat: bool) -> list[int]:
    found = sorted(set(row_ids))
    if len(found) < len(row_ids) and not may_repeat:
        raise InvalidInputError(TWICE)
    return found


_Deleted = list[tuple[ScanFile, _Positions]]


def _split(plan: ScanPlan, numbers: pa.Array, positions: pa.Array, *, may_repeat: bool) -> tuple[_Deleted, _Deleted]:
    """Return the deleted positions by file: those that keep other rows, and the rest."""
    files = {file.data_file_id: file for file in plan.files}
    kept: _Deleted = []
    whole: _Deleted = []
    for number in pc.unique(numbers.drop_null()).to_pylist():
        given = positions.filter(pc.fill_null(pc.equal(numbers, number), False)).to_numpy()
        places = np.unique(given)
        if places.size < given.size and not may_repeat:
            raise InvalidInputError(TWICE)
        file = files[number]
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
    return write_delete_file(
        target.directory,
        file.data_file_id,
        file.path,
        gone,
        is_encrypted=target.is_encrypted,
        as_vector=target.options.write_deletion_vectors,
    )


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
