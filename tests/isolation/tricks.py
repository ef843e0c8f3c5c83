"""Tricks by family: texts that a session tries on other tenants. Placeholders are those of `World.fill`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from forklake.model.option_rules import OPTIONS
from forklake.session import functions
from forklake.session.functions import FUNCTIONS
from forklake.session.listings import system_listings
from forklake.session.listings.information_schema import _INFORMATION
from tests.isolation.calls import calls_of
from tests.isolation.paths import PATHS, READS, WRITES


def each(forms: Sequence[str], things: Sequence[str]) -> tuple[str, ...]:
    """Return each form with each thing in the place of ``{}``."""
    return tuple(form.replace("{}", thing) for form in forms for thing in things)


@dataclass(frozen=True)
class Grid:
    """Forms of a trick, and things that they are tried with: too many for every run."""

    forms: Sequence[str]
    things: Sequence[str]

    def all(self) -> tuple[str, ...]:
        """Return each form with each thing."""
        return each(self.forms, self.things)

    def some(self, chance: Random, rounds: int = 4) -> tuple[str, ...]:
        """Return some of them by chance, in which each form and each thing occurs in each round."""
        found: list[str] = []
        for _ in range(rounds):
            forms, things = list(self.forms), list(self.things)
            chance.shuffle(forms)
            chance.shuffle(things)
            for place in range(max(len(forms), len(things))):
                found += each(forms[place % len(forms) :][:1], things[place % len(things) :][:1])
        return tuple(dict.fromkeys(found))


# ---- names -----------------------------------------------------------------------------------------------------------

TABLES: Final = (
    "{other}.main.{table}",
    '"{other}"."main"."{table}"',
    "{other}.{table}",
    "{table}",
    "main.{table}",
    '"{other}.main.{table}"',
    "OTHER_{other}.main.{table}",
    "{near}.main.{table}",
    '"{id}".main.{table}',
    '"{uuid}".main.{table}',
    '"{other} ".main.{table}',
    "main.{other}.{table}",
    "{me}.main.{table}",
    "{me}.{other}.{table}",
    "__ducklake_metadata_{other}.ducklake_table",
    "__ducklake_metadata_{me}.{other}.ducklake_table",
    "system.{other}.{table}",
    "ducklake.{other}.{table}",
    "\uff4d\uff4f\uff4e\uff45\uff59\uff42\uff4f\uff58.main.{table}",
    "moneybox.main.t",
    "moneybox.main.sums",
    "moneybox.main.inlined",
    "depot.main.latecomer",
    "depot.main.goods",
    '"moneybox-of-old".main.ledger',
    "forklake.ducklake_catalog",
    "memory.{other}.{table}",
)
OF_TABLES: Final = (
    "FROM {}",
    "TABLE {}",
    "SELECT s, * FROM {} x",
    "SELECT (SELECT min(s) FROM {})",
    "WITH x AS (FROM {}) FROM x",
    "FROM t WHERE s IN (SELECT s FROM {})",
    "FROM t UNION ALL SELECT i, s FROM {}",
    "DESCRIBE {}",
    "SUMMARIZE {}",
    "SHOW {}",
    "EXPLAIN FROM {}",
    "EXPLAIN ANALYZE DELETE FROM {}",
    "PIVOT {} ON s USING count(*)",
    "FROM {} AT (VERSION => {snapshot})",
    "INSERT INTO t SELECT 1, s FROM {}",
    "CREATE OR REPLACE TABLE stolen AS FROM {}; FROM stolen",
    "CREATE OR REPLACE VIEW peek AS FROM {}; FROM peek",
    "CREATE OR REPLACE TEMP VIEW peek AS FROM {}; FROM peek",
    "UPDATE t SET s = (SELECT min(s) FROM {})",
    "DELETE FROM t USING {} x WHERE x.s = t.s",
    "COPY {} TO '{own}/stolen.csv'",
    "MERGE INTO t USING {} x ON x.s = t.s WHEN NOT MATCHED THEN INSERT VALUES (9, x.s)",
    "PRAGMA table_info('{}')",
    "PREPARE peek AS FROM {}; EXECUTE peek",
    "SET VARIABLE x = (SELECT min(s) FROM {}); SELECT getvariable('x')",
    "INSERT INTO {} VALUES (9, 'x')",
    "UPDATE {} SET s = 'x'",
    "DELETE FROM {}",
    "TRUNCATE {}",
    "DROP TABLE {}",
    "DROP TABLE IF EXISTS {}",
    "ALTER TABLE {} ADD COLUMN x INTEGER",
    "ALTER TABLE {} RENAME TO x",
    "COMMENT ON TABLE {} IS 'x'",
    "MERGE INTO {} x USING t ON x.s = t.s WHEN MATCHED THEN DELETE",
    "COPY {} FROM '{own}/x.csv'",
    "CREATE TABLE {} (i INTEGER)",
    "CREATE OR REPLACE VIEW {} AS SELECT 1",
)
OF_CATALOGS: Final = (
    "USE {}",
    "USE {}.main; SHOW TABLES",
    "SHOW TABLES FROM {}",
    "SHOW {}",
    "DETACH {}",
    "CHECKPOINT {}",
    "FORCE CHECKPOINT {}",
    "CREATE SCHEMA {}.x",
    "DROP SCHEMA {}.main CASCADE",
    "DROP SCHEMA {}",
    "COMMENT ON SCHEMA {}.main IS 'x'",
    "CREATE MACRO {}.main.thief() AS 1",
    "DROP MACRO {}.main.twice",
    "DROP VIEW IF EXISTS {}.main.seen",
    "SELECT {}.main.tell()",
    "FROM {}.tell()",
    "FROM {}.snapshots()",
    "CREATE CATALOG {}",
    "CREATE CATALOG IF NOT EXISTS {}",
    "DROP CATALOG {}",
    "DROP CATALOG IF EXISTS {}",
    "COPY FROM DATABASE {} TO memory",
    "COPY FROM DATABASE memory TO {}",
    "REFRESH FORK {}",
    "MERGE FORK {} INTO {me}",
    "MERGE FORK {me} INTO {}",
    "EXPLAIN MERGE FORK {} INTO {me}",
    "CREATE FORK x FROM {}",
    "CREATE FORK {} FROM {me}",
    "EXPORT DATABASE {} TO '{own}/out'",
    "SET schema = '{}.main'",
    'FROM "__ducklake_metadata_{}".ducklake_data_file',
    "SELECT ducklake_current_snapshot('{}')",
    "CALL {}.tag('x')",
)
CATALOGS: Final = ("{other}", '"{other}"', "{near}", '"{id}"', '"{uuid}"', "MONEYBOX", "depot", '"moneybox-of-old"')

# ---- time ------------------------------------------------------------------------------------------------------------

MOMENTS: Final = (
    "VERSION => {snapshot}",
    "TIMESTAMP => now()",
    "TAG => 'beacon'",
    "VERSION => 999999",
    "VERSION => -1",
)
OF_MOMENTS: Final = (
    "FROM goods AT ({})",
    "FROM latecomer AT ({})",
    "FROM {me}.main.goods AT ({})",
    "FROM ledger AT ({})",
    'CREATE FORK "{me}-x" FROM {me} AT ({})',
    "INSERT INTO t FROM goods AT ({})",
    "FROM ducklake_table_info('{me}') AT ({})",
)
TIMES: Final = (
    *each(OF_MOMENTS, MOMENTS),
    *each(
        (
            "FROM ducklake_table_changes('{me}', 'goods', {})",
            "FROM ducklake_table_insertions('{me}', 'latecomer', {})",
            "FROM ducklake_table_deletions('{me}', 'goods', {})",
        ),
        ("0, {snapshot}", "{snapshot}, {snapshot}", "0, now()", "{snapshot}, 999999"),
    ),
    *each(
        (
            "CALL ducklake_reset_catalog('{me}', at => {})",
            "FROM ducklake_diff('{me}', at => {})",
            "CALL ducklake_fork_catalog('{me}', '{me}-y', at => {})",
            "CALL ducklake_tag('{me}', 'x', at => {})",
            "CALL ducklake_merge_catalog('{me}', 'depot', at => {})",
        ),
        ("{snapshot}", "'beacon'", "now()"),
    ),
)

# ---- what is stored --------------------------------------------------------------------------------------------------

STORED: Final = (
    "CREATE VIEW trap AS {}; FROM trap",
    "CREATE OR REPLACE VIEW trap AS SELECT 1 AS a; CREATE OR REPLACE VIEW trap AS {}; FROM trap",
    "CREATE MACRO trap() AS TABLE {}; FROM trap()",
    "CREATE MACRO trap2() AS (SELECT max(x) FROM ({}) y(x)); SELECT trap2()",
    "CREATE TEMP MACRO trap3() AS TABLE {}; FROM trap3()",
    "CREATE TABLE trap4 AS {}; FROM trap4",
    "CREATE TABLE trap5 (s VARCHAR DEFAULT ({})); INSERT INTO trap5 DEFAULT VALUES; FROM trap5",
)
"""Ways to store a query and to have it run."""
BODIES: Final = (
    "FROM {other}.main.{table}",
    "SELECT s FROM {other}.main.{table}",
    "SELECT content FROM read_text('{out}/canary-name.csv')",
    "FROM '{file}'",
    "FROM glob('{out}/*')",
    "FROM ducklake_snapshots('{other}')",
    "SELECT ducklake_drop_catalog('{me}', '{other}')",
    "FROM ducklake_drop_catalog('{me}', '{other}')",
    "SELECT getenv('FORKLAKE_TEST_CANARY')",
    "FROM purse",
    "FROM wide",
    "FROM wider()",
)
STORED_BY_OTHERS: Final = (
    "FROM wide",
    "FROM wider()",
    "CREATE TABLE x AS FROM wide",
    "INSERT INTO t SELECT 1, s FROM wider()",
    "DESCRIBE wide",
    "SUMMARIZE wide",
    "COPY wide TO '{own}/x.csv'",
    "FROM {me}.main.wide",
    "PREPARE p AS FROM wide; EXECUTE p",
    "EXPLAIN FROM wide",
    "EXPLAIN ANALYZE FROM wide",
    "CREATE VIEW again AS FROM wide; FROM again",
    "CREATE MACRO again() AS TABLE FROM wide; FROM again()",
    "ALTER VIEW wide RENAME TO narrow; FROM narrow",
    "WITH x AS (FROM wide) FROM x",
    "SELECT (SELECT max(s) FROM wider())",
)

LEFT_BODIES: Final = (
    "(SELECT max(s) FROM moneybox.main.ledger)",
    "(SELECT max(s) FROM moneybox.ledger)",
    "(SELECT max(content) FROM read_text('{out}/canary-name.csv'))",
    "(SELECT max(s) FROM '{file}')",
    "ducklake_drop_catalog('depot', 'moneybox')",
    "(SELECT max(catalog_id) FROM ducklake_drop_catalog('depot', 'moneybox'))",
    "(SELECT count(*) FROM ducklake_fork_catalog('moneybox', 'guest-of-it'))",
    "CASE WHEN false THEN ducklake_drop_catalog('depot', 'moneybox') END",
    "(SELECT max(s) FROM purse)",
    "getenv('FORKLAKE_TEST_CANARY')",
)
"""What a guest would have others do."""
LEFT: Final = (
    "CREATE MACRO {name}(x) AS {body}",
    "CREATE MACRO {name}() AS {body}",
    "CREATE MACRO {name}_rows() AS TABLE SELECT {body} AS s",
    "CREATE MACRO {name}_parameter(x := {body}) AS x",
    "CREATE VIEW {name}_view AS SELECT {body} AS s",
    "CREATE TABLE {name}_table (i INTEGER, s VARCHAR DEFAULT {body})",
    "CREATE OR REPLACE TABLE taken (i INTEGER, s VARCHAR)",
    "ALTER TABLE t ALTER s SET DEFAULT {body}",
    "ALTER TABLE t SET SORTED BY ({body})",
    "CREATE OR REPLACE VIEW seen AS SELECT 1 AS i, {body} AS s",
    "CREATE OR REPLACE MACRO twice(x) AS {body}",
)
"""What it stores."""
USES: Final = (
    "SELECT {name}('x')",
    "SELECT {name}()",
    "SELECT {name}(s) FROM t",
    "FROM t WHERE {name}(s) IS NULL",
    "SELECT CASE WHEN false THEN {name}('x') END",
    "SELECT {me}.main.{name}('x')",
    "SELECT {name}_parameter()",
    "FROM {name}_rows()",
    "FROM {name}_view",
    "SELECT twice(1)",
    "FROM seen",
    "INSERT INTO {me}.main.taken SELECT 7, {name}('x')",
    "INSERT INTO {me}.main.taken SELECT 7, s FROM {name}_rows()",
    "INSERT INTO {me}.main.taken SELECT 7, s FROM {name}_view",
    "INSERT INTO {me}.main.taken SELECT 7, twice(1)",
    "INSERT INTO {name}_table (i) VALUES (1); FROM {name}_table",
    "INSERT INTO t (i) VALUES (1); FROM t",
    "UPDATE t SET s = {name}(s)",
    "CREATE TABLE {me}.main.made AS SELECT {name}('x') AS s",
    "EXPLAIN SELECT {name}('x')",
    "DESCRIBE {name}_view",
    "PREPARE p AS SELECT {name}('x'); EXECUTE p",
    "FROM duckdb_functions() WHERE function_name LIKE '{name}%'",
)
"""How the owner uses it, who reaches everything."""

# ---- ATTACH ----------------------------------------------------------------------------------------------------------

ATTACHMENTS: Final = (
    "ATTACH 'ducklake:' AS x ({})",
    "ATTACH 'ducklake:{store}' AS x ({})",
    "ATTACH '{store}' AS x (TYPE ducklake, {})",
    "ATTACH OR REPLACE 'ducklake:' AS {me} ({})",
    "ATTACH IF NOT EXISTS 'ducklake:' AS x ({})",
    "ATTACH 'ducklake:{dir}/new.db' AS x ({})",
    "ATTACH 'ducklake:sqlite:{store}' AS x ({})",
    "ATTACH 'sqlite:{store}' AS x ({})",
    "ATTACH ':memory:' AS x ({})",
    "EXPLAIN ANALYZE ATTACH 'ducklake:' AS x ({})",
    "PREPARE a AS ATTACH 'ducklake:' AS x ({}); EXECUTE a",
    "ATTACH 'ducklake:postgres:host=localhost' AS x ({})",
    "/* */ ATTACH -- it\n 'ducklake:' AS x ({})",
)
ATTACH_OPTIONS: Final = (
    "CATALOG '{other}'",
    "CATALOG {id}",
    "CATALOG_ID '{other}'",
    "CATALOG_ID {id}",
    "CATALOG '{near}'",
    "CATALOG '{me}', SNAPSHOT_VERSION {snapshot}",
    "CATALOG '{me}', TAG 'beacon'",
    "CATALOG '{me}', SNAPSHOT_TIME '2999-01-01'",
    "CATALOG 'new', CREATE_IF_NOT_EXISTS true",
    "CATALOG '{me}', DATA_PATH '{theirs}'",
    "CATALOG '{me}', METADATA_PATH '{store}'",
    "CATALOG '{me}', CATALOG_PATH '{way}'",
    "CATALOG '{me}', META_SECRET 'x'",
    "CATALOG '{me}', OVERRIDE_DATA_PATH true",
    "CATALOG '{other}', READ_ONLY",
    "CATALOG 'depot'",
    "CATALOG '{me}', MIGRATE true",
    "CATALOG '{me}', ENCRYPTED",
    "CATALOG NULL",
)

# ---- the session and what is around it -------------------------------------------------------------------------------

SETTINGS: Final = (
    *each(
        ("SET {}", "SET GLOBAL {}", "SET SESSION {}", "PRAGMA {}"),
        (
            "lock_configuration = false",
            "enable_external_access = true",
            "python_enable_replacements = true",
            "engine = 'spark'",
            "dialect = 'spark'",
            "temp_directory = '{out}'",
            "home_directory = '{out}'",
            "extension_directory = '{out}'",
            "file_search_path = '{out}'",
            "secret_directory = '{out}'",
            "allowed_directories = ['/']",
            "threads = 1",
            "spark.sql.variable.substitute = true",
            "TimeZone = 'Asia/Tokyo'",
            "ducklake_default_data_inlining_row_limit = 1000000",
            "log_query_path = '{out}/log.txt'",
        ),
    ),
    *each(
        ("RESET {}", "SELECT current_setting('{}')"),
        ("lock_configuration", "enable_external_access", "engine", "secret_directory"),
    ),
    "SELECT getenv('FORKLAKE_TEST_CANARY')",
    "SELECT '${env:FORKLAKE_TEST_CANARY}'",
    'SELECT "${env:FORKLAKE_TEST_CANARY}"',
    "SELECT java_method('java.lang.System', 'getenv', 'FORKLAKE_TEST_CANARY')",
    "SELECT reflect('java.lang.System', 'getenv')",
    "SELECT TRANSFORM (s) USING 'env' FROM t",
    "SELECT input_file_name()",
    "SELECT current_user()",
    "FROM purse",
    "FROM globals()",
    "SELECT * FROM parquet.`{file}`",
    "FROM csv.`{out}/canary-name.csv`",
    "ADD JAR '{file}'",
    "CREATE FUNCTION f AS 'x'",
    "CREATE SECRET (TYPE ducklake, METADATA_PATH '{store}')",
    "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'x')",
    "DROP SECRET x",
    "FROM which_secret('s3://x', 's3')",
    "INSTALL '{file}'",
    "LOAD '{file}'",
    "FORCE INSTALL x FROM '{file}'",
    "SET VARIABLE other = '{other}'; FROM ducklake_snapshots(getvariable('other'))",
    "SELECT query('SELECT 1')",
    "FROM query('FROM {other}.main.{table}')",
    "FROM query_table('{other}.main.{table}')",
    "FROM sqlite_scan('{store}', 'x')",
    "FROM duckdb_logs()",
    "CALL pragma_version()",
    "FROM read_duckdb('{store}')",
    "SELECT system('id')",
    "COPY t TO PROGRAM 'id'",
    "CREATE TYPE x AS ENUM (SELECT s FROM {other}.main.{table})",
    "SELECT nextval('{other}.x')",
    "VACUUM",
    "ANALYZE {other}.main.{table}",
    "SET search_path = '{other}.main'; FROM {table}",
    "SELECT * FROM IDENTIFIER('{other}.main.{table}')",
)

# ---- lives of catalogs -----------------------------------------------------------------------------------------------

LIVES: Final = each(
    (
        "CALL ducklake_drop_catalog('{me}', {})",
        "CALL ducklake_rename_catalog('{me}', {}, 'guest-x')",
        "CALL ducklake_rename_catalog('{me}', '{me}', {})",
        "CALL ducklake_renew('{me}', {}, '1 hour')",
        "CALL ducklake_renew('{me}', {}, NULL)",
        "CALL ducklake_undrop_catalog('{me}', {})",
        "CALL ducklake_purge_catalog('{me}', {})",
        "CALL ducklake_sever_catalog('{me}', {})",
        "CALL ducklake_set_quota('{me}', name => {}, max_bytes => 1)",
        "CALL ducklake_quota('{me}', name => {})",
        "CALL ducklake_drop_catalogs('{me}', prefix => {})",
        "CALL ducklake_purge_catalogs('{me}', {}, drop => true)",
        "CALL ducklake_fork_catalog('{me}', {})",
        "CALL ducklake_fork_catalog('{me}', {}, if_not_exists => true)",
        "CALL ducklake_fork_catalog({}, 'guest-y')",
        "CALL ducklake_refresh_catalog('{me}', {})",
        "CALL ducklake_merge_catalog('{me}', {})",
        "CALL ducklake_merge_catalog('{me}', {}, strategy => 'theirs')",
        "CALL ducklake_reset_catalog('{me}', source => {})",
        "FROM ducklake_diff('{me}', {})",
        "FROM ducklake_across('goods', catalogs => [{}])",
        "FROM ducklake_fork_tree('{me}', name => {})",
        "CALL ducklake_import_catalog('{me}', 'x', {})",
        "CALL ducklake_export_catalog('{me}', {})",
        "CALL ducklake_create_catalog('{me}', {})",
    ),
    ("'{other}'", "{id}", "'{id}'", "'depot'", "'guest'", "'moneybox-of-old'", "''", "NULL", "'nobody'"),
)
PAST: Final = (
    *(
        f"CALL ducklake_{name}"
        for name in (
            "expire_snapshots('guest', older_than => now())",
            "expire_snapshots('{me}', versions => [{snapshot}])",
            "cleanup_old_files('{me}', cleanup_all => true)",
            "delete_orphaned_files('{me}', cleanup_all => true)",
            "cleanup_orphaned_files('depot', cleanup_all => true)",
            "flush_inlined_data('{other}')",
            "merge_adjacent_files('{me}')",
            "rewrite_data_files('{me}')",
            "checkpoint('{me}')",
            "reap('{me}')",
            "untag('{other}', 'beacon')",
            "tag('{other}', 'x')",
            "set_commit_message('{me}', 'forger', 'approved')",
            "fork_catalog('{me}', 'x', author => 'forger')",
            "reset_catalog('{me}', at => 1, author => 'forger')",
        )
    ),
    *each(
        ("CALL ducklake_set_option('{me}', {})", "CALL ducklake_set_option('{other}', {})"),
        [f"'{key}', '1'" for key in OPTIONS],
    ),
    *each(("CALL ducklake_reset_option('{me}', '{}')", "CALL ducklake_reset_option('{other}', '{}')"), list(OPTIONS)),
    "BEGIN; CALL ducklake_set_commit_message('{me}', 'forger', 'approved'); INSERT INTO t VALUES (1, 'x'); COMMIT",
    "CREATE FORK x FROM {me} (author 'forger')",
    "MERGE FORK guest INTO {me}",
    "CHECKPOINT",
)

# ---- listings --------------------------------------------------------------------------------------------------------

OF_SYSTEM: Final = sorted({*functions.LISTINGS, *system_listings._OF_SESSION, *system_listings._WITH_ARGUMENTS})
LISTINGS: Final = (
    *each(
        ("FROM {}()", "FROM system.{}()", "FROM {}", "FROM {}('{other}')", "FROM {}('{other}.main.{table}')"), OF_SYSTEM
    ),
    *(f"FROM information_schema.{name}" for name in sorted(_INFORMATION)),
    *(
        f"FROM {schema}.{name}"
        for schema in ("pg_catalog", "main")
        for name in ("pg_class", "pg_tables", "sqlite_master", "pg_namespace")
    ),
    "SHOW CATALOGS",
    "SHOW DATABASES",
    "SHOW ALL TABLES",
    "SHOW TABLES",
    "SHOW SCHEMAS",
    "SHOW TABLES FROM {other}",
    "FROM (SHOW ALL TABLES)",
    "PRAGMA show_databases",
    "PRAGMA show_tables_expanded",
    "PRAGMA database_size",
    "PRAGMA database_list",
    "PRAGMA storage_info('t')",
    "FROM ducklake_catalogs('{me}')",
    "FROM ducklake_catalogs('{me}', prefix => 'm')",
    "FROM ducklake_check_catalog('{me}', deep => true)",
)

# ---- prepared, explained, hidden -------------------------------------------------------------------------------------

HIDDEN: Final = each(
    (
        "PREPARE h AS {}; EXECUTE h",
        "EXPLAIN {}",
        "EXPLAIN ANALYZE {}",
        "BEGIN; {}; COMMIT",
        "BEGIN READ ONLY; {}; COMMIT",
        "SELECT 1; {}; SELECT 2",
        "-- {}\n{}",
        "/* {} */ {}",
        "{};;",
        "  \n{}",
        "(({}))",
        "BEGIN; ROLLBACK; {}",
    ),
    (
        "FROM {other}.main.{table}",
        "DROP CATALOG {other}",
        "FROM '{file}'",
        "COPY t TO '{theirs}/x.parquet'",
        "ATTACH 'ducklake:' AS x (CATALOG '{other}')",
        "CALL ducklake_drop_catalog('{me}', '{other}')",
        "DROP TABLE {other}.main.{table}",
        "CREATE SECRET (TYPE ducklake, METADATA_PATH '{store}')",
        "SET lock_configuration = false",
    ),
)

# ---- changes of what was given to read -------------------------------------------------------------------------------

CHANGES: Final = each(
    (
        "INSERT INTO {} VALUES (9, 'x')",
        "UPDATE {} SET i = 0",
        "DELETE FROM {}",
        "TRUNCATE {}",
        "DROP TABLE {}",
        "COPY {} FROM '{own}/x.csv'",
        "MERGE INTO {} x USING (SELECT 1 AS i) y ON x.i = y.i WHEN MATCHED THEN DELETE",
        "ALTER TABLE {} ADD COLUMN x INTEGER",
        "ALTER TABLE {} RENAME TO x",
        "COMMENT ON TABLE {} IS 'x'",
        "ALTER TABLE {} SET PARTITIONED BY (i)",
        "CREATE OR REPLACE TABLE {} (i INTEGER)",
        "WITH x AS (SELECT 1) DELETE FROM {}",
        "EXPLAIN ANALYZE DELETE FROM {}",
        "PREPARE c AS DELETE FROM {}; EXECUTE c",
        "BEGIN; DELETE FROM {}; COMMIT",
    ),
    ("{me}.main.its", "{me}.main.goods", "old.main.goods", "again.main.goods"),
) + each(
    (
        "CREATE SCHEMA {}.x",
        "DROP SCHEMA {}.main CASCADE",
        "CREATE VIEW {}.main.x AS SELECT 1",
        "DROP VIEW {}.main.seen",
        "CREATE MACRO {}.main.x() AS 1",
        "DROP MACRO {}.main.twice",
        "ALTER VIEW {}.main.seen RENAME TO x",
        "CHECKPOINT {}",
        "CALL {}.tag('x')",
        "CALL {}.untag('x')",
        "CALL {}.set_option('target_file_size', '1MB')",
        "CALL {}.reset_option('auto_compact')",
        "CALL ducklake_renew('{}', '1 hour')",
        "CALL ducklake_drop_catalog('{}', '{}')",
        "CALL ducklake_rename_catalog('{}', '{}', 'x')",
        "CALL ducklake_reset_catalog('{}', at => 1)",
        "CALL ducklake_merge_catalog('{}', '{me}')",
        "CALL ducklake_merge_catalog('{}', 'old')",
        "CALL ducklake_refresh_catalog('{}')",
        "CALL ducklake_refresh_catalog('{}', '{me}')",
        "CALL ducklake_refresh_catalog('{}', 'old')",
        "CALL ducklake_add_data_files('{}', 'goods', '{own}/x.parquet')",
        "CALL {}.set_commit_message('a', 'b')",
        "MERGE FORK old INTO {}",
        "REFRESH FORK {}",
        "COPY FROM DATABASE memory TO {}",
        "USE {}; DELETE FROM goods",
        "ATTACH 'ducklake:' AS again (CATALOG '{}', READ_WRITE); DELETE FROM again.main.goods",
        "IMPORT DATABASE '{own}'",
        "COPY {}.main.goods TO '{own}/x.parquet'",
        "CALL ducklake_flush_inlined_data('{}')",
    ),
    ("{me}", "old", "depot"),
)

GRIDS: Final = {"names": Grid(OF_TABLES, TABLES), "reads": Grid(READS, PATHS), "writes": Grid(WRITES, PATHS)}
"""What a session tries that is given one catalog, to change; these and those of `FAMILIES`."""
FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "catalogs": each(OF_CATALOGS, CATALOGS),
    "times": TIMES,
    "stored": each(STORED, BODIES) + STORED_BY_OTHERS,
    "attach": each(ATTACHMENTS, ATTACH_OPTIONS),
    "settings": SETTINGS,
    "lives": LIVES,
    "past": PAST,
    "listings": LISTINGS,
    "hidden": HIDDEN,
}


def calls(chance: Random | None = None, count: int = 8) -> tuple[str, ...]:
    """Return calls of all catalog functions, or so many of each by chance."""
    found = {name: calls_of(name) for name in sorted(FUNCTIONS)}
    if chance is None:
        return tuple(text for texts in found.values() for text in texts)
    return tuple(text for texts in found.values() for text in chance.sample(texts, min(count, len(texts))))


# ---- existence -------------------------------------------------------------------------------------------------------

ORACLES: Final[dict[str, tuple[tuple[str, str], tuple[str, ...]]]] = {
    "a catalog": (
        ("moneybox", "nosuchen"),
        tuple(
            form.replace("{other}", "{}")
            for form in (*OF_CATALOGS, *(each(OF_TABLES, ("{}.main.ledger", "{}.ledger"))))
            if "{id}" not in form and "{snapshot}" not in form and "CREATE FORK {}" not in form
        ),
    ),
    "a catalog in words": (
        ("moneybox", "nosuchen"),
        tuple(
            text.replace("'{other}'", "'{}'")
            for text in LIVES
            if "'{other}'" in text
            and "fork_catalog('{me}', '{other}'" not in text
            and "rename_catalog('{me}', '{me}'" not in text
        ),
    ),
    "the parent": (
        ("depot", "nosuc"),
        (
            "FROM {}.main.goods",
            "USE {}",
            "ATTACH 'ducklake:' AS x (CATALOG '{}')",
            "CALL ducklake_snapshots('{}')",
            "CALL ducklake_merge_catalog('{me}', '{}')",
            "FROM ducklake_diff('{me}', '{}')",
            "MERGE FORK {me} INTO {}",
        ),
    ),
    "a table of others": (
        ("ledger", "nosuch"),
        ("FROM {}", "FROM moneybox.main.{}", "DESCRIBE {}", "DROP TABLE {}", "PRAGMA table_info('{}')"),
    ),
    "a tag": (
        ("beacon", "nosuch"),
        (
            "FROM t AT (TAG => '{}')",
            "CALL ducklake_untag('{me}', '{}')",
            "FROM ducklake_diff('{me}', since => '{}')",
            "CALL ducklake_reset_catalog('{me}', at => '{}')",
            "ATTACH 'ducklake:' AS x (CATALOG '{me}', TAG '{}')",
        ),
    ),
    "an attached catalog": (
        ("moneybox", "nosuchen"),
        ("ATTACH 'ducklake:' AS x (CATALOG '{}')", "ATTACH 'ducklake:' (CATALOG '{}', READ_ONLY)"),
    ),
    "a file": (("{file}", "{out}/nosuch-name.parquet"), tuple(READS)),
    "a file to write": (("{file}", "{out}/nosuch-name.parquet"), tuple(WRITES)),
    "a directory": (("{theirs}", "{dir}/files/nosuchen"), (*READS, *WRITES)),
    "a path up": (("{own}/{way}/main", "{own}/../nosuchen/main"), (*READS, *WRITES)),
    "a snapshot": (
        ("{snapshot}", "999999"),
        (
            "FROM t AT (VERSION => {})",
            "CALL ducklake_reset_catalog('{me}', at => {})",
            "CALL ducklake_tag('{me}', 'x', at => {})",
            "FROM ducklake_diff('{me}', since => {})",
        ),
    ),
    "an id": (
        ("{id}", "999999"),
        ("ATTACH 'ducklake:' AS x (CATALOG {})", "CALL ducklake_undrop_catalog('{me}', {})", 'FROM "{}".main.ledger'),
    ),
}
"""Pairs of something that is there and something that is not, and forms in which their answers must be the same."""
