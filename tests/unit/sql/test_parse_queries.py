"""Queries, questions about them and texts that cannot be read."""

import logging
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.expressions.number_literals import number
from forklake.sql.parse import parse, parse_expression, parse_query
from forklake.sql.statements import Describe, Explain, Insert, Query, Show


def one(text: str) -> Any:
    (statement,) = parse(text)
    return statement


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "FROM t",
        "FROM t SELECT a WHERE b",
        "VALUES (1), (2) ORDER BY 1 LIMIT 1",
        "TABLE t",
        "WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
        "(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1",
        "((SELECT 1))",
        "SELECT * EXCLUDE (a), COLUMNS(*), x[1:2], {'a': 1}, MAP {'k': 1} FROM t GROUP BY ALL ORDER BY ALL",
        "SELECT list_transform([1], x -> x + 1), [x FOR x IN l], list_filter(l, lambda x: x > 1)",
        "FROM settings() WHERE range < 0 AND list < 3",
        "SELECT format, xor, file, kill, settings FROM t format",
        'SELECT a.select, b AS from, "where" FROM main.select',
        "SELECT 1, 2, FROM t",
    ],
)
def test_query_may_begin_in_many_ways(text: str) -> None:
    assert isinstance(one(text), Query)
    assert isinstance(parse_query(text), exp.Query)


def test_values_are_always_read_from() -> None:
    for text in (
        "VALUES (1) LIMIT 3",
        "WITH v AS (VALUES (1)) FROM v",
        "SELECT 1 UNION VALUES (1)",
        "FROM (VALUES (1)) v",
    ):
        for values in parse_query(text).find_all(exp.Values):
            assert isinstance(values.parent, exp.From)
    assert parse_query("VALUES (1), (2) ORDER BY 1 LIMIT 3").args["limit"] is not None


@pytest.mark.parametrize(
    ("text", "kind", "moment"),
    [
        ("AT (VERSION => 3)", "VERSION", "3"),
        ("AT (VERSION := 3)", "VERSION", "3"),
        ("AT SNAPSHOT 3", "VERSION", "3"),
        ("AT (TIMESTAMP => TIMESTAMP '2025-01-01')", "TIMESTAMP", "CAST('2025-01-01' AS TIMESTAMP)"),
        ("AT TIMESTAMP '2025-01-01'", "TIMESTAMP", "CAST('2025-01-01' AS TIMESTAMP)"),
        ("AT TIMESTAMP now() - INTERVAL 1 DAY", "TIMESTAMP", "NOW() - INTERVAL '1' DAY"),
    ],
)
@pytest.mark.parametrize("alias", ["", " x", " AS x JOIN u USING (i)"])
def test_past_of_a_table_is_asked_for_in_several_spellings(text: str, kind: str, moment: str, alias: str) -> None:
    found = parse_query(f"SELECT * FROM a.b.t {text}{alias}").args["from_"].this
    assert found.args["when"].args["kind"] == kind
    assert found.args["when"].expression.sql("duckdb") == moment
    assert found.alias == ("x" if alias else "")


def test_columns_and_tables_may_be_called_at() -> None:
    assert parse_query("SELECT at FROM t at").args["from_"].this.alias == "at"
    assert isinstance(parse_expression("ts AT TIME ZONE 'UTC'"), exp.AtTimeZone)


def test_call_asks_for_the_rows_of_a_function() -> None:
    call = one("CALL lake.set_option('a', 'b', table_name => 't', schema := 's')")
    assert isinstance(call, Query)
    assert call.is_call
    function = call.query.args["from_"].this
    assert [part.name for part in function.parts] == ["lake", "set_option"]
    named = [argument for argument in function.this.expressions if isinstance(argument, exp.Kwarg)]
    assert [(argument.this.name, argument.expression.name) for argument in named] == [
        ("table_name", "t"),
        ("schema", "s"),
    ]
    with pytest.raises(InvalidInputError, match="syntax error at end of input"):
        parse("CALL f")


def test_function_keeps_the_name_that_was_written() -> None:
    assert parse_expression("IfNull(a, b)").meta["name"] == "IfNull"
    unknown = parse_expression("Lower(a, b, c)")
    assert isinstance(unknown, exp.Anonymous)
    assert unknown.name == "Lower"


def test_numbers_and_quoted_texts_are_read_in_all_their_forms() -> None:
    texts = {
        "1_000": "1000",
        "'it''s'": "it's",
        "E'a\\'b\\n\\x41ü'": "a'b\nAü",
        "$$a;b$$": "a;b",
        "$tag$a$$b$tag$": "a$$b",
        "'a'\n 'b'": "ab",
    }
    assert {text: parse_expression(text).name for text in texts} == texts


def test_tilde_compares_the_whole_text() -> None:
    assert isinstance(parse_expression("a ~ 'x'"), exp.RegexpFullMatch)


def test_questions_about_tables_and_statements_are_understood() -> None:
    assert one("SHOW TABLES") == Show("tables")
    assert one("SHOW TABLES FROM a.b") == Show("tables", ("a", "b"))
    assert one("SHOW ALL TABLES") == one("DESCRIBE") == Show("all tables")
    assert one("SHOW DATABASES") == Show("databases")
    assert one("SHOW SCHEMAS") == Show("schemas")
    for text in ("DESCRIBE a.t", "DESC a.t", "SHOW a.t", "DESCRIBE TABLE a.t", "DESCRIBE SELECT * FROM a.t"):
        assert one(text) == Describe(parse_query("SELECT * FROM a.t"))
    explained = one("EXPLAIN ANALYZE INSERT INTO t VALUES (1)")
    assert isinstance(explained, Explain)
    assert explained.analyze
    assert isinstance(explained.statement, Insert)
    assert not one("EXPLAIN (SELECT 1)").analyze
    assert one("EXPLAIN (ANALYZE) FROM t").analyze
    with pytest.raises(InvalidInputError, match='Unsupported option "format" for EXPLAIN'):
        one("EXPLAIN (FORMAT json, ANALYZE) FROM t")


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (" ;; ; ", 0), ("-- a; b", 0), ("/* a; b */", 0), ("SELECT 1; -- x\n; SELECT ';' ;", 2)],
)
def test_semicolons_end_statements_only_outside_of_quotes_and_comments(text: str, count: int) -> None:
    assert len(parse(text)) == count


def test_a_statement_that_is_not_supported_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"VACUUM.* is not supported"):
        parse("VACUUM")


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"', 1, 1),
        ("SELECT 1;\n\nSELECT (2", "syntax error at end of input", 3, 10),
        ("SELECT 1 + ;", 'syntax error at or near ";"', 1, 12),
        ("SELECT 1)", 'syntax error at or near "\\)"', 1, 9),
        ("SELECT max(a FROM t", "syntax error at end of input", 1, 20),
        ("SELECT a\nFROM t\nWHERE a = = 1", 'syntax error at or near "="', 3, 11),
        ("SELECT 'ä', 'ö' x y", 'syntax error at or near "y"', 1, 19),
        ("SELECT 1, 'x\ny", 'unterminated quoted string at or near "\'x"', 1, 11),
        ('SELECT "x', "unterminated quoted identifier", 1, 8),
        ("SELECT 1 /* x", "unterminated comment", 1, 10),
        ("-- it's\nSELECT $$x", "unterminated dollar-quoted string", 2, 8),
        ("SELECT * FROM where", 'syntax error at or near "where"', 1, 15),
        ("SELECT 1 AS", "syntax error at end of input", 1, 12),
        ("FROM t AT (BRANCH => 3)", 'syntax error at or near "BRANCH"', 1, 12),
    ],
)
def test_syntax_error_shows_its_place(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(
        InvalidInputError, match=f"Parser Error: {message}.* \\(line {line}, column {column}\\)"
    ) as caught:
        parse(text)
    *_, shown, caret = str(caught.value).split("\n")
    assert shown == f"LINE {line}: {text.splitlines()[line - 1]}"
    assert caret.index("^") == len(f"LINE {line}: ") + column - 1


def test_long_line_is_shown_around_the_place() -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse(f"SELECT {'a + ' * 50}b c d, {'e, ' * 50} f")
    *_, shown, caret = str(caught.value).split("\n")
    assert len(shown) < 150
    assert shown[caret.index("^")] == "d"


@pytest.mark.parametrize(
    "text", ["(1 + 2)", "SELECT", "SELECT FROM t", "SELECT 1 INTO x", "WITH x AS (DELETE FROM t) SELECT 1",
             "CHECKPOINT a b", "WITH x AS (SELECT 1) CALL f()", "SELECT [{ : 1}]", "foo", "a b",
             "FROM FROM t", "SELECT a,, b"],
)  # fmt: skip
def test_what_is_no_query_is_refused_in_silence(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(InvalidInputError, match="Parser Error"):
        parse(text)
    assert not caplog.records


@pytest.mark.parametrize("text", ["SELECT {0}1{1}", "CREATE TABLE t (a {2}INT{1})"])
def test_text_that_is_nested_too_deeply_is_refused(text: str) -> None:
    depth = 3000
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        parse(text.format("(" * depth, ")" * depth, "STRUCT(a " * depth))


def test_text_of_a_query_or_expression_is_only_that() -> None:
    assert isinstance(parse_expression(" a + 1 -- x"), exp.Add)
    for text in ("", "a b", "a; b", "SELECT 1"):
        with pytest.raises(InvalidInputError, match="Parser Error"):
            parse_expression(text)
    for text in ("", "a", "SELECT 1; SELECT 2", "INSERT INTO t SELECT 1"):
        with pytest.raises(InvalidInputError, match="Parser Error"):
            parse_query(text)


@pytest.mark.parametrize(
    "text", ["0", "2147483648", "-1", "1.", ".5", "1e5", "1.5e-3", str(2**126), str(2**128), "1" + "0" * 60]
)
def test_a_number_has_the_type_that_duckdb_gives_it(text: str) -> None:
    ours = number(text).type.sql_name
    (theirs,) = duckdb.sql(f"SELECT typeof({text})").fetchall()
    assert (ours,) == theirs


@pytest.mark.parametrize("text", ["1e5.5", "1" * 5_000])
def test_what_begins_as_a_number_and_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="Parser Error"):
        parse(f"SELECT {text}")


def test_joins_whose_conditions_come_later_are_within_each_other_to_a_limit() -> None:
    def query(count: int) -> str:
        return f"SELECT * FROM t {'JOIN t ' * count}{'ON true ' * count}"

    assert one(query(12))
    for text in (query(13), f"SELECT * FROM t {'JOIN t ' * 200}"):
        with pytest.raises(InvalidInputError, match='syntax error at or near "JOIN"'):
            parse(text)
