"""Casts of dates, times and timestamps from and to text, in Spark SQL.

The texts are those that DuckDB reads and prints.
"""

from __future__ import annotations

from typing import Final

from forklake.files.casting.numerals import SPACES
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.literals import INFINITIES, infinite_literal, spark_type, text_literal
from forklake.sql.expressions.spark_idioms import once, variable

EPOCH: Final = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
FIRST_OF_NANOS: Final = "TIMESTAMP_NTZ '1677-09-22 00:00:00'"
LAST_OF_NANOS: Final = "TIMESTAMP_NTZ '2262-04-11 23:47:16.854775'"
"""The first and the last microsecond that a TIMESTAMP_NS has."""

_DAYS: Final = "BETWEEN DATE '-5877641-06-25' AND DATE '+5881580-07-10'"
DAYS_OF_TIMESTAMPS: Final = "BETWEEN DATE '-290308-12-22' AND DATE '+294247-01-10'"
_START: Final = "TIMESTAMP_NTZ '-290308-12-22 00:00:00'"
"""The first timestamp of DuckDB; Spark has some hours more."""
_END: Final = "TIMESTAMP_NTZ '+294247-01-10 04:00:54'"
"""In the second that begins here, what Spark computes with timestamps may overflow."""

_EXTREMES: Final = {
    "infinity": "('+5881580-07-11', '+294247-01-10 04:00:54.775807')",
    "-infinity": "('-5877641-06-24', '-290308-12-21 19:59:05.224193')",
}
"""What Spark prints for infinite dates and timestamps."""

_DAY: Final = r"^(-?)([0-9]{1,9})([-/\\ ])([0-9]{1,2})\3([0-9]{1,2})( \((?:BC|bc)\))?"
_CLOCK: Final = "([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:[.]([0-9]*))?)?"
_OFFSET: Final = "(?:Z| +(?i:UTC)|([+-])([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?)?"
_DATE_PATTERN: Final = text_literal(rf"{_DAY}(?![0-9])(?s:.*)\z")
_MOMENT_PATTERN: Final = text_literal(rf"{_DAY}(?:[ T] *{_CLOCK}{_OFFSET})?\z")
_TIME_PATTERN: Final = text_literal(rf"^{_CLOCK}(?![0-9:])(?s:.*)\z")

_USUAL_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_USUAL_CLOCK: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_USUAL_OFFSET: Final = "[+-](?:0[0-9]|1[0-7])(?::[0-5][0-9])?"
_USUAL: Final[dict[Type, str]] = {
    types.DATE: rf"^{_USUAL_DAY}\z",
    types.TIME: rf"^{_USUAL_CLOCK}(?:[.][0-9]{{1,6}})?\z",
    types.TIMESTAMP: rf"^{_USUAL_DAY}[ T]{_USUAL_CLOCK}(?:[.][0-9]{{1,6}})?\z",
    types.TIMESTAMP_NS: rf"^(?:1[789]|2[01])[0-9]{{2}}{_USUAL_DAY[8:]} {_USUAL_CLOCK}(?:[.][0-9]{{1,9}})?\z",
    types.TIMESTAMPTZ: rf"^{_USUAL_DAY}[ T]{_USUAL_CLOCK}(?:[.][0-9]{{1,6}})?(?:Z|{_USUAL_OFFSET})?\z",
}
"""What nearly all text is like, which takes no taking apart."""


def moment_text(sql: str) -> str:
    """Return a date or a timestamp without zone as DuckDB prints it.

    A year has no sign, but may be BC. Infinite ones are the last that Spark has (`infinities`).
    """
    text = variable()
    day = text_literal("^-?([0-9]+)(-[0-9]+-[0-9]+)(.*)$")
    year = f"CAST(CAST(regexp_extract({text}, {day}, 1) AS INT) + 1 AS STRING)"
    padded = f"lpad({year}, greatest(4, length({year})), '0')"
    before = f"concat({padded}, regexp_extract({text}, {day}, 2), ' (BC)', regexp_extract({text}, {day}, 3))"
    infinite = " ".join(f"WHEN {text} IN {extremes} THEN '{shown}'" for shown, extremes in _EXTREMES.items())
    chosen = f"CASE {infinite} WHEN startswith({text}, '+') THEN substring({text}, 2) ELSE {before} END"
    odd = f"transform(array(CAST({sql} AS STRING)), {text} -> {chosen})[0]"
    return f"CASE WHEN year({sql}) BETWEEN 1 AND 9999 THEN CAST({sql} AS STRING) ELSE {odd} END"


def read_moment(sql: str, target: Type) -> str | None:
    """Return text as a date, a time or a timestamp, NULL where it is none.

    None if the target is none of these types.
    """
    if target in (types.TIMESTAMP_S, types.TIMESTAMP_MS):
        return round_timestamp(read_moment(sql, types.TIMESTAMP) or "", target)
    if target not in _USUAL:
        return None
    text = variable()
    slow = f"transform(array(btrim({sql}, {text_literal(SPACES)})), {text} -> {_take_apart(text, target)})[0]"
    return f"CASE WHEN {sql} RLIKE {text_literal(_USUAL[target])} THEN {_usual(sql, target)} ELSE {slow} END"


def round_timestamp(local: str, target: Type) -> str:
    """Round a timestamp without zone to seconds or milliseconds.

    Halves go away from 1970. It is NULL where Spark has no such timestamp, at the ends of their range, and infinite
    where the timestamp is. Timestamps of other types are returned as they are.
    """
    if target not in (types.TIMESTAMP_S, types.TIMESTAMP_MS):
        return local
    half, unit, last = ("0.5", "1", "54.5") if target == types.TIMESTAMP_S else ("0.0005", "0.001", "54.7755")

    def body(sql: str) -> str:
        rest = f"(extract(SECOND FROM {sql}) % {unit}BD)"
        is_up = f"{rest} > {half}BD OR ({rest} = {half}BD AND {sql} >= {EPOCH})"
        rounded = f"({sql} + make_dt_interval(0, 0, 0, if({is_up}, {unit}BD, 0BD) - {rest}))"
        is_there = f"{sql} >= {_START} AND {sql} < TIMESTAMP_NTZ '+294247-01-10 04:00:{last}'"
        infinite = ", ".join(infinite_literal(types.TIMESTAMP, text) for text in INFINITIES)
        return f"CASE WHEN {is_there} THEN {rounded} WHEN {sql} IN ({infinite}) THEN {sql} END"

    return once(local, body)


def _usual(sql: str, target: Type) -> str:
    match target:
        case types.TIME:
            return _shortest(sql)
        case types.TIMESTAMP_NS:
            return f"CASE WHEN try_cast(substring({sql}, 1, 10) AS DATE) IS NOT NULL THEN {_shortest(sql)} END"
        case types.TIMESTAMPTZ:
            zone = f"if(substring({sql}, 20) RLIKE '[Z+-]', '', 'Z')"
            return f"try_cast(concat({sql}, {zone}) AS TIMESTAMP_LTZ)"
    return f"try_cast({sql} AS {spark_type(target)})"


def _shortest(sql: str) -> str:
    """Return the text of a moment without zeros at the end of its fraction."""
    return f"regexp_replace({sql}, '(?:[.]0+|([.][0-9]*[1-9])0+)$', {text_literal('$1')})"


def _take_apart(sql: str, target: Type) -> str:
    pattern, epoch = _MOMENT_PATTERN, EPOCH
    parts = variable()
    match target:
        case types.DATE:
            pattern, epoch = _DATE_PATTERN, "DATE '1970-01-01'"
            found = once(f"try_cast({_day(parts)} AS DATE)", lambda day: f"if({day} {_DAYS}, {day}, NULL)")
        case types.TIMESTAMP:
            found = _naive(parts)
        case types.TIMESTAMPTZ:
            epoch = "timestamp_micros(0)"
            found = once(f"{_naive(parts)} - {_offset(parts)}", _at_utc)
        case types.TIMESTAMP_NS:
            epoch = "'1970-01-01 00:00:00'"
            found = once(f"{_naive(parts, digits=0)} - {_offset(parts)}", lambda local: _nanos(local, parts))
        case _:
            epoch = "'00:00:00'"
            found = _time(_naive(parts))
    cases = [f"WHEN {sql} RLIKE {pattern} THEN {_with_parts(sql, pattern, parts, found, range(1, 15))}"]
    if target == types.DATE:
        cases = [f"WHEN {sql} RLIKE {pattern} THEN {_with_parts(sql, pattern, parts, found, range(1, 7))}"]
    elif target == types.TIME:
        clock = variable()
        at = _time(f"try_cast(concat('1970-01-01 ', {_clock(clock, 0)}) AS TIMESTAMP_NTZ)")
        cases.append(f"WHEN {sql} RLIKE {_TIME_PATTERN} THEN {_with_parts(sql, _TIME_PATTERN, clock, at, range(1, 5))}")
    cases.append(f"WHEN lower({sql}) = 'epoch' THEN {epoch}")
    if target != types.TIME:
        cases += [
            f"WHEN lower({sql}) IN ('{text}', '{text.removesuffix('inity')}') THEN {infinite_literal(target, text)}"
            for text in INFINITIES
        ]
    return f"CASE {' '.join(cases)} END"


def _with_parts(sql: str, pattern: str, name: str, body: str, groups: range) -> str:
    """Return an expression over the groups of a pattern that a text matches.

    In ``body``, ``name`` is the list of the groups.
    """
    kept = text_literal("|".join(f"${group}" for group in groups))
    return f"transform(array(split(regexp_replace({sql}, {pattern}, {kept}), '[|]')), {name} -> {body})[0]"


def _day(parts: str) -> str:
    """Return the text of a date as Spark reads it.

    Its year has four digits or more, and a sign before it where it is BC.
    """
    year = f"try_cast(concat({parts}[0], {parts}[1]) AS INT)"
    signed = f"CASE WHEN {parts}[5] = '' THEN {year} WHEN {year} > 0 THEN 1 - {year} END"
    text = f"if({signed} < 0, format_string('%05d', {signed}), format_string('%04d', {signed}))"
    return f"concat({text}, '-', {parts}[3], '-', {parts}[4])"


def _clock(parts: str, first: int, digits: int = 6) -> str:
    """Return a time of day as Spark reads it, with all its digits."""
    whole = ", ':', ".join(f"lpad({parts}[{first + place}], 2, '0')" for place in range(3))
    return f"concat({whole}, '.', rpad({parts}[{first + 3}], {digits}, '0'))" if digits else f"concat({whole})"


def _naive(parts: str, digits: int = 6) -> str:
    """Return a timestamp without zone; 24:00:00 is the next midnight."""
    at = f"concat({_day(parts)}, ' ', {_clock(parts, 6, digits)})"
    moment = f"try_cast(regexp_replace({at}, ' 24:00:00([.]0*)?$', ' 00:00:00') AS TIMESTAMP_NTZ)"
    later = f"if({parts}[6] = '24', INTERVAL '1' DAY, INTERVAL '0' DAY)"
    return once(moment, lambda found: f"if({found} < {_END}, {found} + {later}, NULL)")


def _offset(parts: str) -> str:
    """Return how far a clock is ahead of UTC, as an interval."""
    counts = ", ".join(f"coalesce(try_cast({parts}[{place}] AS INT), 0)" for place in (11, 12, 13))
    return f"(make_dt_interval(0, {counts}) * if({parts}[10] = '-', -1, 1))"


def _at_utc(local: str) -> str:
    # Text with a zone means the same in every session; Spark's difference of timestamps does not.
    return f"try_cast(concat(CAST({local} AS STRING), 'Z') AS TIMESTAMP_LTZ)"


def _nanos(local: str, parts: str) -> str:
    part = f"rtrim('0', substring({parts}[9], 1, 9))"
    text = f"concat(CAST({local} AS STRING), if({part} = '', '', concat('.', {part})))"
    return f"CASE WHEN {local} BETWEEN {FIRST_OF_NANOS} AND {LAST_OF_NANOS} THEN {text} END"


def _time(local: str) -> str:
    return f"substring_index(CAST({local} AS STRING), ' ', -1)"
