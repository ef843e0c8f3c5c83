-- Infinite dates and timestamps: stored, compared, and asked for their parts. As text, because Python has none.
CREATE TABLE t (i INTEGER, d DATE, t TIMESTAMP, z TIMESTAMPTZ, n TIMESTAMP_NS)

INSERT INTO t VALUES (1, 'infinity', 'infinity', 'infinity', 'infinity'), (2, '-infinity', '-infinity', '-infinity', '-infinity'), (3, '2020-01-31', '2020-01-31 12:34:56.789', '2020-01-31 12:34:56', '2020-01-31 12:34:56.789'), (4, NULL, NULL, NULL, NULL)

INSERT INTO t SELECT i + 10, t::DATE, z::TIMESTAMP, d::TIMESTAMPTZ, n FROM t

SELECT i, d::VARCHAR, t::VARCHAR, z::VARCHAR, n::VARCHAR, d || '', [t]::VARCHAR, {'z': z}::VARCHAR FROM t ORDER BY i

SELECT i FROM t WHERE d = 'infinity' OR t = '-infinity' ORDER BY i

SELECT i FROM t WHERE d <= '-infinity' ORDER BY i

SELECT i FROM t WHERE z = '-infinity' OR d IN ('-infinity', '2020-01-31') ORDER BY i

SELECT i, d < 'infinity', t > '-infinity', z BETWEEN '2019-01-01' AND 'infinity', d IN ('infinity', '2020-01-31') FROM t ORDER BY i

SELECT i FROM t ORDER BY d, t, z, i

SELECT max(d)::VARCHAR, min(t)::VARCHAR, max(z)::VARCHAR, count(DISTINCT d) FROM t

SELECT i, isfinite(d), isinf(d), isfinite(t), isinf(t), isfinite(z), isinf(z) FROM t ORDER BY i

SELECT i, year(d), month(d), dayofweek(d), isoyear(d), era(d), epoch(d), epoch_us(d), dayname(d), last_day(d) FROM t ORDER BY i

SELECT i, year(t), hour(t), microsecond(t), week(t), century(t), epoch(t), epoch_ms(t) AS ms, monthname(t), last_day(t), date_part('day', t) FROM t ORDER BY i

SELECT i, year(z), minute(z), quarter(z), decade(z), epoch(z), epoch_ns(z), dayname(z), extract(epoch FROM z) FROM t ORDER BY i

SELECT i, (d + 1)::VARCHAR AS c0, (d - 1)::VARCHAR AS c1, (d + INTERVAL 1 DAY)::VARCHAR AS c2, (t - INTERVAL 1 MONTH)::VARCHAR AS c3, (z + INTERVAL 1 HOUR)::VARCHAR AS c4, d - DATE '2020-01-01' AS c5 FROM t ORDER BY i

SELECT i, date_trunc('month', d)::VARCHAR AS c0, date_trunc('hour', t)::VARCHAR AS c1, date_trunc('year', z)::VARCHAR AS c2, time_bucket(INTERVAL 1 DAY, d)::VARCHAR AS c3, time_bucket(INTERVAL 2 HOURS, t)::VARCHAR AS c4 FROM t ORDER BY i

SELECT i, date_diff('day', d, DATE '2020-01-01') AS a, date_diff('month', TIMESTAMP '2020-01-01', t) AS b, date_sub('hour', t, TIMESTAMP '2020-01-01') AS c, age(t, TIMESTAMP '2020-01-01')::VARCHAR AS e FROM t ORDER BY i

SELECT i, strftime(d, '%Y-%m'), strftime(t, '%H'), strftime(z, '%d') FROM t ORDER BY i

SELECT i, t::DATE::VARCHAR, d::TIMESTAMP::VARCHAR, z::DATE::VARCHAR, z::TIMESTAMP::VARCHAR, d::TIMESTAMP_MS::VARCHAR, t::TIMESTAMP_S::VARCHAR, t::TIMESTAMP_NS::VARCHAR FROM t ORDER BY i

SELECT i, (z AT TIME ZONE 'America/New_York')::VARCHAR AS a, (t AT TIME ZONE 'America/New_York')::VARCHAR AS b FROM t ORDER BY i

SELECT i, x::DATE::VARCHAR, x::TIMESTAMP::VARCHAR, x::TIMESTAMPTZ::VARCHAR FROM (VALUES (1, 'Infinity'), (2, '-inf'), (3, ' infinity '), (4, '2020-01-01')) v(i, x) ORDER BY i

error: SELECT t - TIMESTAMP '2020-01-01' FROM t WHERE i = 1

error: SELECT t::TIME FROM t WHERE i = 1

error: SELECT range(t, TIMESTAMP '2020-01-01', INTERVAL 1 DAY) FROM t WHERE i = 1

UPDATE t SET d = 'infinity' WHERE d = '-infinity'

DELETE FROM t WHERE t = 'infinity' AND i > 10

SELECT i, d::VARCHAR FROM t ORDER BY i

-- rows of files
CREATE TABLE many AS SELECT i, CASE i % 3 WHEN 0 THEN '-infinity'::DATE WHEN 1 THEN 'infinity'::DATE ELSE DATE '2020-01-31' END AS d, CASE i % 2 WHEN 0 THEN '-infinity'::TIMESTAMPTZ ELSE TIMESTAMPTZ '2020-01-31 00:00:00+00' END AS z FROM range(2000) r(i)

SELECT count(*) FROM many WHERE d <= '-infinity'

SELECT count(*) FROM many WHERE z = '-infinity' OR d IN ('-infinity', '2020-01-31')
