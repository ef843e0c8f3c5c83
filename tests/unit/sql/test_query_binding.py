"""What is known of a query before it runs: what it reads, what of its rows is known, what it is refused for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.definitions import MacroImplementation, MacroParameter
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.predicate import AllOf, Anything, Comparison
from forklake.sql.parse import parse_query
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import At, BoundQuery, Relation, Scan, StoredMacro, StoredQuery, Total
from forklake.sql.statements import Describe, Show
from tests.fields import named_field

T = Relation(
    "t",
    (
        Field(ColumnId(1), "a", types.INT32),
        Field(ColumnId(2), "B", types.VARCHAR),
        Field(ColumnId(3), "r", types.FLOAT64),
    ),
    "the rows of t",
    (Field(None, "rowid", types.INT64),),
)
U = Relation("u", (Field(ColumnId(1), "a", types.INT32), Field(ColumnId(2), "c", types.DATE)), "the rows of u")
NESTED = Relation(
    "nested",
    (
        named_field(ColumnId(1), "s", "struct", (Field(ColumnId(2), "x", types.INT32),)),
        named_field(ColumnId(3), "o", "struct", (Field(ColumnId(4), "x", types.INT32),)),
        named_field(
            ColumnId(5),
            "l",
            "list",
            (named_field(ColumnId(6), "element", "struct", (Field(ColumnId(7), "x", types.INT32),)),),
        ),
    ),
    "the rows of nested",
)
F = Relation("f", (Field(None, "value", types.INT64),), "the rows of f")
MACROS = {
    "again": MacroImplementation("again(x) + 1", (MacroParameter("x"),)),
    "half": MacroImplementation("x / 2", (MacroParameter("x"),)),
}


@dataclass
class Known:
    """Three tables, views of them, macros and a function; it notes what it was asked."""

    looked_up: list[Any] = field(default_factory=list)
    asked_about: list[Show | Describe] = field(default_factory=list)

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        self.looked_up.append((parts, at))
        match parts[-1]:
            case "t":
                return T
            case "u":
                return U
            case "nested":
                return NESTED
            case "v":
                return StoredQuery("v", "SELECT a AS one, B FROM t WHERE a > 3", ("first",), self)
            case "loop":
                return StoredQuery("loop", "SELECT * FROM loop", (), self)
        raise NotFoundError(f"Catalog Error: Table with name {parts[-1]} does not exist!")

    def function(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Relation | None:
        self.looked_up.append((parts, list(arguments), dict(named)))
        return F if parts[-1] == "f" else None

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return sum(arguments) if parts[-1] == "of_session" else NotImplemented

    def show_relation(self, statement: Show | Describe) -> Relation:
        self.asked_about.append(statement)
        return F

    def computed_rows(self, bound: BoundQuery) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def known_relation(self, columns: tuple[Field, ...], rows: list[tuple[Any, ...]]) -> Relation:
        raise NotImplementedError

    def macro(self, parts: tuple[str, ...]) -> Sequence[StoredMacro]:
        return [StoredMacro(MACROS[parts[-1]])] if parts[-1] in MACROS else ()

    def variable(self, name: str) -> Any:
        return {"n": 7, "list": [1, 2]}.get(name)

    def setting(self, name: str) -> Any:
        raise NotFoundError(f'Catalog Error: unrecognized configuration parameter "{name}"')


def bound(text: str, names: Known | None = None) -> BoundQuery:
    """Return a query that was understood."""
    return bind_query(parse_query(text), names or Known())


def only_scan(query: BoundQuery) -> Scan:
    """Return the one scan of a query."""
    (scan,) = query.scans.values()
    return scan


# ---- what is read ----------------------------------------------------------------------------------------------------


def test_only_the_columns_that_are_named_are_read() -> None:
    assert only_scan(bound("SELECT A + 1 FROM t WHERE rowid > 2")).columns == ("a", "rowid")
    assert only_scan(bound("SELECT * EXCLUDE (b) FROM t")).columns == ("a", "B", "r")
    assert [scan.columns for scan in bound("SELECT t.a FROM t JOIN u USING (a)").scans.values()] == [("a",), ("a",)]


def test_conditions_on_one_table_limit_what_is_read_of_it() -> None:
    scans = bound("SELECT 1 FROM t, u WHERE t.a = u.a AND t.a > 3 AND u.a < 9 AND (t.a = 1 OR u.a = 1)").scans
    assert [scan.predicate for scan in scans.values()] == [
        Comparison(ColumnId(1), types.INT32, ">", "3"),
        Comparison(ColumnId(1), types.INT32, "<", "9"),
    ]


def test_a_side_of_an_outer_join_is_limited_by_its_condition_only_where_its_rows_may_miss() -> None:
    text = "SELECT 1 FROM t {} JOIN u ON t.a = u.a AND u.a = 5 AND t.a = 6 WHERE u.a IS NULL AND t.a > 1"
    left, right = (scan.predicate for scan in bound(text.format("LEFT")).scans.values())
    assert (left, right) == (
        Comparison(ColumnId(1), types.INT32, ">", "1"),
        Comparison(ColumnId(1), types.INT32, "=", "5"),
    )
    assert all(isinstance(scan.predicate, Anything) for scan in bound(text.format("FULL")).scans.values())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = 5 OR t.a = 6)",
        "SELECT 1 FROM t WHERE a IN (SELECT u.a FROM u WHERE NOT (u.a = 5 AND b = 'x'))",
        "SELECT (SELECT count(*) FROM u WHERE u.a = 5 OR r = 6) FROM t",
        "SELECT 1 FROM t, LATERAL (SELECT * FROM u WHERE u.a = 5 OR t.a = 6) AS x",
    ],
)
def test_what_is_said_of_rows_around_a_query_does_not_limit_what_it_reads_itself(text: str) -> None:
    assert all(isinstance(scan.predicate, Anything) for scan in bound(text).scans.values())


@pytest.mark.parametrize(
    "text",
    [
        "FROM (SELECT coalesce(s, o) AS both_ FROM nested) WHERE both_.x = 5",
        "SELECT CASE WHEN s.x > 1 THEN s END AS part FROM nested WHERE part.x IS NULL",
        "FROM (SELECT l[1] AS first FROM nested) WHERE first.x IS NULL",
    ],
)
def test_a_field_of_a_computed_struct_is_no_column(text: str) -> None:
    assert only_scan(bound("FROM (SELECT s AS same FROM nested) WHERE same.x = 5")).predicate == Comparison(
        ColumnId(2), types.INT32, "=", "5"
    )
    assert isinstance(only_scan(bound(text)).predicate, Anything)


def test_the_past_that_is_asked_for_reaches_whoever_has_the_relations() -> None:
    names = Known()
    bound("SELECT * FROM lake.main.t AT (VERSION => 3), t AT (TIMESTAMP => TIMESTAMP '2020-01-02 03:04:05')", names)
    (first, version), (second, time) = names.looked_up
    assert (first, second) == (("lake", "main", "t"), ("t",))
    assert version == At("version", 3)
    assert time is not None
    assert time.value.replace(tzinfo=None) == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC).replace(tzinfo=None)


def test_a_table_function_is_called_with_values() -> None:
    names = Known()
    before = datetime.now(UTC)
    text = "f('x', -1, 1.5, [1, 2], NULL, 5::BIGINT, getvariable('n'), older => now() - INTERVAL 1 DAY, b := true)"
    bound(f"SELECT * FROM lake.{text}", names)
    (parts, values, named) = names.looked_up[0]
    assert parts == ("lake", "f")
    assert values == ["x", -1, Decimal("1.5"), [1, 2], None, 5, 7]
    assert named["b"] is True
    assert timedelta(0) <= named["older"] - before + timedelta(days=1) < timedelta(minutes=1)


# ---- what is known of the rows ---------------------------------------------------------------------------------------


def test_a_query_of_one_table_keeps_its_order_and_notes_its_limit() -> None:
    query = bound("SELECT a FROM (SELECT a, B FROM t WHERE a > 1) LIMIT 5 OFFSET 2")
    assert (query.keeps_order, query.limit, query.offset, query.projection) == ("s0", 5, 2, None)
    assert "LIMIT" not in query.sql
    assert query.nested_sql.endswith("LIMIT 5 OFFSET 2")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT a FROM t LIMIT 1",
        "SELECT a FROM t ORDER BY a LIMIT 1",
        "SELECT max(a) FROM t LIMIT 1",
        "SELECT a FROM t WHERE a IN (SELECT a FROM u) LIMIT 1",
        "SELECT a FROM (SELECT a FROM t LIMIT 3) LIMIT 1",
        "SELECT row_number() OVER () FROM t LIMIT 1",
        "SELECT t.a FROM t, u LIMIT 1",
    ],
)
def test_a_limit_is_in_the_text_where_no_order_of_a_table_is_kept(text: str) -> None:
    query = bound(text)
    assert query.limit is None
    assert query.sql.endswith("LIMIT 1")


def test_a_projection_is_known_by_the_names_of_its_columns() -> None:
    assert bound("SELECT b, a, A FROM t").projection == ("B", "a", "a")
    assert bound("SELECT a + 1 FROM t").projection is None
    assert bound("SELECT a FROM t WHERE a > 1").projection is None


def test_totals_of_a_table_are_known_as_such() -> None:
    assert bound("SELECT count(*) AS n FROM t").totals == (Total("count", "s0"),)
    found = bound("SELECT max(t.a), min(A), count() FROM t").totals
    assert found == (Total("max", "s0", "a"), Total("min", "s0", "a"), Total("count", "s0"))
    for other in (
        "count(a) FROM t", "count(*) FROM t WHERE a = 1", "count(*), 1 FROM t", "min(a + 1) FROM t",
        "min(rowid) FROM t",
        "min(a) FROM t WHERE a > 1", "min(a) FROM t GROUP BY a", "min(a), a FROM t GROUP BY a", "min(a) OVER () FROM t",
        "min(a) FILTER (WHERE a > 1) FROM t", "min(a, 2) FROM t", "min(a) FROM t LIMIT 0", "min(x.a) FROM t, t x",
        "min(a) FROM (SELECT a FROM t WHERE a > 1)", "count(DISTINCT a) FROM t", "max(1) FROM t",
    ):  # fmt: skip
        assert bound(f"SELECT {other}").totals == (), other


def test_constants_are_known_as_texts_of_one_type_for_each_column() -> None:
    query = bound("VALUES (1, 'x', NULL), (2.5, NULL, NULL)")
    assert query.constants == (("1.0", "x", None), ("2.5", None, None))
    assert [column.type for column in query.columns] == [types.Decimal(11, 1), types.VARCHAR, types.INT32]
    assert bound("SELECT 1 AS a, [1, 2] AS b").constants == (("1", "[1, 2]"),)
    assert bound("SELECT a FROM t").constants is None


def test_values_become_what_an_insert_expects_each_for_itself() -> None:
    expected = (Field(ColumnId(1), "a", types.FLOAT64), Field(ColumnId(2), "b", types.VARCHAR))
    query = bind_query(parse_query("VALUES ('NaN', 1), (1, NULL)"), Known(), expected)
    assert query.constants == (("nan", "1"), ("1.0", None))


def test_the_order_of_a_query_is_known_through_what_only_shows_it() -> None:
    assert bound("SELECT a FROM t ORDER BY r").is_ordered
    assert bound("SELECT a FROM (SELECT a FROM t ORDER BY r)").is_ordered
    assert not bound("SELECT count(*) FROM (SELECT a FROM t ORDER BY r)").is_ordered


def test_distinct_rows_are_ordered_by_expressions_that_are_shown() -> None:
    assert bound("SELECT DISTINCT a + 1 AS x FROM t ORDER BY a + 1 DESC").sql.endswith("ORDER BY c0 DESC NULLS LAST")


# ---- names -----------------------------------------------------------------------------------------------------------


def test_a_view_gives_its_columns_their_names() -> None:
    query = bound("SELECT * FROM v WHERE first > 4")
    assert [column.name for column in query.columns] == ["first", "B"]
    assert query.keeps_order == "s0"


def test_variables_and_functions_of_the_session_are_constants() -> None:
    found = bound("SELECT getvariable('n') + 0, getvariable('list'), of_session(1, 2)")
    assert isinstance(found.columns[1].type, types.List)
    assert bound("SELECT of_session(1, 2)").constants == (("3",),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT * FROM loop", "infinite recursion detected"),
        ("SELECT again(1)", "a macro calls itself"),
        ("SELECT half(1, 2)", "Macro half() does not support the supplied arguments"),
        (
            "WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT *, 2 FROM x) SELECT * FROM x",
            "same number of result columns",
        ),
        ("WITH RECURSIVE x AS (SELECT * FROM x) SELECT * FROM x", "must be a beginning and a step"),
        ("WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT * FROM x LIMIT 3) SELECT * FROM x", "LIMIT"),
        ("SELECT * FROM t, u POSITIONAL JOIN t AS v", "POSITIONAL JOIN is supported between tables"),
        ("SELECT no_such(a) FROM t", "Scalar Function with name no_such does not exist"),
        ("SELECT * FROM no_such(1)", "Table Function with name no_such does not exist"),
        ("SELECT * FROM f(a)", "cannot contain columns"),
        ("SELECT * FROM t x(a, b, c, d)", 'table "x" has 3 columns available but 4 columns specified'),
        ("SELECT * EXCLUDE (z) FROM t", 'Column "z" in EXCLUDE list not found in FROM clause'),
        ("SELECT COLUMNS('z.*') FROM t", "No matching columns found"),
        ("SELECT *", "SELECT * without FROM clause"),
        ("SELECT a FROM t LIMIT -1", "LIMIT cannot be negative"),
        ("SELECT (SELECT a, B FROM t)", "Subquery returns 2 columns - expected 1"),
        ("SELECT a FROM t JOIN u USING (B)", 'Column "B" does not exist on right side of join'),
        ("SELECT 1 OVER ()", "syntax error"),
        ("VALUES (1, 2), (3)", "VALUES lists must all be the same length"),
        ("SELECT DISTINCT a FROM t ORDER BY r", "ORDER BY expressions must appear in select list"),
    ],
)
def test_what_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(ForklakeError) as refusal:
        bound(text)
    assert words in str(refusal.value)


def test_a_condition_on_a_view_limits_what_is_read_of_its_table() -> None:
    assert only_scan(bound("SELECT * FROM v WHERE first < 9")).predicate == AllOf(
        (Comparison(ColumnId(1), types.INT32, ">", "3"), Comparison(ColumnId(1), types.INT32, "<", "9"))
    )
    for other in (
        "SELECT * FROM (SELECT a FROM t LIMIT 3) WHERE a = 1",
        "SELECT * FROM (SELECT t.a FROM t, u) WHERE a = 1",
    ):
        assert all(isinstance(scan.predicate, Anything) for scan in bound(other).scans.values())


@pytest.mark.parametrize(
    "text",
    [
        " UNION ALL ".join(f"SELECT {number} AS x" for number in range(500)),
        " UNION ALL ".join(f"SELECT a FROM t WHERE a = {number}" for number in range(300)),
        " UNION ".join(f"SELECT a FROM t WHERE a = {number}" for number in range(300)),
        f"SELECT {' + '.join('1' for _ in range(2000))}",
        f"SELECT {' + '.join('a' for _ in range(2000))} FROM t",
        f"SELECT {' - '.join('r' for _ in range(2000))} FROM t",
        f"SELECT {' || '.join('b' for _ in range(2000))} FROM t",
        f"SELECT 1 FROM t WHERE {' AND '.join(f'a <> {number}' for number in range(2000))}",
        f"SELECT 1 FROM t WHERE {' OR '.join(f'a = {number}' for number in range(2000))}",
    ],
    ids=["union", "union of tables", "distinct", "constants", "integers", "floats", "texts", "and", "or"],
)
def test_long_chains_are_understood_and_stay_flat(text: str) -> None:
    sql = bound(text).sql
    depth = deepest = 0
    for letter in sql:
        depth += (letter == "(") - (letter == ")")
        deepest = max(deepest, depth)
    assert deepest < 60


def test_constants_that_are_united_need_no_job() -> None:
    query = bound("SELECT 1 AS n, 'a' AS v UNION ALL SELECT 2.5, NULL")
    assert query.constants == (("1.0", "a"), ("2.5", None))
    assert [(one.name, one.type) for one in query.columns] == [("n", types.Decimal(11, 1)), ("v", types.VARCHAR)]


def test_text_meets_other_values_as_in_duckdb() -> None:
    assert bound("SELECT a FROM t UNION ALL SELECT B FROM t").columns[0].type == types.VARCHAR
    assert bound("SELECT a FROM t WHERE a = B").columns[0].type == types.INT32
    for text in ("SELECT a FROM t WHERE a < B", "SELECT coalesce(a, B) FROM t", "SELECT [a, B] FROM t"):
        with pytest.raises(ForklakeError, match="an explicit cast is required"):
            bound(text)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("FROM (SHOW TABLES)", Show("tables")),
        ("SELECT value FROM (SHOW ALL TABLES) x WHERE x.value > 1", Show("all tables")),
        ("FROM (SHOW TABLES FROM a.b)", Show("tables", ("a", "b"))),
        ("(SHOW DATABASES)", Show("databases")),
    ],
)
def test_what_is_asked_in_a_query_is_a_table(text: str, question: Show) -> None:
    names = Known()
    assert [one.name for one in bound(text, names).columns] == ["value"]
    assert names.asked_about == [question]


def test_a_described_query_is_read_but_not_looked_up() -> None:
    names = Known()
    bound("SELECT * FROM t JOIN (DESCRIBE SELECT nothing FROM nowhere) ON true", names)
    (question,) = names.asked_about
    assert isinstance(question, Describe)
    assert question.query.sql("duckdb") == "SELECT nothing FROM nowhere"
    assert names.looked_up == [(("t",), None)]


@pytest.mark.parametrize(
    ("fraction", "message"),
    [
        ("NULL", "QUANTILE parameter cannot be NULL"),
        ("[0.5, NULL]", "QUANTILE parameter cannot be NULL"),
        ("1.5", r"QUANTILE can only take parameters in the range \[-1, 1\]"),
        ("'nan'::DOUBLE", r"QUANTILE can only take parameters in the range \[-1, 1\]"),
        ("-0.25", "not supported for negative fractions"),
        ("'half'", "Could not convert string 'half' to DOUBLE"),
        ("a", "not supported for values of type INTEGER, INTEGER"),
    ],
)
@pytest.mark.parametrize("name", ["quantile_cont", "quantile_disc"])
def test_quantiles_of_wrong_fractions_are_refused(name: str, fraction: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bound(f"SELECT {name}(a, {fraction}) FROM t")
