-- Tables of WITH that are named several times: all uses see the same rows.
CREATE TABLE t AS SELECT i, i % 3 AS z FROM range(30) r(i)

WITH r AS (SELECT random() AS x) SELECT a.x = b.x AS same FROM r a, r b

WITH r AS (SELECT i, random() AS x FROM t) SELECT count(*) AS others FROM r a JOIN r b USING (i) WHERE a.x <> b.x

WITH g(k, n) AS (SELECT z, count(*) FROM t WHERE i > 3 GROUP BY z), h AS (SELECT a.k, b.n FROM g a JOIN g b USING (k))
SELECT k, n FROM h WHERE n = (SELECT max(n) FROM h) ORDER BY k

WITH r AS (SELECT i FROM t) SELECT a.i FROM r a JOIN r b USING (i) WHERE a.i > 25 AND b.i < 28 ORDER BY 1

WITH r AS (SELECT 1 AS a, 'x' AS b) SELECT * FROM r UNION ALL SELECT * FROM r

SELECT i, (WITH w AS (SELECT t.i + 1 AS k) SELECT a.k + b.k FROM w a, w b) AS s FROM t ORDER BY i LIMIT 2

CREATE TABLE o AS WITH g AS (SELECT z, count(*) AS n FROM t GROUP BY z) SELECT a.z, b.n FROM g a JOIN g b USING (z)

WITH g AS (SELECT max(i) AS m FROM t) UPDATE o SET n = (SELECT m FROM g) WHERE z < (SELECT m - 28 FROM g)

INSERT INTO o WITH g AS (SELECT max(i) AS m FROM t GROUP BY ALL) SELECT a.m, b.m FROM g a, g b

FROM o ORDER BY z

CREATE VIEW v AS WITH g AS (SELECT z, count(*) AS n FROM t GROUP BY z) SELECT a.z, b.n FROM g a JOIN g b USING (z)

SELECT * FROM v a JOIN v b USING (z) ORDER BY z
