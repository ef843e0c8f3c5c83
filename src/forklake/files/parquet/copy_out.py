"""Rows written to Parquet files that belong to no table, for COPY ... TO."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from forklake import files
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow.array_transforms import partition_codes
from forklake.files.arrow.geometry_arrays import mark_geometries
from forklake.files.arrow.wide_integers import has_wide, type_with
from forklake.files.parquet.partitions import hive_path
from forklake.model import types
from forklake.model.field import Field
from forklake.model.interruption import end_in_time
from forklake.model.lazy_dataclass import dataclass
from forklake.model.write import PartitionKey, WriteOptions

_CODECS: Final = {"uncompressed": "none", "lz4_raw": "lz4"}


@dataclass(frozen=True, slots=True)
class CopyLayout:
    """How rows are laid out in files.

    Attributes:
        partition_by: The columns whose values are directories.
        groups_per_file: How many row groups a file of a directory has; None for a single file, and with
            ``partition_by``.
        may_exist: Whether files may be added to a directory that has some; those of the same name are replaced.
        pattern: The name of files in directories; ``{i}`` is a number, ``{uuid}`` is unique.
        keeps_columns: Whether files have the columns that their directories have values of.
        geoparquet_version: How geometries are stored, in DuckDB's words; None is its default.
    """

    partition_by: tuple[str, ...] = ()
    compression: str = "snappy"
    row_group_size: int = 122_880
    groups_per_file: int | None = None
    may_exist: bool = False
    pattern: str = "data_{i}"
    keeps_columns: bool = False
    geoparquet_version: str | None = None


def copy_out(rows: pa.Table, fields: tuple[Field, ...], path: str, layout: CopyLayout) -> None:
    """Write rows to one file, or to a directory of partitions or of files of a size.

    A single file is there whole or not at all, and replaces one that was there. If a directory cannot be
    written, the files that were written are removed.

    Args:
        rows: The rows, in the types of data files.
        fields: Their columns.
        path: The file or directory, absolute or a URL.
        layout: How they are laid out.

    Raises:
        AlreadyExistsError: The directory has files already.
        InvalidInputError: Rows cannot be partitioned like that.
        DataFileError: A file cannot be written.
    """
    if not layout.partition_by and layout.groups_per_file is None:
        _write_whole(_with_logical_types(rows, fields), path, layout)
        return
    if not layout.may_exist and storage.list_files(path):
        raise AlreadyExistsError(
            f'Directory "{path}" is not empty! Enable OVERWRITE_OR_IGNORE option to force writing; nothing was written.'
        )
    written: list[str] = []
    try:
        for directory, number, part in _parts(rows, fields, layout):
            end_in_time()
            name = layout.pattern.replace("{i}", str(number)).replace("{uuid}", str(uuid4()))
            if number and name == layout.pattern:
                name = f"{name}{number}"
            place = f"{path.rstrip('/')}/{directory}{name}.parquet"
            written.append(place)
            _write_whole(part, place, layout)
    except BaseException:
        storage.delete(written)
        raise


def _parts(rows: pa.Table, fields: tuple[Field, ...], layout: CopyLayout) -> Iterator[tuple[str, int, pa.Table]]:
    """Yield the rows of each file, with its directory and its number there."""
    if layout.groups_per_file is None:
        yield from ((directory, 0, part) for directory, part in _partitions(rows, fields, layout))
        return
    shown, count = _with_logical_types(rows, fields), max(1, rows.num_rows)
    size = min(layout.groups_per_file * layout.row_group_size, count)
    for number, start in enumerate(range(0, count, size)):
        yield "", number, shown.slice(start, size)


def _partitions(rows: pa.Table, fields: tuple[Field, ...], layout: CopyLayout) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each partition with its directory, in the order of first rows."""
    keys = [PartitionKey(name) for name in layout.partition_by]
    places = [next(place for place, field in enumerate(fields) if field.name == key.column) for key in keys]
    kept = [place for place in range(len(fields)) if layout.keeps_columns or place not in places]
    if not kept:
        raise InvalidInputError(
            "No column to write as all columns are specified as partition columns. WRITE_PARTITION_COLUMNS option can"
            " be used to write partition columns."
        )
    shown = _with_logical_types(rows.select(kept), tuple(fields[place] for place in kept))
    combined, choices, columns = np.zeros(rows.num_rows, np.intp), list[list[str | None]](), list[Any]()
    for key, place in zip(keys, places, strict=True):
        codes, texts = partition_codes(rows.column(place).combine_chunks(), fields[place].type, key.transform)
        _, combined = np.unique(combined * max(1, len(texts)) + codes, return_inverse=True)
        choices.append(texts)
        columns.append(codes)
    _, firsts = np.unique(combined, return_index=True)
    for number in np.argsort(firsts).tolist():
        first = int(firsts[number])
        values = [texts[codes[first]] for texts, codes in zip(choices, columns, strict=True)]
        yield hive_path(keys, values), shown.filter(pa.array(combined == number))


def _with_logical_types(rows: pa.Table, fields: tuple[Field, ...]) -> pa.Table:
    """Return rows whose JSON and geometries say so in the file, as DuckDB's do.

    Integers of more than 38 digits make their column text, as in data files.
    """
    for place, field in enumerate(fields):
        typed = rows.column(place)
        if field.type == types.JSON:
            typed = typed.cast(pa.json_(pa.string()))
        elif has_wide(typed.type):
            typed = typed.cast(type_with(typed.type, pa.string()))
        rows = rows.set_column(place, rows.field(place).with_type(typed.type), typed)
    return mark_geometries(rows, fields)


def _write_whole(rows: pa.Table, path: str, layout: CopyLayout) -> None:
    place = f"{path}.{uuid4().hex}.tmp" if storage.is_local(path) else path
    try:
        with storage.open_output(place) as sink, storage.explain_errors(path, "written"):
            if files.variants.is_for_duckdb(rows.schema):
                _write_by_duckdb(rows, sink, layout)
            else:
                _write_by_arrow(rows, sink, layout)
        if place != path:
            with storage.explain_errors(path, "written"):
                os.replace(storage.local_path(place), storage.local_path(path))
    except BaseException:
        storage.delete([place])
        raise


def _write_by_arrow(rows: pa.Table, sink: Any, layout: CopyLayout) -> None:
    pq.write_table(
        rows,
        sink,
        compression=_CODECS.get(layout.compression, layout.compression),
        row_group_size=layout.row_group_size,
        version="2.6",
        store_schema=False,
        store_decimal_as_integer=True,
    )


def _write_by_duckdb(rows: pa.Table, sink: Any, layout: CopyLayout) -> None:
    """Write rows with variants or geometries, whose types PyArrow does not write."""
    options = WriteOptions(parquet_compression=layout.compression)
    writer = files.variants.VariantWriter(sink, rows.schema, [], options, layout.geoparquet_version)
    for begin in range(0, max(1, rows.num_rows), layout.row_group_size):
        writer.write_table(rows.slice(begin, layout.row_group_size), layout.row_group_size)
    writer.close()
