"""A history that uses everything DuckLake has, written by DuckDB itself."""

from pathlib import Path

from tests.interop.ducklake import duckdb_with_ducklake, write

_ALL_TYPES = (
    "a INTEGER, b VARCHAR, s STRUCT(x INTEGER, y VARCHAR[]), d DECIMAL(10,2), ts TIMESTAMP, tz TIMESTAMPTZ, bl BLOB,"
    " u UUID, f DOUBLE, bo BOOLEAN, h HUGEINT, dt DATE, tm TIME, iv INTERVAL, m MAP(VARCHAR, INTEGER), j JSON,"
    " ub UBIGINT, r FLOAT, si SMALLINT"
)
_A_ROW = (
    "(1, 'it''s, \"x\"', {'x': 1, 'y': ['a, b', 'c''d']}, 1.50, '2020-01-01 01:02:03.123456', '2020-01-01 01:02:03+02',"
    " '\\xAA\\x00b'::BLOB, '00000000-0000-0000-0000-000000000001', 0.1, true, 170141183460469231731687303715884105727,"
    " '2020-01-02', '01:02:03', '1 month 2 days 3 hours', MAP {'k,': 1}, '{\"a\": [1, 2]}',"
    " 18446744073709551615, 1.5, -3)"
)
_NOTHING = "(2, '', {'x': NULL, 'y': []}, NULL, NULL, NULL, NULL, NULL, 'nan', false" + ", NULL" * 9 + ")"

TYPES = (
    f"CREATE TABLE kinds ({_ALL_TYPES})",
    f"INSERT INTO kinds VALUES {_A_ROW}, {_NOTHING}",
)

TABLES = (
    "CREATE TABLE t (a INTEGER, b VARCHAR DEFAULT 'none', s STRUCT(x INTEGER, y VARCHAR[]), d DECIMAL(10,2) NOT NULL)",
    "INSERT INTO t VALUES (1, 'one', {'x': 1, 'y': ['p']}, 1.50), (2, NULL, NULL, 2)",
    "BEGIN",
    "CALL {lake}.set_commit_message('ann', 'more rows', extra_info => '{\"k\": 1}')",
    "INSERT INTO t SELECT i, 'n' || i, {'x': i, 'y': []}, i FROM range(100, 140) r(i)",
    "COMMIT",
    "UPDATE t SET b = 'changed' WHERE a IN (1, 105)",
    "DELETE FROM t WHERE a = 110",
    "DELETE FROM t WHERE a BETWEEN 120 AND 135",
    "ALTER TABLE t ADD COLUMN n BIGINT DEFAULT 7",
    "ALTER TABLE t ADD COLUMN s.z DOUBLE",
    "INSERT INTO t VALUES (3, 'c', {'x': 3, 'y': ['q'], 'z': 1.5}, 3, 8)",
    "ALTER TABLE t RENAME COLUMN b TO bb",
    "ALTER TABLE t RENAME TO t2",
    "ALTER TABLE t2 DROP COLUMN d",
    "ALTER TABLE t2 ALTER a TYPE BIGINT",
)

OBJECTS = (
    "CREATE VIEW v AS SELECT a, bb FROM t2 WHERE a < 10",
    "CREATE MACRO plus(x, y := 2) AS x + y",
    "CREATE MACRO up_to(n) AS TABLE SELECT * FROM t2 WHERE a < n",
    "COMMENT ON TABLE t2 IS 'a table'",
    "COMMENT ON COLUMN t2.bb IS 'a column'",
    "COMMENT ON VIEW v IS 'a view'",
    "CREATE TABLE gone (i INTEGER)",
    "INSERT INTO gone VALUES (1)",
    "DROP TABLE gone",
    "CREATE TABLE gone (i VARCHAR)",
    "INSERT INTO gone VALUES ('x')",
    "DROP VIEW v",
    "CREATE VIEW v (first) AS SELECT a FROM t2",
)

LAYOUT = (
    "CREATE SCHEMA second",
    "CREATE TABLE second.p (i INTEGER, k VARCHAR, ts TIMESTAMP)",
    "ALTER TABLE second.p SET PARTITIONED BY (k, year(ts), bucket(4, i))",
    "INSERT INTO second.p SELECT i, 'k' || (i % 2), TIMESTAMP '2020-01-01' + INTERVAL (i * 100) DAY"
    " FROM range(30) r(i)",
    "ALTER TABLE second.p SET SORTED BY (i DESC)",
    "CALL {lake}.set_option('parquet_compression', 'zstd', table_name => 'p', schema => 'second')",
    "CALL {lake}.set_option('target_file_size', '64MB')",
)

MERGED = (
    "CREATE TABLE m (i INTEGER)",
    *(f"INSERT INTO m SELECT i FROM range({part * 100}, {part * 100 + 20}) r(i)" for part in range(4)),
    "CALL ducklake_merge_adjacent_files('{lake}')",
    "DELETE FROM m WHERE i = 105",
    "DELETE FROM m WHERE i IN (1, 2)",
    "CREATE TABLE flushed (i INTEGER)",
    "INSERT INTO flushed VALUES (1)",
    "INSERT INTO flushed VALUES (2), (3)",
    "DELETE FROM flushed WHERE i = 2",
    "CALL ducklake_flush_inlined_data('{lake}', table_name => 'flushed')",
    "CALL {lake}.set_option('data_inlining_row_limit', '0', table_name => 'm')",
    "DELETE FROM m WHERE i = 301",
    "DELETE FROM m WHERE i = 302",
)


def write_everything(url: str, directory: Path) -> None:
    """Write the whole history, with files added by name among it."""
    added = directory / "added"
    (added / "k=7").mkdir(parents=True)
    duckdb_with_ducklake().execute(f"COPY (SELECT 41 AS i, 'x' AS w) TO '{added / 'k=7' / 'part.parquet'}'")
    adopted = (
        "CREATE TABLE adopted (i BIGINT, w VARCHAR, k INTEGER)",
        "INSERT INTO adopted VALUES (1, 'own', 2)",
        f"CALL ducklake_add_data_files('{{lake}}', 'adopted', '{added}/k=7/part.parquet', hive_partitioning => true)",
    )
    write(url, directory / "data", *TYPES, *TABLES, *OBJECTS, *LAYOUT, *MERGED, *adopted)
