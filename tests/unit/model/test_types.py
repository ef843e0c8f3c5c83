"""Types: their names, and how statistics in text are compared."""

import itertools

import pytest

from forklake.model.types import canonical, order_key


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
    assert canonical(written) == name
    assert canonical(name) == name


@pytest.mark.parametrize(
    "written", ["", "money", "decimal(0,0)", "decimal(39,1)", "decimal(2,3)", "decimal(-1)", "int64[]"]
)
def test_what_is_no_type_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"Type .* does not exist"):
        canonical(written)


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
    keys = [order_key(column_type, text) for text in ascending]
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
    assert order_key(column_type, text) is None
