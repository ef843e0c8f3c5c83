-- Numbers in a row, lists and structs that a query makes, and what unnest makes of lists.

CREATE TABLE t AS SELECT i AS id, 'c' || i % 7 AS customer, i * 2.5 AS amount, [i, i + 1] AS pair, {'a': i, 'b': 'x' || i} AS rec FROM range(20) r(i)

SELECT count(*) AS n, sum(id) AS s, max(customer) AS m, sum(amount) AS a FROM t

SELECT id, pair[1] AS a, pair[-1] AS b, pair[1:1] AS c, len(pair) AS d, rec.a AS e, rec.b AS f, list_contains(pair, 3) AS g, list_position(pair, 4) AS h, list_concat(pair, [id]) AS j FROM t ORDER BY id

SELECT id, unnest(pair) AS u FROM t WHERE id < 3 ORDER BY ALL

SELECT u.x, t.id FROM t, unnest(pair) AS u(x) WHERE id < 3 ORDER BY ALL

SELECT * FROM generate_series(10, 1, -3) g(i) ORDER BY i

SELECT a.i, b.i AS j FROM range(3) a(i) LEFT JOIN range(2, 5) b(i) USING (i) ORDER BY ALL

SELECT count(*) AS n FROM range(5, 1)

SELECT unnest([1, 2, 3]) AS u ORDER BY u

SELECT id, CASE WHEN id % 2 = 0 THEN pair END AS c, coalesce(NULL, rec) AS d, struct_pack(k := id, l := pair) AS e FROM t WHERE id < 4 ORDER BY id

SELECT id FROM t SEMI JOIN range(3) r(id) USING (id) ORDER BY id

SELECT id FROM t ANTI JOIN range(18) r(id) USING (id) ORDER BY id

SELECT strftime(DATE '2024-02-28' + id::INTEGER, '%Y-%m-%d %j %a') AS a, dayname(DATE '2024-02-28' + id::INTEGER) AS b, monthname(DATE '1969-12-20' + id::INTEGER) AS c, last_day(DATE '2024-01-31' + id::INTEGER) AS d, week(DATE '2024-12-25' + id::INTEGER) AS e, yearweek(DATE '2020-12-25' + id::INTEGER) AS f, isodow(DATE '2024-02-28' + id::INTEGER) AS g, epoch_ms(TIMESTAMP '1969-12-31 23:59:59.5' + INTERVAL 1 SECOND) AS h FROM t ORDER BY id

SELECT id, lpad(customer, 4, '.') AS a, rpad(customer, 1, '.') AS b, repeat(customer, 2) AS c, split_part(customer, 'c', 2) AS d, string_split(customer, 'c') AS e, hex(customer) AS f, sha256(customer) AS g, translate(customer, 'c1', 'x') AS h, try_cast(customer AS INTEGER) AS j, try_cast(substr(customer, 2) AS INTEGER) AS k, ascii(customer) AS l, concat_ws('-', customer, id) AS m FROM t ORDER BY id

SELECT id, id & 6 AS a, id | 9 AS b, xor(id, 5) AS c, gcd(id, 12) AS d, bit_count(id) AS e, bin(id) AS f, even(id + 0.5) AS g, trunc(amount) AS h, factorial((id % 5)::INTEGER) AS j FROM t ORDER BY id

SELECT bit_and(id) AS a, bit_or(id) AS b, bit_xor(id) AS c, now() > TIMESTAMPTZ '2020-01-01' AS d, current_date > DATE '2020-01-01' AS e, typeof(pair[1]) AS f FROM t GROUP BY f

SELECT id & 3, id | 3, 1 << 4, 32 >> 2, ~5, id & 3 & 1 FROM t ORDER BY id

-- Steps from a column: of no time, negative, of months, each computed from the moment before.
SELECT k, i::VARCHAR AS i, generate_series(a, z, i)::VARCHAR AS b, range(a, z, i)::VARCHAR AS c, range(a::TIMESTAMPTZ, z::TIMESTAMPTZ, i)::VARCHAR AS d, range(a::DATE, z::DATE, i)::VARCHAR AS e FROM (VALUES (INTERVAL 1 DAY), (INTERVAL 0 DAY), (INTERVAL 1 MONTH), (INTERVAL (-1) MONTH), (INTERVAL '-36:00:00'), (INTERVAL '1 month 1 day'), (NULL), (INTERVAL '10 days 01:00:00')) s(i), (VALUES (1, TIMESTAMP '2024-01-31 10:00:00', TIMESTAMP '2024-04-01 10:00:00'), (2, TIMESTAMP '2024-04-30 10:00:00', TIMESTAMP '2024-01-31 10:00:00'), (3, TIMESTAMP '2024-01-31 10:00:00', TIMESTAMP '2024-01-31 10:00:00'), (4, NULL, TIMESTAMP '2024-01-31 10:00:00')) m(k, a, z) ORDER BY k, i

error: SELECT generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2024-02-01', i) FROM (VALUES (INTERVAL '1 month -1 day')) t(i)
