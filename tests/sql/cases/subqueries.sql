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
