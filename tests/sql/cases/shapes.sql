-- Rows and columns that a query makes itself: unnest, ranges, recursion, chosen columns, questions within queries.
CREATE TABLE n (id INTEGER, name VARCHAR, l INTEGER[], s STRUCT(k INTEGER, t VARCHAR))

INSERT INTO n VALUES (1, 'one', [1, 2, 3], {'k': 1, 't': 'x'}), (2, 'two', [], NULL), (3, NULL, NULL, {'k': NULL, 't': 'y'})

SELECT id, unnest(l) AS a, unnest([10, 20]) AS b FROM n ORDER BY ALL

SELECT id, unnest(l) * 2 + unnest([1, 1, 1]) AS e FROM n ORDER BY ALL

SELECT id, unnest(s) FROM n ORDER BY id

SELECT unnest([{'a': 1, 'b': {'c': 2}}, NULL], recursive := true)

SELECT unnest([[[1, 2]], NULL, [[3], [4]]], max_depth := 2) AS part

SELECT unnest(list(id ORDER BY id)) AS i, unnest(list(name ORDER BY id)) AS n FROM n ORDER BY i

SELECT * FROM unnest([10, 20]) WITH ORDINALITY AS t(v, place)

SELECT id, r.i FROM n, range(n.id) r(i) ORDER BY ALL

SELECT * FROM range(DATE '2024-01-01', DATE '2024-01-04', INTERVAL 1 DAY)

SELECT * FROM generate_series(TIMESTAMP '2024-01-31 10:00:00', TIMESTAMP '2024-05-31', INTERVAL 1 MONTH) t(ts) ORDER BY ts

SELECT generate_series(DATE '2024-01-05', DATE '2024-01-01', INTERVAL '-2 days') AS back

WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n, sum(n) OVER (ORDER BY n) AS total FROM r ORDER BY n

WITH RECURSIVE p AS (SELECT id, [name] AS path FROM n WHERE id = 1 UNION ALL SELECT n.id, list_append(path, name) FROM p JOIN n ON n.id = p.id + 1) SELECT * FROM p ORDER BY id

SELECT * LIKE '%a%' FROM n ORDER BY ALL

SELECT * NOT ILIKE '%A%' FROM n ORDER BY id

SELECT COLUMNS(c -> c LIKE 'i%' OR c = 'name') FROM n ORDER BY ALL

SELECT COLUMNS(['name', 'ID', 'name']) FROM n ORDER BY ALL

SELECT * SIMILAR TO 'am' FROM n ORDER BY ALL

SELECT * NOT SIMILAR TO 'i.' FROM n ORDER BY id

SELECT COLUMNS(c -> c[1] = 'i' OR regexp_matches(c, '^[[:alpha:]]AM', 'i') OR c || 'x' = 'lx') FROM n ORDER BY id

SELECT COLUMNS((c, i) -> i < 3 AND c.upper() BETWEEN 'A' AND 'P') FROM n ORDER BY ALL

SELECT COLUMNS('^\pL{2}\z'), COLUMNS('[[:lower:]]d') FROM n ORDER BY ALL

SELECT COLUMNS('^\w+$') FROM (SELECT 1 AS a, 2 AS "ä", 3 AS "b b")

SELECT "ba", "dc" FROM (SELECT COLUMNS('(.)(.)') AS '\2\1' FROM (SELECT 1 AS ab, 2 AS cd))

SELECT "x", "cx", "m_" FROM (SELECT COLUMNS('(b)|(c)') + 1 AS '\2x', max(COLUMNS('a')) AS 'm_\1' FROM (SELECT 1 AS abe, 2 AS cd) GROUP BY ALL)

SELECT "n\abe" FROM (SELECT COLUMNS(c -> c LIKE 'a%') AS 'n\\\0' FROM (SELECT 1 AS abe))

SELECT max(COLUMNS('^(id|name)$')) FROM n

SELECT coalesce(*COLUMNS(['name', 'name'])) AS c FROM n ORDER BY c

SELECT id FROM n WHERE COLUMNS('id|name') IS NOT NULL ORDER BY id

SELECT id FROM n ORDER BY id LIMIT (SELECT 1) OFFSET (SELECT count(*) - 2 FROM n)

SELECT name FROM (SHOW TABLES)

SELECT d.column_name, d.column_type FROM (DESCRIBE n) d WHERE d.column_name < 'name' ORDER BY 1

SELECT column_name FROM (DESCRIBE SELECT 1 AS a, 'x' AS b)

PRAGMA table_info('n')

MERGE INTO n USING (VALUES (1), (9)) s(id) ON n.id = s.id WHEN MATCHED AND n.name = 'two' THEN ERROR 'not this one' WHEN NOT MATCHED THEN INSERT DEFAULT VALUES

error: MERGE INTO n USING (VALUES (1)) s(id) ON n.id = s.id WHEN MATCHED THEN ERROR 'row ' || n.id || ' is there'

error: MERGE INTO n USING (VALUES (8)) s(id) ON n.id = s.id WHEN NOT MATCHED AND s.id > 5 THEN ERROR WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)

SELECT * FROM n ORDER BY ALL
