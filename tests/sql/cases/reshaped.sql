-- Queries that turn rows into columns and back, and joins by place and by nearness.
CREATE TABLE t AS SELECT i::INTEGER AS i, i % 3 AS g, 'n' || i AS n FROM range(10) r(i)

CREATE TABLE l AS SELECT * FROM (VALUES (1, 'a'), (5, 'a'), (7, 'b'), (NULL, 'a')) v(x, k)

CREATE TABLE r AS SELECT * FROM (VALUES (2, 'a', 1.0), (4, 'a', 2.0), (6, 'b', 3.0), (NULL, 'a', 4.0)) v(y, k, v)

FROM (PIVOT t ON g USING sum(i)) ORDER BY n

PIVOT t ON (i > 5) IN (true, false) USING pow(sum(i), 2), quantile_cont(i, 0.5) GROUP BY n ORDER BY n LIMIT 3

PIVOT t ON g IN (1 AS one, 2) USING sum(i) + 1 GROUP BY n ORDER BY n LIMIT 3

PIVOT (SELECT *, DATE '2020-01-01' + g::INTEGER AS d FROM t) ON d IN (DATE '2020-01-01', '2020-01-02') USING max(i) GROUP BY n ORDER BY n LIMIT 3

FROM (PIVOT t ON g USING sum(i) AS s, count(*) AS c GROUP BY n ORDER BY n LIMIT 2) ORDER BY n

FROM (PIVOT t ON g USING sum(i), max(i) GROUP BY n) ORDER BY n LIMIT 2

FROM (PIVOT t ON g IN (0, 2) GROUP BY n) ORDER BY n LIMIT 3

FROM (PIVOT (SELECT i, g FROM t) ON g, i IN (1, 2) USING count(*))

SELECT * FROM t PIVOT (sum(i) AS s FOR g IN (0 AS zero, 1) GROUP BY n) AS p ORDER BY n LIMIT 2

WITH x AS (PIVOT t ON n IN ('n1', 'n4') USING max(i)) SELECT * FROM x ORDER BY g

error: FROM (PIVOT t ON nothing USING sum(i))

FROM (UNPIVOT (SELECT 1 a, 2 b, 'q' c) ON a, b INTO NAME k VALUE v)

FROM (UNPIVOT (SELECT 1 a, NULL b, 'q' c) ON a, b)

SELECT * FROM (SELECT 1 a, NULL::INTEGER b, 'q' c) UNPIVOT INCLUDE NULLS (v FOR k IN (a, b))

FROM (UNPIVOT (SELECT 1 a, 2 b, 3 c, NULL d) ON (a, b) AS x, (c, d) INTO NAME k VALUE v, w)

FROM (UNPIVOT (SELECT 1 a, 2.5 b, 'q' c) ON COLUMNS(* EXCLUDE (c)))

-- Values are called as columns of the table are, whatever is done with them.
FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON jan, feb INTO NAME k VALUE v)

SELECT * FROM (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) t UNPIVOT (v FOR k IN (jan, feb))

FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) t ON (jan * 2)::VARCHAR, t.feb::VARCHAR)

FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON abs(jan) AS "first", coalesce(1, feb))

FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON (jan, feb), (feb, jan) INTO NAME k VALUE v, w)

FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON COLUMNS('Jan|FEB')::VARCHAR)

error: FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON jan + feb)

error: FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON 1 + 2)

error: FROM (UNPIVOT (SELECT 1 AS "Jan", 2 AS "FEB", 'q' AS c) ON mar)

SELECT count(*) FROM t USING SAMPLE 3

SELECT count(i) FROM t TABLESAMPLE reservoir(4 ROWS) REPEATABLE (3)

SELECT count(*) FROM t TABLESAMPLE 100%

SELECT count(*) FROM t USING SAMPLE 0% (bernoulli)

SELECT x, y, v FROM l ASOF JOIN r ON l.k = r.k AND l.x >= r.y ORDER BY ALL

SELECT * FROM l ASOF LEFT JOIN r ON l.k = r.k AND l.x > r.y ORDER BY ALL

SELECT * FROM l ASOF LEFT JOIN r ON l.k = r.k AND r.y >= l.x ORDER BY ALL

SELECT * FROM l ASOF JOIN (SELECT k, y AS x, v FROM r) q USING (k, x) ORDER BY ALL

error: SELECT * FROM l ASOF JOIN r ON l.k = r.k

SELECT * FROM l POSITIONAL JOIN t POSITIONAL JOIN r

SELECT x, y FROM l POSITIONAL JOIN (SELECT y FROM r WHERE y > 2)

WITH RECURSIVE c(n) AS (SELECT 1 UNION SELECT (n % 3) + 1 FROM c) SELECT * FROM c ORDER BY n

WITH RECURSIVE e(a, b) AS (VALUES (1, 2), (2, 3), (3, 1), (4, 5)), seen(n) AS (SELECT 1 UNION SELECT b FROM seen JOIN e ON a = n) SELECT * FROM seen ORDER BY n

SELECT time_bucket(INTERVAL '2 days', DATE '2024-01-04') AS a, time_bucket(INTERVAL '2 months', TIMESTAMP '2024-02-04 10:00:00') AS b, time_bucket(INTERVAL '90 minutes', TIMESTAMP '1999-02-04 10:10:00.5') AS c

SELECT time_bucket(INTERVAL '1 week', d, DATE '2024-01-03') AS a, time_bucket(INTERVAL '5 months', d, DATE '2023-12-20') AS b, time_bucket(INTERVAL '1 week', d, INTERVAL '2 days') AS c FROM (VALUES (DATE '2024-01-04'), (DATE '1970-01-01'), (NULL)) v(d) ORDER BY d

SELECT time_bucket(INTERVAL '5 hours', TIMESTAMPTZ '2024-01-04 12:00:00+00')::VARCHAR AS t

error: SELECT time_bucket(INTERVAL '0 days', DATE '2024-01-04')

SELECT column_name, column_type, min, max, avg, q50, count, null_percentage FROM (SUMMARIZE t) ORDER BY ALL
