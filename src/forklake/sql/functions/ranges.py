"""range() and generate_series() as lists of numbers or timestamps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.casting.intervals import parse_interval
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast, naive
from forklake.sql.expressions.infinities import unless_infinite
from forklake.sql.expressions.intervals import span_of, spark_interval
from forklake.sql.expressions.lengths import UNMEASURED
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import refusal, variable
from forklake.sql.functions.signature import Function, Nodes

_DAY_MICROS: Final = "86400000000L"
_DAY: Final = "86400000000D"
_EMPTY: Final = "CAST(array() AS ARRAY<TIMESTAMP_NTZ>)"
_MIXED: Final = "Invalid Input Error: Interval with mix of negative/positive entries not supported"
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
    if values[2].literal is None:
        found = _varying_steps(start, stop, values[2], is_closed=is_closed)
    else:
        found = _same_steps(start, stop, values[2], is_closed=is_closed)
    if kind == types.TIMESTAMPTZ:
        item = variable()
        found = f"transform({found}, {item} -> {cast(Bound(item, types.TIMESTAMP), kind).sql})"
    return Bound(found, list_of(kind))


def _same_steps(start: str, stop: str, interval: Bound, *, is_closed: bool) -> str:
    """Return timestamps with a step that is a constant."""
    sign, has_months = _direction(interval)
    if sign == 0:
        return f"if({start} IS NULL OR {stop} IS NULL, NULL, {_EMPTY})"
    name = variable()
    order = "<" if sign > 0 else ">"
    steps = (
        _month_steps(start, stop, interval)
        if has_months
        else f"sequence({_checked_start(start, stop, interval)}, {stop}, {spark_interval(interval)})"
    )
    made = f"(CASE WHEN {start} {order}= {stop} THEN {steps} WHEN NOT {start} {order}= {stop} THEN {_EMPTY} END)"
    return f"filter({made}, {name} -> {name} {order}{'=' if is_closed else ''} {stop})"


def _varying_steps(start: str, stop: str, interval: Bound, *, is_closed: bool) -> str:
    """Return timestamps with a step of its own for each row.

    It may be nothing, negative or of months.
    """
    months, days, micros = span_of(interval)
    known, found, place = variable(), variable(), variable()
    m, d, u = (f"{known}.{part}" for part in "mdu")
    # A month is taken for 28 days: there may be more steps than that, and those behind the end are left out.
    step = f"({m} * 28D * {_DAY} + {d} * {_DAY} + {u})"
    count = f"(CAST(timestampdiff(MICROSECOND, {known}.a, {known}.z) AS DOUBLE) / {step})"
    most = f"CAST({lengths.list_within(count, count)} AS INT)"
    passed = f"{place} * ({d} * {_DAY_MICROS} + {u})"
    direct = f"transform(sequence(0, {most}), {place} -> timestampadd(MICROSECOND, {passed}, {known}.a))"
    following = f"element_at({found}, -1) + make_interval(0, {m}, 0, {d}, 0, 0, CAST({u} / 1000000BD AS DECIMAL(18,6)))"
    longer = f"({found}, {place}) -> concat({found}, array({following}))"
    by_month = f"aggregate(sequence(0, {most}), array({known}.a), {longer})"
    is_rising, is_falling = (f"greatest({sign}{m}, {sign}{d}, {sign}{u}) > 0" for sign in ("", "-"))
    equal = "=" if is_closed else ""
    body = (
        f"CASE WHEN {known}.a IS NULL OR {known}.z IS NULL OR {m} IS NULL THEN NULL"
        f" WHEN {is_rising} AND {is_falling} THEN {refusal(text_literal(_MIXED))}"
        f" WHEN NOT if({is_rising}, {known}.a <= {known}.z, {is_falling} AND {known}.a >= {known}.z) THEN {_EMPTY}"
        f" ELSE filter(if({m} = 0, {direct}, {by_month}), {found} ->"
        f" if({is_rising}, {found} <{equal} {known}.z, {found} >{equal} {known}.z)) END"
    )
    given = f"named_struct('a', {start}, 'z', {stop}, 'm', {months}, 'd', {days}, 'u', CAST({micros} AS BIGINT))"
    return f"transform(array({given}), {known} -> {body})[0]"


def _checked_start(start: str, stop: str, interval: Bound) -> str:
    """Return the start of a list of timestamps with a constant step of days or less.

    A list that would be too long fails the query.
    """
    assert interval.literal is not None
    span = parse_interval(interval.literal)
    step = f"(CAST({span.days} AS DOUBLE) * {_DAY} + CAST({span.micros} AS DOUBLE))"
    count = f"CAST(timestampdiff(MICROSECOND, {start}, {stop}) AS DOUBLE) / nullif({step}, 0D)"
    return lengths.list_within(count, start)


def _direction(interval: Bound) -> tuple[int, bool]:
    """Return the sign of an interval that is a constant, and whether it has months.

    Raises:
        InvalidInputError: Its parts have different signs.
    """
    assert interval.literal is not None
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
