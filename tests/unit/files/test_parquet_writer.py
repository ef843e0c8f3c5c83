"""Files of a table: which rows go into which file, how they are written, and that nothing is left of a failure."""

import math
import resource
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import DataFileError, InvalidInputError
from forklake.files.access.keys import decrypting
from forklake.files.arrow.schema import arrow_schema
from forklake.files.parquet.footer import read_footer
from forklake.files.parquet.parquet_writer import write_files
from forklake.model import types
from forklake.model.definitions import MappedColumn, NewDataFile, SortKey
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.name_mapping import name_mapping
from forklake.model.option_rules import COMPRESSIONS
from forklake.model.scan import ROW_ID_COLUMN
from forklake.model.transforms import Transform
from forklake.model.write import PartitionKey, WriteOptions, WriteTarget
from tests.fields import named_field
from tests.interop.ducklake import attached, duckdb_with_ducklake, write
from tests.unit.files.lakes import written_by_ducklake

FIELDS = (
    Field(ColumnId(1), "k", types.VARCHAR),
    Field(ColumnId(2), "n", types.INT64),
    Field(ColumnId(3), "x", types.FLOAT64),
)
SCHEMA = arrow_schema(FIELDS)
NESTED = (
    named_field(ColumnId(1), "l", "list", (Field(ColumnId(2), "element", types.INT32),)),
    named_field(
        ColumnId(3),
        "m",
        "map",
        (Field(ColumnId(4), "key", types.VARCHAR), Field(ColumnId(5), "value", types.INT32)),
    ),
    named_field(
        ColumnId(6),
        "s",
        "struct",
        (Field(ColumnId(7), "a", types.INT32), Field(ColumnId(8), "b", types.VARCHAR)),
    ),
    named_field(
        ColumnId(9),
        "ls",
        "list",
        (named_field(ColumnId(10), "element", "struct", (Field(ColumnId(11), "x", types.INT32),)),),
    ),
)


def batch(*rows: tuple[Any, ...], schema: pa.Schema = SCHEMA) -> pa.RecordBatch:
    return pa.record_batch(
        [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), schema.types, strict=True)],
        schema=schema,
    )


def target(tmp_path: Path, *keys: tuple[str, str], **more: Any) -> WriteTarget:
    options = {name: more.pop(name) for name in list(more) if name in WriteOptions.__slots__}
    return WriteTarget(
        "t",
        f"{tmp_path}/",
        more.pop("fields", FIELDS),
        partition_keys=tuple(PartitionKey(column, Transform.parse(text)) for column, text in keys),
        options=WriteOptions(**options),
        **more,
    )


def rows_of(tmp_path: Path, file: NewDataFile) -> list[tuple[Any, ...]]:
    path = f"{tmp_path}/{file.path}"
    table = pq.ParquetFile(path, decryption_properties=decrypting(path, file.encryption_key)).read()
    return [tuple(row.values()) for row in table.to_pylist()]


def left_in(tmp_path: Path) -> list[Path]:
    return [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_file_is_described_as_it_is(tmp_path: Path) -> None:
    rows = [("a", 1, 1.5), ("b", None, None)]
    [file] = write_files([batch(rows[0]), batch(rows[1])], target(tmp_path), SCHEMA)
    footer = read_footer(f"{tmp_path}/{file.path}")
    assert rows_of(tmp_path, file) == rows
    assert (file.record_count, file.file_size_bytes, file.footer_size) == (
        2,
        footer.file_size_bytes,
        footer.footer_size,
    )
    assert footer.file_size_bytes == (tmp_path / file.path).stat().st_size
    assert [(field.column_id, field.name, field.type.name) for field in footer.fields] == [
        (1, "k", "varchar"),
        (2, "n", "int64"),
        (3, "x", "float64"),
    ]
    assert (file.partition_values, file.mapping, file.encryption_key) == ((), None, None)


def test_no_rows_make_no_file(tmp_path: Path) -> None:
    assert write_files([], target(tmp_path), SCHEMA) == []
    assert write_files([batch(("a", 1, 1.0)).slice(1)], target(tmp_path, ("k", "identity")), SCHEMA) == []
    assert left_in(tmp_path) == []


def test_rows_go_into_the_files_of_their_partitions(tmp_path: Path) -> None:
    rows = [("a", 1, 0.0), ("b", 2, 0.0), ("a", 2, 0.0), (None, 4, 0.0), ("", 1, 0.0), ("a b", 1, 0.0)]
    keys = [("k", "identity"), ("n", "bucket(2)")]
    files = write_files([batch(*rows[:3]), batch(*rows[3:])], target(tmp_path, *keys), SCHEMA)
    found = {file.partition_values: [row[:2] for row in rows_of(tmp_path, file)] for file in files}
    assert found == {
        ("a", "0"): [("a", 1), ("a", 2)],
        ("b", "0"): [("b", 2)],
        (None, "0"): [(None, 4)],
        ("", "0"): [("", 1)],
        ("a b", "0"): [("a b", 1)],
    }
    assert {file.path.rpartition("/")[0] for file in files} == {
        "k=a/bucket=0",
        "k=b/bucket=0",
        "k=__HIVE_DEFAULT_PARTITION__/bucket=0",
        "k=/bucket=0",
        "k=a%20b/bucket=0",
    }


def test_without_the_hive_pattern_files_lie_in_the_tables_directory(tmp_path: Path) -> None:
    [file] = write_files([batch(("a", 1, 0.0))], target(tmp_path, ("k", "identity"), hive_file_pattern=False), SCHEMA)
    assert ("/" in file.path, file.partition_values) == (False, ("a",))


def test_many_partitions_keep_few_files_open(tmp_path: Path) -> None:
    rows = [(str(number % 150), number, 0.0) for number in range(450)]
    files = write_files([batch(*rows)] * 2, target(tmp_path, ("k", "identity")), SCHEMA)
    assert {file.partition_values for file in files} == {(str(number),) for number in range(150)}
    assert sorted(row for file in files for row in rows_of(tmp_path, file)) == sorted(rows * 2)
    assert all(len({row[0] for row in rows_of(tmp_path, file)}) == 1 for file in files)
    assert len(files) == 300
    in_order = [batch(*sorted(rows)[begin : begin + 90]) for begin in range(0, 450, 90)]
    assert len(write_files(in_order, target(tmp_path, ("k", "identity")), SCHEMA)) == 150


def test_a_file_ends_at_the_target_size(tmp_path: Path) -> None:
    rows = [(f"{number:08}" * 8, number, 0.0) for number in range(5000)]
    files = write_files(
        [batch(*rows)],
        target(tmp_path, target_file_size=20_000, parquet_compression="uncompressed", parquet_row_group_size=250),
        SCHEMA,
    )
    assert [row for file in files for row in rows_of(tmp_path, file)] == rows
    assert len(files) > 5
    assert all(15_000 < file.file_size_bytes < 60_000 for file in files[:-1])


@pytest.mark.parametrize("row_bytes", [None, 80.0])
def test_a_tiny_target_size_makes_no_tiny_files(tmp_path: Path, row_bytes: float | None) -> None:
    rows = [(f"{number:08}" * 8, number, 0.0) for number in range(20_000)]
    tiny = replace(target(tmp_path, target_file_size=1, parquet_compression="uncompressed"), bytes_per_row=row_bytes)
    files = write_files([batch(*rows)], tiny, SCHEMA)
    assert [row for file in files for row in rows_of(tmp_path, file)] == rows
    assert [file.file_size_bytes > 900_000 for file in files] == [True, False]


def test_row_groups_have_the_size_that_was_asked_for(tmp_path: Path) -> None:
    rows = [("a", number, 0.0) for number in range(250)]
    [file] = write_files([batch(*rows)] * 2, target(tmp_path, parquet_row_group_size=200), SCHEMA)
    metadata = pq.read_metadata(tmp_path / file.path)
    assert [metadata.row_group(number).num_rows for number in range(3)] == [200, 200, 100]
    [file] = write_files([batch(row) for row in rows], target(tmp_path, parquet_row_group_size_bytes=1000), SCHEMA)
    assert pq.read_metadata(tmp_path / file.path).num_row_groups > 3


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_compression_can_be_asked_for(tmp_path: Path, compression: str) -> None:
    asked = target(tmp_path, parquet_compression=compression, parquet_compression_level=1)
    [file] = write_files([batch(("a" * 1000, 1, 0.0))], asked, SCHEMA)
    assert rows_of(tmp_path, file) == [("a" * 1000, 1, 0.0)]
    written = pq.read_metadata(tmp_path / file.path).row_group(0).column(0).compression
    assert written.lower() == {"lz4_raw": "lz4"}.get(compression, compression)


@pytest.mark.parametrize("version", [1, 2])
def test_both_versions_are_read_by_duckdb(tmp_path: Path, version: int) -> None:
    [file] = write_files([batch(("a", 1, 0.5), ("b", None, 1.5))], target(tmp_path, parquet_version=version), SCHEMA)
    found = duckdb_with_ducklake().execute(f"SELECT * FROM '{tmp_path}/{file.path}'").fetchall()
    assert found == [("a", 1, 0.5), ("b", None, 1.5)]


def test_types_are_stored_as_duckdb_stores_them(tmp_path: Path) -> None:
    table = written_by_ducklake(
        tmp_path,
        """b BOOLEAN, i8 TINYINT, i64 BIGINT, u8 UTINYINT, u64 UBIGINT, f FLOAT, d4 DECIMAL(4,1), d9 DECIMAL(9,2),
        d18 DECIMAL(18,4), d38 DECIMAL(38,10), s VARCHAR, bl BLOB, dt DATE, tm TIME, ts TIMESTAMP, tz TIMESTAMPTZ,
        ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts_ns TIMESTAMP_NS, u UUID, l UUID[], st STRUCT(a TIME),
        m MAP(VARCHAR, DECIMAL(9,2))""",
        f"({', '.join(['NULL'] * 23)})",
    )
    schema = arrow_schema(table.fields)
    nulls = pa.record_batch([pa.nulls(1, kind) for kind in schema.types], schema=schema)
    [file] = write_files([nulls], target(tmp_path, fields=table.fields), schema)

    def held(path: str) -> list[tuple[Any, ...]]:
        duckdb = duckdb_with_ducklake()
        columns = duckdb.execute(f"DESCRIBE FROM '{path}'").fetchall()
        parts = duckdb.execute(
            "SELECT name, type, repetition_type, num_children, scale, precision, field_id"
            f" FROM parquet_schema('{path}')"
        ).fetchall()
        return [*columns, *parts[1:]]

    assert held(f"{tmp_path}/{file.path}") == held(table.path)


def test_rows_are_sorted_by_the_tables_columns(tmp_path: Path) -> None:
    keys = (SortKey('"X"', "DESC", "NULLS_LAST"), SortKey("n", "ASC", "NULLS_FIRST"))
    rows = [("a", 2, 1.0), ("b", 1, 1.0), ("c", None, 1.0), ("d", 1, math.nan), ("e", 1, None), ("f", 1, 9.0)]
    [file] = write_files([batch(*rows[:3]), batch(*rows[3:])], target(tmp_path, sort_keys=keys), SCHEMA)
    assert [row[0] for row in rows_of(tmp_path, file)] == ["d", "f", "c", "b", "a", "e"]


@pytest.mark.parametrize(
    "more", [{"sort_keys": (SortKey("n + 1"),)}, {"sort_keys": (SortKey("n"),), "sort_on_insert": False}]
)
def test_rows_keep_their_order_where_sorting_is_not_asked_of_us(tmp_path: Path, more: dict[str, Any]) -> None:
    [file] = write_files([batch(("a", 2, 0.0), ("b", 1, 0.0))], target(tmp_path, **more), SCHEMA)
    assert [row[0] for row in rows_of(tmp_path, file)] == ["a", "b"]


def test_each_encrypted_file_has_a_key_of_its_own(tmp_path: Path) -> None:
    rows = [("secret", number, float(number)) for number in range(100)]
    asked = target(tmp_path, ("n", "bucket(2)"), is_encrypted=True, parquet_row_group_size=30)
    files = write_files([batch(*rows)], asked, SCHEMA)
    assert len({file.encryption_key for file in files}) == len(files) == 2
    assert sorted(row for file in files for row in rows_of(tmp_path, file)) == sorted(rows)
    for file in files:
        assert b"secret" not in (tmp_path / file.path).read_bytes()
        assert "/" not in file.path
        assert file.column_stats["k"].min_value == "secret"
        with pytest.raises(DataFileError, match="is encrypted, and the metadata has no key"):
            read_footer(f"{tmp_path}/{file.path}")
        with pytest.raises(DataFileError, match="cannot be decrypted"):
            read_footer(f"{tmp_path}/{file.path}", "AAAAAAAAAAAAAAAAAAAAAA==")


def test_duckdb_reads_encrypted_files(tmp_path: Path) -> None:
    # Far more than a page and a dictionary hold by default.
    rows = [(f"{number:0100}", number, float(number)) for number in range(60_000)]
    [file] = write_files([batch(*rows)], target(tmp_path, is_encrypted=True, parquet_row_group_size=50_000), SCHEMA)
    found = duckdb_with_ducklake().execute(
        f"SELECT * FROM read_parquet('{tmp_path}/{file.path}',"
        f" encryption_config = {{footer_key_value: from_base64('{file.encryption_key}')}}) ORDER BY n"
    )
    assert found.fetchall() == rows


def test_row_lineage_is_written_without_statistics(tmp_path: Path) -> None:
    lineage = pa.field(ROW_ID_COLUMN, pa.int64(), metadata={b"PARQUET:field_id": b"2147483540"})
    schema = SCHEMA.append(lineage)
    asked = target(tmp_path, needs_mapping=True, fields=(*FIELDS, Field(None, ROW_ID_COLUMN, types.INT64)))
    [file] = write_files([batch(("a", 1, 0.0, 7), schema=schema)], asked, schema)
    assert set(file.column_stats) == {"k", "n", "x"}
    assert read_footer(f"{tmp_path}/{file.path}").has_row_ids
    assert file.mapping == name_mapping(FIELDS)


def test_a_mapping_is_the_one_that_ducklake_makes(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({field.name: pa.array([None], arrow_schema([field]).types[0]) for field in NESTED}),
        tmp_path / "x.parquet",
    )
    url = f"ducklake:{tmp_path}/lake.ducklake"
    write(
        url,
        tmp_path / "data",
        "CREATE TABLE t(l INTEGER[], m MAP(VARCHAR, INTEGER), s STRUCT(a INTEGER, b VARCHAR), ls STRUCT(x INTEGER)[])",
        f"CALL ducklake_add_data_files('{{lake}}', 't', '{tmp_path}/x.parquet')",
    )
    with attached(url, READ_ONLY=True) as (connection, alias):
        expected = connection.execute(
            "SELECT source_name, target_field_id, is_partition"
            f" FROM __ducklake_metadata_{alias}.ducklake_name_mapping ORDER BY column_id"
        ).fetchall()

    def flat(columns: tuple[MappedColumn, ...], fields: tuple[Field, ...]) -> Iterator[tuple[str, int | None, bool]]:
        for column, field in zip(columns, fields, strict=True):
            assert column.target == field.name
            yield column.source_name, field.column_id, column.is_partition
            yield from flat(column.children, field.children)

    assert list(flat(name_mapping(NESTED).columns, NESTED)) == expected


def test_rows_of_other_columns_are_refused(tmp_path: Path) -> None:
    wrong = pa.record_batch({"k": ["a"], "n": ["no number"], "x": [1.0]})
    with pytest.raises(InvalidInputError, match='Rows for table "t" do not fit its columns'):
        write_files([batch(("a", 1, 1.0)), wrong], target(tmp_path, parquet_row_group_size=1), SCHEMA)
    with pytest.raises(InvalidInputError, match='Rows for table "t" do not fit its columns'):
        write_files([wrong.select(["k"])], target(tmp_path), SCHEMA)
    assert left_in(tmp_path) == []


def test_an_exception_on_the_way_leaves_no_file(tmp_path: Path) -> None:
    def rows() -> Iterator[pa.RecordBatch]:
        yield batch(("a", 1, 1.0), ("b", 2, 1.0))
        assert len(left_in(tmp_path)) == 2
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files(rows(), target(tmp_path, ("k", "identity"), parquet_row_group_size=1), SCHEMA)
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("keys", [(), (("k", "identity"),)])
def test_a_write_that_is_over_does_not_get_its_directory_back(
    tmp_path: Path, keys: tuple[tuple[str, str], ...]
) -> None:
    private = tmp_path / "write-1"
    with pytest.raises(DataFileError, match="was not written"):
        write_files([batch(("a", 1, 1.0))], target(private, *keys, is_private=True), SCHEMA)
    assert not private.exists()
    private.mkdir()
    assert len(write_files([batch(("a", 1, 1.0))], target(private, *keys, is_private=True), SCHEMA)) == 1


def test_a_file_that_cannot_grow_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    rows = batch(*((f"{number}" * 9, number, float(number)) for number in range(20_000)))
    asked = target(tmp_path, parquet_row_group_size=1000, parquet_compression="uncompressed")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(
            DataFileError, match=r'File ".*ducklake-.*\.parquet" was not written: the file is larger than'
        ):
            write_files([rows], asked, SCHEMA)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert left_in(tmp_path) == []
