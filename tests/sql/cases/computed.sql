-- Functions that DuckDB computes for both engines: texts, vectors, JSON, lists, numbers, moments.
CREATE TABLE w (id INTEGER, a VARCHAR, b VARCHAR, n BIGINT, x DOUBLE, y DOUBLE, d DATE)

INSERT INTO w VALUES (1, 'duck', 'dark', 5, 0.5, 2.5, '2024-02-29'), (2, 'Müller', 'Mueller', 1536, -0.0, 3.5, '2023-02-01'), (3, 'äöü/x.txt', 'a b', 0, 5, 0.1, '1900-12-31'), (4, NULL, 'x', NULL, NULL, 1, NULL), (5, '', '', 123456789012, 'nan', 'inf', 'infinity'), (6, 'crème brûlée', 'creme brulee', 7, 100, -1, '0001-01-01')

SELECT id, jaro_similarity(a, b) AS a, jaro_winkler_similarity(a, b) AS b, damerau_levenshtein(a, b) AS c, jaro_winkler_similarity(a, 'duck') AS d, jaro_similarity(a, b, 0.9) AS e FROM w ORDER BY id

SELECT id, jaccard(a, b) AS a FROM w WHERE id <> 5 ORDER BY id

SELECT id, hamming(a, 'duck') AS a, mismatches(b, 'park') AS b FROM w WHERE id = 1

error: SELECT id, hamming(a, b) AS a FROM w ORDER BY id

SELECT id, CASE WHEN strlen(a) = strlen(b) AND a <> '' THEN hamming(a, b) END AS a FROM w ORDER BY id

SELECT id, strip_accents(a) AS a, nfc_normalize(a) AS b, url_encode(a) AS c, url_decode(url_encode(a)) AS d, length_grapheme(a) AS e, substring_grapheme(a, 2, 3) AS f, regexp_escape(a) AS g FROM w ORDER BY id

SELECT id, parse_filename(a) AS a, parse_filename(a, true) AS b, parse_path(a) AS c, parse_dirname(a) AS d, parse_dirpath(a) AS e FROM w ORDER BY id

SELECT id, format_bytes(n) AS a, formatReadableSize(n * 1000) AS b, formatReadableDecimalSize(n) AS c, to_base(n, 36) AS d, to_base(n, 2, 12) AS e, to_binary(a) AS f, to_binary(n) AS g FROM w ORDER BY id

SELECT from_binary('0110000101') AS a, unbin('') AS b, bar(5, 0, 10) AS c, bar(3, 0, 10, 20) AS d

error: SELECT from_binary(a) FROM w ORDER BY id

SELECT id, gamma(y) AS a, lgamma(y) AS b, nextafter(x, y) AS c, signbit(x) AS d, fdiv(n, 4) AS e, round_even(y, 0) AS f, roundbankers(y, 1) AS g, nextafter(1::FLOAT, 2::FLOAT) AS h FROM w WHERE id NOT IN (5, 6) ORDER BY id

SELECT id, days_in_month(d) AS a, julian(d) AS b FROM w WHERE id <> 5 ORDER BY id

SELECT make_timestamptz(2024, 2, 29, 12, 30, 1.5) AS a, make_timestamptz(2024, 2, 29, 12, 30, 1.5, 'Europe/Berlin') AS b, make_timestamptz(1700000000000000) AS c

-- Where queries may have them.
SELECT max(jaro_similarity(a, b)) AS a, count(*) FILTER (jaro_similarity(a, b) > 0.8) AS b, damerau_levenshtein(max(a), min(b)) AS c FROM w

SELECT damerau_levenshtein(a, b) AS a, count(*) AS b FROM w GROUP BY damerau_levenshtein(a, b) ORDER BY a

SELECT id, row_number() OVER (ORDER BY jaro_similarity(a, b), id) AS a, sum(damerau_levenshtein(a, b)) OVER (ORDER BY id) AS b FROM w ORDER BY id

SELECT w.id, v.id AS other FROM w JOIN w AS v ON jaro_similarity(w.a, v.b) > 0.7 ORDER BY ALL

SELECT id FROM w WHERE strip_accents(a) = b ORDER BY jaro_similarity(a, 'x'), id

SELECT id FROM w WHERE EXISTS (SELECT 1 FROM w AS v WHERE strip_accents(v.a) = w.b) ORDER BY id

SELECT id, strip_accents(upper(strip_accents(a)) || url_encode(b)) AS a FROM w ORDER BY id

UPDATE w SET b = strip_accents(a) WHERE jaro_similarity(a, b) BETWEEN 0.7 AND 0.99

DELETE FROM w WHERE damerau_levenshtein(a, b) > 8

INSERT INTO w (id, a) SELECT id + 10, url_encode(a) FROM w WHERE id < 4

SELECT id, a, b FROM w ORDER BY id

MERGE INTO w USING (SELECT 1 AS id, 'dück' AS a) AS s ON strip_accents(s.a) = strip_accents(w.a) WHEN MATCHED THEN UPDATE SET a = strip_accents(s.a) || '!' WHEN NOT MATCHED THEN INSERT (id, a) VALUES (99, s.a)

SELECT id, a, b FROM w ORDER BY id

-- Vectors.
CREATE TABLE v (id INTEGER, e FLOAT[], f DOUBLE[], i INTEGER[])

INSERT INTO v VALUES (1, [0.1, 0.2, 0.3], [1, 2, 3], [3, 1, 2]), (2, [-1, 0.5, 0.25], [0.1, 0.7, -3], [1, 1, 1]), (3, NULL, [1, 2, 3], NULL), (4, [0, 0, 0], [0, 0, 0], [0, 5, 5])

SELECT id, list_cosine_similarity(e, [0.3, 0.1, 0.7]::FLOAT[]) AS a, list_cosine_distance(f, [0.3, 0.1, 0.7]) AS b, list_distance(e, e) AS c, list_inner_product(f, f) AS d, list_dot_product(f, [1, 2, 3]) AS e, list_negative_inner_product(f, [1, 2, 3]) AS f, list_negative_dot_product(i, i) AS g FROM v WHERE id <> 4 ORDER BY id

SELECT id, list_cosine_similarity(f, f) AS a FROM v ORDER BY id

SELECT id FROM v WHERE e IS NOT NULL ORDER BY list_distance(e, [0.1, 0.2, 0.2]::FLOAT[]) LIMIT 1

error: SELECT list_distance(f, [1, 2]) FROM v

error: SELECT list_distance(f, [1, NULL, 2]) FROM v

-- Lists.
SELECT id, list_median(i) AS a, list_mode(i) AS b, list_stddev_samp(f) AS c, list_stddev_pop(f) AS d, list_var_samp(f) AS e, list_var_pop(i) AS f, list_entropy(i) AS g, list_histogram(i) AS h, list_mad(i) AS i, list_sem(f) AS j, list_skewness(f) AS k, list_kurtosis_pop(f) AS l, list_kurtosis(f) AS m FROM v ORDER BY id

SELECT id, list_grade_up(i) AS a, list_grade_up(f, 'DESC') AS b, list_where(i, [true, false, true]) AS c, grade_up(i, 'ASC', 'NULLS FIRST') AS d, list_bit_and(i) AS e, list_bit_or(i) AS f, list_bit_xor(i) AS g, list_approx_count_distinct(i) AS h, list_aggregate(i, 'median') AS i, list_aggregate(f, 'stddev_pop') AS j FROM v ORDER BY id

-- Lists without elements, and rows that fail beside others that do not.
SELECT id, list_where(a, b) AS a, list_where(a[9:], b) AS b FROM (VALUES (1, []::DOUBLE[], [true, false, true]), (2, NULL, [true]), (3, [], [])) t(id, a, b) ORDER BY id

SELECT id, CASE WHEN id NOT IN (2, 5) THEN list_cosine_similarity(a, b) END AS c, CASE WHEN id < 5 AND id <> 2 THEN list_inner_product(a, [1, 2]) END AS d FROM (VALUES (1, [1.5, 2], [1.0, 2]), (2, [NULL, 1], [1.0, 2]), (3, NULL, [2.0]), (4, [1.0, 2], [3, 4]), (5, [], [NULL])) t(id, a, b) ORDER BY id

-- JSON.
CREATE TABLE j (id INTEGER, j JSON)

INSERT INTO j VALUES (1, '{"a": {"b": [1, 2]}, "c": null}'), (2, '[1, "x", {"a": 2}]'), (3, NULL), (4, '"t"'), (5, '{"a": 1.5}')

SELECT id, json_exists(j, '$.a') AS a, json_exists(j, '$.a.b[1]') AS b, json_contains(j, '1') AS c, json_contains(j, '{"a": 2}') AS d, json_value(j, '$.a') AS e, json_value(j, '$.a.b[0]') AS f, json_structure(j) AS g, json_merge_patch(j, '{"z": 1, "a": null}') AS h, json_pretty(j) AS i FROM j ORDER BY id

-- Paths that Spark does not have: with wildcards, from the end, of columns, and what may be a name or a place.
SELECT id, j -> '$.*' AS a, j ->> '$[*]' AS b, json_extract(j, '$..b') AS c, j -> '$[#-1]' AS d, j -> -1 AS e, j ->> ('$.' || chr(96 + id)) AS f, j -> '/a/b/0' AS g, j -> '/1' AS h, j -> '' AS i, j -> 'a*' AS k FROM j ORDER BY id

SELECT id, json_type(j, '$[*]') AS a, json_type(j, '$.a') AS b, json_array_length(j, '$.*') AS c, json_array_length(j, '$.a.b') AS d, json_keys(j, '$.a') AS e, json_keys(j, '$[2]') AS f FROM j ORDER BY id

SELECT '{"a/b": 1, "c~d": 2, "e f": 3, "g''h": 4}' -> '/a~1b' AS a, '{"c~d": 2}'::JSON -> '/c~0d' AS b, '{"e f": 3}'::JSON -> 'e f' AS c, '{"g''h": 4}'::JSON -> 'g''h' AS d, '{"a": 3}'::JSON -> NULL AS e, '{"a.b": 5}'::JSON ->> '$."a.b"' AS f

error: SELECT j -> '$.a.' FROM j

error: SELECT json_extract(j, '$x') FROM j

SELECT id, json_transform(j, '{"a": "DOUBLE", "z": ["INTEGER"]}') AS a, from_json(j, '["VARCHAR"]') AS b FROM j WHERE id <> 4 ORDER BY id

SELECT json_transform_strict('{"a": 1}', '{"a": "TINYINT"}') AS a, from_json_strict('[1, 2]', '["BIGINT"]') AS b

error: SELECT json_transform_strict(j, '{"a": "DATE"}') AS a FROM j

-- Values of all types are JSON to functions of JSON.
SELECT id, json_type(id) AS a, json_valid(d) AS b, json_array_length([id, 2]) AS c, json_keys({'x': id}) AS d, json_extract(d, '$') AS e, {'x': [id]} -> '$.x[0]' AS f, json_contains([id, 2], '1') AS g, json_merge_patch({'x': id}, '{"y": 2}') AS h, json_pretty([id]) AS i, json_structure(id) AS j, json_transform({'x': id}, '{"x": "VARCHAR"}') AS k, json_exists({'x': id}, '$.x') AS l, json_value(id = 1, '$') AS m, d ->> '$' AS n, json_extract([id, 7], '$[#-1]') AS o, json_type(d, '$') AS p, json_valid(NULL) AS q, json_transform_strict(MAP {'x': id}, '{"x": "DOUBLE"}') AS r FROM (VALUES (1, DATE '2020-01-02'), (2, NULL)) t(id, d) ORDER BY id

SELECT json_contains('{"a": 1}'::JSON, {'a': 1}) AS a, json_merge_patch('{"a": 1}', {'b': 1.5}) AS b, json_structure(INTERVAL 1 DAY) AS c, json_keys([1]) AS d

SELECT id, struct_update({'a': id, 'b': b}, b := 1, c := a) AS a, struct_update({'a': 1}, A := 'x') AS b FROM w ORDER BY id

-- texts that become moments
CREATE TABLE said (id INTEGER, a VARCHAR)

INSERT INTO said VALUES (1, '2020-02-29'), (2, ' 2020-2-1 '), (3, '2020-02-30'), (4, 'abc'), (5, NULL), (6, ''), (7, 'infinity'), (8, '29 Feb 2020 07:08:09.5 PM'), (9, '29 february 2020 7:8:9 am'), (10, 'Monday 1.1.70'), (11, '2020-02-29 +05:30'), (12, '2020-366'), (13, '-0044-03-15'), (14, '20200229'), (15, '2020-02-29x')

SELECT id, try_strptime(a, '%Y-%m-%d') AS a, try_strptime(a, 'abc') AS b, try_strptime(a, '%d %b %Y %I:%M:%S.%f %p') AS c, try_strptime(a, '%d %B %Y %H:%M:%S %p') AS d, try_strptime(a, '%A %-d.%-m.%y') AS e, try_strptime(a, '%Y-%j') AS f, try_strptime(a, '%Y%m%d') AS g, try_strptime(a, NULL) AS h FROM said ORDER BY id

SELECT id, try_strptime(a, '%Y-%m-%d %z') AS a, typeof(try_strptime(a, '%Y-%m-%d %z')) AS b FROM said ORDER BY id

SELECT id, CASE WHEN id = 1 THEN strptime(a, '%Y-%m-%d') END AS a, strptime(a[:0] || '1999', '%Y') AS b FROM said ORDER BY id

SELECT strptime('2020-02-29', '%Y-%m-%d') + INTERVAL 1 DAY AS a, try_strptime('x', '%Y') AS b, strptime(NULL, '%Y') AS c

SELECT id, try_strptime(a, ['%Y-%m-%d', '%d %b %Y %I:%M:%S.%f %p', NULL, '%Y%j']) AS a, try_strptime(a, ['%d', '%Y']) AS b, try_strptime(a, NULL::VARCHAR[]) AS c, try_strptime(a, NULL::VARCHAR) AS d, try_strptime(a, ['abc']) AS e FROM said ORDER BY id

SELECT strptime(b, ['%Y', '%d, %Y', '%d: ''%Y''', '[%Y]', '{%Y}', 'null', '"%y"']) AS a FROM (VALUES ('2020'), ('3, 1999'), ('4: ''1998'''), ('[1997]'), ('{1996}'), ('null'), ('"95"'), (NULL)) t(b)

SELECT try_strptime('3 1999 +02', ['%Y', '%d %Y %z']) AS a, typeof(try_strptime('x', ['%Y', '%d %n'])) AS b, strptime(NULL, ['%Y']) AS c, strptime('20' || '20', ['%d', '%Y']) AS d, strptime('x', NULL::VARCHAR[]) AS e, strptime('20', '[%d, %Y]'::VARCHAR[]) AS f

error: SELECT strptime(a, ['%Y-%m-%d', '%Y']) AS a FROM said WHERE id IN (1, 3)

error: SELECT strptime(a, ['%Y', '%Q']) AS a FROM said

error: SELECT strptime(a, ['%Y', 3]) AS a FROM said

error: SELECT strptime(a, []) AS a FROM said

error: SELECT strptime(a, '[]'::VARCHAR[]) AS a FROM said

error: SELECT strptime(a, [NULL]) AS a FROM said

error: SELECT strptime(a, [a]) AS a FROM said

error: SELECT strptime(a, '%Y-%m-%d') AS a FROM said WHERE id IN (1, 3)

error: SELECT strptime(a, '%Q') AS a FROM said
