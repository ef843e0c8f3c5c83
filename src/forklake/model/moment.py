"""Converts dates, times and timestamps in statistics to numbers."""

from __future__ import annotations

import re
from typing import Final

from forklake.model.calendar import day_number
from forklake.model.types import TIME, Type

NANOS_PER_DAY: Final = 86_400_000_000_000
_MOMENT: Final = re.compile(
    r"(?:(?P<year>\d{1,6})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?P<before> \(BC\))?)?"
    r"(?:(?:^|[ T])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9})\d*)?)?)?"
    r"(?P<zone>Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?",
    re.ASCII,
)


def moment(kind: Type, text: str) -> int | None:
    """Return a date, time or timestamp as nanoseconds; None if the text is none.

    They count from 1970, or from midnight for a time. Without an offset it is UTC. Infinities, and texts that
    DuckDB would not print, are no moments.

    >>> from forklake.model import types
    >>> moment(types.DATE, "1970-01-02") == NANOS_PER_DAY, moment(types.TIMESTAMPTZ, "1970-01-01 02:00:00+02")
    (True, 0)
    """
    match = _MOMENT.fullmatch(text)
    if match is None or (match["year"] is None) != (kind == TIME):
        return None
    days = 0
    if match["year"] is not None:
        year, month, day = (int(match[part]) for part in ("year", "month", "day"))
        if match["before"]:
            year = 1 - year
        found = day_number(year, month, day)
        if found is None:
            return None
        days = found
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    nanos = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + int((match["fraction"] or "0").ljust(9, "0"))
    if minute > 59 or second > 59 or nanos > NANOS_PER_DAY:
        return None
    return days * NANOS_PER_DAY + nanos - _offset_seconds(match["zone"] or "Z") * 1_000_000_000


def _offset_seconds(zone: str) -> int:
    digits = zone[1:].replace(":", "").ljust(6, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:6])
    return -seconds if zone.startswith("-") else seconds
