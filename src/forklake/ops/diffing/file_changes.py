"""Files and inlined rows that differ between two sides.

They are told as changes, and as counts of rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from forklake.catalog.holdings import HeldDifference, HeldFile, version_of
from forklake.catalog.places import Places
from forklake.catalog.table_files import partition_values
from forklake.model.change import (
    AppendFiles,
    Change,
    DeleteInlined,
    DeleteRows,
    InlineDeletes,
    InsertInlined,
    RemoveFiles,
)
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.difference import RowCounts
from forklake.model.ids import CatalogId, ColumnId, DataFileId
from forklake.model.rows import DataFileRow, DeleteFileRow, TableRow
from forklake.ops.merging.row_choice import PlacedRows
from forklake.ops.merging.sides import Side, Sides


def known_counts(found: HeldDifference) -> RowCounts | None:
    """Return how many rows differ, if metadata tells.

    It does where rows only came or only went, or where all of them are inlined; and the number of rows in each file
    is known. A file does not tell whether its rows have ids of their own, so rows that came may be those that went.
    """
    came = [_live(file) for file in found.added]
    went = [_live(file) for file in found.removed]
    for one, other in found.changed:
        less, more = _deleted_between(one, other)
        went.append(less)
        came.append(more)
    if None in came or None in went:
        return None
    in_files = sum(one or 0 for one in came), sum(one or 0 for one in went)
    if in_files == (0, 0):
        return _inlined_counts(found)
    total = in_files[0] + len(found.added_rows), in_files[1] + len(found.removed_rows)
    return None if all(total) else RowCounts(inserted=total[0], deleted=total[1])


def _inlined_counts(found: HeldDifference) -> RowCounts:
    before = {row.row_id: version_of(row) for row in found.removed_rows}
    after = {row.row_id: version_of(row) for row in found.added_rows}
    both = before.keys() & after.keys()
    updated = sum(before[row_id] != after[row_id] for row_id in both)
    return RowCounts(len(after) - len(both), len(before) - len(both), updated)


def count_places(before: PlacedRows, after: PlacedRows) -> RowCounts:
    """Count rows that differ by their ids and versions.

    >>> import numpy as np
    >>> def rows(**versions):
    ...     ids = np.array([int(name[1:]) for name in versions], np.int64)
    ...     return PlacedRows.of([(7, ids, np.array(list(versions.values()), np.int64), ids)])
    >>> count_places(rows(r1=1, r2=1, r3=1), rows(r1=1, r3=5, r4=5, r6=5))
    RowCounts(inserted=2, deleted=1, updated=1)
    """
    was = before.versions_at(after.row_ids)
    inserted = int((was < 0).sum())
    updated = int(((was >= 0) & (was != after.versions)).sum())
    return RowCounts(inserted, int(before.row_ids.size) - (int(after.row_ids.size) - inserted), updated)


def row_changes(
    sides: Sides, table: TableRow, found: HeldDifference, roots: Mapping[CatalogId, str]
) -> Iterator[Change]:
    """Yield what a commit would do to the rows of a table.

    A file whose rows come back is removed and added again: no change takes a delete back. ``roots`` has the directories
    of the catalogs that the second side inherits from, and its own.
    """
    again = [other for one, other in found.changed if _shows_again(one, other)]
    kept = {file.row.data_file_id for file in again}
    removed = [file.row.data_file_id for file in (*found.removed, *again)]
    if removed:
        yield RemoveFiles(table.table_id, tuple(removed))
    if found.removed_rows:
        yield DeleteInlined(table.table_id, tuple(row.row_id for row in found.removed_rows))
    added = [*found.added, *again]
    shown = [*added, *(other for _, other in found.changed)]
    named: list[DataFileRow | DeleteFileRow] = [file.row for file in shown]
    named += [file.deletes for file in shown if file.deletes is not None]
    places = Places(sides.session, sides.lake_path, sides.source, table, named, roots=roots)
    if added:
        yield AppendFiles(table.table_id, tuple(_new_files(sides.source, places, added)))
    if found.added_rows:
        rows = tuple(
            tuple((ColumnId(int(column)), value) for column, value in json.loads(row.document).items())
            for row in found.added_rows
        )
        yield InsertInlined(table.table_id, rows, tuple(row.row_id for row in found.added_rows))
    redone = [(one, other) for one, other in found.changed if other.row.data_file_id not in kept]
    yield from _deletes(table, places, [*((None, file) for file in added), *redone])


def _deletes(table: TableRow, places: Places, files: Sequence[tuple[HeldFile | None, HeldFile]]) -> Iterator[Change]:
    written = [
        (
            other.deletes.delete_file_id,
            NewDeleteFile(
                other.row.data_file_id,
                places.path(other.deletes),
                other.deletes.delete_count,
                other.deletes.file_size_bytes,
                other.deletes.footer_size,
                format=other.deletes.format,
            ),
        )
        for one, other in files
        if other.deletes is not None and (one is None or _delete_file(one) != _delete_file(other))
    ]
    if written:
        yield DeleteRows(table.table_id, tuple(written))
    positions = [
        (other.row.data_file_id, position)
        for one, other in files
        for position in sorted(_positions(other) - (set() if one is None else _positions(one)))
    ]
    if positions:
        yield InlineDeletes(table.table_id, tuple(positions))


def _new_files(side: Side, places: Places, files: Sequence[HeldFile]) -> Iterator[tuple[DataFileId, NewDataFile]]:
    values = partition_values(side, [file.row for file in files])
    for file in files:
        row = file.row
        yield (
            row.data_file_id,
            NewDataFile(
                places.path(row),
                row.record_count,
                row.file_size_bytes,
                row.footer_size,
                partition_values=values.get(row.data_file_id, ()),
                mapping=row.mapping_id,
                is_adopted=not row.path_is_relative,
            ),
        )


def _live(file: HeldFile) -> int | None:
    """Return how many rows of a file are live; None if metadata does not tell."""
    is_cut = any(bound is not None for bound in file.bounds)
    return None if is_cut or (file.deletes is not None and file.positions) else file.live_count


def _deleted_between(one: HeldFile, other: HeldFile) -> tuple[int | None, int | None]:
    """Return how many rows went from a file that both have, and how many came back.

    None if only the delete files tell.
    """
    if one.bounds != other.bounds:
        return None, None
    if one.deletes is None and other.deletes is None:
        before, after = _positions(one), _positions(other)
        return len(after - before), len(before - after)
    if one.positions or other.positions or (one.deletes is not None and other.deletes is not None):
        return None, None
    return (
        0 if other.deletes is None else other.deletes.delete_count,
        0 if one.deletes is None else one.deletes.delete_count,
    )


def _shows_again(one: HeldFile, other: HeldFile) -> bool:
    if one.bounds != other.bounds or (one.deletes is not None and other.deletes is None):
        return True
    return _delete_file(one) == _delete_file(other) and bool(_positions(one) - _positions(other))


def _delete_file(file: HeldFile) -> int | None:
    return None if file.deletes is None else file.deletes.delete_file_id


def _positions(file: HeldFile) -> set[int]:
    return {row.row_id for row in file.positions}
