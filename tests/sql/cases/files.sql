-- Files of all formats, written by COPY and read by functions and by name.
CREATE TABLE t AS SELECT i::INTEGER AS i, i % 3 AS g, CASE WHEN i <> 3 THEN 'n' || i END AS n, DATE '2024-01-01' + i::INTEGER AS d, [i, i] AS l FROM range(10) r(i)

COPY (SELECT i, g, n, d FROM t) TO 'a.csv'

FROM 'a.csv' ORDER BY i

SELECT * FROM read_csv('a.csv', header=true, columns={'i': 'BIGINT', 'g': 'TINYINT', 'n': 'VARCHAR', 'd': 'VARCHAR'}) ORDER BY i

COPY t TO 'a.json'

FROM 'a.json' ORDER BY i

COPY (SELECT i, n FROM t) TO 'b.tsv' (DELIM '|', HEADER false, NULLSTR 'nil')

SELECT * FROM read_csv('b.tsv', delim='|', header=false, nullstr='nil') ORDER BY 1

CREATE TABLE u (i INTEGER, g BIGINT, n VARCHAR, d DATE)

COPY u FROM 'a.csv'

COPY u (n, i) FROM 'b.tsv' (DELIM '|', HEADER false, NULL 'nil', FORMAT csv, IGNORE_ERRORS true)

COPY u FROM 'a.json' (FORMAT json)

FROM u ORDER BY ALL

error: COPY u FROM 'nothing.csv'

error: COPY u TO 'x.xlsx' (FORMAT xlsx)

error: SELECT * FROM read_csv('a.csv', nothing=1)

error: FROM 'nothing.csv'

COPY (SELECT 1 AS a, 2 AS b) TO 'u1.parquet'

COPY (SELECT 3::BIGINT AS b, 'x' AS c) TO 'u2.parquet'

SELECT * FROM read_parquet(['u1.parquet', 'u2.parquet'], union_by_name=true, filename=true) ORDER BY b

COPY (SELECT i, g, n FROM t) TO 'p' (FORMAT parquet, PARTITION_BY (g), OVERWRITE_OR_IGNORE true)

SELECT * FROM read_parquet('p/**/*.parquet', filename=true) ORDER BY i

SELECT * FROM read_parquet('p/*/*.parquet', hive_partitioning=false) ORDER BY i

FROM 'p/**/*.parquet' ORDER BY i

-- Of two directories with one key the outer one counts; keys that differ are no columns, unless it is said that they are.
COPY (SELECT 1 AS i, 'inner' AS k) TO 'twice' (FORMAT parquet, PARTITION_BY (k), OVERWRITE_OR_IGNORE true)

COPY (SELECT 2 AS i, 'other' AS j) TO 'twice/k=inner' (FORMAT parquet, PARTITION_BY (j), OVERWRITE_OR_IGNORE true)

COPY (SELECT 3 AS i, 'third' AS k) TO 'twice/k=inner' (FORMAT parquet, PARTITION_BY (k), OVERWRITE_OR_IGNORE true)

FROM 'twice/k=inner/k=third/*.parquet'

FROM 'twice/**/*.parquet' ORDER BY i

error: FROM read_parquet('twice/**/*.parquet', hive_partitioning=true)

-- What a directory says takes the place of the file's own column.
COPY (SELECT 1 AS i, 5 AS k) TO 'held' (FORMAT parquet, PARTITION_BY (k), OVERWRITE_OR_IGNORE true)

COPY (SELECT 2 AS i, 9::TINYINT AS "K", 'x' AS b) TO 'held/k=5/own.parquet'

FROM 'held/k=5/own.parquet'

FROM read_parquet('held/**/*.parquet', union_by_name=true) ORDER BY i

FROM read_parquet(['held/k=5/data_0.parquet', 'held/k=5/own.parquet']) ORDER BY i

-- Columns of directories are in the order of their names.
COPY (SELECT i, i + 100 AS z, i AS "B", 'x' AS a FROM range(3) t(i)) TO 'ordered' (FORMAT parquet, PARTITION_BY (z, a, "B"), OVERWRITE_OR_IGNORE true)

FROM 'ordered/**/*.parquet' ORDER BY i

COPY (SELECT i, g, n FROM t) TO 'pc' (FORMAT csv, PARTITION_BY (g), OVERWRITE_OR_IGNORE true)

SELECT * FROM read_csv('pc/**/*.csv') ORDER BY i

COPY (SELECT {'a': [1, 2]} AS s, MAP {'k': 1} AS m, '{"x": 1}'::JSON AS j, TIMESTAMP '2024-01-01 01:02:03' AS ts) TO 'z.json.gz' (ARRAY true)

FROM 'z.json.gz'
