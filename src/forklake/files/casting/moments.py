"""Dates and times in DuckDB's text, over its range, which is wider than Python's.

Dates are days since 1970-01-01; times and timestamps are microseconds, timestamp_ns is nanoseconds. The
largest number, and its negative, are the infinities, as in DuckDB's files.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from forklake.files.casting.numerals import SPACES
from forklake.model.calendar import date_of, day_number

INFINITE_DAY: Final = 2**31 - 1
INFINITE_MOMENT: Final = 2**63 - 1
DAY_MICROS: Final = 86_400_000_000
UNIT_NANOS: Final = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}

# 290309-12-22 (BC) 00:00:00 and the last microsecond that is not infinite.
_FIRST_MICROS: Final = -9_223_372_022_400_000_000
_LAST_MICROS: Final = INFINITE_MOMENT - 1
_FIRST_NANOS: Final = -9_223_286_400_000_000_000  # 1677-09-22 00:00:00
_FIRST_DAY: Final = -2_147_483_646  # 5877642-06-25 (BC)

_DATE: Final = re.compile(r"(-?)([0-9]{1,9})([-/\\ ])([0-9]{1,2})\3([0-9]{1,2})( \((?:BC|bc)\))?(?![0-9])")
_YEAR_BEYOND: Final = re.compile(r"-?0*[1-9][0-9]{9}")
_TIME: Final = re.compile(r"([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?)?(?![0-9:])")
_OFFSET: Final = re.compile(r"([+-])([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?")
_INFINITIES: Final = {"infinity": 1, "inf": 1, "-infinity": -1, "-inf": -1}

_BAD_DATE: Final = 'invalid date field format: "{}", expected format is (YYYY-MM-DD)'
_NO_DATE: Final = 'date field value out of range: "{}"'
_BAD_TIME: Final = 'time field value out of range: "{}", expected format is ([YYYY-MM-DD ]HH:MM:SS[.MS])'
_BAD_MOMENT: Final = (
    'invalid timestamp field format: "{}", expected format is (YYYY-MM-DD HH:MM:SS[.US][±HH[:MM[:SS]]| ZONE])'
)
_NO_MOMENT: Final = 'timestamp field value out of range: "{}"'
_NOT_UTC: Final = 'timestamp field value "{}" has a timestamp that is not UTC.'


def parse_date(text: str) -> int:
    """Return a date as days since 1970.

    Raises:
        ValueError: The text is no date; with DuckDB's message.
    """
    stripped = text.strip(SPACES)
    if stripped.lower() in _INFINITIES:
        return _INFINITIES[stripped.lower()] * INFINITE_DAY
    if stripped.lower() == "epoch":
        return 0
    match = _DATE.match(stripped)
    if match is None:
        raise ValueError((_NO_DATE if _YEAR_BEYOND.match(stripped) else _BAD_DATE).format(text))
    days = _days(match)
    if days is None or not _FIRST_DAY <= days < INFINITE_DAY:
        raise ValueError(_NO_DATE.format(text))
    return days


def format_date(days: int) -> str:
    """Write a date, given as days since 1970.

    >>> format_date(0), format_date(-719163), format_date(2**31 - 1)
    ('1970-01-01', '0001-12-31 (BC)', 'infinity')
    """
    if abs(days) >= INFINITE_DAY:
        return "infinity" if days > 0 else "-infinity"
    year, month, day = date_of(days)
    return f"{year:04}-{month:02}-{day:02}" if year > 0 else f"{1 - year:04}-{month:02}-{day:02} (BC)"


def parse_time(text: str) -> int:
    """Return a time of day in microseconds, without its offset; skip a leading date.

    Raises:
        ValueError: The text is no time; with DuckDB's message. DuckDB's 24:00:00 is not accepted: Arrow has no
            such time.
    """
    return _time_of_day(text)[0]


def parse_timetz(text: str) -> str:
    """Return a time with its offset as DuckDB writes it; the default is UTC.

    >>> parse_timetz("1:02:03.50-02:30")
    '01:02:03.5-02:30'

    Raises:
        ValueError: The text is no time; with DuckDB's message.
    """
    micros, rest = _time_of_day(text, has_zone=True)
    offset = _OFFSET.fullmatch(rest.strip(SPACES)) if rest.strip(SPACES) else None
    seconds = _offset_seconds(offset) if offset else 0
    if (offset is None and rest.strip(SPACES)) or seconds is None or abs(seconds) >= 16 * 3600:
        raise ValueError(_BAD_TIME.format(text))
    return format_time(micros) + _format_offset(seconds)


def format_time(micros: int) -> str:
    """Write a time of day.

    >>> format_time(3723_500000)
    '01:02:03.5'
    """
    return _clock(micros, 6)


def parse_timestamp(text: str, unit: str, *, has_zone: bool = False) -> int:
    """Return a timestamp in microseconds, or for unit ``ns`` in nanoseconds.

    A finer fraction is cut; for the units ``s`` and ``ms`` the microseconds are rounded. An offset changes the
    time only if ``has_zone`` or the unit is ``ns``; in other timestamps DuckDB ignores it.

    Raises:
        ValueError: The text is no timestamp; with DuckDB's message.
    """
    try:
        return _timestamp(text, unit, has_zone=has_zone)
    except ValueError as error:
        if unit == "us":
            raise
        raise ValueError(f"Could not convert string '{text}' to INT64") from error


def _timestamp(text: str, unit: str, *, has_zone: bool) -> int:
    stripped = text.strip(SPACES)
    if stripped.lower() in _INFINITIES:
        return _INFINITIES[stripped.lower()] * INFINITE_MOMENT
    if stripped.lower() == "epoch":
        return 0
    date = _DATE.match(stripped)
    if date is None:
        raise ValueError((_NO_MOMENT if _YEAR_BEYOND.match(stripped) else _BAD_MOMENT).format(text))
    days = _days(date)
    if days is None:
        raise ValueError(_NO_MOMENT.format(text))
    nanos, rest = _clock_after_date(stripped[date.end() :], text)
    shift = _shift_seconds(rest, days, nanos, text, has_zone=has_zone)
    if has_zone or unit == "ns":
        nanos -= shift * UNIT_NANOS["s"]
    total = days * DAY_MICROS * 1000 + nanos
    if unit == "ns":
        if not _FIRST_NANOS <= total < INFINITE_MOMENT:
            raise ValueError(_NO_MOMENT.format(text))
        return total
    micros = total // 1000
    if not _FIRST_MICROS <= micros <= _LAST_MICROS:
        raise ValueError(_NO_MOMENT.format(text))
    rounded = coarsen(micros, unit)
    if abs(rounded) > _LAST_MICROS:
        raise ValueError(_NO_MOMENT.format(text))
    return rounded


def coarsen(micros: int, unit: str) -> int:
    """Round microseconds half away from zero to whole units; they stay microseconds.

    Infinite times stay infinite.

    >>> coarsen(1_500, "ms"), coarsen(-1_500, "ms"), coarsen(1_499, "ms")
    (2000, -2000, 1000)
    """
    size = UNIT_NANOS[unit] // 1000
    if size <= 1 or abs(micros) == INFINITE_MOMENT:
        return micros
    rounded = (abs(micros) + size // 2) // size * size
    return rounded if micros >= 0 else -rounded


def format_timestamp(moment: int, unit: str = "us", *, has_zone: bool = False) -> str:
    """Write a timestamp in microseconds, or for unit ``ns`` in nanoseconds.

    A timestamp with a zone is written in UTC.

    >>> format_timestamp(1_500_000), format_timestamp(1, "ns"), format_timestamp(0, has_zone=True)
    ('1970-01-01 00:00:01.5', '1970-01-01 00:00:00.000000001', '1970-01-01 00:00:00+00')
    """
    if abs(moment) == INFINITE_MOMENT:
        return "infinity" if moment > 0 else "-infinity"
    digits = 9 if unit == "ns" else 6
    days, clock = divmod(moment, 86_400 * 10**digits)
    return f"{format_date(days)} {_clock(clock, digits)}{'+00' if has_zone else ''}"


def _days(match: re.Match[str]) -> int | None:
    year = -int(match[2]) if match[1] else int(match[2])
    if match[6]:
        if year <= 0:
            return None
        year = 1 - year
    return day_number(year, int(match[4]), int(match[5]))


def _clock(ticks: int, digits: int) -> str:
    seconds, fraction = divmod(ticks, 10**digits)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if not fraction:
        return text
    # Of nanoseconds DuckDB writes no, six or nine digits' worth; trailing zeros go in either case.
    return f"{text}.{fraction:0{digits}}".rstrip("0")


def _nanos(match: re.Match[str]) -> int | None:
    hours, minutes, seconds = int(match[1]), int(match[2]), int(match[3] or 0)
    fraction = int((match[4] or "")[:9].ljust(9, "0"))
    total = ((hours * 60 + minutes) * 60 + seconds) * UNIT_NANOS["s"] + fraction
    return total if minutes < 60 and seconds < 60 and total <= DAY_MICROS * 1000 else None


def _time_of_day(text: str, *, has_zone: bool = False) -> tuple[int, str]:
    """Return the microseconds of a time, and the text behind it.

    A time after a date is read as a timestamp.
    """
    stripped = text.strip(SPACES)
    if _DATE.match(stripped) or stripped.lower() == "epoch":
        try:
            return parse_timestamp(stripped, "us", has_zone=has_zone) % DAY_MICROS, ""
        except ValueError as error:
            raise ValueError(_BAD_TIME.format(text)) from error
    match = _TIME.match(stripped)
    nanos = _nanos(match) if match else None
    if match is None or nanos is None or nanos >= DAY_MICROS * 1000:
        raise ValueError(_BAD_TIME.format(text))
    return nanos // 1000, stripped[match.end() :]


def _clock_after_date(rest: str, text: str) -> tuple[int, str]:
    if not rest.strip(SPACES):
        return 0, ""
    start = len(rest) - len(rest[1:].lstrip(" "))
    match = _TIME.match(rest, start) if rest[0] in " T" else None
    nanos = _nanos(match) if match else None
    if match is None or nanos is None:
        raise ValueError(_BAD_MOMENT.format(text))
    return nanos, rest[match.end() :]


def _shift_seconds(rest: str, days: int, nanos: int, text: str, *, has_zone: bool) -> int:
    """Return how far a time is ahead of UTC, by the zone behind it."""
    zone = rest.strip(SPACES)
    if not zone or rest.rstrip(SPACES) == "Z" or (rest.startswith(" ") and zone.upper() == "UTC"):
        return 0
    if offset := _OFFSET.fullmatch(rest.rstrip(SPACES)):
        seconds = _offset_seconds(offset)
        if seconds is not None:
            return seconds
    elif rest.startswith(" ") and re.fullmatch(r"[A-Za-z][\w/+-]*", zone):
        if not has_zone:
            raise ValueError(_NOT_UTC.format(text))
        return _zone_seconds(zone, days * 86_400 + nanos // UNIT_NANOS["s"], text)
    raise ValueError(_BAD_MOMENT.format(text))


def _zone_seconds(zone: str, local_seconds: int, text: str) -> int:
    try:
        # As if the clock showed UTC; then the zone says what it would have shown.
        local = datetime.fromtimestamp(local_seconds, UTC).replace(tzinfo=ZoneInfo(zone))
        offset = local.utcoffset()
    except (ZoneInfoNotFoundError, ValueError, OverflowError, OSError) as error:
        raise ValueError(_BAD_MOMENT.format(text)) from error
    return int(offset.total_seconds()) if offset is not None else 0


def _offset_seconds(match: re.Match[str]) -> int | None:
    minutes, seconds = int(match[3] or 0), int(match[4] or 0)
    if minutes > 59 or seconds > 59:
        return None
    total = int(match[2]) * 3600 + minutes * 60 + seconds
    return -total if match[1] == "-" else total


def _format_offset(seconds: int) -> str:
    sign, size = "-" if seconds < 0 else "+", abs(seconds)
    parts = [size // 3600, size // 60 % 60, size % 60]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return sign + ":".join(f"{part:02}" for part in parts)
