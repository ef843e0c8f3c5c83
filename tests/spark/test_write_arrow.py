"""Files that PyArrow makes inside Spark's tasks."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.write.write_rows import needs_arrow, write, write_arrow
from forklake.errors import InvalidInputError
from forklake.files.access.keys import decrypting
from forklake.files.incoming.conform import conform
from forklake.model.definitions import SortKey
from forklake.model.write import PartitionKey, WriteOptions
from tests.spark.targets import fields_of, rows_of, settings, target_at

UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
COLUMNS = {
    "id": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "key": "uuid",
    "at": "time",
    "ns": "timestamp_ns",
    "tz": "timestamptz",
    "l": ["uuid"],
    "s": {"x": "uint64", "t": ["time"]},
}
ROW = (
    "SELECT 1L AS id, 255 AS u1, 65535 AS u2, 4294967295L AS u4, 18446744073709551615BD AS u8,"
    f" '{UUID.upper()}' AS key, '12:34:56.5' AS at, '2020-01-01 00:00:00.123456789' AS ns,"
    f" TIMESTAMP '2020-01-01T00:00:00Z' AS tz, array('{UUID}', NULL) AS l,"
    " named_struct('x', 7, 't', array('00:00:01')) AS s"
)

TEXTS = 'u1, u2, u4, u8, key::VARCHAR, "at"::VARCHAR, ns::VARCHAR, tz::VARCHAR, l::VARCHAR, s::VARCHAR'


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_types_that_spark_lacks_are_stored_as_duckdb_stores_them(
    spark: SparkSession, tmp_path: Path, zone: str
) -> None:
    target = target_at(tmp_path, COLUMNS)
    with settings(spark, {"spark.sql.session.timeZone": zone}):
        (file,) = write(spark.sql(ROW), target)

    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?))", [target.directory + file.path]
        )
        assert dict(found.fetchall()) == {
            "id": "BIGINT",
            "u1": "UTINYINT",
            "u2": "USMALLINT",
            "u4": "UINTEGER",
            "u8": "UBIGINT",
            "key": "UUID",
            "at": "TIME",
            "ns": "TIMESTAMP_NS",
            "tz": "TIMESTAMP WITH TIME ZONE",
            "l": "UUID[]",
            "s": "STRUCT(x UBIGINT, t TIME[])",
        }
    (row,) = rows_of(target, [file], TEXTS)
    assert row == (
        255,
        65535,
        4294967295,
        18446744073709551615,
        UUID,
        "12:34:56.5",
        "2020-01-01 00:00:00.123456789",
        "2020-01-01 00:00:00+00",
        f"[{UUID}, NULL]",
        "{'x': 7, 't': ['00:00:01']}",
    )
    ids = pq.ParquetFile(target.directory + file.path).schema_arrow.field("l").type.value_field.metadata
    assert ids[b"PARQUET:field_id"] == b"11"
    assert file.mapping is None
    assert (file.column_stats["u8"].max_value, file.column_stats["key"].min_value) == ("18446744073709551615", UUID)


def test_files_end_up_below_the_table_and_nothing_else_is_left(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "uint64", "k": "int64"}, partition_keys=(PartitionKey("k"),))

    files = write(spark.range(0, 1_000, 1, 4).selectExpr("id", "id % 3 AS k"), target)

    assert sorted(file.partition_values for file in files) == [("0",), ("1",), ("2",)]
    assert all(file.path.startswith(f"k={file.partition_values[0]}/ducklake-") for file in files)
    left = sorted(
        str(path.relative_to(target.directory)) for path in Path(target.directory).rglob("*") if path.is_file()
    )
    assert left == sorted(file.path for file in files)
    assert not list(Path(target.directory).glob("write-*"))
    assert rows_of(target, files, "count(*), sum(id)") == [(1_000, 499_500)]


def test_a_failing_row_leaves_no_file(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"key": "uuid"})

    with pytest.raises(InvalidInputError) as failure:
        write(spark.sql(f"SELECT * FROM VALUES ('{UUID}'), ('nonsense') AS t(key)"), target)

    assert str(failure.value) == "Could not convert string 'nonsense' to INT128 (column \"key\")"
    assert not list(tmp_path.rglob("*.parquet"))


def test_no_rows_make_no_file(spark: SparkSession, tmp_path: Path) -> None:
    assert write(spark.sql(f"{ROW} WHERE false"), target_at(tmp_path, COLUMNS)) == []
    assert not list(tmp_path.rglob("*.parquet"))


def test_encrypted_files_have_a_key_each(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64", "s": "varchar"}, is_encrypted=True)

    rows = spark.range(0, 100, 1, 2).selectExpr("id", "'secret' AS s")
    files = [file for _ in range(2) for file in write(rows, target)]

    assert len({file.encryption_key for file in files}) == len(files) == 2
    total = 0
    for file in files:
        path = target.directory + file.path
        assert b"secret" not in Path(path).read_bytes()
        total += pq.read_table(path, decryption_properties=decrypting(path, file.encryption_key)).num_rows
    assert total == 200


def test_brotli_is_written(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"}, options=WriteOptions(parquet_compression="brotli"))

    (file,) = write(spark.range(0, 100, 1, 1), target)

    assert needs_arrow(target)
    assert pq.ParquetFile(target.directory + file.path).metadata.row_group(0).column(0).compression == "BROTLI"


def test_rows_are_sorted_over_all_files(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "uint32"}, sort_keys=(SortKey("id", "DESC"),))

    files = write(spark.range(0, 1_000, 1, 4), target)

    for file in files:
        numbers = [number for (number,) in rows_of(target, [file], "id")]
        assert numbers == sorted(numbers, reverse=True)


def test_a_variant_beside_them_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"v": "variant", "u": "uint8"})

    with pytest.raises(InvalidInputError, match=r'^Rows of table "t" cannot be written by Spark'):
        write(spark.sql("SELECT parse_json('1') AS v, 1 AS u"), target)


@pytest.mark.parametrize(
    "columns", [COLUMNS, {"id": "int64", "ts": "timestamp", "s": {"x": ["varchar"]}}], ids=["arrow", "native"]
)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_rows_in_memory_are_written_as_they_are(
    spark: SparkSession, tmp_path: Path, columns: dict[str, object], zone: str
) -> None:
    target = target_at(tmp_path, columns)
    values = {
        "id": [1, None],
        "key": [UUID, None],
        "ns": ["2020-01-01 00:00:00.123456789", None],
        "at": ["12:34:56", None],
        "tz": ["2020-10-25 00:30:00+00", None],
        "ts": ["2020-10-25 02:30:00", None],
        "l": [[UUID], None],
    }
    given = pa.table({name: column for name, column in values.items() if name in columns})
    rows = conform(given, fields_of(columns), "t", by_name=True)
    with settings(spark, {"spark.sql.session.timeZone": zone}):
        files = write_arrow(spark, rows, target)

    found = pa.concat_tables(pq.read_table(target.directory + file.path).select(rows.column_names) for file in files)
    order = [("id", "ascending")]
    assert found.sort_by(order).cast(rows.schema).to_pylist() == rows.sort_by(order).to_pylist()


def test_files_of_spark_tell_the_boxes_of_geometries(spark: SparkSession, tmp_path: Path) -> None:
    point = "unhex('0101000000000000000000F03F0000000000000040')"
    target = target_at(tmp_path, {"i": "int64", "g": "geometry", "l": ["geometry"]})

    (file,) = write(spark.sql(f"SELECT 1L AS i, {point} AS g, array({point}, NULL) AS l"), target)

    box = '{"bbox": {"xmin": 1.000000, "xmax": 1.000000, "ymin": 2.000000, "ymax": 2.000000,'
    told = [stats.extra_stats for stats in file.column_stats.values() if stats.extra_stats is not None]
    assert len(told) == 2
    assert all(text.startswith(box) and text.endswith('"types": ["point"]}') for text in told)
