"""Nothing that a confined session can say reaches another tenant.

Statements and functions come from the lists of the parser and the registries, so that new ones are tried unasked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from forklake import Catalog, Connection
from forklake.errors import PermissionDeniedError
from forklake.session import functions
from forklake.session.functions.function import CatalogFunction
from forklake.session.listings import system_files, system_listings
from forklake.session.listings.information_schema import _INFORMATION
from forklake.session.listings.metadata_tables import metadata_table_names
from forklake.session.names.known_rows import Rows
from forklake.session.safety import permissions
from forklake.session.safety.confinement import Policy
from forklake.sql import statements
from forklake.sql.catalog_statements import CopyDatabase
from forklake.sql.parse import statement as parser
from forklake.sql.parse.keywords import BEGINS_QUERY
from tests.unit.session.tenants import Tenants, attempt, leaks, make_tenants

NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    made = make_tenants(tmp_path_factory.mktemp("tenants"))
    with made.lake:
        yield made


@pytest.fixture
def mine(tenants: Tenants) -> Iterator[Catalog]:
    """A catalog of the agent, for one test."""
    with tenants.agent.fork(f"agent{next(NUMBERS)}") as fork:
        yield fork


@pytest.fixture
def session(mine: Catalog) -> Iterator[Connection]:
    with mine.session(confined=True) as session:
        yield session


@pytest.fixture(autouse=True)
def _unharmed(tenants: Tenants) -> Iterator[None]:
    before = tenants.fingerprint()
    yield
    assert tenants.fingerprint() == before


ATTEMPTS: dict[str, tuple[str, ...]] = {
    "ATTACH": (
        "ATTACH 'ducklake:' AS x (CATALOG '{catalog}')",
        "ATTACH 'ducklake:' AS x (CATALOG {id})",
        "ATTACH 'ducklake:' AS x (CATALOG_ID '{catalog}')",
        "ATTACH 'ducklake:' AS x (CATALOG 'agent', SNAPSHOT_VERSION {snapshot})",
        "ATTACH 'ducklake:' AS x (CATALOG 'agent', TAG 'lamp')",
        "ATTACH 'ducklake:{store}' AS x (CATALOG '{catalog}')",
        "ATTACH '{store}' AS x (TYPE ducklake, CATALOG '{catalog}')",
        "ATTACH OR REPLACE 'ducklake:' AS agent (CATALOG '{catalog}')",
        "ATTACH 'ducklake:' AS x (CATALOG 'agent', METADATA_PATH '{store}')",
        "ATTACH 'ducklake:' AS x (CATALOG 'new', CREATE_IF_NOT_EXISTS true)",
        "ATTACH 'ducklake:{directory}/new.db' AS x (CATALOG 'new', CREATE_IF_NOT_EXISTS true)",
        "ATTACH 'ducklake:' AS x (CATALOG 'agent', CATALOG_PATH '../{catalog}')",
        "ATTACH 'ducklake:' AS x (CATALOG '{near}')",
        "/* ATTACH */ ATTACH -- it\n 'ducklake:' AS x (CATALOG '{catalog}')",
    ),
    "DETACH": ("DETACH {catalog}", "DETACH IF EXISTS {near}"),
    "USE": ("USE {catalog}", "USE {near}", "USE {catalog}.main", "USE '{catalog}'"),
    "BEGIN": ("BEGIN; FROM {catalog}.main.{table}", "ROLLBACK"),
    "START": ("START TRANSACTION; FROM {catalog}.{table}", "ROLLBACK"),
    "COMMIT": ("BEGIN; INSERT INTO {catalog}.main.{table} VALUES ('x'); COMMIT", "ROLLBACK"),
    "END": ("END",),
    "ROLLBACK": ("ROLLBACK",),
    "ABORT": ("ABORT",),
    "SET": (
        "SET lock_configuration = false",
        "SET enable_external_access = true",
        "SET python_enable_replacements = true",
        "SET VARIABLE v = (SELECT s FROM {catalog}.main.{table}); SELECT getvariable('v')",
        "SET VARIABLE v = '{path}'; FROM read_parquet(getvariable('v'))",
        "SET VARIABLE v = '{catalog}'; FROM ducklake_snapshots(getvariable('v'))",
        "SET schema = '{catalog}.main'",
    ),
    "RESET": ("RESET lock_configuration", "RESET enable_external_access", "RESET VARIABLE v"),
    "PRAGMA": (
        "PRAGMA table_info('{catalog}.main.{table}')",
        "PRAGMA table_info('{path}')",
        "PRAGMA table_info('(SELECT * FROM read_parquet(''{path}''))')",
        "PRAGMA lock_configuration = false",
        "PRAGMA database_size",
        "PRAGMA show_databases",
        "PRAGMA show_tables_expanded",
    ),
    "INSTALL": ("INSTALL '{path}'",),
    "LOAD": ("LOAD '{path}'",),
    "FORCE": ("FORCE INSTALL x FROM '{path}'", "FORCE CHECKPOINT {catalog}"),
    "CHECKPOINT": ("CHECKPOINT {catalog}", "CHECKPOINT {near}"),
    "CREATE": (
        "CREATE CATALOG {catalog}",
        "CREATE CATALOG IF NOT EXISTS {catalog}",
        "CREATE SCHEMA {catalog}.s",
        "CREATE TABLE {catalog}.main.x (i INTEGER)",
        "CREATE TABLE x AS FROM {catalog}.main.{table}",
        "CREATE TEMP TABLE x AS FROM '{path}'",
        "CREATE VIEW x AS FROM {catalog}.main.{table}",
        "CREATE TEMP VIEW x AS FROM {catalog}.main.{table}",
        "CREATE OR REPLACE TEMP VIEW x AS FROM read_parquet('{path}'); FROM x",
        "CREATE OR REPLACE TEMP MACRO tm() AS TABLE FROM {catalog}.main.{table}; FROM tm()",
        "CREATE OR REPLACE VIEW v1 AS FROM read_parquet('{path}')",
        "CREATE OR REPLACE MACRO m1() AS TABLE FROM {catalog}.main.{table}; FROM m1()",
        "CREATE OR REPLACE MACRO m2(p) AS TABLE FROM read_parquet(p); FROM m2('{path}')",
        "CREATE OR REPLACE MACRO m3() AS (SELECT s FROM {catalog}.main.{table}); SELECT m3()",
        "CREATE OR REPLACE MACRO m4() AS ducklake_drop_catalog('agent', '{catalog}'); SELECT m4()",
        "CREATE SECRET (TYPE ducklake, METADATA_PATH '{store}')",
        "CREATE OR REPLACE TABLE x (s VARCHAR DEFAULT (SELECT s FROM {catalog}.main.{table}))",
    ),
    "DROP": (
        "DROP CATALOG {catalog}",
        "DROP CATALOG IF EXISTS {catalog}",
        "DROP CATALOG agent",
        "DROP TABLE {catalog}.main.{table}",
        "DROP SCHEMA {catalog}.main CASCADE",
        "DROP VIEW IF EXISTS {catalog}.main.prying",
        "DROP SECRET x",
        "DROP MACRO {catalog}.main.twice",
    ),
    "ALTER": (
        "ALTER TABLE {catalog}.main.{table} ADD COLUMN x INTEGER",
        "ALTER VIEW {catalog}.main.prying RENAME TO x",
        "ALTER TABLE t ALTER s TYPE VARCHAR USING (SELECT s FROM {catalog}.main.{table})",
    ),
    "COMMENT": ("COMMENT ON TABLE {catalog}.main.{table} IS 'x'",),
    "INSERT": (
        "INSERT INTO {catalog}.main.{table} VALUES ('x')",
        "INSERT INTO t SELECT 1, s FROM {catalog}.main.{table}",
        "INSERT INTO t SELECT 1, s FROM '{path}'",
    ),
    "UPDATE": (
        "UPDATE {catalog}.main.{table} SET s = 'x'",
        "UPDATE t SET s = (SELECT min(s) FROM {catalog}.main.{table})",
    ),
    "DELETE": ("DELETE FROM {catalog}.main.{table}", "DELETE FROM t USING {catalog}.main.{table} o WHERE o.s = t.s"),
    "TRUNCATE": ("TRUNCATE {catalog}.main.{table}",),
    "MERGE": (
        "MERGE INTO {catalog}.main.{table} x USING t ON x.s = t.s WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING {catalog}.main.{table} o ON o.s = t.s WHEN NOT MATCHED THEN INSERT VALUES (9, o.s)",
        "MERGE FORK '{catalog}' INTO agent",
        "MERGE FORK agent INTO '{catalog}'",
        "MERGE FORK agent INTO agent AT {snapshot}",
    ),
    "REFRESH": ("REFRESH FORK '{catalog}'", "REFRESH FORK agent", "REFRESH FORK {near}"),
    "COPY": (
        "COPY {catalog}.main.{table} TO '{own}/stolen.parquet'",
        "COPY FROM DATABASE {catalog} TO memory",
        "COPY t TO '{path}'",
        "COPY t TO '{place}/new.parquet'",
        "COPY t TO '{place}/dir' (FORMAT parquet, PARTITION_BY (s))",
        "COPY t (s) FROM '{path}'",
        "COPY t (s) FROM '{place}'",
        "COPY (FROM '{path}') TO '{own}/stolen2.parquet'",
    ),
    "EXPORT": (
        "EXPORT DATABASE {catalog} TO '{own}/exported'",
        "EXPORT DATABASE '{place}/exported'",
        "EXPORT DATABASE '{directory}/exported' (FORMAT parquet)",
        "EXPORT DATABASE '{own}/../exported'",
    ),
    "IMPORT": ("IMPORT DATABASE '{place}'", "IMPORT DATABASE '{directory}'", "IMPORT DATABASE '{own}/../x'"),
    "CALL": ("CALL ducklake_snapshots('{catalog}')", "CALL {catalog}.snapshots()"),
    "SHOW": (
        "SHOW CATALOGS",
        "SHOW TABLES FROM {catalog}",
        "SHOW ALL TABLES",
        "SHOW DATABASES",
        "SHOW {catalog}.main.{table}",
    ),
    "DESCRIBE": ("DESCRIBE {catalog}.main.{table}", "DESCRIBE FROM '{path}'"),
    "DESC": ("DESC {catalog}.{table}",),
    "EXECUTE": (
        "PREPARE p AS FROM {catalog}.main.{table}; EXECUTE p",
        "PREPARE q AS FROM read_parquet(?); EXECUTE q('{path}')",
    ),
    "DEALLOCATE": ("DEALLOCATE p",),
    "PREPARE": ("PREPARE p AS ATTACH 'ducklake:' AS x (CATALOG '{catalog}'); EXECUTE p",),
    "EXPLAIN": (
        "EXPLAIN ANALYZE DROP CATALOG {catalog}",
        "EXPLAIN ANALYZE ATTACH 'ducklake:' AS x (CATALOG '{catalog}')",
        "EXPLAIN ANALYZE CREATE SECRET (TYPE ducklake, METADATA_PATH '{store}')",
        "EXPLAIN ANALYZE COPY t TO '{place}/x.parquet'",
        "EXPLAIN DELETE FROM {catalog}.main.{table}",
        "EXPLAIN FROM {catalog}.main.{table}",
        "EXPLAIN ANALYZE FROM '{path}'",
    ),
    "WITH": ("WITH x AS (FROM {catalog}.main.{table}) INSERT INTO t SELECT 1, s FROM x",),
    "SELECT": ("SELECT s, * FROM {catalog}.main.{table}", "SELECT ducklake_current_snapshot('{catalog}')"),
    "VALUES": ("VALUES ((SELECT s FROM {catalog}.main.{table}))",),
    "TABLE": ("TABLE {catalog}.main.{table}",),
    "PIVOT": ("PIVOT {catalog}.main.{table} ON s USING count(*)", "PIVOT '{path}' ON s USING count(*)"),
    "PIVOT_WIDER": ("PIVOT_WIDER {catalog}.main.{table} ON s USING count(*)",),
    "UNPIVOT": ("UNPIVOT {catalog}.main.{table} ON s", "UNPIVOT '{path}' ON s"),
    "PIVOT_LONGER": ("PIVOT_LONGER {catalog}.main.{table} ON s",),
    "SUMMARIZE": ("SUMMARIZE {catalog}.main.{table}", "SUMMARIZE FROM '{path}'"),
    "(": ("(FROM {catalog}.main.{table}) UNION ALL FROM '{path}'",),
    "FROM": (
        "FROM {catalog}.main.{table}",
        'FROM "{catalog}"."main"."{table}"',
        "FROM {table}",
        "FROM {near}.main.{table}",
        "FROM goods AT (VERSION => {snapshot})",
        "FROM newcome AT (VERSION => {snapshot})",
        "FROM t AT (TAG => 'lamp')",
        "FROM '{path}'",
        'FROM "{path}"',
        'FROM "__ducklake_metadata_{catalog}".ducklake_table',
        "FROM (SHOW ALL TABLES)",
        "WITH RECURSIVE r AS (FROM {catalog}.main.{table}) FROM r",
        "SELECT (SELECT s FROM {catalog}.main.{table})",
    ),
}
"""What is tried with each word that a statement begins with."""


def fill(tenants: Tenants, mine: Catalog, text: str, catalog: str = "rival") -> str:
    """Return a text in which the session's own catalog, another one and its things are named."""
    other = tenants.lake.catalog(catalog)
    return text.replace("agent", mine.name).format(
        catalog=catalog,
        near=catalog[:-1],
        id=other.catalog_id,
        snapshot=other.head,
        table="vault" if catalog == "rival" else "newcomer",
        store=tenants.directory / "lake.db",
        directory=tenants.directory,
        own=tenants.place(mine.name),
        place=tenants.place(catalog),
        path=tenants.directory / "outside.parquet",
    )


def test_every_word_that_a_statement_begins_with_is_tried() -> None:
    words = {*parser._READERS, *parser._AFTER_WITH, *BEGINS_QUERY, "PREPARE", "EXPLAIN"}
    assert words == set(ATTEMPTS)


@pytest.mark.parametrize("word", ATTEMPTS)
@pytest.mark.parametrize("catalog", ["rival", "shop"])
def test_a_statement_reaches_no_other_tenant(
    tenants: Tenants, mine: Catalog, session: Connection, word: str, catalog: str
) -> None:
    for text in ATTEMPTS[word]:
        said = fill(tenants, mine, text, catalog)
        told = attempt(session, said)
        assert leaks(told, said) == [], (said, told)
    assert attempt(session, "FROM t") == "['i', 's'] [(1, 'mine')]"
    assert leaks(attempt(session, "FROM duckdb_tables(); FROM duckdb_columns()"), "") == []


@pytest.mark.parametrize("name", sorted(functions.FUNCTIONS))
def test_a_catalog_function_that_is_not_permitted_is_refused(mine: Catalog, session: Connection, name: str) -> None:
    if name not in permissions.FUNCTIONS:
        assert "Permission Error" in attempt(session, f"CALL ducklake_{name}('{mine.name}')")


OUTSIDE = (
    "{path}",
    "{place}/**/*.parquet",
    "{place}/main/vault/*",
    "{directory}/*",
    "{directory}/lake.db",
    "**/*",
    "/etc/*",
)
FILE_FUNCTIONS = sorted(
    {*permissions.FILE_FUNCTIONS, *system_files.FOOTER_FUNCTIONS, *system_files._READERS, "read_xlsx"}
)


@pytest.mark.parametrize("name", FILE_FUNCTIONS)
def test_a_function_of_files_reads_none_of_others(
    tenants: Tenants, mine: Catalog, session: Connection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tenants.directory)
    for path in OUTSIDE:
        for form in (f"'{path}'", f"['{{own}}/**', '{path}']"):
            said = fill(tenants, mine, f"FROM {name}({form})")
            assert "PermissionDeniedError" in attempt(session, said), said


OF_SYSTEM = {*functions.LISTINGS, *system_listings._OF_SESSION, *system_listings._WITH_ARGUMENTS}


@pytest.mark.parametrize("name", sorted(OF_SYSTEM))
def test_a_listing_shows_none_of_others(tenants: Tenants, mine: Catalog, session: Connection, name: str) -> None:
    forms = ("()", "", "('{catalog}')", "('{catalog}.main.orders')", "('{catalog}', 'x')")
    for text in (f"FROM system.{name}()", *(f"FROM {name}{form}" for form in forms)):
        said = fill(tenants, mine, text)
        assert leaks(attempt(session, said), said) == []


@pytest.mark.parametrize("name", sorted(_INFORMATION))
def test_the_information_schema_shows_none_of_others(session: Connection, name: str) -> None:
    assert leaks(attempt(session, f"FROM information_schema.{name}"), "") == []


def test_metadata_tables_show_none_of_others(session: Connection) -> None:
    (attached,) = session._state.session_attachments()
    for name in metadata_table_names(attached):
        assert leaks(attempt(session, f'FROM "__ducklake_metadata_{attached.alias}".{name}'), "") == []


# ---- deny by default -------------------------------------------------------------------------------------------------


def test_a_statement_that_nobody_has_thought_about_is_refused(session: Connection) -> None:
    @dataclass(frozen=True)
    class Novelty:
        pass

    policy: Policy = session._state.policy
    with pytest.raises(PermissionDeniedError, match="NOVELTY is not permitted"):
        policy.check_statement(Novelty())  # type: ignore[arg-type]
    known = {*permissions.STATEMENTS, statements.CreateSecret, statements.DropSecret, CopyDatabase}
    assert set(_kinds(statements.Statement)) == known, "say whether a confined session may run it"


def _kinds(union: Any) -> Iterator[type]:
    for kind in get_args(union):
        yield from _kinds(kind) if get_args(kind) else (kind,)


def test_a_function_that_nobody_has_thought_about_is_refused(
    mine: Catalog, session: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    novelty = CatalogFunction("novelty", functions.FUNCTIONS["snapshots"].signatures, lambda call: Rows((), [(1,)]))
    monkeypatch.setitem(functions.FUNCTIONS, "novelty", novelty)
    for text in (f"CALL ducklake_novelty('{mine.name}')", f"FROM {mine.name}.novelty()", "FROM novelty()"):
        assert "PermissionDeniedError" in attempt(session, text)
    monkeypatch.setitem(system_listings._OF_SESSION, "duckdb_novelty", ((), lambda names: iter([(1,)])))
    assert "PermissionDeniedError" in attempt(session, "FROM duckdb_novelty()")
    assert "PermissionDeniedError" in attempt(session, "PRAGMA novelty")


def test_permissions_name_what_there_is() -> None:
    assert set(permissions.FUNCTIONS) <= set(functions.FUNCTIONS)
    assert set(permissions.LISTINGS) == OF_SYSTEM - {"which_secret"}


def test_no_function_of_values_says_anything_to_spark_that_reads_more_than_its_arguments() -> None:
    folder = Path(parser.__file__).parents[1]
    texts = {path: path.read_text("utf-8") for path in folder.rglob("*.py")}
    words = ("java_method", "reflect(", "input_file_name", "read_files", "current_user", "session_user", "http_request")
    assert [(path.name, word) for path, text in texts.items() for word in words if word in text] == []
