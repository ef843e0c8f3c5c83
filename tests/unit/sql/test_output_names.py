"""What names the columns of a result: DuckDB's own names of what has no alias."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from forklake.sql.parse import parse_query
from forklake.sql.query.output_names import output_name

TABLE = (
    "SELECT 1 AS a, 'x' AS s, [1, 2] AS l, {'x': 1, 'y': {'z': 2}} AS st, MAP {'k': 1} AS m,"
    " DATE '2020-01-01' AS d, '{}'::JSON AS j"
)
CHOSEN = [
    "pow(a, 2), power(a, 2), a ** 2, mod(a, 2), a % 2, log2(a), log10(a), ceil(a), range(3), generate_series(2)",
    "max_by(a, a), min_by(a, a), arg_max(a, a), array_agg(a), list(a), group_concat(s), quantile_cont(a, 0.5)",
    "json_object('a', 1), j -> 'a', j ->> 'a', to_json(a), sha256(s), encode(s), regexp_extract(s, 'x')",
    "substr(s, 1), substring(s FROM 1 FOR 2), trim(s), ltrim(s), rtrim(s, 'x'), instr(s, 'x'), position('x' IN s)",
    "list_sort(l), array_reverse_sort(l), list_value(1), [1, 2], l[1], l[1:2], m['k'], struct_pack(z := a), (1, 2)",
    "st.x, (st).x, st.y.z, (st.y).z, t.st.x, {'q': 3}.q, st['x'], s.upper()",
    "a::DATE, CAST(a AS DECIMAL(4,2)), TRY_CAST(s AS TIMESTAMPTZ), s::JSON, l::DOUBLE[], NULL::STRUCT(a INT, b DATE)",
    "'x AS DATE)'::VARCHAR, DATE '2020-01-01', d + INTERVAL 1 DAY, INTERVAL '2' HOUR, to_days(trunc(a::DOUBLE)::INT)",
    "date_trunc('month', d), date_part('year', d), extract(year FROM d), epoch_ms(d), strftime(d, '%Y')",
    "sum(a) OVER w, lag(a) OVER (PARTITION BY s ORDER BY a), first_value(a IGNORE NULLS) OVER w, (max(a) OVER w)",
    "count(*), count(*) * 2, COUNT(DISTINCT a), sum(a) FILTER (a > 1), string_agg(s, ',' ORDER BY a DESC)",
    "list_transform(l, lambda x: x + 1), list_filter(l, x -> x > 1)",
    "a IN (1, 2), a NOT IN (1), s LIKE 'x', s NOT ILIKE 'x', NOT a = 1, a IS NULL, a BETWEEN 1 AND 2, a <> 2, -a",
    "CASE a WHEN 1 THEN 2 END, if(a = 1, 2, 3), coalesce(a, 1), (SELECT max(a) FROM t), a = ANY (SELECT a FROM t)",
    "a + 1 /* one */ + 2, ((a)), (a + 1), 'it''s', 1e3, 1.50, NULL, true, \"a\" + 1",
]


def test_a_long_expression_is_named_too() -> None:
    for text in (" + ".join(["a"] * 900), f"'{'x' * 100_000}'"):
        (chosen,) = parse_query(f"SELECT {text} FROM t").expressions
        assert output_name(chosen).strip("(").startswith(text[:1])


@pytest.fixture(scope="module")
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET lambda_syntax = 'ENABLE_SINGLE_ARROW'")
        connection.execute(f"CREATE TABLE t AS {TABLE}")
        yield connection


@pytest.mark.parametrize("chosen", CHOSEN)
def test_a_column_without_an_alias_is_named_as_by_duckdb(chosen: str, oracle: duckdb.DuckDBPyConnection) -> None:
    named = f"SELECT {chosen} FROM t GROUP BY ALL"
    try:
        described = oracle.execute(f"DESCRIBE {named} WINDOW w AS (ORDER BY a)").fetchall()
    except duckdb.BinderException:
        named = f"SELECT {chosen} FROM t"
        described = oracle.execute(f"DESCRIBE {named} WINDOW w AS (ORDER BY a)").fetchall()
    query = parse_query(f"{named} WINDOW w AS (ORDER BY a)")
    assert [output_name(one) for one in query.expressions] == [row[0] for row in described]
