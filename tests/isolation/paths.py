"""Spellings of paths that lead out of a session's directories, and statements that take a path."""

from __future__ import annotations

from typing import Final

from forklake.session.listings import system_files
from forklake.session.safety import permissions

PATHS: Final = (
    # As they are.
    "{file}", "{out}/canary-name.csv", "{out}/canary-name.json", "{out}/*", "{out}/**", "{out}", "{out}/", "{dir}/*",
    "{dir}/**/*.parquet", "{dir}", "{store}", "{store}-wal", "{theirs}", "{theirs}/", "{theirs}/*", "{theirs}/**",
    "{theirs}/**/*.parquet", "{theirs}/main/ledger/*.parquet", "{theirs}/main/*/*", "{theirs}/new.parquet",
    "{out}/new.parquet",
    "/etc/passwd", "/etc/*", "/proc/self/environ", "/proc/self/cwd/*", "/dev/stdin", "/", "/**",
    # From here, and from home.
    "lake.db", "./lake.db", "outside/canary-name.parquet", "./outside/*", "{from_here}/**/*.parquet",
    "./{from_here}/**",
    "**", "**/*", "*", "~", "~/x.parquet", "~root/x", "$HOME/x", "${{HOME}}/x",
    # Up and around.
    "{own}/{way}/main/ledger/*.parquet", "{own}/{way}/**", "{own}/../**", "{own}/..", "{own}/../../outside/*",
    "{own}/main/../{way}/**", "{own}/./{way}/**", "{own}//..//*", "{own}/.../../{way}/*", "{own}/*/../{way}/**",
    "{own}/main/t/../../../../outside/*", "{own}/\\x2e\\x2e/{way}/*", "{own}\\..\\x.parquet",
    "{own}/..\\..\\outside\\*",
    # Neighbours whose names begin alike, and other cases.
    "{own}-evil/x.parquet", "{own}evil/x.parquet", "{own}?/*", "{own}*/**", "{OWN}/../*", "{THEIRS}/**",
    # Links.
    "{own}/link/main/ledger/*.parquet", "{own}/link/**", "{own}/link", "{own}/linked.parquet", "{own}/*.parquet",
    "{own}/**/*.parquet", "{own}/l*/**", "{own}/link/new.parquet",
    # Schemes.
    "file://{file}", "FILE://{file}", "file:{file}", "file:///{file}", "file://localhost{file}", "file://{theirs}/**",
    "s3://bucket/x.parquet", "s3a://bucket/x.parquet", "gs://bucket/x", "http://localhost/x.parquet",
    "https://example.com/x.csv", "hdfs://localhost/x.parquet", "jdbc:sqlite:{store}", "ducklake:{store}",
    "sqlite:{store}",
    "memory:x", "data:text/csv,a", "zip://{file}", "//{file}",
    # Braces, codes, and letters that end a text.
    "{own}/{a,../../outside}/canary-name.parquet", "{own}/{x=1,{way}}/**", "{own}/[.][.]/*", "{own}/%2e%2e/x.parquet",
    "{own}/..%2foutside/x", "{own}/x.parquet?../../x", "{own}/x#/../../../outside/*", "{file}\x01", "{own}/\t../x",
    "{own}/..;/x", " {file}", "{file} ", "{own}/\u2025/{way}/*", "{own}/\uff0e\uff0e/{way}/*", "{file}::1", "",
)  # fmt: skip
"""All of them, those that name nothing too: what is said of them must not depend on what is there."""

FUNCTIONS_OF_FILES: Final = tuple(
    sorted(
        {*permissions.FILE_FUNCTIONS, *system_files.FOOTER_FUNCTIONS, *system_files._READERS, "read_xlsx", "sniff_csv"}
    )
)

READS: Final = (
    *(f"FROM {name}('{{}}')" for name in FUNCTIONS_OF_FILES),
    *(f"FROM {name}(['{{own}}/no.parquet', '{{}}'])" for name in ("read_parquet", "read_csv", "read_text", "glob")),
    "FROM '{}'",
    'FROM "{}"',
    "SELECT (SELECT min(s) FROM '{}')",
    "FROM (FROM '{}') x JOIN t ON x.s = t.s",
    "COPY t (s) FROM '{}' (FORMAT parquet)",
    "COPY t FROM '{}' (FORMAT csv, HEADER)",
    "COPY t (s) FROM '{}' (FORMAT json)",
    "COPY (FROM read_parquet('{}')) TO '{own}/stolen.parquet'",
    "INSERT INTO t SELECT 1, s FROM '{}'",
    "CREATE OR REPLACE TABLE stolen AS FROM read_text('{}'); FROM stolen",
    "CREATE OR REPLACE TEMP VIEW stolen AS FROM '{}'; FROM stolen",
    "CREATE OR REPLACE TEMP MACRO thief(p) AS TABLE FROM read_text(p); FROM thief('{}')",
    "CREATE OR REPLACE MACRO thief() AS (SELECT max(content) FROM read_text('{}')); SELECT thief()",
    "PREPARE theft AS FROM read_csv(?); EXECUTE theft('{}')",
    "SET VARIABLE place = '{}'; FROM read_text(getvariable('place'))",
    "DESCRIBE FROM '{}'",
    "SUMMARIZE FROM '{}'",
    "EXPLAIN ANALYZE FROM '{}'",
    "PIVOT '{}' ON s USING count(*)",
    "PRAGMA table_info('{}')",
    "IMPORT DATABASE '{}'",
    "CALL ducklake_add_data_files('{me}', 't', '{}')",
    "CALL ducklake_add_data_files('{me}', 't', ['{}'], allow_missing => true)",
    "ATTACH '{}' AS x (TYPE ducklake)",
)
"""Statements that read the file of a path."""

WRITES: Final = (
    "COPY t TO '{}'",
    "COPY t TO '{}' (FORMAT parquet)",
    "COPY t TO '{}' (FORMAT csv)",
    "COPY t TO '{}' (FORMAT json, PARTITION_BY (s))",
    "COPY t TO '{}' (FORMAT parquet, PARTITION_BY (s), OVERWRITE_OR_IGNORE)",
    "COPY t TO '{}' (FORMAT parquet, PARTITION_BY (s), OVERWRITE)",
    "COPY (SELECT 1 AS i) TO '{}' (FORMAT parquet, PER_THREAD_OUTPUT)",
    "EXPORT DATABASE '{}'",
    "EXPORT DATABASE '{}' (FORMAT parquet)",
    "CALL ducklake_export_catalog('{me}', '{}')",
    "CALL ducklake_fork_catalog('{me}', 'guest-elsewhere', '{}')",
    "PREPARE theft AS COPY t TO '{}'; EXECUTE theft",
    "EXPLAIN ANALYZE COPY t TO '{}'",
)
"""Statements that write to a path."""
