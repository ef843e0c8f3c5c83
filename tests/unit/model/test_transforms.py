"""Partition transforms of single values, as DuckLake computes them."""

import pytest

from forklake.model.transforms import Function, Transform
from forklake.model.types.read import stored_type


@pytest.mark.parametrize(
    ("column_type", "text", "bucket"),
    [
        # What DuckDB 1.5.5 with DuckLake wrote for bucket(1000, c).
        ("boolean", "true", "556"),
        ("boolean", "0", "676"),
        ("int8", "-5", "974"),
        ("int32", "34", "379"),
        ("int64", "34", "379"),
        ("int64", "-1", "712"),
        ("uint8", "200", "824"),
        ("uint32", "4000000000", "989"),
        ("uint64", "18446744073709551615", "963"),
        ("int128", "34", "257"),
        ("float32", "1.5", "339"),
        ("float32", "0.1", "394"),
        ("float32", "-0.0", "676"),
        ("float64", "0.0", "676"),
        ("decimal(9,2)", "14.20", "465"),
        ("decimal(9,2)", "14.2", "465"),
        ("varchar", "iceberg", "89"),
        ("varchar", "", "0"),
        ("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", "783"),
        ("date", "2017-11-16", "226"),
        ("timestamp", "2017-11-16 22:31:08", "207"),
        ("timestamptz", "2017-11-16 17:31:08-05", "207"),
        ("timestamp_ms", "2017-11-16 22:31:08", "510"),
        ("timestamp_ns", "2017-11-16 22:31:08", "579"),
        ("time", "22:31:08", "659"),
        # Not told: DuckLake hashes text that is not known from the value alone, or there is no such value.
        ("decimal(9,2)", "14.201", None),
        ("decimal(38,2)", "14.20", None),
        ("date", "infinity", None),
        ("int32", "x", None),
        ("float64", "nan", None),
        ("blob", "a", None),
    ],
)
def test_buckets_are_those_of_ducklake(column_type: str, text: str, bucket: str | None) -> None:
    assert Transform.bucket(1000).of_text(stored_type(column_type), text) == bucket


@pytest.mark.parametrize(
    ("column_type", "transform", "text", "value"),
    [
        ("date", "identity", "2017-11-16", "2017-11-16"),
        ("date", "year", "2017-11-16", "2017"),
        ("date", "year", "0044-03-15 (BC)", "-43"),
        ("date", "month", "2017-11-16", "11"),
        ("date", "day", "2017-11-16", "16"),
        ("date", "hour", "2017-11-16", "0"),
        ("timestamp", "hour", "1969-12-31 23:59:59.999999", "23"),
        ("timestamp", "day", "1969-12-31 23:59:59.999999", "31"),
        ("timestamptz", "day", "2017-11-15 22:31:08-05", "16"),
        ("time", "hour", "22:31:08", "22"),
        ("time", "year", "22:31:08", None),
        ("timestamp", "epoch_year", "1969-12-31 23:59:59", "-1"),
        ("timestamp", "epoch_month", "1970-02-01 00:00:00", "1"),
        ("timestamp", "epoch_month", "1969-12-31 00:00:00", "-1"),
        ("date", "epoch_day", "1969-12-31", "-1"),
        ("timestamp", "epoch_hour", "1969-12-31 23:00:00", "-1"),
        ("date", "year", "infinity", None),
        ("timestamp_ns", "year", "1969-12-31 23:59:59.999999999", "1970"),  # as DuckDB says it
        ("timestamp_ns", "epoch_year", "1969-12-31 23:59:59.999999999", "-1"),
        ("time", "hour", "24:00:00", None),
        ("int32", "year", "5", None),
    ],
)
def test_parts_are_those_of_the_calendar(column_type: str, transform: str, text: str, value: str | None) -> None:
    assert Transform.parse(transform).of_text(stored_type(column_type), text) == value


@pytest.mark.parametrize(
    ("text", "transform"),
    [
        ("identity", Transform(Function.IDENTITY)),
        ("Year", Transform(Function.YEAR)),
        ("EPOCH_HOUR", Transform(Function.EPOCH_HOUR)),
        (" bucket( 016 )", Transform(Function.BUCKET, 16)),
        ("bucket(2147483647)", Transform.bucket(2**31 - 1)),
    ],
)
def test_a_transform_is_read_from_its_text(text: str, transform: Transform) -> None:
    assert Transform.parse(text) == transform
    assert Transform.parse(str(transform)) == transform


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("century", "Unsupported partition function century - only year, month, day, hour, epoch_year"),
        ("bucket", "Unsupported partition function bucket - only"),
        ("year(4)", r"Unsupported partition function year\(4\) - only"),
        ("bucket(4, a)", "Unsupported partition function"),
        ("", "Unsupported partition function"),
        ("bucket(0)", "Bucket count must be positive"),
        ("bucket(-1)", "Bucket count must be positive"),
        ("bucket(2147483648)", "Bucket count cannot exceed 2147483647"),
    ],
)
def test_a_text_that_names_no_transform_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Transform.parse(text)
