"""Encrypted files, each with a key of its own."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.failures import guard_scan
from forklake.engine.spark.read.scan import scan
from forklake.errors import DataFileError
from forklake.files.access.keys import encrypting, new_key
from forklake.model.scan import ScanFile
from tests.spark.plans import field, plan, scanned, values, written_by_arrow

FIELDS = [
    field(1, "n", "int32"),
    field(2, "u", "uuid"),
    field(3, "s", "struct", field(4, "x", "uint8"), field(5, "l", "list", field(6, "element", "time"))),
    field(7, "m", "map", field(8, "key", "varchar"), field(9, "value", "timestamptz")),
]
UUID = bytes.fromhex("550e8400e29b41d4a716446655440000")


def encrypted(path: Path, count: int, key: str) -> Path:
    moments = pa.array([[("k", 1_591_005_600_000_000)]] * count, pa.map_(pa.string(), pa.timestamp("us", "UTC")))
    part = pa.struct([("x", pa.uint8()), ("l", pa.list_(pa.time64("us")))])
    columns = {
        "n": pa.array(range(count), pa.int32()),
        "u": pa.array([UUID] * count, pa.uuid()),
        "s": pa.array([{"x": 255, "l": [1_500_000, None]}, None] * (count // 2), part),
        "m": moments,
    }
    pq.write_table(pa.table(columns), path, **encrypting(key))
    return path


def made(path: Path, count: int, number: int = 1, **more: object) -> ScanFile:
    key = new_key()
    return scanned(encrypted(path, count, key), FIELDS, number, **{"encryption_key": key, **more})


def test_files_with_keys_of_their_own_are_read_beside_plain_ones(spark: SparkSession, tmp_path: Path) -> None:
    first = made(tmp_path / "1.parquet", 4, inlined_deletes=(1,), row_id_start=10)
    second = made(tmp_path / "2.parquet", 2, 2, row_id_start=20)
    plain = scanned(written_by_arrow(tmp_path / "3.parquet", {"n": pa.array([9], pa.int32())}), FIELDS[:1], 3)
    files = plan(FIELDS, first, second, plain)
    frame = scan(spark, files, columns=["n"], condition="n <> 3", lineage=("rowid",))
    assert values(frame) == [(0, 10), (0, 20), (1, 21), (2, 12), (9, 0)]


def test_what_is_in_them_shows_as_from_any_file(spark: SparkSession, tmp_path: Path) -> None:
    frame = scan(spark, plan(FIELDS, made(tmp_path / "1.parquet", 2)))
    shown = frame.selectExpr("n", "u", "s", "transform_values(m, (k, v) -> unix_seconds(v)) AS m")
    uuid = "550e8400-e29b-41d4-a716-446655440000"
    assert values(shown) == [
        (0, uuid, (255, ["00:00:01.5", None]), {"k": 1591005600}),
        (1, uuid, None, {"k": 1591005600}),
    ]


def test_a_wrong_key_is_an_error_that_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    files = plan(FIELDS, made(tmp_path / "1.parquet", 2, encryption_key=new_key()))
    with (
        pytest.raises(DataFileError, match=r'Cannot read data file ".*1\.parquet" of table "t": .*decrypted'),
        guard_scan(files),
    ):
        scan(spark, files).collect()


def test_a_key_that_is_none_is_an_error_that_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    files = plan(FIELDS, made(tmp_path / "1.parquet", 2, encryption_key="no key"))
    with (
        pytest.raises(
            DataFileError, match=r'1\.parquet" of table "t": it cannot be decrypted: its key in the metadata is damaged'
        ),
        guard_scan(files),
    ):
        scan(spark, files).collect()


def test_a_missing_key_is_an_error_that_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    files = plan(FIELDS, made(tmp_path / "1.parquet", 2, encryption_key=None))
    with (
        pytest.raises(DataFileError, match=r'Cannot read data file ".*1\.parquet" of table "t": it is encrypted'),
        guard_scan(files),
    ):
        scan(spark, files).collect()
