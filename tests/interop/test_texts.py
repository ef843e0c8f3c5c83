"""Views and macros are told in the words in which stock DuckDB with DuckLake prints them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import forklake
from tests.interop.ducklake import attached

_TABLE = "CREATE TABLE t (id INTEGER, name VARCHAR, s STRUCT(a INTEGER), l INTEGER[], d DATE, m MAP(INTEGER, INTEGER))"
_VIEWS = (
    "SELECT id, name FROM t WHERE id > 1 ORDER BY id",
    "select * from t where(id>=1 or name='x')",
    "select 1 as x, 'a'::varchar, [1,2], {'a':1}, s.a, l[1], l[1:2] from t",
    "select * exclude (id) from t",
    "from t",
    "select count(*), sum(id) filter (where id>1) from t group by all having count(*)>1",
    "with a as (select 1 as x) select * from a",
    "select case when id=1 then 'it''s' else 'b' end from t",
    "select id between 1 and 2, name like 'a%', id in (1,2), not id=1, -id, id is null, id is distinct from 2 from t",
    "select t.id from t join t b using (id) left join t c on t.id=c.id",
    "select row_number() over (partition by id order by name desc nulls last) from t",
    "select id from t union all select 1 order by 1 limit 3",
    "values (1,2)",
    "select id -- a comment\n from t",
    "select exists(select 1 from t), (select max(id) from t)",
    "select distinct on (id) id from t qualify row_number() over (order by id)=1",
    "select id::bigint, try_cast(id as smallint), cast(d as timestamp) from t",
    "select m[1], extract(year from d), substring(name from 1 for 2), name || 'x', id % 2, id // 2 from t",
    "select unnest(l) from t",
    "select * from (values (1),(2)) v(x)",
)
_MACROS = (
    "m0(a, b) AS a+b*2",
    "m1() AS 0, (a) AS a, (a, b) AS a + b, (a, b, c) AS a + b + c",
    "m2(a, b := 5) AS a || ' ' || b",
    "m3(a) AS (SELECT max(id) FROM t WHERE id < a)",
    "m4(a, _name) AS TABLE SELECT * FROM t WHERE(id>=a or name=_name)",
    "m5(a) AS case when a then 1 else 2 end",
)
_ASKED = (
    "SELECT view_name, sql FROM duckdb_views() WHERE database_name = '{lake}' ORDER BY view_name",
    "SELECT table_name, view_definition FROM information_schema.views WHERE table_catalog = '{lake}' ORDER BY 1",
    "SELECT function_name, macro_definition FROM duckdb_functions() WHERE database_name = '{lake}' ORDER BY 1, 2",
    "SELECT view_name, sql FROM __ducklake_metadata_{lake}.ducklake_view ORDER BY view_name",
    "SELECT impl_id, type, sql FROM __ducklake_metadata_{lake}.ducklake_macro_impl ORDER BY sql",
)


def test_views_and_macros_are_told_as_duckdb_prints_them(tmp_path: Path) -> None:
    with attached(f"ducklake:{tmp_path}/theirs.ducklake", DATA_PATH=f"{tmp_path}/theirs/") as (theirs, alias):
        expected = _told(lambda text: theirs.execute(text).fetchall(), alias)
    with forklake.connect() as session:
        session.sql(f"ATTACH 'ducklake:{tmp_path}/ours.db' AS ours; USE ours; SET engine = 'local'")
        found = _told(lambda text: session.execute(text).fetchall(), "ours")
        assert len(session.execute("FROM v03").fetchall()) == 0
    assert found == expected


def test_a_query_with_a_lambda_is_told_as_it_was_written(tmp_path: Path) -> None:
    made = "CREATE VIEW v AS select list_transform([1], lambda x: x+1) as y;"
    with forklake.connect() as session:
        session.sql(f"ATTACH 'ducklake:{tmp_path}/ours.db' AS ours; USE ours; SET engine = 'local'; {made}")
        found = session.execute("SELECT sql FROM duckdb_views() WHERE database_name = 'ours'").fetchall()
    assert found == [(made,)]


def _told(run: Callable[[str], list[Any]], alias: str) -> list[Any]:
    run(_TABLE)
    for number, text in enumerate(_VIEWS):
        run(f"CREATE VIEW v{number:02} AS {text}")
    run('CREATE VIEW "select"(x, "my y") AS SELECT 1, 2')
    for text in _MACROS:
        run(f"CREATE MACRO {text}")
    return [run(text.replace("{lake}", alias)) for text in _ASKED]
