"""Columns of Spark Connect, which are made without a server, as plain expressions."""

from datetime import UTC, date, datetime
from functools import reduce
from operator import add, or_

import pytest

from forklake.engine.spark.spark_engine import SparkEngine
from forklake.errors import InvalidInputError
from forklake.model.expression import Constant, FunctionCall, NamedColumn

pytest.importorskip("grpc", reason="Spark Connect needs grpcio")

from pyspark.sql.connect import functions as F  # noqa: N812 - needs what is asked for above

ENGINE = SparkEngine(None, {})
A = NamedColumn(("a",))


def test_what_a_column_of_connect_says_is_read_as_values() -> None:
    assert ENGINE.expression(F.col("s.`x.``y`") > 1) == FunctionCall(">", (NamedColumn(("s", "x.`y")), Constant(1)))
    is_other = FunctionCall("not", (FunctionCall("==", (A, Constant(1))),))
    assert ENGINE.expression(F.col("a") != 1) == is_other
    assert ENGINE.expression(~F.col("a").isNull()) == FunctionCall("not", (FunctionCall("isNull", (A,)),))
    assert ENGINE.expression(F.lit(date(2026, 1, 31))) == Constant(date(2026, 1, 31))
    moment = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
    assert ENGINE.expression(F.lit(moment)) == Constant(moment)
    assert ENGINE.expression(F.lit(None)) == Constant(None)


@pytest.mark.usefixtures("local_clock")
def test_a_datetime_is_an_instant_by_the_local_clock() -> None:
    for text in ("2026-01-31", "2026-07-31 12:00:00.250000", "1969-12-31 23:00:00"):
        naive = datetime.fromisoformat(text)
        found = ENGINE.expression(F.lit(naive))
        assert isinstance(found, Constant)
        assert found.value.tzinfo is not None
        assert found.value.replace(tzinfo=None) == naive
        assert found.value == naive.astimezone(UTC)
    with pytest.raises(InvalidInputError, match="before the year 1 or after 9999"):
        ENGINE.expression(F.lit(datetime(9999, 12, 31, 23, 30, tzinfo=UTC)))


def test_a_chain_of_conditions_is_one_call_of_any_length() -> None:
    tests = [F.col("a") == n for n in range(3000)]
    calls = tuple(FunctionCall("==", (A, Constant(n))) for n in range(3000))
    assert ENGINE.expression(reduce(or_, tests)) == FunctionCall("or", calls)
    assert ENGINE.expression(reduce(lambda joined, one: one | joined, reversed(tests))) == FunctionCall("or", calls)
    assert ENGINE.expression((tests[0] & tests[1]) | tests[2]) == FunctionCall(
        "or", (FunctionCall("and", calls[:2]), calls[2])
    )
    assert ENGINE.expression(F.col("a").isin([])) == FunctionCall("in", (A,))
    with pytest.raises(InvalidInputError, match="nested too deeply; nothing was done"):
        ENGINE.expression(reduce(add, [F.col("a")] * 5000))


def test_what_has_no_plain_form_is_refused() -> None:
    for refused, word in (
        (F.col("a").cast("string"), "a cast"),
        (F.expr("a > 1"), "a text of Spark SQL"),
        (F.when(F.col("a") > 1, 2), "a case"),
        (F.col("a").desc(), "an order"),
        (F.col("a").alias("b"), "an alias"),
        (F.count_distinct("a"), "a function of distinct values"),
    ):
        with pytest.raises(InvalidInputError, match=f"there is {word} in it; nothing was done"):
            ENGINE.expression(refused)


def test_nothing_else_is_an_expression() -> None:
    assert [ENGINE.expression(value) for value in ("a > 1", 1, None, object())] == [None] * 4
