"""Statistics of several files as those of one, and of a table with one more file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from forklake.model import variant_stats
from forklake.model.definitions import ColumnStats
from forklake.model.geometry_stats import unite_texts
from forklake.model.rows import ColumnRow, FileColumnStatsRow, TableColumnStatsRow
from forklake.model.types import Geometry, Type, Variant
from forklake.model.types.order import order_key

FileStats = ColumnStats | FileColumnStatsRow
"""Statistics of a column of a file, new or stored."""


_LONGEST_BOUND: Final = 4096
"""As writers of Parquet leave out longer ones."""


def combine_stats(kind: Type, known: Sequence[FileStats]) -> FileStats | None:
    """Return what is known of a column in all of some files.

    What one file does not know is unknown, unless another one settles it: a NULL or a NaN that one has is there.
    None if there is no file.
    """
    if len(known) < 2:
        return known[0] if known else None
    filled = [one for one in known if one.value_count != 0]
    return ColumnStats(
        value_count=_sum(one.value_count for one in known),
        null_count=_sum(one.null_count for one in known)
        if all(one.null_count is not None for one in known)
        else max(one.null_count or 0 for one in known) or None,
        min_value=_outermost(kind, [one.min_value for one in filled], min),
        max_value=_outermost(kind, [one.max_value for one in filled], max),
        contains_nan=_any(one.contains_nan for one in known),
        extra_stats=_combine_extras(kind, [one.extra_stats for one in filled]),
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _any(flags: Iterable[bool | None]) -> bool | None:
    found = set(flags)
    if True in found:
        return True
    return None if None in found else False


def _outermost(kind: Type, bounds: Sequence[str | None], choose: Callable[..., Any]) -> str | None:
    """Return the least or the greatest of bounds; None if one is unknown."""
    keys: dict[Any, str] = {}
    for bound in dict.fromkeys(bounds):  # many files have the same
        if bound is None or "\0" in bound or (key := order_key(kind, bound)) is None:
            return None
        keys.setdefault(key, bound)
    return keys[choose(keys)] if keys else None


def storable_bound(bound: str | None) -> str | None:
    """Return a bound that is stored, or None for one that is not.

    That is a text with NUL, as in DuckLake, and a long one.
    The statistics of a table are written anew with each commit: a long bound would be many times there.
    """
    return None if bound is None or len(bound) > _LONGEST_BOUND or "\0" in bound else bound


def widen_stats(
    column: ColumnRow, old: TableColumnStatsRow | None, given: Sequence[FileStats | None], *, was_empty: bool
) -> TableColumnStatsRow:
    """Widen the statistics of a column by those of one or more files.

    ``was_empty`` says whether the table had no rows.
    """
    if len(given) == 1:
        return merge_stats(column, old, given[0], is_first=was_empty)
    known = [one for one in given if one is not None]
    # What one file does not know, later ones do not settle.
    told = [combine_stats(column.type, known)] if len(known) == len(given) else given
    widened = merge_stats(column, old, told[0], is_first=was_empty)
    for one in told[1:]:
        widened = merge_stats(column, widened, one, is_first=False)
    return widened


def merge_stats(
    column: ColumnRow, old: TableColumnStatsRow | None, given: FileStats | None, *, is_first: bool
) -> TableColumnStatsRow:
    """Widen the statistics of a column by those of one more file.

    What one side does not know is unknown in the result.
    """
    if given is None:
        return TableColumnStatsRow(table_id=column.table_id, column_id=column.column_id)
    has_null = None if given.null_count is None else given.null_count > 0
    if is_first or old is None:
        # A column that is younger than the table's rows is NULL (or its default) in all of them: bounds are unknown.
        known = is_first
        return TableColumnStatsRow(
            table_id=column.table_id,
            column_id=column.column_id,
            contains_null=has_null if known else (has_null or None),
            contains_nan=given.contains_nan if known else (given.contains_nan or None),
            min_value=storable_bound(given.min_value) if known else None,
            max_value=storable_bound(given.max_value) if known else None,
            extra_stats=_combine_extras(column.type, [given.extra_stats]) if known else None,
        )
    least, greatest, extra = old.min_value, old.max_value, old.extra_stats
    if given.value_count != 0:
        kind = column.type
        least = _outer_bound(kind, least, given.min_value, -1)
        greatest = _outer_bound(kind, greatest, given.max_value, 1)
        extra = _combine_extras(kind, (extra, given.extra_stats))
    return TableColumnStatsRow(
        table_id=column.table_id,
        column_id=column.column_id,
        contains_null=_either(old.contains_null, has_null),
        contains_nan=_either(old.contains_nan, given.contains_nan),
        min_value=least,
        max_value=greatest,
        extra_stats=extra,
    )


def _combine_extras(kind: Type, texts: Sequence[str | None]) -> str | None:
    """Return what is known of geometries or of shredded variants together.

    Of other types nothing is kept.
    """
    if isinstance(kind, Variant):
        return variant_stats.unite_texts(texts)
    return unite_texts(texts) if isinstance(kind, Geometry) else None


def _either(one: bool | None, other: bool | None) -> bool | None:
    if one or other:
        return True
    return None if one is None or other is None else False


def _outer_bound(kind: Type, one: str | None, other: str | None, sign: int) -> str | None:
    other = storable_bound(other)
    if one is None or other is None:
        return None
    first = order_key(kind, one)
    second = first if one == other else order_key(kind, other)
    if first is None or second is None:
        return None
    return one if (first >= second) == (sign > 0) else other
