-- Rows that change in every way there is.
CREATE TABLE stock (id INTEGER, name VARCHAR, amount INTEGER)

INSERT INTO stock SELECT i, 'item ' || i, i * 10 FROM range(1, 7) t(i)

CREATE TABLE news (id INTEGER, name VARCHAR, amount INTEGER)

INSERT INTO news VALUES (2, 'two', 222), (3, 'three', NULL), (9, 'nine', 999)

UPDATE stock SET amount = news.amount FROM news WHERE stock.id = news.id AND news.amount IS NOT NULL

SELECT * FROM stock ORDER BY id

DELETE FROM stock USING news WHERE stock.id = news.id AND news.id = 3

DELETE FROM stock WHERE id IN (SELECT max(id) FROM stock)

SELECT * FROM stock ORDER BY id

MERGE INTO stock USING news ON stock.id = news.id WHEN MATCHED THEN UPDATE SET amount = news.amount + 1 WHEN NOT MATCHED THEN INSERT VALUES (news.id, news.name, 0)

SELECT * FROM stock ORDER BY id

MERGE INTO stock AS t USING (SELECT 1 AS id, 'gone' AS why) AS s ON t.id = s.id WHEN MATCHED THEN DELETE

MERGE INTO stock USING news USING (id) WHEN NOT MATCHED BY SOURCE THEN DELETE

MERGE INTO stock USING news USING (id) WHEN MATCHED AND stock.id > 1 THEN DO NOTHING WHEN NOT MATCHED THEN DO NOTHING

SELECT * FROM stock ORDER BY id

-- What has no condition is done last, wherever it stands, and once for each side.
CREATE TABLE shelf AS SELECT i AS id, 'old' AS state FROM range(1, 6) t(i)

MERGE INTO shelf USING (FROM range(3, 8) s(id)) AS s USING (id) WHEN MATCHED THEN UPDATE SET state = 'other' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'new') WHEN MATCHED AND s.id = 3 THEN DO NOTHING WHEN NOT MATCHED BY TARGET AND s.id = 6 THEN INSERT VALUES (s.id, 'sixth')

SELECT * FROM shelf ORDER BY id

MERGE INTO shelf USING (FROM range(3, 8) s(id)) AS s USING (id) WHEN MATCHED THEN DO NOTHING WHEN MATCHED AND s.id = 4 THEN DELETE

SELECT * FROM shelf ORDER BY id

error: MERGE INTO shelf USING (FROM range(3) s(id)) AS s USING (id) WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET state = 'twice'

error: MERGE INTO shelf USING (FROM range(3) s(id)) AS s USING (id) WHEN NOT MATCHED THEN INSERT VALUES (1, 'one') WHEN NOT MATCHED BY TARGET THEN DO NOTHING

SELECT * FROM shelf ORDER BY id

BEGIN

DELETE FROM stock

INSERT INTO stock VALUES (100, 'mine', 1)

SELECT * FROM stock

ROLLBACK

SELECT count(*) FROM stock

BEGIN TRANSACTION

UPDATE stock SET amount = 5

COMMIT

SELECT DISTINCT amount FROM stock

error: UPDATE stock SET nothing = 1

error: DELETE FROM stock WHERE nothing = 1

error: COMMIT

error: ROLLBACK
