"""Functions of dates, times, timestamps and intervals.

Formatting is in `time_formats`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types.shapes import struct_of
from forklake.sql.expressions.arithmetic import arithmetic
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast, cast_finite, cut_nanos
from forklake.sql.expressions.infinities import finite, keep_infinite, unless_infinite
from forklake.sql.expressions.intervals import UNITS, from_span, interval_of, span_of, truncate_interval, unit_name
from forklake.sql.expressions.moment_texts import EPOCH
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import once, variable
from forklake.sql.expressions.time_arithmetic import micros_of
from forklake.sql.functions.signature import (
    THIS,
    TWO,
    Function,
    Nodes,
    constant_text,
    double,
    moment,
    whole,
    wrong_type,
)
from forklake.sql.vocabulary import BY_NAME

_NOW: Final = Bound("now()", types.TIMESTAMPTZ)

# ---- parts -----------------------------------------------------------------------------------------------------------

_PARTS: Final = {
    "year": "year({0})",
    "quarter": "quarter({0})",
    "month": "month({0})",
    "week": "weekofyear({0})",
    "weekofyear": "weekofyear({0})",
    "day": "day({0})",
    "dayofmonth": "day({0})",
    "dow": "(dayofweek({0}) - 1)",
    "dayofweek": "(dayofweek({0}) - 1)",
    "weekday": "(dayofweek({0}) - 1)",
    "isodow": "(weekday({0}) + 1)",
    "doy": "dayofyear({0})",
    "dayofyear": "dayofyear({0})",
    "hour": "hour({0})",
    "minute": "minute({0})",
    "second": "second({0})",
    "millisecond": "floor(extract(SECOND FROM {0}) * 1000)",
    "microsecond": "floor(extract(SECOND FROM {0}) * 1000000)",
    "isoyear": "extract(YEAROFWEEK FROM {0})",
    "yearweek": "(extract(YEAROFWEEK FROM {0}) * 100 + weekofyear({0}))",
    "decade": "floor(year({0}) / 10)",
    "century": "(if(year({0}) > 0, floor((year({0}) - 1) / 100) + 1, floor(year({0}) / 100) - 1))",
    "millennium": "(if(year({0}) > 0, floor((year({0}) - 1) / 1000) + 1, floor(year({0}) / 1000) - 1))",
    "era": "(CASE WHEN year({0}) > 0 THEN 1 WHEN year({0}) <= 0 THEN 0 END)",
}
_SPAN_PARTS: Final = {
    "year": "({0} div 12)",
    "quarter": "({0} % 12 div 3 + 1)",
    "month": "({0} % 12)",
    "day": "{1}",
    "hour": "({2} div 3600000000)",
    "minute": "({2} div 60000000 % 60)",
    "second": "({2} div 1000000 % 60)",
    "millisecond": "({2} div 1000 % 60000)",
    "microsecond": "({2} % 60000000)",
    "decade": "({0} div 120)",
    "century": "({0} div 1200)",
    "millennium": "({0} div 12000)",
}
_OTHER_NAMES: Final = {"ms": "millisecond", "us": "microsecond", "d": "day", "h": "hour", "m": "minute", "s": "second"}


def _part(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value = _without_offset(values[0])
        if value.type == types.INTERVAL:
            if name not in _SPAN_PARTS:
                raise wrong_type(value, node)
            return Bound(f"CAST({_SPAN_PARTS[name].format(*span_of(value))} AS BIGINT)", types.INT64)

        def part(one: Bound) -> str:
            sql = _clock(one) if one.type == types.TIME else moment(one, node)
            return once(sql, lambda at: f"CAST({_PARTS[name].format(at)} AS BIGINT)")

        return Bound(unless_infinite(value, part), types.INT64)

    return function


def _named_part(name: str, value: Bound, node: exp.Expr) -> Bound:
    unit = _OTHER_NAMES.get(name.lower(), unit_name(name))
    if unit == "epoch":
        return _epoch(values=[value], node=node)
    if unit not in _PARTS:
        raise InvalidInputError(f'Conversion Error: extract specifier "{name}" not recognized: {render(node)}')
    return _part(unit)([value], node)


def _extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _named_part(node.this.name, values[0], node)


def _date_part(values: Sequence[Bound], node: exp.Expr) -> Bound:
    part, value = values
    if isinstance(part.type, types.List):
        names = [one.strip("' ") for one in constant_text(part, node, "list of parts")[1:-1].split(",")]
        found = [_named_part(name, value, node) for name in names]
        sql = ", ".join(f"'{name}', {one.sql}" for name, one in zip(names, found, strict=True))
        return Bound(
            f"if({value.sql} IS NULL, NULL, named_struct({sql}))",
            struct_of([(name, types.INT64) for name in names]),
        )
    return _named_part(constant_text(part, node, "part of a date"), value, node)


# ---- truncation and differences --------------------------------------------------------------------------------------

_DATE_UNITS: Final = {"year": "YEAR", "quarter": "QUARTER", "month": "MONTH", "week": "WEEK"}
_TIME_UNITS: Final = {
    "hour": "hour({0}), 0, 0",
    "minute": "hour({0}), minute({0}), 0",
    "second": "hour({0}), minute({0}), second({0})",
    "millisecond": "hour({0}), minute({0}), CAST(floor(extract(SECOND FROM {0}) * 1000) / 1000 AS DECIMAL(8,6))",
    "microsecond": "hour({0}), minute({0}), extract(SECOND FROM {0})",
}
_YEARS: Final = {"decade": 10, "century": 100, "millennium": 1000}


def _truncate(name: str, value: Bound, node: exp.Expr) -> Bound:
    unit = _OTHER_NAMES.get(name.lower(), unit_name(name))
    if value.type == types.INTERVAL and (made := truncate_interval(value, unit)) is not None:
        return made
    result = value.type if value.type == types.TIMESTAMPTZ else types.TIMESTAMP

    def truncate(one: Bound) -> str:
        sql = once(moment(one, node), lambda at: _truncation(unit, at, node))
        return cast_finite(Bound(sql, types.TIMESTAMP), result)

    return Bound(keep_infinite(value, result, truncate), result)


def _truncation(unit: str, sql: str, node: exp.Expr) -> str:
    day = f"CAST({sql} AS DATE)"
    if unit in _DATE_UNITS:
        return f"CAST(trunc({day}, '{_DATE_UNITS[unit]}') AS TIMESTAMP_NTZ)"
    if unit == "day":
        return f"CAST({day} AS TIMESTAMP_NTZ)"
    if unit in _TIME_UNITS:
        return f"(CAST({day} AS TIMESTAMP_NTZ) + make_interval(0, 0, 0, 0, {_TIME_UNITS[unit].format(sql)}))"
    if unit in _YEARS:
        year = f"CAST(floor(year({sql}) / {_YEARS[unit]}) * {_YEARS[unit]} AS INT)"
        return f"CAST(make_date({year}, 1, 1) AS TIMESTAMP_NTZ)"
    raise InvalidInputError(f'Conversion Error: extract specifier "{unit}" not recognized: {render(node)}')


def _truncate_node(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _truncate(node.args["unit"].name, values[0], node)


def _date_trunc(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _truncate(constant_text(values[0], node, "unit of time"), values[1], node)


def _boundaries(unit: str, earlier: Bound, later: Bound, node: exp.Expr) -> Bound:
    """Return how many starts of a unit lie between two timestamps."""
    unit = _OTHER_NAMES.get(unit.lower(), unit_name(unit))
    one, other = (moment(finite(value), node) for value in (earlier, later))
    match unit:
        case "day" | "week":
            days = [f"CAST({sql} AS DATE)" for sql in (other, one)]
            # DuckDB counts whole weeks here, not Mondays.
            sql = f"datediff({days[0]}, {days[1]})" + (" div 7" if unit == "week" else "")
        case "month":
            sql = f"((year({other}) - year({one})) * 12 + month({other}) - month({one}))"
        case "quarter":
            sql = f"((year({other}) - year({one})) * 4 + quarter({other}) - quarter({one}))"
        case "year":
            sql = f"(year({other}) - year({one}))"
        case "decade" | "century" | "millennium":
            sql = f"(floor(year({other}) / {_YEARS[unit]}) - floor(year({one}) / {_YEARS[unit]}))"
        case "hour" | "minute" | "second" | "millisecond" | "microsecond":
            size = UNITS[unit]
            counts = [f"CAST(floor({micros_of(part)} / {size}BD) AS BIGINT)" for part in (other, one)]
            sql = f"({counts[0]} - {counts[1]})"
        case _:
            raise InvalidInputError(f'Conversion Error: extract specifier "{unit}" not recognized: {render(node)}')
    return Bound(f"CAST({sql} AS BIGINT)", types.INT64)


def _date_difference(values: Sequence[Bound], node: exp.Expr) -> Bound:
    unit = node.args["unit"].name if node.args.get("unit") is not None else "day"
    return _boundaries(unit, values[1], values[0], node)


def _named_difference(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _boundaries(constant_text(values[0], node, "unit of time"), values[1], values[2], node)


def _complete(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return how many complete units lie between two timestamps."""
    unit = unit_name(constant_text(values[0], node, "unit of time"))
    one, other = (moment(finite(value), node) for value in values[1:])
    if unit in ("month", "quarter", "year", "decade", "century", "millennium"):
        size = {"month": 1, "quarter": 3, "year": 12}.get(unit, 12 * _YEARS.get(unit, 1))
        months = _whole_months(one, other)
        return Bound(f"CAST({months} div {size} AS BIGINT)", types.INT64)
    micros = {"day": 86_400_000_000, "week": 604_800_000_000}.get(unit, UNITS.get(unit))
    if micros is None:
        raise InvalidInputError(f'Conversion Error: extract specifier "{unit}" not recognized: {render(node)}')
    return Bound(f"(({micros_of(other)} - {micros_of(one)}) div {micros}L)", types.INT64)


def _whole_months(one: str, other: str) -> str:
    """Return the complete months between two timestamps.

    They are negative if the first is the later. The last day of a shorter month completes a month.
    """
    return f"if({one} <= {other}, {_months_until(one, other)}, - {_months_until(other, one)})"


def _months_until(one: str, other: str) -> str:
    raw = f"((year({other}) - year({one})) * 12 + month({other}) - month({one}))"
    tail = "(day({0}) * 86400000000L + {1} % 86400000000L)"
    rest = [tail.format(sql, f"({micros_of(sql)} + 62167219200000000L)") for sql in (one, other)]
    is_last = f"(day({other}) = day(last_day(CAST({other} AS DATE))) AND day({one}) > day({other}))"
    return f"({raw} - if({raw} > 0 AND {rest[1]} < {rest[0]} AND NOT {is_last}, 1, 0))"


# ---- making moments --------------------------------------------------------------------------------------------------


def _add(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return arithmetic(values[0], "+", values[1])


def _make_date(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) == 1:
        return Bound(f"date_from_unix_date({whole(values[0], node)})", types.DATE)
    return Bound(f"make_date({', '.join(whole(value, node) for value in values)})", types.DATE)


def _make_timestamp(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) == 1:
        return Bound(_from_micros(cast(values[0], types.INT64).sql), types.TIMESTAMP)
    year, month, day, hour, minute = (whole(value, node) for value in values[:5])
    seconds = f"CAST({double(values[5], node)} AS DECIMAL(16,6))"
    return Bound(f"make_timestamp_ntz({year}, {month}, {day}, {hour}, {minute}, {seconds})", types.TIMESTAMP)


def _make_time(values: Sequence[Bound], node: exp.Expr) -> Bound:
    hour, minute = (whole(value, node) for value in values[:2])
    made = f"make_timestamp_ntz(1970, 1, 1, {hour}, {minute}, CAST({double(values[2], node)} AS DECIMAL(16,6)))"
    return Bound(f"substring(CAST({made} AS STRING), 12)", types.TIME)


def _from_micros(sql: str) -> str:
    return f"timestampadd(MICROSECOND, {sql}, {EPOCH})"


def _epoch(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if value.type == types.INTERVAL:
        months, days, micros = span_of(value)
        years = f"({months} div 12 * 31557600D + {months} % 12 * 2592000D)"
        return Bound(f"({years} + {days} * 86400D + {micros} / 1000000D)", types.FLOAT64)
    return Bound(f"({_micros(value, node)} / 1000000D)", types.FLOAT64)


def _micros(value: Bound, node: exp.Expr) -> str:
    """Return the microseconds since 1970, since midnight, or of an interval."""
    value = _without_offset(value)
    if value.type == types.INTERVAL:
        months, days, micros = span_of(value)
        return f"(({months} * 30L + {days}) * 86400000000L + {micros})"
    if value.type == types.TIME:
        return micros_of(_clock(value))
    return unless_infinite(value, lambda one: micros_of(moment(one, node)))


def _without_offset(value: Bound) -> Bound:
    """Return a time with an offset as the time that its clock shows."""
    return cast(value, types.TIME) if value.type == types.TIMETZ else value


def _clock(value: Bound) -> str:
    """Return a time as a timestamp of the first day of 1970."""
    return f"CAST(concat('1970-01-01 ', {value.sql}) AS TIMESTAMP_NTZ)"


def _epoch_of(unit: int) -> Function:
    """Return a function for the microseconds since 1970 divided by a unit.

    With the unit of milliseconds and an integer, it returns the timestamp instead.
    """

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value = values[0]
        if isinstance(value.type, types.Integer) and unit == 1000:
            return Bound(_from_micros(f"{cast(value, types.INT64).sql} * 1000L"), types.TIMESTAMP)
        if value.type == types.TIMESTAMP_NS and unit == 0:
            rest = f"CAST(rpad(substring({value.sql}, 27, 3), 3, '0') AS BIGINT)"
            return Bound(f"({micros_of(cut_nanos(value.sql))} * 1000L + {rest})", types.INT64)
        micros = _micros(value, node)
        scaled = micros if unit == 1 else f"{micros} div {unit}L" if unit > 1 else f"{micros} * 1000L"
        return Bound(f"({scaled})", types.INT64)

    return function


def _from_epoch(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if node.args.get("scale") == exp.UnixToTime.MICROS:
        return _make_timestamp(values[:1], node)
    if node.args.get("scale") is not None:
        return _epoch_of(1000)(values[:1], node)
    value = values[0]
    if isinstance(value.type, (types.Float, types.Decimal)):
        micros = cast(Bound(f"round({double(value, node)} * 1000000)", types.FLOAT64), types.INT64).sql
    else:
        micros = f"{cast(value, types.INT64).sql} * 1000000L"
    return Bound(f"timestamp_micros({micros})", types.TIMESTAMPTZ)


def _last_day(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(unless_infinite(values[0], lambda one: f"last_day(CAST({moment(one, node)} AS DATE))"), types.DATE)


def _in_words(letters: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        return Bound(
            unless_infinite(values[0], lambda one: f"date_format({moment(one, node)}, '{letters}')"), types.VARCHAR
        )

    return function


def _age(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return the months, days and microseconds from the second timestamp to the first."""
    one = moment(finite(values[0]) if len(values) > 1 else cast(_NOW, types.DATE), node)
    other = moment(finite(values[-1]), node)
    parts = "struct({0} AS t, year({0}) * 12 + month({0}) AS m, day({0}) AS d, day(last_day({0})) AS l, {1} AS u)"
    midnight = "CAST(CAST({} AS DATE) AS TIMESTAMP_NTZ)"
    said = [parts.format(sql, f"{micros_of(sql)} - {micros_of(midnight.format(sql))}") for sql in (one, other)]
    pair = variable()
    ordered = (
        f"if({one} < {other}, struct({said[1]} AS a, {said[0]} AS b, -1 AS s),"
        f" struct({said[0]} AS a, {said[1]} AS b, 1 AS s))"
    )
    # A part that is negative borrows from the next larger one; days are those of the earlier month.
    micros = f"({pair}.a.u - {pair}.b.u)"
    days = f"({pair}.a.d - {pair}.b.d - if({micros} < 0, 1, 0))"
    months = f"({pair}.a.m - {pair}.b.m)"
    borrowed = f"(CASE WHEN {days} >= 0 THEN 0 WHEN {days} + {pair}.b.l >= 0 THEN 1 ELSE 2 END)"
    fields = [
        f"transform(array({ordered}), {pair} -> {sql})[0]"
        for sql in (
            f"{pair}.s * ({months} - {borrowed})",
            f"{pair}.s * ({days} + {borrowed} * {pair}.b.l)",
            f"{pair}.s * if({micros} < 0, {micros} + 86400000000L, {micros})",
        )
    ]
    return from_span((fields[0], fields[1], fields[2]))


def _at_zone(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Convert a timestamp with time zone to local time there, or the other way."""
    value, zone = values[0], cast(values[1], types.VARCHAR).sql
    if value.type == types.TIMESTAMPTZ:
        there = keep_infinite(
            value, types.TIMESTAMP, lambda one: f"convert_timezone('UTC', {zone}, {moment(one, node)})"
        )
        return Bound(there, types.TIMESTAMP)
    return Bound(
        keep_infinite(value, types.TIMESTAMPTZ, lambda one: _from_zone(moment(one, node), zone)), types.TIMESTAMPTZ
    )


def _from_zone(local: str, zone: str) -> str:
    """Return the moment at which clocks of a zone show a time, as Spark SQL."""

    def later(sql: str) -> str:
        # Of the two moments that a local time may mean when clocks are set back, DuckDB takes the second.
        cases = [
            f"WHEN convert_timezone('UTC', {zone}, {sql} + INTERVAL '{minutes}' MINUTE) = {local}"
            f" THEN {sql} + INTERVAL '{minutes}' MINUTE"
            for minutes in (60, 30)
        ]
        return f"(CASE {' '.join(cases)} ELSE {sql} END)"

    there = once(f"convert_timezone({zone}, 'UTC', {local})", later)
    return cast_finite(Bound(there, types.TIMESTAMP), types.TIMESTAMPTZ)


def _units(unit: str) -> Function:
    return lambda values, node: interval_of(values[0], unit)


def _now(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _NOW


def _today(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return cast(_NOW, types.DATE)


_PART_NODES: Final[Mapping[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.DayOfYear: "doy",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
}
NODES: Final[Nodes] = {
    **{kind: (_part(name), THIS) for kind, name in _PART_NODES.items()},
    exp.Extract: (_extract, ("expression", "this")),
    exp.TimestampTrunc: (_truncate_node, ("this", "unit")),
    exp.DateTrunc: (_truncate_node, ("this", "unit")),
    exp.DateDiff: (_date_difference, (*TWO, "unit", "date_part_boundary")),
    exp.DateAdd: (_add, (*TWO, "unit")),
    exp.DateFromParts: (_make_date, ("year", "month", "day")),
    exp.TimestampFromParts: (_make_timestamp, ("year", "month", "day", "hour", "min", "sec")),
    exp.TimeFromParts: (_make_time, ("hour", "min", "sec")),
    exp.TimeToUnix: (_epoch, THIS),
    exp.UnixToTime: (_from_epoch, ("this", "scale")),
    exp.LastDay: (_last_day, THIS),
    exp.Dayname: (_in_words("EEEE"), THIS),
    exp.Monthname: (_in_words("MMMM"), THIS),
    exp.AtTimeZone: (_at_zone, ("this", "zone")),
    exp.ToDays: (_units("day"), THIS),
    exp.CurrentTimestamp: (_now, ()),
    exp.CurrentDate: (_today, ()),
}
NAMED: Final[Mapping[str, Function]] = {
    **{name: _part(name) for name in _PARTS if name in BY_NAME and BY_NAME[name].name == name},
    "now": _now,
    "today": _today,
    "date_part": _date_part,
    "date_trunc": _date_trunc,
    "date_diff": _named_difference,
    "date_sub": _complete,
    "date_add": _add,
    "make_date": _make_date,
    "make_timestamp": _make_timestamp,
    "make_time": _make_time,
    "epoch": _epoch,
    "epoch_ms": _epoch_of(1000),
    "epoch_us": _epoch_of(1),
    "epoch_ns": _epoch_of(0),
    "to_timestamp": _from_epoch,
    "last_day": _last_day,
    "dayname": _in_words("EEEE"),
    "monthname": _in_words("MMMM"),
    "age": _age,
    "timezone": lambda values, node: _at_zone([values[1], values[0]], node),
    **{f"to_{unit}s": _units(unit) for unit in UNITS if unit not in ("century", "millennium")},
    "to_centuries": _units("century"),
    "to_millennia": _units("millennium"),
}
