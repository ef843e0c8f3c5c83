"""Footers: columns as a file holds them, and which columns of the table they are."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import DataFileError
from forklake.files.arrow.schema import arrow_schema
from forklake.files.parquet.footer import Footer, known_footer, known_footers, read_footer, resolve_fields
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, SnapshotId
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN, MappedField, ScanFile
from tests.fields import named_field
from tests.interop.ducklake import duckdb_with_ducklake
from tests.unit.files.lakes import written_by_ducklake

COLUMNS = """
    b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INTEGER, i64 BIGINT, i128 HUGEINT, u8 UTINYINT, u16 USMALLINT,
    u32 UINTEGER, u64 UBIGINT, f FLOAT, d DOUBLE, n DECIMAL(9,2), w DECIMAL(38,10), s VARCHAR, bl BLOB, dt DATE,
    tm TIME, tz TIMETZ, ts TIMESTAMP, tstz TIMESTAMPTZ, ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts_ns TIMESTAMP_NS,
    iv INTERVAL, j JSON, u UUID, l INTEGER[], st STRUCT(a INTEGER, "b c" VARCHAR), m MAP(VARCHAR, STRUCT(x UUID)[])
"""
HELD_AS = {"int128": "float64", "timestamp_s": "timestamp"}


def column(number: int | None, name: str, kind: str, *children: Field) -> Field:
    return named_field(None if number is None else ColumnId(number), name, kind, children)


def mapped(name: str, number: int, *children: MappedField, is_partition: bool = False) -> MappedField:
    return MappedField(name, ColumnId(number), is_partition, children)


TABLE = (
    column(1, "a", "int64"),
    column(2, "s", "struct", column(3, "x", "int64"), column(4, "y", "varchar")),
    column(5, "l", "list", column(6, "element", "struct", column(7, "z", "int64"))),
    column(8, "m", "map", column(9, "key", "varchar"), column(10, "value", "int64")),
)


def footer(*fields: Field) -> Footer:
    return Footer("/f.parquet", 1, 1, 1, fields)


def outline(fields: tuple[Field, ...]) -> list[object]:
    return [
        (field.name, field.column_id, outline(field.children)) if field.children else (field.name, field.column_id)
        for field in fields
    ]


def test_a_file_of_ducklake_shows_its_columns(tmp_path: Path) -> None:
    table = written_by_ducklake(tmp_path, COLUMNS, f"({', '.join(['NULL'] * 30)})")
    found = read_footer(table.path)
    assert (found.row_count, found.file_size_bytes, found.footer_size) == (
        table.record_count,
        table.file_size_bytes,
        table.footer_size,
    )

    def held(fields: tuple[Field, ...]) -> list[object]:
        return [
            (field.column_id, field.name, HELD_AS.get(field.type.name, field.type.name), held(field.children))
            for field in fields
        ]

    assert held(found.fields) == held(table.fields)
    assert resolve_fields(found, table.fields) == found.fields
    assert (found.has_row_ids, found.has_snapshot_ids, found.needs_arrow) == (False, False, False)


def test_variants_and_geometries_are_known(tmp_path: Path) -> None:
    duckdb_with_ducklake().execute(
        f"COPY (SELECT 1::VARIANT AS v, 'POINT(1 2)'::GEOMETRY AS g, 2 AS i, 'x'::BLOB AS b) TO '{tmp_path}/x.parquet'"
    )
    found = read_footer(f"{tmp_path}/x.parquet")
    assert [(field.name, field.type) for field in found.fields] == [
        ("v", types.VARIANT),
        ("g", types.GEOMETRY),
        ("i", types.INT32),
        ("b", types.BLOB),
    ]


def test_types_of_other_writers_are_known(tmp_path: Path) -> None:
    columns = {
        "dictionary": pa.array(["a"]).dictionary_encode(),
        "large": pa.array([[1]], pa.large_list(pa.int8())),
        "fixed": pa.array([[1, 2]], pa.list_(pa.int16(), 2)),
        "plain": pa.array([{"metadata": b"", "value": b""}]),
        "int96": pa.array([0], pa.timestamp("ns")),
    }
    path = f"{tmp_path}/x.parquet"
    pq.write_table(pa.table(columns), path, use_deprecated_int96_timestamps=True)
    found = read_footer(path)
    assert [field.type.name for field in found.fields] == ["varchar", "list", "list", "struct", "timestamp"]
    assert not found.needs_arrow


@pytest.mark.parametrize(
    "kind",
    [pa.time32("ms"), pa.time64("ns"), pa.timestamp("ns", "UTC"), pa.float16(), pa.null(), pa.list_(pa.float16())],
)
def test_what_spark_cannot_read_natively_is_said(tmp_path: Path, kind: pa.DataType) -> None:
    path = f"{tmp_path}/x.parquet"
    pq.write_table(pa.table({"c": pa.array([None], kind)}), path)
    assert read_footer(path).needs_arrow


def test_row_lineage_is_told_apart_from_columns(tmp_path: Path) -> None:
    path = f"{tmp_path}/x.parquet"
    pq.write_table(pa.table({"a": [1], ROW_ID_COLUMN: [1], SNAPSHOT_ID_COLUMN: [1]}), path)
    found = read_footer(path)
    assert ([field.name for field in found.fields], found.has_row_ids, found.has_snapshot_ids) == (["a"], True, True)


def scanned(path: Path, number: int = 1) -> ScanFile:
    size = path.stat().st_size if path.exists() else 0
    return ScanFile(DataFileId(number), str(path), size, 1, SnapshotId(1), SnapshotId(1))


def test_the_footer_of_a_data_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    file = scanned(path)
    first = known_footer(file)
    path.unlink()
    assert known_footer(file) is first


@pytest.mark.parametrize(("first", "second"), [(1, 2), (-1, -1)])
def test_another_file_at_the_same_path_has_its_own_footer(tmp_path: Path, first: int, second: int) -> None:
    path = tmp_path / "x.parquet"
    for name, number in (("a", first), ("b", second)):
        pq.write_table(pa.table({name: [1]}), path)
        assert [field.name for field in known_footer(scanned(path, number)).fields] == [name]


def test_many_footers_keep_their_order(tmp_path: Path) -> None:
    for number in range(40):
        pq.write_table(pa.table({f"c{number}": [1]}), tmp_path / f"{number}.parquet")
    found = known_footers([scanned(tmp_path / f"{number}.parquet") for number in range(40)])
    assert [file.fields[0].name for file in found] == [f"c{number}" for number in range(40)]
    assert known_footers([]) == []


@pytest.mark.parametrize("data", [b"", b"short", b"PAR1" + b"x" * 100, b"PAR1" + b"\0" * 100 + b"\x40\0\0\0PAR1"])
def test_a_damaged_file_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(data)
    with pytest.raises(DataFileError, match=r'File ".*x\.parquet" is damaged or no Parquet file'):
        read_footer(f"{tmp_path}/x.parquet")


def test_a_missing_file_among_many_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r'File ".*/[ab]" was not read: there is no such file'):
        known_footers([scanned(tmp_path / "a"), scanned(tmp_path / "b")])


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="its key in the metadata is damaged"):
        read_footer(f"{tmp_path}/x.parquet", "no base64!")


def test_field_ids_decide_whatever_the_names(tmp_path: Path) -> None:
    older = (column(2, "q", "struct", column(4, "x", "varchar"), column(99, "y", "int64")), column(1, "s", "int32"))
    path = f"{tmp_path}/x.parquet"
    pq.write_table(arrow_schema(older).empty_table(), path)
    assert outline(resolve_fields(read_footer(path), TABLE)) == [("q", 2, [("x", 4), ("y", None)]), ("s", 1)]


def test_parts_of_lists_and_maps_without_ids_have_their_places() -> None:
    held = footer(
        column(5, "l", "list", column(None, "element", "struct", column(7, "z", "int64"))),
        column(8, "m", "map", column(None, "key", "varchar"), column(None, "value", "int64")),
    )
    assert outline(resolve_fields(held, TABLE)) == [
        ("l", 5, [("element", 6, [("z", 7)])]),
        ("m", 8, [("key", 9), ("value", 10)]),
    ]


def test_columns_without_ids_are_taken_by_position() -> None:
    held = footer(
        column(None, "z", "int64"),
        column(None, "a", "struct", column(None, "one", "int64")),
        column(None, "b", "list", column(None, "item", "struct", column(None, "w", "int64"))),
        column(None, "c", "map", column(None, "k", "varchar"), column(None, "v", "int64")),
        column(None, "more", "list", column(None, "item", "int64")),
    )
    assert outline(resolve_fields(held, TABLE)) == [
        ("z", 1),
        ("a", 2, [("one", 3)]),
        ("b", 5, [("item", 6, [("w", 7)])]),
        ("c", 8, [("k", 9), ("v", 10)]),
        ("more", None, [("item", None)]),
    ]


def test_a_mapping_goes_before_field_ids() -> None:
    mapping = (
        mapped("B", 1),
        mapped("a", 2, mapped("p", 4)),
        mapped("l", 5, mapped("list", 6, mapped("q", 7))),
        mapped("m", 8, mapped("key", 9), mapped("value", 10)),
        mapped("part", 3, is_partition=True),
    )
    held = footer(
        column(8, "b", "int64"),
        column(None, "a", "struct", column(3, "x", "int64"), column(None, "p", "varchar")),
        column(None, "l", "list", column(None, "element", "struct", column(None, "q", "int64"))),
        column(None, "m", "map", column(None, "k", "varchar"), column(None, "v", "int64")),
        column(1, "part", "int64"),
    )
    assert outline(resolve_fields(held, TABLE, mapping)) == [
        ("b", 1),
        ("a", 2, [("x", None), ("p", 4)]),
        ("l", 5, [("element", 6, [("q", 7)])]),
        ("m", 8, [("k", 9), ("v", 10)]),
        ("part", None),
    ]


def test_a_footer_longer_than_what_is_read_at_first_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"a column with a long name, number {number}": [number] for number in range(1_000)}), path)
    found = read_footer(str(path))
    assert found.footer_size > 2**16
    assert len(found.fields) == 1_000


def test_a_file_that_ends_before_its_footer_began_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    pq.write_table(pa.table({"a": range(10)}), path)
    path.write_bytes(path.read_bytes()[-100:])
    with pytest.raises(DataFileError, match="is damaged or no Parquet file"):
        read_footer(str(path))
