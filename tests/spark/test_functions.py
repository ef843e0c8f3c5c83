"""Functions, casts, operators and aggregates give on Spark what DuckDB gives, of the same types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from forklake.engine.spark.columns.duckdb_functions import duckdb_functions
from forklake.errors import ForklakeError
from forklake.model import types
from forklake.model.field import Field
from forklake.sql.parse import parse_query
from forklake.sql.query.bind import bind_query
from tests.spark.query_cases import MemoryNames
from tests.spark.test_conditions import SETTINGS, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = r"""(VALUES
(1, 2, 10::BIGINT, 7::TINYINT, 200::UTINYINT, 1.5, 2.25::DECIMAL(15,2), 0.1::DOUBLE, 2.5::FLOAT, 'abc', 'a,b,c', true,
 DATE '2024-02-29', TIMESTAMP '2024-01-31 10:20:30.5', TIMESTAMPTZ '2024-03-10 07:30:00+00', [1, 2, NULL],
 {'x': 1, 'y': 'q'}, MAP {'k': 1, 'l': NULL}, INTERVAL '1 month 2 days 03:04:05', '\x80a'::BLOB, TIME '10:20:30',
 '0f000000-0000-0000-0000-000000000001'::UUID),
(-5, 0, 9223372036854775807, -128, 0, -0.5, -1.00, 'nan', 1e20, 'Äé "q''s', '', false,
 DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMPTZ '1970-01-01 00:00:00+00', [],
 {'x': NULL, 'y': NULL}, MAP {}, INTERVAL '-1 day', '', TIME '00:00:00', 'f79c3e09-677c-4bbd-a479-3f349cb785e7'),
(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
 NULL, NULL),
(100, 3, -7, 0, 255, 99.9, 12345.67, -1e-7, 0.0, 'hello world', 'x', NULL, DATE '2024-12-30',
 TIMESTAMP '2024-12-30 00:00:00', TIMESTAMPTZ '2024-11-03 05:30:00+00', [3], {'x': 5, 'y': 'NULL'}, MAP {'a b': 3},
 INTERVAL '90 minutes', 'abc', TIME '23:59:59.5', NULL)
) t(a, b, big, t8, u8, d1, de, x, f, v, w, bo, d, ts, tz, l, s, m, iv, bl, ti, u)"""
EXPRESSIONS = r"""
a + b
a - b
a * b
a / b
a // b
a % b
big // 2
t8 + 1
u8 // 3
de + 1
de * de
1 - de
d1 * a
de % 2
x + 1
x / 0
x % 2
f + 1
f * 2
f / 2
-a
-x
-de
a & b
a | b
xor(a, b)
b << 3
a >> 1
a ^ 2
[a, b]
[a, 2.5]
[1, 2, 3]
['a', NULL]
{'q': a, 'r': v}
{'q': [1, 2], 'r': NULL}
row(a, 'x')
MAP {'k': a}
MAP {'k': 1, 'l': 2}
map([1], ['a'])
l[1]
l[-1]
l[0]
l[b]
l[1:2]
l[2:]
l[-2:-1]
v[1]
v[2:3]
v[-2:]
s.x
s['y']
s.y
m['k']
l::VARCHAR
s::VARCHAR
m::VARCHAR
[v]::VARCHAR
{'q': ti, 'r': ts}::VARCHAR
l::BIGINT[]
l::VARCHAR[]
s::STRUCT(y VARCHAR, x BIGINT)
s::STRUCT(x BIGINT, z INTEGER)
l = [1,2,NULL]
s = {'x': 1, 'y': 'q'}
l || [4]
l::JSON
s::JSON
to_json(s)
x::VARCHAR
f::VARCHAR
(x * 1e20)::VARCHAR
(x * 1e10)::VARCHAR
(a * 1e15)::VARCHAR
de::VARCHAR
bl::VARCHAR
tz::VARCHAR
ts::VARCHAR
d::VARCHAR
ti::VARCHAR
u::VARCHAR
iv::VARCHAR
bo::VARCHAR
ts::TIME
ts::DATE
ts::TIMESTAMP_S
ts::TIMESTAMP_MS
ts::TIMESTAMP_NS
TRY_CAST(v AS INTEGER)
TRY_CAST(v AS DATE)
'2024-01-01'::DATE
'1.5'::INTEGER
(a::VARCHAR)::INTEGER
(x::VARCHAR)::DOUBLE
(u::VARCHAR)::UUID
(ti::VARCHAR)::TIME
(ts::VARCHAR)::TIMESTAMP
(tz::VARCHAR)::TIMESTAMPTZ
a::HUGEINT
a::DECIMAL(10,2)
de::DECIMAL(10,1)
de::INTEGER
f::DOUBLE
TRY_CAST(a AS UTINYINT)
TRY_CAST(big AS INTEGER)
TRY_CAST(x AS INTEGER)
TRY_CAST(x AS DECIMAL(5,2))
bo::INTEGER
a::BOOLEAN
typeof(a)
typeof(l)
typeof(s)
pg_typeof(a)
d + 1
d - 1
d - DATE '2024-01-01'
ts - TIMESTAMP '2024-01-01'
d + INTERVAL 1 DAY
ts + INTERVAL '1 month'
tz + INTERVAL 1 HOUR
ts - iv
iv + INTERVAL 1 DAY
iv * 2
d + ti
ti + INTERVAL 1 HOUR
ts + INTERVAL (b) HOUR
ts - INTERVAL (b) DAY
INTERVAL (b) MONTH
-iv
coalesce(a, 0)
coalesce(NULL, a, 2.5)
ifnull(v, 'x')
nullif(a, 1)
if(bo, 1, 2.5)
greatest(a, b, 3)
least(de, 1)
greatest(v, 'b')
case when bo then l else [9] end
case when bo then s else {'x': 9, 'y': 'z'} end
case when bo then {'x': 2.5, 'y': v} else s end
a BETWEEN 0 AND 5
a IN (1, 100)
a IN [1, 2]
a IN l
a::TINYINT = 1
m = MAP {'k': 1, 'l': NULL}
INTERVAL (b) SECOND
lower(v)
upper(v)
length(v)
length(l)
len(l)
reverse(v)
md5(v)
sha256(v)
sha1(v)
replace(v, 'b', 'x')
strpos(v, 'b')
instr(v, 'c')
position('c' in v)
substring(v, 2)
substring(v, 2, 1)
substring(v, 0, 3)
substring(v, -3, 2)
substring(v, -10, 8)
substring(v, 2, -1)
substring(v, b)
substring(v, b, 2)
left(v, 2)
left(v, -1)
right(v, 2)
right(v, -1)
left(v, b)
trim('  x ')
trim(v, 'a')
ltrim(v, 'a')
rtrim(v, 'c')
lpad(v, 5, 'xy')
rpad(v, 2, 'x')
concat(v, a, NULL)
concat_ws('-', v, NULL, a)
concat(l, [5])
starts_with(v, 'a')
ends_with(v, 'c')
suffix(v, 'c')
contains(v, 'b')
contains(l, 2)
split_part(w, ',', 2)
split_part(w, ',', -1)
split_part(w, ',', 9)
string_split(w, ',')
string_split(v, '')
string_split(v, ' ')
str_split(w, v)
str_split_regex(w, '[,x]')
repeat(v, 2)
repeat(v, b)
ascii(v)
unicode(v)
ord(v)
chr(233)
chr(a + 60)
hex(v)
hex(a + 10)
unhex('616263')
to_base64(bl)
from_base64('YQ==')
encode(v)
decode('abc'::BLOB)
bit_length(v)
strlen(v)
translate(v, 'ab', 'xy')
regexp_matches(v, 'b')
regexp_matches(v, 'B', 'i')
regexp_full_match(v, 'a.c')
regexp_replace(v, '[a-c]', 'x')
regexp_replace(v, '[a-c]', 'x', 'g')
regexp_replace(v, '(l+)', '<\1>', 'g')
regexp_replace(v, '(l+)', '<\1>')
regexp_replace(v, 'l+', '<\0>')
regexp_extract(v, '([a-z])([a-z])', 2)
regexp_extract(v, 'x+')
regexp_extract_all(v, '[a-z]')
regexp_split_to_array(w, ',')
v SIMILAR TO 'a.*'
v GLOB 'a*'
v GLOB '[a-h]*'
v LIKE 'a%'
v NOT LIKE 'a%'
v ILIKE 'A%'
printf('%d-%s', a, v)
format('{}-{}', a, v)
format('{:,}', big // 1000)
format('{1} {0}', v, w)
abs(a)
abs(de)
abs(x)
floor(x)
ceil(x)
floor(de)
ceil(de)
floor(a)
round(x)
round(x, 2)
round(x, b)
round(de)
round(de, 1)
round(a, -1)
round(f, 1)
trunc(x)
trunc(de)
sign(a)
sign(x)
sign(de)
mod(a, 3)
fmod(x, 2)
gcd(a, 12)
lcm(b, 4)
pi()
sqrt(abs(a))
cbrt(a)
ln(abs(a) + 1)
log(abs(a) + 1)
log2(abs(a) + 1)
log10(abs(a) + 1)
log(2, abs(a) + 1)
exp(b)
power(b, 2)
b ** 2
sin(a)
cos(a)
tan(a)
atan(a)
atan2(a, b)
degrees(a)
radians(a)
factorial(5)
even(x)
bit_count(b)
isnan(x)
isinf(f)
isfinite(x)
year(d)
month(ts)
day(tz)
hour(ts)
minute(ts)
second(ts)
dayofweek(d)
isodow(d)
dayofyear(d)
week(d)
weekofyear(d)
quarter(d)
yearweek(d)
isoyear(d)
century(d)
decade(d)
millennium(d)
era(d)
millisecond(ts)
microsecond(ts)
epoch(ts)
epoch_ms(ts)
epoch_us(ts)
epoch_ns(ts)
epoch_ms(big // 1000000)
to_timestamp(a)
make_date(2024, 2, b + 1)
make_timestamp(2024, 1, 2, 3, 4, 5.5)
make_time(1, 2, 3.5)
last_day(d)
dayname(d)
monthname(d)
extract(epoch from ts)
extract(month from iv)
extract(day from iv)
extract(hour from iv)
extract('year' from d)
date_part('month', ts)
date_part('epoch', tz)
date_part(['year', 'month'], d)
date_trunc('month', d)
date_trunc('week', ts)
date_trunc('hour', ts)
date_trunc('second', ts)
date_trunc('milliseconds', ts)
date_trunc('decade', ts)
date_trunc('day', tz)
date_diff('day', d, DATE '2024-03-01')
date_diff('hour', ts, TIMESTAMP '2024-03-01 00:10:00')
date_diff('month', d, DATE '2025-03-01')
date_diff('week', d, DATE '2025-03-01')
date_diff('quarter', d, DATE '2025-03-01')
date_diff('second', ts, TIMESTAMP '2024-03-01')
date_sub('month', d, DATE '2025-03-01')
date_sub('hour', ts, TIMESTAMP '2024-03-01 00:10:00')
date_sub('year', d, DATE '2025-02-28')
date_add(d, INTERVAL 1 DAY)
age(ts, TIMESTAMP '2023-05-20 11:00:00')
age(TIMESTAMP '2023-05-20 11:00:00', ts)
strftime(ts, '%Y-%m-%d %H:%M:%S')
strftime(ts, '%d.%m.%y %I:%M %p %j %a %A %b %B %f %g %w %u %-d/%-m %% x')
strptime('02/01/2024 03:04:05', '%d/%m/%Y %H:%M:%S')
try_strptime(v, '%Y')
to_days(b)
to_hours(b)
to_months(b)
ts AT TIME ZONE 'America/New_York'
tz AT TIME ZONE 'Europe/Berlin'
list_contains(l, 1)
list_contains(l, a)
list_position(l, 2)
list_has_any(l, [2, 9])
list_has_all(l, [1])
list_sort(l)
list_sort(l, 'DESC')
list_sort(l, 'ASC', 'NULLS FIRST')
list_reverse_sort(l)
list_unique(l)
list_sum(l)
list_avg(l)
list_min(l)
list_max(l)
list_count(l)
list_first(l)
list_last(l)
list_any_value(l)
list_product(l)
list_aggregate(l, 'sum')
flatten([l, [7]])
list_concat(l, [1])
list_append(l, a)
list_prepend(a, l)
list_zip(l, [1])
list_intersect(l, [2, 3])
list_resize(l, 2)
list_select(l, [1])
list_reverse(l)
list_slice(l, 1, 2)
list_extract(l, 1)
array_to_string(l, '-')
array_length(l)
range(3)
range(1, 10, 3)
range(b)
range(5, 1, -2)
generate_series(1, b)
range(d, d + 2, INTERVAL 1 DAY)
list_transform(l, x -> x + 1)
list_transform(l, x -> x + a)
list_filter(l, x -> x > 1)
list_reduce([1, 2, 3], (p, q) -> p + q)
list_transform(l, (x, i) -> x * i)
list_transform([[1, 2], [3]], x -> list_transform(x, y -> y + len(x)))
[x + 1 for x in l if x > 1]
map_keys(m)
map_values(m)
map_entries(m)
element_at(m, 'k')
map_extract(m, 'zz')
cardinality(m)
map_contains(m, 'k')
map_from_entries([('a', 1)])
map_concat(m, MAP {'k': 9})
struct_extract(s, 'x')
struct_insert(s, z := 3)
struct_pack(q := a)
struct_keys(s)
'{"a": {"b": [1,2]}}'::JSON -> 'a'
'{"a": {"b": "x"}}'::JSON ->> '$.a.b'
'{"a": {"b": [1,2]}}'::JSON -> '$.a.b[1]'
json_extract('{"a":"x"}', '$.a')
json_extract_string('{"a":"x"}', 'a')
to_json(a)
to_json(v)
to_json(l)
to_json(m)
json_object('a', a, 'b', v)
json_array(1, 'a')
json_type('{"a":1}')
json_valid('x')
json_array_length('[1,2]')
json_keys('{"a":1}')
constant_or_null(1, a)
uuid() IS NULL
random() < 2
now() IS NULL
current_date = today()
a IS DISTINCT FROM 1
s IS NULL
(1, a)
de * (1 - de)
printf('%05d|%.2f|%x|%5d|%-5d|', a, de, b, b, b)
format('{:.2f} {:05d} {:>5}', de, b, v)
list_sort(list_distinct(l))
to_seconds(de)
strptime(d::VARCHAR, '%Y-%m-%d')
(a + b) * 2 - b
((a + b) * (a - b) + (a * b)) // 2
(de + 1) * 2 - de / 3
nullif(v, 'abc') || '!'
iv > INTERVAL '1 hour'
iv = '32 days 03:04:05'::INTERVAL
greatest(l, [2])
""".strip().splitlines()
AGGREGATES = r"""
count(*)
count(a)
count(DISTINCT b)
sum(a)
sum(big)
sum(t8)
sum(u8)
sum(de)
sum(f)
sum(bo)
sum(DISTINCT a)
sum(DISTINCT big)
sum(a) FILTER (WHERE bo)
count(*) FILTER (WHERE bo)
avg(a)
avg(big)
avg(de)
avg(f)
min(a)
max(v)
min(d)
max(ts)
min(tz)
max(ti)
min(u)
max(x)
min(l)
max(bo)
min(a, 2)
max(a, 2)
any_value(v)
first(a)
last(a)
first(v ORDER BY a)
last(v ORDER BY a DESC)
first(v ORDER BY a) FILTER (WHERE a > 0)
string_agg(v, '-')
string_agg(v)
string_agg(v, '-' ORDER BY a)
string_agg(v, '-' ORDER BY a DESC)
string_agg(DISTINCT v, '-' ORDER BY v)
group_concat(a)
listagg(v, ';')
list(a)
list(a ORDER BY a)
list(a ORDER BY a DESC NULLS FIRST)
array_agg(v ORDER BY a) FILTER (WHERE a > 0)
list(a) FILTER (WHERE a > 1000)
list(s)
bool_and(bo)
bool_or(bo)
stddev(a)
stddev_pop(a)
var_samp(a)
variance(de)
var_pop(a)
median(a)
median(de)
quantile_cont(a, 0.25)
quantile_cont(a, 25e-2)
quantile_cont(a, [0.25, 1])
quantile_cont(de, [0.1, 9e-1])
quantile_cont(a, [])
quantile_disc(v, [0.25, 0.75])
quantile_disc(a, 1e-9)
quantile_disc(a, 0.5)
quantile_disc(v, 0.5)
percentile_cont(0.5) WITHIN GROUP (ORDER BY a)
count_if(bo)
arg_min(v, a)
arg_max(v, a)
max_by(v, a)
product(b)
histogram(bo)
approx_count_distinct(a)
bit_and(a)
bit_or(a)
bit_xor(a)
corr(a, b)
covar_pop(a, b)
regr_slope(a, b)
sum(a) + 1
sum(a * 2) / count(*)
sum(1.5)
max(a) - min(a)
fsum(x)
""".strip().splitlines()
WINDOWS = r"""
row_number() OVER (ORDER BY a)
rank() OVER (ORDER BY bo)
dense_rank() OVER (ORDER BY bo)
percent_rank() OVER (ORDER BY bo)
cume_dist() OVER (ORDER BY bo)
ntile(2) OVER (ORDER BY a)
lag(a) OVER (ORDER BY a)
lead(a, 1, 0) OVER (ORDER BY a)
lag(v, 2, 'x') OVER (ORDER BY a)
first_value(v) OVER (ORDER BY a)
last_value(v) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
nth_value(v, 2) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
sum(a) OVER (ORDER BY a)
sum(big) OVER ()
sum(a) FILTER (WHERE bo) OVER ()
avg(a) OVER (PARTITION BY bo)
count(*) OVER ()
count(DISTINCT bo) OVER ()
list(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
string_agg(v, ',') OVER (ORDER BY a)
max(a) OVER (PARTITION BY bo ORDER BY a)
""".strip().splitlines()
FAILURES = {
    "2147483647::INTEGER + b": "Out of Range Error: Overflow in addition of INT32",
    "big + 1": "Out of Range Error: Overflow in addition of INT64",
    "big * 2": "Out of Range Error: Overflow in multiplication of INT64",
    "u8 - 1": "Out of Range Error: Overflow in subtraction of UINT8",
    "de * de * de * de": "Out of Range Error: Overflow in multiplication of DECIMAL(18)",
    "big::INTEGER": "Conversion Error: Type INT64 with value 9223372036854775807 can't be cast",
    "v::INTEGER": "Conversion Error: Could not convert string 'abc' to INT32",
    "sqrt(a)": "cannot take square root of a negative number",
    "error(v)": "Invalid Input Error: ",
}
REFUSALS = {
    "foo(1)": "Catalog Error: Scalar Function with name foo does not exist!",
    "lower(1)": "No function matches the given name and argument types",
    "1 + [1]": "No function matches the given name and argument types '+(INTEGER, INTEGER[])'",
    "hash(1)": '"hash" is not supported',
    "{'a': 1}::STRUCT(b INTEGER)": "STRUCT to STRUCT cast must have at least one matching member",
    "s.nothing": 'Could not find key "nothing" in struct',
    "300::UTINYINT": "Type INT32 with value 300 can't be cast because the value is out of range",
    "'12a'::INTEGER": "Could not convert string '12a' to INT32",
    "[1] || 'a'::VARCHAR": "Cannot concatenate types INTEGER[] and VARCHAR",
    "row_number()": "window",
}
_AS_TEXT = frozenset({"uuid", "time", "timetz", "interval", "timestamp_ns", "json"})
"""Types whose values Spark has as DuckDB's text."""


def differences(spark: SparkSession, expressions: Sequence[str], *, is_ordered: bool = True) -> list[str]:
    """Return which expressions have another type, or other values, than DuckDB says."""
    names = ", ".join(f"{text} AS z{place}" for place, text in enumerate(expressions))
    bound = bind_query(parse_query(f"SELECT {names} FROM {ROWS}"), MemoryNames())
    with duckdb_functions(spark, bound.sql):
        found = spark.sql(bound.sql).collect()
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    shown = ", ".join(
        f"({text})::VARCHAR" if column.type.name in _AS_TEXT else text
        for text, column in zip(expressions, bound.columns, strict=True)
    )
    meant = database.execute(f"SELECT {shown} FROM {ROWS}").fetchall()
    kinds = [str(kind) for kind in database.sql(f"SELECT {', '.join(expressions)} FROM {ROWS}").types]
    wrong = []
    for place, text in enumerate(expressions):
        if bound.columns[place].type.sql_name != kinds[place]:
            wrong.append(f"{text}: {bound.columns[place].type.sql_name} is not {kinds[place]}")
        field = bound.columns[place]
        got, wanted = ([_plain(field, row[place]) for row in rows] for rows in (found, meant))
        if not is_ordered:
            got, wanted = sorted(got, key=repr), sorted(wanted, key=repr)
        if got != wanted:
            wrong.append(f"{text}: {got} is not {wanted}")
    return wrong


def _plain(field: Field, value: Any) -> Any:
    """Return a value in a form that both clients' values have in common: structs are tuples, whole numbers integers."""
    if value is None:
        return None
    match field.type:
        case types.List():
            return [_plain(field.children[0], part) for part in value]
        case types.Map():
            key, item = field.children
            return {_plain(key, name): _plain(item, part) for name, part in value.items()}
        case types.Struct():
            parts = value.values() if isinstance(value, dict) else value
            return tuple(_plain(child, part) for child, part in zip(field.children, parts, strict=True))
    match value:
        case float():
            return "nan" if math.isnan(value) else float(f"{value:.12g}")
        case Decimal():
            return int(value) if value == value.to_integral_value() else value
        case datetime(tzinfo=zone) if zone is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case bytearray():
            return bytes(value)
    return value


@pytest.mark.parametrize(
    "wanted",
    # What a session is set to of itself, but for the zone, is asked by `tests/sql/test_fuzz.py`.
    [
        pytest.param(wanted, id=name, marks=[pytest.mark.soak] if name.startswith("ansi") else [])
        for name, wanted in SETTINGS.items()
    ],
)
def test_expressions_give_what_duckdb_gives(spark: SparkSession, wanted: dict[str, str]) -> None:
    with settings(spark, wanted):
        wrong = [
            line
            for start in range(0, len(EXPRESSIONS), 120)
            for line in differences(spark, EXPRESSIONS[start : start + 120])
        ]
    assert not wrong


def test_aggregates_give_what_duckdb_gives(spark: SparkSession) -> None:
    assert not differences(spark, AGGREGATES)


def test_functions_over_windows_give_what_duckdb_gives(spark: SparkSession) -> None:
    assert not differences(spark, WINDOWS, is_ordered=False)


@pytest.mark.parametrize("wanted", SETTINGS.values(), ids=SETTINGS)
def test_what_overflows_or_is_no_value_fails_the_query(spark: SparkSession, wanted: dict[str, str]) -> None:
    with settings(spark, wanted):
        for text, words in FAILURES.items():
            bound = bind_query(parse_query(f"SELECT {text} FROM {ROWS}"), MemoryNames())
            with pytest.raises(Exception, match="USER_RAISED_EXCEPTION") as failure:
                spark.sql(bound.sql).collect()
            assert words in str(failure.value), text


@pytest.mark.parametrize("text", REFUSALS)
def test_what_cannot_be_said_is_refused_in_duckdbs_words(text: str) -> None:
    with pytest.raises(ForklakeError) as refusal:
        bind_query(parse_query(f"SELECT {text} FROM {ROWS}"), MemoryNames())
    assert REFUSALS[text] in str(refusal.value)
