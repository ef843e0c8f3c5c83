"""Files of our PyArrow writer and of Spark's writer: each is read by Spark, and each has statistics that hold."""

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.columns.spark_types import read_type, spark_schema
from forklake.files.arrow.schema import arrow_schema
from forklake.files.arrow.values import stored_array
from forklake.files.casting.texts import parse_values
from forklake.files.parquet.footer import read_footer, read_metadata
from forklake.files.parquet.parquet_writer import write_files
from forklake.files.parquet.statistics import column_stats
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.write import WriteOptions, WriteTarget
from tests.fields import named_field

TEXTS = {
    "boolean": ("true", True),
    "int8": ("-5", -5),
    "int64": ("5000000000", 5_000_000_000),
    "uint8": ("200", 200),
    "uint32": ("4000000000", 4_000_000_000),
    "uint64": ("18446744073709551615", 18_446_744_073_709_551_615),
    "int128": ("99999999999999999999", 99_999_999_999_999_999_999),
    "float32": ("1.5", 1.5),
    "float64": ("0.1", 0.1),
    "varchar": ("ä", "ä"),
    "json": ("[1]", "[1]"),
    "blob": ("\\x00a", bytearray(b"\0a")),
    "uuid": ("00000000-0000-0000-0000-000000000001", bytearray(b"\0" * 15 + b"\1")),
    "time": ("00:00:01", 1_000_000),
    "timestamp_ns": ("1970-01-01 00:00:00.000000001", 1),
    "interval": ("1 day", "1 day"),
}
COLUMNS = tuple(named_field(ColumnId(number), f"c{number}", kind) for number, kind in enumerate(TEXTS, 1))
LISTS = tuple(
    named_field(ColumnId(100 + number), f"l{number}", "list", (named_field(ColumnId(200 + number), "element", kind),))
    for number, kind in enumerate(TEXTS)
)


@pytest.mark.parametrize("version", [1, 2])
def test_spark_reads_every_type_of_our_files(spark: SparkSession, tmp_path: Path, version: int) -> None:
    fields = COLUMNS + LISTS
    scalars = [stored_array(field, parse_values(field, [TEXTS[field.type.name][0], None])) for field in COLUMNS]
    lists = [
        stored_array(field, [[parse_values(field.children[0], [TEXTS[field.children[0].type.name][0]])[0], None], None])
        for field in LISTS
    ]
    schema = arrow_schema(fields)
    target = WriteTarget("t", f"{tmp_path}/", fields, options=WriteOptions(parquet_version=version))
    [file] = write_files([pa.record_batch(scalars + lists, schema=schema)], target, schema)
    held = read_footer(f"{tmp_path}/{file.path}").fields
    rows = spark.read.schema(spark_schema(held, read_type)).parquet(f"{tmp_path}/{file.path}").collect()
    expected = [value for _, value in TEXTS.values()]
    assert list(rows[0]) == [*expected, *([value, None] for value in expected)]
    assert list(rows[1]) == [None] * len(fields)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, math.nan, 2.0], ("1.0", None, True)),
        ([math.nan, math.nan], (None, None, True)),
        ([1.0, None, 2.0], ("1.0", "2.0", False)),
        ([-0.0, 0.0], ("0.0", "0.0", False)),
        ([None, None], (None, None, False)),
    ],
)
def test_a_footer_of_sparks_tells_of_nans(
    spark: SparkSession, tmp_path: Path, values: list[Any], expected: tuple[str | None, str | None, bool]
) -> None:
    frame = spark.createDataFrame([(value,) for value in values], "f double").coalesce(1)
    frame.write.parquet(f"{tmp_path}/t")
    [path] = (tmp_path / "t").glob("*.parquet")
    metadata, _, _ = read_metadata(str(path))
    stats = column_stats(metadata, [Field(ColumnId(1), "f", types.FLOAT64)])["f"]
    assert (stats.min_value, stats.max_value, stats.contains_nan) == expected
    assert (stats.value_count, stats.null_count) == (len(values) - values.count(None), values.count(None))


def test_a_footer_of_sparks_has_the_same_bounds_as_ours(spark: SparkSession, tmp_path: Path) -> None:
    sql = """SELECT * FROM VALUES
        (true, 5Y, 7, 1.5BD, CAST(-123.45 AS DECIMAL(30, 5)), 'ä', X'00FF', DATE'0900-01-01',
         TIMESTAMP_NTZ'2020-01-01 12:00:00.5', array(1, null), map('k', 2.5), named_struct('x', 1)),
        (false, -5Y, NULL, -1.5BD, CAST(5 AS DECIMAL(30, 5)), 'b', X'', DATE'2020-01-01',
         TIMESTAMP_NTZ'1900-01-01 00:00:00', array(), map(), NULL)
        AS t(b, i8, i32, dec, wide, s, bl, d, ts, l, m, st)"""
    spark.sql(sql).coalesce(1).write.parquet(f"{tmp_path}/t")
    [path] = (tmp_path / "t").glob("*.parquet")
    fields = (
        Field(ColumnId(1), "b", types.BOOLEAN),
        Field(ColumnId(2), "i8", types.INT8),
        Field(ColumnId(3), "i32", types.INT32),
        Field(ColumnId(4), "dec", types.Decimal(2, 1)),
        Field(ColumnId(5), "wide", types.Decimal(30, 5)),
        Field(ColumnId(6), "s", types.VARCHAR),
        Field(ColumnId(7), "bl", types.BLOB),
        Field(ColumnId(8), "d", types.DATE),
        Field(ColumnId(9), "ts", types.TIMESTAMP),
        named_field(ColumnId(11), "l", "list", (Field(ColumnId(12), "element", types.INT32),)),
        named_field(
            ColumnId(13),
            "m",
            "map",
            (Field(ColumnId(14), "key", types.VARCHAR), Field(ColumnId(15), "value", types.Decimal(2, 1))),
        ),
        named_field(ColumnId(16), "st", "struct", (Field(ColumnId(17), "x", types.INT32),)),
    )
    metadata, _, _ = read_metadata(str(path))
    found = column_stats(metadata, fields)
    assert {name: (s.value_count, s.null_count, s.min_value, s.max_value) for name, s in found.items()} == {
        "b": (2, 0, "0", "1"),
        "i8": (2, 0, "-5", "5"),
        "i32": (1, 1, "7", "7"),
        "dec": (2, 0, "-1.5", "1.5"),
        "wide": (2, 0, "-123.45000", "5.00000"),
        "s": (2, 0, "b", "ä"),
        "bl": (2, 0, "", "00FF"),
        "d": (2, 0, "0900-01-01", "2020-01-01"),
        "ts": (2, 0, "1900-01-01 00:00:00", "2020-01-01 12:00:00.5"),
        "l.element": (1, 2, "1", "1"),
        "m.key": (1, 1, "k", "k"),
        "m.value": (1, 1, "2.5", "2.5"),
        "st.x": (1, 1, "1", "1"),
    }
