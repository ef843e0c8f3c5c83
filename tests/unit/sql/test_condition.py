"""Conditions: what they say about columns, how they are said to Spark, and what is refused."""

from collections.abc import Callable, Sequence
from functools import cache

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field, leaves
from forklake.model.ids import ColumnId
from forklake.model.predicate import (
    AllOf,
    AnyOf,
    Anything,
    Comparison,
    IsNull,
    Nothing,
    OneOf,
    Operator,
    Predicate,
)
from forklake.model.rows import FileColumnStatsRow
from forklake.sql.rows.row_texts import condition, sort_expression
from tests.fields import named_field
from tests.unit.sql.cases import CONDITIONS, FIELDS, answers, table
from tests.unit.sql.statistics import file_stats, in_ids, may_match

FLAT = (
    Field(ColumnId(1), "a", types.INT32),
    Field(ColumnId(2), "V x", types.VARCHAR),
    Field(ColumnId(3), "f", types.FLOAT32),
    Field(ColumnId(4), "tz", types.TIMESTAMPTZ),
    Field(ColumnId(5), "b", types.BOOLEAN),
    named_field(ColumnId(6), "s", "struct", (Field(ColumnId(7), "In", types.DATE),)),
    Field(ColumnId(8), "de", types.Decimal(9, 2)),
    Field(ColumnId(9), "u", types.UUID),
    Field(ColumnId(10), "iv", types.INTERVAL),
    Field(ColumnId(11), "i8", types.INT8),
    Field(ColumnId(12), "ns", types.TIMESTAMP_NS),
    Field(ColumnId(13), "bl", types.BLOB),
)
_UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"


def said(text: str) -> Predicate:
    return condition(text, "T", FLAT).predicate


def spark(text: str) -> str:
    return condition(text, "T", FLAT).spark_sql


def a(operator: Operator, value: str) -> Comparison:
    return Comparison(ColumnId(1), types.INT32, operator, value)


@cache
def database() -> duckdb.DuckDBPyConnection:
    return table()


@cache
def statistics(ids: tuple[int, ...]) -> dict[ColumnId, FileColumnStatsRow]:
    found = {}
    for path, field in leaves(FIELDS):
        if field.column_id is not None and field.type != types.BLOB and "element" not in path:
            column = ".".join(f'"{name}"' for name in path)
            found[field.column_id] = file_stats(database(), in_ids(ids), column, field.column_id, field.type.name)
    return found


@pytest.mark.parametrize("text", CONDITIONS)
def test_no_row_that_fulfils_a_condition_is_ruled_out(text: str) -> None:
    predicate = condition(text, "t", FIELDS).predicate
    for row, is_kept in answers(database(), text).items():
        if is_kept:
            assert may_match(predicate, statistics((row,))), (row, predicate)


@settings(max_examples=60)
@given(st.sampled_from(CONDITIONS), st.sampled_from(CONDITIONS), st.sets(st.integers(1, 6), min_size=1), st.data())
def test_no_file_with_a_row_that_fulfils_a_condition_is_ruled_out(
    first: str, second: str, ids: set[int], data: st.DataObject
) -> None:
    form = data.draw(
        st.sampled_from(["({0}) AND ({1})", "({0}) OR NOT ({1})", "NOT (({0}) AND ({1}))", "({0}) = ({1})"])
    )
    text = form.format(first, second)
    predicate = condition(text, "t", FIELDS).predicate
    if any(is_kept for row, is_kept in answers(database(), text).items() if row in ids):
        assert may_match(predicate, statistics(tuple(sorted(ids)))), (text, predicate)


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("a = 1", a("=", "1")),
        ("1 < T.A", a(">", "1")),
        ("not a = 1", a("<>", "1")),
        ("a > 1.5", a(">", "1")),
        ("a <= 1.5", a("<", "2")),
        ("a = 1.5", Nothing()),
        ("a <> 1.5", IsNull(ColumnId(1), is_null=False)),
        ("a = 2.0", a("=", "2")),
        ("a in (3, 1, 3)", OneOf(ColumnId(1), types.INT32, ("3", "1"))),
        ("a not in (1, null)", Nothing()),
        ("a is not distinct from 1", a("=", "1")),
        ("a is distinct from 1", AnyOf((a("<>", "1"), IsNull(ColumnId(1), is_null=True)))),
        ("a = 1 and a + 1 = 2", a("=", "1")),
        ("a = 1 or a + 1 = 2", Anything()),
        ("not (a = 1 or a is null)", AllOf((a("<>", "1"), IsNull(ColumnId(1), is_null=False)))),
        ("not (a = 1 and a < 3)", AnyOf((a("<>", "1"), a(">=", "3")))),
        ("not (a between 1 and 3)", AnyOf((a("<", "1"), a(">", "3")))),
        ("a = null", Nothing()),
        ("a = 1 or null", a("=", "1")),
        ("true", Anything()),
        ("false", Nothing()),
        ("b", Comparison(ColumnId(5), types.BOOLEAN, "=", "true")),
        ("not b", Comparison(ColumnId(5), types.BOOLEAN, "=", "false")),
        ("not b is true", Anything()),
        ("s.in > '2024-1-2'", Comparison(ColumnId(7), types.DATE, ">", "2024-01-02")),
        ("de = '1.005'", Comparison(ColumnId(8), types.Decimal(9, 2), "=", "1.01")),
        (f"u = '{{{_UUID.upper()}}}'", Comparison(ColumnId(9), types.UUID, "=", _UUID)),
        ("tz < '2024-01-01 01:00+02'", Comparison(ColumnId(4), types.TIMESTAMPTZ, "<", "2023-12-31 23:00:00+00")),
        (
            "\"v X\" like 'a%'",
            AllOf(
                (Comparison(ColumnId(2), types.VARCHAR, ">=", "a"), Comparison(ColumnId(2), types.VARCHAR, "<", "b"))
            ),
        ),
        ("\"v X\" not like 'a%'", Anything()),
        ("\"v X\" like 'abc'", Comparison(ColumnId(2), types.VARCHAR, "=", "abc")),
        ("\"v X\" ilike 'a%'", Anything()),
        ("iv = '1 day'", Anything()),
        ("bl = 'a'", Anything()),
        ("rowid = 1", Anything()),
        ("snapshot_id = 1 and a = 1", a("=", "1")),
        ("s is null", Anything()),
    ],
)
def test_conditions_say_what_can_be_pruned_by(text: str, predicate: Predicate) -> None:
    assert said(text) == predicate


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("A = '1'", "(`a` = 1)"),
        ("t.s.IN = date '2024-01-02'", "(`s`.`In` = DATE '2024-01-02')"),
        ("\"v x\" = 'it''s'", "(`V x` = CAST(X'69742773' AS STRING))"),
        ("tz > '2024-01-01'", "(`tz` > TIMESTAMP_LTZ '2024-01-01 00:00:00+00:00')"),
        ("ns = '2024-01-01 00:00:00.500'", "(`ns` = '2024-01-01 00:00:00.5')"),
        ("bl = '\\x80a'", "(`bl` = X'8061')"),
        (
            "s.in > '10000-01-01' or s.in < '0044-03-15 (BC)'",
            "((`s`.`In` > DATE '+10000-01-01') OR (`s`.`In` < DATE '-0043-03-15'))",
        ),
        ("f = 0.1", "(`f` = CAST('0.1' AS FLOAT))"),
        ("rowid = 1 and filename = 'x'", "((`rowid` = 1) AND (`filename` = 'x'))"),
    ],
)
def test_spark_gets_exact_names_and_typed_literals(text: str, sql: str) -> None:
    assert spark(text) == sql


def test_names_with_backticks_are_quoted() -> None:
    fields = (Field(ColumnId(1), "a`b", types.INT32),)
    assert condition('"A`B" = 1', "t", fields).spark_sql == "(`a``b` = 1)"


def test_a_column_of_the_table_hides_the_lineage_of_rows() -> None:
    fields = (Field(ColumnId(1), "RowId", types.VARCHAR),)
    assert condition("rowid = 'x'", "t", fields).spark_sql == "(`RowId` = 'x')"


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("", InvalidInputError, "Parser Error: syntax error at end of input"),
        ("a =", InvalidInputError, "Parser Error: syntax error at end of input (line 1, column 4)"),
        (
            "a = 1\n  group by a",
            InvalidInputError,
            'Parser Error: syntax error at or near "group by" (line 2, column 3)',
        ),
        ("a = 1) or (b", InvalidInputError, 'syntax error at or near ")"'),
        ("a = 'x", InvalidInputError, "Parser Error: unterminated quoted string at or near"),
        ("a = 1; a = 2", InvalidInputError, 'Parser Error: syntax error at or near "a" (line 1, column 8)'),
        ("a = 1; delete from t", InvalidInputError, 'syntax error at or near "delete"'),
        (
            "nope = 1",
            NotFoundError,
            'Binder Error: Referenced column "nope" not found in FROM clause!\nCandidate bindings: "',
        ),
        ("q.a = 1", NotFoundError, 'Referenced table "q" not found!'),
        ("s.nope = 1", NotFoundError, 'Could not find key "nope" in struct "s"'),
        ("a.b = 1", InvalidInputError, "is not a struct"),
        ("a = 'abc'", InvalidInputError, "Conversion Error: Could not convert string 'abc' to INT32"),
        ("i8 = '300'", InvalidInputError, "Conversion Error: Could not convert string '300' to INT8"),
        ("de = 'x'", InvalidInputError, 'Conversion Error: Could not convert string "x" to DECIMAL(9,2)'),
        ("u = 'x'", InvalidInputError, "Conversion Error: Could not convert string 'x' to INT128"),
        ("b = 'x'", InvalidInputError, "Conversion Error: Could not convert string 'x' to BOOL"),
        ("f = 'x'", InvalidInputError, "Conversion Error: Could not convert string 'x' to FLOAT"),
        ("s.in = 'x'", InvalidInputError, 'Conversion Error: invalid date field format: "x"'),
        ("s.in = '2024-02-30'", InvalidInputError, "Conversion Error: date field value out of range"),
        ("tz = 'x'", InvalidInputError, 'Conversion Error: invalid timestamp field format: "x"'),
        ('"v x" > 1.5', InvalidInputError, "Cannot compare values of type VARCHAR and type DECIMAL(2,1)"),
        ("a", InvalidInputError, "A condition is true or false, not of type INTEGER: a"),
        ("a + 1", InvalidInputError, "A condition is true or false"),
        ("a = 1 and tz", InvalidInputError, "Unimplemented type for cast (TIMESTAMP WITH TIME ZONE -> BOOLEAN)"),
        ("sum(a) > 1", InvalidInputError, "WHERE clause cannot contain aggregates!"),
        ("count(*) > 1", InvalidInputError, "WHERE clause cannot contain aggregates!"),
        ("row_number() over () = 1", InvalidInputError, "WHERE clause cannot contain window functions!"),
        ("a in (select 1)", InvalidInputError, "cannot contain a subquery"),
        ("a = (select 1)", InvalidInputError, "cannot contain a subquery"),
        ("exists (select 1)", InvalidInputError, "cannot contain a subquery"),
        ("a = ?", InvalidInputError, "There is no value for parameter 1; 0 were given"),
        ("a = $1", InvalidInputError, "There is no value for parameter 1; 0 were given"),
        ("a = $name", InvalidInputError, 'The parameter "$name" has a name'),
        ("my_macro(a) = 1", InvalidInputError, "Scalar Function with name my_macro does not exist"),
        ("lower(a) = 'x'", InvalidInputError, "No function matches"),
        ("b + 1 = 2", InvalidInputError, "No function matches"),
        ("a::nope = 1", InvalidInputError, "nope"),
    ],
)
def test_what_is_wrong_is_said(text: str, error: type[ForklakeError], words: str) -> None:
    with pytest.raises(error) as refusal:
        said(text)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    "given",
    [None, True, 4, 1.5, ["id = 4"], {"id": 4}, b"id = 4", exp.column("id").eq(4)],
    ids=lambda it: type(it).__name__,
)
def test_what_is_no_text_is_refused_and_the_form_is_shown(given: object) -> None:
    def key(text: str, table: str, fields: Sequence[Field]) -> str:
        return sort_expression(text, table, fields, lambda macro: ())

    reads: tuple[Callable[..., object], ...] = (condition, key)
    for read in reads:
        with pytest.raises(InvalidInputError, match=r"is SQL text( or a Column of Spark)?, not") as refusal:
            read(given, "T", FLAT)
        assert 'delete("id = 4")' in (refusal.value.hint or "")


def test_an_interval_of_several_parts_keeps_all_of_them() -> None:
    fields = (Field(ColumnId(1), "ts", types.TIMESTAMP),)
    found = condition("ts > TIMESTAMP '2020-01-01' + INTERVAL '32 days 03:04:05'", "t", fields)
    assert "make_interval(0, 0, 0, 32, 0, 0, 11045.000000BD)" in found.spark_sql


@pytest.mark.parametrize("name", ["map", "range", "list", "struct", "date", "timestamp", "text", "row"])
def test_a_column_may_be_called_as_a_type_is(name: str) -> None:
    fields = (Field(ColumnId(1), name, types.INT32),)
    for text in ("{0} < 3", "t.{0} = 3", "abs({0}) > 1 AND {0} IS NOT NULL", "{0} IN (1, 2)"):
        assert f"`{name}`" in condition(text.format(name), "t", fields).spark_sql


def test_long_chains_and_lists_are_read() -> None:
    numbers = range(3000)
    either = said(" or ".join(f"a = {number}" for number in numbers))
    assert isinstance(either, AnyOf)
    assert len(either.parts) == 3000
    listed = said(f"a in ({', '.join(map(str, numbers))})")
    assert isinstance(listed, OneOf)
    assert len(listed.values) == 3000


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        said("not " * 3000 + "b")


def test_sort_expressions_may_be_of_any_type() -> None:
    assert sort_expression("A", "T", FLAT, lambda parts: ()) == "`a`"
    assert sort_expression("(de / 2)", "T", FLAT, lambda parts: ()) == "(CAST(`de` AS DOUBLE) / CAST('2.0' AS DOUBLE))"
    assert sort_expression('md5("v X")', "T", FLAT, lambda parts: ()) == "md5(`V x`)"
    with pytest.raises(NotFoundError):
        sort_expression("nope", "T", FLAT, lambda parts: ())
