"""Types as values: their names, what they are read from, and how statistics in text are compared."""

import copy
import itertools
import pickle

import pytest

from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.types import Type
from forklake.model.types.kinds import NESTED
from forklake.model.types.order import order_key
from forklake.model.types.read import definition_of, field_of, read_scalar, read_type, stored_type, type_name
from forklake.model.types.shapes import list_of, map_of, shape_of, struct_of

ALL = (
    *types.FACTS,
    types.Decimal(10, 2),
    types.Geometry("point"),
    types.Unknown("moon phase"),
    list_of(types.INT8),
    map_of(types.VARCHAR, struct_of([("a b", types.DATE), ("c", list_of(types.UUID))])),
)


@pytest.mark.parametrize("kind", ALL, ids=str)
def test_a_type_is_its_copy_and_no_text(kind: Type) -> None:
    for made in (pickle.loads(pickle.dumps(kind)), copy.deepcopy(kind)):
        assert made == kind
        assert hash(made) == hash(kind)
    texts: list[object] = [kind.name, kind.sql_name]
    assert kind not in texts
    assert [other for other in ALL if other == kind] == [kind]


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != types.NULL], ids=str)
def test_the_metadata_names_every_type(kind: Type) -> None:
    assert stored_type(str(kind), kind.children) == kind


@pytest.mark.parametrize("kind", [*types.FACTS, types.Decimal(10, 2), *ALL[-2:]], ids=str)
def test_what_duckdb_calls_a_type_is_read_again(kind: Type) -> None:
    if kind != types.NULL:
        assert read_type(kind.sql_name) == kind


def test_no_word_means_two_types() -> None:
    every = [*types.FACTS.values(), *NESTED.values(), types.Decimal(1, 0).facts]
    words = [word for facts in every for word in (facts.name, *facts.aliases)]
    assert len(set(words)) == len(words)
    in_sql = [word for facts in every for word in facts.sql_aliases]
    assert set(in_sql) & set(words) == {"int8"}, "SQL means eight bytes by it, and DuckLake eight bits"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("BIGINT", "int64"),
        ("  double   precision ", "float64"),
        ("Text", "varchar"),
        ("timestamp with time zone", "timestamptz"),
        ("int64", "int64"),
        ("DECIMAL", "decimal(18,3)"),
        ("numeric( 10 , 2 )", "decimal(10,2)"),
        ("decimal(5)", "decimal(5,0)"),
        ("decimal(38,38)", "decimal(38,38)"),
        ("STRUCT", "struct"),
    ],
)
def test_a_type_has_one_name(written: str, name: str) -> None:
    assert type_name(written) == name
    assert type_name(name) == name


@pytest.mark.parametrize(
    "written", ["", "money", "decimal(0,0)", "decimal(39,1)", "decimal(2,3)", "decimal(-1)", "int64[]", "null", "dec"]
)
def test_what_is_no_type_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"Type .* does not exist"):
        read_scalar(written)


def test_sql_has_words_of_its_own() -> None:
    assert read_scalar("INT8") == types.INT8
    assert [read_scalar(text, is_sql=True) for text in ("INT8", "dec(4, 1)", "guid", "char varying")] == [
        types.INT64,
        types.Decimal(4, 1),
        types.UUID,
        types.VARCHAR,
    ]


def test_nested_types_are_read_with_what_is_in_them() -> None:
    found = read_type('STRUCT(a INTEGER, "b ""c" MAP(VARCHAR, DECIMAL(4, 1)[]))')
    inner = map_of(types.VARCHAR, list_of(types.Decimal(4, 1)))
    assert found == struct_of([("a", types.INT32), ('b "c', inner)])
    assert found.sql_name == 'STRUCT(a INTEGER, "b ""c" MAP(VARCHAR, DECIMAL(4,1)[]))'
    assert field_of(definition_of("x", found)) == Field(None, "x", found)


@pytest.mark.parametrize(
    "written", ["UNION(a INTEGER)", "ENUM('a')", "INTEGER[3]", "MAP(INTEGER)", "STRUCT(INTEGER)", "LIST"]
)
def test_nested_types_that_ducklake_has_not_are_refused(written: str) -> None:
    with pytest.raises(
        ValueError, match=r"unsupported type|types in parentheses|types of its parts|without a name or type"
    ):
        read_type(written)


def test_a_shape_has_no_ids_and_no_names_that_nobody_chose() -> None:
    element = Field(ColumnId(8), "item", types.INT32, nulls_allowed=False, initial_default="1")
    column = types.Struct((Field(ColumnId(7), "l", types.List(element)),))
    assert shape_of(column) == struct_of([("l", list_of(types.INT32))])
    assert shape_of(column) != column


def test_metadata_that_makes_no_sense_is_unknown() -> None:
    assert stored_type("list") == types.Unknown("list")
    assert stored_type("decimal(99,1)") == types.Unknown("decimal(99,1)")


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers_know_what_they_hold(bits: int) -> None:
    signed, unsigned = types.Integer(bits), types.Integer(bits, is_signed=False)
    assert (signed.low, signed.high) == (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    assert (unsigned.low, unsigned.high) == (0, 2**bits - 1)
    assert signed.holds(signed)
    assert not signed.holds(unsigned)
    assert not unsigned.holds(signed)
    assert types.INT128.holds(unsigned)


def test_of_integers_of_128_bits_spark_has_those_of_38_digits() -> None:
    most = 10**38 - 1
    assert (types.INT128.low, types.INT128.high, types.UINT128.high) == (-(2**127), 2**127 - 1, 2**128 - 1)
    assert (types.INT128.least_shown, types.INT128.most_shown) == (-most, most)
    assert (types.UINT128.least_shown, types.UINT128.most_shown) == (0, most)
    assert (types.INT64.least_shown, types.INT64.most_shown) == (types.INT64.low, types.INT64.high)


@pytest.mark.parametrize(
    ("column_type", "ascending"),
    [
        ("int32", ["-10", "-9", "0", "9", "10"]),
        ("uint64", ["9", "18446744073709551615"]),
        ("float64", ["-inf", "-1e3", "0", "1e-3", "9", "10", "inf"]),
        ("decimal(38,2)", ["-1.50", "9.99", "10.00", "1" * 36 + ".01", "1" * 36 + ".02"]),
        ("varchar", ["10", "9", "a", "ä"]),
        ("date", ["0099-01-01", "1999-12-31", "2024-01-01"]),
        ("date", ["0044-03-15 (BC)", "0001-01-01", "10000-01-01"]),
        ("timestamp", ["1999-12-31 23:59:59", "2024-01-01 00:00:00"]),
        ("timestamp", ["0044-03-15 (BC) 12:00:00", "9999-12-31 00:00:00", "294247-01-10 04:00:54.775807"]),
        ("timestamp_ns", ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.00000001"]),
        ("timestamptz", ["2024-01-01 00:00:00+02", "2023-12-31 22:30:00+00", "2023-12-31 18:00:00-05:30"]),
        ("time", ["00:00:00", "09:00:00", "09:00:00.5", "24:00:00"]),
        ("boolean", ["false", "1"]),
        ("uuid", ["0fffffff-0000-0000-0000-000000000000", "F0000000-0000-0000-0000-000000000000"]),
    ],
)
def test_statistics_compare_as_values_of_their_type(column_type: str, ascending: list[str]) -> None:
    keys = [order_key(stored_type(column_type), text) for text in ascending]
    assert None not in keys
    assert all(low < high for low, high in itertools.pairwise(keys))


@pytest.mark.parametrize(
    ("column_type", "text"),
    [
        ("int32", "ten"),
        ("float64", "x"),
        ("decimal(4,2)", "x"),
        ("date", "-infinity"),
        ("date", "2024-02-30"),
        ("timestamp", "infinity"),
        ("timestamp", "12:00:00"),
        ("time", "2024-01-01"),
        ("timetz", "12:00:00+00"),
        ("interval", "1 day"),
        ("boolean", "yes"),
    ],
)
def test_what_cannot_be_compared_is_not(column_type: str, text: str) -> None:
    assert order_key(stored_type(column_type), text) is None
