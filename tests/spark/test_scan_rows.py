"""Which rows of files are seen, and where they are from: deletes, cut files, lineage, rows kept in the metadata."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.columns.spark_types import LINEAGE_TYPES
from forklake.engine.spark.read.scan import scan
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.scan import MappedField, ScanFile, ScanRows
from tests.spark.plans import (
    SNAPSHOT,
    deleted,
    field,
    physical_plan,
    plan,
    pushed,
    scanned,
    setting,
    values,
    written,
    written_by_arrow,
)

A = [field(1, "a", "int64")]
NUMBERS = "SELECT range AS a FROM range({count}) ORDER BY a"


def numbers(path: Path, count: int, number: int = 1, **more: object) -> ScanFile:
    return scanned(written(path, NUMBERS.format(count=count)), A, number, record_count=count, **more)


def seen(spark: SparkSession, *files: ScanFile) -> list[int]:
    return [row[0] for row in sorted(tuple(row) for row in scan(spark, plan(A, *files)).collect())]


# ---- deletes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", [[0], [63], [64], [0, 63, 64, 65, 127, 128], [199], list(range(200)), [5, 100]])
def test_deleted_rows_are_not_seen(spark: SparkSession, tmp_path: Path, gone: list[int]) -> None:
    file = numbers(tmp_path / "f.parquet", 200, deletes=deleted(tmp_path / "d.parquet", gone))
    assert seen(spark, file) == [number for number in range(200) if number not in gone]


def test_a_filter_does_not_shift_positions(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    written_by_arrow(path, {"a": list(range(1000))}, row_group_size=100)
    file = scanned(path, A, deletes=deleted(tmp_path / "d.parquet", [950, 951]), record_count=1000)
    frame = scan(spark, plan(A, file), condition="a >= 949", lineage=("file_row_number",))
    assert values(frame) == [(number, number) for number in range(949, 1000) if number not in (950, 951)]
    assert set(pushed(frame)) == {"IsNotNull(a), GreaterThanOrEqual(a,949)"}


def test_inlined_deletes_count_alone_and_with_a_delete_file(spark: SparkSession, tmp_path: Path) -> None:
    first = numbers(tmp_path / "1.parquet", 5, inlined_deletes=(0, 4))
    second = numbers(
        tmp_path / "2.parquet", 5, 2, deletes=deleted(tmp_path / "d.parquet", [1]), inlined_deletes=(0, 1, 2)
    )
    assert seen(spark, first) == [1, 2, 3]
    assert seen(spark, first, second) == [1, 2, 3, 3, 4]


def test_clean_files_are_read_without_a_join(spark: SparkSession, tmp_path: Path) -> None:
    clean = numbers(tmp_path / "1.parquet", 3)
    dirty = numbers(tmp_path / "2.parquet", 3, 2, inlined_deletes=(0,))
    assert "Join" not in physical_plan(scan(spark, plan(A, clean)))
    both = physical_plan(scan(spark, plan(A, clean, dirty)))
    assert (both.count("FileScan"), both.count("Filter "), both.count("Join")) == (2, 1, 0)
    assert seen(spark, clean, dirty) == [0, 1, 1, 2, 2]


def test_what_is_deleted_is_joined_where_spark_cannot_be_told_about_files(spark: SparkSession, tmp_path: Path) -> None:
    files = [numbers(tmp_path / f"{n}.parquet", 200, n, inlined_deletes=(n, 64, 199), row_id_start=n) for n in (1, 2)]
    lineage = tuple(LINEAGE_TYPES)
    found = scan(spark, plan(A, *files), lineage=lineage)
    assert "Join" not in physical_plan(found)
    assert [field.dataType for field in found.schema.fields[1:]] == list(LINEAGE_TYPES.values())
    expected = values(found)
    assert len(expected) == 394
    for settings in ({"forklake_fileIndex": "log"}, {"spark_sql_parquet_enableVectorizedReader": "false"}):
        with setting(spark, **settings):
            frame = scan(spark, plan(A, *files), lineage=lineage)
            assert "BroadcastHashJoin" in physical_plan(frame)
            assert values(frame) == expected


def test_a_frame_that_is_kept_is_not_taken_for_one_with_other_deletes(spark: SparkSession, tmp_path: Path) -> None:
    file = numbers(tmp_path / "f.parquet", 4, inlined_deletes=(0,))
    kept = scan(spark, plan(A, file)).persist()
    try:
        assert kept.count() == 3
        later = scan(spark, plan(A, replace(file, inlined_deletes=(0, 3))))
        assert values(later) == [(1,), (2,)]
        assert values(scan(spark, plan(A, replace(file, inlined_deletes=())))) == [(0,), (1,), (2,), (3,)]
        assert later.intersect(kept).count() == 2
    finally:
        kept.unpersist()


def test_deleted_rows_alone_can_be_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    clean = numbers(tmp_path / "1.parquet", 70)
    inlined = numbers(tmp_path / "2.parquet", 70, 2, inlined_deletes=(0, 64))
    filed = numbers(tmp_path / "3.parquet", 70, 3, deletes=deleted(tmp_path / "d.parquet", [31, 69]))
    for settings in ({}, {"forklake_fileIndex": "log"}):
        with setting(spark, **settings):
            found = scan(spark, plan(A, clean, inlined, filed), takes_deleted=True)
            assert values(found) == [(0,), (31,), (64,), (69,)]
            assert values(scan(spark, plan(A, clean), takes_deleted=True)) == []


def test_rows_beyond_the_last_word_of_what_is_deleted_are_seen(spark: SparkSession, tmp_path: Path) -> None:
    for gone in ((0,), (31,), (32,), (63,), (64,), (95, 96)):
        found = seen(spark, numbers(tmp_path / f"{gone[0]}.parquet", 130, inlined_deletes=gone))
        assert found == [n for n in range(130) if n not in gone], gone


def test_a_condition_on_the_file_alone_reads_no_other(spark: SparkSession, tmp_path: Path) -> None:
    files = [numbers(tmp_path / f"{n}.parquet", 3, n, inlined_deletes=(0,)) for n in (1, 2)]
    frame = scan(spark, plan(A, *files), condition=f"filename = '{files[1].path}'", lineage=("filename",))
    Path(files[0].path).unlink()
    assert values(frame) == [(1, files[1].path), (2, files[1].path)]


def test_a_delete_file_is_read_up_to_the_snapshot(spark: SparkSession, tmp_path: Path) -> None:
    gone = deleted(tmp_path / "d.parquet", [0, 1, 2], snapshots=[6, 7, 8])
    assert seen(spark, numbers(tmp_path / "f.parquet", 4, deletes=gone)) == [2, 3]


def test_files_of_one_name_in_two_directories_keep_their_own_deletes(spark: SparkSession, tmp_path: Path) -> None:
    files = [
        numbers(tmp_path / name / "x y" / "f.parquet", 3, place, inlined_deletes=(place,), row_id_start=10 * place)
        for place, name in enumerate(("p%20", "p ", "é"))
    ]
    frame = scan(spark, plan(A, *files), lineage=("rowid",))
    assert values(frame) == sorted([(1, 1), (2, 2), (0, 10), (2, 12), (0, 20), (1, 21)], key=repr)


def test_a_file_that_a_table_has_twice_is_seen_twice_with_deletes_of_its_own(
    spark: SparkSession, tmp_path: Path
) -> None:
    first = numbers(tmp_path / "f.parquet", 3, inlined_deletes=(0,))
    again = numbers(tmp_path / "f.parquet", 3, 2, inlined_deletes=(1,), row_id_start=100)
    assert seen(spark, first, again) == [0, 1, 2, 2]
    assert values(scan(spark, plan(A, first, again), columns=[], lineage=["rowid"])) == [(1,), (100,), (102,), (2,)]


# ---- cut files -----------------------------------------------------------------------------------------------------


def test_a_cut_file_shows_no_row_that_is_younger_than_the_snapshot(spark: SparkSession, tmp_path: Path) -> None:
    path = written(
        tmp_path / "f.parquet", "SELECT range AS a, 5 + range AS _ducklake_internal_snapshot_id FROM range(5)"
    )
    cut = scanned(path, A, is_cut=True, read_upto=SNAPSHOT)
    whole = numbers(tmp_path / "g.parquet", 1, 2)
    frame = scan(spark, plan(A, cut, whole), lineage=("snapshot_id",))
    assert values(frame) == [(0, 5), (0, 5), (1, 6), (2, 7)]
    assert values(scan(spark, plan(A, cut), condition="a > 0")) == [(1,), (2,)]


# ---- lineage -------------------------------------------------------------------------------------------------------


def test_lineage_says_where_each_row_is_from(spark: SparkSession, tmp_path: Path) -> None:
    first = numbers(tmp_path / "1.parquet", 2, row_id_start=100, snapshot_id=SnapshotId(3))
    second = numbers(tmp_path / "2.parquet", 2, 2, row_id_start=200, snapshot_id=SnapshotId(4))
    frame = scan(spark, plan(A, first, second), lineage=("rowid", "snapshot_id", "filename", "file_row_number"))
    assert frame.columns == ["a", "rowid", "snapshot_id", "filename", "file_row_number"]
    assert values(frame) == [
        (0, 100, 3, first.path, 0),
        (0, 200, 4, second.path, 0),
        (1, 101, 3, first.path, 1),
        (1, 201, 4, second.path, 1),
    ]


def test_row_ids_and_snapshots_in_the_file_win(spark: SparkSession, tmp_path: Path) -> None:
    query = (
        "SELECT 1::BIGINT AS a, 77::BIGINT AS _ducklake_internal_row_id, 6::BIGINT AS _ducklake_internal_snapshot_id"
    )
    carrying = scanned(written(tmp_path / "1.parquet", query), A, row_id_start=None)
    plain = numbers(tmp_path / "2.parquet", 1, 2, row_id_start=5)
    frame = scan(spark, plan(A, carrying, plain), lineage=("rowid", "snapshot_id"))
    assert values(frame) == [(0, 5, 5), (1, 77, 6)]


def test_a_condition_may_name_lineage_that_is_not_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    made = plan(A, numbers(tmp_path / "1.parquet", 5, row_id_start=10))
    frame = scan(spark, made, condition="`rowid` = 13 AND `file_row_number` = 3")
    assert (frame.columns, values(frame)) == (["a"], [(3,)])


def test_a_column_of_the_table_wins_over_lineage_of_its_name(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT 1 AS a, 'mine' AS RowId, 7 AS _metadata")
    fields = [field(1, "a", "int32"), field(2, "RowId", "varchar"), field(3, "_metadata", "int32")]
    made = plan(fields, scanned(path, fields))
    assert scan(spark, made, lineage=("rowid",)).columns == ["a", "RowId", "_metadata"]
    frame = scan(spark, made, columns=["a"], condition="rowid = 'mine'", lineage=("rowid", "file_row_number"))
    assert (frame.columns, values(frame)) == (["a", "RowId", "file_row_number"], [(1, "mine", 0)])
    renamed = scan(spark, made, columns=["_metadata", "rowid"], lineage={"rowid": "_r", "file_row_number": "_n"})
    assert (renamed.columns, values(renamed)) == (["_metadata", "RowId", "_r", "_n"], [(7, "mine", 0, 0)])


def test_counting_rows_needs_no_column(spark: SparkSession, tmp_path: Path) -> None:
    made = plan(A, numbers(tmp_path / "1.parquet", 9), numbers(tmp_path / "2.parquet", 9, 2, inlined_deletes=(1,)))
    assert scan(spark, made, columns=[]).count() == 17
    assert scan(spark, made, columns=[], condition="a > 4").count() == 8


# ---- names ---------------------------------------------------------------------------------------------------------


def test_columns_come_as_asked_and_named_as_in_the_table(spark: SparkSession, tmp_path: Path) -> None:
    fields = [field(1, "Größe", "int32"), field(2, "a.b", "int32"), field(3, "c`d", "int32"), field(4, "s s", "int32")]
    path = written(tmp_path / "1.parquet", 'SELECT 1 AS "Größe", 2 AS "a.b", 3 AS "c`d", 4 AS "s s"')
    frame = scan(spark, plan(fields, scanned(path, fields)), columns=["C`D", "A.B", "größe"], condition="`S S` = 4")
    assert (frame.columns, values(frame)) == (["c`d", "a.b", "Größe"], [(3, 2, 1)])


def test_what_does_not_exist_is_named(spark: SparkSession, tmp_path: Path) -> None:
    made = plan(A, numbers(tmp_path / "1.parquet", 1))
    with pytest.raises(NotFoundError, match='Table "t" does not have a column with name "x"'):
        scan(spark, made, columns=["a", "x"])
    with pytest.raises(NotFoundError, match='Table "t" does not have a column with name "x"'):
        scan(spark, made, condition="x = 1")
    with pytest.raises(InvalidInputError, match="Syntax error"):
        scan(spark, made, condition="a = = 1")
    with pytest.raises(InvalidInputError, match='There is no lineage "age"'):
        scan(spark, made, lineage=("age",))


def test_an_empty_plan_has_the_schema_of_the_table(spark: SparkSession) -> None:
    fields = [field(1, "u", "uuid"), field(2, "s", "struct", field(3, "x", "uint8"))]
    frame = scan(spark, plan(fields), condition="s.x = 1", lineage=("rowid", "filename"))
    assert frame.schema.simpleString() == "struct<u:string,s:struct<x:smallint>,rowid:bigint,filename:string>"
    assert values(frame) == []


# ---- rows kept in the metadata -------------------------------------------------------------------------------------


def test_inlined_rows_follow_the_changes_of_the_table(spark: SparkSession, tmp_path: Path) -> None:
    then = (
        field(1, "a", "int32"),
        field(2, "gone", "varchar"),
        field(3, "u", "uuid"),
        field(4, "s", "struct", field(5, "x", "int32")),
    )
    rows = ScanRows(
        then,
        (
            (3, SNAPSHOT, {ColumnId(1): "1", ColumnId(2): "z", ColumnId(3): None, ColumnId(4): "{'x': 8}"}),
            (4, SNAPSHOT, {ColumnId(1): None, ColumnId(3): "550e8400-e29b-41d4-a716-446655440000"}),
        ),
    )
    now = [
        field(1, "b", "int64"),
        field(3, "u", "uuid"),
        field(4, "s", "struct", field(6, "x", "int32"), field(5, "y", "int64")),
        field(7, "new", "varchar", default="d"),
    ]
    made = plan(now, inlined=[rows])
    uuid = "550e8400-e29b-41d4-a716-446655440000"
    frame = scan(spark, made, lineage=("rowid", "snapshot_id", "filename", "file_row_number"))
    assert frame.schema["b"].dataType.simpleString() == "bigint"
    assert values(frame) == [
        (1, None, (None, 8), "d", 3, 7, None, 3),
        (None, uuid, None, "d", 4, 7, None, 4),
    ]
    assert values(scan(spark, made, columns=["b"], condition=f"u = '{uuid}' AND rowid = 4")) == [(None,)]


def test_inlined_rows_stand_beside_files(spark: SparkSession, tmp_path: Path) -> None:
    rows = ScanRows(tuple(A), ((9, SNAPSHOT, {ColumnId(1): "41"}),))
    made = plan(A, numbers(tmp_path / "1.parquet", 2), inlined=[rows])
    assert values(scan(spark, made, lineage=("rowid",))) == [(0, 0), (1, 1), (41, 9)]


# ---- files of others -----------------------------------------------------------------------------------------------


def test_a_file_without_known_columns_is_read_by_its_footer(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT 1 AS old, 'x' AS other, 2 AS extra")
    table = [field(1, "a", "int64"), field(2, "b", "varchar")]
    mapping = (MappedField("old", ColumnId(1)), MappedField("OTHER", ColumnId(2)))
    made = plan(table, scanned(path, None, mapping=mapping))
    assert values(scan(spark, made)) == [(1, "x")]
    assert values(scan(spark, made, condition="a = 1", columns=["b"])) == [("x",)]


def test_values_in_the_names_of_directories_become_columns(spark: SparkSession, tmp_path: Path) -> None:
    mapping = (
        MappedField("v", ColumnId(1)),
        MappedField("day", ColumnId(2), is_partition=True),
        MappedField("kind", ColumnId(3), is_partition=True),
    )
    table = [field(2, "d", "date"), field(1, "v", "int32"), field(3, "k", "varchar")]
    files = [
        scanned(written(tmp_path / part / "f.parquet", f"SELECT {place} AS v"), None, place, mapping=mapping)
        for place, part in enumerate(
            ("day=2020-01-01/kind=a%2Fb", "day=2020-01-02/kind=__HIVE_DEFAULT_PARTITION__", "Day=2020-01-03/KIND=c d")
        )
    ]
    made = plan(table, *files)
    found = scan(spark, made).selectExpr("cast(d AS string)", "v", "k")
    assert values(found) == [("2020-01-01", 0, "a/b"), ("2020-01-02", 1, None), ("2020-01-03", 2, "c d")]
    assert values(scan(spark, made, columns=["v"], condition="d > DATE '2020-01-01' AND k IS NOT NULL")) == [(2,)]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_moments_of_twelve_bytes_are_taken_as_utc(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    moments = pa.array([datetime(2020, 3, 8, 2, 30, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    columns = {"z": moments, "t": moments.cast(pa.timestamp("us"))}
    path = written_by_arrow(tmp_path / "1.parquet", columns, use_deprecated_int96_timestamps=True)
    table = [field(1, "z", "timestamptz"), field(2, "t", "timestamp")]
    with setting(spark, spark_sql_session_timeZone=zone):
        frame = scan(spark, plan(table, scanned(path, None))).selectExpr("unix_seconds(z)", "cast(t AS string)")
        assert values(frame) == [(1583634600, "2020-03-08 02:30:00")]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_of_any_unit_are_the_same_time_at_every_depth(spark: SparkSession, tmp_path: Path, unit: str) -> None:
    kind = pa.time32(unit) if unit == "ms" else pa.time64(unit)
    ticks = 45_296_500 * {"ms": 1, "us": 1000, "ns": 1_000_000}[unit]
    nested = pa.struct([("l", pa.list_(kind)), ("m", pa.map_(pa.string(), kind))])
    columns = {"t": pa.array([ticks], kind), "s": pa.array([{"l": [ticks, None], "m": [("k", ticks)]}], nested)}
    path = written_by_arrow(tmp_path / "1.parquet", columns)
    table = [
        field(1, "t", "time"),
        field(
            2,
            "s",
            "struct",
            field(3, "l", "list", field(4, "element", "time")),
            field(5, "m", "map", field(6, "key", "varchar"), field(7, "value", "time")),
        ),
    ]
    frame = scan(spark, plan(table, scanned(path, None)))
    assert values(frame) == [("12:34:56.5", (["12:34:56.5", None], {"k": "12:34:56.5"}))]


def test_types_that_spark_cannot_read_come_by_arrow(spark: SparkSession, tmp_path: Path) -> None:
    path = written_by_arrow(
        tmp_path / "1.parquet",
        {
            "t": pa.array([45_296_100, None], pa.time32("ms")),
            "z": pa.array([1_591_005_600_000_000_001, None], pa.timestamp("ns", "UTC")),
            "u": pa.array([255, None], pa.uint8()),
            "n": pa.array([1_577_934_245_123_456_789, None], pa.timestamp("ns")),
            "b": pa.array([2**64 - 1, None], pa.uint64()),
        },
    )
    table = [
        field(1, "t", "time"),
        field(2, "z", "timestamptz"),
        field(3, "u", "uint8"),
        field(4, "n", "timestamp_ns"),
        field(5, "b", "uint64"),
    ]
    frame = scan(spark, plan(table, scanned(path, None, inlined_deletes=(1,))), lineage=("rowid",))
    shown = frame.selectExpr("t", "unix_micros(z)", "u", "n", "cast(b as string)", "rowid")
    assert values(shown) == [
        ("12:34:56.1", 1_591_005_600_000_000, 255, "2020-01-02 03:04:05.123456789", str(2**64 - 1), 0)
    ]
