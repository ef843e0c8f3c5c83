"""Casts of columns in SQL, and of frames that are written, give on Spark what DuckDB gives."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.errors import InvalidInputError
from forklake.files.texts import to_array
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
