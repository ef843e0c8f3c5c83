"""Which files can hold the first rows of a scan in the order of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from forklake.catalog.file_facts import Fields
from forklake.catalog.pruning import FileFacts, Pruner
from forklake.catalog.table_files import TableFiles, is_cut
from forklake.model import types
from forklake.model.ids import ColumnId, DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import Comparison, Predicate
from forklake.model.rows import DataFileRow, FileColumnStatsRow
from forklake.model.top_rows import TopRows
from forklake.model.types.order import order_key
from forklake.model.version import Version


@dataclass(frozen=True, slots=True)
class _Known:
    """How many rows of a file are asked for at least.

    ``text`` is a value that each of them reaches, ``key`` what it is sorted by.
    """

    key: Any
    text: str
    count: int


def top_columns(top: TopRows | None) -> frozenset[ColumnId]:
    """Return the columns whose statistics tell which files are needed."""
    return frozenset() if top is None else Pruner(top.excluded).columns | {top.column_id}


def reached_by_top(
    top: TopRows,
    files: Sequence[DataFileRow],
    fields_of: Mapping[DataFileId, Fields],
    stats: Mapping[DataFileId, Mapping[ColumnId, FileColumnStatsRow]],
    deleted: TableFiles,
    version: Version,
) -> Predicate | None:
    """Return what holds for all rows that may be among the first.

    None if nothing is known of them.
    The files that are known to hold enough rows are taken in the order in which their last rows come. The first rows
    reach the value that all rows of these files reach.

    Args:
        top: Which rows are asked for.
        files: The files.
        fields_of: Their columns.
        stats: Their statistics, for the column and for those that exclude rows.
        deleted: What is deleted of them.
        version: The version that is read.
    """
    excluded = Pruner(top.excluded)
    known = []
    for row in files:
        own = stats.get(row.data_file_id, {})
        if not is_cut(row, version) and _asks_for_all(excluded, own):
            one = _known_rows(top, row, fields_of[row.data_file_id], own.get(top.column_id), deleted)
            known += [] if one is None else [one]
    count = 0
    for one in sorted(known, key=lambda one: one.key, reverse=top.is_descending):
        count += one.count
        if count >= top.count:
            return Comparison(top.column_id, top.type, ">=" if top.is_descending else "<=", one.text)
    return None


def _asks_for_all(excluded: Pruner, stats: Mapping[ColumnId, FileColumnStatsRow]) -> bool:
    """Return whether the query leaves out no row of a file.

    Rows with NULL in the column of the order do not count.
    """
    if any(column not in stats or stats[column].null_count != 0 for column in excluded.columns):
        return False
    return excluded.rules_out(FileFacts(stats))


def _known_rows(
    top: TopRows, row: DataFileRow, held: Fields, stats: FileColumnStatsRow | None, deleted: TableFiles
) -> _Known | None:
    """Return what is known of the rows of a file; None if that is nothing.

    The text of a value that was promoted since may be that of another one.
    """
    if held is None or stats is None or not stats.value_count:
        return None
    if not any(field.column_id == top.column_id and field.type == top.type for field in held):
        return None
    if isinstance(top.type, types.Float) and not top.is_descending and stats.contains_nan is not False:
        return None  # it is greater than the bound
    text = stats.min_value if top.is_descending else stats.max_value
    key = None if text is None else order_key(top.type, text)
    gone = deleted.deletes.get(row.data_file_id)
    if text is None or key is None or key != key:  # noqa: PLR0124
        return None
    lost = (0 if gone is None else gone.delete_count) + len(deleted.inlined_deletes.get(row.data_file_id, ()))
    return _Known(key, text, stats.value_count - lost) if stats.value_count > lost else None
