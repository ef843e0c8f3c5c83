"""Boxes and types of geometries are those that DuckLake records for the same values."""

import json
import math
import struct
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.geometries import format_geometry, from_wkb, parse_geometry, to_wkb
from forklake.files.foreign.adopt_files import Adoption, adopt_files
from forklake.files.foreign.adopted_columns import AdoptionRules
from forklake.files.parquet.parquet_writer import write_files
from forklake.model.definitions import ColumnStats
from forklake.model.field import Field
from forklake.model.geometry_stats import GeometryStats, read_geometry_stats, unite_texts
from forklake.model.ids import ColumnId
from forklake.model.quoting import quote_text
from forklake.model.types import GEOMETRY, INT64
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


def copied(tmp_path: Path, *texts: str | None, kind: str = "GEOMETRY", options: str = "") -> Path:
    """Return a file that DuckDB wrote, in which geometries have a type of their own."""
    path = tmp_path / "held.parquet"
    rows = ", ".join(f"({place}, {'NULL' if text is None else quote_text(text)})" for place, text in enumerate(texts))
    duckdb.connect().execute(
        f"COPY (SELECT g::{kind} AS g FROM (VALUES {rows}) v(i, g) ORDER BY i) TO '{path}'"
        f" (FORMAT parquet, GEOPARQUET_VERSION NONE{options})"
    )
    return path


def adopted(path: Path, *fields: Field) -> dict[str, str | None]:
    [file] = adopt_files([str(path)], Adoption(AdoptionRules("t", fields or (FIELD,))))
    return {name: stats.extra_stats for name, stats in file.column_stats.items()}


def patched(path: Path, old: bytes, new: bytes) -> Path:
    """Return a file with other bytes in its footer."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:].replace(old, new)
    assert footer != content[start:]
    path.write_bytes(content[:start] + footer)
    return path


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


def test_bounds_that_are_not_finite_are_no_statistics(tmp_path: Path) -> None:
    assert written(tmp_path, FIELD, [parse_geometry("POINT (inf 2)")]).extra_stats is None
    assert unite_texts([GeometryStats(((1.0, math.inf), None, None, None)).to_text()]) is None


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_a_file_that_is_adopted_has_them_from_its_footer(recorded: list[str], tmp_path: Path, number: int) -> None:
    assert adopted(copied(tmp_path, *SHAPES[number], None)) == {"g": recorded[number]}


def test_all_row_groups_of_an_adopted_file_count(tmp_path: Path) -> None:
    texts = [*["POINT (1 2)"] * 2048, *[None] * 2048, *["LINESTRING Z (-3 7 5, 4 -8 6)"] * 2048]
    path = copied(tmp_path, *texts, options=", ROW_GROUP_SIZE 2048")
    assert pq.read_metadata(path).num_row_groups == 3
    both = GeometryStats(((-3.0, 4.0), (-8.0, 7.0), (5.0, 6.0), None), frozenset({"point", "linestring_z"}))
    assert adopted(path) == {"g": both.to_text()}


def test_geometries_within_columns_of_an_adopted_file_have_their_own(tmp_path: Path) -> None:
    path = copied(tmp_path, "{'a': ['POINT (1 2)', NULL, 'POINT (3 0)']}", None, kind="STRUCT(a GEOMETRY[])")
    inner = named_field(ColumnId(2), "a", "list", (Field(ColumnId(3), "element", GEOMETRY),))
    box = GeometryStats(((1.0, 3.0), (0.0, 2.0), None, None), frozenset({"point"}))
    assert adopted(path, named_field(ColumnId(1), "g", "struct", (inner,))) == {"g.a.element": box.to_text()}


def test_an_adopted_column_without_geometries_has_an_empty_box(tmp_path: Path) -> None:
    assert adopted(copied(tmp_path, None)) == {"g": GeometryStats().to_text()}


@pytest.mark.parametrize("texts", [["POINT EMPTY"], ["POINT (inf 1)", "POINT (5 5)"], ["POINT Z (1 2 nan)"]])
def test_what_a_footer_does_not_tell_stays_unknown(tmp_path: Path, texts: list[str]) -> None:
    assert adopted(copied(tmp_path, *texts)) == {"g": None}


@pytest.mark.parametrize("least", [math.nan, math.inf, -math.inf, 300.0])
def test_a_box_that_is_none_stays_unknown(tmp_path: Path, least: float) -> None:
    path = copied(tmp_path, "POINT (123.25 2)", "POINT (234.5 5)")
    assert read_geometry_stats(adopted(path)["g"]) is not None
    assert adopted(patched(path, struct.pack("<d", 123.25), struct.pack("<d", least))) == {"g": None}


def test_one_row_group_that_does_not_tell_makes_all_unknown(tmp_path: Path) -> None:
    path = copied(tmp_path, *["POINT (1 2)"] * 2048, *["POINT EMPTY"] * 2048, options=", ROW_GROUP_SIZE 2048")
    assert pq.read_metadata(path).num_row_groups == 2
    assert adopted(path) == {"g": None}


def test_types_that_wkb_does_not_have_make_all_unknown(tmp_path: Path) -> None:
    path = copied(tmp_path, "POLYGON ZM ((1 2 3 4, 5 6 7 8, 9 9 9 9, 1 2 3 4))")
    assert read_geometry_stats(adopted(path)["g"]) is not None
    code, other = _variable_length(3003), _variable_length(3008)
    assert adopted(patched(path, code, other)) == {"g": None}


def test_boxes_on_a_sphere_are_not_taken(tmp_path: Path) -> None:
    path = patched(copied(tmp_path, "POINT (1 2)"), b"\x0c\x22\x00", b"\x0c\x24\x00")
    assert pq.read_metadata(path).schema.column(0).logical_type.type == "GEOGRAPHY"
    assert adopted(path) == {"g": None}


def _variable_length(number: int) -> bytes:
    """Return a number as Thrift has it in a footer."""
    doubled = number * 2
    return bytes([doubled & 0x7F | 0x80, doubled >> 7])


def test_columns_that_hold_no_geometries_have_none(tmp_path: Path) -> None:
    path = copied(tmp_path, "1", kind="BIGINT")
    assert adopted(path, Field(ColumnId(1), "g", INT64)) == {"g": None}
