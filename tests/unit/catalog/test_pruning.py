"""Pruning never leaves out a file that holds a row of the condition, and does leave out what it can."""

from dataclasses import replace
from functools import cache

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.catalog.pruning import Constant, PartitionValue
from forklake.model import types
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.predicate import AllOf, AnyOf, Anything, Comparison, IsNull, Nothing, OneOf, Operator, Predicate
from forklake.model.rows import FileColumnStatsRow
from forklake.model.transforms import Transform
from forklake.model.types.read import stored_type
from forklake.sql.rows.row_texts import condition
from tests.fields import named_field
from tests.unit.sql.statistics import file_stats, may_match

C = ColumnId(1)
VALUES = {
    "int32": ("INTEGER", ["-2147483648", "-10", "-9", "0", "9", "10", "2147483647"]),
    "uint64": ("UBIGINT", ["0", "9", "10", "18446744073709551615"]),
    "float32": ("FLOAT", ["-inf", "-1.5", "0.1", "0.3", "1e-40", "3.4e38", "inf", "nan"]),
    "float64": ("DOUBLE", ["-inf", "-1.5", "0.1", "0.30000001192092896", "1e-300", "1e300", "inf", "nan"]),
    "decimal(9,2)": ("DECIMAL(9,2)", ["-1.00", "0.00", "0.99", "9.50", "10.00"]),
    "boolean": ("BOOLEAN", ["true", "false"]),
    "varchar": ("VARCHAR", ["", "10", "9", "Z", "a", "ab", "ä", "\U0001f600", "\uffee"]),
    "date": ("DATE", ["0044-03-15 (BC)", "0099-01-01", "1969-12-31", "2023-12-31", "2024-01-31", "10000-01-01"]),
    "timestamp": (
        "TIMESTAMP",
        ["0044-03-15 (BC) 12:00:00", "1969-12-31 23:59:59.999999", "2024-01-01 00:00:00", "2024-01-01 00:00:00.5"],
    ),
    "timestamptz": (
        "TIMESTAMPTZ",
        ["2023-12-31 20:00:00+00", "2024-01-01 03:00:00+00", "2024-01-31 22:30:00+00", "2024-02-29 12:00:00+00"],
    ),
    "timestamp_ns": (
        "TIMESTAMP_NS",
        ["1969-12-31 23:59:59.999999999", "2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.00000001"],
    ),
    "time": ("TIME", ["00:00:00", "09:00:00", "09:00:00.5", "23:59:59"]),
    "uuid": ("UUID", ["0fffffff-0000-0000-0000-000000000000", "f0000000-0000-0000-0000-000000000000"]),
}
OPERATORS: list[Operator] = ["=", "<>", "<", "<=", ">", ">="]
PARTS = ("year", "month", "day", "hour")


@cache
def database(zone: str) -> duckdb.DuckDBPyConnection:
    found = duckdb.connect()
    found.execute(f"SET TimeZone = '{zone}'")
    return found


def leaf(kind: str) -> st.SearchStrategy[str]:
    values = st.sampled_from(VALUES[kind][1]).map(lambda value: "'" + value + "'")
    return st.one_of(
        st.tuples(st.sampled_from(OPERATORS), values).map(lambda part: f"c {part[0]} {part[1]}"),
        st.lists(st.one_of(values, st.just("NULL")), min_size=1, max_size=3).map(
            lambda some: f"c IN ({', '.join(some)})"
        ),
        st.tuples(values, values).map(lambda part: f"c BETWEEN {part[0]} AND {part[1]}"),
        values.map(lambda value: f"c IS DISTINCT FROM {value}"),
        st.sampled_from(["c IS NULL", "c IS NOT NULL"]),
    )


def text(kind: str) -> st.SearchStrategy[str]:
    return st.recursive(
        leaf(kind),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda part: f"({part[0]}) AND ({part[1]})"),
            st.tuples(inner, inner).map(lambda part: f"({part[0]}) OR ({part[1]})"),
            inner.map(lambda part: f"NOT ({part})"),
        ),
        max_leaves=4,
    )


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[str | None], str]:
    kind = draw(st.sampled_from(sorted(VALUES)))
    values = draw(st.lists(st.one_of(st.none(), st.sampled_from(VALUES[kind][1])), min_size=1, max_size=3))
    return kind, values, draw(text(kind))


def filled(kind: str, values: list[str | None], zone: str = "UTC") -> duckdb.DuckDBPyConnection:
    made = database(zone)
    made.execute(f"CREATE OR REPLACE TEMP TABLE t (c {VALUES[kind][0]})")
    made.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
    return made


def is_kept(made: duckdb.DuckDBPyConnection, said: str) -> bool:
    found = made.execute(f"SELECT count(*) FROM t WHERE {said}").fetchone()
    return found is not None and found[0] > 0


def predicate(kind: str, said: str) -> Predicate:
    return condition(said, "t", [named_field(C, "c", kind)]).predicate


@pytest.mark.slow
@given(files())
def test_statistics_never_rule_out_a_row_of_the_condition(file: tuple[str, list[str | None], str]) -> None:
    kind, values, said = file
    made = filled(kind, values)
    stats = file_stats(made, "t", "c", C, kind)
    if is_kept(made, said):
        assert may_match(predicate(kind, said), {C: stats})
        assert may_match(predicate(kind, said), {})


@given(files(), st.sampled_from(["UTC", "America/New_York", "Pacific/Kiritimati"]), st.data())
def test_partition_values_never_rule_out_a_row_of_the_condition(
    file: tuple[str, list[str | None], str], zone: str, data: st.DataObject
) -> None:
    kind, (value, *_), said = file
    made = filled(kind, [value], zone)
    buckets = ["bucket(2)", "bucket(1000)"]
    parts = [*PARTS, "epoch_month", "epoch_day"] if kind.startswith(("date", "timestamp")) else []
    transform = data.draw(st.sampled_from(["identity", *buckets, *parts]))
    if transform in PARTS:
        found = made.execute(f"SELECT {transform}(c)::VARCHAR FROM t").fetchone()
        assert found is not None
        key = found[0]
    else:
        key = None if value is None else Transform.parse(transform).of_text(stored_type(kind), value)
    if value is not None and key is None:
        return
    if is_kept(made, said):
        assert may_match(predicate(kind, said), {}, [PartitionValue(C, Transform.parse(transform), key)])


@given(files())
def test_constants_never_rule_out_a_row_of_the_condition(file: tuple[str, list[str | None], str]) -> None:
    kind, (value, *_), said = file
    made = filled(kind, [value])
    if is_kept(made, said):
        assert may_match(predicate(kind, said), {}, (), {C: Constant(value)})
        assert may_match(predicate(kind, said), {}, (), {C: Constant(value, is_nested=True)})


def stats(
    low: str | None = None,
    high: str | None = None,
    *,
    values: int | None = 5,
    nulls: int | None = 0,
    nan: bool | None = None,
) -> dict[ColumnId, FileColumnStatsRow]:
    row = FileColumnStatsRow(
        data_file_id=DataFileId(1),
        table_id=TableId(1),
        column_id=C,
        value_count=values,
        null_count=nulls,
        min_value=low,
        max_value=high,
        contains_nan=nan,
    )
    return {C: row}


def test_numbers_compare_as_numbers() -> None:
    assert not may_match(Comparison(C, types.INT32, ">", "10"), stats("9", "10"))
    assert may_match(Comparison(C, types.INT32, ">", "9"), stats("9", "10"))
    assert not may_match(Comparison(C, types.INT32, "=", "100"), stats("9", "20"))
    assert not may_match(OneOf(C, types.INT32, ("8", "21")), stats("9", "20"))
    assert may_match(OneOf(C, types.INT32, ("8", "11")), stats("9", "20"))
    assert not may_match(Comparison(C, types.INT32, "<>", "9"), stats("9", "9"))
    assert may_match(Comparison(C, types.INT32, "<>", "9"), stats("9", "10"))


def test_what_is_not_known_may_match() -> None:
    for said in (Comparison(C, types.INT32, "=", "1"), IsNull(C, is_null=True), IsNull(C, is_null=False)):
        assert may_match(said, {})
        assert may_match(said, stats(values=None, nulls=None))
    assert may_match(Comparison(C, types.INT32, "<", "1"), stats(None, "20"))
    assert not may_match(Comparison(C, types.INT32, ">", "20"), stats(None, "20"))
    assert may_match(Comparison(C, types.BLOB, "=", "a"), stats("6162", "6162"))
    assert may_match(Comparison(C, types.DATE, ">", "infinity"), stats("2024-01-01", "2024-01-01"))
    assert may_match(Comparison(C, types.DATE, ">", "2024-01-01"), stats("2024-01-01", "infinity"))
    assert may_match(Comparison(C, types.INT32, "=", "1"), stats("broken", "broken"))


def test_null_is_told_by_counts() -> None:
    assert not may_match(IsNull(C, is_null=True), stats("1", "2", nulls=0))
    assert may_match(IsNull(C, is_null=True), stats("1", "2", nulls=1))
    assert not may_match(IsNull(C, is_null=False), stats(values=0, nulls=5))
    assert not may_match(Comparison(C, types.INT32, "<>", "1"), stats(values=0, nulls=5))


@pytest.mark.parametrize(("operator", "matches"), [("=", False), ("<>", True), ("<", True), (">", True), (">=", True)])
def test_nan_is_greater_than_all_bounds(operator: Operator, matches: bool) -> None:
    assert may_match(Comparison(C, types.FLOAT64, operator, "2.5"), stats("1.0", "2.0", nan=True)) is matches
    assert may_match(Comparison(C, types.FLOAT64, operator, "2.5"), stats("1.0", "2.0", nan=None)) is matches


def test_files_without_nan_are_ruled_out() -> None:
    assert not may_match(Comparison(C, types.FLOAT64, ">", "2.5"), stats("1.0", "2.0", nan=False))
    assert not may_match(Comparison(C, types.FLOAT64, "=", "nan"), stats("1.0", "2.0", nan=False))
    assert may_match(Comparison(C, types.FLOAT64, "=", "nan"), stats("1.0", "2.0", nan=True))


def test_floats_from_before_a_widening_are_kept() -> None:
    # The text of the 32 bit float nearest to 0.1, which is greater than the 64 bit one.
    assert may_match(Comparison(C, types.FLOAT64, ">", "0.1"), stats("0.1", "0.1", nan=False))
    assert not may_match(Comparison(C, types.FLOAT64, ">", "0.11"), stats("0.1", "0.1", nan=False))


def test_integers_that_became_floats_are_kept_where_they_are_rounded_to() -> None:
    assert may_match(Comparison(C, types.FLOAT32, "=", "16777216"), stats("16777217", "16777217", nan=False))
    assert not may_match(Comparison(C, types.FLOAT32, "=", "16777300"), stats("16777217", "16777217", nan=False))
    # Rounded to 64 bits first it lies in the middle, and would become the even one of 32 bits below.
    once = str(2**60 + 2**37)
    assert may_match(
        Comparison(C, types.FLOAT32, "=", once), stats(str(2**60 + 2**36 + 1), str(2**60 + 2**36 + 1), nan=False)
    )


def test_all_and_any_are_what_they_say() -> None:
    low, high = Comparison(C, types.INT32, "<", "5"), Comparison(C, types.INT32, ">", "15")
    assert not may_match(AllOf((low, Anything())), stats("9", "20"))
    assert may_match(AnyOf((low, high)), stats("9", "20"))
    assert not may_match(AnyOf((low, Nothing())), stats("9", "20"))
    assert not may_match(Nothing(), {})
    assert may_match(Anything(), {})


@pytest.mark.parametrize(
    ("said", "transform", "value", "matches"),
    [
        (("=", "2024-02-15 00:00:00"), "month", "2", True),
        (("=", "2024-02-15 00:00:00"), "month", "3", False),
        (("<", "2024-02-15 00:00:00"), "month", "3", True),  # of another year
        ((">", "2024-02-15 00:00:00"), "year", "2023", False),
        ((">", "2024-02-15 00:00:00"), "year", "2024", True),
        (("<=", "2024-02-15 00:00:00"), "year", "2025", False),
        (("<>", "2024-02-15 00:00:00"), "year", "2024", True),
        ((">", "1970-02-15 00:00:00"), "epoch_month", "0", False),
        (("=", "2024-02-15 00:00:00"), "year", None, False),
        (("<", "2024-02-15 00:00:00"), "year", None, True),  # infinite timestamps have no year
        (("=", "2024-02-15 00:00:00"), "identity", None, False),
        (("=", "2024-02-15 00:00:00"), "identity", "2024-02-15 00:00:00", True),
        (("<", "2024-02-15 00:00:00"), "identity", "2024-02-15 00:00:00", False),
    ],
)
def test_partition_values_rule_out_what_they_can(
    said: tuple[Operator, str], transform: str, value: str | None, matches: bool
) -> None:
    key = PartitionValue(C, Transform.parse(transform), value)
    assert may_match(Comparison(C, types.TIMESTAMP, *said), {}, [key]) is matches


def test_zones_of_writers_are_allowed_for() -> None:
    said = Comparison(C, types.TIMESTAMPTZ, "=", "2024-01-01 03:00:00+00")
    assert may_match(said, {}, [PartitionValue(C, Transform.parse("year"), "2023")])
    assert may_match(said, {}, [PartitionValue(C, Transform.parse("day"), "31")])
    assert may_match(said, {}, [PartitionValue(C, Transform.parse("hour"), "22")])
    assert not may_match(said, {}, [PartitionValue(C, Transform.parse("year"), "2022")])
    assert not may_match(said, {}, [PartitionValue(C, Transform.parse("day"), "15")])


def test_buckets_answer_equality_only() -> None:
    key = PartitionValue(C, Transform.parse("bucket(1000)"), "379")
    assert may_match(Comparison(C, types.INT64, "=", "34"), {}, [key])
    assert not may_match(Comparison(C, types.INT64, "=", "35"), {}, [key])
    assert not may_match(OneOf(C, types.INT64, ("35", "36")), {}, [key])
    assert may_match(Comparison(C, types.INT64, ">", "35"), {}, [key])
    # An unsigned column, whose text was hashed, and that is signed and wider now.
    assert may_match(
        Comparison(C, types.INT64, "=", "34"), {}, [PartitionValue(C, Transform.parse("bucket(1000)"), "257")]
    )
    as_text = PartitionValue(C, Transform.parse("bucket(1000)"), "257", types.INT64)
    assert not may_match(Comparison(C, types.INT64, "=", "34"), {}, [as_text])
    assert may_match(Comparison(C, types.UINT32, "=", "34"), {}, [replace(as_text, held=types.UINT32)])
    assert not may_match(IsNull(C, is_null=True), {}, [key])
    assert not may_match(IsNull(C, is_null=False), {}, [PartitionValue(C, Transform.parse("bucket(1000)"), None)])


def test_buckets_do_not_answer_where_nan_is() -> None:
    # Where DuckLake put 0/0, which is a NaN with a sign; all NaNs are equal.
    assert may_match(Comparison(C, types.FLOAT64, "=", "nan"), {}, [PartitionValue(C, Transform.bucket(1000), "689")])


def test_parts_of_nanoseconds_are_those_of_microseconds() -> None:
    before = Comparison(C, types.TIMESTAMP_NS, "=", "1969-12-31 23:59:59.999999999")
    assert may_match(before, {}, [PartitionValue(C, Transform.parse("year"), "1970")])


def test_columns_that_are_younger_than_a_file_have_their_first_default_there() -> None:
    said = Comparison(C, types.INT32, "=", "5")
    assert may_match(said, {}, (), {C: Constant("5")})
    assert not may_match(said, {}, (), {C: Constant("6")})
    assert not may_match(said, {}, (), {C: Constant(None)})
    assert not may_match(IsNull(C, is_null=True), {}, (), {C: Constant("5")})
    assert may_match(IsNull(C, is_null=True), {}, (), {C: Constant("5", is_nested=True)})
    assert not may_match(IsNull(C, is_null=False), {}, (), {C: Constant(None)})
