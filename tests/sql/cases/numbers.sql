-- Numbers as they are written, numbers that are cut, structs as maps.
SELECT 0xFF

SELECT 1a, 1e5, 1_000, 0b101

error: SELECT typeof(0xFF)

error: SELECT 1e+

CREATE TABLE n (id INTEGER, i INTEGER, h HUGEINT, d DECIMAL(9,4), w DECIMAL(38,2), f DOUBLE, r FLOAT)

INSERT INTO n VALUES (1, 12345, 123456789012345678901234567890, 1234.5678, 1.25, 1.2345, 1.5), (2, -12345, -5, -0.0001, -99.99, -1.999, -2.75), (3, 0, 0, 0, 0, 'inf', 'nan'), (4, NULL, NULL, NULL, NULL, NULL, NULL), (5, 7, 7, 99999.9999, 7, 1e300, 1e30), (6, 1, 1, 1, 1, -0.001, 0.1)

SELECT id, trunc(i, -2) AS a, trunc(i, 2) AS b, trunc(h, -3) AS c, trunc(d, 2) AS d, trunc(d, 9) AS e, trunc(d, -2) AS f, trunc(w, 1) AS g, trunc(f, 2) AS h, trunc(f, -1) AS i, trunc(f, 0) AS j, trunc(r, 1) AS k, trunc(i, -50) AS l FROM n ORDER BY id

SELECT trunc(1.2345, 2), trunc(-2.5::DOUBLE, -1), trunc(255::UTINYINT, -1), trunc(1e308::DOUBLE, 2)

SELECT id, fmod(i, 7::FLOAT) AS a, fmod(r, 2) AS b, fmod(i, 7) AS c, fmod(f, r) AS d FROM n WHERE id <> 5 ORDER BY id

CREATE TABLE s (id INTEGER, v STRUCT(a INTEGER, b INTEGER))

INSERT INTO s VALUES (1, {'a': 1, 'b': NULL}), (2, NULL)

SELECT id, v::MAP(VARCHAR, BIGINT) AS m, v::MAP(VARCHAR, VARCHAR) AS t FROM s ORDER BY id

SELECT {'a': 1, 'b': 'x'}::MAP(VARCHAR, VARCHAR) AS m

CREATE TABLE w (id INTEGER, i TINYINT, l BIGINT, u UBIGINT)

INSERT INTO w VALUES (1, 1, 2, 3), (2, NULL, NULL, NULL), (3, -128, -9223372036854775808, 18446744073709551615)

SELECT id FROM w WHERE i <= 12345678901234567890123456789012345678 ORDER BY id

SELECT id FROM w WHERE NOT (l > 18446744073709551615) ORDER BY id

SELECT id, l < 9223372036854775808 AS a, l >= -9223372036854775809 AS b, i BETWEEN -1e20::DECIMAL(38, 0) AND 1e20::DECIMAL(38, 0) AS c, u < 18446744073709551616 AS d, l <= '99999999999999999999.5'::DECIMAL(38, 1) AS e FROM w ORDER BY id

-- a multiple with NULL is NULL, also beside zero
SELECT lcm(0, NULL), lcm(NULL, 0), lcm(0::HUGEINT, NULL::HUGEINT), lcm(0, 4), lcm(4, 6), gcd(0, NULL)

-- between two decimals the rest is cut off
CREATE TABLE prices (k INTEGER, d DECIMAL(18,3), w DECIMAL(38,10))

INSERT INTO prices VALUES (1, 0, -0.0000000003), (1, -0.001, 0.0000000004), (2, 2.345, 12345678.25), (2, 0, 0.0000000001), (3, NULL, 7), (3, -1.5, NULL), (3, 123456789012345.678, -1), (3, -123456789012345.679, 2)

SELECT k, median(d), quantile_cont(d, 0.25) AS a, quantile_cont(d, [0.1, 0.9]) AS b, median(w), quantile_cont(w, 0.3) AS c, quantile_cont(DISTINCT d, 0.7) AS d FROM prices GROUP BY k ORDER BY k

SELECT median(d), quantile_cont(w, 0) AS q FROM prices WHERE k > 5

-- unsigned integers: signs, bits, and 128 of them beside constants
CREATE TABLE unsigned (id INTEGER, u UHUGEINT, b UTINYINT, w UBIGINT, i UINTEGER, d DATE, s STRUCT(a INTEGER, b VARCHAR), m UINTEGER)

INSERT INTO unsigned VALUES (1, 3, 200, 18446744073709551615, 7, '2024-01-01', {'a': 1, 'b': 'x'}, 4294967295), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (3, 0, 0, 9223372036854775808, 0, '2000-01-01', {'a': 2, 'b': NULL}, 0)

SELECT id, u + 1 AS a, u * 2 AS c, u % 2 AS d, u // 2 AS e, u + b AS f, u + 5::INTEGER AS g, u - 0 AS h, u // 2::INTEGER AS i, u % 0::INTEGER AS j, u // 0::TINYINT AS k FROM unsigned ORDER BY id

SELECT id, -b AS a, -w AS c, -i AS d, -m AS e, -(1::USMALLINT) AS f FROM unsigned ORDER BY id

SELECT id, round(u) AS a, round(u, -1) AS c, round(w) AS d, round(b, -1) AS e, round(w, -1) AS f FROM unsigned WHERE id < 3 ORDER BY id

SELECT id, xor(w, 6::UBIGINT) AS a, w & w AS c, w | 1::UBIGINT AS d, xor(w, w) AS e FROM unsigned ORDER BY id

-- formats without specifiers; types with parentheses before a sign
SELECT id, strftime(d, '%%Y') AS a, strftime(d, 'x') AS c, strftime(d, '%Y') AS f FROM unsigned ORDER BY id

SELECT id, s < '{a: 2, b: x}'::STRUCT(a INTEGER, b VARCHAR) AS a, '{a: 2, b: x}'::STRUCT(a INTEGER, b VARCHAR) < s AS c, '{a: 1}'::STRUCT(a INTEGER) < '{a: 2}'::STRUCT(a INTEGER) AS d, '[{a: 2}]'::STRUCT(a INTEGER)[] AS e, ('{k=1}'::MAP(VARCHAR, INTEGER) < '{k=2}'::MAP(VARCHAR, INTEGER)) AS f, '{a: 2, b: x}'::STRUCT(a INTEGER, b VARCHAR) <= s AS g FROM unsigned ORDER BY id

SELECT strftime(TIMESTAMP_NS '1969-12-31 23:59:59.999999999', '%Y %I %p %f') AS a, strftime(n, '%H:%M:%S.%f') AS b, epoch_ns(n) AS c, epoch_us(n) AS d, epoch_ns(n::TIMESTAMP) AS e FROM (VALUES ('2024-02-29 12:34:56.789012345'::TIMESTAMP_NS), ('1969-12-31 23:59:59.9999999'), ('1950-01-01 00:00:00'), (NULL)) t(n)

-- types that many digits meet in
CREATE TABLE wide (id INTEGER, a DECIMAL(38,10), b DECIMAL(38,0), c DECIMAL(18,3), u UHUGEINT, h HUGEINT, i INTEGER, g BIGINT, d DOUBLE, f FLOAT)

INSERT INTO wide VALUES (1, 1.5, 2, -1.5, 3, 4, 5, 6, -0.5, 0.5), (2, 9999999999999999999999999999.125, 99999999999999999999999999999999999999, 123456789012345.678, 12345678901, -5, -6, -7, 2.5, 1.5), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)

SELECT id, [a, b] AS ab, coalesce(c, b) AS cb, greatest(b, a) AS g, CASE WHEN id = 1 THEN a ELSE b END AS w FROM wide ORDER BY id

SELECT a FROM wide UNION ALL SELECT b FROM wide

SELECT a::DECIMAL(38,8) AS a FROM wide INTERSECT SELECT b FROM wide

SELECT id, CASE WHEN id = 2 THEN 1::TINYINT ELSE u END AS ut, coalesce(u % 2, 1::SMALLINT) AS us, coalesce(u, i) AS ui, coalesce(u, g) AS ug, coalesce(u, h) AS uh, [u, i] AS l, u > g AS gr, u > h AS e, u IN (3, 4) AS o, u = h - 1 AS q FROM wide ORDER BY id

SELECT id, a = b AS e, a < b AS l FROM wide WHERE id <> 2 ORDER BY id

-- remainders that are floats have NULL by zero; steps that are too large; JSON of numbers
SELECT id, c % 0::HUGEINT AS a, a % (b * 0) AS b, u % (h * 0) AS c, d % 0 AS e, c % h AS f FROM wide WHERE id <> 2 ORDER BY id

SELECT id, trunc(d, -309) AS a, trunc(f, -2147483648) AS b, trunc(d, -308) AS c, trunc(d, 400) AS e, to_json(f) AS f, to_json(0.1::FLOAT) AS g, to_json([0.1::FLOAT]) AS h, to_json(a) AS i, to_json(0.0000000001::DECIMAL(38,10)) AS j, to_json(c) AS k FROM wide ORDER BY id

SELECT array_length([1, 2, 3], x) AS a, array_length([1, 2], 1) AS b, array_length([1, 2], NULL) AS c FROM (VALUES (1), (NULL)) t(x)

error: SELECT array_length([[1], [2]], 2)

-- a constant that overflows fails where a row needs it
SELECT id, '127'::TINYINT + 1::TINYINT AS a, '9223372036854775807'::BIGINT * 2 AS b FROM wide WHERE id > 100

SELECT count(*) AS n, sum('127'::TINYINT * '127'::TINYINT) AS a FROM wide WHERE id > 100

SELECT CASE WHEN id > 100 THEN 2147483647 + '1'::INTEGER END AS a FROM wide

SELECT id FROM wide WHERE id > 100 AND '127'::TINYINT + '1'::TINYINT > 3

error: SELECT '127'::TINYINT + 1::TINYINT AS a

error: SELECT id, 2147483647 + '1'::INTEGER AS a FROM wide

error: INSERT INTO wide (id) VALUES (2147483647 + '1'::INTEGER)

-- constants that were computed keep their type beside other numbers, plain ones take the other type
SELECT typeof(0::UBIGINT + (1 + 2)) AS a, typeof(1::TINYINT + (1 + 2)) AS b, typeof(1::TINYINT + 3) AS c,
       typeof((1 + 2) + 1::UHUGEINT) AS d, typeof(0::UBIGINT % (3::INTEGER + 2::SMALLINT)) AS e, typeof([1::TINYINT, 1 + 2]) AS f,
       typeof(coalesce(1::UBIGINT, 1 + 2)) AS g, typeof(CASE WHEN true THEN 1::TINYINT ELSE 1 + 2 END) AS h,
       typeof(least(1::TINYINT, 1 + 2)) AS i, typeof(1::TINYINT & (1 + 2)) AS j

-- averages of wide numbers are rounded once; digits of 128 bits
CREATE TABLE wide_numbers (g INTEGER, u UBIGINT, h HUGEINT, d DECIMAL(38,10), e DECIMAL(38,20), s DECIMAL(18,10))

INSERT INTO wide_numbers VALUES (1, 18446744073709551615, 12345678901234567890123, 1234567890123456789012345678.1234567891, 123456789012345678.12345678901234567891, 0.0000000001),
  (1, 18446744073709551615, -7, 1, 0.00000000000000000001, 0), (1, 18446744073709551613, -18446744073709551617, -0.0000000001, -3, 99999999.9999999999),
  (2, 9223372036854775809, 99999999999999999999999999999999999998, 9999999999999999999999999990.9999999999, 7, -12345678.9012345678), (2, 1, -1, 2, -0.5, 0.0000000001),
  (3, NULL, NULL, NULL, NULL, NULL), (4, 3, -99999999999999999999999999999999999999, -0.0000000003, 999999999999999999.99999999999999999999, 0.3)

SELECT g, avg(u), avg(h), avg(d), avg(e), avg(s) FROM wide_numbers GROUP BY g ORDER BY g

SELECT g, avg(d) FROM wide_numbers GROUP BY g ORDER BY g

SELECT g, avg(s) FROM wide_numbers GROUP BY g ORDER BY g

SELECT hex(h) AS a, bin(h) AS b, to_hex(u) AS c, bin(u) AS d, bit_count(h) AS e, bit_count(u) AS f FROM wide_numbers

SELECT h // 3 AS a, h % 18446744073709551617 AS b, gcd(h, h) AS c, gcd(h, 6) AS d FROM wide_numbers WHERE h <> 0

SELECT -h AS a, abs(h) AS b, sign(h) AS c, floor(d) AS e, ceil(d) AS f, round(d, 3) AS g FROM wide_numbers

-- digits to round to that differ from row to row
CREATE TABLE places (h HUGEINT, i INTEGER, t TINYINT, p INTEGER)

INSERT INTO places VALUES (-1, 155, 55, -1), (12345678901234567890123, -155, -55, -2), (99999999999999999999999999999999999999, 77, 7, -2147483648), (5, 5, 5, -1), (-18446744073709551617, -5, -5, -5),
  (7, 7, 7, 2147483647), (NULL, NULL, NULL, -1), (8, 8, 8, NULL), (44444444444444444444444444444444444444, 2000000000, 1, -38), (-25000000000000000000000000000000000000, 1, 1, -37)

SELECT round(h, p) AS h, round(i, p) AS i, round(t, p) AS t FROM places

SELECT NULL + 1.5 AS a, 1.50 * NULL AS b, NULL - d AS c, NULL // d AS e, NULL % d AS f, NULL / d AS g, NULL + d + 2.5::DOUBLE AS h, -NULL AS i, abs(NULL) AS j, ('[1, 2]'::JSON)[1:2] AS k, array_slice('[1, 2]'::JSON, 1, 2) AS l FROM (SELECT 2.25 AS d)

SELECT json_extract_string(j, ['$.a', '$.b']) AS a, json_extract(j, ['$.a']) AS b FROM (VALUES (NULL::JSON), ('{"a": 1}'::JSON), ('null'::JSON)) v(j) ORDER BY ALL
