"""Sums and differences of dates, times, timestamps and intervals."""

from __future__ import annotations

from forklake.model import types
from forklake.sql.expressions.bound import MOMENTS, Bound
from forklake.sql.expressions.casts import cast, cast_finite, naive, take_clock
from forklake.sql.expressions.infinities import keep_infinite, unless_infinite
from forklake.sql.expressions.intervals import add_intervals, from_span, multiply_interval, spark_interval
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.spark_idioms import once, refusal


def micros_of(moment: str) -> str:
    """Return the microseconds since 1970 of a timestamp without time zone.

    The timestamp is read as UTC. They are computed from its parts: Spark's difference of timestamps goes through
    the session's time zone, which skips an hour every year.
    """

    def body(sql: str) -> str:
        days = f"CAST(unix_date(CAST({sql} AS DATE)) AS BIGINT) * 86400000000L"
        minutes = f"(hour({sql}) * 60L + minute({sql})) * 60000000L"
        return f"({days} + {minutes} + CAST(extract(SECOND FROM {sql}) * 1000000 AS BIGINT))"

    return once(moment, body)


def time_arithmetic(first: Bound, operator: str, second: Bound) -> Bound | None:
    """Return the result of an operator with an operand that is no number.

    Return None if there is no such operation.
    """
    if operator == "*" and types.INTERVAL in (first.type, second.type):
        span, factor = (first, second) if first.type == types.INTERVAL else (second, first)
        return multiply_interval(span, factor) if isinstance(factor.type, types.Number) else None
    if operator not in ("+", "-"):
        return None
    # Nanoseconds are cut before they are calculated with.
    first, second = (cast(one, types.TIMESTAMP) if one.type == types.TIMESTAMP_NS else one for one in (first, second))
    if first.is_untyped and second.type == types.INTERVAL and operator == "+":
        first = cast(first, types.INTERVAL)
    if first.type == second.type == types.INTERVAL:
        return add_intervals(first, operator, second)
    if operator == "+" and second.type in (*MOMENTS, types.TIME) and first.type not in MOMENTS:
        first, second = second, first
    if first.type == types.TIME and second.type == types.INTERVAL:
        return _shift_time(first, operator, second)
    if first.type not in MOMENTS:
        return None
    if first.type == types.DATE and isinstance(second.type, types.Integer):
        name = "date_add" if operator == "+" else "date_sub"
        days = cast(second, types.INT32).sql
        return Bound(keep_infinite(first, types.DATE, lambda one: f"{name}({one.sql}, {days})"), types.DATE)
    if first.type == second.type == types.DATE and operator == "-":
        return Bound(f"(CAST(unix_date({first.sql}) AS BIGINT) - unix_date({second.sql}))", types.INT64)
    if second.type in MOMENTS and operator == "-":
        return _difference(first, second)
    if first.type == types.DATE and second.type == types.TIME and operator == "+":
        return Bound(f"CAST(concat(CAST({first.sql} AS STRING), ' ', {second.sql}) AS TIMESTAMP_NTZ)", types.TIMESTAMP)
    if second.type != types.INTERVAL:
        return None
    result = first.type if first.type == types.TIMESTAMPTZ else types.TIMESTAMP

    def shift(one: Bound) -> str:
        sum_of_both = f"({naive(one)} + {spark_interval(second, is_negative=operator == '-')})"
        return cast_finite(Bound(sum_of_both, types.TIMESTAMP), result)

    return Bound(keep_infinite(first, result, shift), result)


def _shift_time(first: Bound, operator: str, second: Bound) -> Bound:
    """Add an interval to a time of day, which wraps at midnight."""
    start = f"CAST(concat('2000-01-01 ', {first.sql}) AS TIMESTAMP_NTZ)"
    shift = f"({start} + {spark_interval(second, is_negative=operator == '-')})"
    return Bound(f"substring(CAST({shift} AS STRING), 12)", types.TIME)


def _difference(first: Bound, second: Bound) -> Bound:
    """Return the days and microseconds between two timestamps."""
    first, second = take_clock(first, second), take_clock(second, first)
    micros = f"({_finite_micros(first)} - {_finite_micros(second)})"
    return from_span(("0", f"CAST({micros} div 86400000000L AS INT)", f"({micros} % 86400000000L)"))


def _finite_micros(value: Bound) -> str:
    refused = refusal(text_literal("Invalid Input Error: Cannot subtract infinite timestamps"))
    return unless_infinite(value, lambda one: micros_of(naive(one)), refused)
