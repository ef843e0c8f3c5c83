"""Tables that fit into a terminal: what is too wide is cut, or left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size

from forklake.cli.output import printable

_NARROWEST: Final = 8
"""No column is cut to less than this."""
_NAME: Final = 24
"""Columns are left out rather than that names up to this length are cut."""
_CUT: Final = "…"
_BETWEEN: Final = 3
"""A line between two columns, with a blank on either side."""


def boxed_table(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[str]], is_right: Sequence[bool], width: int
) -> tuple[list[str], int]:
    r"""Return a table that is at most so wide, and how many columns it shows.

    It is its lines, with lines drawn around it, and types below the names.

    >>> lines, shown = boxed_table(["id", "who"], ["BIGINT", "VARCHAR"], [["1", "Ada"]], [True, False], 40)
    >>> print("\n".join(lines))
    ┌────────┬─────────┐
    │     id │ who     │
    │ BIGINT │ VARCHAR │
    ├────────┼─────────┤
    │      1 │ Ada     │
    └────────┴─────────┘
    """
    kept, heads, lines = fit_table([columns, types], rows, width - 4)
    right = [one >= 0 and is_right[one] for one in kept]
    widths = [max(map(cell_len, cells)) for cells in zip(*heads, *lines, strict=True)]

    def edge(left: str, between: str, end: str) -> str:
        return left + between.join("─" * (one + 2) for one in widths) + end

    def line(cells: Sequence[str]) -> str:
        padded = [_pad(text, one, at_right) for text, one, at_right in zip(cells, widths, right, strict=True)]
        return f"│ {' │ '.join(padded)} │"

    body = [edge("├", "┼", "┤"), *map(line, lines)] if lines else []
    return [edge("┌", "┬", "┐"), *map(line, heads), *body, edge("└", "┴", "┘")], len(kept) - (-1 in kept)


def fit_table(
    heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[int], list[list[str]], list[list[str]]]:
    """Return heads and rows that are at most so wide, and which columns they have.

    The widest columns are cut first: rows at their ends, heads in the middle, because names often begin alike. If that
    is not enough to show whole names, columns in the middle are left out, and one that says so stands for them; its
    number is -1. Two are always left, whose names may be cut, too.

    >>> fit_table([["a", "b"]], [["1", "x" * 30]], 20)
    ([0, 1], [['a', 'b']], [['1', 'xxxxxxxxxxxxxxx…']])
    """
    cells = [[printable(text) for text in line] for line in (*heads, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    kept = list(range(len(widths)))
    names = [max(_NARROWEST, min(cell_len(name), _NAME)) for name in cells[0]]
    most_kept = max(2, _count_that_fit(list(map(min, widths, names)), width))
    if most_kept < len(kept):
        kept = [*kept[: (most_kept + 1) // 2], -1, *kept[len(kept) - most_kept // 2 :]]
    room = width - _BETWEEN * (len(kept) - 1) - (-1 in kept)
    most = max((widths[one] for one in kept if one >= 0), default=0)
    while most > _NARROWEST and sum(min(widths[one], most) for one in kept if one >= 0) > room:
        most -= 1
    above = [[_CUT if one < 0 else _cut_middle(line[one], most) for one in kept] for line in cells[: len(heads)]]
    return (
        kept,
        above,
        [[_CUT if one < 0 else _cut_end(line[one], most) for one in kept] for line in cells[len(heads) :]],
    )


def _count_that_fit(widths: Sequence[int], width: int) -> int:
    """Return how many columns have room, with a sign for those that have none."""
    if sum(widths) + _BETWEEN * (len(widths) - 1) <= width:
        return len(widths)
    taken, order = 1 + _BETWEEN, sorted(range(len(widths)), key=lambda one: min(one, len(widths) - 1 - one))
    for count, one in enumerate(order):
        taken += widths[one] + _BETWEEN
        if taken - _BETWEEN > width:
            return count
    return len(widths)


def _cut_end(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + _CUT


def _cut_middle(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    tail = "".join(reversed(set_cell_size(text[::-1], (width - 1) // 2).rstrip()))
    return set_cell_size(text, width - 1 - cell_len(tail)).rstrip() + _CUT + tail


def _pad(text: str, width: int, is_right: bool) -> str:
    space = " " * (width - cell_len(text))
    return space + text if is_right else text + space
