-- Rows that other rows decide about: UPDATE FROM, DELETE USING, MERGE, and those with subqueries.
CREATE TABLE t (id INTEGER, name VARCHAR, amount DECIMAL(9,2), tags VARCHAR[], part STRUCT(a INTEGER, b VARCHAR))

INSERT INTO t SELECT i, 'item ' || i, i * 10, ['a' || i, NULL], {'a': i % 3, 'b': 'x'} FROM range(1, 21) r(i)

INSERT INTO t VALUES (NULL, 'none', 0, NULL, NULL), (30, NULL, NULL, [], {'a': NULL, 'b': NULL}), (31, 'few', 1.5, ['z'], {'a': 7, 'b': 'y'})

CREATE TABLE s (id BIGINT, name VARCHAR, amount INTEGER, batch INTEGER)

INSERT INTO s SELECT i, 'news ' || i, i * 100, i % 2 FROM range(3, 9) r(i)

INSERT INTO s VALUES (NULL, 'void', 5, 0), (31, 'thirty-one', NULL, 1)

CREATE TABLE u (id INTEGER, k INTEGER)

INSERT INTO u VALUES (1, 4), (2, 6), (3, 404)

UPDATE t SET name = s.name, amount = s.amount + t.amount FROM s WHERE t.id = s.id AND s.batch = 1

SELECT * FROM t ORDER BY id

UPDATE t AS x SET name = x.name || '!' || y.k FROM u AS y JOIN s ON y.k = s.id WHERE x.id = s.id AND x.part.a <> 1

SELECT * FROM t ORDER BY id

UPDATE t SET name = v.w FROM (VALUES (1, 'one'), (2, 'two'), (99, 'no')) v(key, w) WHERE id = key AND tags[1] = 'a' || key

UPDATE t SET amount = k FROM s, u WHERE t.id = s.id AND s.id = u.k AND t.amount > 0 AND s.amount > 0

UPDATE t SET part = {'a': r.a, 'b': t.part.b} FROM (SELECT part.a + 1 AS a, id AS i FROM t WHERE id < 3) r WHERE t.id = r.i

WITH w AS (SELECT id + 1 AS nextone FROM s WHERE id IS NOT NULL) UPDATE t SET name = NULL, amount = 1.25 FROM w WHERE t.id = w.nextone AND w.nextone > 8

SELECT * FROM t ORDER BY id

UPDATE t SET tags = list_transform(t.tags, x -> x || u.k) FROM u WHERE t.id = u.id

UPDATE t SET name = (SELECT max(name) FROM s WHERE s.id = t.id), amount = 1 WHERE EXISTS (SELECT 1 FROM s WHERE s.id = t.id)

SELECT * FROM t ORDER BY id

UPDATE t SET amount = (SELECT count(*) FROM s) WHERE id IN (SELECT k FROM u) OR id IS NULL

SELECT * FROM t ORDER BY id

DELETE FROM t USING s WHERE t.id = s.id AND s.name LIKE '%4'

DELETE FROM t USING u, s WHERE t.id = u.id AND u.k = s.id AND t.name IS NOT NULL

DELETE FROM t USING (VALUES (10), (10), (11), (NULL)) v(i) WHERE t.id = v.i

SELECT id, name FROM t ORDER BY id

DELETE FROM t WHERE id NOT IN (SELECT id FROM s WHERE id IS NOT NULL) AND id > 15 AND id < 18

DELETE FROM t USING u WHERE t.id = u.k + 1 AND u.k < 100

BEGIN

INSERT INTO t (id, name) VALUES (50, 'staged'), (51, 'staged')

UPDATE t SET name = 'twice staged' FROM (SELECT 50 AS i) q WHERE t.id = q.i

DELETE FROM t USING (SELECT 51::BIGINT AS i) q WHERE t.id = q.i

MERGE INTO t USING (SELECT id + 2 AS id, name FROM t WHERE id >= 50) q ON t.id = q.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (q.id, q.name || ' merged')

COMMIT

SELECT * FROM t ORDER BY id

MERGE INTO t USING u ON t.id::VARCHAR = u.k::VARCHAR WHEN MATCHED THEN UPDATE SET amount = 77

SELECT * FROM t ORDER BY id, name

DELETE FROM t USING u

SELECT count(*) FROM t

error: UPDATE t SET name = s.name FROM s WHERE id = s.id

error: UPDATE t SET name = s.nope FROM s WHERE t.id = s.id

error: UPDATE t SET name = nope FROM s WHERE t.id = s.id

error: DELETE FROM t USING s WHERE t.nope = s.id

error: DELETE FROM t USING s WHERE nowhere.id = s.id

error: DELETE FROM t USING missing WHERE t.id = missing.id

error: UPDATE t SET name = s.name, NAME = 'x' FROM s WHERE t.id = s.id

error: WITH t AS (SELECT 1 AS id) DELETE FROM t USING s WHERE t.id = s.id
