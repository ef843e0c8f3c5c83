"""Spark's rows become columns of a table exactly as rows of Arrow do."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_type

from forklake.engine.spark.columns.column_casts import native_cast
from forklake.engine.spark.driver.failures import guard_table
from forklake.engine.spark.write.conform import conform
from forklake.errors import InvalidInputError
from forklake.files.arrow.values import display_array, values_of
from forklake.files.arrow.wide_integers import narrow_column, short_column
from forklake.files.casting.casts import cast
from forklake.files.casting.texts import to_array
from forklake.model import types
from forklake.model.field import Field
from tests.casts import SOURCES, TARGETS
from tests.fields import named_field
from tests.spark.targets import fields_of, settings

SPARK_NAMES = {
    "boolean": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "decimal(9,2)": "decimal(9,2)",
    "decimal(38,10)": "decimal(38,10)",
    "int128": "decimal(38,0)",
    "float32": "float",
    "float64": "double",
    "varchar": "string",
    "blob": "binary",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
}
"""Types of the table of cast cases that Spark has, by their names there."""
ARRAYS: dict[str, pa.Array] = {
    **{
        name: narrow_column(to_array(named_field(None, "c", kind), [*SOURCES[kind], None]))
        for kind, name in SPARK_NAMES.items()
    },
    "void": pa.nulls(2),
}


def spark_frame(spark: SparkSession, array: pa.Array, kind: str | None = None) -> DataFrame:
    schema = kind or from_arrow_type(array.type).simpleString()
    return spark.createDataFrame(pa.table([array], ["c"]), f"c {schema}").coalesce(1)


def in_spark(frame: DataFrame, field: Field) -> list[Any]:
    with guard_table("t"):
        return values_of(conform(frame, [field], "t", by_name=True).toArrow().column(0).combine_chunks())


def by_arrow(array: pa.Array, field: Field) -> tuple[list[bool], dict[int, str]]:
    """Cast value by value; return which ones can be, and what is said of the others."""
    said = {}
    for place in range(len(array)):
        try:
            short_column(display_array(field, cast(field, array.slice(place, 1), "t")), field.name)
        except InvalidInputError as error:
            said[place] = str(error)
    return [place not in said for place in range(len(array))], said


@pytest.mark.parametrize("source", ARRAYS)
@pytest.mark.parametrize("session", [("UTC", "true"), ("America/New_York", "false")], ids=["ansi", "lenient"])
def test_values_and_words_are_those_of_arrow(spark: SparkSession, source: str, session: tuple[str, str]) -> None:
    array = ARRAYS[source]
    fields = fields_of({target: target for target in TARGETS})
    with settings(spark, {"spark.sql.session.timeZone": session[0], "spark.sql.ansi.enabled": session[1]}):
        kind = spark_frame(spark, array, source).schema["c"].dataType
        native = [field for field in fields if native_cast(kind, field, field.name) is not None]
        # What Python computes is the same in every session, and so are its words.
        tried = fields if session[1] == "true" else native
        answers = {field: by_arrow(array, field) for field in tried}
        castable = [field for field in tried if any(answers[field][0])]
        given = [pc.if_else(pa.array(answers[field][0]), array, None) for field in castable]
        expected = [
            values_of(short_column(display_array(field, cast(field, good, "t")), field.name))
            for field, good in zip(castable, given, strict=True)
        ]
        schema = ", ".join(f"`{field.name}` {source}" for field in castable)
        frame = spark.createDataFrame(pa.table(given, [field.name for field in castable]), schema).coalesce(1)
        with guard_table("t"):
            found = conform(frame, castable, "t", by_name=True).toArrow()
        for field, column, values in zip(castable, found.columns, expected, strict=True):
            assert (field.type, repr(values_of(column.combine_chunks()))) == (field.type, repr(values))
        for field in native:
            for place, words in list(answers[field][1].items())[-1:]:
                one = spark_frame(spark, array.slice(place, 1), source).withColumnRenamed("c", field.name)
                with pytest.raises(InvalidInputError) as failure:
                    in_spark(one, field)
                assert failure.value.message == words, field.type


NESTED: list[tuple[Any, pa.Array]] = [
    (["int8"], pa.array([[1, 2, None], [], None], pa.list_(pa.int64()))),
    (["varchar"], pa.array([[1.5, None]], pa.list_(pa.float64()))),
    ({"a": "int32", "B": "varchar"}, pa.array([{"b": "x", "A": 1}, None, {"b": None, "A": None}])),
    ({"a": "int64", "b": {"c": "date"}}, pa.array([{"a": 1}, None])),
    ({"a": "uuid"}, pa.array([{"a": "F79C3E09-677C-4BBD-A479-3F349CB785E7"}])),
    (("varchar", "int16"), pa.array([[("k", 1), ("l", None)], None], pa.map_(pa.string(), pa.int64()))),
    (("int32", "varchar"), pa.array([[("1", "x")]], pa.map_(pa.string(), pa.string()))),
    ([{"x": "timestamp_s"}], pa.array([[{"x": 1_500_000}]], pa.list_(pa.struct([("x", pa.timestamp("us"))])))),
    (["int32"], pa.array(["[1, 2]", None])),
]  # fmt: skip


@pytest.mark.parametrize(("target", "array"), NESTED, ids=[str(target) for target, _ in NESTED])
def test_nested_values_are_those_of_arrow(spark: SparkSession, target: Any, array: pa.Array) -> None:
    (field,) = fields_of({"c": target})

    assert in_spark(spark_frame(spark, array), field) == values_of(display_array(field, cast(field, array, "t")))


def test_columns_that_are_right_are_taken_as_they_are(spark: SparkSession) -> None:
    columns = {"id": "int64", "s": "varchar", "x": {"y": ["int32"]}}
    frame = spark.range(3).selectExpr("id", "'a' AS s", "named_struct('y', array(1)) AS x").cache()
    try:
        plan = conform(frame, fields_of(columns), "t", by_name=True)._jdf.queryExecution().optimizedPlan().toString()
    finally:
        frame.unpersist()

    assert "InMemoryRelation" in plan.splitlines()[0] or "cast" not in plan.lower()
    assert "raise_error" not in plan
    assert "CASE" not in plan


def test_columns_are_matched_by_folded_name_or_by_position(spark: SparkSession) -> None:
    fields = fields_of({"a": "int32", "B": "varchar"})
    frame = spark.sql("SELECT 'x' AS b, 1 AS A")

    assert conform(frame, fields, "t", by_name=True).collect() == [(1, "x")]
    assert conform(spark.sql("SELECT 1 AS q, 'x' AS q"), fields, "t", by_name=False).collect() == [(1, "x")]


@pytest.mark.parametrize(
    ("query", "by_name", "words"),
    [
        ("SELECT 1 AS a, 2 AS x", True, 'Table "t" does not have a column with name "x"'),
        ("SELECT 1 AS a, 2 AS A", True, 'Duplicate column name "A" in INSERT'),
        ("SELECT 1 AS a", False, "table t has 2 columns but 1 values were supplied"),
        ("SELECT named_struct('q', 1) AS s", True, 'Table "t" does not have a column with name "s.q"'),
        ("SELECT DATE '2020-01-01' AS a", True, 'Unimplemented type for cast (DATE -> INTEGER) (column "a")'),
        ("SELECT INTERVAL 1 YEAR AS a", True, 'Unimplemented type for cast (INTERVAL YEAR -> INTEGER) (column "a")'),
        ("SELECT named_struct('x', X'00') AS s", True, 'Unimplemented type for cast (BLOB -> INTEGER) (column "s.x")'),
    ],
)
def test_columns_that_do_not_fit_are_refused_before_any_job(
    spark: SparkSession, query: str, by_name: bool, words: str
) -> None:
    fields = fields_of({"a": "int32", "s": {"x": "int32"}})

    with pytest.raises(InvalidInputError) as failure:
        conform(spark.sql(query), fields, "t", by_name=by_name)

    assert failure.value.message == words


def test_columns_that_are_left_out_have_their_defaults(spark: SparkSession) -> None:
    number = fields_of({"a": "int32"})[0].column_id
    fields = [
        Field(number, "a", types.INT32),
        Field(number, "none", types.VARCHAR),
        Field(number, "word", types.VARCHAR, default="it's"),
        Field(number, "at", types.TIMESTAMPTZ, default="now()", default_is_expression=True),
        Field(number, "again", types.TIMESTAMPTZ, default="current_timestamp", default_is_expression=True),
        Field(number, "key", types.UUID, default="uuid()", default_is_expression=True),
        Field(
            number,
            "list",
            types.List(
                Field(number, "element", types.INT32),
            ),
            default="[1, 2]",
        ),
    ]

    rows = conform(spark.range(0, 100, 1, 2).selectExpr("CAST(id AS INT) AS a"), fields, "t", by_name=True).collect()

    assert {(row.none, row.word, row.at == row.again, tuple(row.list)) for row in rows} == {
        (None, "it's", True, (1, 2))
    }
    assert len({row.at for row in rows}) == 1
    assert len({row.key for row in rows}) == 100


def test_a_default_that_cannot_be_evaluated_is_refused(spark: SparkSession) -> None:
    number = fields_of({"a": "int32"})[0].column_id
    fields = [
        Field(number, "a", types.INT32),
        Field(number, "b", types.INT32, default="1 + 1", default_is_expression=True),
    ]

    with pytest.raises(InvalidInputError, match=r'^The default of column "b" is the expression "1 \+ 1"'):
        conform(spark.sql("SELECT 1 AS a"), fields, "t", by_name=True)


def test_null_is_refused_where_it_is_not_allowed(spark: SparkSession) -> None:
    number = fields_of({"a": "int32"})[0].column_id
    fields = [Field(number, "a", types.INT32), Field(number, "b", types.VARCHAR, nulls_allowed=False)]
    for query in ("SELECT 1 AS a, CAST(NULL AS STRING) AS b", "SELECT 1 AS a"):
        with pytest.raises(InvalidInputError) as failure, guard_table("t"):
            conform(spark.sql(query), fields, "t", by_name=True).collect()
        assert str(failure.value) == "NOT NULL constraint failed: t.b"
