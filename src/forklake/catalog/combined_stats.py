"""Statistics of several files as those of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from forklake.model.definitions import ColumnStats
from forklake.model.types import Type
from forklake.model.types.order import order_key


def combine_stats(kind: Type, known: Sequence[ColumnStats]) -> ColumnStats | None:
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
    for bound in bounds:
        if bound is None or "\0" in bound or (key := order_key(kind, bound)) is None:
            return None
        keys.setdefault(key, bound)
    return keys[choose(keys)] if keys else None
