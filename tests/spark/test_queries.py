"""Queries mean on Spark what they mean in DuckDB: rows, their order where one is asked for, names and types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import duckdb
import pytest

from forklake.errors import ForklakeError
from forklake.sql.parse import parse_query
from forklake.sql.query.bind import bind_query
from tests.spark.query_cases import MemoryNames, comparable, oracle, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROJECTIONS = """
select id + 1, name as n, price * 2, -id, 'x', null, 1.5, true from items where name = 'apple' order by id desc
select * exclude (id, name) replace (shop + 1 as shop) rename (sold as day) from items
select columns('i.*'), items.* exclude (price) from items where id in (1, 2)
select columns(*) + 1 from (select id, shop from items)
select id * 2 as x, x + 1, upper(name) from items where x > 4 order by x
select s.x, s.y.z, nested.s.y, s['x'], l[1], l[-1], l[2:3], m['u'], s.* from nested
select list_transform(l, lambda x: x + 1), list_filter(l, x -> x > 1) f, list_transform(l, (y, i) -> y+i) g from nested
select i from items i
select coalesce(name, 'none'), case when id > 2 then 'big' else 'small' end, nullif(id, 1) from items
select rowid, "ID" from ITEMS where rowid > 3 and name in getvariable('words') or 'i' in name
select * from (select 1 as a, 2 as a)
select count(*) filter (where id > 2), count(distinct name), id is null, id in (1, 2), not id = 1 from items group by id
"""
TABLES = """
from shops
values (1, 'a'), (2, null)
select * from (values (1, 2), (3, 4.5)) t(a, b) where a > 1
select * from range(5), generate_series(3, 1, -1) t(x) where range > 2
select range from range(2, 9, 3) order by range desc
with x as (select id from items), y(k) as (select * from x where id > 2) select k from y join x on k = id
with items as (select 1 as one) select * from items
select * from layered, towns order by all
select plus(1), plus(1, 2), plus(1, 2, 3), plus(id, b := 3) from in_shop(1)
select total(id), name from items group by name
select getvariable('wanted'), getvariable('nothing'), list_contains(getvariable('words'), 'fig')
select k, u from nested, unnest(l) t(u)
select unnest(l), k from nested
select i.id, c from items i, (select city c from shops s where s.shop = i.shop) t
"""
JOINS = """
select * from items join shops using (shop)
select i.id, s.city from items i left join shops s on i.shop = s.shop and s.city = 'Bern' where i.id > 1 order by 1
select i.id, s.city, shop from items i full join shops s using (shop) order by all
select shop, i.id from items i right join shops s using (shop) order by all
select * from items natural join (select shop, city from shops)
select id from items semi join shops using (shop)
select id from items anti join shops on items.shop = shops.shop
select a.id, b.id from items a, items b where a.id = b.id + 1 and a.id < 3
select a.id, t.city from items a left join (shops t join items b on t.shop = b.shop) on a.id = b.id order by all
"""
GROUPS = """
select count(*), sum(id), min(name), max(price), avg(amount), string_agg(name, '-' order by id) from items
select name, count(*) c, sum(id) from items group by all having c > 1
select upper(name) u, count(*) from items group by u order by u nulls first
select id % 2 as odd, max(id) + 1 from items group by 1 order by 2
select shop, rank() over (order by count(*) desc, shop) r, sum(count(*)) over () from items group by 1 order by all
select s.x + 1, count(*) from nested group by s.x + 1
select s.x, count(*) from nested group by s having count(*) > 0
select 'p' in name as has, count(*) from items group by name order by all
select 1 as a, count(*) group by a
select sum(x) from (values (1), (2), (null)) t(x) where x > 5
select shop, name, count(*) from items group by rollup (shop, name) order by all
select shop, name, count(*), grouping(shop) from items group by grouping sets ((shop), (name), ()) order by all
select shop, is_new, sum(id) from items group by cube (shop, is_new) order by all
select row_number() over (order by id), sum(id) over (partition by shop order by id), lag(id) over () from items
select id, avg(amount) over (order by id rows between 1 preceding and 1 following) from items
select first_value(id) over w a, max(id) filter (is_new) over w b from items window w as (partition by shop order by id)
select id from items qualify row_number() over (partition by name order by id desc) = 1
"""
ORDERS = """
select id, name from items order by name, id desc limit 3 offset 1
select name from items order by id + 1 desc
select distinct shop, is_new from items order by shop desc, is_new
select distinct on (name) name, id from items order by name, id desc
select id from items order by price nulls first, id limit 50%
(select id from items order by id desc limit 1) union all (select id from items order by id limit 1)
select id from items union select shop from shops order by id limit 3
select id, name from items union all by name select city as name, 1.5 as extra from shops
select id from items intersect select 1
select id from items except all select id from shops
select null as a union all select 'x'
"""
SUBQUERIES = """
select (select max(id) from items) as a, exists(select 1 from items where id = 9) as b, 3 in (select id from items) as c
select id from items where shop not in (select shop from shops where city = 'Bern')
select id, (select city from shops s where s.shop = i.shop) as city from items i
select city, (select count(*) from items i where i.shop = s.shop) n from shops s order by all
select id from items i where price > (select avg(price) from items j where j.shop = i.shop)
select shop, (select min(city) from shops s where s.shop = i.shop) as c, count(*) from items i group by shop
select 3 > all (select id from items where id < 3) a, 3 < any (select shop from items) b, 3 <> all (select 4) c
"""
WRONG = """
select sum(id) from items where sum(id) > 1
select id, sum(id) from items
select nope from items
select nope.id from items
select items.nope from items
select shop from items join shops on true
select id from items where row_number() over () = 1
select sum(sum(id)) from items
select id from items order by 2
select id, name from items group by id
select a from (select 1 as a) t, (select 2 as a) u
select 1 union select 1, 2
select x
"""


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the same relations."""
    with oracle() as connection:
        yield connection


def _lines(*texts: str) -> list[str]:
    return [line for text in texts for line in text.strip().splitlines()]


@pytest.mark.parametrize("query", _lines(PROJECTIONS, TABLES, JOINS, GROUPS, ORDERS, SUBQUERIES))
def test_a_query_gives_what_duckdb_gives(spark: SparkSession, duck: duckdb.DuckDBPyConnection, query: str) -> None:
    wanted = duck.execute(query)
    columns = [(one[0], str(one[1])) for one in wanted.description]
    bound, rows, kinds = run(spark, MemoryNames(), query)
    assert comparable(rows, bound.is_ordered) == comparable(wanted.fetchall(), bound.is_ordered)
    assert list(zip([field.name for field in bound.columns], kinds, strict=True)) == columns


@pytest.mark.parametrize("query", _lines(WRONG))
def test_what_is_wrong_is_said_in_duckdbs_words(duck: duckdb.DuckDBPyConnection, query: str) -> None:
    with pytest.raises(duckdb.Error) as theirs:
        duck.execute(query)
    with pytest.raises(ForklakeError) as ours:
        bind_query(parse_query(query), MemoryNames())
    assert str(ours.value).splitlines()[0].strip() == str(theirs.value).splitlines()[0].strip()
