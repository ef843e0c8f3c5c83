"""Tables whose columns changed after files were written, always with and without a filter."""

from pathlib import Path
from typing import Any, Final

import duckdb
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.read.scan import scan
from forklake.model import types
from forklake.model.field import Field
from forklake.model.promotions import can_become
from forklake.model.types.read import read_scalar
from tests.fields import named_field
from tests.spark.plans import field, plan, pushed, read_columns, scanned, values, written

INT = "int32"
PROMOTED: Final = {
    **{"BOOLEAN": "true", "TINYINT": "-7", "SMALLINT": "-300", "INTEGER": "16777217", "BIGINT": "9007199254740993"},
    **{"UTINYINT": "200", "USMALLINT": "60000", "UINTEGER": "4000000000", "UBIGINT": "18446744073709551615"},
    **{"FLOAT": "0.1", "DECIMAL(4,1)": "12.5", "DECIMAL(11,3)": "1.125"},
    **{"DECIMAL(22,3)": "1234567890123456789.125", "DECIMAL(38,0)": "-12345678901234567890123456789012345678"},
    **{"DATE": "'1960-02-29'", "TIMESTAMP": "'1960-01-02 03:04:05.123456'", "TIMESTAMP_S": "'2020-01-02 03:04:05'"},
    "TIMESTAMP_MS": "'2020-01-02 03:04:05.123'",
}
"""A value of each type that something can be promoted from."""


def check(
    spark: SparkSession, made: Any, rows: list[tuple[Any, ...]], filters: dict[str, list[tuple[Any, ...]]]
) -> None:
    assert values(scan(spark, made)) == sorted(rows, key=repr)
    for condition, expected in filters.items():
        assert values(scan(spark, made, condition=condition)) == sorted(expected, key=repr), condition


def test_two_names_that_were_swapped_keep_their_values(spark: SparkSession, tmp_path: Path) -> None:
    old = written(tmp_path / "1.parquet", "SELECT 1 AS a, 10 AS b")
    new = written(tmp_path / "2.parquet", "SELECT 2 AS b, 20 AS a")
    table = [field(1, "b", INT), field(2, "a", INT)]
    made = plan(table, scanned(old, [field(1, "a", INT), field(2, "b", INT)]), scanned(new, table, 2))
    check(spark, made, [(1, 10), (2, 20)], {"a = 10": [(1, 10)], "b = 2": [(2, 20)], "a = 1": []})
    assert sorted(pushed(scan(spark, made, condition="a = 10"))) == [
        "IsNotNull(a), EqualTo(a,10)",
        "IsNotNull(b), EqualTo(b,10)",
    ]


def test_a_renamed_column_is_found_though_the_file_has_another_of_that_name(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = written(tmp_path / "1.parquet", "SELECT 1 AS a, 5 AS c")
    made = plan([field(1, "c", INT)], scanned(path, [field(1, "a", INT), field(2, "c", INT)]))
    check(spark, made, [(1,)], {"c = 1": [(1,)], "c = 5": []})


def test_a_column_that_was_dropped_and_made_again_does_not_show_old_values(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT 1 AS a, 5 AS b")
    made = plan([field(1, "a", INT), field(3, "b", INT)], scanned(path, [field(1, "a", INT), field(2, "b", INT)]))
    check(spark, made, [(1, None)], {"b IS NULL": [(1, None)], "b = 5": []})


@pytest.mark.parametrize(
    ("type_", "default", "value", "literal"),
    [
        ("int32", "42", "42", "42"),
        ("varchar", "x'y", "x'y", "'x\\'y'"),
        ("date", "2020-02-29", "2020-02-29", "DATE '2020-02-29'"),
        ("timestamp", "2020-03-08 02:30:00.5", "2020-03-08 02:30:00.5", "TIMESTAMP_NTZ '2020-03-08 02:30:00.5'"),
        ("decimal(5,2)", "1.50", "1.50", "1.5"),
        ("uuid", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000", None),
        ("time", "12:34:56.5", "12:34:56.5", None),
        ("uint64", "18446744073709551615", "18446744073709551615", None),
        ("int128", "17014118346046923173168730371588410572", "17014118346046923173168730371588410572", None),
        ("boolean", "true", "true", "true"),
    ],
)  # fmt: skip
def test_rows_older_than_a_column_have_its_first_default(
    spark: SparkSession, tmp_path: Path, type_: str, default: str, value: str, literal: str | None
) -> None:
    old = written(tmp_path / "1.parquet", "SELECT 1 AS a")
    added = field(2, "b", type_, default=default)
    made = plan([field(1, "a", INT), added], scanned(old, [field(1, "a", INT)]))
    frame = scan(spark, made)
    assert values(frame.selectExpr("a", "cast(b AS string)")) == [(1, value)]
    if literal is not None:
        assert len(values(scan(spark, made, condition=f"b = {literal}"))) == 1
        assert values(scan(spark, made, condition=f"b <> {literal}")) == []


def test_a_first_default_can_be_nested(spark: SparkSession, tmp_path: Path) -> None:
    old = written(tmp_path / "1.parquet", "SELECT 1 AS a")
    inner = field(4, "x", "struct", field(5, "p", INT), field(6, "q", "list", field(7, "element", "varchar")))
    outer = named_field(inner.column_id, "x", "struct", inner.children, initial_default="{'p': 1, 'q': [u, NULL]}")
    numbers = Field(None, "m", types.Map(field(9, "key", "varchar"), field(10, "value", INT)), initial_default="{k=3}")
    made = plan([field(1, "a", INT), outer, numbers], scanned(old, [field(1, "a", INT)]))
    check(spark, made, [(1, (1, ["u", None]), {"k": 3})], {"x.p = 1": [(1, (1, ["u", None]), {"k": 3})]})


def test_the_default_of_a_moment_is_the_same_moment_in_every_zone(spark: SparkSession, tmp_path: Path) -> None:
    old = written(tmp_path / "1.parquet", "SELECT 1 AS a")
    made = plan(
        [field(1, "a", INT), field(2, "z", "timestamptz", default="2020-06-01 12:00:00+02")],
        scanned(old, [field(1, "a", INT)]),
    )
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert values(scan(spark, made).selectExpr("unix_seconds(z)")) == [(1591005600,)]
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


@pytest.mark.parametrize(
    ("old", "new", "sql", "value"),
    [
        ("int8", "int64", "TINYINT", "-5"),
        ("int16", "int32", "SMALLINT", "7"),
        ("int32", "int64", "INTEGER", "2147483647"),
        ("uint8", "int16", "UTINYINT", "255"),
        ("uint8", "uint64", "UTINYINT", "255"),
        ("uint16", "int64", "USMALLINT", "65535"),
        ("uint32", "uint64", "UINTEGER", "4294967295"),
        ("uint32", "int64", "UINTEGER", "4294967295"),
        ("float32", "float64", "FLOAT", "1.5"),
        ("boolean", "int8", "BOOLEAN", "1"),
        ("boolean", "uint64", "BOOLEAN", "0"),
    ],
)
def test_a_widened_column_is_filtered_by_wide_values(
    spark: SparkSession, tmp_path: Path, old: str, new: str, sql: str, value: str
) -> None:
    path = written(tmp_path / "1.parquet", f"SELECT CAST({value} AS {sql}) AS a")
    made = plan([field(1, "a", new)], scanned(path, [field(1, "a", old)]))
    assert values(scan(spark, made).selectExpr("cast(a AS string)")) == [(value,)]
    assert len(values(scan(spark, made, condition=f"a = {value}"))) == 1
    assert values(scan(spark, made, condition="a = 5000000000")) == []
    assert len(values(scan(spark, made, condition="a < 5000000000"))) == 1


@pytest.mark.parametrize(
    ("old", "new", "sql", "shown"),
    [
        ("uint64", "int128", "18446744073709551615::UBIGINT", "18446744073709551615"),
        ("int64", "float64", "9007199254740993::BIGINT", "9.007199254740992E15"),
        ("int64", "float32", f"{2**60 + 2**36 + 1}::BIGINT", "1.15292164E18"),
        ("uint64", "float32", "18446744073709551615::UBIGINT", "1.8446744E19"),
        ("decimal(18,3)", "float32", "123456789012.125::DECIMAL(18,3)", "1.23456791E11"),
        ("decimal(4,1)", "decimal(9,3)", "12.5::DECIMAL(4,1)", "12.500"),
        ("int8", "decimal(5,2)", "(-7)::TINYINT", "-7.00"),
        ("date", "timestamp_s", "DATE '1960-02-29'", "1960-02-29 00:00:00"),
        ("date", "timestamp_ns", "DATE '1960-02-29'", "1960-02-29 00:00:00"),
        ("timestamp", "timestamp_ns", "TIMESTAMP '1960-02-29 01:02:03.45'", "1960-02-29 01:02:03.45"),
        ("timestamp_ms", "timestamp", "'2020-01-02 03:04:05.12'::TIMESTAMP_MS", "2020-01-02 03:04:05.12"),
    ],
)
def test_a_promoted_column_shows_what_duckdb_shows(
    spark: SparkSession, tmp_path: Path, old: str, new: str, sql: str, shown: str
) -> None:
    path = written(tmp_path / "1.parquet", f"SELECT {sql} AS a UNION ALL SELECT NULL")
    made = plan([field(1, "a", new)], scanned(path, [field(1, "a", old)]))
    assert values(scan(spark, made).selectExpr("cast(a AS string)")) == [(shown,), (None,)]


def test_all_that_promotions_lead_to_has_the_values_of_duckdb(spark: SparkSession, tmp_path: Path) -> None:
    kinds = {name: read_scalar(name) for name in (*PROMOTED, "DOUBLE", "UHUGEINT", "TIMESTAMPTZ", "TIMESTAMP_NS")}
    pairs = [(old, new) for old in PROMOTED for new in kinds if can_become(kinds[old], kinds[new])]
    numbers = list(enumerate(pairs, 1))
    path = written(
        tmp_path / "1.parquet", "SELECT " + ", ".join(f"{PROMOTED[old]}::{old} AS c{n}" for n, (old, _) in numbers)
    )
    made = plan(
        [field(n, f"c{n}", kinds[new].name) for n, (_, new) in numbers],
        scanned(path, [field(n, f"c{n}", kinds[old].name) for n, (old, _) in numbers]),
    )
    (found,) = values(scan(spark, made))
    for (old, new), value in zip(pairs, found, strict=True):
        shown = "VARCHAR" if new == "TIMESTAMP_NS" else new
        wanted = duckdb.sql(f"SELECT CAST({PROMOTED[old]}::{old}::{new} AS {shown})").fetchall()
        ours = duckdb.sql(f"SELECT CAST(? AS {shown})", params=[value]).fetchall()
        assert ours == wanted, (old, new)


def test_a_date_that_became_a_moment_is_midnight_in_utc_in_every_zone(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT DATE '2020-06-01' AS a")
    made = plan([field(1, "a", "timestamptz")], scanned(path, [field(1, "a", "date")]))
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert values(scan(spark, made).selectExpr("unix_seconds(a)")) == [(1590969600,)]
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_a_moment_that_nanoseconds_do_not_reach_fails_the_query(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT DATE '3000-01-01' AS a")
    made = plan([field(1, "a", "timestamp_ns")], scanned(path, [field(1, "a", "date")]))
    with pytest.raises(Exception, match='of column "a" does not fit'):
        values(scan(spark, made))


def test_a_widened_columns_filter_reaches_the_scan(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT 3 AS a")
    made = plan([field(1, "a", "int64")], scanned(path, [field(1, "a", "int32")]))
    assert pushed(scan(spark, made, condition="a = 3")) == ["IsNotNull(a), EqualTo(a,3)"]


def test_structs_change_inside(spark: SparkSession, tmp_path: Path) -> None:
    query = (
        "SELECT * FROM (VALUES (1, {'x': 1::SMALLINT, 'y': 'u', 'z': 9}), (2, NULL),"
        " (3, {'x': NULL, 'y': NULL, 'z': NULL})) AS _(n, s)"
    )
    path = written(tmp_path / "1.parquet", query)
    of_file = [
        field(1, "n", INT),
        field(2, "s", "struct", field(3, "x", "int16"), field(4, "y", "varchar"), field(5, "z", INT)),
    ]
    # x widened, y now called x2, z dropped, z made again, w added with a default
    now = field(
        2,
        "s",
        "struct",
        field(3, "x", "int64"),
        field(4, "x2", "varchar"),
        field(6, "z", INT),
        field(7, "w", INT, default="8"),
    )
    check(
        spark,
        plan([field(1, "n", INT), now], scanned(path, of_file)),
        [(1, (1, "u", None, 8)), (2, None), (3, (None, None, None, 8))],
        {
            "s IS NULL": [(2, None)],
            "s.x = 1": [(1, (1, "u", None, 8))],
            "s.x2 = 'u'": [(1, (1, "u", None, 8))],
            "s.z = 9": [],
            "s.w = 8": [(1, (1, "u", None, 8)), (3, (None, None, None, 8))],
        },
    )


def test_a_struct_of_which_all_fields_are_new_keeps_its_nulls(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT * FROM (VALUES (1, {'x': 1}), (2, NULL)) AS _(n, s)")
    of_file = [field(1, "n", INT), field(2, "s", "struct", field(3, "x", INT))]
    made = plan([field(1, "n", INT), field(2, "s", "struct", field(4, "x", INT))], scanned(path, of_file))
    check(spark, made, [(1, (None,)), (2, None)], {"s IS NOT NULL": [(1, (None,))], "s.x = 1": []})


def test_structs_in_lists_and_maps_change_inside(spark: SparkSession, tmp_path: Path) -> None:
    query = (
        "SELECT * FROM (VALUES"
        " (1, [{'a': 1, 'b': 2}, NULL], MAP {'k': {'a': 3, 'b': 4}}),"
        " (2, [], MAP {}), (3, NULL, NULL)) AS _(n, l, m)"
    )
    path = written(tmp_path / "1.parquet", query)

    def table(a: str, b: int, b_name: str, kind: str, *more: Field) -> list[Field]:
        def parts(first: int) -> tuple[Field, ...]:
            return field(first, a, kind), field(b + first, b_name, INT), *more

        return [
            field(1, "n", INT),
            field(2, "l", "list", field(3, "element", "struct", *parts(10))),
            field(4, "m", "map", field(5, "key", "varchar"), field(6, "value", "struct", *parts(30))),
        ]

    of_file = table("a", 1, "b", INT)
    # a renamed to b and widened, b renamed to a, c added
    made = plan(table("b", 1, "a", "int64", field(99, "c", "varchar", default="d")), scanned(path, of_file))
    first = (1, [(1, 2, "d"), None], {"k": (3, 4, "d")})
    check(
        spark,
        made,
        [first, (2, [], {}), (3, None, None)],
        {
            "get(l, 0).b = 1": [first],
            "m['k'].a = 4": [first],
            "l IS NULL": [(3, None, None)],
            "size(m) = 0": [(2, [], {})],
        },
    )


def test_odd_names_deep_inside_change_too(spark: SparkSession, tmp_path: Path) -> None:
    path = written(
        tmp_path / "1.parquet",
        "SELECT [[{'a.b': 1, 'c`d': [{'e f': 2}]}]] AS l, MAP {'k': [MAP {{'q': 1::TINYINT}: {'r': 2}}]} AS m",
    )

    def table(first: Field, second: Field, third: Field, key: Field, *items: Field) -> list[Field]:
        inner = field(5, second.name, "list", field(6, "element", "struct", third, *items[1:]))
        part = field(14, "key", "struct", key), field(16, "value", "struct", items[0])
        return [
            field(1, "l", "list", field(2, "element", "list", field(3, "element", "struct", first, inner))),
            field(10, "m", "map", field(11, "key", "varchar"),
                  field(12, "value", "list", field(13, "element", "map", *part))),
        ]  # fmt: skip

    of_file = table(
        field(4, "a.b", INT), field(5, "c`d", "list"), field(7, "e f", INT), field(15, "q", "int8"), field(17, "r", INT)
    )
    now = table(
        field(4, "x.y", "int64"),
        field(5, "c`e", "list"),
        field(7, "g.h", INT),
        field(15, "Q", "int64"),
        field(17, "R", "int64"),
        field(8, "n", "varchar", default="N"),
    )
    row = ([[(1, [(2, "N")])]], {"k": [{(1,): (2,)}]})
    check(spark, plan(now, scanned(path, of_file)), [row], {"l[0][0].`x.y` = 1": [row], "l[0][0].`x.y` = 2": []})


def test_keys_of_maps_are_shown_too(spark: SparkSession, tmp_path: Path) -> None:
    uuid = "550e8400-e29b-41d4-a716-446655440000"
    path = written(tmp_path / "1.parquet", f"SELECT MAP {{'{uuid}'::UUID: 1::TINYINT, uuid(): NULL}} AS m")
    of_file = [field(1, "m", "map", field(2, "key", "uuid"), field(3, "value", "int8"))]
    table = [field(1, "m", "map", field(2, "key", "uuid"), field(3, "value", "int64"))]
    rows = values(scan(spark, plan(table, scanned(path, of_file))))
    assert (rows[0][0][uuid], len(rows[0][0])) == (1, 2)
    assert len(values(scan(spark, plan(table, scanned(path, of_file)), condition=f"m['{uuid}'] = 1"))) == 1


def test_where_nothing_differs_the_plan_is_that_of_reading_the_file(spark: SparkSession, tmp_path: Path) -> None:
    query = "SELECT 1 AS a, {'x': 1, 'y': [1]} AS s, MAP {'k': 'v'} AS m"
    path = written(tmp_path / "1.parquet", query)
    fields = [
        field(1, "a", INT),
        field(2, "s", "struct", field(3, "x", INT), field(4, "y", "list", field(5, "element", INT))),
        field(6, "m", "map", field(7, "key", "varchar"), field(8, "value", "varchar")),
    ]
    frame = scan(spark, plan(fields, scanned(path, fields)))
    plain = spark.read.schema(frame.schema).parquet(str(path))

    def shape(given: Any) -> str:
        text = given._jdf.queryExecution().optimizedPlan().canonicalized().toString()
        return str(text).replace("none#", "#")

    assert shape(frame) == shape(plain)


def test_what_is_dropped_inside_a_struct_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT {'x': 1, 'y': 2} AS s")
    of_file = [field(1, "s", "struct", field(2, "x", INT), field(3, "y", INT))]
    made = plan([field(1, "s", "struct", field(2, "x", INT))], scanned(path, of_file))
    check(spark, made, [((1,),)], {"s.x = 1": [((1,),)]})
    assert read_columns(scan(spark, made)) == ["s:struct<x:int>"]


def test_only_columns_that_are_asked_for_or_filtered_by_are_read(spark: SparkSession, tmp_path: Path) -> None:
    fields = [field(number, name, INT) for number, name in enumerate("abcd", 1)]
    path = written(tmp_path / "1.parquet", "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d")
    frame = scan(spark, plan(fields, scanned(path, fields)), columns=["C"], condition="`a` = 1")
    assert (frame.columns, values(frame), read_columns(frame)) == (["c"], [(3,)], ["a:int,c:int"])


def test_files_that_differ_only_in_other_columns_are_read_together(spark: SparkSession, tmp_path: Path) -> None:
    first = written(tmp_path / "1.parquet", "SELECT 1 AS a, 2 AS b")
    second = written(tmp_path / "2.parquet", "SELECT 3 AS a")
    table = [field(1, "a", INT), field(2, "b", INT)]
    made = plan(table, scanned(first, table), scanned(second, table[:1], 2))
    assert len(read_columns(scan(spark, made))) == 2
    frame = scan(spark, made, columns=["a"])
    assert (len(read_columns(frame)), values(frame)) == (1, [(1,), (3,)])


def test_a_group_whose_default_contradicts_the_filter_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    old = written(tmp_path / "1.parquet", "SELECT 1 AS a")
    made = plan([field(1, "a", INT), field(2, "b", INT, default="5")], scanned(old, [field(1, "a", INT)]))
    assert read_columns(scan(spark, made, condition="b = 6")) == []


def test_hundreds_of_groups_can_be_united(spark: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "1.parquet", "SELECT 1 AS a")
    files = [scanned(path, [field(1, "a", INT)], number) for number in range(1, 301)]
    frame = scan(spark, plan([field(1, "a", INT)], *files))  # one file, 300 times: each time a group of its own
    assert frame.count() == 300
