"""Intervals in DuckDB's text: months, days and microseconds, each with a sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from forklake.files.casting.numerals import SPACES
from forklake.model.interruption import in_time

_MILLION: Final = 1_000_000
_DAY: Final = 86_400 * _MILLION
_NAMES: Final = {
    "millennium": "millennia mil mils millenniums",
    "century": "centuries cent c",
    "decade": "decades dec decs",
    "year": "years yr yrs y",
    "quarter": "quarters",
    "month": "months mon mons",
    "week": "weeks w",
    "day": "days d dayofmonth",
    "hour": "hours hr hrs h",
    "minute": "minutes min mins m",
    "second": "seconds sec secs s",
    "millisecond": "milliseconds ms msec msecs msecond mseconds",
    "microsecond": "microseconds us usec usecs usecond useconds",
}
_UNITS: Final = {word: name for name, others in _NAMES.items() for word in (name, *others.split())}
_MONTHS: Final = {"millennium": 12_000, "century": 1200, "decade": 120, "year": 12}
_MICROS: Final = {"hour": 3600 * _MILLION, "minute": 60 * _MILLION, "second": _MILLION, "millisecond": 1000}
_PART: Final = re.compile(
    r"\s*(?:(?P<sign>-?)(?P<hours>[0-9]+):(?P<minutes>[0-9]{1,2})(?::(?P<seconds>[0-9]{1,2})(?:\.(?P<part>[0-9]*))?)?(?!\S)"
    r"|(?P<count>-?[0-9]+)(?:\.(?P<fraction>[0-9]*))?\s*(?P<unit>[A-Za-z]*))"
)


class Interval(NamedTuple):
    """An interval of time whose parts are not added up.

    Neither a month nor a day has a fixed length.
    """

    months: int
    days: int
    micros: int

    def __str__(self) -> str:
        """Return the interval as DuckDB writes it."""
        parts = []
        for count, name in (
            (_quotient(self.months, 12), "year"),
            (self.months - 12 * _quotient(self.months, 12), "month"),
            (self.days, "day"),
        ):
            if count:
                parts.append(f"{count} {name}{'' if abs(count) == 1 else 's'}")
        if self.micros or not parts:
            seconds, micros = divmod(abs(self.micros), _MILLION)
            clock = f"{'-' if self.micros < 0 else ''}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            parts.append(f"{clock}.{micros:06}".rstrip("0") if micros else clock)
        return " ".join(parts)


def parse_interval(text: str) -> Interval:
    """Return the interval of a text.

    >>> str(parse_interval("14 months 1.5 days ago"))
    '-1 year -2 months -1 day -12:00:00'

    Raises:
        ValueError: The text is no interval; with DuckDB's message.
    """
    rest = text.strip(SPACES).removeprefix("@").strip(SPACES)
    is_ago = bool(re.search(r"[\s\d]ago$", rest, re.IGNORECASE))
    if is_ago:
        rest = rest[:-3].strip(SPACES)
    total, count = Interval(0, 0, 0), 0
    for match in in_time(_parts(rest)):
        if match is None:
            raise _no_interval(text)
        unit = (match["unit"] or "").lower()
        if not match["hours"] and not unit and (count or match.end() < len(rest)):
            raise ValueError('extract specifier "" not recognized') if count else _no_interval(text)
        total = _plus(total, _time(match, text) if match["hours"] else _units(match, unit or "second"))
        count += 1
    if not count:
        raise _no_interval(text)
    return Interval(-total.months, -total.days, -total.micros) if is_ago else total


def _parts(text: str) -> Iterator[re.Match[str] | None]:
    """Yield the parts of a text; None where none begins."""
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        yield match
        if match is not None:
            position = match.end()


def _no_interval(text: str) -> ValueError:
    return ValueError(f"Could not convert string '{text}' to INTERVAL")


def _time(match: re.Match[str], text: str) -> Interval:
    minutes, seconds = int(match["minutes"]), int(match["seconds"] or 0)
    if minutes > 59 or seconds > 59:
        raise _no_interval(text)
    micros = ((int(match["hours"]) * 60 + minutes) * 60 + seconds) * _MILLION + _millionths(match["part"])
    return Interval(0, 0, -micros if match["sign"] else micros)


def _units(match: re.Match[str], word: str) -> Interval:
    unit = _UNITS.get(word)
    if unit is None:
        raise ValueError(f'extract specifier "{word}" not recognized')
    count, fraction = int(match["count"]), _millionths(match["fraction"])
    if abs(count) >= 2**63:
        raise ValueError(f"Could not convert string '{match['count']}' to INT64")
    if match["count"].startswith("-"):
        fraction = -fraction
    if unit in _MONTHS:
        return Interval(count * _MONTHS[unit] + _quotient(fraction * _MONTHS[unit], _MILLION), 0, 0)
    if unit in ("quarter", "month"):
        # A fraction of a month is one of thirty days.
        sign, size = (-1 if fraction < 0 else 1), (3 if unit == "quarter" else 1)
        months, days = divmod(abs(fraction) * size, _MILLION)
        return Interval(count * size + sign * months, sign * (days * 30 // _MILLION), 0)
    if unit in ("week", "day"):
        size = 7 if unit == "week" else 1
        days = _quotient(fraction * size, _MILLION)
        return Interval(0, count * size + days, _quotient(fraction * size * _DAY, _MILLION) - days * _DAY)
    if unit == "microsecond":
        return Interval(0, 0, count + _quotient(2 * fraction + (_MILLION if fraction > 0 else -_MILLION), 2 * _MILLION))
    return Interval(0, 0, count * _MICROS[unit] + _quotient(fraction * _MICROS[unit], _MILLION))


def _millionths(digits: str | None) -> int:
    return int((digits or "")[:6].ljust(6, "0"))


def _quotient(dividend: int, divisor: int) -> int:
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)


def _plus(left: Interval, right: Interval) -> Interval:
    total = Interval(left.months + right.months, left.days + right.days, left.micros + right.micros)
    if max(abs(total.months), abs(total.days)) >= 2**31 or abs(total.micros) >= 2**63:
        raise ValueError("interval value is out of range")
    return total
