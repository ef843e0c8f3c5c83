"""The exact minimum and maximum of a column, where metadata has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from forklake.catalog.file_facts import column_stats
from forklake.catalog.state import Content, live_data_files
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.rows import FileColumnStatsRow, TableRow
from forklake.model.scan import ScanFile, ScanPlan, ScanRows
from forklake.model.types import Type
from forklake.model.types.order import order_key


def exact_bounds(content: Content, table: TableRow, plan: ScanPlan, field: Field) -> tuple[str, str] | None:
    """Return the minimum and maximum of a column as text, if metadata has them.

    The plan must have no predicate. The result is None if rows are deleted, a file is cut or has no statistics,
    there is a NaN, the column is text (whose bounds may be shortened), inlined rows have another type, or there
    is no value at all.
    """
    # Bounds of text may be shortened.
    is_sure = field.type.facts.has_bounds and field.type != types.VARCHAR
    if field.column_id is None or not is_sure or any(_is_reduced(file) for file in plan.files):
        return None
    stats = column_stats(content, live_data_files(content, table.table_id), [field.column_id])
    texts: list[str] = []
    for file in plan.files:
        found = _file_bounds(file, field, stats.get(file.data_file_id, {}).get(field.column_id))
        if found is None:
            return None
        texts += found
    if any(_types(group.fields).get(field.column_id, field.type) != field.type for group in plan.inlined):
        return None  # texts of another type; of a float they have other digits
    texts += _inlined_values(plan.inlined, field)
    keys = {text: order_key(field.type, text) for text in texts}
    if not keys or any(key is None or key != key for key in keys.values()):  # noqa: PLR0124 - NaN is not itself
        return None
    low, high = min(keys, key=lambda text: keys[text]), max(keys, key=lambda text: keys[text])
    # Statistics say 0 and 1 where values are false and true.
    return (str(bool(keys[low])).lower(), str(bool(keys[high])).lower()) if field.type == types.BOOLEAN else (low, high)


def _is_reduced(file: ScanFile) -> bool:
    return file.is_cut or file.deletes is not None or bool(file.inlined_deletes)


def _file_bounds(file: ScanFile, field: Field, stats: FileColumnStatsRow | None) -> list[str] | None:
    """Return values of a file that include its minimum and maximum.

    There are none if all are NULL. The result is None if they are not known exactly.
    """
    if stats is None:
        if file.fields is None or field.column_id in _types(file.fields):
            return None
        return [] if field.initial_default is None else [field.initial_default]
    if stats.value_count == 0:
        return []
    if stats.min_value is None or stats.max_value is None:
        return None
    if isinstance(field.type, types.Float):
        # What was written as 32 bits has other digits as 64.
        known = None if file.fields is None else _types(file.fields).get(field.column_id)
        if known != field.type or stats.contains_nan is not False:
            return None
    return [stats.min_value, stats.max_value]


def _inlined_values(inlined: Sequence[ScanRows], field: Field) -> Iterator[str]:
    for group in inlined:
        for _, _, values in group.rows:
            value = values.get(field.column_id, field.initial_default) if field.column_id is not None else None
            if value is not None:
                yield value


def _types(fields: Iterable[Field]) -> Mapping[ColumnId | None, Type]:
    found: dict[ColumnId | None, Type] = {}
    for field in fields:
        found[field.column_id] = field.type
        found |= _types(field.children)
    return found
