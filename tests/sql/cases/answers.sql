-- Answers that are easily got wrong: types that meet, numbers at their ends, NULL within nested values, counts of arguments.
CREATE TABLE n (id INTEGER, v VARCHAR, a INTEGER, s STRUCT(k INTEGER, t VARCHAR), l INTEGER[], m MAP(VARCHAR, INTEGER))

INSERT INTO n VALUES (1, 'apple', 10, {'k': 1, 't': 'x'}, [1, 2], MAP {'a': 1}), (2, '', NULL, {'k': NULL, 't': 'y'}, [], MAP {'b': 2, 'c': 3}), (3, NULL, -5, NULL, NULL, NULL), (4, 'pie', 7, {'k': 7, 't': NULL}, [NULL, 5], MAP {}), (5, 'x', 7, {'k': 1, 't': 'z'}, [9], MAP {'a': NULL})

error: SELECT upper('a', 'b')

error: SELECT count(a, id) FROM n

error: SELECT cast(1e40 AS FLOAT)

SELECT try_cast(a * 1e40 AS FLOAT) AS f FROM n ORDER BY id

SELECT try_cast(1e40 AS FLOAT) AS none, 'inf'::DOUBLE::FLOAT AS infinite

SELECT 1 AS x UNION SELECT 'a' ORDER BY x

SELECT a AS x FROM n UNION ALL SELECT v FROM n ORDER BY x

SELECT [1] AS x UNION ALL SELECT ['a'] UNION ALL SELECT NULL

error: SELECT coalesce(a, v) FROM n

error: SELECT id FROM n WHERE a > v

SELECT -(-9223372036854775808) AS huge, -(-2147483648) AS big, -9223372036854775808 AS least

SELECT NOT 5 AS no, 5 AND true AS yes, CASE WHEN 0 THEN 1 ELSE 2 END AS two

SELECT id FROM n WHERE a ORDER BY id

error: SELECT [1, 2, 3][1.5]

SELECT id, s, l, m FROM n ORDER BY s, id

SELECT id FROM n ORDER BY l DESC, id

SELECT id FROM n ORDER BY m, id

SELECT max(s) AS s, min(l) AS l, list(id ORDER BY s, id) AS ids FROM n

SELECT id, s < {'k': 5, 't': 'a'} AS before, row_number() OVER (ORDER BY s, id) AS place FROM n ORDER BY id

SELECT list_sort([[NULL], [1], [0, NULL], [0, 2]]) AS sorted, typeof(0.1) AS kind, 0.1 + 0.2 AS total

SELECT unicode('') AS u, bit_count(-1::TINYINT) AS bits, date_diff('week', DATE '2023-12-31', DATE '2024-06-01') AS weeks

SELECT arg_max(id, a, 2) AS two, count_if(a > 5) AS n, quantile_cont(a, [0.25, 0.75]) AS shares FROM n

SELECT count_if(a > 5) AS none, corr(a, id) AS c FROM n WHERE id > 99

SELECT id, m.a AS a FROM n ORDER BY id

SELECT id FROM n WHERE (id, v) IN (SELECT 1, 'apple') OR a < ANY ([0, 1]) ORDER BY id

SELECT id, sum(a) OVER (ORDER BY DATE '2024-01-01' + id RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) AS s FROM n ORDER BY id

-- patterns that may match nothing: between letters, not within one, and not behind another match
SELECT s, string_split_regex(s, '') AS a, string_split_regex(s, '.*') AS b, regexp_replace(s, 'x?', 'z', 'g') AS c, regexp_replace(s, '.*', 'z', 'g') AS d, regexp_replace(s, '(.)', '\1-', 'g') AS e, regexp_extract_all(s, 'x?') AS f, regexp_replace(s, '^', 'z', 'g') AS g, regexp_replace(s, 'b*', 'z', 'g') AS h, regexp_extract_all(s, '(.)(.)', 2) AS i FROM (VALUES ('abc'), (''), (NULL), ('a b c'), ('🦆 duck'), ('bbabb'), ('x🦆x')) t(s)
