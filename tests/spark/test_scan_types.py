"""Every type of DuckLake, as DuckDB's files hold it, shown as DuckDB shows it."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, ByteType, CalendarIntervalType, LongType, MapType, StructType

from forklake.engine.spark.columns.spark_types import ducklake_columns, ducklake_type, spark_schema, spark_type
from forklake.engine.spark.driver.failures import guard_scan
from forklake.engine.spark.read.scan import scan
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.scan import ScanPlan
from forklake.model.types.shapes import list_of, map_of, struct_of
from forklake.sql.expressions.literals import spark_type as type_in_sql
from tests.spark.plans import field, plan, scanned, setting, values, written, written_by_arrow

# type of the table, values in DuckDB's SQL, type that the file holds if it is another, type in Spark
TYPES = [
    ("boolean", "BOOLEAN", ["true", "false"], None, "boolean"),
    ("int8", "TINYINT", ["-128", "127"], None, "tinyint"),
    ("int16", "SMALLINT", ["-32768", "32767"], None, "smallint"),
    ("int32", "INTEGER", ["-2147483648", "2147483647"], None, "int"),
    ("int64", "BIGINT", ["-9223372036854775808", "9223372036854775807"], None, "bigint"),
    ("uint8", "UTINYINT", ["0", "255"], None, "smallint"),
    ("uint16", "USMALLINT", ["0", "65535"], None, "int"),
    ("uint32", "UINTEGER", ["0", "4294967295"], None, "bigint"),
    ("uint64", "UBIGINT", ["0", "18446744073709551615"], None, "decimal(20,0)"),
    ("int128", "HUGEINT", ["-5", "0", "36893488147419103232", "-1267650600228229401496703205376",
     "-99999999999999997748809823456034029568"], "float64",
     "decimal(38,0)"),
    ("uint128", "UHUGEINT", ["0", "79228162514264337593543950336"], "float64", "decimal(38,0)"),
    ("decimal(9,2)", "DECIMAL(9,2)", ["-1234567.89", "0.01"], None, "decimal(9,2)"),
    ("decimal(38,5)", "DECIMAL(38,5)", ["123456789012345678901234567890123.45678"], None, "decimal(38,5)"),
    ("varchar", "VARCHAR", ["''", "'ä日本 🦆'", "'a''b'"], None, "string"),
    ("json", "JSON", ["""'{"a": [1, null]}'"""], None, "string"),
    ("uuid", "UUID", ["'00000000-0000-0000-0000-000000000000'", "'FFFFFFFF-ffff-4fff-8fff-ffffffffffff'",
                      "'550e8400-e29b-41d4-a716-446655440000'"], None, "string"),
    ("time", "TIME", ["'00:00:00'", "'23:59:59.999999'", "'12:34:56.1'", "'01:02:03.000040'"], None, "string"),
    ("timestamp_ns", "TIMESTAMP_NS", ["'1970-01-01'", "'1969-12-31 23:59:59.999999999'", "'2020-02-29 12:00:00.5'",
                                      "'1700-01-01 00:00:00.000000001'", "'infinity'", "'-infinity'"], None, "string"),
    ("interval", "INTERVAL", ["'0 days'", "'1 month'", "'25 months 1 day'", "'3 days 04:05:06.789'", "'400 hours'",
                              "'1 year 2 days'"], None, "string"),
    ("date", "DATE", ["'0001-01-01'", "'1582-10-10'", "'1970-01-01'", "'9999-12-31'"], None, "date"),
    ("timestamp", "TIMESTAMP", ["'0001-01-01'", "'1969-12-31 23:59:59.999999'", "'2020-03-08 02:30:00'"], None,
     "timestamp_ntz"),
    ("timestamp_s", "TIMESTAMP_S", ["'2020-01-01 01:02:03'"], None, "timestamp_ntz"),
    ("timestamp_ms", "TIMESTAMP_MS", ["'2020-01-01 01:02:03.123'"], None, "timestamp_ntz"),
]  # fmt: skip
NAMES = [row[0] for row in TYPES]


@pytest.mark.parametrize(("type_", "sql", "literals", "held", "shown"), TYPES, ids=NAMES)
@pytest.mark.parametrize("is_vectorized", ["true", "false"])
def test_values_show_as_in_duckdb(
    spark: SparkSession,
    tmp_path: Path,
    type_: str,
    sql: str,
    literals: list[str],
    held: str | None,
    shown: str,
    is_vectorized: str,
) -> None:
    rows = ", ".join(
        f"({place}, CAST({text} AS {sql}), [CAST({text} AS {sql}), NULL])" for place, text in enumerate(literals)
    )
    query = f"SELECT * FROM (VALUES {rows}, (99, NULL, NULL)) AS _(n, v, l)"
    path = written(tmp_path / "f.parquet", query)
    stored = held or type_
    of_file = [
        field(1, "n", "int32"),
        field(2, "v", stored),
        field(3, "l", "list", field(4, "element", stored)),
    ]
    table = [field(1, "n", "int32"), field(2, "v", type_), field(3, "l", "list", field(4, "element", type_))]
    with setting(spark, spark_sql_parquet_enableVectorizedReader=is_vectorized):
        frame = scan(spark, plan(table, scanned(path, of_file)))
        assert frame.schema["v"].dataType.simpleString() == shown
        found = values(frame.select("n", F.col("v").cast("string"), F.col("l")[0].cast("string"), F.size("l")))
    with duckdb.connect() as connection:
        truth = connection.execute(f"SELECT n, v::VARCHAR, l[1]::VARCHAR, len(l) FROM ({query})").fetchall()
    assert found == sorted(truth, key=repr)


def test_doubles_blobs_and_moments_come_as_they_are(spark: SparkSession, tmp_path: Path) -> None:
    query = (
        "SELECT 1.5::FLOAT AS f, 'nan'::DOUBLE AS d, '\\x00\\xFF'::BLOB AS b,"
        " '2020-06-01 12:00:00+02'::TIMESTAMPTZ AS z, '12:00:00.5+02'::TIMETZ AS t"
    )
    path = written(tmp_path / "f.parquet", query)
    fields = [
        field(1, "f", "float32"),
        field(2, "d", "float64"),
        field(3, "b", "blob"),
        field(4, "z", "timestamptz"),
        field(5, "t", "timetz"),
    ]
    frame = scan(spark, plan(fields, scanned(path, fields)))
    row = frame.select("f", F.isnan("d"), "b", F.unix_seconds("z"), "t").collect()[0]
    assert (row[0], row[1], bytes(row[2]), row[3], row[4]) == (1.5, True, b"\x00\xff", 1591005600, "10:00:00.5+00")


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("value", ["1.5e38", "-1.5e38", "0.5", "'inf'", "'nan'"])
def test_a_hugeint_that_does_not_fit_is_an_error_and_never_null(
    spark: SparkSession, tmp_path: Path, value: str, ansi: str
) -> None:
    path = written(tmp_path / "f.parquet", f"SELECT {value}::DOUBLE AS v")
    made = plan([field(1, "v", "int128")], scanned(path, [field(1, "v", "float64")]))
    with (
        setting(spark, spark_sql_ansi_enabled=ansi),
        guard_scan(made),
        pytest.raises(Exception, match=r'Conversion Error: Value .* of column "v" does not fit'),
    ):
        scan(spark, made).collect()


def test_variants_and_geometries_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    spark.sql("SELECT parse_json('{\"a\": 1}') AS v, X'0101' AS g").coalesce(1).write.parquet(str(tmp_path / "w"))
    next((tmp_path / "w").glob("*.parquet")).rename(path)
    fields = [field(1, "v", "variant"), field(2, "g", "geometry")]
    frame = scan(spark, plan(fields, scanned(path, fields)))
    assert values(frame.select(F.to_json("v"), "g")) == [('{"a":1}', b"\x01\x01")]


def test_a_variant_that_is_null_is_null_as_in_duckdb_which_writes_it(spark: SparkSession, tmp_path: Path) -> None:
    rows = "(1, 42::VARIANT), (2, NULL), (3, {'a': NULL}), (4, [NULL])"
    path = written(tmp_path / "f.parquet", f"FROM (VALUES {rows}) rows(i, v)")
    fields = [field(1, "i", "int32"), field(2, "v", "variant")]
    frame = scan(spark, plan(fields, scanned(path, fields)))
    assert values(frame.where(F.col("v").isNull()).select("i")) == [(2,)]
    assert values(frame.select(F.count("v"))) == [(3,)]
    assert values(frame.where("i > 2").select(F.to_json("v"))) == [("[null]",), ('{"a":null}',)]


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_number_of_another_kind_is_read_if_nothing_of_it_is_lost(
    spark: SparkSession, tmp_path: Path, ansi: str
) -> None:
    def made(query: str) -> ScanPlan:
        path = written(tmp_path / "f.parquet", query)
        return plan([field(1, "v", "int32")], scanned(path, [field(1, "v", "float64")]))

    with setting(spark, spark_sql_ansi_enabled=ansi):
        assert values(scan(spark, made("SELECT unnest([2.0::DOUBLE, NULL]) AS v"))) == [(2,), (None,)]
        for value in ("1.5", "3e9", "'nan'"):
            with pytest.raises(InvalidInputError, match='of column "v" does not fit into int'), guard_scan(plan([])):
                scan(spark, made(f"SELECT {value}::DOUBLE AS v")).collect()


def test_a_file_that_holds_what_cannot_become_the_columns_type_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = written_by_arrow(tmp_path / "f.parquet", {"v": ["x"]})
    made = plan([field(1, "v", "date")], scanned(path, [field(1, "v", "varchar")]))
    with pytest.raises(InvalidInputError, match='Column "v" is of type date, and a file holds it as varchar'):
        scan(spark, made)


# ---- types alone ---------------------------------------------------------------------------------------------------


def test_nested_types_are_spelled_out() -> None:
    made = field(1, "m", "map", field(2, "key", "uuid"), field(3, "value", "struct", field(4, "x", "uint8")))
    assert spark_type(made).simpleString() == "map<string,struct<x:smallint>>"
    assert spark_schema((made,)).names == ["m"]


@pytest.mark.parametrize(
    ("ddl", "type_"),
    [
        ("tinyint", "int8"),
        ("timestamp", "timestamptz"),
        ("timestamp_ntz", "timestamp"),
        ("decimal(5,2)", "decimal(5,2)"),
        ("binary", "blob"),
        ("variant", "variant"),
        ("string", "varchar"),
        ("void", "int32"),
    ],
)
def test_a_schema_of_spark_makes_columns(spark: SparkSession, ddl: str, type_: str) -> None:
    made = ducklake_columns(spark.createDataFrame([], f"a {ddl}").schema)
    assert [(column.name, column.type) for column in made] == [("a", type_)]


def test_nested_schemas_make_nested_columns() -> None:
    made = ducklake_type("c", MapType(LongType(), ArrayType(StructType().add("x", ByteType()))))
    assert made == map_of(types.INT64, list_of(struct_of([("x", types.INT8)])))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (ArrayType(CalendarIntervalType()), 'Column "c.element" has the type interval'),
        (StructType(), 'Column "c" is a struct without fields'),
    ],
)
def test_a_type_that_ducklake_does_not_have_is_refused_by_name(kind: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ducklake_type("c", kind)


def test_decimals_keep_all_digits(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "f.parquet", "SELECT 18446744073709551615::UBIGINT AS v")
    fields = [field(1, "v", "uint64")]
    assert values(scan(spark, plan(fields, scanned(path, fields)))) == [(Decimal("18446744073709551615"),)]


def test_sql_names_the_types_that_the_engine_shows(spark: SparkSession) -> None:
    kinds = [*(kind for kind in types.FACTS if kind != types.NULL), types.Decimal(7, 2)]
    kinds += [list_of(kind) for kind in kinds]
    nulls = spark.sql(f"SELECT {', '.join(f'CAST(NULL AS {type_in_sql(kind)})' for kind in kinds)}")
    shown = [spark_type(Field(None, "c", kind)).simpleString() for kind in kinds]
    assert [field.dataType.simpleString() for field in nulls.schema.fields] == shown
