"""Expressions made of an engine's objects mean what the same SQL text means."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.expression import Constant, Expression, FunctionCall, NamedColumn
from forklake.model.predicate import Nothing
from forklake.sql.expressions.spark_idioms import canonical
from forklake.sql.rows.row_statements import bind_condition
from forklake.sql.rows.row_texts import read_where
from tests.fields import named_field

FIELDS = [
    named_field(None, "id", "int32"),
    named_field(None, "we ird", "varchar"),
    named_field(None, "price", "decimal(10,2)"),
    named_field(None, "day", "date"),
    named_field(None, "at", "timestamptz"),
    named_field(None, "local", "timestamp"),
    named_field(None, "exact", "timestamp_ns"),
    named_field(None, "s", "struct", (named_field(None, "x", "int32"),)),
    named_field(None, "ok", "boolean"),
]
MOMENT = datetime(2026, 1, 31, tzinfo=UTC)
LATE = datetime(2026, 1, 31, tzinfo=timezone(timedelta(hours=1)))
"""Midnight on a clock that is an hour ahead of UTC."""
LOCAL, AT, EXACT, DAY = (NamedColumn((name,)) for name in ("local", "at", "exact", "day"))
ID, WORD = NamedColumn(("id",)), NamedColumn(("we ird",))


def call(name: str, *arguments: Any) -> FunctionCall:
    return FunctionCall(name, tuple(one if isinstance(one, Expression) else Constant(one) for one in arguments))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (call(">", ID, 1), "id > 1"),
        (call("and", call("=", WORD, "it's"), call("!", call("isNull", ID))), "w = 'it''s' AND NOT (id IS NULL)"),
        (call("=", call("*", call("+", ID, 1), 2), 6), "(id + 1) * 2 = 6"),
        (call("or", call("<=>", ID, None), call("isNotNull", WORD)), "id IS NOT DISTINCT FROM NULL OR w IS NOT NULL"),
        (call("in", ID, 1, 2, None), "id IN (1, 2, NULL)"),
        (call(">=", NamedColumn(("price",)), Decimal("-1.50")), "price >= -1.50"),
        (call("<", NamedColumn(("day",)), date(2026, 1, 31)), "day < DATE '2026-01-31'"),
        (call("<=", NamedColumn(("at",)), MOMENT), "at <= TIMESTAMPTZ '2026-01-31 00:00:00+00'"),
        (call("=", NamedColumn(("s", "x")), call("negative", ID)), "s.x = -id"),
        (call("=", call("%", ID, 2), call("/", ID, 2)), "id % 2 = id / 2"),
        (call("startswith", call("upper", WORD), "A"), "starts_with(upper(w), 'A')"),
        (call("=", call("coalesce", ID, NamedColumn(("s", "x")), 0), ID), "coalesce(id, s.x, 0) = id"),
        (call("-", call("length", WORD), call("abs", ID)), None),
        (NamedColumn(("ok",)), "ok"),
        (call("in", ID), "FALSE AND id IS NULL"),
        (call("not", call("in", ID)), "NOT (FALSE AND id IS NULL)"),
        (
            call("and", call("or", call(">", ID, 1), NamedColumn(("ok",))), call("<", ID, 9)),
            "(id > 1 OR ok) AND id < 9",
        ),
        (call("=", AT, LATE), "at = TIMESTAMPTZ '2026-01-30 23:00:00+00'"),
        (call("=", LOCAL, LATE), "local = TIMESTAMP '2026-01-31 00:00:00'"),
        (call(">", LATE, LOCAL), "TIMESTAMP '2026-01-31 00:00:00' > local"),
        (call("in", LOCAL, LATE, None), "local IN (TIMESTAMP '2026-01-31 00:00:00', NULL)"),
        (call("<=>", EXACT, LATE), "exact IS NOT DISTINCT FROM TIMESTAMP '2026-01-31 00:00:00'"),
        (call("<", DAY, LATE), "day < TIMESTAMP '2026-01-31 00:00:00'"),
        (call("=", call("coalesce", LATE, LATE, LOCAL), LOCAL), "coalesce({0}, {0}, local) = local"),
        (call(">", call("-", LOCAL, LATE), call("-", LATE, LOCAL)), "local - {0} > {0} - local"),
        (call("<", LATE, MOMENT), "TIMESTAMPTZ '2026-01-30 23:00:00+00' < TIMESTAMPTZ '2026-01-31 00:00:00+00'"),
    ],
)
def test_an_expression_is_bound_as_its_text_is(said: Expression, text: str | None) -> None:
    tree = read_where(said)
    assert tree is not None
    if text is None:
        with pytest.raises(InvalidInputError):
            bind_condition(tree, "t", FIELDS)
        return
    text = text.replace("{0}", "TIMESTAMP '2026-01-31 00:00:00'")
    written = read_where(re.sub(r"\bw\b", '"we ird"', text))
    assert written is not None
    found, expected = bind_condition(tree, "t", FIELDS), bind_condition(written, "t", FIELDS)
    assert plain(found.spark_sql) == plain(expected.spark_sql)
    assert found.predicate == expected.predicate


def plain(spark_sql: str) -> str:
    """Return Spark SQL without parentheses, of which one text may have more than the other."""
    return canonical(spark_sql.replace("(", "").replace(")", ""))


@pytest.mark.slow
def test_a_chain_may_have_any_length() -> None:
    test_an_expression_is_bound_as_its_text_is(
        call("or", *(call("=", ID, n) for n in range(3000))), " OR ".join(f"id = {n}" for n in range(3000))
    )


def test_nothing_is_one_of_no_values() -> None:
    tree = read_where(call("in", ID))
    assert tree is not None
    assert isinstance(bind_condition(tree, "t", FIELDS).predicate, Nothing), "no file is read"
    with pytest.raises(NotFoundError, match="nope"):
        bind_condition(read_where(call("in", NamedColumn(("nope",)))) or tree, "t", FIELDS)


def test_an_expression_nested_too_deeply_is_refused() -> None:
    deep: Expression = ID
    for _ in range(5000):
        deep = call("negative", deep)
    with pytest.raises(InvalidInputError, match="nested too deeply; nothing was done"):
        read_where(call(">", deep, 1))


def test_a_function_that_may_mean_something_else_is_refused() -> None:
    with pytest.raises(InvalidInputError, match='The function "rlike" of a Column is not read; nothing was done'):
        read_where(call("rlike", WORD, "a.*"))
