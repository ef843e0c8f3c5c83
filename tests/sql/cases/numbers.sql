-- Numbers as they are written, numbers that are cut, structs as maps.
SELECT 0xFF

SELECT 1a, 1e5, 1_000, 0b101

error: SELECT typeof(0xFF)

error: SELECT 1e+

CREATE TABLE n (id INTEGER, i INTEGER, h HUGEINT, d DECIMAL(9,4), w DECIMAL(38,2), f DOUBLE, r FLOAT)

INSERT INTO n VALUES (1, 12345, 123456789012345678901234567890, 1234.5678, 1.25, 1.2345, 1.5), (2, -12345, -5, -0.0001, -99.99, -1.999, -2.75), (3, 0, 0, 0, 0, 'inf', 'nan'), (4, NULL, NULL, NULL, NULL, NULL, NULL), (5, 7, 7, 99999.9999, 7, 1e300, 1e30), (6, 1, 1, 1, 1, -0.001, 0.1)

SELECT id, trunc(i, -2) AS a, trunc(i, 2) AS b, trunc(h, -3) AS c, trunc(d, 2) AS d, trunc(d, 9) AS e, trunc(d, -2) AS f, trunc(w, 1) AS g, trunc(f, 2) AS h, trunc(f, -1) AS i, trunc(f, 0) AS j, trunc(r, 1) AS k, trunc(i, -50) AS l FROM n ORDER BY id

SELECT trunc(1.2345, 2), trunc(-2.5::DOUBLE, -1), trunc(255::UTINYINT, -1), trunc(1e308::DOUBLE, 2)

SELECT id, fmod(i, 7::FLOAT) AS a, fmod(r, 2) AS b, fmod(i, 7) AS c, fmod(f, r) AS d FROM n WHERE id <> 5 ORDER BY id

CREATE TABLE s (id INTEGER, v STRUCT(a INTEGER, b INTEGER))

INSERT INTO s VALUES (1, {'a': 1, 'b': NULL}), (2, NULL)

SELECT id, v::MAP(VARCHAR, BIGINT) AS m, v::MAP(VARCHAR, VARCHAR) AS t FROM s ORDER BY id

SELECT {'a': 1, 'b': 'x'}::MAP(VARCHAR, VARCHAR) AS m

CREATE TABLE w (id INTEGER, i TINYINT, l BIGINT, u UBIGINT)

INSERT INTO w VALUES (1, 1, 2, 3), (2, NULL, NULL, NULL), (3, -128, -9223372036854775808, 18446744073709551615)

SELECT id FROM w WHERE i <= 12345678901234567890123456789012345678 ORDER BY id

SELECT id FROM w WHERE NOT (l > 18446744073709551615) ORDER BY id

SELECT id, l < 9223372036854775808 AS a, l >= -9223372036854775809 AS b, i BETWEEN -1e20::DECIMAL(38, 0) AND 1e20::DECIMAL(38, 0) AS c, u < 18446744073709551616 AS d, l <= '99999999999999999999.5'::DECIMAL(38, 1) AS e FROM w ORDER BY id
