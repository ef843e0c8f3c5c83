"""Casts of columns in SQL, and of frames that are written, give on Spark what DuckDB gives."""

import duckdb
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.errors import InvalidInputError
from forklake.files.casting.texts import to_array
from forklake.model import types
from forklake.model.types.read import stored_type
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast
from tests.casts import OF_COLUMNS, SOURCES, TARGETS, Answers, differences
from tests.fields import named_field
from tests.spark.targets import settings

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Compiling hundreds of expressions for a few rows takes minutes."""


def cast_columns(spark: SparkSession, source: str) -> Answers:
    """Cast each value of a type to every type, in one query; what is refused has no answer."""
    texts, made, refused = SOURCES[source], {}, []
    field = named_field(None, "c", source)
    for target in TARGETS:
        try:
            made[target] = cast(cast(Bound("c", field.type), stored_type(target), is_lenient=True), types.VARCHAR).sql
        except InvalidInputError:
            refused.append(target)
    rows = spark.createDataFrame(pa.table([to_array(field, texts)], ["c"]), spark_schema((field,))).coalesce(1)
    found = rows.selectExpr(*(f"{sql} AS `{target}`" for target, sql in made.items())).toArrow()
    answers: Answers = {target: dict.fromkeys(texts) for target in refused}
    return answers | {
        target: dict(zip(texts, column.to_pylist(), strict=True))
        for target, column in zip(made, found.columns, strict=True)
    }


@pytest.mark.parametrize("source", SOURCES)
def test_columns_are_cast_as_duckdb_casts_values(spark: SparkSession, source: str) -> None:
    ansi, zone = ("false", "Asia/Tokyo") if source.startswith("timestamp") else ("true", "America/New_York")
    with settings(spark, INTERPRETED | {"spark.sql.ansi.enabled": ansi, "spark.sql.session.timeZone": zone}):
        ours = cast_columns(spark, source)
    assert differences(source, ours) == OF_COLUMNS.get(source, {})


def test_timestamps_at_the_end_of_their_range_are_rounded_or_have_no_answer(spark: SparkSession) -> None:
    texts = ["294247-01-10 04:00:54.3", "294247-01-10 04:00:54.775499", "294247-01-10 04:00:54.775806"]
    field = named_field(None, "c", "timestamp")
    rows = spark.createDataFrame(pa.table([to_array(field, texts)], ["c"]), spark_schema((field,))).coalesce(1)
    value, made = Bound("c", field.type), []
    for target in (types.TIMESTAMP_S, types.TIMESTAMP_MS):
        made.append(cast(cast(value, target, is_lenient=True), types.VARCHAR).sql)
        with pytest.raises(Exception, match=r"Conversion Error: Could not convert Timestamp\(US\) to Timestamp\("):
            rows.selectExpr(cast(value, target).sql).collect()
    assert [tuple(row) for row in rows.selectExpr(*made).collect()] == [
        ("294247-01-10 04:00:54", "294247-01-10 04:00:54.3"),
        (None, "294247-01-10 04:00:54.775"),
        (None, None),
    ]
    days = [Bound(f"DATE '{text}'", types.DATE) for text in ("+294247-01-10", "+294247-01-11", "-290308-12-21")]
    made = [
        cast(cast(day, target, is_lenient=True), types.VARCHAR).sql
        for day in days
        for target in (types.TIMESTAMP, types.TIMESTAMP_S, types.TIMESTAMP_MS)
    ]
    assert list(spark.range(1).selectExpr(*made).collect()[0]) == ["294247-01-10 00:00:00"] * 3 + [None] * 6
    day = days[1]
    with pytest.raises(Exception, match="Conversion Error: Type DATE with value 294247-01-11 can't be cast"):
        spark.sql(f"SELECT {cast(day, types.TIMESTAMP).sql}").collect()


@pytest.mark.parametrize("source", ["FLOAT", "DOUBLE"])
def test_floats_at_the_ends_of_64_bits_are_integers_or_have_no_answer(spark: SparkSession, source: str) -> None:
    numbers = [0.5, -0.5, 2.0**53 + 2, 2.0**63 - 2**39, 2.0**63, 1.2e19, 2.0**64 - 2**40, 2.0**64, -(2.0**63), -1e19]
    value = Bound("c", types.FLOAT32 if source == "FLOAT" else types.FLOAT64)
    targets = {"BIGINT": types.INT64, "UBIGINT": types.UINT64, "INTEGER": types.INT32, "UINTEGER": types.UINT32}
    rows = spark.createDataFrame([(number,) for number in numbers], f"c {source}").coalesce(1)
    made = [cast(cast(value, target, is_lenient=True), types.VARCHAR).sql for target in targets.values()]
    answers = ", ".join(f"TRY_CAST(c::{source} AS {name})::VARCHAR" for name in targets)
    expected = duckdb.execute(f"SELECT {answers} FROM (SELECT unnest(?::DOUBLE[]) AS c)", [numbers]).fetchall()
    assert [tuple(row) for row in rows.selectExpr(*made).collect()] == expected
    with pytest.raises(Exception, match="out of range for the destination type UINT64"):
        rows.selectExpr(cast(value, types.UINT64).sql).collect()
