-- Rows of sorted tables: inlined rows are sorted as files are, by columns, expressions and macros.

CREATE TABLE s (i INTEGER, t VARCHAR, l INTEGER[])

ALTER TABLE s SET SORTED BY (i DESC NULLS LAST)

INSERT INTO s VALUES (2, 'a', [1]), (NULL, 'b', NULL), (3, 'c', [2]), (2, 'd', [0]), (1, 'e', [])

SELECT rowid, i, t FROM s ORDER BY rowid

ALTER TABLE s SET SORTED BY (lower(t) ASC NULLS FIRST, i % 2 DESC NULLS LAST)

INSERT INTO s VALUES (2, 'B', NULL), (1, 'a', NULL), (3, NULL, NULL), (3, 'b', NULL), (5, 'A', NULL), (4, 'a', NULL)

SELECT rowid, i, t FROM s ORDER BY rowid

ALTER TABLE s SET SORTED BY (l)

INSERT INTO s VALUES (7, 'x', [2, 1]), (8, 'y', NULL), (9, 'z', [1, 9]), (7, 'v', [2])

SELECT rowid, i, l FROM s ORDER BY rowid

-- A macro, with calls on values and a list comprehension, as a sort key.

CREATE MACRO zipped(x, y, n := 6) AS ([list_value(z[1], z[2]) FOR z IN list_zip(substr(x, 1, n).rpad(n, ' ').string_split(''), y.substr(1, n).rpad(n, ' ').string_split(''))].flatten().array_to_string(''))

SELECT zipped('ABC', 'XYZ', n := 3), zipped('ab', 'c')

CREATE TABLE m (i VARCHAR, j VARCHAR)

ALTER TABLE m SET SORTED BY (zipped(i, j, n := 3))

INSERT INTO m VALUES ('ZYX', 'CBA'), ('ABC', 'XYZ'), ('321', '000'), ('123', '000')

SELECT rowid, i, zipped(i, j) FROM m ORDER BY rowid

SELECT [x + 1 FOR x IN [1, 2, 3] IF x <> 2] AS a, [x.upper() FOR x IN ['a', 'b']] AS b, [[y * 2 FOR y IN x] FOR x IN [[1], [2, 3]]] AS c
