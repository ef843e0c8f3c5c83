"""Statistics are those that DuckLake records for the same values, and never more than the footer knows."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.files.arrow.schema import arrow_schema, arrow_type
from forklake.files.parquet.footer import read_metadata
from forklake.files.parquet.parquet_writer import write_files
from forklake.files.parquet.statistics import column_stats
from forklake.model import types
from forklake.model.definitions import ColumnStats
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.write import WriteOptions, WriteTarget
from tests.fields import named_field
from tests.unit.files.lakes import DuckLakeTable, written_by_ducklake

COLUMNS = """
    b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INTEGER, i64 BIGINT, u8 UTINYINT, u16 USMALLINT, u32 UINTEGER, u64 UBIGINT,
    f FLOAT, d DOUBLE, dec4 DECIMAL(4,1), dec9 DECIMAL(9,2), dec18 DECIMAL(18,4), dec38 DECIMAL(38,10), s VARCHAR,
    bl BLOB, dt DATE, tm TIME, ts TIMESTAMP, tz TIMESTAMPTZ, ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts_ns TIMESTAMP_NS,
    j JSON, u UUID, l INTEGER[], st STRUCT(a INTEGER, b VARCHAR), m MAP(VARCHAR, DOUBLE),
    ls STRUCT(x FLOAT, y INTEGER[])[]
"""
ROWS = (
    r"""(true, 1, 1, 1, 1, 1, 1, 1, 1, 1.5, 'NaN', 1.5, 1.25, 1.5, 1.5, 'abc', '\xAA\x00abc'::BLOB, '2020-01-01',
    '12:34:56.5', '2020-01-01 12:34:56.5', '2020-01-01 12:34:56.5+00', '2020-01-01 12:34:56', '2020-01-01 12:34:56.123',
    '2020-01-01 12:34:56.123456789', '{"a":1}', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', [1, 2, NULL],
    {'a': 1, 'b': 'x'},
    MAP {'k': 1.5::DOUBLE, 'l': 'NaN'::DOUBLE}, [{'x': 1.5, 'y': [1, NULL]}, {'x': NULL, 'y': NULL}])""",
    r"""(false, -1, -1, -1, -1, 200, 60000, 4000000000, 18446744073709551615, -1e30, 1e300, -1.5, -1.25, -1.5,
    -12345678901234567890.5, 'ä€😀', '\xFF'::BLOB, '0044-03-15 (BC)', '00:00:00', '0044-03-15 (BC) 00:00:00',
    '1900-01-01', '1900-01-01', '1900-01-01', '1900-01-01', '[]', '00000000-0000-0000-0000-000000000001', [],
    {'a': NULL, 'b': NULL}, MAP {}, [])""",
    f"({', '.join(['NULL'] * 30)})",
)
FLOATS = (Field(ColumnId(1), "f", types.FLOAT64),)


def facts(stats: ColumnStats) -> tuple[Any, ...]:
    return stats.value_count, stats.null_count, stats.min_value, stats.max_value, stats.contains_nan


def stats_of(tmp_path: Path, field: Field, *groups: Sequence[Any], **options: Any) -> ColumnStats:
    """Return the statistics of a column that PyArrow wrote in these row groups."""
    path = tmp_path / "x.parquet"
    counted = options.pop("nan_counts", None)
    with pq.ParquetWriter(path, arrow_schema([field]), **options) as writer:
        for values in groups:
            writer.write_table(pa.table([pa.array(values, arrow_type(field))], arrow_schema([field])))
    return column_stats(pq.read_metadata(path), [field], nan_counts=counted)[field.name]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> DuckLakeTable:
    return written_by_ducklake(tmp_path_factory.mktemp("lake"), COLUMNS, *ROWS)


@pytest.mark.parametrize("rows_per_group", [1, 122_880])
def test_files_of_ours_have_the_statistics_that_ducklake_gives_them(
    table: DuckLakeTable, tmp_path: Path, rows_per_group: int
) -> None:
    schema = arrow_schema(table.fields)
    rows = pq.read_table(table.path).cast(schema)
    target = WriteTarget("t", f"{tmp_path}/", table.fields, options=WriteOptions(parquet_row_group_size=rows_per_group))
    [file] = write_files(rows.to_batches(), target, schema)
    ours = {name: facts(stats) for name, stats in file.column_stats.items()}
    if rows_per_group == 1:
        # The group of the only NaN has no bounds, so those of the column are not known.
        assert (ours.pop("d"), table.stats["d"][2:]) == ((2, 1, None, None, True), ("1e+300", "1e+300", True))
    assert ours == {name: known for name, known in table.stats.items() if name in ours}
    assert len(ours) >= len(table.stats) - 1


def test_files_of_duckdb_have_the_statistics_that_ducklake_recorded(table: DuckLakeTable) -> None:
    metadata, _, footer_size = read_metadata(table.path)
    found = {name: facts(stats) for name, stats in column_stats(metadata, table.fields).items()}
    assert footer_size == table.footer_size
    # DuckDB's footer has no bounds beside a NaN, and does not say whether a NaN is why.
    unknown = {"d", "m.value"}
    assert {name: known for name, known in found.items() if name not in unknown} == {
        name: known for name, known in table.stats.items() if name not in unknown
    }
    assert {found[name][4] for name in unknown} == {None}


def test_sizes_of_columns_are_compressed_ones_over_all_groups(tmp_path: Path) -> None:
    field = Field(ColumnId(1), "s", types.VARCHAR)
    small = stats_of(tmp_path, field, ["x" * 1000] * 1000, ["y"])
    assert small.column_size_bytes is not None
    assert 0 < small.column_size_bytes < 5000


def test_bounds_span_all_row_groups(tmp_path: Path) -> None:
    field = Field(ColumnId(1), "n", types.INT32)
    assert facts(stats_of(tmp_path, field, [5, None], [None], [-3, 2])) == (3, 2, "-3", "5", None)


def test_a_group_without_bounds_makes_them_unknown(tmp_path: Path) -> None:
    field = Field(ColumnId(1), "s", types.VARCHAR)
    assert facts(stats_of(tmp_path, field, ["a"], ["b" * 10_000])) == (2, 0, None, None, None)


def test_without_statistics_nothing_but_the_size_is_known(tmp_path: Path) -> None:
    stats = stats_of(tmp_path, Field(ColumnId(1), "n", types.INT32), [1], write_statistics=False)
    assert facts(stats) == (None, None, None, None, None)
    assert stats.column_size_bytes


def test_text_with_a_nul_has_no_bound(tmp_path: Path) -> None:
    stats = stats_of(tmp_path, Field(ColumnId(1), "s", types.VARCHAR), ["a\0b", "c"])
    assert (stats.min_value, stats.max_value) == (None, "c")


@pytest.mark.parametrize("kind", ["int128", "uint128", "timetz", "interval"])
def test_types_without_bounds_in_ducklake_have_counts_only(tmp_path: Path, kind: str) -> None:
    values = [1, None] if "int1" in kind else ["x", None]
    assert facts(stats_of(tmp_path, named_field(ColumnId(1), "c", kind), values)) == (1, 1, None, None, None)


def test_both_zeros_are_one_bound(tmp_path: Path) -> None:
    for values in ([0.0], [-0.0], [-0.0, 0.0]):
        stats = stats_of(tmp_path, FLOATS[0], values)
        assert (stats.min_value, stats.max_value) == ("0.0", "0.0")


def test_whether_there_are_nans_is_unknown_unless_they_were_counted(tmp_path: Path) -> None:
    values = [1.0, math.nan, 2.0]
    assert facts(stats_of(tmp_path, FLOATS[0], values)) == (3, 0, "1.0", "2.0", None)
    assert facts(stats_of(tmp_path, FLOATS[0], values, nan_counts={"f": 1})) == (3, 0, "1.0", "2.0", True)
    assert facts(stats_of(tmp_path, FLOATS[0], [1.0], nan_counts={})) == (1, 0, "1.0", "1.0", False)
    assert facts(stats_of(tmp_path, FLOATS[0], [math.nan], nan_counts={"f": 1})) == (1, 0, None, None, True)


def test_nans_are_counted_where_they_can_be_seen(tmp_path: Path) -> None:
    number = Field(ColumnId(2), "element", types.FLOAT32)
    fields = (
        named_field(ColumnId(1), "l", "list", (number,)),
        named_field(
            ColumnId(3),
            "s",
            "struct",
            (Field(ColumnId(4), "x", types.FLOAT64), Field(ColumnId(5), "n", types.INT32)),
        ),
        named_field(
            ColumnId(6),
            "m",
            "map",
            (Field(ColumnId(7), "key", types.INT32), Field(ColumnId(8), "value", types.FLOAT64)),
        ),
    )
    schema = arrow_schema(fields)
    hidden = pa.StructArray.from_arrays(
        [pa.array([math.nan]), pa.array([1], pa.int32())], fields=list(schema.field("s").type), mask=pa.array([True])
    )
    batch = pa.record_batch(
        [
            pa.array([[math.nan], [1.0]], schema.field("l").type).slice(1),
            hidden,
            pa.array([[(1, math.nan)], [(1, 2.0)]], schema.field("m").type).slice(1),
        ],
        schema=schema,
    )
    [file] = write_files([batch], WriteTarget("t", f"{tmp_path}/", fields), schema)
    assert {name: stats.contains_nan for name, stats in file.column_stats.items()} == {
        "l.element": False,
        "s.x": False,
        "s.n": None,
        "m.key": None,
        "m.value": False,
    }


def test_a_promoted_column_has_bounds_of_the_tables_type(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": pa.array([1], pa.int8()), "f": pa.array([0.1], pa.float32())}), path)
    fields = (Field(ColumnId(1), "n", types.INT64), Field(ColumnId(2), "f", types.FLOAT64))
    found = column_stats(pq.read_metadata(path), fields)
    assert [stats.min_value for stats in found.values()] == ["1", "0.10000000149011612"]


def test_a_file_that_holds_another_type_has_no_bounds(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"c": pa.array(["9", "10"])}), path)
    [stats] = column_stats(pq.read_metadata(path), [Field(ColumnId(1), "c", types.INT32)]).values()
    assert facts(stats) == (2, 0, None, None, None)


def test_columns_that_the_file_does_not_have_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": pa.array([{"x": 1}]), "z": pa.array([1])}), path)
    inner = (Field(ColumnId(2), "x", types.INT64), Field(ColumnId(3), "y", types.INT64))
    fields = (named_field(ColumnId(1), "a", "struct", inner), Field(ColumnId(4), "b", types.INT32))
    assert list(column_stats(pq.read_metadata(path), fields)) == ["a.x"]


def test_a_bound_finer_than_the_tables_type_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"c": pa.array([1000, 1001], pa.timestamp("ns"))}), path)
    [stats] = column_stats(pq.read_metadata(path), [Field(ColumnId(1), "c", types.TIMESTAMP)]).values()
    assert (stats.min_value, stats.max_value) == ("1970-01-01 00:00:00.000001", None)


def test_a_long_bound_of_a_writer_that_may_cut_it_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"c": ["short", "z" * 16]}), path)
    path.write_bytes(path.read_bytes().replace(b"parquet-cpp-arrow", b"parquet-rs  crate"))
    metadata = pq.read_metadata(path)
    assert metadata.created_by.startswith("parquet-rs")
    [stats] = column_stats(metadata, [Field(ColumnId(1), "c", types.VARCHAR)]).values()
    assert (stats.min_value, stats.max_value) == ("short", None)


def test_bounds_of_duckdb_are_kept_though_it_counts_nulls_in_lists_twice(tmp_path: Path) -> None:
    table = written_by_ducklake(tmp_path, "c STRUCT(x INTEGER)[]", "([{'x': 7}, NULL])")
    found = column_stats(read_metadata(table.path)[0], table.fields)
    assert facts(found["c.element.x"]) == table.stats["c.element.x"] == (0, 2, "7", "7", None)
