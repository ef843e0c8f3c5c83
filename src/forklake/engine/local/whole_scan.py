"""Whole scans in this process: the rows of a plan as one Arrow table.

Columns have their display types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

import pyarrow as pa

from forklake.engine.local.file_rows import Rows, Selection, file_rows, inlined_rows
from forklake.engine.statement_limits import charge, check_time
from forklake.files.access import storage
from forklake.files.access.threads import FileThreads
from forklake.files.arrow import compute as pc
from forklake.files.arrow.arrays import number_array, repeat, value_array
from forklake.files.arrow.schema import display_type
from forklake.model import scan as scans
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanFile, ScanPlan, StagedIds

_READERS: Final = 8
_SMALLEST_BATCH: Final = 1024
_SMALL_BYTES: Final = 1 << 20
"""Local files of fewer bytes in all are read sooner by one thread than other threads are started."""


def read_plan(plan: ScanPlan, fields: Sequence[Field], limit: int | None = None) -> pa.Table:
    """Return the rows of a plan, in file order, inlined rows last.

    Rows of a file keep their order. Columns are called ``c0``, ``c1`` and so on, as names may repeat.

    Args:
        plan: What to read.
        fields: What to return, in order: columns of the table, and lineage (`LINEAGE_COLUMNS`), which has no
            id.
        limit: The maximum number of rows; nothing beyond them is read.

    Raises:
        DataFileError: A file is missing, damaged, or cannot be decrypted.
        InvalidInputError: A value does not fit its column.
    """
    charge(plan)  # at once: its files are read in threads
    schema = pa.schema([pa.field(f"c{place}", display_type(field)) for place, field in enumerate(fields)])
    batches: list[pa.RecordBatch] = []
    left = limit
    for batch in _batches(plan, fields, schema, limit):
        check_time()
        if left is None:
            batches.append(batch)
            continue
        batches.append(batch.slice(0, left))
        left -= min(left, batch.num_rows)
        if not left:
            break
    # Without columns only a batch knows how many rows there are.
    return pa.Table.from_batches(batches, None if batches and not fields else schema)


def _batches(plan: ScanPlan, fields: Sequence[Field], schema: pa.Schema, limit: int | None) -> Iterator[pa.RecordBatch]:
    selection = Selection(plan.table, plan.fields, tuple(field for field in fields if field.column_id is not None))

    def of_file(place: int, file: ScanFile, batch_rows: int | None = None) -> Iterator[pa.RecordBatch]:
        for rows in file_rows(file, selection, batch_rows=batch_rows):
            path = repeat(file.path, pa.string(), len(rows))
            number = repeat(int(file.data_file_id), pa.int64(), len(rows))
            yield _batch(rows, fields, schema, _Places(path, number, number_array(rows.positions), place, plan.staged))

    if limit is not None or _is_soon_read(plan.files):
        for place, file in enumerate(plan.files):
            yield from of_file(place, file, None if limit is None else max(limit, _SMALLEST_BATCH))
    else:
        with FileThreads(min(_READERS, len(plan.files))) as readers:
            for batches in readers.map(lambda located: list(of_file(*located)), enumerate(plan.files)):
                yield from batches
    for place, kept in enumerate((rows for rows in plan.inlined if rows.rows), len(plan.files)):
        names = value_array(kept.names or [None] * len(kept.rows), pa.string())
        nowhere = pa.nulls(len(kept.rows), pa.int64())
        numbers = value_array(kept.numbers, pa.int64())
        where = _Places(names, nowhere, numbers, place if kept.place is None else kept.place, plan.staged)
        yield _batch(inlined_rows(kept, selection), fields, schema, where)


def _is_soon_read(files: Sequence[ScanFile]) -> bool:
    """Return whether one thread reads files soonest.

    Where each waits for a network, several do.
    """
    return len(files) < 2 or (
        sum(file.file_size_bytes for file in files) < _SMALL_BYTES
        and all(storage.is_local(file.path) for file in files)
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where rows are, as they are shown.

    That is the names and ids of their files, their numbers there, and the file's number. ``staged`` are
    the row ids that are shown in another way.
    """

    names: pa.Array
    files: pa.Array
    numbers: pa.Array
    place: int
    staged: StagedIds | None


def _batch(rows: Rows, fields: Sequence[Field], schema: pa.Schema, places: _Places) -> pa.RecordBatch:
    if not fields:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * len(rows), pa.struct([])))
    columns = iter(rows.columns)
    arrays = [next(columns) if field.column_id is not None else _lineage(field.name, rows, places) for field in fields]
    return pa.record_batch(arrays, schema=schema)


def _lineage(name: str, rows: Rows, places: _Places) -> pa.Array:
    match name:
        case "rowid":
            return _shown_ids(rows.row_ids, places.staged)
        case scans.OWN_ROW_ID:
            return rows.row_ids
        case "snapshot_id":
            return rows.snapshots
        case "filename":
            return places.names
        case scans.OWN_FILE:
            return places.files
        case "file_row_number":
            return places.numbers
        case scans.OWN_POSITION:
            return number_array(rows.positions)
    assert name == "file_index"
    return repeat(Decimal(places.place), pa.decimal128(20, 0), len(rows))


def _shown_ids(row_ids: pa.Array, staged: StagedIds | None) -> pa.Array:
    if staged is None:
        return row_ids
    is_staged = pc.and_(pc.greater_equal(row_ids, staged.first), pc.less(row_ids, staged.end))
    return pc.if_else(is_staged, pc.add(row_ids, staged.shift), row_ids)
