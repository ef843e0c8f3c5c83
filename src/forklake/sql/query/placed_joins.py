"""ASOF and POSITIONAL joins, as texts of joins that Spark has."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.render import render
from forklake.sql.expressions.sort_keys import sort_key

_ORDERS: Final[dict[type[exp.Expr], bool]] = {exp.GTE: True, exp.GT: True, exp.LTE: False, exp.LT: False}
"""Whether the nearest row is the one with the largest value on the right side."""
_POSITION: Final = "`~position`"


def nearest_inequality(on: exp.Expr) -> exp.Expr:
    """Return the only inequality of the condition of an ASOF join.

    Raises:
        InvalidInputError: There is none, or more than one.
    """
    parts = list(on.flatten()) if isinstance(on, exp.And) else [on]
    found = [part.unnest() for part in parts if type(part.unnest()) in _ORDERS]
    if len(found) != 1:
        count = "Missing" if not found else "Multiple"
        raise InvalidInputError(f"Binder Error: {count} ASOF JOIN inequality: {render(on)}")
    return found[0]


def takes_largest(inequality: exp.Expr, *, is_right_second: bool) -> bool:
    """Return whether the nearest row has the largest value, not the smallest."""
    return _ORDERS[type(inequality)] == is_right_second


def asof_text(right: str, alias: str, condition: str, key: Bound, *, is_largest: bool) -> str:
    """Return the right side of an ASOF join: the nearest row of each left row.

    Args:
        right: The text of the table on the right side.
        alias: Its alias, which the side has too.
        condition: Holds for rows that match, the inequality included.
        key: The value of the inequality on the right side.
        is_largest: Whether the row with the largest value is the nearest.
    """
    order = f"{sort_key(key)} {'DESC' if is_largest else 'ASC'}"
    return f"LATERAL (SELECT * FROM {right} WHERE {condition} ORDER BY {order} LIMIT 1) AS {alias}"


def number_rows(sql: str, alias: str) -> tuple[str, str]:
    """Return a table with the positions of its rows, and the text of a position."""
    # The ids grow from row to row and from task to task, in the order of the rows.
    number = f"row_number() OVER (ORDER BY monotonically_increasing_id()) AS {_POSITION}"
    return f"(SELECT *, {number} FROM {sql}) AS {alias}", f"{alias}.{_POSITION}"
