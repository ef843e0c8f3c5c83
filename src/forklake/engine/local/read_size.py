"""How much a scan reads: large scans are left to Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from forklake.files.access import storage
from forklake.files.parquet.footer import read_metadata
from forklake.model.scan import ScanFile, ScanPlan

_OPENING_BYTES: Final = 64 * 1024
"""A file counts as at least so many bytes: to open it takes about as long as to read them."""


def is_small(plan: ScanPlan, max_bytes: int, max_rows: int, limit: int | None = None) -> bool:
    """Return whether a scan reads at most so many bytes of files and so many rows.

    Args:
        plan: What is read.
        max_bytes: The most bytes to read; 0: nothing is small.
        max_rows: The most rows to read; 0: nothing is small.
        limit: The maximum number of rows to return. Of a file that is too large as a whole, only the row groups
            with the first rows count, which its footer tells.

    Raises:
        DataFileError: A footer that is needed cannot be read.
    """
    if are_small([plan], max_bytes, max_rows):
        return True
    if max_bytes <= 0 or max_rows <= 0:
        return False
    return limit is not None and _is_small_head(plan, max_bytes, max_rows, limit)


def are_small(plans: Sequence[ScanPlan], max_bytes: int, max_rows: int) -> bool:
    """Return whether scans together read at most so many bytes and rows."""
    if max_bytes <= 0 or max_rows <= 0:
        return False
    return sum(map(_byte_count, plans)) <= max_bytes and sum(map(_row_count, plans)) <= max_rows


def _row_count(plan: ScanPlan) -> int:
    return sum(file.record_count for file in plan.files) + sum(len(rows.rows) for rows in plan.inlined)


def _byte_count(plan: ScanPlan) -> int:
    return sum(max(_OPENING_BYTES, file.file_size_bytes) + _delete_bytes(file) for file in plan.files)


def _is_small_head(plan: ScanPlan, max_bytes: int, max_rows: int, limit: int) -> bool:
    left, byte_count, row_count = limit, 0, 0
    for file in plan.files:
        if left <= 0:
            return True
        deleted = _deleted_rows(file)
        # The deleted rows may all come first.
        needed = file.record_count if deleted is None else min(file.record_count, left + deleted)
        row_count += needed
        if row_count > max_rows:
            return False
        byte_count += max(_OPENING_BYTES, _head_bytes(file, needed, plan.table)) + _delete_bytes(file)
        if byte_count > max_bytes:
            return False
        left -= 0 if deleted is None else max(0, file.record_count - deleted)
    return left <= 0 or row_count + sum(len(rows.rows) for rows in plan.inlined) <= max_rows


def _deleted_rows(file: ScanFile) -> int | None:
    """Return how many rows of a file may be deleted; None if only the file knows."""
    deletes = file.deletes
    if file.is_cut or (deletes is not None and (deletes.is_cut or deletes.delete_count is None)):
        return None
    return len(file.inlined_deletes) + (0 if deletes is None else deletes.delete_count or 0)


def _delete_bytes(file: ScanFile) -> int:
    return 0 if file.deletes is None else max(_OPENING_BYTES, file.deletes.file_size_bytes)


def _head_bytes(file: ScanFile, row_count: int, table: str) -> int:
    """Return the bytes of the row groups that hold the first rows of a file."""
    with storage.naming_table(file.path, table):
        metadata, _, _ = read_metadata(file.path, file.encryption_key)
    byte_count = 0
    for number in range(metadata.num_row_groups):
        if row_count <= 0:
            break
        group = metadata.row_group(number)
        byte_count += sum(group.column(place).total_compressed_size for place in range(group.num_columns))
        row_count -= group.num_rows
    return byte_count
