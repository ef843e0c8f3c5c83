-- Statements that are prepared, with values by position and by name.

CREATE TABLE p (i INTEGER, t VARCHAR, d DATE)

PREPARE add AS INSERT INTO p VALUES ($1, $2, $3)

EXECUTE add(1, 'one', DATE '2020-01-01')

EXECUTE add(1 + 1, 'it''s', NULL)

PREPARE found AS SELECT i, t, d FROM p WHERE i >= ? AND t <> ? ORDER BY i

SET VARIABLE least = 2

CREATE TABLE answers (n INTEGER)

PREPARE named AS INSERT INTO answers SELECT i + $more FROM p WHERE i = $which

EXECUTE named(which := getvariable('least'), more := 40)

EXECUTE NAMED(more := 1, which := -(-1))

FROM answers ORDER BY n

error: EXECUTE nothing

error: EXECUTE named(1)

error: EXECUTE add(1)

DEALLOCATE named

error: EXECUTE named(which := 1, more := 2)

DEALLOCATE named

PREPARE add AS DELETE FROM p WHERE i = $1

EXECUTE add(2)

FROM p
