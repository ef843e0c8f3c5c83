"""Rows of one file, or of the metadata, in the columns of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from forklake import files
from forklake.engine.local.table_columns import table_column
from forklake.engine.statement_limits import UnpackedBytes, charge, check_time
from forklake.files.access import storage
from forklake.files.access.keys import decrypting
from forklake.files.arrow import compute as pc
from forklake.files.arrow.arrays import number_array, repeat, value_array
from forklake.files.arrow.variant_arrays import is_plain
from forklake.files.casting.texts import to_array
from forklake.files.incoming.evolution import evolved_column
from forklake.files.incoming.inlined_rows import held_array
from forklake.files.parquet.deletes import read_deletes
from forklake.files.parquet.footer import damage_error, known_footer, resolve_fields
from forklake.files.parquet.partitions import hive_text, path_values
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.numbering import Run
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN, ScanFile, ScanPlan, ScanRows

_BATCH_ROWS: Final = 65_536
_RUN_BYTES: Final = 1 << 20
_FEW_ROWS: Final = 10_000
"""Rows that are decoded sooner than they are handed to other threads."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which columns of a table are read.

    ``fields`` are all columns as they were planned, ``wanted`` those to return. They have the types that are shown,
    or else those that files hold.
    """

    table: str
    fields: tuple[Field, ...]
    wanted: tuple[Field, ...]
    as_stored: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows: the wanted columns, and where each row comes from."""

    columns: tuple[pa.Array, ...]
    row_ids: pa.Array
    snapshots: pa.Array
    positions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.positions)

    def where(self, keep: NDArray[np.bool_]) -> Rows:
        """Return the rows that a mask keeps."""
        if keep.all():
            return self
        mask = number_array(keep)
        columns = tuple(column.filter(mask) for column in self.columns)
        return Rows(columns, self.row_ids.filter(mask), self.snapshots.filter(mask), self.positions[keep])


def file_rows(
    file: ScanFile, selection: Selection, part: tuple[int, int] = (0, 1), *, batch_rows: int | None = None
) -> Iterator[Rows]:
    """Yield the rows of a file that are not deleted, batch by batch, in order.

    Args:
        file: The file; its footer is read if the plan does not know its columns.
        selection: What to return.
        part: Which of how many parts of the file to read; parts hold whole row groups, and may be empty.
        batch_rows: The maximum number of rows in a batch; nothing is read ahead of what is consumed.

    Raises:
        DataFileError: The file or its delete file is missing, damaged, or cannot be decrypted.
        InvalidInputError: A value does not fit its column.
    """
    charge(ScanPlan(selection.table, (), (file,)))
    unpacked = UnpackedBytes(file.path, file.file_size_bytes, f"part {part[0]} of {part[1]}")
    with storage.naming_table(file.path, selection.table):
        for rows in _rows(file, selection, part, min(batch_rows or _BATCH_ROWS, _BATCH_ROWS)):
            unpacked.add(sum(column.nbytes for column in rows.columns))
            yield rows


def rows_at(file: ScanFile, positions: NDArray[np.int64], table: str) -> Rows:
    """Return the rows at some positions of a file, without their columns.

    Deleted rows are among them. The positions are in order. Those that the file does not have are left out; without
    positions, nothing is read.

    Raises:
        DataFileError: The file is missing, damaged, or cannot be decrypted.
    """
    found: list[Rows] = []
    with storage.naming_table(file.path, table):
        for first, batch in _batches(file, (), (0, 1), _BATCH_ROWS) if positions.size else ():
            begin, end = np.searchsorted(positions, [first, first + batch.num_rows])
            chosen = positions[begin:end]
            taken = batch.take(number_array(chosen - first))
            found.append(Rows((), _row_ids(file, taken, chosen), _snapshots(file, taken), chosen))
            check_time()
    return Rows(
        (),
        pa.concat_arrays([pa.nulls(0, pa.int64()), *(rows.row_ids for rows in found)]),
        pa.concat_arrays([pa.nulls(0, pa.int64()), *(rows.snapshots for rows in found)]),
        np.concatenate([np.empty(0, np.int64), *(rows.positions for rows in found)]),
    )


def inlined_rows(rows: ScanRows, selection: Selection) -> Rows:
    """Return rows that the metadata holds; their positions are their ids.

    DuckLake numbers them in the same way.

    Raises:
        InvalidInputError: A text is not a value of its column's type.
    """
    ids = {field.column_id for field in selection.wanted}
    held = {
        # Texts become values as they are shown, so a column that is shown as text is read from text.
        _display_field(field): held_array(field, [values.get(field.column_id) for _, _, values in rows.rows])
        for field in rows.fields
        if field.column_id is not None and field.column_id in ids
    }
    count = len(rows.rows)
    row_ids = np.array([row_id for row_id, _, _ in rows.rows], np.int64)
    return Rows(
        tuple(table_column(field, held, count, selection.table) for field in selection.wanted),
        number_array(row_ids),
        value_array([begun for _, begun, _ in rows.rows], pa.int64()),
        row_ids,
    )


def deleted_positions(file: ScanFile) -> NDArray[np.int64]:
    """Return the deleted positions of a file, in order."""
    inlined = np.array(sorted(set(file.inlined_deletes)), np.int64)
    if file.deletes is None:
        return inlined
    listed = read_deletes(file.deletes)
    return np.union1d(listed, inlined) if inlined.size else listed


def _display_field(field: Field) -> Field:
    if field.type.shown_as == types.VARCHAR:
        return replace(field, type=types.VARCHAR)
    return field.with_children(tuple(map(_display_field, field.children)))


def _rows(file: ScanFile, selection: Selection, part: tuple[int, int], batch_rows: int) -> Iterator[Rows]:
    held = _file_fields(file, selection)
    constants = _from_path(file, selection)
    gone = deleted_positions(file)
    shredded = _shredded_variants(file, held)
    for first, batch in _batches(file, [field.name for field in held], part, batch_rows):
        count = batch.num_rows
        present = {
            field: shredded[field.name].slice(first, count).combine_chunks()
            if field.name in shredded
            else batch.column(field.name)
            for field in held
            if field.name in batch.schema.names
        }
        repeated = {field: pa.repeat(value[0], count) for field, value in constants.items()}
        columns = [
            evolved_column(field, {**repeated, **present}, count, selection.table)
            if selection.as_stored
            else repeated[field]
            if field in repeated
            else table_column(field, present, count, selection.table)
            for field in selection.wanted
        ]
        positions = np.arange(first, first + count)
        rows = Rows(tuple(columns), _row_ids(file, batch, positions), _snapshots(file, batch), positions)
        yield rows.where(_visible_mask(file, batch, gone, first))


def _shredded_variants(file: ScanFile, held: Sequence[Field]) -> Mapping[str, pa.ChunkedArray]:
    """Return the variant columns of a file that are shredded, put together again."""
    names = [field.name for field in held if field.type == types.VARIANT]
    if not names:
        return {}
    with storage.open_input(file.path) as opened:
        try:
            schema = pq.read_schema(opened)
        except (pa.ArrowException, OSError) as error:
            raise damage_error(file.path, file.encryption_key, error) from error
    found = [name for name in names if name in schema.names and not is_plain(schema.field(name).type)]
    return files.variants.read_variants(file.path, found) if found else {}


def _file_fields(file: ScanFile, selection: Selection) -> list[Field]:
    """Return the wanted columns of the table that a file holds."""
    if not selection.wanted:
        return []
    fields = file.fields
    if fields is None:
        footer = known_footer(file)
        fields = resolve_fields(footer, selection.fields, file.mapping)
    ids = {field.column_id for field in selection.wanted}
    return [field for field in fields if field.column_id is not None and field.column_id in ids]


def _from_path(file: ScanFile, selection: Selection) -> Mapping[Field, pa.Array]:
    """Return the columns with values in directory names, each with its one value."""
    mapped = {part.column_id: part.source_name for part in file.mapping or () if part.is_partition}
    fields = [field for field in selection.wanted if field.column_id in mapped]
    values = path_values(file.path, mapped)
    return {
        field: to_array(field, [hive_text(field.type, values[field.column_id])])
        for field in fields
        if field.column_id is not None
    }


def _batches(
    file: ScanFile, names: Sequence[str], part: tuple[int, int], batch_rows: int
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield batches of one part of a file, each with the position of its first row."""
    properties = decrypting(file.path, file.encryption_key)
    with storage.open_input(file.path) as opened:
        try:
            # Moments of 12 bytes reach further than nanoseconds in 64 bits do.
            parquet = pq.ParquetFile(opened, decryption_properties=properties, coerce_int96_timestamp_unit="us")
            sizes = [parquet.metadata.row_group(group).num_rows for group in range(parquet.num_row_groups)]
            begin, end = (len(sizes) * number // part[1] for number in (part[0], part[0] + 1))
            first = sum(sizes[:begin])
            present = parquet.schema_arrow.names
            chosen = [name for name in (*names, ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN) if name in present]
            if begin == end:
                return
            if not chosen:
                # Nothing of the file is needed but how many rows it has.
                yield first, pa.table({"": pa.nulls(sum(sizes[begin:end]))}).combine_chunks().to_batches()[0]
                return
            for run in _runs(parquet.metadata, begin, end):
                for batch in parquet.iter_batches(
                    batch_rows,
                    row_groups=run,
                    columns=chosen,
                    use_threads=sum(sizes[begin:end]) > _FEW_ROWS,
                ):
                    yield first, batch
                    first += batch.num_rows
        except (OSError, ValueError, pa.ArrowException) as error:
            raise damage_error(file.path, file.encryption_key, error) from error


def _runs(metadata: pq.FileMetaData, begin: int, end: int) -> Iterator[list[int]]:
    """Yield runs of row groups that are decoded together.

    They are small ones, or one that is not. What is decoded together is in memory at once, and may be much more than
    its bytes in the file.
    """
    run: list[int] = []
    byte_count = 0
    for group in range(begin, end):
        size = metadata.row_group(group).total_byte_size
        if run and byte_count + size > _RUN_BYTES:
            yield run
            run, byte_count = [], 0
        run.append(group)
        byte_count += size
    yield run


def _visible_mask(file: ScanFile, batch: pa.RecordBatch, gone: NDArray[np.int64], first: int) -> NDArray[np.bool_]:
    keep = np.ones(batch.num_rows, np.bool_)
    begin, end = np.searchsorted(gone, [first, first + batch.num_rows])
    keep[gone[begin:end] - first] = False
    if file.is_cut and SNAPSHOT_ID_COLUMN in batch.schema.names:
        own = batch.column(SNAPSHOT_ID_COLUMN)
        keep &= np.asarray(pc.fill_null(pc.less_equal(own, int(file.read_upto)), True))
    return keep


def _row_ids(file: ScanFile, batch: pa.RecordBatch, positions: NDArray[np.int64]) -> pa.Array:
    given: Any = (
        pa.nulls(len(positions), pa.int64())
        if file.row_id_start is None
        else number_array(positions + int(file.row_id_start))
    )
    return pc.coalesce(batch.column(ROW_ID_COLUMN), given) if ROW_ID_COLUMN in batch.schema.names else given


def _snapshots(file: ScanFile, batch: pa.RecordBatch) -> pa.Array:
    given = (
        pa.nulls(batch.num_rows, pa.int64())
        if file.snapshot_id is None
        else repeat(int(file.snapshot_id), pa.int64(), batch.num_rows)
    )
    if SNAPSHOT_ID_COLUMN not in batch.schema.names:
        return given
    carried = batch.column(SNAPSHOT_ID_COLUMN)
    return pc.coalesce(carried if file.numbering is None else _renumber(carried, file.numbering.runs), given)


def _renumber(carried: pa.Array, runs: Sequence[Run]) -> pa.Array:
    """Return our snapshot ids for the numbers that an imported file carries.

    The numbers are those of the database it was imported from. A snapshot that was not imported becomes the
    next imported one.
    """
    starts = np.array([run.number for run in runs], np.int64)
    ends = starts + np.array([run.count for run in runs], np.int64)
    shifts = np.array([int(run.snapshot_id) for run in runs], np.int64) - starts
    numbers = np.asarray(pc.fill_null(carried, 0), np.int64)
    place = np.searchsorted(ends, numbers, side="right").clip(max=len(runs) - 1)
    return pa.array(np.maximum(numbers, starts[place]) + shifts[place], pa.int64(), mask=np.asarray(carried.is_null()))
