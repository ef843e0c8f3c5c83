-- Upper and lower case, letter by letter, and the blanks that trim takes away.

CREATE TABLE codes AS SELECT i::INTEGER AS i, chr(i::INTEGER) AS s FROM range(33, 8600) r(i)

INSERT INTO codes SELECT i::INTEGER, chr(i::INTEGER) FROM range(8600, 55296) r(i) WHERE upper(chr(i::INTEGER)) <> chr(i::INTEGER) OR lower(chr(i::INTEGER)) <> chr(i::INTEGER)

INSERT INTO codes SELECT i::INTEGER, chr(i::INTEGER) FROM range(57344, 131072) r(i) WHERE upper(chr(i::INTEGER)) <> chr(i::INTEGER) OR lower(chr(i::INTEGER)) <> chr(i::INTEGER)

SELECT i, upper(s) AS u, lower(s) AS l FROM codes WHERE upper(s) <> s OR lower(s) <> s ORDER BY i

SELECT count(*) AS n, string_agg(upper(s) || lower(s), '' ORDER BY i) AS all_letters FROM codes

SELECT i, s ILIKE upper(s) AS a, s ILIKE lower(s) AS b, upper(s) ILIKE 'ß%' AS c, s ILIKE 'K' AS d, s ILIKE 'Σ' AS e FROM codes WHERE upper(s) <> s OR lower(s) <> s ORDER BY i

SELECT i FROM codes WHERE trim(s || 'x' || s) = 'x' OR ltrim(s || 'x') = 'x' OR rtrim('x' || s) = 'x' ORDER BY i

CREATE TABLE words (i INTEGER, s VARCHAR)

INSERT INTO words VALUES (1, 'Straße'), (2, '  İstanbul '), (3, 'ΑΣ'), (4, NULL), (5, ''), (6, E'\t x \n'), (7, '🦆 Ducks'), (8, 'ǅ ﬁ ŉ'), (9, chr(160) || 'x' || chr(12288))

SELECT i, upper(s) AS a, lower(s) AS b, trim(s) AS c, ltrim(s) AS d, rtrim(s) AS e, upper(lower(upper(s) || '!')) AS f, trim(s, 'Ss ') AS g, s ILIKE '%SS%' AS h, s ILIKE '_s%' AS j, s NOT ILIKE '%ı%' AS k FROM words ORDER BY i

SELECT s ILIKE 'aX%b' ESCAPE 'X' AS a, s ILIKE 'Ax%b' ESCAPE 'x' AS b FROM (VALUES ('a%b'), ('axxb'), ('AX%B')) v(s) ORDER BY ALL

SELECT i FROM words WHERE s ILIKE s AND upper(s) = upper(lower(s)) ORDER BY i

-- Texts of many letters, which our own patterns for Spark are matched with.

SELECT length(json(concat('{"a" : "', repeat(x, 20000), '"}'))) AS j, json_array(json(concat('["', repeat(x, 20000), '" ]'))) = concat('[["', repeat(x, 20000), '"]]') AS a FROM (VALUES ('ab'), ('\n')) t(x) ORDER BY ALL

SELECT octet_length(CAST(repeat(x, 20000) AS BLOB)) AS b FROM (VALUES ('ab'), ('\x00')) t(x) ORDER BY ALL
