"""Small statements run in this process, on DuckDB, without Java; DuckDB itself answers the same."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import forklake
from forklake import Confinement, Connection, Settings
from forklake.errors import ConfigError, EngineError, InvalidInputError, LimitError, NotFoundError

_TABLE = "CREATE TABLE t (id BIGINT, n INTEGER, s VARCHAR, d DECIMAL(10,2), f DOUBLE, day DATE, ts TIMESTAMP)"
_ROWS = """INSERT INTO t VALUES
    (1, 5, 'a', 1.50, 0.5, '2024-01-31', '2024-01-31 10:00:00'), (2, NULL, 'B', 2.25, 'nan', '2024-02-29', NULL),
    (3, -7, NULL, NULL, NULL, NULL, '2023-12-31 23:59:59.5'), (4, 5, 'ä', -3.00, '-inf', '1999-12-31', NULL),
    (5, 0, 'a', 0.00, -0.0, '2024-01-31', '2024-01-31 00:00:00'), (6, 12, '', 99999999.99, 'inf', NULL, NULL)"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Connection]:
    with forklake.connect() as made:
        made.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (DATA_PATH '{tmp_path}/data', CATALOG 'shop')")
        made.sql(f"USE lake; SET engine = 'local'; {_TABLE}; {_ROWS}")
        yield made


@pytest.fixture
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        made.execute(_TABLE)
        made.execute(_ROWS)
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def plan(session: Connection, text: str) -> str:
    return str(rows(session, f"EXPLAIN {text}")[0][1])


QUERIES = [
    "SELECT id, n + 1, d * 2, f / 2, s || '!' FROM t WHERE n IS NOT NULL ORDER BY id",
    "SELECT n, count(*), sum(n), sum(d), avg(d), min(s), max(day) FROM t GROUP BY n HAVING count(*) > 0 ORDER BY n",
    "SELECT n, avg(v), avg(DISTINCT v) FROM (SELECT n, CASE id WHEN 1 THEN 9223372036854775807 WHEN 4 THEN"
    " -9223372036854775806 ELSE id END AS v FROM t) GROUP BY n ORDER BY avg(v)",
    "SELECT avg(v) FROM (VALUES (95380393750635993), (37338226701597240), (78053111472041879), (44289639224495278),"
    " (35507272880738365), (11726473447036795), (40465634901492760), (64549517698491744), (93964620580667410)) u(v)",
    "SELECT id FROM t WHERE f > 0.25 ORDER BY id",
    "SELECT id FROM t WHERE f <= 0 ORDER BY id",
    "SELECT a.id, b.id FROM t a JOIN t b ON a.n = b.n AND a.id < b.id ORDER BY ALL",
    "SELECT id, CASE n WHEN 5 THEN 'five' WHEN 0 THEN 'none' END, coalesce(s, '-') FROM t ORDER BY id DESC",
    "WITH w AS (SELECT id, s FROM t WHERE day > '2000-01-01') SELECT count(*), max(w.s) FROM w JOIN t USING (id)",
    "SELECT id, row_number() OVER (PARTITION BY s ORDER BY id) AS r, lag(id) OVER (ORDER BY id) FROM t QUALIFY r = 1",
    "SELECT DISTINCT s FROM t ORDER BY s NULLS FIRST",
    "SELECT id FROM t WHERE s IN (SELECT s FROM t WHERE id = 1) AND EXISTS (FROM t u WHERE u.n = t.n) ORDER BY 1",
    "SELECT id, (SELECT max(u.id) FROM t u WHERE u.s = t.s) FROM t ORDER BY id",
    "SELECT id FROM t UNION ALL SELECT id + 10 FROM t ORDER BY 1 LIMIT 4 OFFSET 3",
    "SELECT year(day), month(ts), day + INTERVAL 1 MONTH, date_trunc('month', day) FROM t ORDER BY id",
    "SELECT day - DATE '2024-01-01', date_diff('day', day, DATE '2024-03-01'), extract(hour FROM ts) FROM t",
    "SELECT * EXCLUDE (f, ts) FROM t WHERE s LIKE 'a%' OR s NOT LIKE '_' ORDER BY id",
    "SELECT length(s), substr(s, 1, 2), replace(s, 'a', 'b') FROM t ORDER BY id",
    "SELECT round(f, 1), abs(n), floor(d), ceil(d), n // 2, n % 3, -n FROM t WHERE id IN (1, 3, 5) ORDER BY id",
    "SELECT string_agg(s, '-' ORDER BY id), list(n ORDER BY id) FROM t",
    "SELECT id::VARCHAR, n::DOUBLE, d::DECIMAL(12,1), day::TIMESTAMP FROM t ORDER BY id",
    "SELECT count(DISTINCT s), count(*) FILTER (WHERE n > 0), bool_and(n > 0) FROM t",
    "SELECT id FROM t WHERE NOT (n BETWEEN 1 AND 6) ORDER BY id",
    "SELECT v.*, t.s FROM (VALUES (1, 'x', 1.5), (7, NULL, 20.25), (NULL, 'y', NULL)) v(k, x, y)"
    " LEFT JOIN t ON t.id = v.k ORDER BY ALL",
    "SELECT upper(s), lower(s), trim(s), s ILIKE 'B%', regexp_replace(s, 'a+$', 'b') FROM t ORDER BY id",
    "SELECT strftime(day, '%Y-%m'), TRY_CAST(s AS DATE), random() < 2 FROM t WHERE now() > TIMESTAMPTZ '2000-01-01'",
    "SELECT regexp_matches(s, s), regexp_full_match(s, left(s, 1)) FROM t ORDER BY id",
    "SELECT [n, n], [n, 2 * n][1], {'a': n, 'b': s}, {'a': n}.a, len([n]) FROM t ORDER BY id",
    "SELECT i, unnest([i, 2 * i]) FROM range(1, 4) r(i)",
    "SELECT t.id, g.i FROM t JOIN generate_series(5, 1, -2) g(i) ON g.i = t.id ORDER BY ALL",
    "SELECT id FROM t SEMI JOIN range(3) r(id) USING (id) ORDER BY id",
    "SELECT i FROM range(-9223372036854775807, 9223372036854775807) r(i) LIMIT 2",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_answered_as_by_duckdb(query: str, session: Connection, oracle: duckdb.DuckDBPyConnection) -> None:
    assert "with DuckDB, without Spark" in plan(session, query)
    found, expected = session.sql(query), oracle.execute(query)
    assert found is not None
    assert repr(found.fetchall()) == repr(expected.fetchall())
    assert found.types == [str(column[1]) for column in expected.description or ()]


LEFT = {
    "SELECT levenshtein(s, 'x') FROM t": "levenshtein",
    "SELECT f::VARCHAR FROM t": "CAST",
    "SELECT CAST(d AS INTEGER) FROM t": "CAST",
    "SELECT mode(n) FROM t": "mode",
    "SELECT avg(n) FILTER (WHERE n > 0) FROM t": "average",
    "SELECT greatest(f, 0.0) FROM t": "greatest",
    "SELECT substr(s, -1) FROM t": "substr",
    "SELECT quantile_cont(n, 0.5) FROM t": "",
    "SELECT list_distinct([n]) FROM t": "",
    "SELECT regexp_replace(s, '(?i)a', 'b') FROM t": "regexp_replace",
    "SELECT regexp_matches(s, '(?i)a') FROM t": "regexp_matches",
    "SELECT list_transform([n], lambda e: e + 1) FROM t": "",
    "SELECT repeat(s, n) FROM t": "repeat",
    "SELECT * FROM range((SELECT 3))": "",
    "SELECT ln(n) FROM t": "ln",
    "SELECT parse_dirname('a/b', s) FROM t": "parse_dirname",
    "SELECT id FROM t WHERE (n, id) NOT IN (SELECT n, id FROM t)": "",
    "SELECT * FROM t USING SAMPLE 2 ROWS": "",
    "SELECT n FROM t UNION ALL SELECT s FROM t": "different types",
    "SELECT v.* FROM t, (VALUES (1), (2.5)) v": "different types",
}


@pytest.mark.parametrize("query", LEFT)
def test_what_the_guide_lists_as_different_is_left_to_spark_whatever_the_size(query: str, session: Connection) -> None:
    with pytest.raises(EngineError, match=r"This statement needs Spark \(.*" + LEFT[query]):
        session.sql(query)


@pytest.mark.slow
def test_random_changes_of_rows_leave_what_duckdb_has(session: Connection, oracle: duckdb.DuckDBPyConnection) -> None:
    chance = random.Random(7)
    for step in range(60):
        if step % 10 == 0:
            limit = chance.choice([0, 3, 1000])
            session.sql(f"CALL ducklake_set_option('lake', 'data_inlining_row_limit', {limit})")
        number, other = chance.randrange(12), chance.randrange(12)
        change = chance.choice(
            [
                f"INSERT INTO t SELECT id + {number}, n, s, d, f, day, ts FROM t WHERE id <= {other}",
                f"INSERT INTO t (id, s) SELECT id + 1, left(s, 1) FROM t WHERE id = {number}",
                f"UPDATE t SET n = n + {number}, s = 'u' || id WHERE id = {other}",
                f"UPDATE t SET d = 1.005 * {number} WHERE n > {other}",
                f"UPDATE t SET day = NULL, f = id / 4 WHERE id IN (SELECT max(id) FROM t WHERE n < {other})",
                "UPDATE t SET n = u.k FROM (SELECT id, min(n) AS k FROM t GROUP BY id) u"
                f" WHERE t.id = u.id AND t.id < {number}",
                f"DELETE FROM t WHERE id = {number} AND n > {other - 4}",
                f"MERGE INTO t USING (SELECT DISTINCT id + {number} AS id, {other} AS n FROM t WHERE id < 9) u"
                " USING (id) WHEN MATCHED AND t.n > u.n THEN DELETE WHEN MATCHED AND t.s IS NULL THEN DO NOTHING"
                " WHEN MATCHED THEN UPDATE SET n = u.n + t.n, d = '1.5' WHEN NOT MATCHED AND u.n > 3"
                " THEN INSERT (id, n) VALUES (u.id, DEFAULT)",
                f"MERGE INTO t AS x USING (FROM t WHERE id > {number} LIMIT 0) u ON x.id = u.id AND x.n <= u.n"
                f" WHEN NOT MATCHED BY SOURCE AND x.id = {other} THEN UPDATE SET s = 'gone'",
                f"WITH w AS (SELECT {number} AS id, 'm' AS s) MERGE INTO t USING w ON t.id = w.id WHEN MATCHED"
                " THEN DELETE WHEN NOT MATCHED THEN INSERT BY NAME",
                f"DELETE FROM t WHERE id IN (SELECT id FROM t GROUP BY id HAVING count(*) > {number})",
            ]
        )
        assert rows(session, change) == oracle.execute(change).fetchall(), change
        known, given = (
            sorted(map(repr, found)) for found in (oracle.execute("FROM t").fetchall(), rows(session, "FROM t"))
        )
        assert given == known, change


@pytest.mark.parametrize("side", ["MATCHED", "NOT MATCHED", "NOT MATCHED BY SOURCE"])
def test_a_merge_that_does_nothing_changes_nothing(session: Connection, side: str) -> None:
    before = repr(rows(session, "FROM t"))
    text = f"MERGE INTO t USING (SELECT 4 AS id) u USING (id) WHEN {side} THEN DO NOTHING"
    assert rows(session, text) == [(0,)]
    assert repr(rows(session, "FROM t")) == before


def test_updated_rows_keep_their_ids_and_show_in_the_change_feed(session: Connection) -> None:
    before = dict(rows(session, "SELECT id, rowid FROM t"))
    session.sql("CALL ducklake_set_option('lake', 'data_inlining_row_limit', 0)")
    session.sql("UPDATE t SET n = 100 WHERE id = 4")
    session.sql("INSERT INTO t (id) SELECT max(id) + 1 FROM t")
    after = dict(rows(session, "SELECT id, rowid FROM t"))
    assert {key: after[key] for key in before} == before
    assert len(set(after.values())) == 7


def test_a_view_and_the_past_and_parameters_are_read_here(session: Connection) -> None:
    (snapshot,) = rows(session, "SELECT max(snapshot_id) FROM lake.snapshots()")[0]
    session.sql("CREATE VIEW v AS SELECT id AS key, s AS name FROM t WHERE id > 2")
    session.sql("DELETE FROM t WHERE id = 3")
    assert rows(session, "SELECT count(*), min(v.key) FROM v WHERE name <> 'x'") == [(3, 4)]
    assert rows(session, f"SELECT sum(id) FROM t AT (VERSION => {snapshot})") == [(21,)]
    found = session.sql("SELECT id FROM t WHERE id > ? AND n = ?", [1, 5])
    assert found is not None
    assert found.fetchall() == [(4,)]
    assert rows(session, "SELECT rowid, * EXCLUDE (d, f, day, ts, n) FROM t WHERE id + 0 = 4") == [(3, 4, "ä")]


def test_a_table_that_grew_beyond_the_limit_is_left_to_spark(tmp_path: Path) -> None:
    settings = Settings(local_read_rows=7)
    with forklake.connect(settings=settings) as session:
        session.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (DATA_PATH '{tmp_path}/data', CATALOG 'shop')")
        session.sql(f"USE lake; {_TABLE}; {_ROWS}")
        asked = "SELECT sum(id) FROM t WHERE n > 0"
        assert rows(session, asked) == [(11,)]
        session.sql(_ROWS)
        session.sql("SET engine = 'local'")
        assert rows(session, asked) == [(22,)]


def test_a_value_that_cannot_be_computed_is_told_in_the_same_words_and_changes_nothing(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match=r"^Out of Range Error: Overflow in addition of INT64 \(1 \+ 9223372"):
        rows(session, "SELECT id + 9223372036854775807 FROM t WHERE id = 1")
    with pytest.raises(InvalidInputError, match="Overflow in addition"):
        session.sql("UPDATE t SET id = id + 9223372036854775807 WHERE id = 1")
    with pytest.raises(InvalidInputError, match="out of range"):
        session.sql("UPDATE t SET d = d * 10 WHERE id = 6")
    assert rows(session, "SELECT id, d FROM t WHERE id IN (1, 6) ORDER BY id")[0][0] == 1


def test_a_row_is_not_updated_twice_by_one_statement(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="updated multiple times"):
        session.sql("UPDATE t SET n = u.id FROM t u WHERE u.id <= 2 AND t.id = 1 AND (SELECT true)")
    assert rows(session, "SELECT n FROM t WHERE id = 1") == [(5,)]


def test_a_merge_that_no_query_says_is_left_to_spark_and_a_wrong_one_refused(session: Connection) -> None:
    merge = "MERGE INTO t USING (SELECT 1 AS id, 2 AS k) u ON t.id = u.id WHEN MATCHED THEN"
    with pytest.raises(EngineError, match=r"needs Spark \(THEN ERROR is left to Spark\)"):
        session.sql(f"{merge} ERROR")
    with pytest.raises(EngineError, match=r"needs Spark \(reverse\(\)"):
        session.sql(f"{merge} UPDATE SET s = reverse(s)")
    with pytest.raises(NotFoundError, match="nix"):
        session.sql(f"{merge} UPDATE SET n = nix")
    with pytest.raises(InvalidInputError, match="out of range"):
        session.sql(f"{merge} UPDATE SET n = t.id * 3000000000")
    twice = "MERGE INTO t USING (SELECT 1 AS id, k FROM (VALUES (1), (2)) v(k)) u ON t.id = u.id WHEN MATCHED THEN"
    with pytest.raises(InvalidInputError, match="updated multiple times"):
        session.sql(f"{twice} UPDATE SET n = k")
    assert rows(session, f"{twice} DELETE") == [(1,)]
    assert rows(session, "SELECT count(*) FROM t") == [(5,)]


def test_rows_that_a_caller_hands_over_are_read_here(session: Connection) -> None:
    given = pa.table({"id": [1, 9], "s": ["one", None]})
    session.register("given", given)
    assert rows(session, "SELECT t.id, g.s FROM t JOIN given g USING (id)") == [(1, "one")]
    assert rows(session, "MERGE INTO t USING given USING (id) WHEN NOT MATCHED THEN INSERT BY NAME") == [(1,)]
    assert rows(session, "SELECT max(id), count(*) FROM t") == [(9, 7)]


def test_the_engine_is_chosen_by_the_session_and_the_settings(session: Connection, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match='"engine" cannot be'):
        session.sql("SET engine = 'fast'")
    with pytest.raises(ConfigError, match="auto, spark, local"):
        forklake.open(str(tmp_path / "other.db"), settings=Settings(engine="fast"))  # type: ignore[arg-type]
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine="local")) as lake:
        with pytest.raises(EngineError, match="needs Spark"):
            lake.catalog("shop").sql("SELECT ln(n) FROM t")
        assert rows(lake.catalog("shop").session(), "SELECT count(n) FROM t") == [(5,)]


def test_the_time_of_a_confined_session_ends_a_query_here(session: Connection, tmp_path: Path) -> None:
    session.sql("CREATE TABLE many AS SELECT a.id FROM t a, t b, t c, t d, t e")
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine="local")) as lake:
        confined = lake.catalog("shop").session(confined=Confinement(max_seconds=1))
        began = time.monotonic()
        with pytest.raises(LimitError, match="longer than the 1 seconds"):
            rows(confined, "SELECT count(*) FROM many a, many b, many c WHERE a.id + b.id + c.id < 0")
        assert time.monotonic() - began < 60
        confined = lake.catalog("shop").session(confined=Confinement(max_bytes=1))
        with pytest.raises(LimitError, match="bytes"):
            rows(confined, "SELECT sum(id) FROM many WHERE id > 1")


def test_no_java_and_no_spark_is_loaded(tmp_path: Path) -> None:
    script = f"""
import sys, forklake
with forklake.connect() as con:
    con.sql("ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (DATA_PATH '{tmp_path}/data', CATALOG 'shop'); USE lake")
    con.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2), (3)")
    con.sql("UPDATE t SET i = i + 1 WHERE i > 1; DELETE FROM t WHERE i = 3; INSERT INTO t SELECT max(i) FROM t")
    assert con.sql("SELECT sum(i), count(*) FROM t WHERE i > 0").fetchall() == [(9, 3)]
assert not {{"pyspark", "py4j"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT s.upper() FROM t", r"s\.upper\(\)"),
        ("FROM t LIMIT 10%", "LIMIT with a percentage"),
        ("FROM t USING SAMPLE 3", "a sample"),
        ("SELECT DISTINCT ON (n) * FROM t", "DISTINCT ON"),
        ("SELECT (id, n) < (3, 4) FROM t", r"\(id, n\)"),
    ],
)
def test_reasons_are_in_the_words_of_the_query(session: Connection, query: str, reason: str) -> None:
    with pytest.raises(EngineError, match=rf"needs Spark \({reason} is left to Spark\)"):
        rows(session, query)


@pytest.mark.parametrize("function", ["damerau_levenshtein", "jaro_similarity", "jaro_winkler_similarity"])
def test_texts_with_too_many_pairs_of_letters_are_not_compared(session: Connection, function: str) -> None:
    most = 3_200 if function == "damerau_levenshtein" else 32_000
    session.sql("CREATE TABLE texts (a VARCHAR, b VARCHAR)")
    session.sql(f"INSERT INTO texts VALUES ('{'ab' * most}', '{'ba' * most}'), ('abc', 'acb')")
    for text in (f"SELECT {function}(a, b) FROM texts", f"SELECT {function}('{'ab' * most}', '{'ba' * most}')"):
        with pytest.raises(InvalidInputError, match=f"^Out of Range Error: {function} takes texts whose lengths"):
            session.execute(text).fetchall()
    few = f"SELECT {function}(a, b), {function}('abc', 'acb'), {function}(NULL, a) FROM texts WHERE length(a) = 3"
    ((first, second, none),) = session.execute(few).fetchall()
    assert (first, none) == (second, None)
