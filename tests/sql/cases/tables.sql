-- Tables of everyday types: made, filled, changed, shown.
CREATE TABLE people (id BIGINT NOT NULL, name VARCHAR DEFAULT 'nobody', born DATE, score DECIMAL(8,2), tags VARCHAR[])

INSERT INTO people VALUES (1, 'Ada', '1815-12-10', 9.5, ['maths', 'poetry']), (2, 'Grace', DATE '1906-12-09', 8, [])

INSERT INTO people (id, born) VALUES (3, NULL), (4, '2000-02-29')

INSERT INTO people BY NAME SELECT 5 AS id, 'it''s; fine' AS name

FROM people

SELECT count(*), count(born), min(born), max(score), sum(id) FROM people

SELECT name, len(tags) AS n FROM people WHERE id < 3 ORDER BY name DESC

SHOW TABLES

UPDATE people SET score = score + 0.25, name = upper(name) WHERE id IN (1, 2)

DELETE FROM people WHERE born IS NULL AND id > 3

SELECT id, name, score FROM people ORDER BY id

error: INSERT INTO people (name) VALUES ('no id')

error: INSERT INTO people VALUES (1)

error: SELECT nothing FROM people

error: CREATE TABLE people (x INTEGER)

CREATE OR REPLACE TABLE people AS SELECT i AS id, 'n' || i AS name FROM range(5) t(i)

SELECT * FROM people ORDER BY id

TRUNCATE people

SELECT count(*) FROM people

DROP TABLE people

error: FROM people

DROP TABLE IF EXISTS people
