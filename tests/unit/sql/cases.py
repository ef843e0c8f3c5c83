"""A table with a column of each type, and conditions on it that DuckDB understands too."""

from typing import Any

import duckdb

from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from tests.fields import named_field

TYPES = {
    "id": "INTEGER",
    "a": "INTEGER",
    "b": "BIGINT",
    "u8": "UTINYINT",
    "u64": "UBIGINT",
    "h": "HUGEINT",
    "f": "FLOAT",
    "x": "DOUBLE",
    "de": "DECIMAL(9,2)",
    "bo": "BOOLEAN",
    "v": "VARCHAR",
    "W x": "VARCHAR",
    "d": "DATE",
    "ts": "TIMESTAMP",
    "tz": "TIMESTAMPTZ",
    "ns": "TIMESTAMP_NS",
    "ti": "TIME",
    "u": "UUID",
    "iv": "INTERVAL",
    "bl": "BLOB",
    "range": "SMALLINT",
}
_NAMES = {
    "INTEGER": "int32",
    "BIGINT": "int64",
    "UTINYINT": "uint8",
    "UBIGINT": "uint64",
    "HUGEINT": "int128",
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "SMALLINT": "int16",
}
FIELDS = (
    *(
        named_field(ColumnId(number), name, _NAMES.get(kind, kind.lower()))
        for number, (name, kind) in enumerate(TYPES.items(), 1)
    ),
    named_field(
        ColumnId(100),
        "s",
        "struct",
        (
            Field(ColumnId(101), "k", types.INT32),
            named_field(ColumnId(102), "In", "struct", (Field(ColumnId(103), "t", types.VARCHAR),)),
        ),
    ),
    named_field(ColumnId(110), "l", "list", (Field(ColumnId(111), "element", types.INT32),)),
)
_UUIDS = ("0f000000-0000-0000-0000-000000000001", "f79c3e09-677c-4bbd-a479-3f349cb785e7")
ROWS = (
    # id, a, b, u8, u64, h, f, x, de, bo, v, W x, d, ts, tz, ns, ti, u, iv, bl, range, s, l
    "1, 1, 10, 200, 18446744073709551615, 5, 0.1, 0.1, 1.01, true, 'abc', 'x', '2024-01-05', '2024-01-05 10:00:00',"
    " '2024-01-05 23:30:00+00', '2024-01-05 00:00:00.123456789', '10:00:00', '" + _UUIDS[0] + "', INTERVAL '1 day',"
    " '\\x80a', 3, {'k': 1, 'In': {'t': 'q'}}, [1, 2]",
    "2, 2, -7, 0, 5, -99999999999999999999, 'nan', 'nan', -1.00, false, 'it''s', 'X', '1969-12-31',"
    " '1969-12-31 23:59:59.999999', '2024-03-10 07:30:00+00', '2024-01-05 00:00:00.1234', '09:59:59.5',"
    " '" + _UUIDS[1] + "', INTERVAL '90 minutes', 'a', -3, {'k': NULL, 'In': NULL}, []",
    "3, -2147483000, 922337203685477, 7, 7, 7, -0.5, -0.5, 0.00, true, '100%', 'a\\b', '2024-05-05',"
    " '2024-05-05 12:34:56.5', '2024-11-03 05:30:00+00', '2024-06-01', '23:00:00', NULL, NULL, NULL, 0, NULL, NULL",
    "4, 0, 0, 1, 0, 0, 1e20, 1e300, 99.99, NULL, 'ÄÖ', '  pad ', '2024-12-30', '2024-12-30', '2025-01-01 00:00:00+00',"
    " NULL, NULL, NULL, INTERVAL '1 month 3 days', '', NULL, {'k': 5, 'In': {'t': NULL}}, [NULL, 3]",
    "5, " + ", ".join(["NULL"] * 22),
    "6, 7, 3, 3, 3, 3, 2.5, 2.5, 2.50, false, '12', '', '2024-02-29', '2024-02-29 00:00:00', '2024-02-28 23:59:59+00',"
    " '2024-02-29 01:02:03.5', '00:00:00', NULL, INTERVAL '0 days', 'abc', 12, {'k': -4, 'In': {'t': 'abc'}}, [7]",
)
CONDITIONS = """
a = 1
A = '1'
t.a <> 1
"t"."A" >= 0
a = 1.5
a > 1.5
a <= -0.5
a <> 1.5
a > 1e0
b > 1e3
b = 922337203685477
a in (1, 2)
a in (1, null)
a not in (1, 2)
a not in (1, null)
a in (1, 2.5, 7)
a between 0 and 2
a not between 0 and 2
a is null
a is not null
not (a = 1 or b > 0)
not (a = 1 and b > 0)
a is distinct from 1
a is not distinct from 1
a is distinct from null
a = b
1 < a
1 in (a, b)
a // 2 = 1
b // -2 = 3
a // (a - 2) = 7
b // 0 = 1
a % 2 = 0
b % 4 = -3
a % a = 0
a / 2 = 0.5
a / 4 > 0.4
a / (a - a) > 1
b / 0 > 0
b / 0 < 0
a + 1 > b
a * "range" > 10
a - 500 < 0
-a > 0
abs(a) > 5
b + b > 922337203685478
u8 = 200
u8 > 300
u8 < -1
u64 = 18446744073709551615
u64 > '5'
h < -1
h = -99999999999999999999
f = 0.1
f > 0.1
f = 0.1::double
f > 1e-1
f <> 0.1
f >= 0
x = 0.1
x > 1
x = 'nan'
x <> 'nan'
x < 'inf'
x > -1 and x < 1
isnan(x)
x + 1 > 1
x * 2 = 5
floor(x) = 2
ceil(x) = 3
round(x) = 3
round(de, 1) = 1.0
de = 1.01
de = '1.005'
de > 1.005
de < 99.985
de * 2 = 2.02
de + a > 2
bo
not bo
bo = true
bo is true
bo is not true
bo is false
bo is not null
bo = 't'
bo and a = 1
bo or a > 5
v = 'abc'
v = 'it''s'
v > 'abc'
v <> 'abc'
v in ('abc', '12')
v like 'a%'
v like '%s'
v like '1__\\%' escape '\\'
v like '100!%' escape '!'
v not like 'a%'
v like 'abc'
v ilike 'A%'
v ilike 'äö'
"W x" = 'a\\b'
"W x" like 'a\\b'
"W x" like 'a\\%'
"W x" ilike 'x'
v || "W x" = 'abcx'
v || a = 'abc1'
concat(v, "W x", a) = 'abcx1'
lower(v) = 'abc'
upper(v) = 'ABC'
length(v) = 2
strlen(v) = 4
substr(v, 2, 1) = 'b'
substring(v, 2) = 'bc'
left(v, 2) = 'ab'
right(v, 2) = 'bc'
trim("W x") = 'pad'
ltrim("W x") = 'pad '
replace(v, 'b', 'x') = 'axc'
strpos(v, 'c') = 3
starts_with(v, 'ab')
prefix(v, 'ab')
ends_with(v, 'c')
contains(v, 'b')
regexp_matches(v, '^a.c$')
regexp_full_match(v, 'a.')
regexp_full_match(v, 'a.c|x')
v ~ 'a.'
v ~ 'a.c|x'
v !~ 'a.'
ts < TIMESTAMP '2023-12-04 07:00:00' + INTERVAL '32 days 03:04:05'
ts - INTERVAL '1 month 2 days 10:00:00' = TIMESTAMP '2023-12-03'
iv = INTERVAL '1 hour 30 minutes'
iv >= INTERVAL '01:30:00'
v = e'it\\x27s'
v = $$it's$$
v = $q$abc$q$ or "W x" = e'a\\\\b'
v LIKE 'it''%'
reverse(v) = 'cba'
d = '2024-01-05'
d = '2024-1-5'
d > date '2024-02-29'
d between '2024-01-01' and '2024-03-01'
d < timestamp '2024-01-05 10:00:00'
d + 1 = '2024-01-06'
d - 1 = '2024-01-04'
d - date '2024-01-01' = 4
d + interval 1 month > '2024-03-01'
year(d) = 2024
month(d) = 2
day(d) = 31
quarter(d) = 4
week(d) = 1
dayofyear(d) = 60
extract(dow from d) = 0
isodow(d) = 7
date_part('year', d) = 1969
date_trunc('month', d) = '2024-02-01'
date_diff('day', d, date '2024-01-06') = 1
date_diff('month', d, date '2024-03-01') = 2
ts = '2024-01-05 10:00:00'
ts > '2024-01-05'
ts >= timestamp '2024-02-29'
ts < date '2024-01-01'
ts = '2024-01-05T10:00:00Z'
ts = d
hour(ts) = 12
minute(ts) = 34
second(ts) = 56
year(ts) = 1969
date_trunc('hour', ts) = '2024-05-05 12:00:00'
date_trunc('year', ts) = '2024-01-01'
date_trunc('week', ts) = '2024-01-01'
ts - interval '1 day' < '2024-01-05'
ts + interval '1 hour 30 minutes' > '2024-05-05 14:00:00'
ts::date = '2024-05-05'
cast(d as varchar) = '2024-05-05'
ts::varchar = '2024-05-05 12:34:56.5'
tz = '2024-01-05 23:30:00+00'
tz = '2024-01-05 23:30:00'
tz >= '2024-03-10 02:30:00-05'
tz > timestamptz '2024-11-03 05:00:00+00'
tz > '2024-03-10'
tz < date '2024-03-10'
tz > ts
year(tz) = 2025
day(tz) = 5
hour(tz) = 7
tz::date = '2024-01-05'
date_trunc('day', tz) = '2024-11-03'
tz + interval '1 day' > '2024-11-04'
ns = '2024-01-05 00:00:00.123456789'
ns > '2024-01-05 00:00:00.1234'
ns < '2024-02-01'
ti = '10:00'
ti > '09:59:59.4'
ti between '00:00:00' and '10:00:00'
u = 'F79C3E09-677C-4BBD-A479-3F349CB785E7'
u > '7f000000-0000-0000-0000-000000000000'
u in ('0f000000-0000-0000-0000-000000000001')
iv = '1 day'
iv = interval '1 hour 30 minutes'
iv is null
bl = '\\x80a'
bl > 'a'
range < 3
range = 3
s.k = 1
t.s.k > 0
s.in.t = 'q'
s['k'] = 5
s.k is null
s.in.t is not null
list_contains(l, 3)
not list_contains(l, 3)
case when a > 0 then 'p' when a < 0 then 'n' end = 'p'
case a when 1 then b else 0 end = 10
case when bo then 1.5 else 2 end > 1.7
if(a > 1, a, b) = 10
coalesce(a, b, 5) = 5
coalesce(v, 'none') = 'none'
nullif(a, 1) = 2
ifnull(a, 9) = 9
greatest(a, b) = 10
least(a, b, 0) = 0
a::bigint = 1
a::varchar = '1'
a::double = 1
(case when x < 100 then x end)::int = 2
de::int = 3
bo::int = 1
try_cast(v as int) = 12
try_cast(v as double) > 1
sqrt(u8) > 14
power(a, 2) = 49
a ** 2 = 49
true
false
null
a = null
not null
a is null and true
a = 1 or null
'true'
1 = 1
v = '${x}'
v > 'ä'
upper(v) = 'ÄÖ'
'b' > v
v between 'a' and 'b'
v || null is null
length(v || 'x') > 2
substr(v, 1, 0) = ''
nullif(v, 'abc') is null
greatest(v, 'b') = 'b'
de / 2 > 0.5
de % 1 = 0.01
-de < 0
de = 1.01::double
de = x
de::varchar = '1.01'
de > -1.5 and de <= 2.5
u8 / 3 > 60
u8 // 7 = 28
u64 % 10 = 5
u64 = b
u8 > b
h + 1 = 6
h > b
x / 0 > 1
x % 2 = 0.5
-x > 0
x > de
b > x
a = x
f = x
f + 1 > 1
f * 10 = 1
x + de > 1
bo = 1
bo::varchar = 'true'
bo is distinct from true
coalesce(bo, false)
not coalesce(bo, false)
(a = 1) = (b = 10)
(a > 0) is null
case when a is null then true else false end
v = 'abc' and not (s.k is null) or l is null
l is not null
s is null
cast(b as double) / 3 > 1
cast(bo as int) + a = 2
a::decimal(12,2) / 3 > 0.3
a - -1 = 2
+a = 1
2 * b + 1 = 21
(b + 1) * 2 = 22
a + 1.5 > 2
a between b and 100
ln(u8 + 1) > 5
d in ('2024-01-05', '2024-02-29')
d is distinct from '2024-01-05'
d < current_date
d::timestamp = ts
ts between '2024-01-01' and '2024-06-01'
ts < now()
now() > tz
date_trunc('quarter', ts) = '2024-04-01'
date_trunc('minute', ts) = '2024-05-05 12:34:00'
date_trunc('second', ts) = '2024-05-05 12:34:56'
date_trunc('month', tz) = '2024-03-01'
date_diff('year', d, date '2025-01-01') = 1
tz between '2024-01-01' and '2024-06-01'
tz::timestamp = '2024-01-05 23:30:00'
ts::timestamptz = '2024-01-05 10:00:00+00'
tz - interval '2 months' < '2024-01-05'
ts + interval '-1 day' < '2024-01-05'
ti >= '10:00:00.000'
u is distinct from '0f000000-0000-0000-0000-000000000001'
try_cast(v as decimal(4,1)) = 12
try_cast('x' as int) is null
try_cast(a as utinyint) = 7
range::varchar = '3'
""".strip().splitlines()


def table() -> duckdb.DuckDBPyConnection:
    """Return a database with the table ``t``, at UTC."""
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    columns = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
    database.execute(f'CREATE TABLE t ({columns}, s STRUCT(k INTEGER, "In" STRUCT(t VARCHAR)), l INTEGER[])')
    for row in ROWS:
        database.execute(f"INSERT INTO t VALUES ({row})")
    return database


def answers(database: duckdb.DuckDBPyConnection, condition: str) -> dict[int, bool | None]:
    """Return what DuckDB says of each row."""
    found: list[Any] = database.execute(f"SELECT id, ({condition})::BOOLEAN FROM t ORDER BY id").fetchall()
    return dict(found)
