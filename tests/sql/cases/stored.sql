-- Views, macros, variables, time travel.
CREATE TABLE t AS SELECT i, i * i AS square FROM range(4) r(i)

CREATE VIEW even AS SELECT i, square FROM t WHERE i % 2 = 0

SELECT * FROM even ORDER BY i

CREATE VIEW named (number, twice) AS SELECT i, 2 * i FROM even

SELECT twice FROM named ORDER BY number

CREATE MACRO add_tax(price, rate := 0.2) AS price * (1 + rate)

SELECT add_tax(100) AS plain, add_tax(100, rate := 0.5) AS more

CREATE MACRO below(n) AS TABLE SELECT i FROM t WHERE i < n

FROM below(2) ORDER BY i

SET VARIABLE least = 2

SELECT i FROM t WHERE i >= getvariable('least') ORDER BY i

INSERT INTO t VALUES (10, 100)

SELECT count(*) FROM t AT (VERSION => 1)

SELECT count(*) FROM t

COMMENT ON TABLE t IS 'squares'

ALTER VIEW even RENAME TO straight

SELECT count(*) FROM straight

DROP VIEW named

error: FROM named

DROP MACRO add_tax

error: SELECT add_tax(1)

error: SELECT * FROM t AT (VERSION => 999)

CREATE TABLE bound AS SELECT 7 AS x, [1, 2] AS l

CREATE MACRO of_lambda(x) AS list_transform([1, 2], lambda x: x + 1)

CREATE MACRO of_lists(e, i) AS [e * i FOR e, i IN [e, 5] IF e > 2]

CREATE MACRO beside(x, y) AS list_transform([x, y], lambda x: x + y)

CREATE MACRO filtered(x) AS TABLE SELECT list_filter(l, lambda x: x > 1) AS q, x + 1 AS r FROM bound

SELECT of_lambda(5) AS a, of_lists(7, 3) AS b, beside(5, x) AS c, beside(l[1], x) AS d FROM bound

FROM filtered(9)
