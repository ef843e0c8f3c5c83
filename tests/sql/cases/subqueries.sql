-- Subqueries that are one value computed from aggregates, for each row around them
CREATE TABLE stock (item INTEGER, place VARCHAR, amount INTEGER)

INSERT INTO stock VALUES (1, 'a', 10), (1, 'b', 5), (2, 'a', 7), (3, 'c', NULL), (NULL, 'a', 1)

CREATE TABLE sold (item INTEGER, place VARCHAR, amount DECIMAL(15,2))

INSERT INTO sold VALUES (1, 'a', 4.5), (1, 'a', 2), (1, 'b', 12), (2, 'b', 1), (NULL, 'a', 9)

SELECT item, place FROM stock s WHERE amount > (SELECT 0.5 * sum(amount) FROM sold WHERE sold.item = s.item AND sold.place = s.place) ORDER BY 1, 2

SELECT item, place, (SELECT count(*) FROM sold WHERE sold.item = s.item) AS n FROM stock s ORDER BY ALL

SELECT item, place, (SELECT coalesce(sum(amount), 0) FROM sold WHERE sold.item = s.item) AS n FROM stock s ORDER BY ALL

SELECT item, (SELECT count(*) + 1 FROM sold WHERE sold.item = s.item AND sold.place = 'zz') AS n FROM stock s ORDER BY ALL

SELECT item, (SELECT max(amount) - min(amount) FROM sold WHERE sold.item = s.item) AS n FROM stock s ORDER BY ALL

SELECT item, (SELECT 'r2.a0 ' || max(place) FROM sold WHERE sold.item = s.item) AS n FROM stock s ORDER BY ALL

SELECT item, (SELECT count(DISTINCT place) FILTER (WHERE amount > 1) FROM sold WHERE sold.item = s.item) AS n FROM stock s ORDER BY ALL

SELECT item FROM stock s WHERE EXISTS (SELECT max(amount) FROM sold WHERE sold.item = s.item) ORDER BY 1

SELECT item FROM stock s WHERE item IN (SELECT max(item) FROM sold WHERE sold.place = s.place) ORDER BY 1

SELECT item, place, m FROM stock s, LATERAL (SELECT max(amount) AS m FROM sold WHERE sold.item = s.item) ORDER BY ALL

SELECT place, sum(amount) AS total FROM stock GROUP BY place HAVING sum(amount) > (SELECT avg(amount) FROM sold WHERE sold.place = stock.place) ORDER BY 1

SELECT item, (SELECT max(amount) FROM sold) AS most, (SELECT list(amount ORDER BY amount) FROM sold WHERE sold.item = s.item) AS l FROM stock s ORDER BY ALL

-- several values in a subquery beside NULLs
CREATE TABLE several (id INTEGER, a INTEGER, b BOOLEAN, c INTEGER, d BOOLEAN)

INSERT INTO several VALUES (0, NULL, NULL, NULL, NULL), (1, 1, true, 1, true), (2, 2, NULL, 2, NULL), (3, 3, true, 1, NULL), (4, 1, false, 9, false)

SELECT id FROM several WHERE (a, b) IN (SELECT c, d FROM several)

SELECT id, (a, b) IN (SELECT c, d FROM several) AS e, (a, b) NOT IN (SELECT c, d FROM several) AS f FROM several

SELECT id FROM several WHERE (a, b) NOT IN (SELECT c, d FROM several)

SELECT id FROM several WHERE NOT ((a, b) IN (SELECT c, d FROM several WHERE c IS NOT NULL AND d IS NOT NULL))

SELECT id FROM several WHERE (a, b) NOT IN (SELECT c, d FROM several WHERE id > 10)

SELECT id, (a, b) IN (SELECT c, d FROM several WHERE id > 10) AS e FROM several WHERE id = 0 OR (a, b) IN (SELECT c, d FROM several WHERE c = 1)

DELETE FROM several WHERE (a, b) IN (SELECT c, d FROM several)

SELECT id FROM several
