"""Ages that users pass: how long before now a time lies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from forklake import files
from forklake.catalog.moments import Time, read_time
from forklake.errors import InvalidInputError

_LONGEST: Final = 1_000 * 366 * 86_400.0

Age = tuple[int, int, int]
"""Months, days and microseconds, which are not added up."""

NO_AGE: Final[Age] = (0, 0, 0)


def age_of(given: timedelta | str) -> Age | None:
    """Return an age; None if a text is none.

    A number without a unit would be seconds, which nobody means who writes 7. It is none.
    """
    if isinstance(given, timedelta):
        return 0, 0, given // timedelta(microseconds=1)
    if any(letter.isalpha() for letter in given):
        with suppress(ValueError):
            return files.intervals.parse_interval(given)
    return None


def seconds_of(given: timedelta | str, what: str, undone: str) -> float:
    """Return how many seconds a length of time has; a month has 30 days.

    ``what`` begins the message of an error, ``undone`` ends it.

    Raises:
        InvalidInputError: It is no length of time, or not longer than nothing.
    """
    age = age_of(given) if isinstance(given, str | timedelta) else None
    if age is None:
        raise InvalidInputError(
            f"{what} is a length of time, not {given!r}; {undone}.", hint="Say '2 hours', or '30 days'."
        )
    months, days, micros = age
    seconds = (months * 30 + days) * 86_400 + micros / 1_000_000
    if not 0 < seconds < _LONGEST:
        raise InvalidInputError(
            f"{what} is longer than nothing and shorter than 1,000 years, not {given}; {undone}.",
            hint="Say '2 hours', or '30 days'.",
        )
    return seconds


def limit_of(given: Time | timedelta, now: Callable[[], datetime], undone: str) -> datetime:
    """Return the time that a caller means: a time, or an age before now.

    ``undone`` ends the message of an error.

    Raises:
        InvalidInputError: It is neither, or the age is negative.
    """
    if not isinstance(given, timedelta):
        with suppress(InvalidInputError):
            return read_time(given)
    age = age_of(given) if isinstance(given, str | timedelta) else None
    if age is None:
        raise InvalidInputError(
            f'"{given}" is neither a time nor an age; {undone}.', hint="Say 2026-01-31T12:00:00Z, or '7 days'."
        )
    return time_before(now(), age, undone)


def time_before(now: datetime, age: Age, undone: str = "nothing was done") -> datetime:
    """Return the time that lies an age before now.

    ``undone`` ends the message of an error.

    Raises:
        InvalidInputError: The age is negative, or goes back before the year 1.
    """
    try:
        found = subtract_interval(now, *age)
    except (ValueError, OverflowError):
        raise InvalidInputError(f"The age goes back before the year 1; {undone}.") from None
    if found > now:
        raise InvalidInputError(f"An age is not negative; {undone}.", hint="Say '7 days'.")
    return found


def time_of_option(now: datetime, age: str, undone: str, at_least: Age = NO_AGE) -> datetime:
    """Return the time that lies before now by the age in an option.

    If another age is longer, it counts.
    ``undone`` ends the message of an error.

    Raises:
        InvalidInputError: It is no age, or a negative one.
    """
    try:
        found = files.intervals.parse_interval(age)
    except ValueError:
        raise InvalidInputError(f"Failed to parse interval: '{age}'; {undone}.", hint="Set the option anew.") from None
    return min(time_before(now, found, undone), time_before(now, at_least, undone))


def subtract_interval(moment: datetime, months: int, days: int, micros: int) -> datetime:
    """Subtract an interval from a moment.

    A day that the month does not have becomes its last day.

    >>> subtract_interval(datetime(2024, 3, 31), 1, 1, 0)
    datetime.datetime(2024, 2, 28, 0, 0)
    """
    month = moment.year * 12 + moment.month - 1 - months
    first = moment.replace(year=month // 12, month=month % 12 + 1, day=1)
    following = (first + timedelta(days=31)).replace(day=1)
    day = min(moment.day, (following - timedelta(days=1)).day)
    return first.replace(day=day) - timedelta(days=days, microseconds=micros)
