"""Files that Spark's own Parquet writer makes."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.session import _monkey_patch_RDD

from forklake.engine.spark.write.native_writer import write_native
from forklake.engine.spark.write.write_rows import remove, write
from forklake.errors import EngineError, InvalidInputError
from forklake.model import types
from forklake.model.definitions import MappedColumn, NameMapping
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.scan import ROW_ID_COLUMN
from forklake.model.write import WriteOptions
from tests.spark.targets import fields_of, rows_of, settings, target_at

DATA_FILE = re.compile(r"ducklake-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.parquet")


def files_below(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def test_columns_and_fields_of_structs_have_their_ids(spark: SparkSession, tmp_path: Path) -> None:
    columns = {
        "a": "int32",
        "s": {"x": "varchar", "y": {"z": "int64"}},
        "l": [{"q": "date"}],
        "m": ("varchar", "int32"),
    }
    target = target_at(tmp_path, columns)
    frame = spark.sql(
        "SELECT 1 AS a, named_struct('x', 'u', 'y', named_struct('z', 2L)) AS s,"
        " array(named_struct('q', DATE '2020-01-01')) AS l, map('k', 3) AS m"
    )

    (file,) = write(frame, target)

    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT name, field_id FROM parquet_schema(?) WHERE field_id IS NOT NULL", [target.directory + file.path]
        ).fetchall()
    assert found == [("a", 1), ("s", 2), ("x", 3), ("y", 4), ("z", 5), ("l", 6), ("q", 8), ("m", 9)]
    assert rows_of(target, [file]) == [(1, {"x": "u", "y": {"z": 2}}, [{"q": date(2020, 1, 1)}], {"k": 3})]


def test_types_are_those_that_duckdb_writes(spark: SparkSession, tmp_path: Path) -> None:
    columns = {
        "b": "boolean",
        "i1": "int8",
        "i2": "int16",
        "i4": "int32",
        "i8": "int64",
        "f4": "float32",
        "f8": "float64",
        "dec": "decimal(12,2)",
        "s": "varchar",
        "bin": "blob",
        "d": "date",
        "ts": "timestamp",
        "tz": "timestamptz",
    }
    target = target_at(tmp_path, columns)
    frame = spark.sql(
        "SELECT true b, 1Y i1, 2S i2, 3 i4, 4L i8, 1.5F f4, 2.5D f8, CAST(9.25 AS DECIMAL(12,2)) dec, 'ä' s,"
        " X'00FF' bin, DATE '2020-02-29' d, TIMESTAMP_NTZ '2020-02-29 12:34:56.789012' ts,"
        " TIMESTAMP '2020-02-29T12:00:00+02:00' tz"
    )

    (file,) = write(frame, target)

    with duckdb.connect() as connection:
        path = target.directory + file.path
        found = connection.execute("SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?))", [path])
        assert dict(found.fetchall()) == {
            "b": "BOOLEAN",
            "i1": "TINYINT",
            "i2": "SMALLINT",
            "i4": "INTEGER",
            "i8": "BIGINT",
            "f4": "FLOAT",
            "f8": "DOUBLE",
            "dec": "DECIMAL(12,2)",
            "s": "VARCHAR",
            "bin": "BLOB",
            "d": "DATE",
            "ts": "TIMESTAMP",
            "tz": "TIMESTAMP WITH TIME ZONE",
        }
    texts = "CAST(ts AS VARCHAR), CAST(tz AS VARCHAR), dec, s, bin"
    assert rows_of(target, [file], texts) == [
        ("2020-02-29 12:34:56.789012", "2020-02-29 10:00:00+00", Decimal("9.25"), "ä", b"\x00\xff")
    ]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_settings_of_the_session_change_nothing(spark: SparkSession, tmp_path: Path, zone: str, ansi: str) -> None:
    target = target_at(tmp_path, {"tz": "timestamptz", "n": "timestamp", "old": "date"})
    caller = {
        "spark.sql.session.timeZone": zone,
        "spark.sql.ansi.enabled": ansi,
        "spark.sql.parquet.outputTimestampType": "INT96",
        "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.writeLegacyFormat": "true",
        "spark.sql.parquet.fieldId.write.enabled": "false",
    }
    with settings(spark, caller):
        frame = spark.sql(
            "SELECT TIMESTAMP '2020-10-25T00:30:00Z' AS tz, TIMESTAMP '1900-01-01T00:30:00Z' AS n,"
            " DATE '1200-01-01' AS old"
        )
        (file,) = write(frame, target)
        assert {key: spark.conf.get(key) for key in caller} == caller

    assert rows_of(target, [file], "CAST(tz AS VARCHAR), CAST(n AS VARCHAR), CAST(old AS VARCHAR)") == [
        ("2020-10-25 00:30:00+00", "1900-01-01 00:30:00", "1200-01-01")
    ]
    schema = pq.ParquetFile(target.directory + file.path).schema
    assert [schema.column(place).physical_type for place in range(3)] == ["INT64", "INT64", "INT32"]
    assert schema.to_arrow_schema().field("tz").metadata[b"PARQUET:field_id"] == b"1"


def test_the_session_of_the_caller_stays_the_one_in_use(spark: SparkSession, tmp_path: Path) -> None:
    _monkey_patch_RDD(spark)  # every session that is made takes `toDF` for itself, those of other tests too
    write(spark.range(3), target_at(tmp_path, {"id": "int64"}))

    made = spark.sparkContext.parallelize([(1,)]).toDF(["A"])
    assert made.sparkSession is spark
    assert SparkSession.active() is spark
    assert made.select("a").collect() == [(1,)]


def test_rows_that_are_cached_are_not_computed_again(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.range(0, 100, 1, 2).select(F.rand().alias("x")).cache()
    try:
        total = frame.agg(F.sum("x")).collect()[0][0]
        target = target_at(tmp_path, {"x": "float64"})
        files = write(frame, target)
    finally:
        frame.unpersist()

    assert rows_of(target, files, "sum(x)")[0][0] == pytest.approx(total)


def test_rows_of_no_frame_make_no_file(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"a": "int64"})

    assert write(spark.range(10).where("id < 0").toDF("a"), target) == []

    assert files_below(tmp_path) == []


def test_files_have_their_final_names_and_nothing_else_is_left(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"})

    files = write(spark.range(0, 100, 1, 2), target)

    assert all(DATA_FILE.fullmatch(file.path) for file in files)
    assert files_below(tmp_path) == sorted(f"t/{file.path}" for file in files)
    assert [path.name for path in (tmp_path / "t").iterdir() if path.is_dir()] == []


def test_spark_writes_nothing_beside_local_files(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"})

    write_native(spark.range(0, 10, 1, 2), target, f"file://{tmp_path}/t/new/")

    found = files_below(tmp_path)
    assert len(found) == 1
    assert all(path.startswith("t/new/ducklake-") and path.endswith(".parquet") for path in found), found


def test_a_file_system_that_a_user_has_chosen_writes_local_files(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"})
    conf = cast("Any", spark).sparkContext._jsc.hadoopConfiguration()
    conf.set("fs.file.impl", "org.example.FileSystem")
    conf.set("fs.file.impl.disable.cache", "true")
    try:
        with pytest.raises(EngineError, match=r"org\.example\.FileSystem"):
            write(spark.range(10), target)
    finally:
        conf.unset("fs.file.impl")
        conf.unset("fs.file.impl.disable.cache")
    assert files_below(tmp_path) == []


def test_there_are_no_more_files_than_tasks_at_once(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.range(0, 1000, 1, 20)

    few = write(frame.groupBy("id").count().select("id"), target_at(tmp_path, {"id": "int64"}))
    many = write(frame, target_at(tmp_path, {"id": "int64"}, options=WriteOptions(per_thread_output=True)))

    assert len(few) == 2
    assert len(many) == 20


def test_little_work_is_one_file(spark: SparkSession, tmp_path: Path) -> None:
    table = target_at(tmp_path, {"id": "int64"})

    (one,) = write(spark.range(0, 1_000_000, 1, 20), table)
    two = write(spark.range(0, 3_000_000, 1, 2), table)

    assert one.record_count == 1_000_000
    assert len(two) == 2


def test_a_tiny_target_size_makes_no_tiny_files(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"}, options=WriteOptions(target_file_size=1))

    files = write(spark.range(0, 200_000, 1, 1), target)

    assert [file.record_count for file in files] == [122_880, 77_120]


def test_files_end_at_the_wished_size(spark: SparkSession, tmp_path: Path) -> None:
    options = WriteOptions(target_file_size=1_000, parquet_row_group_size=100)
    target = target_at(tmp_path, {"id": "int64"}, options=options, bytes_per_row=10.0)

    files = write(spark.range(0, 1_000, 1, 1), target)

    assert [file.record_count for file in files] == [100] * 10


def test_row_groups_hold_the_wished_rows(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"}, options=WriteOptions(parquet_row_group_size=300))

    (file,) = write(spark.range(0, 1_000, 1, 1), target)

    metadata = pq.ParquetFile(target.directory + file.path).metadata
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [300, 300, 300, 100]


@pytest.mark.parametrize(
    ("name", "level", "stored"),
    [
        ("uncompressed", None, "UNCOMPRESSED"),
        ("snappy", None, "SNAPPY"),
        ("gzip", 9, "GZIP"),
        ("zstd", 5, "ZSTD"),
        ("lz4", None, "LZ4"),
        ("lz4_raw", None, "LZ4"),
    ],
)
def test_columns_are_compressed_as_wished(
    spark: SparkSession, tmp_path: Path, name: str, level: int | None, stored: str
) -> None:
    options = WriteOptions(parquet_compression=name, parquet_compression_level=level)
    target = target_at(tmp_path, {"id": "int64"}, options=options)

    (file,) = write(spark.range(0, 1_000, 1, 1), target)

    metadata = pq.ParquetFile(target.directory + file.path).metadata
    assert metadata.row_group(0).column(0).compression == stored
    assert rows_of(target, [file], "sum(id)") == [(499_500,)]


@pytest.mark.parametrize(("codec", "levels"), [("gzip", (1, 9)), ("zstd", (1, 19))])
def test_a_higher_level_compresses_more(
    spark: SparkSession, tmp_path: Path, codec: str, levels: tuple[int, int]
) -> None:
    frame = spark.range(0, 20_000, 1, 1).select(F.concat(F.hash("id"), F.lit("-"), F.hash(F.col("id") % 77)).alias("s"))
    sizes = []
    for level in levels:
        options = WriteOptions(parquet_compression=codec, parquet_compression_level=level, parquet_version=1)
        (file,) = write(frame, target_at(tmp_path, {"s": "varchar"}, options=options))
        sizes.append(file.file_size_bytes)

    assert sizes[0] > sizes[1]


@pytest.mark.parametrize(("version", "encoding"), [(1, "PLAIN"), (2, "DELTA_BINARY_PACKED")])
def test_pages_are_of_the_wished_version(spark: SparkSession, tmp_path: Path, version: int, encoding: str) -> None:
    target = target_at(tmp_path, {"id": "int64"}, options=WriteOptions(parquet_version=version))

    (file,) = write(spark.range(0, 50_000, 1, 1), target)

    metadata = pq.ParquetFile(target.directory + file.path).metadata
    assert encoding in metadata.row_group(0).column(0).encodings


def test_metadata_tells_what_the_file_holds(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"a": "int32", "s": {"x": "varchar"}, "f": "float64"})
    frame = spark.sql(
        "SELECT * FROM VALUES (5, named_struct('x', 'm'), 1.5D), (NULL, named_struct('x', NULL), double('NaN')),"
        " (-3, NULL, -2.5D) AS t(a, s, f)"
    ).coalesce(1)

    (file,) = write(frame, target)

    path = Path(target.directory + file.path)
    assert (file.record_count, file.file_size_bytes) == (3, path.stat().st_size)
    assert file.footer_size == int.from_bytes(path.read_bytes()[-8:-4], "little")
    a, x, f = (file.column_stats[name] for name in ("a", "s.x", "f"))
    assert (a.value_count, a.null_count, a.min_value, a.max_value) == (2, 1, "-3", "5")
    assert (x.value_count, x.null_count, x.min_value, x.max_value) == (1, 2, "m", "m")
    assert f.contains_nan is True
    assert file.mapping is None


def test_lists_and_maps_come_with_a_name_mapping(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"a": "int32", "l": ["int32"]})

    (file,) = write(spark.sql("SELECT 1 AS a, array(1, 2) AS l"), target)

    element = MappedColumn("list", "element")
    assert file.mapping == NameMapping((MappedColumn("a", "a"), MappedColumn("l", "l", children=(element,))))


def test_row_ids_are_held_but_are_no_column(spark: SparkSession, tmp_path: Path) -> None:
    row_id = Field(ColumnId(2147483540), ROW_ID_COLUMN, types.INT64)
    target = target_at(tmp_path, {"a": "int64"}, needs_mapping=True)
    target = replace(target, fields=(*target.fields, row_id))

    (file,) = write(spark.range(0, 3, 1, 1).selectExpr("id AS a", f"id + 7 AS {ROW_ID_COLUMN}"), target)

    assert list(file.column_stats) == ["a"]
    assert file.mapping == NameMapping((MappedColumn("a", "a"),))
    held = pq.read_schema(target.directory + file.path).field(ROW_ID_COLUMN)
    assert held.metadata[b"PARQUET:field_id"] == b"2147483540"
    assert rows_of(target, [file], ROW_ID_COLUMN) == [(7,), (8,), (9,)]


def test_names_that_differ_only_beyond_ascii_are_two_columns(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"Ä": "int32", "ä": "int32", "a.b`c": "varchar"})
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        frame = spark.sql("SELECT 2 AS `ä`, 1 AS `Ä`, 'x' AS `A.b``c`")
    with settings(spark, {"spark.sql.caseSensitive": "false"}):
        (file,) = write(frame, target)

    assert pq.read_table(target.directory + file.path).to_pydict() == {"Ä": [1], "ä": [2], "a.b`c": ["x"]}


def test_a_failing_row_leaves_no_file(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int8"})

    with pytest.raises(
        InvalidInputError, match=r"^Type INT64 with value 128 can't be cast because the value is out of range"
    ):
        write(spark.range(0, 200, 1, 2), target)

    assert files_below(tmp_path) == []
    assert not (tmp_path / "t").exists() or not any((tmp_path / "t").iterdir())


def test_files_that_no_commit_took_can_be_removed(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"id": "int64"})
    files = write(spark.range(0, 100, 1, 2), target)

    assert remove(target, files) == []

    assert files_below(tmp_path) == []


def test_a_directory_may_have_any_name(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path / "100% #1 ä=b", {"id": "int64"})

    files = write(spark.range(0, 10, 1, 1), target)

    assert rows_of(target, files, "count(*)") == [(10,)]


def test_a_column_that_may_not_be_null_is_checked(spark: SparkSession, tmp_path: Path) -> None:
    (field,) = fields_of({"a": "int32"})
    target = replace(target_at(tmp_path, {}), fields=(replace(field, nulls_allowed=False),))

    with pytest.raises(InvalidInputError, match=r"^NOT NULL constraint failed: t\.a$"):
        write(spark.sql("SELECT * FROM VALUES (1), (NULL) AS t(a)"), target)

    (file,) = write(spark.sql("SELECT 1 AS a"), target)
    assert rows_of(target, [file]) == [(1,)]
