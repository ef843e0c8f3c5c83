"""Nothing that a query says is passed over: a clause is computed as DuckDB does, or refused by its name."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest

from forklake.errors import InvalidInputError, NotFoundError
from forklake.sql.parse import parse_query
from forklake.sql.parse.tokens import tokenize
from forklake.sql.query.bind import bind_query
from tests.unit.sql.test_query_binding import Known, bound

_RECURSION = "WITH RECURSIVE q(a, b){} AS (SELECT 1, 2 UNION SELECT a + 1, b FROM q WHERE a < 3){} SELECT * FROM q"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (_RECURSION.format(" USING KEY (a)", ""), "USING KEY is not supported in WITH"),
        (_RECURSION.format("", " SEARCH DEPTH FIRST BY a SET o"), "SEARCH or CYCLE is not supported in WITH"),
        (_RECURSION.format("", " CYCLE a SET c USING p"), "SEARCH or CYCLE is not supported in WITH"),
        ("UNPIVOT t ON a USING sum(a)", "USING is not supported in PIVOT"),
        ("PIVOT t ON a INTO NAME x VALUE y", "INTO is not supported in PIVOT"),
        (
            "SELECT * FROM t PIVOT (sum(r) FOR a IN (1) DEFAULT ON NULL (1))",
            "DEFAULT ON NULL is not supported in PIVOT",
        ),
        ("SELECT string_agg(B ORDER BY B WITH FILL) FROM t", "WITH FILL is not supported in ORDER BY"),
        ("SELECT sum(a) OVER (ORDER BY a WITH FILL) FROM t", "WITH FILL is not supported in ORDER BY"),
        ("SELECT count(* LIMIT 1) FROM t", "is not supported in LIMIT"),
        ("SELECT CAST({'a': 1} AS STRUCT(a INTEGER NOT NULL))", "CONSTRAINTS is not supported in the field of a type"),
        ("SELECT [1, 2, 3][1:3:2]", "STEP is not supported in a slice"),
        ("SELECT a FROM t FETCH", "FETCH has no number of rows"),
        ("SELECT word {'k': 1}", "syntax error"),
    ],
)
def test_a_clause_that_nothing_reads_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InvalidInputError, match=named):
        bound(text)


def test_fetch_without_a_number_is_one_row() -> None:
    assert bound("SELECT a FROM t FETCH FIRST ROW ONLY").limit == 1
    assert bound("SELECT a FROM t FETCH NEXT 2 ROWS ONLY").limit == 2


_QUERIES = (
    "SELECT a, B AS x FROM t WHERE a > 1 GROUP BY a, B HAVING count(*) > 0 ORDER BY a DESC LIMIT 3",
    "WITH RECURSIVE q(a, b) AS (SELECT 1, 2 UNION ALL SELECT a + 1, b FROM q WHERE a < 3) SELECT * FROM q",
    "WITH c AS (SELECT 1 AS a) SELECT a FROM c UNION SELECT 2 ORDER BY 1",
    "SELECT sum(a) FILTER (WHERE a > 1) OVER (PARTITION BY B ORDER BY a ROWS 1 PRECEDING) FROM t",
    "SELECT string_agg(B, ',' ORDER BY B), count(DISTINCT a) FROM t",
    "SELECT first_value(a) OVER w FROM t WINDOW w AS (ORDER BY B)",
    "SELECT a, c FROM t LEFT JOIN u USING (a)",
    "SELECT t.a, x FROM t, unnest([1, 2]) AS v(x)",
    "SELECT * FROM (VALUES (1, 2)) v(a, b)",
    "SELECT CAST(a AS VARCHAR), a::BIGINT, B[1:2] FROM t",
    "SELECT CASE WHEN a = 1 THEN 1 ELSE 2 END, a IN (1, 2), B LIKE 'x' FROM t",
    "UNPIVOT u ON a INTO NAME n VALUE v",
    "SELECT * FROM t UNPIVOT (v FOR n IN (a)) u",
    "SELECT a FROM t EXCEPT SELECT a FROM u",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t",
)
_WORDS = """
ALL | ANTI | ANY | ARRAY | ASC | ASOF | ASYMMETRIC | CROSS | DESC | DISTINCT | EXCEPT | EXCLUDE | FINAL | FIRST | FULL
GLOBAL | INNER | LAST | LATERAL | LEFT | MATERIALIZED | NATURAL | NOT | ONLY | ORDINALITY | OUTER | PERCENT | POSITIONAL
RECURSIVE | SEMI | STRUCT | SYMMETRIC | TABLE | TEMPORARY | TOTALS | UNIQUE | BY NAME | NOT MATERIALIZED | USING KEY (a)
SEARCH DEPTH FIRST BY a SET o | CYCLE a SET c USING p | WITH TIES | WITH FILL | WITH TOTALS | WITH ROLLUP
WITH ORDINALITY | FETCH FIRST 1 ROW ONLY | LIMIT 1 | OFFSET 1 | USING SAMPLE 1 | TABLESAMPLE (50) | REPEATABLE (3)
FOR UPDATE | COLLATE NOCASE | LIMIT BY a | NULLS FIRST | NULLS LAST | IGNORE NULLS | RESPECT NULLS | INCLUDE NULLS
EXCLUDE NULLS | EXCLUDE TIES | EXCLUDE CURRENT ROW | FROM LAST | ORDER BY a | PARTITION BY a | PARTITION (p)
QUALIFY false | AS (a, b) | LATERAL VIEW explode(a) x AS y | DEFAULT ON NULL (1) | NOT NULL | DEFAULT 3
DISTINCT ON (a) | (a) | (*) | EXCLUDE (a) | REPLACE (1 AS a) | RENAME (a AS z) | AT (VERSION => 1)
FOR SYSTEM_TIME AS OF '2020-01-01' | WITH (NOLOCK) | WINDOW w AS (ORDER BY a) | OVER () | FILTER (WHERE a > 1)
WITHIN GROUP (ORDER BY a) | ESCAPE '!' | AT TIME ZONE 'UTC' | GROUPING SETS ((a)) | CUBE (a) | GROUP BY ALL | INTO t
TOP 3 | STEP 2 | ON OVERFLOW TRUNCATE | CLUSTER BY a | DISTRIBUTE BY a | SORT BY a | PREWHERE a | SETTINGS x = 1
FORMAT 'x'
"""
"""Words and clauses of SQL of all kinds; in most places they are errors."""


def _longer_texts(query: str) -> Iterator[str]:
    """Yield the query with each of the words in each place."""
    words = [word.strip() for line in _WORDS.strip().splitlines() for word in line.split("|")]
    places = [token.start for token in tokenize(query)] + [len(query)]
    yield from (f"{query[:place]} {word} {query[place:]}" for place in places for word in words)


def _binding(text: str) -> Any:
    """Return all that is known of a query before it runs; None if it is refused."""
    try:
        found = bind_query(parse_query(text), Known())
    except (InvalidInputError, NotFoundError):
        return None
    columns = [(column.name, column.type) for column in found.columns]
    scans = [(scan.columns, scan.predicate, scan.is_ordered) for scan in found.scans.values()]
    return found.sql, columns, scans, found.limit, found.offset, found.constants, found.top


def _answer(connection: duckdb.DuckDBPyConnection, text: str) -> Sequence[Any] | None:
    """Return what DuckDB answers, with the names of its columns; None if it refuses."""
    try:
        found = connection.execute(text)
        return [[column[0] for column in found.description], *sorted(found.fetchall(), key=repr)]
    except duckdb.Error:
        return None


def _check_words(texts: Sequence[str], query: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER, B VARCHAR, r DOUBLE)")
        connection.execute("INSERT INTO t VALUES (1, 'x', 1.5), (2, 'Y', 2.5), (2, 'y', NULL), (NULL, 'z', 3)")
        connection.execute("CREATE TABLE u AS FROM (VALUES (1, DATE '2024-01-01'), (2, NULL), (NULL, NULL)) v(a, c)")
        plain, expected = _binding(query), _answer(connection, query)
        assert plain is not None
        assert expected is not None
        for text in texts:
            if _binding(text) == plain:
                found = _answer(connection, text)
                assert found is None or found == expected, f"a word has no effect here: {text}"


@pytest.mark.parametrize("query", _QUERIES)
def test_no_word_that_changes_an_answer_is_passed_over(query: str) -> None:
    _check_words(random.Random(query).sample(list(_longer_texts(query)), 150), query)


@pytest.mark.soak
@pytest.mark.parametrize("query", _QUERIES)
def test_no_word_anywhere_is_passed_over(query: str) -> None:
    _check_words(list(_longer_texts(query)), query)
