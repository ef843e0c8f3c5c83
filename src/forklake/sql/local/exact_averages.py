"""Averages of exact numbers for DuckDB, rounded as on Spark."""

from __future__ import annotations

from typing import Final

from sqlglot import exp, parse_one

from forklake.model import types
from forklake.model.types import Type

_GROUP: Final = 9
"""Digits that are divided at a time: counts and remainders have nineteen at most."""
_FRACTION: Final = 4 * _GROUP
"""Digits behind the point."""


def exact_average(node: exp.Avg, kind: Type) -> exp.Expr:
    """Return an average of exact numbers as Spark computes it.

    DuckDB divides in more digits than a float has, and rounds twice.
    """
    total, count = exp.Sum(this=node.this.copy()), exp.Count(this=node.this.copy(), big_int=True)
    if kind != types.INT64 and not isinstance(kind, types.Decimal):
        divided = exp.Cast(this=total, to=exp.DataType.build("DOUBLE"))
        return exp.Paren(this=exp.Div(this=divided, expression=count))
    given = {"total": total, "count": count}
    found: exp.Expr = parse_one(_quotient(kind.scale if isinstance(kind, types.Decimal) else 0), dialect="duckdb")
    for column in list(found.find_all(exp.Column)):
        column.replace(given[column.name].copy())
    return found


def _quotient(scale: int) -> str:
    """Return an average that is rounded once.

    Total and count become whole numbers, and are divided by hand.
    """
    total, count = "CAST(replace(CAST(total AS VARCHAR), '.', '') AS HUGEINT)", "CAST(count AS HUGEINT)"
    plain = f"CAST({total} AS DOUBLE) / (CAST({count} AS DOUBLE) * {10**scale}e0)"
    groups, rest = [f"CAST(abs({total}) // {count} AS VARCHAR)"], f"abs({total})"
    for _ in range(_FRACTION // _GROUP):
        rest = f"({rest} % {count} * {10**_GROUP})"
        groups.append(f"lpad(CAST({rest} // {count} AS VARCHAR), {_GROUP}, '0')")
    parts = f"CASE WHEN {total} < 0 THEN '-' ELSE '' END, {', '.join(groups)}, 'e-{_FRACTION + scale}'"
    is_plain = f"abs({total}) <= {2**53} AND {count} <= {2**53 // 10**scale}"
    written = f"CAST(concat({parts}) AS DOUBLE)"
    return f"(CASE WHEN {count} = 0 THEN NULL WHEN {is_plain} THEN {plain} ELSE {written} END)"
