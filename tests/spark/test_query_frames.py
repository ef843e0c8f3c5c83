"""Queries over frames: what they are run in, what comes back, in which order, and what is said when they fail."""

import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake.engine.spark.read import query
from forklake.engine.spark.read import scan as scanning
from forklake.engine.spark.read.query import are_few, collect_rows, explain, limit_rows, query_frame, query_session
from forklake.engine.spark.read.rows_frame import rows_frame
from forklake.engine.spark.read.scan import scan
from forklake.engine.spark.spark_engine import SparkEngine
from forklake.errors import DataFileError, ForklakeError, InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.scan import ScanPlan, ScanRows, first_rows
from forklake.session.results.result import Result
from tests.spark.plans import SNAPSHOT, deleted, field, physical_plan, plan, scanned, setting, written

A = (field(1, "a", "int32"),)


@pytest.fixture(scope="module")
def queries(spark: SparkSession) -> SparkSession:
    return query_session(spark)


# ---- values ----------------------------------------------------------------------------------------------------------

STRUCT = field(None, "s", "struct", field(None, "x", "int32"), field(None, "my y", "date"))
VALUES: list[tuple[Field, Any]] = [
    (field(None, "boolean", "boolean"), True),
    (field(None, "tiny", "int8"), -128),
    (field(None, "small", "int16"), -32768),
    (field(None, "integer", "int32"), 2147483647),
    (field(None, "big", "int64"), -(2**63)),
    (field(None, "huge", "int128"), -(10**38) + 1),
    (field(None, "u8", "uint8"), 255),
    (field(None, "u16", "uint16"), 65535),
    (field(None, "u32", "uint32"), 2**32 - 1),
    (field(None, "u64", "uint64"), 2**64 - 1),
    (field(None, "u128", "uint128"), 10**38 - 1),
    (field(None, "f32", "float32"), 1.5),
    (field(None, "f64", "float64"), float("inf")),
    (field(None, "dec", "decimal(18,3)"), Decimal("12.500")),
    (field(None, "text", "varchar"), "it's {x} ${y} \\n"),
    (field(None, "json", "json"), '{"a": 1}'),
    (field(None, "blob", "blob"), b"a\x00\xff"),
    (field(None, "uuid", "uuid"), UUID(int=7)),
    (field(None, "date", "date"), dt.date(1, 1, 1)),
    (field(None, "far", "date"), "10000-01-01"),
    (field(None, "never", "date"), "infinity"),
    (field(None, "time", "time"), dt.time(1, 2, 3, 500_000)),
    (field(None, "timetz", "timetz"), dt.time(1, 2, tzinfo=dt.timezone(dt.timedelta(hours=-2, minutes=-30)))),
    (field(None, "ts", "timestamp"), dt.datetime(1582, 10, 10, 1, 2, 3, 4)),  # noqa: DTZ001
    (field(None, "ts_far", "timestamp"), "0044-01-01 (BC) 00:00:00"),
    (field(None, "ts_end", "timestamp"), "-infinity"),
    (field(None, "ts_s", "timestamp_s"), dt.datetime(2024, 2, 29, 1)),  # noqa: DTZ001
    (field(None, "ts_ms", "timestamp_ms"), dt.datetime(2024, 2, 29, 1, 2, 3, 4000)),  # noqa: DTZ001
    (field(None, "ts_ns", "timestamp_ns"), "2024-02-29 12:34:56.789012345"),
    (field(None, "tstz", "timestamptz"), dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)),
    (field(None, "tstz_end", "timestamptz"), "infinity"),
    (field(None, "span", "interval"), dt.timedelta(days=3, seconds=5)),
    (field(None, "months", "interval"), "1 year 2 months"),
    (field(None, "point", "geometry"), "POINT (1 2)"),
    (
        field(None, "list", "list", field(None, "element", "timestamptz")),
        [dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None],
    ),
    (STRUCT, {"x": None, "my y": dt.date(2024, 1, 1)}),
    (field(None, "structs", "list", STRUCT), [{"x": 1, "my y": None}, None]),
    (field(None, "map", "map", field(None, "key", "uuid"), field(None, "value", "uint64")), {UUID(int=1): 2**64 - 1}),
    (
        field(None, "odd", "map", field(None, "key", "list", field(None, "element", "int32")), STRUCT),
        {"key": [[1]], "value": [{"x": 1, "my y": None}]},
    ),
]
SPARK = SparkEngine(None, {})
FIELDS = [kind for kind, _ in VALUES]


def test_values_of_all_types_go_through_spark_unchanged_whatever_its_zone(
    spark: SparkSession, queries: SparkSession
) -> None:
    rows = [tuple(value for _, value in VALUES), (None,) * len(VALUES)]
    shown = ", ".join(f"r0.`{kind.name}` AS c{number}" for number, kind in enumerate(FIELDS))
    with setting(queries, spark_sql_session_timeZone="America/St_Johns"):
        frame = query_frame(queries, f"SELECT {shown} FROM v AS r0", {"v": rows_frame(spark, FIELDS, rows)})
        result = Result.of_frame(SPARK, FIELDS, frame)
        assert result.fetchall() == rows
        assert result.rows() == rows
    assert result.arrow().column_names == result.columns == [kind.name for kind in FIELDS]
    assert str(result.arrow().schema.field("u64").type) == "uint64"
    assert result.dataframe().columns == result.columns


def test_a_value_that_is_none_of_its_column_is_refused(spark: SparkSession) -> None:
    with pytest.raises(InvalidInputError, match=r'\(column "a"\)'):
        rows_frame(spark, A, [(1,), ("x",)])
    with pytest.raises(InvalidInputError, match=r'invalid date field format.*\(column "d"\)'):
        rows_frame(spark, [field(None, "d", "date")], [("x",)])


def test_there_are_frames_without_rows(spark: SparkSession, queries: SparkSession) -> None:
    empty = rows_frame(spark, FIELDS, [])
    frame = query_frame(queries, "SELECT r0.odd AS c0, r0.tstz AS c1 FROM v AS r0", {"v": empty})
    result = Result.of_frame(SPARK, [FIELDS[-1], FIELDS[29]], frame)
    assert (result.fetchall(), result.fetchone(), result.arrow().num_rows) == ([], None, 0)
    assert "0 rows" not in repr(result)


def test_a_result_that_is_shown_again_runs_no_job_again(
    spark: SparkSession, queries: SparkSession, request: pytest.FixtureRequest
) -> None:
    def jobs() -> int:
        return len(spark.sparkContext.statusTracker().getJobIdsForGroup("shown"))

    request.addfinalizer(lambda: spark.sparkContext.setLocalProperty("spark.jobGroup.id", None))  # type: ignore[arg-type]
    spark.sparkContext.setJobGroup("shown", "")
    few, many = (
        Result.of_frame(SPARK, A, query_frame(queries, f"SELECT CAST(id AS INT) AS c0 FROM range({count})", {}))
        for count in (30, 3000)
    )
    shown = repr(few)
    ran = jobs()
    assert ran > 0
    assert (repr(few), len(few.texts(25)[0]), len(few), len(few.fetchall())) == (shown, 25, 30, 30)
    assert "there are more" in few._repr_html_()
    assert jobs() == ran, "a result that is known as a whole is kept"
    shown = repr(many)
    ran = jobs()
    assert (repr(many), len(many.texts(25)[0]), many.texts(25)[1]) == (shown, 25, True)
    assert "there are more" in many._repr_html_()
    assert jobs() == ran, "what was computed to be shown is shown again"
    assert len(many) == len(many.fetchall()) == 3000
    ran = jobs()
    assert (repr(many), len(many.texts(2500)[0]), many.arrow().num_rows) == (shown, 2500, 3000)
    assert jobs() == ran, "all rows are kept"


def test_variants_are_what_they_hold(queries: SparkSession) -> None:
    text = """SELECT parse_json('{"a": [1, "x", null, true]}') AS c0 UNION ALL SELECT NULL"""
    result = Result.of_frame(SPARK, [field(None, "v", "variant")], query_frame(queries, text, {}))
    assert result.fetchall() == [({"a": [1, "x", None, True]},), (None,)]
    assert result.types == ["VARIANT"]


def test_names_that_repeat_are_numbered_in_a_frame(queries: SparkSession) -> None:
    frame = query_frame(queries, "SELECT 1 AS c0, 2 AS c1", {})
    result = Result.of_frame(SPARK, [field(None, "a", "int32"), field(None, "A", "int32")], frame)
    assert (result.columns, result.dataframe().columns) == (["a", "A"], ["a", "A_1"])
    assert result.dataframe().collect() == [(1, 2)]


# ---- sessions --------------------------------------------------------------------------------------------------------


def test_a_query_leaves_no_view_behind_and_hides_none(spark: SparkSession, queries: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("v")
    try:
        frame = query_frame(queries, "SELECT a AS c0 FROM v AS r0", {"v": rows_frame(queries, A, [(7,)])})
        assert collect_rows(frame).to_pylist() == [{"c0": 7}]
        with pytest.raises(InvalidInputError):
            query_frame(queries, "SELECT nonsense((", {"v": rows_frame(spark, A, [(7,)])})
        assert spark.sql("SELECT count(*) FROM v").collect() == [(3,)]
        assert queries.catalog.listTables() == []
    finally:
        spark.catalog.dropTempView("v")
    assert SparkSession.active()._jsparkSession.equals(spark._jsparkSession)


def test_settings_of_the_caller_do_not_change_what_a_query_means(spark: SparkSession) -> None:
    odd = {
        "spark_sql_ansi_enabled": "false",
        "spark_sql_session_timeZone": "Asia/Tokyo",
        "spark_sql_parser_escapedStringLiterals": "true",
        "spark_sql_shuffle_partitions": "3",
    }
    with setting(spark, **odd):
        own = query_session(spark)
        assert own.conf.get("spark.sql.shuffle.partitions") == "3"
        text = "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00+00:00' AS STRING) AS c0, 'a\\\\b${x}' AS c1"
        assert collect_rows(query_frame(own, text, {})).to_pylist() == [{"c0": "2024-01-01 00:00:00", "c1": "a\\b${x}"}]
        with pytest.raises(InvalidInputError):
            collect_rows(query_frame(own, "SELECT CAST('x' AS INT) AS c0", {}))
        assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"


def test_the_deviation_of_one_value_is_unknown_whatever_the_setting_of_the_caller(spark: SparkSession) -> None:
    with setting(spark, spark_sql_legacy_statisticalAggregate="true"):
        found = query_session(spark).sql("SELECT stddev_samp(v), var_samp(v) FROM VALUES (1.0D) t(v)")
        assert found.collect() == [(None, None)]


def test_what_the_parser_learns_from_queries_is_forgotten_before_it_fills_the_memory(spark: SparkSession) -> None:
    own, share = query_session(spark), "spark.sql.parser.parserDfaCacheFlushRatio"
    parser = cast("Any", spark)._jvm.org.apache.spark.sql.catalyst.parser.AbstractParser
    text = "SELECT CASE WHEN a > 1 THEN concat(CAST(a AS STRING), 'x') ELSE 'y' END AS c0 FROM v AS r0"
    query_frame(own, text, {"v": rows_frame(own, A, [(7,)])})
    learnt = parser.getDFACacheNumStates()
    assert learnt > 100
    assert 0 < float(str(own.conf.get(share))) <= 20  # of Java's memory, in percent
    own.conf.set(share, "0.0001")
    query_frame(own, text, {"v": rows_frame(own, A, [(7,)])})
    assert parser.getDFACacheNumStates() < 100


def test_a_query_of_few_rows_is_not_compiled_and_gives_the_same_rows(
    spark: SparkSession, queries: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = files_of(tmp_path, (3, 40))
    sql = "SELECT a % 7 AS c0, count(*) AS c1, max(a) AS c2 FROM v AS r0 GROUP BY 1 ORDER BY 1"
    usual = query_frame(queries, sql, {"v": scan(spark, made)})
    few = query_frame(queries, sql, {"v": scan(queries, made)}, of_few_rows=are_few([made]))
    assert collect_rows(few) == collect_rows(usual)
    assert "*(1)" in physical_plan(usual)
    assert "*(1)" not in physical_plan(few)
    assert firsts(queries, scan(spark, made, keep_order=True)) == [*range(43), 900, 899]
    many = query_frame(queries, "SELECT id AS c0 FROM range(10)", {}, of_few_rows=True)
    assert "*(1)" in physical_plan(many)
    monkeypatch.setattr(query, "SMALL_ROWS", 44)
    assert not are_few([made])
    assert queries.catalog.listTables() == []


# ---- failures --------------------------------------------------------------------------------------------------------

FAILING: list[tuple[str, type[ForklakeError], str]] = [
    ("SELECT nope AS c0 FROM v AS r0", NotFoundError, 'The query does not have a column with name "nope"'),
    ("SELECT 1 DIV 0 AS c0", InvalidInputError, "Division by zero."),
    (
        "SELECT CAST('x' AS INT) AS c0",
        InvalidInputError,
        'The value \'x\' of the type "STRING" cannot be cast to "INT"',
    ),
    ("SELECT a + 2147483647 AS c0 FROM v AS r0", InvalidInputError, "overflow"),
    (
        "SELECT (SELECT a FROM v UNION ALL SELECT 2) AS c0",
        InvalidInputError,
        "More than one row returned by a subquery",
    ),
    ("SELEC", InvalidInputError, "Syntax error at or near 'SELEC'"),
    (
        "SELECT raise_error('Conversion Error: Could not convert string ''x'' to INT32\nwhen casting') AS c0",
        InvalidInputError,
        "Conversion Error: Could not convert string 'x' to INT32\nwhen casting",
    ),
]


@pytest.mark.parametrize(("sql", "kind", "words"), FAILING)
def test_what_fails_says_why_and_shows_no_stack(
    spark: SparkSession,
    queries: SparkSession,
    sql: str,
    kind: type[ForklakeError],
    words: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(kind) as raised:
        collect_rows(query_frame(queries, sql, {"v": rows_frame(spark, A, [(7,)])}))
    message = str(raised.value)
    assert message.startswith(words) or words in message
    assert not any(sign in message for sign in ("\tat ", "org.apache", "SQLSTATE", "try_", "spark.sql"))
    assert raised.value.__cause__ is not None
    assert "Traceback" not in capfd.readouterr().err


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


def test_errors_of_the_callers_own_queries_are_logged_as_ever(
    spark: SparkSession,
) -> None:
    logger = logging.getLogger("SQLQueryContextLogger")
    handler = Kept()
    logger.addHandler(handler)
    try:
        with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
            spark.sql("SELECT nope FROM range(1)")
    finally:
        logger.removeHandler(handler)
    assert len(handler.records) == 1


def test_a_file_that_is_gone_is_named(spark: SparkSession, queries: SparkSession, tmp_path: Path) -> None:
    path = written(tmp_path / "gone.parquet", "SELECT 1::INTEGER AS a")
    made = plan(A, scanned(path, A))
    frame = query_frame(queries, "SELECT a AS c0 FROM v AS r0", {"v": scan(spark, made)})
    path.unlink()
    with pytest.raises(DataFileError, match=f'Cannot read data file "{path}" of the query: there is no such file'):
        Result.of_frame(SPARK, A, frame, [str(path)]).fetchall()


# ---- order -----------------------------------------------------------------------------------------------------------


def files_of(tmp_path: Path, counts: Sequence[int], **more: Any) -> ScanPlan:
    """Write files, the smaller the earlier, with rows that count on, and inlined rows behind them."""
    files, start = [], 0
    for number, count in enumerate(counts):
        path = written(
            tmp_path / f"{number}.parquet", f"SELECT range::INTEGER AS a FROM range({start}, {start + count})"
        )
        files.append(scanned(path, A, number, record_count=count, row_id_start=start, **more))
        start += count
    inlined = ScanRows(A, tuple((100 + at, SNAPSHOT, {ColumnId(1): str(900 - at)}) for at in range(2)), ("i", "j"))
    return plan(A, *files, inlined=[inlined])


def firsts(queries: SparkSession, frame: Any, sql: str = "SELECT a AS c0 FROM v AS r0", *most: int) -> list[Any]:
    made = (
        limit_rows(query_frame(queries, sql, {"v": frame}), *most) if most else query_frame(queries, sql, {"v": frame})
    )
    return list(collect_rows(made).column(0).to_pylist())


@pytest.mark.parametrize("is_small", [True, False])
def test_rows_come_in_the_order_of_files_through_projections_filters_and_limits(
    spark: SparkSession, queries: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_small: bool
) -> None:
    made = files_of(tmp_path, (3, 40, 500))
    if not is_small:
        monkeypatch.setattr(scanning, "_ONE_TASK_BYTES", 0)
    expected = [*range(543), 900, 899]
    kept = scan(spark, made, keep_order=True)
    assert kept.columns == ["a"]
    assert firsts(queries, kept) == expected
    odd = "SELECT a + 0 AS c0 FROM v AS r0 WHERE a % 2 = 1"
    assert firsts(queries, kept, odd) == [value for value in expected if value % 2]
    first = scan(spark, made, keep_order=True, is_limited=True)
    assert firsts(queries, first, odd, 4, 1) == [3, 5, 7, 9]
    assert firsts(queries, first, "SELECT a AS c0 FROM v AS r0", 3, 542) == [542, 900, 899]


def test_order_costs_nothing_where_spark_keeps_it(
    spark: SparkSession, queries: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = files_of(tmp_path, (3,))
    whole = scan(spark, made, keep_order=True)
    assert "Sort" not in physical_plan(whole)
    assert firsts(queries, whole) == [0, 1, 2, 900, 899]
    dirty = replace(made.files[0], deletes=deleted(tmp_path / "d.parquet", [1]))
    other = replace(scanned(written(tmp_path / "x.parquet", "SELECT 5::BIGINT AS a"), [field(1, "a", "int64")], 2))
    assert firsts(queries, scan(spark, plan(A, dirty, other), keep_order=True)) == [0, 2, 5]
    monkeypatch.setattr(scanning, "ORDERED_ROWS", 10)
    assert "Sort" not in physical_plan(scan(spark, files_of(tmp_path, (5, 6)), keep_order=True))


def test_files_behind_a_limit_are_not_read(tmp_path: Path) -> None:
    made = files_of(tmp_path, (3, 40, 500))
    few = first_rows(made, 4)
    assert (few.files, few.inlined, few.pruned["limit"][0]) == (made.files[:2], (), 1)
    assert first_rows(made, 544) == made
    assert first_rows(made, 543).files == made.files
    unknown = replace(made, files=(replace(made.files[0], is_cut=True), *made.files[1:]))
    assert first_rows(unknown, 1) == unknown


# ---- virtual columns -------------------------------------------------------------------------------------------------


def test_rows_tell_which_file_of_the_scan_they_are_from(spark: SparkSession, tmp_path: Path) -> None:
    made = files_of(tmp_path, (1, 2))
    dirty = replace(made.files[1], deletes=deleted(tmp_path / "d.parquet", [0]))
    wanted = ("file_index", "file_row_number", "filename", "rowid")
    first, last = (str(file.path) for file in made.files)
    inlined = [(900, 2, 100, "i", 100), (899, 2, 101, "j", 101)]
    assert rows_of(scan(spark, made, lineage=wanted, keep_order=True)) == [
        (0, 0, 0, first, 0),
        (1, 1, 0, last, 1),
        (2, 1, 1, last, 2),
        *inlined,
    ]
    cut = replace(made, files=(made.files[0], dirty))
    assert rows_of(scan(spark, cut, lineage=wanted)) == [(0, 0, 0, first, 0), (2, 1, 1, last, 2), *inlined]
    assert scan(spark, made, lineage=wanted).schema["file_index"].dataType.simpleString() == "decimal(20,0)"


def test_facts_of_files_with_odd_names_are_the_same(spark: SparkSession, tmp_path: Path) -> None:
    directory = tmp_path / "it's 100%"
    made = replace(files_of(directory, (1, 2)), inlined=())
    frame = scan(spark, made, lineage=("filename", "file_index"))
    assert sorted(rows_of(frame)) == [
        (0, str(directory / "0.parquet"), 0),
        (1, str(directory / "1.parquet"), 1),
        (2, str(directory / "1.parquet"), 1),
    ]


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


# ---- plans -----------------------------------------------------------------------------------------------------------


def test_a_plan_tells_the_files_and_what_spark_does(spark: SparkSession, queries: SparkSession, tmp_path: Path) -> None:
    made = replace(files_of(tmp_path, (1, 2)), pruned={"statistics": (3, 99)})
    told = explain(query_frame(queries, "SELECT a AS c0 FROM v AS r0", {"v": scan(spark, made)}), [made])
    size = sum(file.file_size_bytes for file in made.files)
    assert told.splitlines()[:3] == [
        f'Table "t": Total Files Read: 2 ({size} bytes), inlined rows: 2',
        f"  TABLE_SCAN of ~{sum(file.record_count for file in made.files) + 2} rows",
        "  Files left out by statistics: 3 (99 bytes)",
    ]
    assert "== Physical Plan ==" in told


def test_spark_reads_the_files_that_can_hold_the_first_rows(spark: SparkSession, tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db"), spark=spark) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", {"i": "INTEGER", "s": "VARCHAR"})
        for first in (0, 40, 20):
            rows = [(number if number % 7 else None, f"s{number:02}") for number in range(first, first + 15)]
            shop.table("t").append(rows)
        for text, expected in (
            ("FROM t ORDER BY i DESC LIMIT 2", [(54, "s54"), (53, "s53")]),
            ("SELECT s FROM t WHERE s >= 's20' ORDER BY s LIMIT 1 OFFSET 1", [("s21",)]),
            ("SELECT s FROM t ORDER BY s LIMIT 1", [("s00",)]),
        ):
            result, plan = shop.sql(text), shop.sql(f"EXPLAIN {text}")
            assert result is not None
            assert plan is not None
            assert result.fetchall() == expected
            ((_, told),) = plan.fetchall()
            assert "Computed by Spark" in told
            assert "Files left out by order: " in told


def test_sql_of_a_catalog_runs_in_the_session_of_its_lake(spark: SparkSession, tmp_path: Path) -> None:
    mine, agents = spark.newSession(), spark.newSession()
    mine.conf.set("forklake.whose", "mine")
    agents.conf.set("forklake.whose", "agents")
    settings = forklake.Settings(spark={"forklake.files": "plain"})
    with forklake.open(str(tmp_path / "lake.db"), spark=mine, settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE t AS SELECT 1 AS i")
        for catalog, whose in ((shop, "mine"), (lake.using(agents).catalog("shop"), "agents")):
            result = catalog.sql("SELECT i + 1 FROM t")
            assert result is not None
            used = result.dataframe().sparkSession
            assert used.conf.get("forklake.whose") == whose
            assert used.conf.get("forklake.files") == "plain"
            with catalog.transaction() as transaction:
                within = transaction.sql("SELECT i + 1 FROM t")
                assert within is not None
                assert within.dataframe().sparkSession.conf.get("forklake.whose") == whose
