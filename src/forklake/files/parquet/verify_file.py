"""Compares a file with what the metadata records of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from forklake.errors import DataFileError
from forklake.files.parquet.deletes import read_deletes
from forklake.files.parquet.footer import footer_of, read_metadata
from forklake.files.parquet.statistics import column_stats
from forklake.model import types
from forklake.model.definitions import ColumnStats
from forklake.model.field import Field
from forklake.model.ids import INFINITY
from forklake.model.rows import DataFileRow, DeleteFileRow, FileColumnStatsRow
from forklake.model.scan import ScanDeletes

Fault = tuple[str, str]
"""The code of a finding, and what is wrong."""


def verify_data_file(path: str, row: DataFileRow, recorded: Sequence[FileColumnStatsRow]) -> Iterator[Fault]:
    """Yield where the footer of a data file differs from its row and its statistics.

    Bounds may be wider than those of the footer, never narrower. What the footer does not tell is not compared, nor
    what columns of files without field ids hold.
    """
    try:
        metadata, byte_count, footer_size = read_metadata(path, row.encryption_key)
        footer = footer_of(path, metadata, byte_count, footer_size)
    except DataFileError as error:
        yield "file-damaged", error.message
        return
    if row.footer_size not in (None, footer_size):
        yield "file-damaged", f'The footer of "{path}" has {footer_size} bytes instead of {row.footer_size}.'
    if footer.row_count != row.record_count:
        yield "file-rows", f'The file "{path}" has {footer.row_count} rows instead of {row.record_count}.'
    # Rows that were moved, and rows that are not numbered by their places, must say which they are. (DuckLake merges
    # files of adjacent rows without that; such files have a numbering.)
    is_moved = row.partial_max is not None and row.numbering_id is None
    if (is_moved or row.row_id_start is None) and not footer.has_row_ids:
        yield "file-lineage", f'The rows of "{path}" do not carry their ids.'
    if row.partial_max is not None and not footer.has_snapshot_ids:
        yield "file-lineage", f'The rows of "{path}" do not carry their snapshots.'
    if row.mapping_id is None:
        fields = {field.column_id: field for field in footer.fields if field.column_id is not None}
        held = column_stats(metadata, footer.fields)
        for stats in recorded:
            field = fields.get(stats.column_id)
            if field is not None and field.name in held:
                yield from _differences(path, field, stats, held[field.name])


def verify_delete_file(path: str, row: DeleteFileRow, row_count: int | None) -> Iterator[Fault]:
    """Yield where a delete file differs from its row, or from the data file's rows.

    ``row_count`` is how many rows the data file has, if that is known.
    """
    deletes = ScanDeletes(path, row.format, row.file_size_bytes, INFINITY, False, row.encryption_key)
    try:
        positions = read_deletes(deletes)
    except DataFileError as error:
        yield "file-deletes", error.message
        return
    if len(positions) != row.delete_count:
        yield "file-deletes", f'The file "{path}" deletes {len(positions)} rows instead of {row.delete_count}.'
    if row_count is not None and len(positions) and int(positions[-1]) >= row_count:
        yield (
            "file-deletes",
            f'The file "{path}" deletes row {int(positions[-1])} of a data file that has {row_count}.',
        )


def _differences(path: str, field: Field, recorded: FileColumnStatsRow, held: ColumnStats) -> Iterator[Fault]:
    if None not in (recorded.null_count, held.null_count) and recorded.null_count != held.null_count:
        yield (
            "file-statistics",
            f'The column "{field.name}" of "{path}" has {held.null_count} NULLs instead of {recorded.null_count}.',
        )
    for word, known, bound, sign in (
        ("least", recorded.min_value, held.min_value, 1),
        ("greatest", recorded.max_value, held.max_value, -1),
    ):
        if known is not None and bound is not None and _compare(field, known, bound) == sign:
            yield (
                "file-statistics",
                f'The {word} value of the column "{field.name}" of "{path}" is {bound!r}, and {known!r} is recorded.',
            )


def _compare(field: Field, one: str, other: str) -> int:
    """Return whether a bound is less (-1) or greater (1) than another; 0 if not known."""
    match field.type:
        case types.Integer() | types.Decimal() | types.Float():
            try:
                first, second = Decimal(one), Decimal(other)
                return (first > second) - (first < second)
            except InvalidOperation:
                return 0
        case types.Varchar():
            return (one.encode() > other.encode()) - (one.encode() < other.encode())
    return 0
