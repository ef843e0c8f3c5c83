"""Intervals: arithmetic on months, days and microseconds, and their text."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.casting.intervals import Interval, parse_interval
from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast, constant
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.spark_idioms import once, refusal, variable

Span = tuple[str, str, str]
"""Months, days and microseconds, as integers in Spark SQL."""

_MONTHS: Final = {"millennium": 12_000, "century": 1200, "decade": 120, "year": 12, "quarter": 3, "month": 1}
_DAYS: Final = {"week": 7, "day": 1}
_MICROS: Final = {
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
UNITS: Final = {**_MONTHS, **_DAYS, **_MICROS}
_WITH_PARTS: Final = ("second", "millisecond")
"""Units of which not only whole ones count."""
_OTHER_NAMES: Final = {
    "millennia": "millennium",
    "centuries": "century",
    "min": "minute",
    "mins": "minute",
    "sec": "second",
    "secs": "second",
    "ms": "millisecond",
    "us": "microsecond",
    "mon": "month",
    "mons": "month",
    "hr": "hour",
    "hrs": "hour",
    "yr": "year",
    "yrs": "year",
}


def unit_name(text: str) -> str:
    """Return the standard name of a unit of time.

    An unknown unit is returned in lower case.

    >>> unit_name("HOURS"), unit_name("mins"), unit_name("epoch")
    ('hour', 'minute', 'epoch')
    """
    name = text.lower()
    if name in UNITS:
        return name
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    return name[:-1] if name.endswith("s") and name[:-1] in UNITS else name


def amount_of_unit(amount: str, unit: str) -> str:
    """Return a constant number of a unit as the text of an interval.

    Of units other than seconds and milliseconds only whole ones count, as in DuckDB.

    >>> amount_of_unit("1.7", "day"), amount_of_unit("1.7", "seconds")
    ('1 day', '1.7 seconds')
    """
    try:
        number = Decimal(amount)
        is_exact = unit_name(unit) in _WITH_PARTS
        return f"{number:f} {unit}" if is_exact else f"{int(number)} {unit}"
    except (ArithmeticError, ValueError) as error:
        raise InvalidInputError(f"Conversion Error: Could not convert string '{amount}' to DOUBLE") from error


def number_of_units(amount: Bound, unit: str) -> Bound:
    """Return a number of units in ``INTERVAL (x) DAY``.

    DuckDB makes a float of it, of which the whole units count.
    """
    if isinstance(amount.type, types.Integer | types.Null):
        return amount
    number = cast(amount, types.FLOAT64)
    if unit_name(unit) in _WITH_PARTS:
        return number
    return Bound(once(number.sql, lambda one: f"({one} - {one} % 1D)"), types.FLOAT64)


def interval_of(amount: Bound, unit: str) -> Bound:
    """Return an interval of some units: ``INTERVAL (i) HOUR``, ``to_hours(i)``.

    Raises:
        InvalidInputError: There is no such unit, or the amount is no number.
    """
    name = unit_name(unit)
    if name not in UNITS:
        raise InvalidInputError(f'Conversion Error: extract specifier "{unit}" not recognized')
    if amount.type == types.NULL:
        return cast(amount, types.INTERVAL)
    if amount.is_untyped:
        amount = cast(amount, types.INT64)
    if not isinstance(amount.type, types.Number):
        raise InvalidInputError(f"Binder Error: INTERVAL needs a number of units, not {amount.type}")
    if amount.literal is not None and isinstance(amount.type, types.Integer):
        return constant(types.INTERVAL, str(parse_interval(f"{amount.literal} {name}")))
    if name in _WITH_PARTS and (isinstance(amount.type, (types.Float, types.Decimal))):
        micros = Bound(f"round({cast(amount, types.FLOAT64).sql} * {_MICROS[name]})", types.FLOAT64)
        return from_span(("0", "0", cast(micros, types.INT64).sql))
    whole = f"CAST({cast(amount, types.INT64).sql} AS {'BIGINT' if name in _MICROS else 'INT'})"
    scaled = whole if UNITS[name] == 1 else f"({whole} * {UNITS[name]}{'L' if name in _MICROS else ''})"
    if name in _MONTHS:
        return from_span((scaled, "0", "0L"))
    return from_span(("0", scaled, "0L")) if name in _DAYS else from_span(("0", "0", scaled))


def from_span(span: Span) -> Bound:
    """Return the interval with the given parts."""
    return Bound(_text(span), types.INTERVAL, span=span)


def span_of(value: Bound) -> Span:
    """Return the parts of an interval."""
    if value.span is not None:
        return value.span
    if value.literal is not None:
        span = parse_interval(value.literal)
        return str(span.months), str(span.days), f"{span.micros}L"

    def part(pattern: str) -> str:
        return f"coalesce(try_cast(regexp_extract({value.sql}, '{pattern}', 1) AS INT), 0)"

    clock = "(-?)([0-9]+):([0-9]+):([0-9]+)"
    hours, minutes, seconds = (
        f"coalesce(try_cast(regexp_extract({value.sql}, '{clock}', {group}) AS BIGINT), 0L)" for group in (2, 3, 4)
    )
    fraction = f"coalesce(try_cast(rpad(regexp_extract({value.sql}, '[.]([0-9]+)', 1), 6, '0') AS BIGINT), 0L)"
    micros = f"((({hours} * 60 + {minutes}) * 60 + {seconds}) * 1000000 + {fraction})"
    signed = f"({micros} * if({value.sql} RLIKE '-[0-9]+:', -1, 1))"
    present = f"if({value.sql} IS NULL, NULL, "
    months = f"{part('(-?[0-9]+) year')} * 12 + {part('(-?[0-9]+) month')}"
    return f"{present}{months})", f"{present}{part('(-?[0-9]+) day')})", f"{present}{signed})"


def length_of(value: Bound) -> str:
    """Return the length of an interval in microseconds, for comparisons.

    A month counts as thirty days.
    """
    months, days, micros = span_of(value)
    return f"(CAST({months} * 30L + {days} AS DECIMAL(20,0)) * 86400000000BD + {micros})"


def truncate_interval(value: Bound, unit: str) -> Bound | None:
    """Return an interval without what is less than a unit.

    It is None if there is no such unit.
    """
    months, days, micros = span_of(value)
    if unit in _MONTHS:
        return from_span((_multiple(months, _MONTHS[unit]), f"({days} * 0)", f"({micros} * 0L)"))
    if unit in _DAYS:
        return from_span((months, _multiple(days, _DAYS[unit]), f"({micros} * 0L)"))
    return from_span((months, days, _multiple(micros, _MICROS[unit]))) if unit in _MICROS else None


def _multiple(sql: str, size: int) -> str:
    return sql if size == 1 else f"({sql} - {sql} % {size})"


def negate_interval(value: Bound) -> Bound:
    """Return an interval with the opposite sign."""
    if value.literal is not None:
        span = parse_interval(value.literal)
        return constant(types.INTERVAL, str(Interval(-span.months, -span.days, -span.micros)))
    return from_span(_each(span_of(value), lambda sql: f"(- {sql})"))


def add_intervals(first: Bound, operator: str, second: Bound) -> Bound:
    """Return the sum or difference of two intervals, part by part."""
    one, other = span_of(first), span_of(second)
    months, days, micros = (f"({left} {operator} {right})" for left, right in zip(one, other, strict=True))
    return from_span((months, days, micros))


def multiply_interval(value: Bound, factor: Bound) -> Bound:
    """Return an interval multiplied by a number."""
    if not isinstance(factor.type, types.Integer):
        return _scale_interval(value, factor)
    whole = cast(factor, types.INT64).sql
    months, days, micros = span_of(value)
    return from_span((f"CAST({months} * {whole} AS INT)", f"CAST({days} * {whole} AS INT)", f"({micros} * {whole})"))


def _scale_interval(value: Bound, factor: Bound) -> Bound:
    """Return an interval multiplied by a float.

    As in DuckDB parts of months become days, of thirty to a month, and parts of days become microseconds.
    """
    months, days, micros = span_of(value)
    beyond = refusal(text_literal("Out of Range Error: Overflow in multiplication of INTERVAL."))
    steps: tuple[Callable[[str], str], ...] = (
        lambda p: f"named_struct('m', {p}.m * {p}.f, 'd', {p}.d * {p}.f, 'u', {p}.u * {p}.f)",
        lambda p: (
            f"CASE WHEN greatest(abs({p}.m), abs({p}.d)) >= 2147483648D OR abs({p}.u) >= 9.2e18D THEN {beyond}"
            f" ELSE {p} END"
        ),
        lambda p: (
            f"named_struct('m', CAST({p}.m AS INT), 'd', CAST({p}.d AS INT), 'u', {p}.u,"
            f" 'day', {p}.d - CAST({p}.d AS INT), 'month', {_to_micros(f'({p}.m - CAST({p}.m AS INT)) * 30D')})"
        ),
        lambda p: (
            f"named_struct('m', {p}.m, 'd', {p}.d + CAST({p}.month AS INT), 'u', {p}.u,"
            f" 's', {_to_micros(f'({p}.day + {p}.month - CAST({p}.month AS INT)) * 86400D')})"
        ),
        lambda p: (
            f"named_struct('m', {p}.m, 'd', {p}.d + CAST({p}.s / 86400D AS INT),"
            f" 'u', CAST(rint({p}.u + ({p}.s - CAST({p}.s / 86400D AS INT) * 86400D) * 1000000D) AS BIGINT))"
        ),
        lambda p: _text((f"{p}.m", f"{p}.d", f"{p}.u")),
    )
    sql = f"named_struct('f', {cast(factor, types.FLOAT64).sql}, 'm', {months}, 'd', {days}, 'u', {micros})"
    for step in steps:
        name = variable()
        sql = f"transform(array({sql}), {name} -> {step(name)})[0]"
    return Bound(sql, types.INTERVAL)


def _to_micros(seconds: str) -> str:
    """Return a float without what is less than a millionth."""
    return f"(rint({seconds} * 1000000D) / 1000000D)"


def spark_interval(value: Bound, *, is_negative: bool = False) -> str:
    """Return an interval that Spark can add to timestamps."""
    months, days, micros = span_of(value)
    if value.literal is not None:
        span = parse_interval(value.literal)
        sign = -1 if is_negative else 1
        seconds, rest = divmod(abs(span.micros), 10**6)
        mark = "-" if span.micros * sign < 0 else ""
        return f"make_interval(0, {span.months * sign}, 0, {span.days * sign}, 0, 0, {mark}{seconds}.{rest:06d}BD)"
    minus = "- " if is_negative else ""
    seconds_sql = f"CAST(({minus}{micros}) / 1000000BD AS DECIMAL(18,6))"
    return f"make_interval(0, {minus}{months}, 0, {minus}{days}, 0, 0, {seconds_sql})"


def _each(span: Span, change: object) -> Span:
    assert callable(change)
    months, days, micros = span
    return change(months), change(days), change(micros)


def _text(span: Span) -> str:
    """Return DuckDB's text of an interval."""
    months, days, micros = span
    name = variable()
    parts = [
        _count_text(f"CAST({name}.m div 12 AS INT)", "year"),
        _count_text(f"({name}.m % 12)", "month"),
        _count_text(f"{name}.d", "day"),
    ]
    size = f"abs({name}.u)"
    clock = f"concat(if({name}.u < 0, '-', ''), " + ", ':', ".join(
        f"lpad(CAST({unit} AS STRING), greatest(2, length(CAST({unit} AS STRING))), '0')"
        for unit in (
            f"({size} div 3600000000)",
            f"({size} div 60000000 % 60)",
            f"({size} div 1000000 % 60)",
        )
    )
    clock += f", if({size} % 1000000 = 0, '', concat('.', rtrim('0', lpad(CAST({size} % 1000000 AS STRING), 6, '0')))))"
    shown = f"if({name}.u <> 0 OR ({name}.m = 0 AND {name}.d = 0), {clock}, NULL)"
    body = f"CASE WHEN {name}.m + {name}.d + {name}.u IS NOT NULL THEN concat_ws(' ', {', '.join(parts)}, {shown}) END"
    made = f"named_struct('m', CAST({months} AS INT), 'd', CAST({days} AS INT), 'u', CAST({micros} AS BIGINT))"
    return f"transform(array({made}), {name} -> {body})[0]"


def _count_text(sql: str, unit: str) -> str:
    return once(sql, lambda one: f"if({one} = 0, NULL, concat({one}, ' {unit}', if({one} IN (1, -1), '', 's')))")
