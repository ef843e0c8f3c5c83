"""Averages of exact numbers, rounded once."""

from __future__ import annotations

from typing import Final

_GROUP: Final = 9
"""Digits that are divided at a time: a count has nineteen at most, so all fits in decimals of 38."""
_WHOLE_GROUPS: Final = 5
_GROUPS: Final = _WHOLE_GROUPS + 4
"""Groups of the whole number, and with those behind the point: enough digits for the smallest of averages."""
_EXACT: Final = 2**53
"""Doubles hold all whole numbers up to here."""


def quotient(total: str, count: str, scale: int) -> str:
    """Return the double that is next to an exact number over a count.

    DuckDB rounds once, at the end. So the total becomes a whole number first, without its ``scale``; where a number is
    beyond what doubles hold, and would be rounded before it is divided, the quotient is written out.
    """
    whole = total if scale == 0 else f"replace(CAST(CAST({total} AS DECIMAL(38,{scale})) AS STRING), '.', '')"
    given = f"named_struct('t', CAST({whole} AS DECIMAL(38,0)), 'n', CAST({count} AS DECIMAL(19,0)))"
    plain = f"try_divide(CAST(x.t AS DOUBLE), CAST(x.n AS DOUBLE) * {10**scale}e0D)"
    is_plain = f"x.t BETWEEN -{_EXACT}BD AND {_EXACT}BD AND x.n <= {_EXACT // 10**scale}BD"
    return f"transform(array({given}), x -> CASE WHEN {is_plain} THEN {plain} ELSE {_divide_by_hand(scale)} END)[0]"


def _divide_by_hand(scale: int) -> str:
    """Return the double next to ``x.t / x.n``, both whole, by long division."""
    width = _GROUP * _WHOLE_GROUPS
    # The sign is taken from the text: Spark's abs rounds to 34 digits.
    digits = f"rpad(lpad(ltrim('-', CAST(x.t AS STRING)), {width}, '0'), {_GROUP * _GROUPS}, '0')"
    group = f"CAST(substring({digits}, i * {_GROUP} + 1, {_GROUP}) AS DECIMAL(19,0))"
    divided = f"(s.r * {10**_GROUP}BD + {group})"
    text = f"concat(s.q, lpad(CAST({divided} div x.n AS STRING), {_GROUP}, '0'))"
    start = "named_struct('q', '', 'r', CAST(0 AS DECIMAL(38,0)))"
    step = f"named_struct('q', {text}, 'r', CAST({divided} % x.n AS DECIMAL(38,0)))"
    written = f"aggregate(sequence(0, {_GROUPS - 1}), {start}, (s, i) -> {step}, s -> s.q)"
    parts = f"if(x.t < 0, '-', ''), {written}, 'E-{_GROUP * (_GROUPS - _WHOLE_GROUPS) + scale}'"
    return f"CASE WHEN x.n > 0 THEN CAST(concat({parts}) AS DOUBLE) END"
