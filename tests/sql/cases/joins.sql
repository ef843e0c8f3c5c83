-- Joins of joined tables: what a condition says of a table that may be missing says nothing of the rows to read.
CREATE TABLE a AS SELECT i AS k FROM range(20) r(i)

CREATE TABLE b AS SELECT i AS k FROM range(20) r(i)

CREATE TABLE c AS SELECT i AS k, i * 10 AS x FROM range(15) r(i)

SELECT a.k FROM a JOIN (b LEFT JOIN c ON b.k = c.k) ON a.k = b.k AND c.x IS NULL ORDER BY 1

SELECT a.k, b.k FROM a LEFT JOIN (b LEFT JOIN c ON b.k = c.k) ON a.k = b.k AND c.x IS NULL ORDER BY 1

SELECT a.k, b.k FROM a LEFT JOIN (b FULL JOIN c ON b.k = c.k AND c.k > 3) ON a.k = b.k AND c.x IS NULL ORDER BY 1

SELECT a.k FROM a SEMI JOIN (b LEFT JOIN c ON b.k = c.k) ON a.k = b.k AND c.x IS NULL ORDER BY 1

SELECT a.k, c.x FROM a JOIN c ON a.k = c.k AND c.x > 120 ORDER BY 1

SELECT a.k, c.x FROM a LEFT JOIN c ON a.k = c.k WHERE c.x IS NULL ORDER BY 1

-- Joins in UPDATE and DELETE, which are joined with the table themselves.
CREATE TABLE d AS SELECT i AS k, 0 AS x FROM range(20) r(i)

UPDATE d SET x = c.x FROM b JOIN c ON b.k = c.k AND c.k < 3 WHERE d.k = b.k

UPDATE d SET x = coalesce(c.x, -1) FROM b LEFT JOIN c ON b.k = c.k AND c.k < 12 WHERE d.k = b.k AND b.k > 10

DELETE FROM d USING b JOIN c ON b.k = c.k WHERE d.k = b.k AND c.x > 100

FROM d ORDER BY k

SELECT count(*) FROM a, b JOIN c ON b.k = c.k WHERE a.k = b.k

SELECT a.k, c.x FROM a LEFT JOIN b JOIN c ON b.k = c.k ON a.k = b.k ORDER BY 1
