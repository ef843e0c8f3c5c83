-- Which rows are meant: where names, ids of columns or the pieces of a table could lead to others.
CREATE TABLE t (id INTEGER, s STRUCT(x INTEGER), o STRUCT(x INTEGER), day DATE)

CREATE TABLE u (k INTEGER, r0 STRUCT(id INTEGER), name VARCHAR)

INSERT INTO t SELECT i, NULL, {'x': 5}, NULL FROM range(0, 15) r(i)

INSERT INTO t SELECT i, {'x': 7}, {'x': 8}, DATE '2020-01-01' FROM range(20, 35) r(i)

INSERT INTO t VALUES (100, {'x': NULL}, NULL, NULL)

INSERT INTO u SELECT i, {'id': i + 5}, 'n' || i FROM range(0, 20) r(i)

-- What is said of a row outside does not limit what is read inside.
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = 5000 OR t.id = 22)

SELECT id, (SELECT count(*) FROM u WHERE u.k = 5000 OR t.day = DATE '2020-01-01') AS found FROM t

SELECT t.id, q.k FROM t, LATERAL (SELECT k FROM u WHERE u.k = 3 OR t.id = 30) AS q

DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = 5000 OR t.id = 22)

-- A struct that is computed is not the column that it may come from.
FROM (SELECT id, coalesce(s, o) AS w FROM t) WHERE w.x = 5

FROM (SELECT id, CASE WHEN id = 25 THEN s END AS w FROM t) WHERE w.x IS NULL

-- A column inside does not hide a table outside.
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.id)

DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k + 5 = t.id) AND id < 20

SELECT * FROM t

-- A value of a subquery for each row of a table that has files and rows in the metadata.
UPDATE t SET s = {'x': (SELECT max(k) FROM u WHERE u.k < t.id)}

UPDATE t SET day = CASE WHEN EXISTS (FROM u WHERE u.k = t.id) THEN DATE '2021-01-01' END

SELECT * FROM t

-- NULL is a value of every type.
UPDATE t SET o = NULL, day = NULL FROM u WHERE t.id = u.k + 5 AND u.k > 12

MERGE INTO t USING (SELECT 500 AS id, NULL AS day UNION ALL SELECT 6, NULL) AS n ON t.id = n.id WHEN MATCHED THEN UPDATE SET day = n.day WHEN NOT MATCHED THEN INSERT BY NAME

SELECT * FROM t

error: MERGE INTO t USING (SELECT 6 AS id, 1 AS other) AS n USING (id) WHEN MATCHED THEN UPDATE BY NAME

error: MERGE INTO t USING (SELECT 501 AS id, 1 AS other) AS n USING (id) WHEN NOT MATCHED THEN INSERT BY NAME

-- A row that is merged has the defaults of the columns that it gives nothing.
CREATE TABLE moments (id INTEGER, moment TIMESTAMPTZ DEFAULT TIMESTAMPTZ '2020-07-22 17:30:00+02', size BIGINT DEFAULT 3 + 4)

MERGE INTO moments USING u ON moments.id = u.k WHEN NOT MATCHED AND u.k < 3 THEN INSERT (id) VALUES (u.k)

SELECT * FROM moments

-- Whether a value is among those of a query is not known if one of them is NULL.
CREATE TABLE known (id INTEGER, found BOOLEAN)

INSERT INTO known VALUES (1, NULL), (2, NULL), (NULL, NULL)

CREATE TABLE some_null (k INTEGER, z INTEGER)

INSERT INTO some_null VALUES (1, 10), (NULL, 20)

SELECT id, id IN (SELECT k FROM some_null) AS a, id NOT IN (SELECT k FROM some_null) AS b, id = ANY (SELECT k FROM some_null WHERE z > 500) AS c, id IN (SELECT k FROM some_null WHERE z > id + 15) AS d FROM known

SELECT id FROM known WHERE (id IN (SELECT k FROM some_null)) IS NULL

SELECT id, CASE WHEN id NOT IN (SELECT k FROM some_null) THEN 1 WHEN id IN (SELECT k FROM some_null) THEN 2 ELSE 3 END AS e FROM known

UPDATE known SET found = id IN (SELECT k FROM some_null)

DELETE FROM known WHERE coalesce(id IN (SELECT k FROM some_null), id IS NULL)

SELECT * FROM known

error: MERGE INTO known USING known ON known.id = known.id WHEN MATCHED THEN DELETE
