"""Functions of dates, times and intervals."""

from __future__ import annotations

from typing import Final

from forklake.sql.vocabulary.declaration import Declaration, declare


def _part(names: str, meaning: str) -> Declaration:
    return declare(names, "moment MOMENT", "BIGINT", meaning)


def _span(name: str, parameter: str, meaning: str) -> Declaration:
    return declare(name, parameter, "INTERVAL", meaning)


_PARTS: Final = (
    _part("year", "The year."),
    _part("quarter", "The quarter, from 1."),
    _part("month", "The month, from 1."),
    _part("week weekofyear", "The week by ISO 8601."),
    _part("day dayofmonth", "The day of the month, from 1."),
    _part("dayofweek weekday", "The day of the week; Sunday is 0."),
    _part("isodow", "The day of the week; Monday is 1, Sunday is 7."),
    _part("dayofyear", "The day of the year, from 1."),
    _part("hour", "The hour."),
    _part("minute", "The minute."),
    _part("second", "The second, without its fraction."),
    _part("millisecond", "The seconds and their fraction, in milliseconds."),
    _part("microsecond", "The seconds and their fraction, in microseconds."),
    _part("isoyear", "The year to which the ISO week belongs."),
    _part("yearweek", "The year and the week of ISO 8601 as one number."),
    _part("decade", "The year by 10, without its fraction."),
    _part("century", "The century, from 1."),
    _part("millennium", "The millennium, from 1."),
    _part("era", "1 for years of our era, 0 for years before it."),
    declare(
        "date_part datepart", "part VARCHAR, moment MOMENT", "ANY", "A part by its name; a struct for a list of names."
    ),
    declare("dayname", "moment MOMENT", "VARCHAR", "The day of the week in English."),
    declare("monthname", "moment MOMENT", "VARCHAR", "The month in English."),
    declare("last_day", "moment MOMENT", "DATE", "The last day of the month."),
    declare("days_in_month", "moment MOMENT", "BIGINT", "How many days the month has."),
    declare("julian", "moment MOMENT", "DOUBLE", "The Julian day, with the time of day as its fraction."),
    declare("epoch", "moment MOMENT", "DOUBLE", "Seconds since 1970."),
    declare(
        "epoch_ms", "moment MOMENT | millis BIGINT", "ANY", "Milliseconds since 1970; or the TIMESTAMP that they tell."
    ),
    declare("epoch_us", "moment MOMENT", "BIGINT", "Microseconds since 1970."),
    declare("epoch_ns", "moment MOMENT", "BIGINT", "Nanoseconds since 1970."),
)
_SPANS: Final = (
    _span("to_millennia", "count INTEGER", "That many thousands of years."),
    _span("to_centuries", "count INTEGER", "That many centuries."),
    _span("to_decades", "count INTEGER", "That many decades."),
    _span("to_years", "count INTEGER", "That many years."),
    _span("to_quarters", "count INTEGER", "That many quarters of a year."),
    _span("to_months", "count INTEGER", "That many months."),
    _span("to_weeks", "count INTEGER", "That many weeks."),
    _span("to_days", "count INTEGER", "That many days."),
    _span("to_hours", "count BIGINT", "That many hours."),
    _span("to_minutes", "count BIGINT", "That many minutes."),
    _span("to_seconds", "count DOUBLE", "That many seconds."),
    _span("to_milliseconds", "count DOUBLE", "That many milliseconds."),
    _span("to_microseconds", "count BIGINT", "That many microseconds."),
)
TIME_FUNCTIONS: Final[tuple[Declaration, ...]] = (
    declare("now get_current_timestamp transaction_timestamp", "", "TIMESTAMPTZ", "When the statement began."),
    declare("today current_date", "", "DATE", "The day on which the statement began, in UTC."),
    *_PARTS,
    declare(
        "date_trunc datetrunc",
        "part VARCHAR, moment MOMENT",
        "ANY",
        "The moment with all smaller parts at their least.",
    ),
    declare(
        "date_diff datediff",
        "part VARCHAR, start MOMENT, end MOMENT",
        "BIGINT",
        "How many borders of a part are between.",
    ),
    declare(
        "date_sub datesub", "part VARCHAR, start MOMENT, end MOMENT", "BIGINT", "How many whole parts are between."
    ),
    declare("date_add", "moment MOMENT, span INTERVAL", "ANY", "A moment that much later."),
    declare(
        "age",
        "later TIMESTAMP, [earlier TIMESTAMP]",
        "INTERVAL",
        "The time between, in years, months, days and the rest.",
    ),
    declare(
        "time_bucket",
        "width INTERVAL, moment MOMENT, [start ANY]",
        "ANY",
        "The beginning of the interval of that width in which the moment is.",
    ),
    declare(
        "timezone", "zone VARCHAR, moment TIMESTAMP", "ANY", "A TIMESTAMP of a zone as TIMESTAMPTZ, or the other way."
    ),
    declare("strftime", "moment MOMENT, format VARCHAR", "VARCHAR", "The moment written as %Y, %m and so on say."),
    declare(
        "strptime",
        "text VARCHAR, format VARCHAR | text VARCHAR, formats VARCHAR[]",
        "TIMESTAMP",
        "The moment that a text tells, by the first format that fits; an error if none does.",
    ),
    declare(
        "try_strptime",
        "text VARCHAR, format VARCHAR | text VARCHAR, formats VARCHAR[]",
        "TIMESTAMP",
        "The same, but NULL if the text does not fit.",
    ),
    declare(
        "make_date",
        "year BIGINT, month BIGINT, day BIGINT | days INTEGER",
        "DATE",
        "A date of its parts, or days since 1970.",
    ),
    declare("make_time", "hour BIGINT, minute BIGINT, seconds DOUBLE", "TIME", "A time of its parts."),
    declare(
        "make_timestamp",
        "year BIGINT, month BIGINT, day BIGINT, hour BIGINT, minute BIGINT, seconds DOUBLE | micros BIGINT",
        "TIMESTAMP",
        "A moment of its parts, or microseconds since 1970.",
    ),
    declare(
        "make_timestamptz",
        "year BIGINT, month BIGINT, day BIGINT, hour BIGINT, minute BIGINT, seconds DOUBLE, [zone VARCHAR]"
        " | micros BIGINT",
        "TIMESTAMPTZ",
        "The same with a time zone.",
    ),
    declare("to_timestamp", "seconds DOUBLE", "TIMESTAMPTZ", "The moment that many seconds after 1970."),
    *_SPANS,
)
