"""Stock DuckDB with DuckLake reads what Spark wrote, and Spark reads what DuckDB wrote."""

from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.errors import SparkRuntimeException
from pyspark.sql import SparkSession

from forklake import Catalog, Lake, PartitionField, Table
from forklake.catalog.fields import table_fields
from forklake.files.casting.texts import to_texts
from tests.interop.conftest import Source
from tests.interop.ducklake import attached, url_of
from tests.interop.read_once import ReadOnce

TYPES = {
    "boolean": ["true", "false"],
    "tinyint": ["-128", "127"],
    "smallint": ["-32768", "32767"],
    "integer": ["-2147483648", "2147483647"],
    "bigint": ["-9223372036854775808", "9223372036854775807"],
    "hugeint": ["-99999999999999999999999999999999999999", "12345678901234567890123"],
    "utinyint": ["0", "255"],
    "usmallint": ["0", "65535"],
    "uinteger": ["0", "4294967295"],
    "ubigint": ["0", "18446744073709551615"],
    "uhugeint": ["0", "12345678901234567890123"],
    "float": ["-1.5", "0.1", "nan", "inf"],
    "double": ["-1.5", "1e300", "nan", "-inf"],
    "decimal(9,2)": ["-1234567.89", "0.01"],
    "decimal(38,10)": ["-1234567890123456789012345678.0123456789", "0.0000000000"],
    "varchar": ["", "a", "ä'\"\\", "x" * 5000],
    "json": ['{"a": [1, 2]}', "null"],
    "blob": ["abc", "\\x00\\xFF"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "f79c3e09-677c-4bbd-a479-3f349cb785e7"],
    "date": ["1582-10-15", "9999-12-31"],
    "time": ["00:00:00", "23:59:59.999999"],
    "timetz": ["00:00:00+00", "12:34:56.789-08:30"],
    "timestamp": ["1970-01-01 00:00:00", "2262-04-11 23:47:16.854775"],
    "timestamp_s": ["1970-01-01 00:00:00", "2026-02-03 04:05:06"],
    "timestamp_ms": ["1970-01-01 00:00:00", "2026-02-03 04:05:06.789"],
    "timestamp_ns": ["1970-01-01 00:00:00", "2026-02-03 04:05:06.123456789"],
    "timestamptz": ["1970-01-01 00:00:00+00", "2026-02-03 04:05:06.789012+00"],
    "interval": ["1 year 2 months 3 days 04:05:06.000007", "-1 day"],
    "integer[]": ["[1, NULL, 3]", "[]"],
    "varchar[][]": ["[['a, b', NULL], []]", "[NULL]"],
    "uuid[]": ["[f79c3e09-677c-4bbd-a479-3f349cb785e7]", "[]"],
    "struct(a integer, b struct(c varchar, d date[]))": [
        "{'a': 1, 'b': {'c': x, 'd': [2026-01-01]}}", "{'a': NULL, 'b': NULL}"
    ],
    "map(varchar, integer)": ["{a=1, b=NULL}", "{}"],
    "map(integer, struct(x utinyint)[])": ["{1=[{'x': 255}]}", "{}"],
}  # fmt: skip


@pytest.fixture
def spark_lake(tmp_path: Path, spark: SparkSession) -> Any:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "own", spark=spark) as lake:
        yield lake


def texts(table: Table, *columns: str) -> list[tuple[str | None, ...]]:
    """Return what Spark reads of a table as DuckDB's texts, in order."""
    fields = {field.name: field for field in table_fields(table._content(), table.table_id)}
    names = list(columns or fields)
    read = table.dataframe(names).toArrow()
    shown = [to_texts(fields[name].type, read.column(name).combine_chunks()) for name in names]
    return sorted(zip(*shown, strict=True), key=repr)


def duckdb_texts(connection: Any, table: str, columns: list[str], at: int | None = None) -> list[tuple[Any, ...]]:
    """Return what DuckDB reads of it."""
    selected = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in columns)
    version = "" if at is None else f" AT (VERSION => {at})"
    found: list[tuple[Any, ...]] = connection.execute(f"SELECT {selected} FROM {table}{version}").fetchall()
    return sorted(found, key=repr)


@pytest.mark.parametrize("small_writes", ["driver", "spark"])
@pytest.mark.parametrize("kind", TYPES)
def test_duckdb_reads_every_type_that_we_wrote(spark_lake: Lake, tmp_path: Path, kind: str, small_writes: str) -> None:
    shop = spark_lake.create_catalog("shop")
    shop.options.set("small_writes", small_writes)
    shop.create_table("t", {"id": "integer", "v": kind})
    shop.table("t").append([{"id": n, "v": value} for n, value in enumerate([*TYPES[kind], None])])
    mine = texts(shop.table("t"))
    if kind not in ("float", "double"):
        assert sorted(value for _, value in mine if value is not None) == sorted(TYPES[kind])
    made = shop.maintenance.export(tmp_path / "shop.ducklake")
    with attached(url_of(made.path), READ_ONLY=True) as (connection, _):
        assert duckdb_texts(connection, "t", ["id", "v"]) == mine
        for n, value in enumerate(TYPES[kind]):
            if kind in ("json", "hugeint", "uhugeint") or "[" in kind or "(" in kind.replace("decimal(", ""):
                continue
            literal = value.replace("'", "''")
            found = connection.execute(f"SELECT id FROM t WHERE v = '{literal}'::{kind}").fetchall()
            assert found == [(n,)], value


def test_duckdb_finds_the_partitions_and_statistics_that_spark_wrote(
    spark_lake: Lake, tmp_path: Path, spark: SparkSession
) -> None:
    shop = spark_lake.create_catalog("shop")
    rows = spark.range(1000).selectExpr(
        "id",
        "concat('r', id % 3) AS region",
        "timestamp_ntz'2026-01-01' + make_dt_interval(cast(id as int)) AS ts",
        "cast(id as double) / 7 AS x",
    )
    shop.create_table(
        "t", rows=rows, partition_by=["region", PartitionField("ts", "year"), PartitionField("id", "bucket(4)")]
    )
    made = shop.maintenance.export(tmp_path / "shop.ducklake")
    with attached(url_of(made.path), READ_ONLY=True) as (connection, _):
        assert duckdb_texts(connection, "t", ["id", "region", "ts", "x"]) == texts(shop.table("t"))
        for where in ("region = 'r1'", "year(ts) = 2027", "id = 77", "ts >= '2028-01-01'", "x > 100"):
            expected = rows.where(where.replace("'2028-01-01'", "timestamp_ntz'2028-01-01'")).count()
            assert connection.execute(f"SELECT count(*) FROM t WHERE {where}").fetchone() == (expected,), where
    with attached(f"ducklake:{tmp_path / 'theirs.ducklake'}", DATA_PATH=f"{tmp_path}/theirs/") as (connection, _):
        connection.execute("CREATE TABLE t(id BIGINT, region VARCHAR, ts TIMESTAMP, x DOUBLE)")
        connection.execute("ALTER TABLE t SET PARTITIONED BY (region, year(ts), bucket(4, id))")
        connection.register("ours", rows.toArrow())
        connection.execute("INSERT INTO t SELECT * FROM ours")
        connection.unregister("ours")  # other tests have the same connection
    assert partitions(made.path) == partitions(tmp_path / "theirs.ducklake")


def partitions(path: Path) -> list[Any]:
    """Return the partition values, row counts and statistics of the files of a plain database."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(
            "SELECT f.record_count,"
            " (SELECT list(p.partition_value ORDER BY p.partition_key_index) FROM ducklake_file_partition_value p"
            "  WHERE p.data_file_id = f.data_file_id),"
            " (SELECT list((s.column_id, s.value_count, s.null_count, s.min_value, s.max_value, s.contains_nan)"
            "  ORDER BY s.column_id) FROM ducklake_file_column_stats s WHERE s.data_file_id = f.data_file_id)"
            " FROM ducklake_data_file f ORDER BY ALL"
        ).fetchall()


@pytest.mark.parametrize("everything", ["duckdb"], indirect=True)
def test_spark_reads_all_that_duckdb_wrote_at_every_snapshot(spark_lake: Lake, everything: Source) -> None:
    catalog = spark_lake.import_catalog("theirs", everything.url)
    numbers = everything.numbers
    own = [snapshot.snapshot_id for snapshot in catalog.snapshots()]
    compared, ours = 0, ReadOnce(texts)
    with attached(everything.ducklake_url, READ_ONLY=True) as (connection, _):
        for number, snapshot in zip(numbers, own, strict=True):
            past: Catalog = catalog.at(version=snapshot)
            for table in past.tables():
                # Spark's numbers have 38 digits, and one of these has 39: reading it is refused.
                columns = [column.name for column in table.columns if column.type != "int128"]
                name = f'"{table.schema_name}"."{table.name}"'
                theirs = duckdb_texts(connection, name, columns, number)
                assert ours.rows(table, *columns) == theirs, (number, name)
                assert table.count() == len(theirs)
                compared += 1
    assert compared > ours.count > 20


def test_a_number_of_39_digits_is_refused_and_not_lost(spark_lake: Lake, tmp_path: Path) -> None:
    with attached(f"ducklake:{tmp_path / 'theirs.ducklake'}", DATA_PATH=f"{tmp_path}/theirs/") as (connection, _):
        connection.execute("CREATE TABLE t(h HUGEINT)")
        connection.execute("INSERT INTO t VALUES (170141183460469231731687303715884105727), (7)")
    theirs = spark_lake.import_catalog("theirs", str(tmp_path / "theirs.ducklake"))
    with pytest.raises(SparkRuntimeException, match=r"170141183460469231731687303715884105727 of column .* 38 digits"):
        theirs.table("t").dataframe().collect()
    assert theirs.table("t").rows() == [(170141183460469231731687303715884105727,), (7,)]
