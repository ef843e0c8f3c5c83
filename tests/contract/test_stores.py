"""Opening a lake: what is made, what is checked, and what is refused."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from forklake import Lake, Settings
from forklake.errors import (
    ConfigError,
    InvalidPathError,
    MetastoreCorruptError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
    MetastoreVersionError,
)
from forklake.metastore import schema
from forklake.metastore.postgres import initialise
from forklake.ops.lakes.init_lake import init_lake
from forklake.ops.lakes.lake_exists import lake_exists
from tests.contract.support import names, rows, run_together, state, unprivileged
from tests.lakes import EMBEDDED, IMPATIENT, LakeFactory
from tests.servers import PgBouncer, PostgresServer, database_name

embedded = pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)


def test_a_lake_that_is_opened_again_is_the_same(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
    with Lake(url) as lake:
        assert names(lake.catalog("shop")) == ["orders"]
        assert lake.data_path == f"{tmp_path}/data/"


def test_a_lake_keeps_its_first_data_path(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    Lake(url, data_path=tmp_path / "one").close()
    with pytest.raises(InvalidPathError, match=r'DATA_PATH parameter ".*/two/" does not match .* ".*/one/"'):
        Lake(url, data_path=tmp_path / "two")
    with Lake(url, data_path=tmp_path / "one") as lake:
        assert lake.data_path == f"{tmp_path}/one/"


@embedded
def test_an_embedded_lake_puts_its_files_beside_itself(lake_factory: LakeFactory) -> None:
    url = lake_factory.url()
    with Lake(url) as lake:
        assert lake.data_path == url.split(":", 1)[1] + ".files/"


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_a_lake_on_a_server_must_be_told_where_its_files_go(lake_factory: LakeFactory) -> None:
    with (
        Lake(lake_factory.url()) as lake,
        pytest.raises(InvalidPathError, match='Catalog "shop" was not created: the lake has no data path yet'),
    ):
        lake.create_catalog("shop")


def test_a_closed_lake_says_so(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    lake.close()
    lake.close()
    with pytest.raises(MetastoreRefusedError, match="is closed"):
        shop.tables()


# ---- versions ------------------------------------------------------------------------------------------------------


def test_a_database_without_the_tables_is_not_filled_silently(postgres_database: str) -> None:
    with pytest.raises(MetastoreVersionError) as caught:
        Lake(postgres_database)
    text = "DuckLake metadata not found. Run schema/postgresql.sql against the database first."
    assert caught.value.message == text
    with psycopg.connect(postgres_database) as connection:
        assert connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 'forklake'").fetchone() == (0,)


@pytest.mark.parametrize(("key", "expected"), [("version", "1.0"), ("forklake_version", "4")])
def test_a_store_of_another_version_is_refused(lake_factory: LakeFactory, key: str, expected: str) -> None:
    url = lake_factory.url()
    with Lake(url) as lake, lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_metadata SET value = '0.9' WHERE key = :key", key=key)
    with pytest.raises(MetastoreVersionError) as caught:
        Lake(url)
    assert str(caught.value).startswith(f"Unsupported DuckLake version: 0.9. Expected {expected}. ")


def test_a_store_without_a_version_is_refused(lake_factory: LakeFactory) -> None:
    url = lake_factory.url()
    with Lake(url) as lake, lake._runtime.store.writing() as session:
        session.execute("DELETE FROM forklake.ducklake_metadata WHERE key = 'version'")
    with pytest.raises(MetastoreVersionError, match=r"^DuckLake metadata not found\. Run schema/"):
        Lake(url)


def test_the_schema_file_by_itself_makes_a_usable_store(postgres_database: str, tmp_path: Path) -> None:
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(schema.script("postgresql").encode())
    with Lake(postgres_database, data_path=tmp_path) as lake:
        fork = lake.create_catalog("shop").fork("agent")
        fork.create_table("orders", {"id": "BIGINT"})
        assert names(fork) == ["orders"]


@pytest.mark.parametrize("partitions", [None, 4])
def test_initialising_twice_changes_nothing(postgres_database: str, partitions: int | None, tmp_path: Path) -> None:
    assert initialise(postgres_database, partitions, Settings())
    with Lake(postgres_database, data_path=tmp_path) as lake:
        lake.create_catalog("shop")
        before = state(lake)
        assert not initialise(postgres_database, partitions, Settings())
        assert state(lake) == before


def test_initialising_leaves_the_schema_of_another_program_alone(postgres_database: str) -> None:
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA forklake")
        with pytest.raises(MetastoreVersionError, match='a schema "forklake" that holds no lake; nothing was changed'):
            initialise(postgres_database, None, Settings())
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'forklake'").fetchone() == (0,)


def test_the_schema_files_agree_on_tables_and_columns(tmp_path: Path, postgres_database: str) -> None:
    initialise(postgres_database, None, Settings())
    shape = (
        "SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t"
        " ON t.table_schema = c.table_schema AND t.table_name = c.table_name"
        " WHERE c.table_schema = 'forklake' AND t.table_type = 'BASE TABLE'"
    )
    with psycopg.connect(postgres_database) as connection:
        in_postgres = set(connection.execute(shape.encode()).fetchall())
    with Lake(f"duckdb:{tmp_path}/lake.duckdb") as lake:
        in_duckdb = set(rows(lake, shape))
    with Lake(f"sqlite:{tmp_path}/lake.sqlite") as lake:
        in_sqlite = set(
            rows(
                lake,
                "SELECT replace(t.name, 'forklake_', ''), c.name FROM sqlite_master t"
                " JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
            )
        )
    # SQLite has no sequences of its own.
    in_sqlite = {(table, column) for table, column in in_sqlite if table != "sequence"}
    ours = {"catalog", "head", "segment", "tombstone", "snapshot_lineage"}
    assert {f"ducklake_{name}" for name in ours} < {table for table, _ in in_postgres}
    assert in_postgres == in_duckdb == in_sqlite


# ---- files that are no lake ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "sqlite:", "duckdb:"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, prefix: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"dear diary, " * 1000)
    with pytest.raises(MetastoreCorruptError, match=r"notes\.txt"):
        Lake(f"{prefix}{path}")
    assert path.read_bytes() == b"dear diary, " * 1000


@embedded
def test_a_damaged_file_is_refused(lake_factory: LakeFactory) -> None:
    url = lake_factory.url()
    with Lake(url) as lake:
        lake.create_catalog("shop")
    path = Path(url.split(":", 1)[1])
    whole = path.read_bytes()
    path.write_bytes(whole[:512] + b"\xff" * (len(whole) - 512))
    with pytest.raises(MetastoreCorruptError, match=path.name):
        Lake(url).catalogs()


def test_the_sqlite_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE users (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(MetastoreVersionError, match=r'theirs\.db" holds other tables and no lake'):
        Lake(f"{path}")
    assert path.read_bytes() == before


def test_the_duckdb_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE users (name TEXT)")
    with pytest.raises(MetastoreVersionError, match=r'theirs\.duckdb" holds other tables and no lake'):
        Lake(f"{path}")
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("users",)]


@pytest.mark.parametrize("kind", EMBEDDED)
def test_a_read_only_file_is_refused_and_left_alone(kind: str) -> None:
    with unprivileged() as directory:
        path = directory / "lake"
        with Lake(f"{kind}:{path}") as lake:
            lake.create_catalog("shop")
        path.chmod(0o444)
        directory.chmod(0o555)
        before = path.read_bytes()
        try:
            with (
                pytest.raises(MetastoreRefusedError, match=f'"{path}"') as caught,
                Lake(f"{kind}:{path}") as lake,
            ):
                lake.create_catalog("other")
            assert not caught.value.retryable
        finally:
            directory.chmod(0o755)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("", "empty"),
        ("a\0b", "not text"),
        ("mysql://user:hunter2@host/lake", 'No metadata database is known by "mysql:"'),
        ("sqlite:", "names no database"),
        ("{directory}", "is a directory"),
        ("{directory}/none/lake.db", "The directory of the metadata file .* does not exist"),
        ("postgres:no such words", "cannot be understood"),
        ("postgres:host=h port=many", 'a port that is no number: "many"'),
        ("ducklake:", "empty"),
        ("   ", "empty"),
        ("mysql:host=h password=hunter2", 'No metadata database is known by "mysql:"'),
        ("ducklake:mysql:db=lake password=hunter2", 'No metadata database is known by "mysql:"'),
        ("DuckLake:MySQL:db=lake", 'No metadata database is known by "MySQL:"'),
        ("s3://bucket/lake.db", 'No metadata database is known by "s3:"'),
        ("s3:bucket/lake.db", 'No metadata database is known by "s3:"'),
        ("https://host/lake.db", 'No metadata database is known by "https:"'),
        ("file:lake.db", 'No metadata database is known by "file:"'),
        ("file:///lake.db", 'No metadata database is known by "file:"'),
        ("lake:v2.db", 'No metadata database is known by "lake:"'),
        ("jdbc:sqlite:lake.db", 'No metadata database is known by "jdbc:"'),
        ("sqlite:s3://bucket/lake.db", 'A metadata file is on a disk of this machine, not at "s3:'),
        ("duckdb:https://host/lake.db", 'A metadata file is on a disk of this machine, not at "https:'),
        (":memory:", "A lake cannot be kept in memory"),
        ("ducklake::memory:", "A lake cannot be kept in memory"),
        ("sqlite::memory:", "A lake cannot be kept in memory"),
        ("duckdb::memory:", "A lake cannot be kept in memory"),
        ("duckdb::memory:named", "A lake cannot be kept in memory"),
    ],
)
def test_a_url_that_names_no_lake_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    named = url.replace("{directory}", str(tmp_path))
    for attempt in (Lake, init_lake, lake_exists if "directory" not in complaint else Lake):
        if attempt is lake_exists and url.startswith("postgres:"):
            continue
        with pytest.raises(ConfigError, match=complaint) as caught:
            attempt(named)
        assert "hunter2" not in f"{caught.value} {caught.value.hint}"
    assert list(tmp_path.iterdir()) == []


def test_a_url_of_an_unknown_kind_is_told_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        Lake("ducklake:mysql:db=lake")
    for known in ("sqlite:path", "duckdb:path", "postgresql://...", "postgres:", '"./mysql:..."'):
        assert known in (caught.value.hint or "")


@pytest.mark.parametrize(
    "url",
    [
        "a:b.db",
        "C:lake.db",
        "C:\\lakes\\lake.db",
        "./mysql:lake.db",
        "sub/s3:lake.db",
        "sqlite:mysql:lake.db",
        "./:memory:",
        "my lake.db",
        "2:1.db",
        "lake.db:",
        "ünïcode:lake.db",
        "SQLite:upper.db",
    ],
)
def test_a_file_may_have_an_odd_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    with Lake(url) as lake:
        lake.create_catalog("shop")
    path = url.removeprefix("sqlite:").removeprefix("SQLite:")
    assert (tmp_path / path).is_file()
    with Lake(f"ducklake:{url}") as lake:
        assert [info.name for info in lake.catalogs()] == ["shop"]


def test_a_path_object_is_a_path_whatever_it_looks_like(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Lake(Path("mysql:lake.db")).close()  # type: ignore[arg-type]
    assert (tmp_path / "mysql:lake.db").is_file()


@pytest.mark.parametrize("url", [None, 5, b"lake.db"])
def test_a_url_is_text_or_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="not text"):
        Lake(url)
    assert list(tmp_path.iterdir()) == []


def test_a_bare_path_is_a_new_sqlite_file_or_what_is_there(tmp_path: Path) -> None:
    for path, product in ((tmp_path / "a.db", "sqlite"), (tmp_path / "b.db", "duckdb")):
        with Lake(str(path) if product == "sqlite" else f"duckdb:{path}") as lake:
            lake.create_catalog("shop")
        with Lake(str(path)) as lake:
            assert lake._runtime.store.dialect.name == product
            assert lake.catalog("shop").head == 0


def test_a_duckdb_file_serves_one_process(tmp_path: Path) -> None:
    code = (
        "try:\n    Lake(sys.argv[1])\nexcept errors.MetastoreUnavailableError as error:\n    print(error, error.hint)\n"
    )
    with Lake(f"duckdb:{tmp_path}/lake.duckdb"):
        (printed,) = run_together(code, [[f"duckdb:{tmp_path}/lake.duckdb"]])
    assert printed.startswith("Unique file handle conflict: the metadata file")
    assert "Use SQLite or PostgreSQL for several" in printed


# ---- time-outs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("through_bouncer", [False, True])
def test_a_statement_that_waits_too_long_is_cancelled(
    postgres_server: PostgresServer,
    pgbouncer: PgBouncer,
    postgres_database: str,
    tmp_path: Path,
    through_bouncer: bool,
) -> None:
    initialise(postgres_database, None, Settings())
    url = pgbouncer.url(database_name(postgres_database)) if through_bouncer else postgres_database
    with Lake(url, data_path=tmp_path, settings=Settings(statement_timeout_seconds=0.3)) as lake:
        shop = lake.create_catalog("shop")
        with psycopg.connect(postgres_database) as blocker:
            blocker.execute("LOCK TABLE forklake.ducklake_head IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(MetastoreUnavailableError, match=r"took longer than 0\.3 s and was cancelled") as caught:
                shop.create_table("orders", {"id": "BIGINT"})
            blocker.rollback()
        assert caught.value.retryable
        shop.create_table("orders", {"id": "BIGINT"})
        assert names(shop) == ["orders"]


def test_a_sqlite_file_that_is_locked_for_too_long_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "lake.db"
    with Lake(str(path), settings=Settings(statement_timeout_seconds=0.2)) as lake:
        shop = lake.create_catalog("shop")
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        assert shop.tables() == []  # readers never wait
        with pytest.raises(MetastoreUnavailableError, match="was locked by another writer for too long; nothing was"):
            shop.create_table("orders", {"id": "BIGINT"})
        blocker.close()
        shop.create_table("orders", {"id": "BIGINT"})
        assert names(shop) == ["orders"]


def test_a_full_disk_is_not_worth_trying_again(tmp_path: Path) -> None:
    with Lake(str(tmp_path / "lake.db")) as lake:
        shop = lake.create_catalog("shop")
        for connection in lake._runtime.store._idle:  # type: ignore[attr-defined]
            connection.execute("PRAGMA max_page_count = 1")  # as many as there are, that is
        with pytest.raises(MetastoreRefusedError, match="is full; nothing was changed") as caught:
            shop.create_table("wide", {f"column_{number}": "BIGINT" for number in range(1000)})
        assert not caught.value.retryable
        assert names(shop) == []


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    settings = Settings(connect_timeout_seconds=1)
    with pytest.raises(MetastoreUnavailableError, match=f"host={tmp_path}"):
        Lake(f"postgres:host={tmp_path} dbname=lake user=me", settings=settings)


# ---- PgBouncer -----------------------------------------------------------------------------------------------------


def test_nothing_is_left_in_a_session_behind_pgbouncer(
    pgbouncer: PgBouncer, postgres_database: str, tmp_path: Path
) -> None:
    initialise(postgres_database, None, Settings())
    url = pgbouncer.url(database_name(postgres_database))
    with (
        Lake(url, data_path=tmp_path, settings=IMPATIENT) as one,
        Lake(url, settings=IMPATIENT) as other,
        psycopg.connect(url, prepare_threshold=None) as watcher,
    ):
        shop = one.create_catalog("shop")
        for number in range(8):
            # Each sees the other's work at once, whichever server session its transactions run in.
            shop.create_table(f"t{number}", {"i": "INTEGER"})
            fork = other.catalog("shop").fork(f"fork-{number}")
            assert len(fork.tables()) == number + 1
        other.catalog("fork-0").drop()
        one.undrop_catalog("fork-0")
        left = watcher.execute(
            "SELECT (SELECT count(*) FROM pg_prepared_statements), current_setting('statement_timeout'),"
            " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), current_setting('search_path')"
        ).fetchone()
    assert left == (0, "0", 0, '"$user", public')


def test_opening_a_lake_again_by_its_path_gives_up_no_lock_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "lake.db"
    # Whoever closes a file last removes its log; who holds no lock on the file does not count.
    visit = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1])\n"
        "print(connection.execute('SELECT count(*) FROM forklake_ducklake_catalog').fetchone()[0])\n"
        "connection.close()"
    )

    def visited() -> str:
        command = [sys.executable, "-c", visit, str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    with Lake(str(path), data_path=tmp_path / "data") as first:
        first.create_catalog("shop")
        with Lake(str(path)) as second:
            assert len(second.catalogs()) == 1
        assert visited() == "1"
        first.create_catalog("attic")
        assert visited() == "2"
