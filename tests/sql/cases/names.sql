-- Names with anything in them, and tables that are made of themselves.
CREATE TABLE odd ("a`b" INTEGER, "c.d" INTEGER, "e\f" VARCHAR, "${x}" INTEGER)

INSERT INTO odd SELECT i, i + 1, 'a\nb${x}' || i, i % 3 FROM range(15) r(i)

SELECT "a`b", "c.d", "e\f", "${x}" FROM odd WHERE "${x}" = 1 AND "e\f" LIKE 'a\n%' ORDER BY 1

UPDATE odd SET "a`b" = "a`b" + "${x}", "e\f" = '\u0041''`' WHERE "${x}" = 2

DELETE FROM odd WHERE "${x}" = 1 AND "a`b" > 3

MERGE INTO odd USING (SELECT 0 AS "${x}", 3 AS "a`b") s ON (odd."a`b" = s."a`b" AND odd."${x}" = s."${x}")
WHEN MATCHED THEN UPDATE SET "e\f" = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (0, 0, '', 0)

FROM odd ORDER BY ALL

CREATE TABLE t AS SELECT i, {'k': [i]} AS s FROM range(5) r(i)

CREATE OR REPLACE TABLE t AS SELECT i * 2 AS i, s FROM t

CREATE OR REPLACE TABLE t AS SELECT i, s, (SELECT count(*) FROM t) AS n FROM t WHERE i > 0

FROM t ORDER BY i

BEGIN

CREATE OR REPLACE TABLE t AS SELECT i + 1 AS i FROM t

INSERT INTO t SELECT i FROM t

SELECT sum(i), count(*) FROM t

ROLLBACK

CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS z

CREATE TABLE c AS SELECT {'a': 1, 'b': [1, NULL]} AS s, MAP {'k': 2} AS m, DATE '2024-01-02' AS d, NULL AS n

CREATE OR REPLACE TABLE c AS SELECT *, 'x' AS v FROM c

FROM c

-- Names that the texts for Spark, and the engine, might have for their own.
CREATE TABLE p (p0 INTEGER, l INTEGER[], x INTEGER, k MAP(VARCHAR, INTEGER), m MAP(VARCHAR, INTEGER))

INSERT INTO p VALUES (100, [1, 2], 7, MAP {'a': 1}, MAP {'a': 2, 'b': 3})

UPDATE p SET l = list_transform(l, e -> e + p0), m = map_concat(m, k)

UPDATE p SET l = list_filter(l, e -> e > p0 + 1) WHERE len(list_filter(l, e -> e > p0)) = 2

FROM p

CREATE TABLE r (rowid BIGINT, v INTEGER)

INSERT INTO r VALUES (1, 10), (0, 20), (5, 30)

UPDATE r SET v = 99 FROM (SELECT 1 AS k) s WHERE r.rowid = s.k

DELETE FROM r WHERE rowid IN (SELECT 0)

FROM r ORDER BY v

CREATE TABLE u (i INTEGER)

INSERT INTO u VALUES (1), (2)

error: WITH u AS (SELECT 5 AS i) UPDATE u SET i = (SELECT max(i) FROM u) WHERE i = 2

error: WITH u AS (SELECT 1 AS i) DELETE FROM u WHERE i IN (SELECT i FROM u)

UPDATE u SET i = i + rowid FROM (SELECT 1) s

FROM u ORDER BY i

-- Texts that mean something to the languages that they pass through.
SELECT left('hello', length('{0}')::INTEGER) AS a, right('hello', length('{')::INTEGER) AS b FROM u LIMIT 1

SELECT json_extract('{"a''b": 1}', '$."a''b"') AS a, json_extract_string('{"a''b": 1}', 'a''b') AS b FROM u LIMIT 1

SELECT json_extract('{"a,b": 1, "c": 2}', ['a,b', 'c']) AS a, json_extract_string('{"c": 2}', ['c']) AS b FROM u LIMIT 1
