"""Boxes and types of geometries are those that DuckLake records for the same values."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.geometries import format_geometry, from_wkb, parse_geometry, to_wkb
from forklake.files.parquet.parquet_writer import write_files
from forklake.model.definitions import ColumnStats
from forklake.model.field import Field
from forklake.model.geometry_stats import GeometryStats, read_geometry_stats, unite_texts
from forklake.model.ids import ColumnId
from forklake.model.types import GEOMETRY
from forklake.model.write import WriteTarget
from tests.fields import named_field
from tests.interop.ducklake import attached, write

FIELD = Field(ColumnId(1), "g", GEOMETRY)
LISTED = named_field(ColumnId(1), "g", "list", (Field(ColumnId(2), "element", GEOMETRY),))
SHAPES = [
    ["POINT (1 2)"],
    ["POINT (1 2)", "POINT (-3 0.1)", "POINT (0.25 1e15)"],
    ["LINESTRING Z (5 5 5, 10 10 10)", "POINT (1 2)"],
    ["POINT M (20 20 5)", "POINT ZM (-30 -30 -30 -30)"],
    ["POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 1))", "MULTIPOINT (7 7, 8 8)"],
    ["GEOMETRYCOLLECTION (POINT (9 9), LINESTRING (0 0, 1 1))", "POINT EMPTY", "MULTIPOLYGON EMPTY"],
]


def written(tmp_path: Path, field: Field, values: list[object]) -> ColumnStats:
    schema = arrow_schema([field])
    rows = pa.record_batch([pa.array(values, schema.types[0])], schema=schema)
    [file] = write_files([rows], WriteTarget("t", f"{tmp_path}/", (field,)), schema)
    [stats] = file.column_stats.values()
    return stats


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What DuckLake records of each group of shapes."""
    folder = tmp_path_factory.mktemp("lake")
    url = f"ducklake:{folder}/lake.ducklake"
    inserts = [
        f"INSERT INTO t{number} VALUES {', '.join(f'({text!r}::GEOMETRY)' for text in texts)}"
        for number, texts in enumerate(SHAPES)
    ]
    tables = [f"CREATE TABLE t{number} (g GEOMETRY)" for number in range(len(SHAPES))]
    write(url, folder / "data", *tables, *inserts)
    with attached(url, READ_ONLY=True) as (connection, alias):
        found = connection.execute(
            f"SELECT extra_stats FROM __ducklake_metadata_{alias}.ducklake_file_column_stats ORDER BY table_id"
        ).fetchall()
    return [text for (text,) in found]


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_a_file_has_the_box_and_the_types_that_ducklake_records(
    recorded: list[str], tmp_path: Path, number: int
) -> None:
    stats = written(tmp_path, FIELD, [*map(parse_geometry, SHAPES[number]), None])
    assert stats.extra_stats == recorded[number]


def test_geometries_in_lists_count_and_those_behind_nulls_do_not(tmp_path: Path) -> None:
    far = pa.array([[parse_geometry("POINT (99 99)")], [parse_geometry("POINT (1 2)"), None]], pa.list_(pa.binary()))
    hidden = pa.ListArray.from_arrays(far.offsets, far.values, mask=pa.array([True, False]))
    stats = written(tmp_path, LISTED, hidden.to_pylist())
    assert stats.extra_stats is not None
    assert json.loads(stats.extra_stats)["bbox"]["xmax"] == 1.0


def test_a_column_without_geometries_has_an_empty_box(tmp_path: Path) -> None:
    stats = written(tmp_path, FIELD, [None])
    assert stats.extra_stats is not None
    assert read_geometry_stats(stats.extra_stats) == GeometryStats()


def test_bounds_of_more_digits_are_rounded_outward() -> None:
    text = GeometryStats(((1e-9, 1e-9), (-1e-9, 0.1), None, None)).to_text()
    found = read_geometry_stats(text)
    assert found is not None
    assert found.bounds == ((0.0, 0.000001), (-0.000001, 0.1), None, None)


def test_files_together_have_the_box_around_all_unless_one_is_unknown(tmp_path: Path) -> None:
    texts = [written(tmp_path, FIELD, [parse_geometry(one)]).extra_stats for one in ("POINT (1 2)", "POINT Z (3 0 5)")]
    both = written(tmp_path, FIELD, [parse_geometry(one) for one in ("POINT (1 2)", "POINT Z (3 0 5)")]).extra_stats
    assert unite_texts(texts) == both
    assert unite_texts([*texts, None]) is None
    assert unite_texts(["[]"]) is None


def test_points_of_the_other_byte_order_count_too(tmp_path: Path) -> None:
    big = bytes.fromhex("00000000013FF00000000000004000000000000000")
    assert format_geometry(to_wkb(from_wkb(big))) == "POINT (1 2)"
    assert (
        written(tmp_path, FIELD, [big]).extra_stats
        == written(tmp_path, FIELD, [parse_geometry("POINT (1 2)")]).extra_stats
    )
