-- Regular expressions mean what RE2 means by them, not Java.

CREATE TABLE w (i INTEGER, s VARCHAR)

INSERT INTO w VALUES (1, 'abc'), (2, E'a\nb'), (3, E'a\n'), (4, E'a\rb'), (5, E'\x0b x'), (6, 'éa b'), (7, 'a[b]c&d'), (8, NULL), (9, ''), (10, E'b\na\n'), (11, 'foo-bar_9'), (12, 'Kelvin K ſ É'), (13, 'x' || chr(8232) || 'y' || chr(133) || 'z'), (14, 'aa.bb,cc'), (15, '🦆a🦆')

SELECT i, regexp_matches(s, 'a.b') AS a, regexp_matches(s, 'a$') AS b, regexp_matches(s, '^a') AS c, regexp_matches(s, 'b$', 'm') AS d, regexp_matches(s, '^a', 'n') AS e, regexp_matches(s, 'a.b', 's') AS f, regexp_matches(s, 'a.b', 'sm') AS g, regexp_matches(s, 'a.b', 'ms') AS h FROM w ORDER BY i

SELECT i, regexp_matches(s, '\s') AS a, regexp_matches(s, '\S') AS b, regexp_matches(s, '[\s]x') AS c, regexp_matches(s, '[a\S]') AS d, regexp_matches(s, '\ba') AS e, regexp_matches(s, 'a\b') AS f, regexp_matches(s, '\Ba') AS g, regexp_matches(s, '\w\W') AS h, regexp_matches(s, '\d|\D') AS j FROM w ORDER BY i

SELECT i, regexp_matches(s, '[[]') AS a, regexp_matches(s, '[]]') AS b, regexp_matches(s, '[^]]') AS c, regexp_matches(s, '[a&&b]') AS d, regexp_matches(s, '[a[b]') AS e, regexp_matches(s, '[[:alpha:]][[:space:]]') AS f, regexp_matches(s, '[[:^alpha:]_-]') AS g, regexp_matches(s, '[[:word:]]-') AS h FROM w ORDER BY i

SELECT i, regexp_matches(s, 'k', 'i') AS a, regexp_matches(s, '(?i)É') AS b, regexp_matches(s, 'S', 'i') AS c, regexp_matches(s, '(?m)^a$') AS d, regexp_matches(s, '(?s)a.b') AS e, regexp_matches(s, 'a.', 'l') AS f, regexp_matches(s, '\Qa.b\E') AS g, regexp_matches(s, '\pL\pL') AS h, regexp_matches(s, '(?P<x>o+)-') AS j FROM w ORDER BY i

SELECT i, regexp_full_match(s, 'a.') AS a, regexp_full_match(s, 'a.*') AS b, regexp_full_match(s, '.*$') AS c, s SIMILAR TO 'a.*' AS d, s GLOB 'a*' AS e, s GLOB '*b' AS f, s GLOB 'a?' AS g FROM w ORDER BY i

SELECT i, regexp_replace(s, 'a.b', 'X') AS a, regexp_replace(s, 'a$', 'X') AS b, regexp_replace(s, '\s', '.', 'g') AS c, regexp_replace(s, '(a)(.)', '\2\1', 'g') AS d, regexp_replace(s, '.', '<\0>') AS e, regexp_replace(s, 'b', '$1') AS f, regexp_replace(s, '[[:alpha:]]+', '#') AS g FROM w ORDER BY i

SELECT i, regexp_extract(s, '[a-z]+') AS a, regexp_extract(s, '(\w)-(\w)', 2) AS b, regexp_extract(s, 'a.*') AS c, regexp_extract_all(s, '\w+') AS d, regexp_split_to_array(s, '[,.]') AS e, regexp_extract(s, 'nothing') AS f FROM w ORDER BY i

SELECT i FROM w WHERE regexp_matches(s, '^[a-z.]+,') AND regexp_matches(s, 'c{2}$') ORDER BY i

SELECT i, regexp_replace(s, 'b', 'x\\y') AS a, regexp_replace(s, 'b', 'x\y') AS b, regexp_replace(s, '(o+)', '[\1\10]') AS c, regexp_replace(s, 'b', '\0$0', 'g') AS d FROM w ORDER BY i

error: SELECT regexp_matches(s, '(') FROM w

error: SELECT regexp_matches(s, 'a)') FROM w

error: SELECT regexp_matches(s, '[a') FROM w

error: SELECT regexp_replace(s, '*', 'x') FROM w

-- Patterns that are no constants, and names of groups.
CREATE TABLE p (i INTEGER, s VARCHAR, p VARCHAR, d DATE, t TIMESTAMP)

INSERT INTO p VALUES (1, 'abc123', '([a-z]+)(\d+)', '2026-02-03', '2026-02-03 04:05:06.7'), (2, E'a\n', 'a$', '0044-03-15 (BC)', '1969-12-31 23:59:59'), (3, NULL, 'x', NULL, NULL), (4, 'axxxb', 'x*', 'infinity', 'infinity'), (5, 'ſK', '(?i)sk', '2000-01-01', '2000-01-01'), (6, 'aXbX', 'X', '-infinity', '-infinity'), (7, 'é a', '\w', '0001-01-01', '0001-01-01'), (8, 'b', NULL, '9999-12-31', '9999-12-31'), (9, '', '', '1970-01-01', '1970-01-01')

SELECT i, regexp_matches(s, p) AS a, regexp_full_match(s, p) AS b, s ~ p AS c, s SIMILAR TO p AS d, regexp_matches(s, p, 'i') AS e, regexp_extract(s, p) AS f, regexp_extract(s, '(' || p || ')', 1) AS g, regexp_extract_all(s, p) AS h, regexp_split_to_array(s, p) AS j FROM p ORDER BY i

SELECT i, regexp_replace(s, p, '<\0>') AS a, regexp_replace(s, p, '<\0>', 'g') AS b, string_split_regex(s, 'x*') AS c, string_split_regex(s, 'b|') AS d, string_split_regex(s, '') AS e, string_split_regex(s, NULL) AS f FROM p ORDER BY i

SELECT i, regexp_extract(s, '([a-z]+)(\d+)', ['l', 'd']) AS a, regexp_extract(s, '([a-z]+)(\d+)', ['l', 'd']).d AS b, regexp_extract_all(s, '(.)(.)', ['x', 'y']) AS c FROM p ORDER BY i

SELECT i, strftime(d, '%U %W %-y %Y') AS a, strftime(t, '%-y %U') AS b FROM p ORDER BY i

SELECT i FROM p WHERE regexp_matches(s, p) AND CASE WHEN i < 5 THEN s ~ (p || '$') ELSE true END ORDER BY i

error: SELECT regexp_matches(s, '(' || s) FROM p

error: SELECT regexp_extract(s, '(a)', ['a', 'b']) FROM p

error: SELECT regexp_extract(s, p, ['a']) FROM p

error: SELECT strftime(d, p) FROM p

-- Formats.
CREATE TABLE n (i INTEGER, x DOUBLE, f FLOAT, e DECIMAL(10,3), h HUGEINT, b BOOLEAN, s VARCHAR, d DATE, l INTEGER[])

INSERT INTO n VALUES (1, 0.25, 0.125, 2.675, 12345678901234567890, true, 'é', '2020-02-03', [1, 2]), (2, 'nan', 'inf', -0.005, -1, false, '', NULL, NULL), (3, 1e20, 1e-7, 9999999.999, 0, NULL, 'abc', '1999-12-31', []), (4, -0.0, 2.5, NULL, 5, true, NULL, '2000-01-01', [3])

SELECT i, printf('%.1f|%5.2f|%e|%g', x, x, x, x) AS a, format('{:.1f}|{}|{:10.3f}|{:e}', x, x, x, x) AS b, format('{}|{:.2f}', f, f) AS c, format('{}|{:.2f}', e, e) AS d, printf('%s %d %.1f', s, i, x) AS e, format('{0} {1} {0}', x, s) AS f, format('{} {} {} {:.1f}', d, b, l, x) AS g, format('{:d}', h) AS h FROM n ORDER BY i

SELECT i, format('{:+.2f}|{:<8.1f}|{:^9.1f}|{:*>9.1f}', x, x, x, x) AS a, format('{:.0f}', 2.5::DOUBLE) AS b, printf('%.0f', 0.5) AS c, format('{:.1f}', NULL) AS d, printf('%f', NULL) AS e FROM n ORDER BY i

error: SELECT printf('%d', 1.5)
