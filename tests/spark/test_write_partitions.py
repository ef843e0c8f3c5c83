"""Files of tables with partitions: one value of each key per file, told exactly."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.write.partition_tokens import with_tokens
from forklake.engine.spark.write.write_rows import write
from forklake.files.arrow.array_transforms import transform_value
from forklake.files.casting.texts import to_array
from forklake.files.parquet.partitions import hive_path
from forklake.model import types
from forklake.model.definitions import SortKey
from forklake.model.transforms import Transform
from forklake.model.types import Type
from forklake.model.write import PartitionKey, WriteOptions
from tests.spark.targets import fields_of, rows_of, settings, target_at
from tests.transforms import CASES, VALUES

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
    target = target_at(tmp_path, {"k": "varchar", "n": "int32"}, partition_keys=(PartitionKey("K"),))
    rows = [(value, number) for number, value in enumerate(values * 3)]

    files = write(spark.createDataFrame(rows, "k string, n int"), target)

    assert by_values(files) == {(value,): 3 for value in values}
    assert len(files) == len(values)
    for file in files:
        assert {row[0] for row in rows_of(target, [file], "k")} == {file.partition_values[0]}


def test_directories_are_those_of_hive(spark: SparkSession, tmp_path: Path) -> None:
    keys = (PartitionKey("d", Transform.parse("year")), PartitionKey("k"))
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
    key = PartitionKey("k")
    target = target_at(tmp_path, {"k": "int64"}, partition_keys=(key,), options=options)

    files = write(spark.range(3).toDF("k"), target)

    assert sorted(file.partition_values for file in files) == [("0",), ("1",), ("2",)]
    assert not any("/" in file.path for file in files)


def test_a_value_is_written_by_one_task(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64", "k": "int64"}, partition_keys=(PartitionKey("k"),))

    files = write(spark.range(0, 10_000, 1, 20).selectExpr("id", "id % 7 AS k"), target)

    assert len(files) == 7
    assert sum(file.record_count for file in files) == 10_000


@pytest.mark.parametrize("zone", [pytest.param("UTC", marks=pytest.mark.soak), "America/New_York"])
def test_tokens_tell_apart_what_arrow_tells_apart(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    fields = fields_of({str(number): kind for number, kind in enumerate(VALUES)})
    texts = {field.name: [*VALUES[field.type], None] for field in fields}
    count = max(len(some) for some in texts.values())
    shown = [to_array(field, texts[field.name] + [None] * (count - len(texts[field.name]))) for field in fields]
    names = {field.type: field.name for field in fields}
    cases = [(fields[int(names[kind])], transform) for kind, transform in CASES]
    target = replace(
        target_at(tmp_path, {}),
        fields=fields,
        partition_keys=tuple(PartitionKey(field.name, transform) for field, transform in cases),
    )
    table = pa.table(shown, [field.name for field in fields])

    with settings(spark, {"spark.sql.session.timeZone": zone}):
        rows, columns = with_tokens(spark.createDataFrame(table, spark_schema(fields)), target)
        found = rows.select(*columns).toArrow()

    for (field, transform), column in zip(cases, columns, strict=True):
        tokens = found.column(column).to_pylist()
        expected = [
            None if text is None else transform_value(field.type, transform, text) for text in texts[field.name]
        ]
        pairs = set(zip(tokens, expected, strict=False))
        told = (field.type, str(transform), sorted(pairs, key=str))
        assert len({token for token, _ in pairs}) == len({value for _, value in pairs}) == len(pairs), told
        assert all((token == "n") == (value is None) for token, value in pairs), told
        if not transform.is_identity:
            assert all(token == f"v{value.encode().hex().upper()}" for token, value in pairs if value), told


@pytest.mark.parametrize(
    "kind",
    [types.VARCHAR, types.FLOAT64, types.UINT64, types.TIMESTAMP_NS, types.TIMESTAMPTZ, types.UUID],
    ids=str,
)
def test_values_are_those_of_rows_written_without_spark(spark: SparkSession, tmp_path: Path, kind: Type) -> None:
    (field,) = fields_of({"v": kind})
    texts = [*VALUES[kind], None]
    frame = spark.createDataFrame(pa.table([to_array(field, texts)], ["v"]), spark_schema((field,)))
    keys = (PartitionKey("v"), PartitionKey("v", Transform.bucket(16)))
    target = target_at(tmp_path, {"v": kind}, partition_keys=keys)

    with settings(spark, {"spark.sql.session.timeZone": "America/New_York"}):
        files = write(frame, target)

    expected: dict[tuple[str | None, ...], int] = defaultdict(int)
    for text in texts:
        values = [None if text is None else transform_value(kind, key.transform, text) for key in keys]
        expected[tuple(values)] += 1
    assert by_values(files) == dict(expected)
    assert len(files) == len(expected)


def test_rows_of_a_sorted_partition_are_sorted(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(
        tmp_path,
        {"id": "int64", "k": "int64", "v": "int64"},
        partition_keys=(PartitionKey("k"),),
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
