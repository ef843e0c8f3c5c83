"""Values as text: DuckDB is the oracle for what is written, what is read, and the words of refusals."""

import math
import string
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import arrow_type, display_type
from forklake.files.arrow.values import stored_array
from forklake.files.arrow.wide_integers import duckdb_array
from forklake.files.casting.texts import format_value, parse_value, parse_values, to_array, to_texts
from forklake.model import types
from forklake.model.field import Field
from forklake.model.interruption import watch_reads
from forklake.model.types.read import read_type
from tests.casts import MOMENTS, SOURCES, TARGETS, cut
from tests.fields import named_field


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
    ("interval", "10:00:00\nx"): (None, "Could not conv"),
    # DuckDB reads it, but its calendar of zones cannot write it.
    ("timestamptz", "294247-01-10 04:00:54.775806"): ("294247-01-10 04:00:54.775806+00", ""),
    # What no other reader of JSON takes.
    **{
        ("json", text): (None, "Malformed JSON")
        for text in ("nan", "NaN", "inf", "-inf", "Infinity", "infinity", "INF")
    },
    ("json", "-infinity"): (None, "Malformed JSON"),
}


@pytest.mark.slow
@pytest.mark.parametrize("type_name", TARGETS)
def test_text_is_read_and_written_as_in_duckdb(type_name: str, oracle: duckdb.DuckDBPyConnection) -> None:
    column = field(type_name)
    for text in SOURCES["varchar"]:
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
    "int128": st.integers(-(2**127), 2**127 - 1),
    "uint128": st.integers(0, 2**128 - 1),
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


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(COLUMNS)
def test_values_of_any_type_have_the_text_of_duckdb_and_come_back_from_it(
    oracle: duckdb.DuckDBPyConnection, drawn: tuple[Field, list[Any]]
) -> None:
    column, values = drawn
    stored = stored_array(column, values)
    arrow_table = pa.table([duckdb_array(column, stored)], names=["c"])  # noqa: F841  DuckDB finds it by its name
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
@given(st.sampled_from([name for name in TARGETS if name.startswith(("date", "time"))]), CLOCKS)
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


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("INTERVAL", "1 day " * 1000),
        ("INTEGER[]", "[" + "1," * 1000 + "1]"),
        ("VARCHAR[]", "['" + "\\a" * 1000 + "']"),
        ("VARCHAR[][]", "[[" + "'a'," * 1000 + "'a']]"),
        ("MAP(INTEGER, INTEGER)", "{" + ", ".join(f"{key}=1" for key in range(1000)) + "}"),
        ("GEOMETRY", "LINESTRING(" + "1 1," * 1000 + "1 1)"),
        ("GEOMETRY", "MULTIPOINT(" + "1 1," * 1000 + "1 1)"),
    ],
)
def test_long_texts_are_read_and_written_in_steps_that_end_in_time(kind: str, text: str) -> None:
    def end() -> None:
        raise TimeoutError

    value = parse_value(read_type(kind), text)
    with watch_reads(lambda _: nullcontext(), end):
        with pytest.raises(TimeoutError):
            parse_value(read_type(kind), text)
        if kind not in ("INTERVAL", "VARCHAR[]"):
            with pytest.raises(TimeoutError):
                format_value(read_type(kind), value)
