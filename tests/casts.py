"""The one table of cast cases: values of every type, cast to every type. DuckDB answers them when the tests run.

Arrays (`forklake.files`), columns of Spark (`forklake.engine`), constants and columns of SQL (`forklake.sql`) are each
put to the same cases. Where an answer of ours is another than DuckDB's, it is written down here.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import duckdb

from forklake.model.types.read import stored_type

Answers = dict[str, dict[str, str | None]]
"""By target type and text of the value: the text of the answer, None if there is none."""


def cut(text: str, sign: str) -> list[str]:
    return text.strip("\n").replace("\n", sign).split(sign)


TARGETS: Final = [
    "boolean",
    "int8",
    "int16",
    "int32",
    "int64",
    "int128",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint128",
    "float32",
    "float64",
    "decimal(5,2)",
    "decimal(38,10)",
    "decimal(3,3)",
    "varchar",
    "json",
    "blob",
    "date",
    "time",
    "timetz",
    "timestamp",
    "timestamp_s",
    "timestamp_ms",
    "timestamp_ns",
    "timestamptz",
    "interval",
    "uuid",
]
NUMBERS = cut(
    """
0 1 -1 +5 -0 007 12 300 127 128 -128 -129 255 256 65535 2147483647 2147483648 -2147483649 4294967295
9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 1.5 2.5 -1.5 -0.4 -0.5 .5 5. . - + 1e3
1e-1 5e-1 15e-1 25e-1 1e37 1e400 -1e400 1e-400 1_000 1__0 _1 1_ 1e1_0 0x1F 0X1f 0b11 0x -0x1 1e 1e+2 e5 1d 1e5.5 1E5 abc
nan NaN inf -inf Infinity infin 1.2.3 0.1 1e20 1e16 1e15 123456789.123 1e-5 1e-4 16777217 3.4028235e38 1e40 1.255 -1.255
0.49999999999999999999 -0.49999999999999999999 1.4999999999999999999999999999 9999.49999999999999999999
1234.5 999.994 999.995 9.96 0.0005 -0.0004 125e-3 1.25e1 99999999999999999999999999999999999999
""",
    " ",
)
WORDS = ["", " ", " 12 ", "1 2", "\t1\n", "t", "TRUE", "tRuE", "yes", "y", "on", "no", "F", " true ", "\uff11", "ä"]
MOMENTS = cut(
    """
2020-01-01|2020-1-1|2020/1/1|2020 01 01|2020-01/01|20200101|2020-02-30|2020-13-01|2020-01-011|2020-01-1x|1-2-3
0000-01-01|0044-03-15 (BC)|-0043-03-15|44-03-15|99999-01-01|5881580-07-10|5881580-07-11|5877642-06-25 (BC)
5877642-06-24 (BC)|epoch
infinity|-infinity|INF|+inf|today|2020-01-01 10:00:00|2020-01-01T10:00:00|2020-01-01  10:00|2020-01-01 10|2020-02-29
2020-01-01 10:00:00.1234567| 2020-01-01 10:00:00 |2020-01-01 10:00:00+02|2020-01-01 10:00:00-02:30|2020-01-01 10:00:00Z
2020-01-01 10:00:00+18:30
2020-01-01 10:00:00+02:30:15|2020-01-01 10:00:00+0230|2020-01-01 10:00:00 UTC|2020-01-01 24:00:00|2020-01-01 23:59:60
2020-01-01 10:00:00.5|1969-12-31 23:59:59.9996|1969-12-31 23:59:59.9995|1969-12-31 23:59:59.5|2020-01-01 10:00:00.0005
0044-03-15 (BC) 10:00:00|0044-03-15 10:00:00 (BC)|290309-12-22 (BC) 00:00:00|294247-01-10 04:00:54.775806
294247-01-10 04:00:54.775807|1677-09-22 00:00:00|2262-04-11 23:47:16.854775806|3000-01-01|2020-01-01 10:00:00.123456789
2020-01-01 10:00:00.1234567891|2020-01-01 10:00:00.000000100|1:2:3|01:02|01:02:03.1234567|01:02:03.|01:02:03+02|24:00:01
01:02:03-02:30:15|01:02:03+15:59:59|01:02:03+16|01:02:03+0230|01:02:03 +02|1|abc|2020-01-01 01:02:03+02|25:00:00
""",
    "|",
)
SPANS = cut(
    """
1 day|1|abc|1 year 2 months 3 days 04:05:06.789|-1 day|14 months|36 hours|-14 months|1.5 days|00:00:00||-01:00:00|1:2
1 day ago|P1Y2M|1 week|1 decade|@ 1 day|1day|5 microseconds|1 mon|1.5 years|1.5 months|1 quarter|100:00:00|1 day 00:00
-1 year -2 months 5 days|1 days 2|2 hours 5 minutes 1.5 seconds|-1:2:3.5|1 day -01:00|+1 day|1 d|1 h|1 m|1 s|1 ms|1 us
1 y|1 w|1 min|1 hr|1 century|1 millennium|1 c|1 mil|1 usec|1 msec|1 DAY| 1 day |1 day,2 hours|1 day 2 hours ago|day
0.1 months|1.25 weeks|0.0000015 seconds|1.9999999|-1.5|1.5 ms|1.7 us|-1.5 months|1.1 years|1.5 decades|00:00:00.1234567
1000000:00:00|1 fortnight|1:60:00|1 day 25:00:00|1_0 days|1e1 days|.5 days|1. days|1.5.5 days|- 1 day|1-2|1day2hours
1.55 months|1.123456 weeks|-1.25 days|0.5 microseconds|1.5 quarters|2.7 centuries
""",
    "|",
)
OTHERS = [
    *("00000000-0000-0000-0000-00000000000A", "{00000000-0000-0000-0000-00000000000a}", "0" * 32, "0" * 31),
    *(" 00000000-0000-0000-0000-00000000000a", "g" * 32, "\\xAB", "\\xG", "\\x", "a\\b", "a\\xaBc", "it's", '"x"'),
    *("00000000-0000-0000-0000-00000000000a\n", "10:00:00\n", "10:00:00.50\n", "2020-01-01\nx", "10:00:00\nx"),
    *("abc\u0085", "nan\u0085", "0x1\u0085", "2020-01-01\u0085"),
    *('{"a": 1 }', "[1, null]", "null", "{'a': 1}", "\\x00\\x1f ~\\x7f"),
]
SOURCES: Final[dict[str, list[str]]] = {
    "varchar": list(dict.fromkeys((*NUMBERS, *WORDS, *MOMENTS, *SPANS, *OTHERS))),
    "boolean": ["true", "false"],
    "int8": ["-128", "-1", "0", "1", "100", "127"],
    "int16": ["-32768", "-129", "0", "128", "255", "256", "999", "1000", "32767"],
    "int32": ["-2147483648", "-1", "0", "100", "1000", "65536", "2147483647"],
    "int64": ["-9223372036854775808", "-1", "0", "100", "4294967296", "9223372036854775807"],
    "int128": ["-99999999999999999999", "0", "34", "18446744073709551615", "99999999999999999999999999999999999999"],
    "uint8": ["0", "127", "128", "255"],
    "uint16": ["0", "34", "65535"],
    "uint32": ["0", "34", "4294967295"],
    "uint64": ["0", "34", "18446744073709551615"],
    "uint128": ["0", "34", "99999999999999999999999999999999999999"],
    "float32": cut("0.0 -0.0 0.1 0.5 1.5 2.5 -0.5 126.5 127.5 300.25 1e10 1e30 3.4e38 1e-45 inf -inf nan", " "),
    "float64": cut(
        "0.0 -0.0 0.1 0.5 1.5 2.5 -0.5 -0.4 -2.5 126.5 127.5 300.25 0.125 2.675 1.255 1e10 1e19 1e20 1e39 1e300 5e-324"
        " 123456789012.5 inf -inf nan",
        " ",
    ),
    "decimal(4,1)": ["14.2", "-0.5", "0.0", "999.9"],
    "decimal(9,2)": cut("14.20 -14.20 0.00 0.49 0.50 2.50 -2.50 127.49 127.50 300.40 999.99 12345.67", " "),
    "decimal(38,10)": ["14.2000000000", "-12345.5000000000", "0.0000000001", "9999999999999999999999999999.1250000000"],
    "json": ['{"a": 1}', "null", "[1, 2]"],
    "blob": ["abc", "\\x00\\x01\\x02\\x03", "it\\x27s", ""],
    "uuid": ["f79c3e09-677c-4bbd-a479-3f349cb785e7", "00000000-0000-0000-0000-000000000000"],
    "date": ["2017-11-16", "1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31"],
    "time": ["22:31:08.5", "00:00:00", "23:59:59.999999"],
    "timetz": ["22:31:08+02", "01:02:03.5-05:30"],
    "timestamp": [
        "2017-11-16 22:31:08",
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.999999",
        "1969-12-31 23:59:59.5",
        "1960-02-29 00:00:00.0005",
        "2020-01-01 00:00:00.5",
        "2020-01-01 00:00:00.0005",
        "0001-01-01 00:00:00",
        "9999-12-31 23:59:59.999999",
        "290309-12-22 (BC) 00:00:00.7",
    ],
    "timestamp_s": ["2017-11-16 22:31:08", "1969-12-31 23:59:59"],
    "timestamp_ms": ["2017-11-16 22:31:08.123", "1969-12-31 23:59:59.999", "2020-01-01 00:00:00.5"],
    "timestamp_ns": [
        "2017-11-16 22:31:08.123456789",
        "1969-12-31 23:59:59.999999999",
        "1969-12-31 23:59:59.999999",
        "2019-12-31 23:59:59.999999999",
    ],
    "timestamptz": ["2020-10-25 00:30:00+00", "1969-12-31 23:59:59.5+00", "2017-11-16 22:31:08.000123+00"],
    "interval": ["1 day", "1 year 2 months 03:00:00", "-1 days"],
}


@cache
def duckdb_answers(source: str) -> Answers:
    """Return what DuckDB's TRY_CAST makes of all values of a type."""
    return {target: _answers(source, target) for target in TARGETS}


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute("SET TimeZone = 'UTC'")
    return made


def _answers(source: str, target: str) -> dict[str, str | None]:
    given, wanted = (stored_type(kind).sql_name for kind in (source, target))
    query = f"SELECT text, TRY_CAST(CAST(text AS {given}) AS {wanted})::VARCHAR FROM (SELECT unnest(?) AS text)"
    try:
        return dict(_connection().execute(query, [SOURCES[source]]).fetchall())
    except duckdb.Error:
        pass  # some casts fail though they are tried, or what they give cannot be written
    found: dict[str, str | None] = {}
    for text in SOURCES[source]:
        try:
            found.update(_connection().execute(query, [[text]]).fetchall())
        except duckdb.Error:
            found[text] = None
    return found


def differences(source: str, ours: Answers) -> dict[str, dict[str, str | None]]:
    """Return our answers that are not DuckDB's, by target type and text of the value."""
    theirs = duckdb_answers(source)
    found = {
        target: {text: answer for text, answer in answers.items() if answer != theirs[target][text]}
        for target, answers in ours.items()
    }
    return {target: answers for target, answers in found.items() if answers}


# ---- where our answers are others ------------------------------------------------------------------------------------

Known = dict[str, Answers]
"""Our answers that are not DuckDB's, by source type."""


def _all(source: str, *targets: str) -> Known:
    """Return that values of a type are refused, which DuckDB casts."""
    theirs = duckdb_answers(source)
    return {source: {target: {text: None for text, answer in theirs[target].items() if answer} for target in targets}}


def _together(*parts: Known) -> Known:
    found: Known = {}
    for part in parts:
        for source, answers in part.items():
            for target, values in answers.items():
                found.setdefault(source, {}).setdefault(target, {}).update(values)
    return found


_INFINITE: Final = dict.fromkeys(cut("inf -inf Infinity infinity -infinity INF", " "))
_LAST: Final = "294247-01-10 04:00:54.775806"
_EVERYWHERE: Final[Known] = {
    "varchar": {
        # Exponents are read exactly; DuckDB counts the digits before it moves the point.
        "decimal(3,3)": {
            "1e-1": ".100",
            "5e-1": ".500",
            "1e-400": ".000",
            "1e-5": ".000",
            "1e-4": ".000",
            "125e-3": ".125",
        },
        "json": {**_INFINITE, "nan": None, "NaN": None},  # what no other reader of JSON takes
    },
    "boolean": {"decimal(3,3)": {"true": None}},  # DuckDB makes it .001
    # DuckDB wraps what is rounded up beyond the range; a negative number is none without a sign.
    "float32": {"int8": {"127.5": None}, "uint128": {"-0.5": None}},
    "float64": {"int8": {"127.5": None}, "uint128": {"-0.5": None, "-0.4": None}},
}
_SHORT_OF_DIGITS: Final[Known] = {
    # Spark has 38.
    "varchar": {"uint128": {"3.4028235e38": None}},
    "float32": {"uint128": {"3.4e38": None}},
}
_COARSER: Final[Known] = {
    # DuckDB has no such casts.
    "timestamp_ms": {
        "timestamp_s": {
            "2017-11-16 22:31:08.123": "2017-11-16 22:31:08",
            "1969-12-31 23:59:59.999": "1970-01-01 00:00:00",
            "2020-01-01 00:00:00.5": "2020-01-01 00:00:01",
        }
    },
}
_TIMES_OF_MOMENTS: Final[Known] = {
    # DuckDB has no such casts; those of arrays have them.
    "timestamp_s": {"timetz": {"2017-11-16 22:31:08": "22:31:08+00", "1969-12-31 23:59:59": "23:59:59+00"}},
    "timestamp_ms": {
        "timetz": {
            "2017-11-16 22:31:08.123": "22:31:08.123+00",
            "1969-12-31 23:59:59.999": "23:59:59.999+00",
            "2020-01-01 00:00:00.5": "00:00:00.5+00",
        }
    },
    "timestamp_ns": {
        "timetz": {
            "2017-11-16 22:31:08.123456789": "22:31:08.123456+00",
            "1969-12-31 23:59:59.999999999": "00:00:00+00",
            "1969-12-31 23:59:59.999999": "23:59:59.999999+00",
            "2019-12-31 23:59:59.999999999": "23:59:59.999999+00",
        }
    },
}
_NANOS: Final[Known] = {
    "timestamp_ns": {
        "timestamp_s": {
            "2017-11-16 22:31:08.123456789": "2017-11-16 22:31:08",
            "1969-12-31 23:59:59.999999999": "1970-01-01 00:00:00",
            "1969-12-31 23:59:59.999999": "1970-01-01 00:00:00",
            "2019-12-31 23:59:59.999999999": "2020-01-01 00:00:00",
        },
        "timestamp_ms": {
            "2017-11-16 22:31:08.123456789": "2017-11-16 22:31:08.123",
            "1969-12-31 23:59:59.999999999": "1970-01-01 00:00:00",
            "1969-12-31 23:59:59.999999": "1970-01-01 00:00:00",
            "2019-12-31 23:59:59.999999999": "2020-01-01 00:00:00",
        },
    },
}
_OVERREAD: Final = ("01:02:03+", "01:02:03-", "01:02:03 ", "10:00:00\n")
_READ_TO_THE_END: Final[Known] = {
    # DuckDB reads over what is behind a time.
    "varchar": {"interval": {text: None for text in (*MOMENTS, "10:00:00\nx") if text[:9] in _OVERREAD}},
}
_WRITTEN_BEYOND_ICU: Final[Known] = {"varchar": {"timestamptz": {_LAST: f"{_LAST}+00"}}}
_JSON_IS_TEXT: Final[Known] = {
    # DuckDB writes JSON anew, without spaces, and has NULL for its null.
    "json": {"blob": {'{"a": 1}': "{\\x22a\\x22: 1}", "null": "null", "[1, 2]": "[1, 2]"}},
}
_DIGITS_OF_JAVA: Final[Known] = {
    # The same numbers; Java 17 writes some of them with another last digit.
    "float32": {"float32": {"1e-45": "1.4e-45"}, "varchar": {"1e-45": "1.4e-45"}},
    "float64": {
        "float64": {"5e-324": "4.9e-324"},
        "varchar": {"5e-324": "4.9e-324"},
    },
}
_BY_SHORTEST_DIGITS: Final[Known] = {
    # Spark takes a float for the number that it is written as; DuckDB for all digits that its bits mean.
    "float32": {
        "int128": {"1e30": "1000000015047466200000000000000"},
        "uint128": {"1e30": "1000000015047466200000000000000"},
        "decimal(38,10)": {"1e10": "10000000200.4087730000"},
    },
    "float64": {
        "decimal(38,10)": {
            "1e19": "10000000000000000000.0000000000",
            "1e20": "100000000000000000000.0000000000",
            "123456789012.5": "123456789012.5000000000",
        },
    },
}
_NUMBERS_IN_JSON: Final[Known] = {
    "float32": {
        "json": {
            "1e10": "1.0E10",
            "1e30": "1.0000000150474662E30",
            "3.4e38": "3.3999999521443642E38",
            "1e-45": "1.401298464324817E-45",
            "inf": '"Infinity"',
            "-inf": '"-Infinity"',
            "nan": '"NaN"',
        }
    },
    "float64": {
        "json": {
            "1e10": "1.0E10",
            "1e19": "1.0E19",
            "1e20": "1.0E20",
            "1e39": "1.0E39",
            "1e300": "1.0E300",
            "5e-324": "4.9E-324",
            "123456789012.5": "1.234567890125E11",
            "inf": '"Infinity"',
            "-inf": '"-Infinity"',
            "nan": '"NaN"',
        }
    },
    "decimal(9,2)": {
        "json": {text: text for text in ("14.20", "-14.20", "0.00", "0.50", "2.50", "-2.50", "127.50", "300.40")}
    },
}
_JSON_OF_ARRAYS: Final = [
    *("float32", "float64", "decimal(4,1)", "decimal(9,2)", "decimal(38,10)", "blob", "uuid", "date", "time"),
    *("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz"),
]
OF_ARRAYS: Final = _together(
    _EVERYWHERE,
    _COARSER,
    _TIMES_OF_MOMENTS,
    _NANOS,
    _READ_TO_THE_END,
    _WRITTEN_BEYOND_ICU,
    *(_all(source, "json") for source in _JSON_OF_ARRAYS),
)
OF_CONSTANTS: Final = _together(_EVERYWHERE, _COARSER, _READ_TO_THE_END, _WRITTEN_BEYOND_ICU, _JSON_IS_TEXT)
OF_COLUMNS: Final = _together(
    _EVERYWHERE,
    _SHORT_OF_DIGITS,
    _COARSER,
    _NANOS,
    _JSON_IS_TEXT,
    _DIGITS_OF_JAVA,
    _BY_SHORTEST_DIGITS,
    _NUMBERS_IN_JSON,
    _all("varchar", "timetz", "interval"),
    {"varchar": {"time": {_LAST: None}, "timestamp": {_LAST: None}}},
)
