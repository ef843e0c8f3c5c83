"""range() and generate_series() as lists of numbers or timestamps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.intervals import parse_interval
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast, naive
from forklake.sql.expressions.infinities import unless_infinite
from forklake.sql.expressions.intervals import spark_interval
from forklake.sql.expressions.lengths import UNMEASURED
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.phrases import refusal, variable
from forklake.sql.expressions.render import render
from forklake.sql.functions.signature import Function, Nodes

_DAY: Final = "86400000000D"
_MOMENTS: Final = frozenset({types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ})


def _range(values: Sequence[Bound], node: exp.Expr, *, is_closed: bool) -> Bound:
    """Return the numbers or timestamps from a start to an end."""
    if any(value.type in _MOMENTS for value in values[:2]):
        return _moments(values, node, is_closed=is_closed)
    numbers = [cast(value, types.INT64) for value in values]
    start, stop = ("0L", numbers[0].sql) if len(numbers) == 1 else (numbers[0].sql, numbers[1].sql)
    step = numbers[2].sql if len(numbers) > 2 else "1L"
    bound = stop if is_closed else f"({stop} - if({step} > 0, 1L, -1L))"
    holds = f"if({step} > 0, {start} <= {bound}, {start} >= {bound})"
    first = start
    if not _is_short(numbers):
        count = f"(CAST({bound} AS DOUBLE) - CAST({start} AS DOUBLE)) / {step} + 1"
        first = lengths.list_within(count, start)
    steps = f"WHEN {step} <> 0 AND {holds} THEN sequence({first}, {bound}, {step})"
    absent = f"{start} IS NULL OR {bound} IS NULL OR {step} IS NULL"
    made = f"(CASE WHEN {absent} THEN NULL {steps} ELSE CAST(array() AS ARRAY<BIGINT>) END)"
    return Bound(made, list_of(types.INT64))


def _is_short(numbers: Sequence[Bound]) -> bool:
    """Return whether constant bounds keep a range so short that it needs no check.

    This holds for any step.
    """
    ends = [int(number.literal) for number in numbers[:2] if number.literal is not None]
    return len(ends) == min(len(numbers), 2) and abs(ends[-1] - (ends[0] if len(ends) > 1 else 0)) < UNMEASURED


def _moments(values: Sequence[Bound], node: exp.Expr, *, is_closed: bool) -> Bound:
    if len(values) < 3 or values[2].type != types.INTERVAL:
        raise InvalidInputError(
            "Binder Error: No function matches the given name and argument types: a range of timestamps needs an"
            f" INTERVAL: {render(node)}"
        )
    kind = types.TIMESTAMPTZ if types.TIMESTAMPTZ in {value.type for value in values[:2]} else types.TIMESTAMP
    # In UTC, whatever the session's time zone is.
    refused = refusal(text_literal("Invalid Input Error: Interval infinite bounds not supported"))
    start, stop = (unless_infinite(cast(value, kind), naive, refused) for value in values[:2])
    sign, has_months = _direction(values[2])
    empty = "CAST(array() AS ARRAY<TIMESTAMP_NTZ>)"
    name = variable()
    order = "<" if sign > 0 else ">"
    if sign == 0:
        found = f"if({start} IS NULL OR {stop} IS NULL, NULL, {empty})"
    else:
        steps = (
            _month_steps(start, stop, values[2])
            if has_months
            else f"sequence({_checked_start(start, stop, values[2])}, {stop}, {spark_interval(values[2])})"
        )
        made = f"(CASE WHEN {start} {order}= {stop} THEN {steps} WHEN NOT {start} {order}= {stop} THEN {empty} END)"
        found = f"filter({made}, {name} -> {name} {order}{'=' if is_closed else ''} {stop})"
    if kind == types.TIMESTAMPTZ:
        item = variable()
        found = f"transform({found}, {item} -> {cast(Bound(item, types.TIMESTAMP), kind).sql})"
    return Bound(found, list_of(kind))


def _checked_start(start: str, stop: str, interval: Bound) -> str:
    """Return the start of a list of timestamps with a step of days or less.

    A list that would be too long fails the query.
    """
    _, days, micros = interval.span or ("", "0", "0")
    if interval.literal is not None:
        span = parse_interval(interval.literal)
        days, micros = str(span.days), str(span.micros)
    step = f"(CAST({days} AS DOUBLE) * {_DAY} + CAST({micros} AS DOUBLE))"
    count = f"CAST(timestampdiff(MICROSECOND, {start}, {stop}) AS DOUBLE) / nullif({step}, 0D)"
    return lengths.list_within(count, start)


def _direction(interval: Bound) -> tuple[int, bool]:
    """Return the sign of an interval, and whether it has months.

    An interval that is no constant is taken to be positive and without months.

    Raises:
        InvalidInputError: Its parts have different signs.
    """
    if interval.literal is None:
        return 1, False
    span = parse_interval(interval.literal)
    signs = {(part > 0) - (part < 0) for part in (span.months, span.days, span.micros)} - {0}
    if len(signs) > 1:
        raise InvalidInputError("Binder Error: RANGE with composite interval that has mixed signs is not supported")
    return (signs.pop() if signs else 0), bool(span.months)


def _month_steps(start: str, stop: str, interval: Bound) -> str:
    """Return timestamps with a step of months.

    Each is computed from the one before it, whose day may have been cut to the last of its month.
    """
    assert interval.literal is not None
    months = abs(parse_interval(interval.literal).months)
    most = f"CAST(abs(months_between({stop}, {start})) / {months} AS INT) + 2"
    found, place = variable(), variable()
    following = f"concat({found}, array(element_at({found}, -1) + {spark_interval(interval)}))"
    return f"aggregate(sequence(1, {most}), array({start}), ({found}, {place}) -> {following})"


def _series(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _range(values, node, is_closed=not node.args.get("is_end_exclusive"))


def _ranges(*, is_closed: bool) -> Function:
    return lambda values, node: _range(values, node, is_closed=is_closed)


NODES: Final[Nodes] = {exp.GenerateSeries: (_series, ("start", "end", "step", "is_end_exclusive"))}
NAMED: Final[Mapping[str, Function]] = {
    "range": _ranges(is_closed=False),
    "generate_series": _ranges(is_closed=True),
}
