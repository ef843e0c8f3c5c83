"""Casts of single values: DuckDB's INSERT is the oracle for results, refusals and their words."""

import math
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.values import stored_array
from forklake.files.casting.casts import cast
from forklake.files.casting.texts import parse_values, to_texts
from forklake.model.field import Field
from forklake.model.types.read import stored_type
from tests.casts import OF_ARRAYS, Answers, differences
from tests.casts import SOURCES as SOURCES_BY_TYPE
from tests.casts import TARGETS as CAST_TARGETS
from tests.fields import named_field

TARGETS = [
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
    "decimal(18,0)",
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

INTEGERS = [0, 1, 100, 127, 128, 255, 256, 999, 1000, 32768, 65536, 2**31, 2**32, 2**63 - 1]
FLOATS = [
    0.0,
    -0.0,
    0.5,
    1.5,
    2.5,
    -0.5,
    -0.4,
    -2.5,
    126.5,
    128.5,
    300.25,
    0.125,
    2.675,
    1.255,
    1e10,
    1e19,
    1e30,
    1e37,
    0.1,
]
DECIMALS = ["0.00", "0.10", "1.50", "2.50", "-2.50", "-0.49", "127.49", "300.40", "999.99", "12345.67"]
MOMENTS = [0, 1, -1, 999, -999, 1_500, -500, -501, 499_999, 500_000, -500_000, 1_577_836_800_123_456, -86_400_000_001]
SOURCES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [True, False]),
    *((kind, [v for v in INTEGERS if v < limit]) for kind, limit in ((pa.uint8(), 2**8), (pa.uint64(), 2**64))),
    *(
        (kind, [w for v in INTEGERS if v < top for w in (v, -v)])
        for kind, top in ((pa.int8(), 2**7), (pa.int16(), 2**15))
    ),
    *(
        (kind, [w for v in INTEGERS if v < top for w in (v, -v)])
        for kind, top in ((pa.int32(), 2**31), (pa.int64(), 2**63))
    ),
    (pa.float32(), FLOATS),
    (pa.float64(), [*FLOATS, 1e39, 1e300, 1e-60, -1e10, math.nan, math.inf, -math.inf, 9.2e18, 0.49999999999999994]),
    (pa.decimal128(7, 2), [Decimal(text) for text in DECIMALS]),
    (pa.decimal128(38, 3), [Decimal(text) for text in (*DECIMALS, "99999999999999999999999.125", "-1.005", "0.004")]),
    (pa.string(), ["1", "abc", "2020-01-01", "true", "1 day", "01:02:03", "2020-01-01 01:02:03.5", "1.5", "", "\\xAB"]),
    (pa.binary(), [b"", b"a\x00'\xff", b"1"]),
    (pa.date32(), [date(2020, 1, 1), date(1, 1, 1), date(9999, 12, 31)]),
    (pa.time64("us"), [0, 1, 3_723_500_000]),
    (pa.time64("ns"), [0, 1_999, 3_723_500_000_000]),
    (pa.time32("s"), [0, 3_723]),
    (pa.time32("ms"), [0, 3_723_001]),
    (pa.timestamp("us"), [*MOMENTS, 2**63 - 1, 10**17]),
    (pa.timestamp("ms"), MOMENTS[:11]),
    (pa.timestamp("s"), MOMENTS[:11]),
    (pa.timestamp("ns"), [*MOMENTS, 2**62]),
    (pa.timestamp("us", "UTC"), [*MOMENTS, 10**17]),
    (pa.timestamp("us", "America/New_York"), [*MOMENTS, 10**17]),
    (pa.duration("us"), [0, 1, -1, 3_600_000_000, 86_400_000_000]),
    (pa.month_day_nano_interval(), [(14, 3, 4_000_000_000), (0, 0, 0), (-1, 2, -1_000)]),
    (pa.list_(pa.int64()), [[1, None], []]),
    (pa.struct([("a", pa.int64())]), [{"a": 1}, {"a": None}]),
    (pa.map_(pa.string(), pa.int64()), [[("k", 1)], []]),
]


@pytest.fixture(scope="module")
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def oracle_says(oracle: duckdb.DuckDBPyConnection, array: pa.Array) -> tuple[str | None, str]:
    source = pa.table([array], names=["c"])
    assert source.num_rows == 1
    try:
        row = oracle.execute("INSERT INTO t SELECT * FROM source RETURNING c::VARCHAR").fetchone()
        return (row[0] if row else None), ""
    except duckdb.Error as error:
        words = str(error).split("\n")[0].split("Error: ", 1)[1]
        return None, words.removesuffix(" when casting from source column c")


def we_say(target: Field, array: pa.Array) -> tuple[str | None, str]:
    try:
        made = cast(target, array, "t")
    except InvalidInputError as error:
        words, column, rest = str(error).rpartition(' (column "c")')
        return None, words if column and not rest else f"{error}, without a column"
    assert made.type == arrow_type(target)
    made.validate(full=True)
    return to_texts(target.type, made)[0], ""


def cast_arrays(source: str) -> Answers:
    """Cast each value of a type to every type; what is refused has no answer."""
    field = named_field(None, "c", source)
    arrays = {text: stored_array(field, parse_values(field, [text])) for text in SOURCES_BY_TYPE[source]}
    return {
        target: {text: we_say(named_field(None, "c", target), array)[0] for text, array in arrays.items()}
        for target in CAST_TARGETS
    }


@pytest.mark.parametrize("source", [name for name in SOURCES_BY_TYPE if (kind := stored_type(name)) == kind.stored_as])
def test_arrays_are_cast_as_duckdb_casts_values(source: str) -> None:
    assert differences(source, cast_arrays(source)) == OF_ARRAYS.get(source, {})


def is_ours(source: pa.DataType, target: str, value: Any) -> bool:
    """Return whether docs/spec/casts.md says that we differ, or DuckDB has no such type to compare with."""
    types = pa.types
    return (
        (target == "json" and not (types.is_boolean(source) or types.is_integer(source)))
        or (types.is_floating(source) and target == "uint128" and value < 0)
        or (types.is_binary(source) and target == "uuid")
        or (value == 1e300 and target.startswith("decimal"))  # other words only: not all digits are written
        or (types.is_decimal(source) and target.startswith("uint") and value < 0)
        or (types.is_timestamp(source) and source.unit in ("ms", "s", "ns") and target != "timestamp")
        or source == pa.time64("ns")
        or (types.is_struct(source) and target == "varchar")
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_value_is_cast_as_duckdb_inserts_it(name: str, oracle: duckdb.DuckDBPyConnection) -> None:
    target = named_field(None, "c", name)
    oracle.execute(f"CREATE OR REPLACE TABLE t (c {target.type.sql_name})")
    for data_type, values in SOURCES:
        for value in values:
            array = pa.array([value], data_type)
            if is_ours(data_type, name, value):
                continue
            theirs, ours = oracle_says(oracle, array), we_say(target, array)
            assert ours == theirs, (data_type, value)


@pytest.mark.parametrize(
    ("array", "target", "texts"),
    [
        (pa.array(["1", None], pa.large_string()), "int32", ["1", None]),
        (pa.array(["1", None], pa.string_view()), "int32", ["1", None]),
        (pa.array(["a", "b", "a", None]).dictionary_encode(), "varchar", ["a", "b", "a", None]),
        (pa.RunEndEncodedArray.from_arrays([2, 3], [7, 8]), "int8", ["7", "7", "8"]),
        (pa.array([b"ab", None], pa.large_binary()), "blob", ["ab", None]),
        (pa.array([b"ab"], pa.binary_view()), "blob", ["ab"]),
        (pa.array([b"ab"], pa.binary(2)), "blob", ["ab"]),
        (pa.array([1.5, None], pa.float16()), "float64", ["1.5", None]),
        (pa.array([date(2020, 1, 1)], pa.date64()), "date", ["2020-01-01"]),
        (pa.array([Decimal("1.50")], pa.decimal256(70, 2)), "decimal(5,1)", ["1.5"]),
        (pa.array([Decimal("1.50")], pa.decimal64(5, 2)), "varchar", ["1.50"]),
        (pa.array([None, None], pa.null()), "uuid", [None, None]),
        (pa.array([bytes(15) + b"\x0a", None]), "uuid", ["00000000-0000-0000-0000-00000000000a", None]),
        (pa.array([1_500, -1_500], pa.timestamp("ms")), "timestamp_s", ["1970-01-01 00:00:02", "1969-12-31 23:59:58"]),
        (pa.array([-1], pa.timestamp("ns")), "timestamptz", ["1970-01-01 00:00:00+00"]),
        (pa.array([-1], pa.timestamp("ns", "Asia/Tokyo")), "timestamp_ns", ["1969-12-31 23:59:59.999999999"]),
        (pa.array([-1], pa.timestamp("ns", "UTC")), "varchar", ["1970-01-01 00:00:00+00"]),
        (pa.array([1_001], pa.timestamp("ns", "UTC")), "varchar", ["1970-01-01 00:00:00.000001+00"]),
        (pa.array([1_999], pa.time64("ns")), "time", ["00:00:00.000001"]),
        (pa.array([2**63 - 1], pa.timestamp("s")), "date", ["infinity"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else None,
)
def test_encodings_of_arrow_make_no_difference(array: pa.Array, target: str, texts: list[str | None]) -> None:
    column = named_field(None, "c", target)
    made = cast(column, array, "t")
    assert made.type == arrow_type(column)
    assert to_texts(column.type, made) == texts


@pytest.mark.parametrize(
    ("array", "target", "words"),
    [
        (pa.array([127.5]), "int8", "Type DOUBLE with value 127.5 can't be cast because the value is out of range"),
        (pa.array([Decimal("-1.5")]), "uint8", "Failed to cast decimal value -2 to type UINT8"),
        (pa.array([2.0**127]), "int128", "Type DOUBLE with value 1.7014118346046923e+38 can't be cast"),
        (pa.array([-(2.0**127)]), "int128", "Type DOUBLE with value -1.7014118346046923e+38 can't be cast"),
        (pa.array([Decimal(-1)], pa.decimal128(38, 0)), "uint128", "Failed to cast decimal value -1 to type UINT128"),
        (pa.array([b"abc"]), "uuid", "Could not convert 3 bytes to UUID"),
        (pa.array(["POINT (1)"]), "geometry", "Failed to parse geometry: Expected number at offset 8"),
        (pa.array([b"abc"]), "geometry", "Could not convert 3 bytes to GEOMETRY: they are no WKB"),
        (pa.array([1]), "geometry", "Unimplemented type for cast (BIGINT -> GEOMETRY)"),
        (pa.array(["{"]), "json", 'Malformed JSON: "{"'),
        (pa.array([1.5]), "json", "Unimplemented type for cast (DOUBLE -> JSON)"),
        (pa.array([2**62], pa.timestamp("s")), "timestamp", "Could not convert Timestamp(S) to Timestamp(US)"),
        (pa.array([10**17], pa.timestamp("us")), "timestamp_ns", "Could not convert Timestamp(US) to Timestamp(NS)"),
        (pa.array([2**63 - 1], pa.timestamp("us")), "time", "Type INT64 with value infinity can't be cast"),
        (
            pa.array([0], pa.timestamp("us", "UTC")),
            "time",
            "Unimplemented type for cast (TIMESTAMP WITH TIME ZONE -> TIME",
        ),
        (pa.array([True]), "decimal(1,1)", "Could not cast value 1 to DECIMAL(1,1)"),
    ],
)
def test_what_does_not_fit_is_refused(array: pa.Array, target: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        cast(named_field(None, "c", target), array, "t")
    assert str(refused.value).startswith(words)
    assert str(refused.value).endswith('(column "c")')


PLAIN = {
    "int32": st.integers(-(2**33), 2**33).map(str),
    "uint64": st.integers(-1, 2**64).map(str),
    "int128": st.integers(-(10**20), 10**20).map(str),
    "float32": st.floats(0, 1e9).map("{:f}".format),
    "float64": st.floats(0, 1e9).map("{:f}".format),
    "decimal(5,2)": st.decimals(-1001, 1001, places=2).map(str) | st.decimals(-999, 999, places=3).map(str),
    "decimal(38,10)": st.decimals(-(10**20), 10**20, places=12).map(str),
    "date": st.builds("{:04}-{:02}-{:02}".format, st.integers(0, 9999), st.integers(1, 13), st.integers(1, 31)),
    "timestamp": st.datetimes().map(str),
}
TYPED_TEXTS = st.sampled_from(sorted(PLAIN)).flatmap(lambda name: st.tuples(st.just(name), st.lists(PLAIN[name])))


@settings(max_examples=400, deadline=None)
@given(TYPED_TEXTS)
def test_everyday_text_is_read_the_same_in_bulk_as_one_by_one(drawn: tuple[str, list[str]]) -> None:
    name, texts = drawn
    column = named_field(None, "c", name)
    try:
        expected, words = stored_array(column, parse_values(column, texts)), ""
    except InvalidInputError as error:
        expected, words = None, str(error)
    if expected is None:
        with pytest.raises(InvalidInputError) as refused:
            cast(column, pa.array(texts, pa.string()), "t")
        assert str(refused.value) == words
    else:
        assert cast(column, pa.array(texts, pa.string()), "t").equals(expected)
