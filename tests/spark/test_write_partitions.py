"""Files of tables with partitions: one value of each key per file, told exactly."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.write.write_rows import write
from forklake.files.partitions import hive_path, partition_values
from forklake.files.schema import arrow_type
from forklake.files.texts import parse_values, to_array
from forklake.files.values import stored_array
from forklake.model.definitions import SortKey
from forklake.model.write import PartitionKey, WriteOptions
from tests.spark.targets import fields_of, rows_of, settings, target_at

ODD = [
    "",
    " ",
    "a/b",
    "a=b",
    "100%",
    "%2F",
    "ä",
    "日本",
    ".",
    "..",
    "__HIVE_DEFAULT_PARTITION__",
    "a b",
    "A",
    "a",
    "'\"\\",
    "\n",
]


def by_values(files: list[Any]) -> dict[tuple[str | None, ...], int]:
    found: dict[tuple[str | None, ...], int] = defaultdict(int)
    for file in files:
        found[file.partition_values] += file.record_count
    return dict(found)


def test_each_value_is_told_exactly(spark: SparkSession, tmp_path: Path) -> None:
    values = [*ODD, "x" * 1000, "y" * 1000, "ä" * 200, None]
    target = target_at(tmp_path, {"k": "varchar", "n": "int32"}, partition_keys=(PartitionKey("K", "identity"),))
    rows = [(value, number) for number, value in enumerate(values * 3)]

    files = write(spark.createDataFrame(rows, "k string, n int"), target)

    assert by_values(files) == {(value,): 3 for value in values}
    assert len(files) == len(values)
    for file in files:
        assert {row[0] for row in rows_of(target, [file], "k")} == {file.partition_values[0]}


def test_directories_are_those_of_hive(spark: SparkSession, tmp_path: Path) -> None:
    keys = (PartitionKey("d", "year"), PartitionKey("k", "identity"))
    target = target_at(tmp_path, {"k": "varchar", "d": "date"}, partition_keys=keys)
    frame = spark.sql("SELECT 'a/b' AS k, DATE '2020-05-06' AS d UNION ALL SELECT NULL, NULL")

    files = write(frame, target)

    assert {file.path.rpartition("/")[0] for file in files} == {
        "year=2020/k=a%2Fb",
        "year=__HIVE_DEFAULT_PARTITION__/k=__HIVE_DEFAULT_PARTITION__",
    }
    assert all(file.path.startswith(hive_path(keys, file.partition_values)) for file in files)


def test_files_lie_in_the_root_without_the_hive_pattern(spark: SparkSession, tmp_path: Path) -> None:
    options = WriteOptions(hive_file_pattern=False)
    key = PartitionKey("k", "identity")
    target = target_at(tmp_path, {"k": "int64"}, partition_keys=(key,), options=options)

    files = write(spark.range(3).toDF("k"), target)

    assert sorted(file.partition_values for file in files) == [("0",), ("1",), ("2",)]
    assert not any("/" in file.path for file in files)


def test_a_value_is_written_by_one_task(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64", "k": "int64"}, partition_keys=(PartitionKey("k", "identity"),))

    files = write(spark.range(0, 10_000, 1, 20).selectExpr("id", "id % 7 AS k"), target)

    assert len(files) == 7
    assert sum(file.record_count for file in files) == 10_000


SAMPLES: list[tuple[str, list[str | None]]] = [
    ("boolean", ["true", "false", None]),
    ("int8", ["-128", "0", "127", None]),
    ("int32", ["34", "-1", "0", None]),
    ("int64", ["34", "-9223372036854775808", "9223372036854775807"]),
    ("int128", ["34", "-99999999999999999999999999999999999999", None]),
    ("float32", ["0.1", "-0.0", "0.0", "nan", "inf", "1e30"]),
    ("float64", ["0.1", "-0.0", "0.0", "nan", "-inf", "1e300", "1e-7", "123456789012.5"]),
    ("decimal(9,2)", ["14.20", "-14.20", "0.00", None]),
    ("decimal(38,10)", ["0.0000000001", "-12345.5", None]),
    ("varchar", ["iceberg", "", "abc", "ä", "日本語", None]),
    ("json", ['{"a": 1}', "null", None]),
    ("blob", ["abc", "\\x00\\xFF", "", None]),
    ("date", ["2017-11-16", "1969-12-31", "1969-01-01", "0001-01-01", "9999-12-31", None]),
    ("timestamp", ["2017-11-16 22:31:08", "1969-12-31 23:59:59.999999", "1960-02-29 00:00:00.5", None]),
    ("timestamp_s", ["2017-11-16 22:31:08", "1969-12-31 23:59:59", None]),
    ("timestamp_ms", ["2017-11-16 22:31:08.123", "1969-12-31 23:59:59.999", None]),
    ("timestamptz", ["2020-10-25 00:30:00+00", "2020-10-25 01:30:00+00", "1969-12-31 23:59:59.5+00", None]),
    ("uint8", ["255", "0", None]),
    ("uint64", ["18446744073709551615", "34", None]),
    ("uuid", ["f79c3e09-677c-4bbd-a479-3f349cb785e7", "00000000-0000-0000-0000-000000000000", None]),
    ("time", ["22:31:08", "00:00:00.000001", None]),
    ("timestamp_ns", ["2017-11-16 22:31:08.123456789", "1969-12-31 23:59:59.999999999", None]),
]
PARTS = ("year", "month", "day", "hour", "epoch_year", "epoch_month", "epoch_day", "epoch_hour")
CASES = [
    (column_type, transform, texts)
    for column_type, texts in SAMPLES
    for transform in (
        "identity",
        "bucket(16)",
        *(PARTS if column_type[:4] in ("date", "time") and column_type != "time" else ()),
    )
]


@pytest.mark.parametrize("column_type", [column_type for column_type, _ in SAMPLES])
def test_values_are_those_of_rows_written_without_spark(spark: SparkSession, tmp_path: Path, column_type: str) -> None:
    (field,) = fields_of({"v": column_type})
    texts = dict(SAMPLES)[column_type]
    shown = to_array(field, texts)
    schema: StructType = spark_schema((field,))
    frame = spark.createDataFrame(pa.table([shown], ["v"]), schema)
    transforms = [transform for kind, transform, _ in CASES if kind == column_type]
    if not shown.type.equals(arrow_type(field)):
        stored = pa.concat_arrays([_stored(field, text) for text in texts])
    else:
        stored = shown
    for zone in ("UTC", "America/New_York"):
        for transform in transforms:
            target = target_at(tmp_path, {"v": column_type}, partition_keys=(PartitionKey("v", transform),))
            with settings(spark, {"spark.sql.session.timeZone": zone}):
                files = write(frame, target)
            expected: dict[tuple[str | None, ...], int] = defaultdict(int)
            for value in partition_values(stored, column_type, transform):
                expected[(value,)] += 1
            assert by_values(files) == dict(expected), (transform, zone)
            assert len(files) == len(expected), (transform, zone)


def _stored(field: Any, text: str | None) -> pa.Array:
    made = stored_array(field, parse_values(field, [text]))
    return made.storage if isinstance(made, pa.ExtensionArray) else made


def test_rows_of_a_sorted_partition_are_sorted(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(
        tmp_path,
        {"id": "int64", "k": "int64", "v": "int64"},
        partition_keys=(PartitionKey("k", "identity"),),
        sort_keys=(SortKey("v", "DESC", "NULLS_FIRST"), SortKey("id")),
    )
    frame = spark.range(0, 5_000, 1, 5).selectExpr(
        "id", "id % 3 AS k", "CASE WHEN id % 10 = 0 THEN NULL ELSE id * 7919 % 1000 END AS v"
    )

    files = write(frame, target)

    assert len(files) == 3
    for file in files:
        rows = rows_of(target, [file], "v, id")
        assert rows == sorted(rows, key=lambda row: (row[0] is not None, -(row[0] or 0), row[1]))
        assert any(row[0] is None for row in rows)
