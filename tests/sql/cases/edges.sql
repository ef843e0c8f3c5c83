-- Values at the edges of their types, and arguments that are NULL.

CREATE TABLE t (k INTEGER, i INTEGER, h HUGEINT, a DECIMAL(38,0), g DOUBLE, f FLOAT, s VARCHAR, l INTEGER[], m MAP(VARCHAR, INTEGER), u UINTEGER)

INSERT INTO t VALUES (1, NULL, 12345678901234567890123, 12345678901234567890123456789012345678, 0, 16777216, 'abc', [1, NULL], NULL, 1), (2, 2, -99999999999999999999999, -12345678901234567890123456789012345678, '-0.0', 1e30, '2024-01-05', NULL, MAP {}, 4294967295), (3, -2, 99999999999999999999999999999999999999, 99999999999999999999999999999999999999, 7, '-0.0', '', [2], MAP {'a': 1}, 3)

SELECT TIMESTAMP '2024-01-05 10:20:30'::DATE AS c0, TIMESTAMPTZ '2024-01-05 10:20:30+02'::TIMESTAMP AS c1, DATE '2024-01-05'::VARCHAR AS c2, DECIMAL '1.5'::INT AS c3, upper(DATE '2024-01-05'::VARCHAR) AS c4, typeof(TIMESTAMP '2024-01-01'::TIMESTAMP_S) AS c5

SELECT k FROM t WHERE s = DATE '2024-01-05'::VARCHAR

SELECT k, h // 10 AS c1, h // i AS c2, h // 1 AS c3, h // 123456789 AS c4, (h - 1) // 7 AS c5, h % 10 AS c6, 18446744073709551615::UBIGINT // 1 AS c7 FROM t ORDER BY k

SELECT sum(k + 9223372036854775800) // 2 AS c0 FROM t

SELECT -a AS c0, abs(a) AS c1, -h AS c2, abs(h) AS c3 FROM t ORDER BY k

SELECT count(*) AS c0, sum(i) AS c1, i, grouping(i) AS c3 FROM t WHERE k > 9 GROUP BY ROLLUP (i)

SELECT count(*) AS c0, i, k FROM t WHERE k > 9 GROUP BY CUBE (i, k)

SELECT count(*) AS c0, list(s) AS c1 FROM t WHERE k > 9 GROUP BY GROUPING SETS ((), (i), ())

SELECT count(*) AS c0 FROM t WHERE k > 9 GROUP BY GROUPING SETS ((s), (i))

SELECT count(*) AS c0 FROM t WHERE k > 9 GROUP BY ()

SELECT count(*) AS c0, i, grouping(i) AS c2 FROM t GROUP BY ROLLUP (i)

SELECT k, substr('abc', i) AS c1, substr('abc', i, 1) AS c2, substr('abc', 1, i) AS c3, substr('abc', 2, NULL) AS c4, left('abc', i) AS c5, right('abc', i) AS c6, substr('hello', 2, 4294967295) AS c7 FROM t ORDER BY k

SELECT k, [1, 2, 3][i:] AS c1, [1, 2, 3][1:i] AS c2, 'abc'[i:] AS c3, 'abc'[2:i] AS c4, s[:i] AS c5, s[u:] AS c6 FROM t ORDER BY k

SELECT make_timestamp(1000000) AS c0, make_timestamp(1704067200000000 + k) AS c1 FROM t ORDER BY k

SELECT k, k IN l AS c1, NOT (k IN l) AS c2, k NOT IN [1, NULL] AS c3, 5 IN [1, NULL] AS c4, list_has_any(l, [NULL]::INTEGER[]) AS c5, list_intersect([1]::INTEGER[], l) AS c6 FROM t ORDER BY k

SELECT k FROM t WHERE f IN (16777217, 1e30)

SELECT k FROM t WHERE f NOT IN (16777217, 1e30)

SELECT k FROM t WHERE f BETWEEN 16777217 AND 1e31

SELECT k FROM t WHERE NOT (f BETWEEN 16777217 AND 1e31)

SELECT age(TIMESTAMP '2000-02-29 06:00', TIMESTAMP '1969-12-31 23:59:59.999999')::VARCHAR AS c0, age(TIMESTAMP '2024-01-31 00:00:00.000001', TIMESTAMP '2024-12-30')::VARCHAR AS c1, age(TIMESTAMP '2024-02-29 23:59:59.999999', TIMESTAMP '2024-12-30')::VARCHAR AS c2, age(TIMESTAMP '2023-03-01 01:00', TIMESTAMP '2023-01-31 02:00')::VARCHAR AS c3, date_sub('month', TIMESTAMP '2024-02-29', TIMESTAMP '2024-01-31') AS c4

SELECT k, g // 0 AS c1, 1 / g AS c2, g // 2 AS c3, fmod(5, g) AS c4, fmod(g, 3) AS c5, floor(g) AS c6, ceil(g) AS c7, trunc(g) AS c8, round(g) AS c9, even(g) AS c10, atan2(g, -1) AS c11, floor(f) AS c12 FROM t ORDER BY k

SELECT round(2.5::DOUBLE, -400) AS c0, round(g, i) AS c1, power(1, 'nan'::DOUBLE) AS c2, power(-1, 'inf'::DOUBLE) AS c3, asin('nan'::DOUBLE) AS c4, atanh(-1) AS c5, gcd(h, 6) AS c6, lcm(i, 4) AS c7 FROM t ORDER BY k

error: INSERT INTO t (g) SELECT atanh(k + 1) FROM t

SELECT map_concat(m, m) AS c0, map_concat(m, MAP {'a': 3}) AS c1, string_split('', '') AS c2, split_part('a,b', ',', k - 1) AS c3 FROM t ORDER BY k

SELECT count_if(i > 5) AS c0 FROM t WHERE i IS NULL

SELECT TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin' = TIMESTAMPTZ '2024-10-27 01:30:00+00' AS c0, TIMESTAMP '2024-10-27 01:30:00' AT TIME ZONE 'Europe/Berlin' = TIMESTAMPTZ '2024-10-26 23:30:00+00' AS c1

SELECT typeof(1::INTEGER + 1::TINYINT) AS c0, typeof(1 + 1::TINYINT) AS c1, typeof(a % 1.5) AS c2, i >> 40 AS c3, 0 << 40 AS c4, 1 >> i AS c5 FROM t ORDER BY k

SELECT json_object('a', '{"b": 1}'::JSON, 'c"', s) AS c0, json_keys('1'::JSON) AS c1, json_keys(NULL::JSON) AS c2 FROM t ORDER BY k

SELECT z = n AS equal, n = z AS also_equal, z IN (n) AS is_one FROM (VALUES (TIMESTAMPTZ '2024-02-29 12:34:56.789012+00', TIMESTAMP_NS '2024-02-29 12:34:56.789012345'), (TIMESTAMPTZ '2024-02-29 12:34:56.789012+00', TIMESTAMP_NS '2024-02-29 12:34:56.789012'), (NULL, TIMESTAMP_NS '2024-02-29 12:34:56.789012')) AS t(z, n)

-- nothing is given to split a text by
CREATE TABLE split_by (id INTEGER, x VARCHAR, s VARCHAR)

INSERT INTO split_by VALUES (1, 'a,b', NULL), (2, NULL, ','), (3, NULL, NULL), (4, 'a,b', ',')

SELECT id, string_split(x, s) AS a, string_split(x, NULL) AS b, string_split_regex(x, s) AS c, split_part(x, s, 1) AS d FROM split_by

SELECT id, range(TIMESTAMP '2024-01-01', CASE WHEN id > 1 THEN TIMESTAMP '2024-01-03' END, INTERVAL 1 DAY) AS a, range(CASE WHEN id > 1 THEN TIMESTAMP '2024-01-04' END, TIMESTAMP '2024-01-03', INTERVAL 1 DAY) AS b FROM split_by

-- a column may say that a text is split into its letters, and long bytes are one line in base 64
SELECT id, string_split(x, CASE WHEN id > 1 THEN '' ELSE s END) AS a, string_split(coalesce(x, 'a🦆'), left(s, 0)) AS b, base64(encode(repeat(x, 40))) AS c FROM split_by

-- the digits of the least INTEGER are too many without their sign
SELECT typeof(-2147483648) AS a, typeof([- 2147483648]) AS b, typeof(-2147483647) AS c, typeof(-9223372036854775808) AS d, typeof(coalesce(-2147483648, 1)) AS e

UPDATE t SET i = -2147483648 WHERE i = -2

SELECT k, i, i = -2147483648 AS b FROM t WHERE i >= -2147483648 ORDER BY k

-- types of parts at no place, and of calculations with nothing
CREATE TABLE parts (l DOUBLE[], d DATE, ts TIMESTAMP, ti TIME, iv INTERVAL, tz TIMESTAMPTZ, u UHUGEINT)

INSERT INTO parts VALUES ([1.5], DATE '2020-01-01', TIMESTAMP '2020-01-01', TIME '01:00:00', INTERVAL 1 DAY, TIMESTAMPTZ '2020-01-01 00:00:00+00', 18446744073709551616)

SELECT l[NULL] AS a, list_extract(l, NULL) AS b, ('abc')[NULL] AS d FROM parts

SELECT l[NULL][2] AS a, (NULL)[1] AS b, (NULL)['a'] AS c, list_extract(list_extract(l, NULL), 1) AS d, (NULL)[NULL] AS e FROM parts

SELECT d + NULL AS a, NULL + d AS b, d - NULL AS c, NULL - d AS e, ts + NULL AS f, ts - NULL AS g, NULL - ts AS h, tz - NULL AS i, NULL - tz AS j, ti - NULL AS k, iv - NULL AS l, iv * NULL AS m, iv / NULL AS n FROM parts

SELECT sum(u) AS a, sum(u) + 1 AS b FROM parts

-- Intervals with a unit behind a text, of which whole ones count; what follows a plus is a value of its own.
SELECT DATE '1998-12-01' - INTERVAL '90' DAY AS a, INTERVAL '2' weeks AS b, INTERVAL '1.7' day AS c, (INTERVAL (-1.7) MONTH)::VARCHAR AS d, INTERVAL '1.75' second AS e, (INTERVAL '2' CENTURIES)::VARCHAR AS f, INTERVAL '1' DAY + '2024-01-01'::TIMESTAMP AS g, INTERVAL 1 DAY + '2024-01-01'::DATE - INTERVAL '3' HOUR AS h, (-INTERVAL '1' YEAR)::VARCHAR AS i, INTERVAL '1.5 days' AS j, INTERVAL '2'::VARCHAR AS k

error: SELECT INTERVAL 1 DAY + '2 days'

SELECT i, (INTERVAL (r) DAY)::VARCHAR AS a, (INTERVAL (b) MONTH)::VARCHAR AS b, (INTERVAL (r) SECOND)::VARCHAR AS c, (INTERVAL (b) HOUR)::VARCHAR AS d, (INTERVAL (NULL) DAY)::VARCHAR AS e, to_days(NULL)::VARCHAR AS f, (INTERVAL (r + 1) WEEK)::VARCHAR AS g, DATE '2024-01-01' + INTERVAL (b) MINUTE AS h FROM (VALUES (1, 1.7::DOUBLE, '2.6'), (2, -1.7, '-2.6'), (3, NULL, NULL)) t(i, r, b) ORDER BY i

SELECT round('9'::USMALLINT, 1) + i AS a, round(9) + i::TINYINT AS b, abs(9) + i::TINYINT AS c, greatest(1, 2) + i::TINYINT AS d FROM range(3) t(i) ORDER BY i

error: SELECT INTERVAL '1' DAY '2' HOUR

-- Nanoseconds are cut before they are calculated with.
SELECT '2024-02-29 12:34:56.789012645'::TIMESTAMP_NS + INTERVAL 1 MONTH AS a, INTERVAL 1 DAY + '1969-12-31 23:59:59.999999999'::TIMESTAMP_NS AS b, '2024-02-29 12:34:56.789012645'::TIMESTAMP_NS - INTERVAL '1' HOUR AS c, '2024-02-29 12:00:00.000000999'::TIMESTAMP_NS - TIMESTAMP '2024-02-28' AS d, date_add('2024-02-29 12:00:00.000000999'::TIMESTAMP_NS, INTERVAL 1 DAY) AS e

error: SELECT '2024-02-29 12:34:56.789'::TIMESTAMP_NS::TIMETZ

-- Places of elements in list comprehensions.
SELECT i, [[e, p] FOR e, p IN [i, 5, 6]] AS a, [e * p FOR e, p IN [4, i, 6] IF p > 1 AND e > 2] AS b, [p FOR e, p IN NULL::INTEGER[]] AS c, [e || p FOR e, p IN ['a', NULL] IF p > 0] AS d FROM range(1, 4) t(i) ORDER BY i

-- Folds take the type in which elements meet the first value; what the lambda gives becomes that type.
SELECT list_reduce([i, 2], lambda a, b: a + b, 1.7) AS a, list_reduce([1.5, 2.25]::DECIMAL(10,2)[], lambda a, b: a + b) AS b, reduce([1.5, 2.25]::DECIMAL(10,2)[], lambda a, b: a * b, i) AS c, list_reduce([i, 2], lambda a, b: a || b) AS d, list_reduce([i, 3], lambda a, b: a + b / 2) AS e, list_reduce([i::TINYINT], lambda a, b: a + b, 1000) AS f FROM range(3) t(i) ORDER BY i

error: SELECT list_reduce([i::TINYINT, 100], lambda a, b: a + b) FROM range(126, 128) t(i)

-- Places beyond all lists; parts of times with an offset.
SELECT [i, 2][9223372036854775807] AS a, [i, 2][i + 9223372036854775800] AS b, list_extract([i], -9223372036854775807) AS c, ['a'][2147483648] AS d FROM range(3) t(i) ORDER BY i

SELECT hour(z) AS a, epoch(z) AS b, epoch_ms(z) AS c, date_part('minute', z) AS d, microsecond(z) AS e, extract(second FROM z) AS f, epoch_ns(z) AS g FROM (VALUES ('23:59:59.999999-05'::TIMETZ), ('12:30:00.5+05:30'::TIMETZ), (NULL)) t(z) ORDER BY a

-- JSON within nested values, as text.
SELECT i, [j]::VARCHAR AS a, {'a': j}::VARCHAR AS b, [{'a': j}]::VARCHAR AS c, MAP {'k': j}::VARCHAR AS d, row(i, j)::VARCHAR AS e, {'a': [j]}::VARCHAR AS f FROM (VALUES (1, '{"a": 1}'::JSON), (2, '[1, "x"]'), (3, 'null'), (4, NULL), (5, '"it''s"'), (6, '1')) t(i, j) ORDER BY i

SELECT {'a': '{"a": 1}'::JSON}::VARCHAR AS a, ['{"a": 1}'::JSON]::VARCHAR AS b, MAP {'k': '"x"'::JSON}::VARCHAR AS c, {'a': '{"b": [1, 2]}'::JSON}.a ->> '$.b[1]' AS d, MAP {'k': '"x"'::JSON}['k'] AS e

-- Intervals times floats and decimals; IN takes one type for all.
SELECT i, (f * INTERVAL '1 year 2 months')::VARCHAR AS a, (INTERVAL '1 month 1 day 01:00:00' * f)::VARCHAR AS b, multiply(f, INTERVAL '25:00:00')::VARCHAR AS c, (f::FLOAT * INTERVAL 1 DAY)::VARCHAR AS d, (f::DECIMAL(6,2) * INTERVAL '1 month 3 days')::VARCHAR AS e, (2.5 * INTERVAL 1 DAY)::VARCHAR AS f, DATE '2024-01-31' + f * INTERVAL 1 MONTH AS g FROM (VALUES (1, 0.33::DOUBLE), (2, -7.25), (3, 0), (4, NULL), (5, 1.7), (6, -0.5)) t(i, f) ORDER BY i

error: SELECT 'inf'::DOUBLE * INTERVAL 1 MONTH

error: SELECT 1e300 * INTERVAL 1 DAY

SELECT a IN (b, 0.1::DOUBLE) AS a, a IN (b) AS b, k IN (l, 0.1::DOUBLE) AS c, k NOT IN (l) AS d, k IN (l, 1.5) AS e, i IN (i - 1, 0.1::FLOAT) AS f, i IN (i - 1, 0.1::DOUBLE) AS g, k BETWEEN 0.1::DOUBLE AND l AS h FROM (VALUES (9223372036854775807::BIGINT, 9223372036854775808::UBIGINT, 9007199254740993::BIGINT, 9007199254740992::BIGINT, 16777217)) t(a, b, k, l, i)

-- A separator that is NULL is the comma.
SELECT i, array_to_string(l, NULL) AS a, list_aggregate(l, 'string_agg', NULL) AS b, array_to_string(l, lower(NULL)) AS c, array_to_string(l, '') AS d FROM (VALUES (1, ['a', 'b']), (2, ['c', NULL, 'd']), (3, NULL), (4, []), (5, [NULL])) t(i, l) ORDER BY i
