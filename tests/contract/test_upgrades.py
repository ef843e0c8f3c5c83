"""Lakes that an earlier release wrote are upgraded, and hold then what they held before."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import psycopg
import pyarrow as pa
import pytest

import forklake
from forklake import Lake, Settings
from forklake.errors import MetastoreRefusedError, MetastoreVersionError, NotFoundError
from forklake.metastore import schema
from forklake.metastore.postgres import initialise
from forklake.metastore.schema import steps
from forklake.metastore.schema.catalog_tables import DUE
from forklake.metastore.schema.description import Column, Index
from forklake.metastore.schema.file_tables import DATA_FILE
from forklake.metastore.schema.products import DUCKDB, SQLITE
from forklake.metastore.schema.sections import TABLES
from forklake.metastore.schema.steps import STEPS, VERSION, Step
from forklake.metastore.schema.upgrade_script import step_script
from tests.contract.support import run_together
from tests.lakes import EMBEDDED
from tests.sound import check_sound
from tests.stored import load as stored
from tests.stored.content import shown

PRODUCTS = ("sqlite", "duckdb", "postgresql")
VERSIONS = [f"v{step.version - 1}" for step in STEPS]


@pytest.fixture(params=["sqlite", *(pytest.param(other, marks=pytest.mark.slow) for other in PRODUCTS[1:])])
def product(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(request: pytest.FixtureRequest, product: str, tmp_path: Path) -> str:
    """The URL of nothing yet."""
    if product in EMBEDDED:
        return f"{product}:{tmp_path / 'lake'}.{product}"
    return str(request.getfixturevalue("postgres_database"))


@pytest.fixture
def old(product: str, place: str, tmp_path: Path) -> str:
    """The URL of a lake of version 1."""
    stored.load("v1", product, tmp_path / "home", place)
    return place


# ---- what is upgraded ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgraded_lake_shows_what_it_showed_and_goes_on(
    version: str, product: str, place: str, tmp_path: Path
) -> None:
    stored.load(version, product, tmp_path / "home", place)
    done = forklake.upgrade(place)
    assert (done.found_version, done.version, done.is_done) == (int(version[1:]), VERSION, True)
    with Lake(place) as lake:
        assert shown(lake) == stored.stored_content(version)
        shop = lake.catalog("shop")
        shop.table("orders").append(pa.table({"id": [9] * 3, "item": ["new"] * 3}))
        fork = shop.fork("newer")
        fork.table("orders").append([{"id": 10, "item": "newest"}])
        assert sum(number == 9 for number, _ in fork.table("orders").rows()) == 3
        lake.undrop_catalog("dropped").table("orders").drop()
        assert lake.catalog("deep").table("notes").rows() == [("a note",)]
        check_sound(lake, deep=True)


@pytest.mark.parametrize("trusts", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
def test_definitions_that_were_stored_before_are_listed_and_marked_unless_they_are_trusted(
    version: str, product: str, place: str, tmp_path: Path, trusts: bool
) -> None:
    stored.load(version, product, tmp_path / "home", place)
    planned = forklake.upgrade(place, dry_run=True, trust_definitions=trusts)
    done = forklake.upgrade(place, trust_definitions=trusts)
    assert planned.definitions == done.definitions
    told = [(one.kind, one.name, one.text) for one in done.definitions if one.catalog == "shop"]
    assert told[:2] == [("view", "main.names", "SELECT item FROM orders"), *told[1:2]]
    assert ("macro", "main.twice", "x * 2") in told
    of_v3 = {("default", "main.log.at", "40 + 2"), ("sort key", "main.log", "at % 10")}
    assert set(told) & of_v3 == (of_v3 if version == "v3" else set())
    with Lake(place) as lake:
        for name in ("shop", "agent", "copied", "severed"):
            catalog = lake.catalog(name)
            trusted = [catalog.views.get("names").trusted]
            trusted += [body.trusted for macro in catalog.macros.list() for body in macro.implementations]
            if version == "v3":
                log = catalog.table("log")
                trusted += [log.columns[0].trusted, log.inspect.sort_by[0].trusted]
            assert set(trusted) == {trusts}
        shop = lake.catalog("shop")
        shop.views.create("names", "SELECT item FROM orders", or_replace=True)
        assert shop.views.get("names").trusted
    assert forklake.upgrade(place).definitions == ()


def test_an_upgraded_store_is_made_as_a_new_one_is(
    request: pytest.FixtureRequest, product: str, old: str, tmp_path: Path
) -> None:
    forklake.upgrade(old)
    if product == "postgresql":
        server = request.getfixturevalue("postgres_server")
        new = server.create_database()
        try:
            initialise(new, None, Settings())
            assert made_in_postgres(old) == made_in_postgres(new)
        finally:
            server.drop_database(new)
        return
    new = f"{product}:{tmp_path / 'new'}.{product}"
    Lake(new).close()
    made = made_in_sqlite if product == "sqlite" else made_in_duckdb
    assert made(old.partition(":")[2]) == made(new.partition(":")[2])


def test_catalogs_that_may_hold_dead_rows_are_due_and_collected(old: str) -> None:
    forklake.upgrade(old)
    with Lake(old) as lake:
        assert lake.maintenance.needs.due_count > 0
        lake.maintenance.cleanup_old_files()
        assert lake.maintenance.needs.due_count == 0
        check_sound(lake)


def test_partitioned_tables_are_upgraded(postgres_server: Any, tmp_path: Path) -> None:
    old, new = postgres_server.create_database(), postgres_server.create_database()
    try:
        with psycopg.connect(old, autocommit=True) as connection:
            connection.execute(partitioned(stored.script("v1", "postgresql"), 2).encode())
        forklake.upgrade(old)
        initialise(new, 2, Settings())
        assert made_in_postgres(old) == made_in_postgres(new)
    finally:
        postgres_server.drop_database(old)
        postgres_server.drop_database(new)


def partitioned(script: str, parts: int) -> str:
    """Return the script of a stored lake with its growing tables split."""
    for table in TABLES:
        if table.grows:
            name = f"forklake.{table.name}"
            split = "".join(
                f"CREATE TABLE {name}_{part} PARTITION OF {name} FOR VALUES WITH (MODULUS {parts}, REMAINDER {part});\n"
                for part in range(parts)
            )
            script = re.sub(
                rf"(CREATE TABLE {name} \(.*?\n\));\n",
                lambda found, split=split: f"{found[1]} PARTITION BY HASH (catalog_id);\n{split}",  # type: ignore[misc]
                script,
                count=1,
                flags=re.DOTALL,
            )
    return script


def made_in_sqlite(path: str) -> list[tuple[str, ...]]:
    file = sqlite3.connect(path)
    found = file.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2").fetchall()
    file.close()
    return [(*names, " ".join(re.sub(r"--[^\n]*", "", text or "").split())) for *names, text in found]


def made_in_duckdb(path: str) -> list[list[Any]]:
    questions = (
        "SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment"
        " FROM duckdb_columns() WHERE NOT internal ORDER BY ALL",
        "SELECT schema_name, table_name, comment FROM duckdb_tables() ORDER BY ALL",
        "SELECT table_name, constraint_type, constraint_column_names FROM duckdb_constraints() ORDER BY ALL",
        "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
        "SELECT schema_name, sequence_name FROM duckdb_sequences() ORDER BY ALL",
        "SELECT table_name, index_name FROM duckdb_indexes() ORDER BY ALL",
    )
    with duckdb.connect(path, read_only=True) as connection:
        return [connection.execute(question).fetchall() for question in questions]


def made_in_postgres(url: str) -> list[list[Any]]:
    ours = "n.nspname IN ('forklake', 'ducklake')"
    questions = (
        "SELECT n.nspname, c.relname, c.relkind, c.reloptions, c.relacl::text, obj_description(c.oid),"
        f" pg_get_partkeydef(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {ours}"
        " ORDER BY 1, 2",
        "SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
        " pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum) FROM pg_attribute a"
        " JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
        " LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum"
        f" WHERE a.attnum > 0 AND c.relkind IN ('r', 'p', 'v') AND {ours} ORDER BY 1, 2, 3",
        f"SELECT indexname, indexdef FROM pg_indexes n WHERE {ours.replace('nspname', 'schemaname')} ORDER BY 1",
        f"SELECT viewname, definition FROM pg_views n WHERE {ours.replace('nspname', 'schemaname')} ORDER BY 1",
        "SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p"
        f" JOIN pg_namespace n ON n.oid = p.pronamespace WHERE {ours} ORDER BY 1",
    )
    with psycopg.connect(url) as connection:
        return [connection.execute(question.encode()).fetchall() for question in questions]


# ---- when ------------------------------------------------------------------------------------------------------------


def test_an_old_lake_is_not_opened_and_says_what_to_run(product: str, old: str) -> None:
    with pytest.raises(MetastoreVersionError) as caught:
        Lake(old)
    assert caught.value.message == (
        f"The lake has metadata of version 1, and this release needs version {VERSION}; nothing was changed."
    )
    assert "`forklake.upgrade(url)`" in str(caught.value)
    assert forklake.upgrade(old, dry_run=True).found_version == 1
    with pytest.raises(MetastoreVersionError, match=r'metadata of version 1, .*\n.*the command "upgrade"'):
        forklake.connect().execute(f"ATTACH 'ducklake:{old}' AS shop (CATALOG 'shop')")


def test_a_dry_run_shows_the_statements_that_do_it(product: str, old: str) -> None:
    planned = forklake.upgrade(old, dry_run=True)
    assert not planned.is_done
    assert forklake.upgrade(old, dry_run=True) == planned, "it changed nothing"
    text = ";\n".join(["BEGIN", *planned.statements, "COMMIT"]) + ";"
    if product == "postgresql":
        with psycopg.connect(old, autocommit=True) as connection:
            connection.execute(text.encode())
    elif product == "duckdb":
        with duckdb.connect(old.partition(":")[2]) as database:
            database.execute(text)
    else:
        file = sqlite3.connect(old.partition(":")[2])
        file.executescript(text)
        file.close()
    Lake(old).close()


def test_a_lake_that_is_up_to_date_stays_as_it_is(product: str, old: str) -> None:
    forklake.upgrade(old)
    assert forklake.upgrade(old) == forklake.Upgrade(VERSION, VERSION, (), is_done=False)


def test_a_newer_lake_is_refused(product: str, old: str) -> None:
    forklake.upgrade(old)
    with Lake(old) as lake, lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_metadata SET value = '77' WHERE key = 'forklake_version'")
    for attempt in (forklake.open, forklake.upgrade):
        with pytest.raises(MetastoreVersionError, match=rf"metadata of version 77, and .* up to {VERSION}") as caught:
            attempt(old)
        assert caught.value.hint == "Use a newer release of forklake."


def test_where_there_is_no_lake_nothing_is_made(postgres_database: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="There is no lake at"):
        forklake.upgrade(str(tmp_path / "missing.db"))
    assert not (tmp_path / "missing.db").exists()
    with pytest.raises(MetastoreVersionError, match="DuckLake metadata not found"):
        forklake.upgrade(postgres_database)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(MetastoreVersionError, match="holds other tables and no lake"):
        forklake.upgrade(str(tmp_path / "other.db"))


@pytest.mark.parametrize("product", ["sqlite", "postgresql"])
def test_of_several_upgrades_at_once_one_does_it(product: str, old: str) -> None:
    code = "print(forklake.upgrade(sys.argv[1]).is_done)"
    assert sorted(run_together(code, [[old]] * 3)) == ["False", "False", "True"]
    Lake(old).close()


def test_an_upgrade_that_fails_leaves_the_lake_as_it_was(
    product: str, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(DUE, name="ducklake_head")
    broken_steps = (replace(STEPS[-1], tables=(broken,)),)
    monkeypatch.setattr("forklake.metastore.schema.upgrade_script.STEPS", broken_steps)
    with pytest.raises(forklake.errors.MetastoreError, match="already exists"):
        forklake.upgrade(old)
    monkeypatch.undo()
    assert forklake.upgrade(old).is_done


# ---- rights on PostgreSQL --------------------------------------------------------------------------------------------


@pytest.fixture
def roles(postgres_database: str) -> Iterator[tuple[str, str]]:
    """The owner of the lake's tables, and a role that reads."""
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        name = f"role_{uuid4().hex[:12]}"
        owner, reader = f"{name}_owner", f"{name}_reader"
        connection.execute(f"CREATE ROLE {owner}; CREATE ROLE {reader}".encode())
        yield owner, reader
        connection.execute(f"DROP OWNED BY {owner}, {reader} CASCADE; DROP ROLE {owner}, {reader}".encode())


@pytest.mark.parametrize("product", ["postgresql"])
def test_rights_and_owners_are_kept(old: str, roles: tuple[str, str]) -> None:
    owner, reader = roles
    with psycopg.connect(old, autocommit=True) as connection:
        for kind, names in (
            ("TABLE", "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'forklake'"),
            ("VIEW", "SELECT format('%I.%I', schemaname, viewname) FROM pg_views WHERE schemaname LIKE '%lake'"),
            ("SEQUENCE", "SELECT format('%I.%I', schemaname, sequencename) FROM pg_sequences"),
            ("FUNCTION", "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'forklake'::regnamespace"),
        ):
            for (name,) in connection.execute(names.encode()).fetchall():
                connection.execute(f"ALTER {kind} {name} OWNER TO {owner}".encode())
        connection.execute(f"ALTER SCHEMA forklake OWNER TO {owner}; ALTER SCHEMA ducklake OWNER TO {owner}".encode())
        connection.execute(f"GRANT SELECT ON ducklake.ducklake_table TO {reader} WITH GRANT OPTION".encode())
        connection.execute(f"GRANT SELECT (view_name) ON ducklake.ducklake_view TO {reader}".encode())
        connection.execute(b"REVOKE ALL ON FUNCTION forklake.lake_fork FROM PUBLIC")
        before = rights(connection)
        assert len(before) > 40
        forklake.upgrade(old)
        after = rights(connection)
    assert {key: after[key] for key in before} == before
    assert {after[key][0] for key in after.keys() - before.keys()} == {owner}


def rights(connection: psycopg.Connection[Any]) -> dict[tuple[str, str], Any]:
    """Return the owner and the rights of everything in the lake's schemas."""
    ours = "('forklake'::regnamespace, 'ducklake'::regnamespace)"
    found = connection.execute(
        "SELECT 'relation', c.oid::regclass::text, pg_get_userbyid(relowner), relacl::text,"
        " (SELECT array_agg(a.attname || a.attacl::text ORDER BY a.attname) FROM pg_attribute a"
        " WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL)"
        f" FROM pg_class c WHERE relnamespace IN {ours}"
        " AND relkind IN ('r', 'v') UNION ALL SELECT 'function', proname, pg_get_userbyid(proowner), proacl::text, NULL"
        f" FROM pg_proc WHERE pronamespace IN {ours}".encode()
    ).fetchall()
    return {(kind, name): facts for kind, name, *facts in found}


@pytest.mark.parametrize("product", ["postgresql"])
def test_who_may_not_upgrade_is_told_so(old: str, roles: tuple[str, str]) -> None:
    _, reader = roles
    with psycopg.connect(old, autocommit=True) as connection:
        connection.execute(f"GRANT USAGE ON SCHEMA forklake TO {reader}; ALTER ROLE {reader} LOGIN".encode())
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA forklake TO {reader}".encode())
    with pytest.raises(MetastoreRefusedError, match="permission denied to set role") as caught:
        forklake.upgrade(re.sub("//[^@/]*@", f"//{reader}@", old))
    assert caught.value.hint == "Run it as the owner of the metadata tables."


@pytest.mark.parametrize("product", ["postgresql"])
def test_what_was_built_on_the_views_is_not_dropped(old: str) -> None:
    with psycopg.connect(old, autocommit=True) as connection:
        connection.execute("CREATE VIEW report AS SELECT * FROM ducklake.ducklake_table")
    with pytest.raises(MetastoreRefusedError, match=r"something was built on .* ducklake\.ducklake_table"):
        forklake.upgrade(old)


# ---- steps -----------------------------------------------------------------------------------------------------------


def test_there_is_a_stored_lake_of_each_version() -> None:
    assert [path.name for path in sorted(stored.STORED.glob("v*"))] == VERSIONS
    assert steps.OLDEST == 1


def test_a_step_adds_columns_and_indexes(tmp_path: Path) -> None:
    column = Column("shelf", "text", default="'top'", ours=True)
    optional = Column("note", "number", is_nullable=True, ours=True)
    table = replace(
        DATA_FILE, columns=(*DATA_FILE.columns, column, optional), indexes=(Index("shelf_idx", ("shelf",)),)
    )
    step = Step(99, "", columns=((table, "shelf"), (table, "note")), indexes=((table, "shelf_idx"),))
    file = sqlite3.connect(tmp_path / "s.db")
    file.executescript(schema.script("sqlite"))
    for statement in step_script(SQLITE, step, 0):
        file.execute(statement)
    added = file.execute("PRAGMA table_info(forklake_ducklake_data_file)").fetchall()[-2:]
    assert [row[1:5] for row in added] == [("shelf", "TEXT", 1, "'top'"), ("note", "INTEGER", 0, None)]
    assert file.execute("SELECT name FROM sqlite_schema WHERE name = 'forklake_shelf_idx'").fetchall()
    file.close()
    with duckdb.connect() as database:
        database.execute(schema.script("duckdb"))
        for statement in step_script(DUCKDB, step, 0):
            database.execute(statement)
        assert database.execute(
            "SELECT column_name, data_type, is_nullable, column_default FROM duckdb_columns()"
            " WHERE table_name = 'ducklake_data_file' AND schema_name = 'forklake' ORDER BY column_index DESC LIMIT 2"
        ).fetchall() == [("note", "BIGINT", True, None), ("shelf", "VARCHAR", False, "'top'")]
        assert database.execute("SELECT value FROM forklake.ducklake_metadata WHERE value = '99'").fetchall()
