"""Day numbers and dates of the Gregorian calendar, for years of any size.

Python's own dates end at the years 1 and 9999.
"""

from __future__ import annotations

# Years are counted in eras of 400 that begin on the first of March, so that a leap day ends a year.
_ERA_DAYS = 146_097
_EPOCH_DAYS = 719_468
"""The days from 0000-03-01, where the first era begins, to 1970-01-01."""


def days_in_month(year: int, month: int) -> int:
    """Return how many days a month of any year has; the year before 1 is 0."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def day_number(year: int, month: int, day: int) -> int | None:
    """Return how many days a date is after 1970-01-01; None if there is no such date.

    >>> day_number(1970, 1, 1), day_number(0, 3, 1), day_number(2023, 2, 29)
    (0, -719468, None)
    """
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        return None
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    era, of_era = divmod(year - (month <= 2), 400)
    return era * _ERA_DAYS + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _EPOCH_DAYS


def date_of(days: int) -> tuple[int, int, int]:
    """Return the year, month and day that `day_number` counts.

    >>> date_of(17_486), date_of(-1)
    ((2017, 11, 16), (1969, 12, 31))
    """
    era, of_era = divmod(days + _EPOCH_DAYS, _ERA_DAYS)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1
