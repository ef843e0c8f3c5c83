"""Reserved words of DuckDB's grammar."""

from __future__ import annotations

from typing import Final

RESERVED: Final = frozenset(
    """all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create
    default deferrable desc describe distinct do else end except false fetch for foreign from group having in initially
    intersect into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing
    primary qualify references returning select show some summarize symmetric table then to trailing true union unique
    unpivot using variadic when where window with""".upper().split()
)
"""Words that are names only in quotes, after a dot, or after AS."""

BEGINS_QUERY: Final = (
    "SELECT",
    "FROM",
    "VALUES",
    "WITH",
    "TABLE",
    "PIVOT",
    "PIVOT_WIDER",
    "UNPIVOT",
    "PIVOT_LONGER",
    "SUMMARIZE",
    "(",
)
"""Words and signs that begin a query."""
