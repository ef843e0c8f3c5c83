-- The words of SELECT.
CREATE TABLE sales AS SELECT i AS id, i % 3 AS shop, (i * 7) % 11 AS amount, DATE '2024-01-01' + i::INTEGER AS day FROM range(20) r(i)

CREATE TABLE shops AS SELECT * FROM (VALUES (0, 'north'), (1, 'south'), (5, 'moon')) v(id, name)

SELECT shop, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM sales GROUP BY shop ORDER BY shop

SELECT shop, day, sum(amount) FROM sales GROUP BY ALL ORDER BY ALL

SELECT s.name, sum(amount) AS total FROM sales JOIN shops s ON s.id = shop GROUP BY s.name HAVING sum(amount) > 10 ORDER BY total DESC

SELECT name, id FROM shops LEFT JOIN (SELECT shop AS id, max(amount) AS top FROM sales GROUP BY 1) best USING (id) ORDER BY name

SELECT id, amount, row_number() OVER (PARTITION BY shop ORDER BY amount, id) AS place FROM sales QUALIFY place <= 2 ORDER BY id

WITH big AS (SELECT * FROM sales WHERE amount > 7), shops AS (SELECT 1 AS id) SELECT big.id, shops.id FROM big, shops ORDER BY big.id

SELECT id FROM sales WHERE shop = (SELECT min(id) FROM shops) AND amount IN (SELECT amount FROM sales WHERE id < 5) ORDER BY id

SELECT id FROM shops WHERE EXISTS (SELECT 1 FROM sales WHERE sales.shop = shops.id) ORDER BY id

SELECT id FROM sales WHERE id < 3 UNION ALL SELECT id FROM shops ORDER BY id

SELECT id FROM shops EXCEPT SELECT shop FROM sales

SELECT id FROM shops INTERSECT SELECT shop FROM sales

SELECT * EXCLUDE (day) FROM sales ORDER BY id LIMIT 3 OFFSET 2

SELECT * REPLACE (amount * 2 AS amount) FROM sales WHERE id = 4

SELECT DISTINCT shop FROM sales ORDER BY shop DESC

SELECT COLUMNS(*) FROM shops ORDER BY id

FROM shops SELECT name ORDER BY id

VALUES (1, 'a'), (2, NULL)

SELECT [1, 2, 3] AS l, {'a': 1, 'b': 'x'} AS s, MAP {'k': 1} AS m, [1, 2, 3][2] AS e, [1, 2, 3][2:3] AS part

SELECT list_transform([1, 2, 3], lambda x: x + 1) AS t, list_filter([1, 2, 3], lambda x: x > 1) AS f

SELECT 7 // 2 AS d, 7 / 2 AS q, 7 % 3 AS r, -7 // 2 AS negative, 2 ** 3 AS p

SELECT generate_series AS i FROM generate_series(1, 3)

SELECT * FROM range(3) ORDER BY range DESC

SELECT CASE WHEN id > 1 THEN 'many' ELSE 'few' END AS c, coalesce(NULL, id) AS n FROM shops ORDER BY id

SELECT string_agg(name, ',' ORDER BY name) AS names, list(id ORDER BY id) AS ids FROM shops

SELECT year(day), month(day), date_trunc('month', day) AS m, day + INTERVAL 1 DAY AS next FROM sales WHERE id = 3

error: SELECT unknown_function(id) FROM shops

error: SELECT id FROM sales GROUP BY shop

error: SELECT id FROM sales, shops

SELECT 'abc'[-1] AS last, 'abc'[2] AS second, upper('abc')[1] AS upper, ('a' || 'bc')[2] AS joined, string_split('ab,c', ',')[1][2] AS part

SELECT name[1] AS first, upper(name)[2] AS second, (name || 'z')[-1] AS last, nullif(name, 'moon')[0] AS none FROM shops ORDER BY id

SELECT CASE WHEN NULL THEN 1 ELSE 2 END AS c, if(NULL, 1, 2) AS i, count(*) FILTER (WHERE NULL) AS n FROM shops

SELECT id FROM shops WHERE NULL
