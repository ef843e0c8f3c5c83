"""Values as text: DuckDB is the oracle for what is written, what is read, and the words of refusals."""

import math
import string
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forklake.errors import InvalidInputError
from forklake.files.schema import arrow_type, display_type
from forklake.files.texts import parse_values, to_array, to_texts
from forklake.files.values import stored_array
from forklake.model import types
from forklake.model.field import Field
from forklake.model.types.read import read_type
from tests.fields import named_field

TYPES = [
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


def field(text: str, name: str = "c") -> Field:
    return Field(None, name, read_type(text))


@pytest.fixture(scope="module")
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def oracle_says(oracle: duckdb.DuckDBPyConnection, column: Field, text: str) -> tuple[str | None, str]:
    try:
        row = oracle.execute(f"SELECT CAST(?::VARCHAR AS {column.type.sql_name})::VARCHAR", [text]).fetchone()
        return (row[0] if row else None), ""
    except duckdb.Error as error:
        return None, str(error).split("\n")[0].split("Error: ", 1)[1]


def we_say(column: Field, text: str) -> tuple[str | None, str]:
    try:
        shown, stored = to_array(column, [text]), stored_array(column, parse_values(column, [text]))
    except InvalidInputError as error:
        words, name, rest = str(error).rpartition(' (column "c")')
        return None, words if name and not rest else f"{error}, without a column"
    assert shown.type == display_type(column)
    assert stored.type == arrow_type(column)
    assert to_texts(column.type, stored) == to_texts(column.type, shown)
    return to_texts(column.type, shown)[0], ""


def cut(text: str, sign: str) -> list[str]:
    return text.strip("\n").replace("\n", sign).split(sign)


NUMBERS = cut(
    """
0 1 -1 +5 -0 007 12 300 127 128 -128 -129 255 256 65535 2147483647 2147483648 -2147483649 4294967295
9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 1.5 2.5 -1.5 -0.4 -0.5 .5 5. . - + 1e3
1e-1 5e-1 15e-1 25e-1 1e37 1e400 -1e400 1e-400 1_000 1__0 _1 1_ 1e1_0 0x1F 0X1f 0b11 0x -0x1 1e 1e+2 e5 1d 1e5.5 1E5 abc
nan NaN inf -inf Infinity infin 1.2.3 0.1 1e20 1e16 1e15 123456789.123 1e-5 1e-4 16777217 3.4028235e38 1e40 1.255 -1.255
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
    *('{"a": 1 }', "[1, null]", "null", "{'a': 1}", "\\x00\\x1f ~\\x7f"),
]


DIFFERENT: dict[tuple[str, str], tuple[str | None, str]] = {
    # Exponents are read exactly; DuckDB counts the digits before it moves the point.
    **dict.fromkeys((("decimal(3,3)", text) for text in ("1e-400", "1e-5")), (".000", "")),
    ("decimal(3,3)", "1e-4"): (".000", ""),
    ("decimal(3,3)", "1e-1"): (".100", ""),
    ("decimal(3,3)", "5e-1"): (".500", ""),
    ("decimal(3,3)", "125e-3"): (".125", ""),
    # DuckDB reads over what is behind a time.
    **dict.fromkeys(
        (("interval", text) for text in MOMENTS if text[:9] in ("01:02:03+", "01:02:03-", "01:02:03 ")),
        (None, "Could not conv"),
    ),
    # Files hold 38 digits.
    ("uint128", "3.4028235e38"): (None, "Could not conv"),
    # DuckDB reads it, but its calendar of zones cannot write it.
    ("timestamptz", "294247-01-10 04:00:54.775806"): ("294247-01-10 04:00:54.775806+00", ""),
    # What no other reader of JSON takes.
    **{
        ("json", text): (None, "Malformed JSON")
        for text in ("nan", "NaN", "inf", "-inf", "Infinity", "infinity", "INF")
    },
    ("json", "-infinity"): (None, "Malformed JSON"),
}


@pytest.mark.parametrize("type_name", TYPES)
def test_text_is_read_and_written_as_in_duckdb(type_name: str, oracle: duckdb.DuckDBPyConnection) -> None:
    column = field(type_name)
    for text in (*NUMBERS, *WORDS, *MOMENTS, *SPANS, *OTHERS):
        theirs, their_words = oracle_says(oracle, column, text)
        ours, our_words = we_say(column, text)
        if (type_name, text) in DIFFERENT:
            assert (ours, our_words[:14]) == DIFFERENT[type_name, text]
            continue
        assert (ours, our_words[:14]) == (theirs, their_words[:14]), (text, our_words, their_words)


LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "int8": st.integers(-128, 127),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "int128": st.integers(-(10**38) + 1, 10**38 - 1),
    "uint8": st.integers(0, 255),
    "uint64": st.integers(0, 2**64 - 1),
    "float32": st.floats(width=32).map(lambda value: abs(value) if math.isnan(value) else value),
    "float64": st.floats().map(lambda value: abs(value) if math.isnan(value) else value),
    "decimal(5,2)": st.integers(-99999, 99999).map(lambda value: Decimal(value).scaleb(-2)),
    "decimal(38,38)": st.integers(-(10**20), 10**20).map(lambda value: Decimal(value).scaleb(-38)),
    "varchar": st.one_of(
        st.text(string.printable), st.text("'\"\\,[]{}()=: aN"), st.text(), st.sampled_from(["NULL", "null", ""])
    ).map(lambda value: value.replace("\0", "")),
    "blob": st.binary(),
    "date": st.integers(-2_147_483_646, 2_147_483_647),
    "time": st.integers(0, 86_399_999_999),
    "timestamp": st.one_of(st.integers(-9_223_372_022_400_000_000, 2**63 - 1), st.sampled_from([-(2**63) + 1, 0])),
    "timestamp_ms": st.integers(-(10**12), 10**14).map(lambda value: value * 1000),
    "timestamp_ns": st.integers(-9_223_286_400_000_000_000, 2**63 - 1),
    "timestamptz": st.integers(-(10**16), 10**17),
    "uuid": st.uuids().map(str),
}


def typed_values(depth: int = 2) -> st.SearchStrategy[tuple[Field, st.SearchStrategy[Any]]]:
    """Draw a column together with what draws its values."""
    leaves = st.sampled_from(sorted(LEAVES)).map(lambda name: (named_field(None, "c", name), LEAVES[name]))
    if depth == 0:
        return leaves
    inner = typed_values(depth - 1)
    texts = st.text(string.ascii_letters + "' \\").map("N{}".format)  # no keyword
    names = st.lists(texts, min_size=1, max_size=3, unique_by=str.lower)

    def named(column: Field, name: str) -> Field:
        return Field(None, name, column.type)

    def struct(parts: list[tuple[Field, st.SearchStrategy[Any]]], names: list[str]) -> Any:
        children = tuple(named(column, name) for (column, _), name in zip(parts, names, strict=False))
        values = st.tuples(*(st.none() | part for _, part in parts[: len(children)]))
        return named_field(None, "c", "struct", children), values

    def mapping(key: Any, item: Any) -> Any:
        children = (named(key[0], "key"), named(item[0], "value"))
        pairs = st.tuples(key[1], st.none() | item[1])
        return named_field(None, "c", "map", children), st.lists(
            pairs, max_size=3, unique_by=lambda pair: repr(pair[0])
        )

    return st.one_of(
        leaves,
        inner.map(
            lambda part: (
                Field(None, "c", types.List(named(part[0], "element"))),
                st.lists(st.none() | part[1]),
            )
        ),
        st.builds(struct, st.lists(inner, min_size=3, max_size=3), names),
        st.builds(mapping, leaves.filter(lambda key: not isinstance(key[0].type, types.Float)), inner),
    )


COLUMNS = typed_values().flatmap(lambda drawn: st.tuples(st.just(drawn[0]), st.lists(st.none() | drawn[1], max_size=4)))


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(COLUMNS)
def test_values_of_any_type_have_the_text_of_duckdb_and_come_back_from_it(
    oracle: duckdb.DuckDBPyConnection, drawn: tuple[Field, list[Any]]
) -> None:
    column, values = drawn
    stored = stored_array(column, values)
    arrow_table = pa.table([stored], names=["c"])  # noqa: F841  DuckDB finds it by its name
    rows = oracle.execute(f"SELECT c::{column.type.sql_name}::VARCHAR FROM arrow_table").fetchall()
    texts = to_texts(column.type, stored)
    assert texts == [row[0] for row in rows]
    again = to_array(column, texts)
    assert again.type == display_type(column)
    assert to_texts(column.type, again) == texts
    assert stored_array(column, parse_values(column, texts)).equals(stored) or "nan" in str(texts)


COUNTS = st.one_of(st.integers(-500, 500).map(str), st.decimals(-500, 500, places=4, allow_nan=False).map(str))
UNITS = st.sampled_from(cut("years|months|days|hours|minutes|seconds|milliseconds|microseconds|weeks|quarters", "|"))


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.builds("{} {}".format, COUNTS, UNITS), min_size=1, max_size=4))
def test_intervals_are_added_up_as_in_duckdb(oracle: duckdb.DuckDBPyConnection, parts: list[str]) -> None:
    column, text = field("interval"), " ".join(parts)
    assert we_say(column, text) == oracle_says(oracle, column, text)


NUMERALS = st.from_regex(r"\A[+-]?[0-9]{0,22}(\.[0-9]{0,9})?(e[+-]?[0-9]{1,2})?\Z")


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "decimal(18,3)"]), NUMERALS)
def test_numerals_are_read_as_in_duckdb(oracle: duckdb.DuckDBPyConnection, type_name: str, text: str) -> None:
    if "e" in text and not type_name.startswith("float"):
        text = text[: text.index("e")]
    column = field(type_name)
    assert we_say(column, text) == oracle_says(oracle, column, text)


CLOCKS = st.builds(
    "{:%Y-%m-%d %H:%M:%S.%f}{}{}".format,
    st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001
    st.sampled_from(["", "7", "49"]),
    st.sampled_from(["", "Z", "+02", "-11:30", "+00:00:05"]),
)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([name for name in TYPES if name.startswith(("date", "time"))]), CLOCKS)
def test_clocks_are_read_as_in_duckdb(oracle: duckdb.DuckDBPyConnection, type_name: str, text: str) -> None:
    column = field(type_name)
    assert we_say(column, text) == oracle_says(oracle, column, text)


NESTED = {
    "varchar[]": r"""
[a, b]| [ a , b ] |[a,,b]|[]|[ ]|[,]|[a,]|['a''b']|['a\'b']|["a\"b"]|[a b c]|[a\,b]|[a\b]|[\]|[NULL,null,'NULL',"null"]
['a' ]|['a'b]|[b'a']|[a'b]|[[a]]|[{a}]|[(a]|[a|a]|[a]]|[a] x||NULL|[' a ']|['\\']|['a\nb']|[()]|[a=b]
""",
    "int32[]": """[1, 2]|[1,abc]|['1']|["1"]|[ 1 , NULL ]|[1.5]|['NULL']|1""",
    "int32[][]": "[[1],[2,3],NULL]|[[1], ]|['[1]']",
    "struct(a int32, b varchar)": r"""
{'a': 1, 'b': x}|{a: 1, b: x y}|{"a": 1}|{'b':x}|{}|{ }|{'z': 1}|{'a': 1, 'a': 2}|{A: 1}|{'a': NULL, 'b': NULL}|{a=1}
{a: 1 b: 2}|(1, x)|{'a': 1,}|{'a': }|{'b': }|{'b': ''}|{'b': '}'}|{'b': it\'s}|{'b': a:b}
x|{'b': [1, 2]}|{'b': {'q': 's, t'}}
""",
    "map(varchar, int32)": """
{k=1, 'a=b'=2}|{ k = 1 }|{}|{k=NULL}|{NULL=1}|{k=1,k=2}|{k: 1}|{k}|{=1}|{''=1}|{"k"=1}|{k='1'}|{k=1=2}
""",
    "map(int32[], int32)": "{[1, 2]=3}|{x=1}",
}


@pytest.mark.parametrize("type_name", NESTED)
def test_nested_text_is_read_as_in_duckdb(type_name: str, oracle: duckdb.DuckDBPyConnection) -> None:
    column = field(type_name)
    for text in cut(NESTED[type_name], "|"):
        assert we_say(column, text) == oracle_says(oracle, column, text), text


def test_json_within_nested_values_keeps_its_own_quotes() -> None:
    column = field("json[]")
    texts = ['[{"a":"x\'y"}, "a\\"b", null, NULL, [1, "]"]]']
    assert to_texts(column.type, to_array(column, texts)) == texts
    assert to_array(column, texts).to_pylist() == [['{"a":"x\'y"}', '"a\\"b"', "null", None, '[1, "]"]']]


def test_slices_of_nested_arrays_have_their_own_texts() -> None:
    for type_name, values in (
        ("map(varchar, int32)", [[("a", 1)], None, [("b", 2), ("c", None)], []]),
        ("int32[]", [[1], None, [2, 3], []]),
        ("struct(a int32)", [(1,), None, (2,), (None,)]),
    ):
        column = field(type_name)
        whole = stored_array(column, values)
        assert to_texts(column.type, whole.slice(1, 2)) == to_texts(column.type, whole)[1:3]


def test_names_of_zones_are_understood_in_timestamps_with_zone() -> None:
    column = field("timestamptz")
    assert to_array(column, ["2020-07-01 10:00:00 Europe/Berlin"]).to_pylist() == [datetime(2020, 7, 1, 8, tzinfo=UTC)]
    with pytest.raises(InvalidInputError, match="invalid timestamp field format"):
        to_array(column, ["2020-07-01 10:00:00 Nowhere/Else"])
    with pytest.raises(InvalidInputError, match="has a timestamp that is not UTC"):
        to_array(field("timestamp"), ["2020-07-01 10:00:00 Europe/Berlin"])


def test_dates_agree_with_python_where_python_has_them() -> None:
    for days in range(-719_162, 2_932_896, 997):
        day = date(1970, 1, 1) + timedelta(days)
        assert to_texts(field("date").type, stored_array(field("date"), [days])) == [day.isoformat()]
