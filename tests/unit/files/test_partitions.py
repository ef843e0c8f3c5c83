"""Partition values are those that DuckLake itself gives, and its directories are named as it names them."""

from decimal import Decimal
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest

from forklake.errors import InvalidInputError
from forklake.files.murmur3 import hash_bytes, hash_longs
from forklake.files.partitions import hive_path, hive_values, partition_values, transform_value
from forklake.files.schema import arrow_type
from forklake.files.type_names import sql_name
from forklake.files.values import stored_array
from forklake.model.field import Field
from forklake.model.write import PartitionKey
from tests.interop.ducklake import attached, duckdb_with_ducklake, write

VALUES: dict[str, list[str]] = {
    "boolean": ["true", "false"],
    "int8": ["-128", "0", "34"],
    "int32": ["34", "-1"],
    "int64": ["34", "-9223372036854775808"],
    "uint8": ["200"],
    "uint64": ["18446744073709551615", "1"],
    "int128": ["1", "-99999999999999999999"],
    "float32": ["1.5", "0.1", "-0.0", "nan", "inf"],
    "float64": ["1.5", "0.1", "1e20", "-0.0"],
    "decimal(4,1)": ["14.2", "-0.5"],
    "decimal(9,2)": ["14.20"],
    "decimal(18,4)": ["-14.2000"],
    "decimal(38,10)": ["14.2000000000"],
    "varchar": ["iceberg", "", "ä€漢😀", "abcd", "abcde"],
    "json": ['{"a": 1}'],
    "blob": ["abc", "\\x00\\x01\\x02\\x03"],
    "uuid": ["f79c3e09-677c-4bbd-a479-3f349cb785e7"],
    "date": ["2017-11-16", "1969-12-31", "0044-03-15 (BC)", "infinity"],
    "time": ["22:31:08.5", "00:00:00"],
    "timetz": ["22:31:08+02", "01:02:03.5-05:30"],
    "timestamp": ["2017-11-16 22:31:08", "1969-12-31 23:59:59.999999", "0044-03-15 (BC) 12:00:00", "-infinity"],
    "timestamp_s": ["2017-11-16 22:31:08", "1969-12-31 23:59:59"],
    "timestamp_ms": ["2017-11-16 22:31:08.123", "1969-12-31 23:59:59.999"],
    "timestamp_ns": ["2017-11-16 22:31:08.123456789", "1969-12-31 23:59:59.999999999", "2019-12-31 23:59:59.999999999"],
    "timestamptz": ["2017-11-16 22:31:08+00", "1969-12-31 23:59:59+00"],
    "interval": ["1 day", "1 year 2 months 03:00:00"],
}
DATED = ["date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz"]


def ask(expression: str, column_type: str, text: str) -> str | None:
    """Return what DuckDB says of a value, as text."""
    typed = f"CAST(? AS {sql_name(Field(None, 'c', column_type))})"
    found = (
        duckdb_with_ducklake().execute(f"SELECT CAST({expression.replace('$', typed)} AS VARCHAR)", [text]).fetchone()
    )
    assert found is not None
    return None if found[0] is None else str(found[0])


@pytest.mark.parametrize("column_type", VALUES)
def test_a_bucket_is_the_one_of_ducklake(column_type: str) -> None:
    for text in VALUES[column_type]:
        expected = ask("(murmur3_32($) & 2147483647) % 1009", column_type, text)
        assert (text, transform_value(column_type, "bucket(1009)", text)) == (text, expected)


@pytest.mark.parametrize(
    ("hashed", "expected"),
    [
        (hash_longs(np.array([34])), 2017239379),
        (hash_longs(np.array([17486])), -653330422),
        (hash_longs(np.array([1510871468000000])), -2047944441),
        (hash_bytes(pa.array([b"iceberg"])), 1210000089),
        (hash_bytes(pa.array([b"\x00\x01\x02\x03"])), -188683207),
        (hash_bytes(pa.array([UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes])), 1488055340),
        (hash_bytes(pa.array([(1420).to_bytes(2, "big")])), -500754589),
    ],
)
def test_hashes_are_those_that_iceberg_publishes(hashed: np.ndarray, expected: int) -> None:
    assert hashed.view(np.int32).tolist() == [expected]


@pytest.mark.parametrize("column_type", DATED)
@pytest.mark.parametrize("part", ["year", "month", "day", "hour"])
def test_parts_are_those_of_duckdb(column_type: str, part: str) -> None:
    for text in VALUES[column_type]:
        if column_type == "timestamptz":
            expected = ask(f"{part}(make_timestamp(epoch_us($)))", column_type, text)
        else:
            expected = ask(f"{part}($)", column_type, text)
        assert (text, transform_value(column_type, part, text)) == (text, expected)


@pytest.mark.parametrize("column_type", [name for name in DATED if name != "timestamp_ns"])
@pytest.mark.parametrize("part", ["year", "month", "day", "hour"])
def test_epochs_count_whole_parts_since_1970(column_type: str, part: str) -> None:
    for text in VALUES[column_type]:
        moment = "make_timestamp(epoch_us($))" if column_type == "timestamptz" else "$"
        expected = ask(f"date_diff('{part}', DATE '1970-01-01', {moment})", column_type, text)
        assert (text, transform_value(column_type, f"epoch_{part}", text)) == (text, expected)


def test_epochs_of_nanoseconds_round_down() -> None:
    before = "1969-12-31 23:59:59.999999999"
    assert [transform_value("timestamp_ns", f"epoch_{part}", before) for part in ("year", "hour")] == ["-1", "-1"]


def test_the_hour_of_a_time_is_its_own() -> None:
    assert transform_value("time", "hour", "22:31:08") == "22"


@pytest.mark.parametrize("column_type", VALUES)
def test_identity_is_the_text_of_the_value(column_type: str) -> None:
    for text in VALUES[column_type]:
        expected = "0.0" if text == "-0.0" else ask("$", column_type, text)
        assert transform_value(column_type, "identity", text) == expected


def test_rows_are_transformed_as_a_column() -> None:
    array = pa.array(["a", None, "b", "a", ""]).slice(1)
    assert partition_values(array, "varchar", "identity") == [None, "b", "a", ""]
    numbers = pa.array([Decimal("14.20"), None, Decimal("1.00")], pa.decimal128(9, 2)).slice(0, 2)
    assert partition_values(numbers, "decimal(9,2)", "bucket(8)") == ["1", None]
    assert partition_values(pa.array([], pa.int32()), "int32", "bucket(8)") == []


def test_a_column_of_uuids_is_transformed_as_files_store_it() -> None:
    field = Field(None, "u", "uuid")
    array = stored_array(field, ["f79c3e09-677c-4bbd-a479-3f349cb785e7", None])
    assert array.type == arrow_type(field)
    assert partition_values(array, "uuid", "bucket(8)") == ["7", None]
    assert partition_values(array, "uuid", "identity") == ["f79c3e09-677c-4bbd-a479-3f349cb785e7", None]


@pytest.mark.parametrize(
    ("column_type", "transform"),
    [("varchar", "year"), ("time", "day"), ("int32", "week"), ("int32", "bucket(0)"), ("list", "identity")],
)
def test_a_transform_that_does_not_fit_is_refused(column_type: str, transform: str) -> None:
    array = pa.array(["2020"]) if column_type == "varchar" else pa.array([1]).cast(pa.int32())
    with pytest.raises(InvalidInputError):
        partition_values(array, column_type, transform)


def test_a_text_that_is_no_value_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="2020-13-01"):
        transform_value("date", "year", "2020-13-01")


ODD = "a b%/é=?:#\"'*^~-_.+&"


def test_directories_are_those_that_ducklake_makes(tmp_path: Path) -> None:
    quoted = ODD.replace("'", "''")
    url = f"ducklake:{tmp_path}/lake.ducklake"
    write(
        url,
        tmp_path / "data",
        'CREATE TABLE t("a b" VARCHAR, "year" INTEGER, d DATE, e DATE, f DATE)',
        "CALL {lake}.set_option('data_inlining_row_limit', 0)",
        'ALTER TABLE t SET PARTITIONED BY ("a b", "year", year(d), year(e), bucket(4, f), bucket(4, d))',
        f"INSERT INTO t VALUES ('{quoted}', NULL, '2020-01-02', '2021-01-02', NULL)",
    )
    with attached(url, READ_ONLY=True) as (connection, alias):
        row = connection.execute(f"SELECT path FROM __ducklake_metadata_{alias}.ducklake_data_file").fetchone()
    assert row is not None
    keys = [
        PartitionKey("a b", "identity"),
        PartitionKey("year", "identity"),
        PartitionKey("d", "year"),
        PartitionKey("e", "year"),
        PartitionKey("f", "bucket(4)"),
        PartitionKey("d", "bucket(4)"),
    ]
    values = [ODD, None, "2020", "2021", None, transform_value("date", "bucket(4)", "2020-01-02")]
    assert hive_path(keys, values) == row[0].rpartition("/")[0] + "/"
    assert list(hive_values(row[0]).values()) == values


def test_a_directory_name_stays_short_enough_for_file_systems() -> None:
    one, other = (hive_path([PartitionKey("c", "identity")], ["x" * 1000 + end]) for end in "ab")
    assert one != other
    assert len(one) <= 256
