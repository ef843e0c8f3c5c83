-- zero has a sign as a float only: a decimal that is negated has none
CREATE TABLE zeros (id INTEGER, d DOUBLE, f FLOAT, v VARCHAR)

INSERT INTO zeros VALUES (1, -0.0, -0.0, -0.0), (2, -0e0, -0e0, -0e0), (3, '-0.0', '-0.0', '-0.0'), (4, -0, -0, -0),
  (5, - 0.0, -(0.0), - - 0.0), (6, -0.00, -.0, -00.0), (7, -(0.0::DOUBLE), -0.0::FLOAT, -0.0::DOUBLE),
  (8, (-0.0)::DOUBLE, CAST(-0.0 AS FLOAT), CAST(-0.0 AS DOUBLE)), (9, 0 * -1, 0e0 * -1, -0.0::DECIMAL(3, 1)), (10, 0, 0, -0::TINYINT)

INSERT INTO zeros SELECT 11, -0.0, -0.0, -0.0

INSERT INTO zeros SELECT 12, -0e0, -0e0, -0e0

UPDATE zeros SET d = -0.0, f = -0e0 WHERE id = 12

SELECT id, d::VARCHAR, f::VARCHAR, v FROM zeros ORDER BY id

SELECT (-0.0)::DOUBLE::VARCHAR, CAST(-0.0 AS FLOAT)::VARCHAR, [-0.0, 1e0]::VARCHAR, {'a': -0.0::DOUBLE}::VARCHAR

CREATE TABLE given (id INTEGER, d DOUBLE DEFAULT -0.0, e DOUBLE DEFAULT -0e0, f FLOAT DEFAULT '-0.0')

INSERT INTO given (id) VALUES (1)

SELECT id, d::VARCHAR, e::VARCHAR, f::VARCHAR FROM given

-- NaN and both zeros are found in files: more rows than the metadata takes
CREATE TABLE t (id INTEGER, x DOUBLE, y FLOAT, s STRUCT(a DOUBLE))

INSERT INTO t SELECT i, v, v, {'a': v} FROM (VALUES (1, '-0.0'::DOUBLE), (2, 'nan'), (3, '5'), (4, NULL), (5, 'inf'),
  (6, '0'), (7, '-5'), (8, '-inf'), (9, '1.5'), (10, '5'), (11, 'nan'), (12, '-0.0')) rows(i, v)

SELECT id FROM t WHERE isnan(x)

SELECT id FROM t WHERE x = 'nan'::DOUBLE

SELECT id FROM t WHERE y > 1.5

SELECT id FROM t WHERE x = 0

SELECT id FROM t WHERE x IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)

SELECT id FROM t WHERE x NOT IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)

SELECT id FROM t WHERE s.a >= 0

SELECT id FROM t WHERE NOT (s.a <= 5)

SELECT id FROM t WHERE x <> 5

SELECT id FROM t WHERE x BETWEEN 0 AND 0

SELECT x::VARCHAR, count(*) FROM (SELECT x + 0 AS x FROM t) GROUP BY x ORDER BY x

SELECT a.id, b.id FROM t a JOIN t b ON a.x = b.x WHERE a.id < b.id ORDER BY ALL

UPDATE t SET y = 7 WHERE x = 0

DELETE FROM t WHERE isnan(x)

SELECT id, x::VARCHAR, y::VARCHAR FROM t ORDER BY id

SELECT id FROM t WHERE x >= 0

-- keys of a merge compare as all else does
CREATE TABLE keys (k DOUBLE, v INTEGER)

INSERT INTO keys SELECT k, v FROM (VALUES ('-0.0'::DOUBLE, 1), ('nan', 2), ('5', 3), (NULL, 4), ('inf', 5), ('7', 6),
  ('8', 7), ('9', 8), ('10', 9), ('11', 10), ('12', 11)) rows(k, v)

MERGE INTO keys USING (VALUES (0e0, 100), ('nan'::DOUBLE, 200), (99e0, 300)) given(k, v) ON keys.k = given.k
  WHEN MATCHED THEN UPDATE SET v = given.v WHEN NOT MATCHED THEN INSERT VALUES (given.k, given.v)

SELECT k::VARCHAR, v FROM keys ORDER BY v

-- zeros keep their sign where equal elements are looked for
CREATE TABLE lists (id INTEGER, l DOUBLE[], f FLOAT[])

INSERT INTO lists VALUES (1, ['-0.0'::DOUBLE, 1], ['-0.0'::FLOAT]), (2, ['nan'::DOUBLE, '-0.0'::DOUBLE], ['0'::FLOAT, 'nan'::FLOAT]), (3, NULL, [NULL]), (4, [], NULL)

SELECT id, list_sort(list_distinct(l))::VARCHAR AS l, list_sort(list_distinct(f))::VARCHAR AS f, list_intersect(l, [0e0])::VARCHAR AS i, list_unique(l) AS u FROM lists ORDER BY id

-- whole floats with exponents have as few digits as tell them apart; floats between two short texts have all of them
CREATE TABLE written (id INTEGER, d DOUBLE, f FLOAT)

INSERT INTO written VALUES (1, 1844674407370955264, 4.13028e11), (2, -123456789012345678, 1549391.75), (3, 9.2e18, 162.578125), (4, 3026450065671000064, 718013000000000),
  (5, 1e16, -3.2506813e11), (6, 2e19, 9e18), (7, 5.960464477539063e-08, 1e30), (8, 9007199254740993, 16777216), (9, NULL, NULL), (10, 7861297602813418496, 0.1), (11, 'inf', '-inf')

SELECT id, d::VARCHAR, f::VARCHAR, [f]::VARCHAR AS l, {'a': d}::VARCHAR AS s FROM written ORDER BY id

-- quantiles beside infinities
CREATE TABLE ends (g INTEGER, d DOUBLE, f FLOAT)

INSERT INTO ends VALUES (1, '-inf', '-inf'), (1, '-1', '-1'), (2, '-inf', '-inf'), (2, '-inf', '-inf'), (3, 'inf', 'inf'), (3, 'inf', 'inf'), (4, '2', '2'), (4, 'inf', 'inf'),
  (5, '-inf', '-inf'), (5, 'inf', 'inf'), (6, 'nan', 'nan'), (6, '-inf', '-inf'), (6, '-inf', '-inf'), (7, '-2.25', '-2.25'), (7, '0.5', '0.1'), (7, '1.5', '1.5'), (8, NULL, NULL)

SELECT g, median(d) AS m, quantile_cont(d, 0.25) AS q, quantile_cont(d, [0.25, 0.75])[1] AS a, quantile_cont(d, [0.25, 0.75])[2] AS d, median(f) AS n, quantile_cont(f, 0.25) AS r,
  quantile_cont(f, [0.1, 0.9])[1] AS b, quantile_cont(f, [0.1, 0.9])[2] AS c FROM ends GROUP BY g ORDER BY g
