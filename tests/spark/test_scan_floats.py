"""Filters on floats find NaN and both zeros, whoever wrote the files, and still leave out row groups."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake.engine.spark.read.scan import scan
from forklake.files.foreign.foreign_scan import plan_files
from forklake.model.ids import ColumnId
from forklake.model.scan import ScanFile
from tests.spark.plans import field, plan, scanned, setting, written, written_by_arrow

ROUTES = ["primed", "log", "plain"]
FIELDS = [
    field(1, "id", "int32"),
    field(2, "x", "float64"),
    field(3, "y", "float32"),
    field(4, "s", "struct", field(5, "a.b", "float64")),
]
CONTENTS = (
    ("-0.0",),
    ("-0.0", "-5", "5", "inf"),
    ("5", "nan", "5"),
    ("-inf", "nan", "NULL"),
)
LITERALS = ("0", "-0.0", "5", "nan")
NO_CODE = {"spark_sql_codegen_wholeStage": "false", "spark_sql_codegen_factoryMode": "NO_CODEGEN"}
"""Compiling code for so many scans would take longer than all else."""
OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


def value(text: str) -> str:
    return "NULL" if text == "NULL" else f"CAST('{text}' AS DOUBLE)"


def conditions(column: str) -> list[str]:
    compared = [f"{column} {operator} {value(text)}" for operator in OPERATORS for text in LITERALS]
    listed = [
        f"{column} {verb} ({', '.join(map(value, texts))})"
        for verb in ("IN", "NOT IN")
        for texts in (("0", "7"), ("-0.0",), ("nan", "5"), [str(number) for number in range(12)])
    ]
    return [
        *compared,
        *listed,
        f"{column} BETWEEN {value('0')} AND {value('0')}",
        f"NOT ({column} <= {value('1.5')})",
        f"NOT ({column} < {value('0')} OR {column} > {value('5')})",
        f"({column} > {value('1')} AND id > 0) OR {column} = {value('0')}",
        f"{column} IS NOT DISTINCT FROM {value('0')}",
        f"{column} IS NOT DISTINCT FROM {value('nan')}",
        f"{column} IS NULL",
    ]


def rows_of(number: int) -> list[tuple[int, str]]:
    return [(number * 10 + place, text) for place, text in enumerate(CONTENTS[number])]


def query_of(number: int) -> str:
    rows = ", ".join(f"({row}, {value(text)})" for row, text in rows_of(number))
    return f"SELECT i::INTEGER id, v x, v::FLOAT y, {{'a.b': v}} s FROM (VALUES {rows}) t(i, v)"


def arrow_file(path: Path, number: int) -> Path:
    values = [None if text == "NULL" else float(text) for _, text in rows_of(number)]
    columns = {
        "id": pa.array([row for row, _ in rows_of(number)], pa.int32()),
        "x": pa.array(values),
        "y": pa.array(values, pa.float32()),
        "s": pa.array([{"a.b": one} for one in values]),
    }
    return written_by_arrow(path, columns, write_page_index=True)


def spark_file(spark: SparkSession, path: Path, number: int) -> Path:
    with duckdb.connect() as connection:
        table = connection.sql(query_of(number)).to_arrow_table()
    # A batch of Arrow that was united has chunks; Spark takes them as rows.
    spark.createDataFrame(table).coalesce(1).write.parquet(str(path))
    (file,) = path.glob("*.parquet")
    return file


def files_of(spark: SparkSession, writer: str, directory: Path) -> list[Path]:
    match writer:
        case "duckdb":
            return [written(directory / f"{number}.parquet", query_of(number)) for number in range(len(CONTENTS))]
        case "pyarrow":
            return [arrow_file(directory / f"{number}.parquet", number) for number in range(len(CONTENTS))]
    return [spark_file(spark, directory / str(number), number) for number in range(len(CONTENTS))]


def known(number: int) -> frozenset[ColumnId]:
    """Return what statistics would say: which columns hold no NaN."""
    return frozenset() if "nan" in CONTENTS[number] else frozenset(map(ColumnId, (2, 3, 5)))


def found(frame: DataFrame, texts: Sequence[str]) -> dict[str, list[int]]:
    """Return the ids that each condition keeps: scans of their own, in one job."""
    frame.createOrReplaceTempView("floats")
    parts = (f"SELECT {number}, id FROM floats WHERE {text}" for number, text in enumerate(texts))
    ids: dict[str, list[int]] = {text: [] for text in texts}
    with setting(frame.sparkSession, **NO_CODE):
        for number, row in frame.sparkSession.sql(" UNION ALL ".join(parts)).coalesce(1).collect():
            ids[texts[number]].append(row)
    frame.sparkSession.catalog.dropTempView("floats")
    return {text: sorted(rows) for text, rows in ids.items()}


def expected(texts: Sequence[str]) -> dict[str, list[int]]:
    everything = " UNION ALL ".join(query_of(number) for number in range(len(CONTENTS)))
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS {everything}")
        return {
            text: [row for (row,) in connection.execute(f"SELECT id FROM t WHERE {duck(text)} ORDER BY id").fetchall()]
            for text in texts
        }


def duck(text: str) -> str:
    return text.replace("s.`a.b`", "s['a.b']")


@pytest.mark.parametrize("writer", ["pyarrow", "spark", "duckdb"])
def test_filters_find_nan_and_both_zeros(spark: SparkSession, tmp_path: Path, writer: str) -> None:
    files = [
        scanned(path, FIELDS, number, without_nan=known(number))
        for number, path in enumerate(files_of(spark, writer, tmp_path))
    ]
    texts = [*conditions("x"), *conditions("y")[::4], *conditions("s.`a.b`")[::4]]
    assert found(scan(spark, plan(FIELDS, *files)), texts) == expected(texts)


@pytest.mark.parametrize("route", ROUTES)
def test_whatever_route_files_are_read_by(spark: SparkSession, tmp_path: Path, route: str) -> None:
    files = [
        scanned(path, FIELDS, number, without_nan=known(number))
        for number, path in enumerate(files_of(spark, "pyarrow", tmp_path))
    ]
    texts = [*conditions("x")[::3], *conditions("s.`a.b`")[::5]]
    with setting(spark, forklake_fileIndex=route):
        assert found(scan(spark, plan(FIELDS, *files)), texts) == expected(texts)
    rowwise = {
        "spark_sql_parquet_enableVectorizedReader": "false",
        "spark_sql_parquet_recordLevelFilter_enabled": "true",
    }
    with setting(spark, forklake_fileIndex=route, **rowwise):
        assert found(scan(spark, plan(FIELDS, *files)), texts) == expected(texts)


def test_files_that_belong_to_no_table(spark: SparkSession, tmp_path: Path) -> None:
    files = [str(path) for path in files_of(spark, "pyarrow", tmp_path)]
    texts = [*conditions("x")[::3], *conditions("s.`a.b`")[::5]]
    found_plan = plan_files(files)
    assert found_plan is not None
    assert found(scan(spark, found_plan), texts) == expected(texts)


# ---- what is left out ------------------------------------------------------------------------------------------------


def scanned_rows(frame: DataFrame) -> int:
    """Run a query and return how many rows its scans of files gave to Spark."""
    frame.collect()
    nodes: list[Any] = [frame._jdf.queryExecution().executedPlan()]
    count = 0
    while nodes:
        node = nodes.pop()
        if node.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
            nodes.append(node.executedPlan())
        if node.getClass().getSimpleName() == "FileSourceScanExec":
            count += node.metrics().apply("numOutputRows").value()
        children = node.children()
        nodes += [children.apply(place) for place in range(children.length())]
    return count


def two_groups(path: Path, **more: Any) -> ScanFile:
    """Return a file with the numbers up to 9 in two row groups: those below 5, and the others."""
    numbers = [float(number) for number in range(10)]
    columns = {"id": pa.array(range(10), pa.int32()), "x": pa.array(numbers), "y": pa.array(numbers, pa.float32())}
    written_by_arrow(path, columns, row_group_size=5)
    return scanned(path, FIELDS[:3], **more)


@pytest.mark.parametrize(
    ("condition", "count", "count_if_nan"),
    [
        ("x > 5.5", 5, 10),
        ("x >= 7.0D", 5, 10),
        ("y > 5.5", 5, 10),
        ("x < 2.0D", 5, 5),
        ("x = 7.0D", 5, 5),
        ("x = 0.0D", 5, 5),
        ("x BETWEEN 1.0D AND 2.0D", 5, 5),
        ("x IN (1.0D, 2.0D)", 5, 5),
        ("x > 5.5 AND id < 3", 0, 5),
        ("id > 7", 5, 5),
    ],
)
def test_row_groups_are_left_out_unless_they_may_hold_nan(
    spark: SparkSession, tmp_path: Path, condition: str, count: int, count_if_nan: int
) -> None:
    path = tmp_path / "numbers.parquet"
    sure = two_groups(path, without_nan=frozenset({ColumnId(2), ColumnId(3)}))
    for file, wanted in ((sure, count), (two_groups(path), count_if_nan)):
        assert scanned_rows(scan(spark, plan(FIELDS[:3], file)).where(condition)) == wanted
    other = two_groups(tmp_path / "other.parquet")
    assert scanned_rows(scan(spark, plan(FIELDS[:3], sure, other)).where(condition)) == count + count_if_nan
