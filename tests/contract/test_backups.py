"""Backup and restore as the guide to operations tells them: each store, while others work."""

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import forklake
from forklake import Lake, Settings
from forklake.errors import MetastoreRefusedError, SharedDataPathWarning
from forklake.metastore.postgres import initialise
from tests.servers import PostgresServer, postgres_program
from tests.sound import check_sound

AT_BACKUP = {"shop": [(1,), (2,)], "agent": [(1,), (2,), (3,)]}


def fill(lake: Lake) -> None:
    """Write files of a catalog and of a fork."""
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 0)
    shop.create_table("t", {"id": "BIGINT"}).append(pa.table({"id": [1, 2]}))
    shop.fork("agent").table("t").append(pa.table({"id": [3]}))


def work_on(lake: Lake) -> None:
    """Do what comes after the metadata was saved and before the files are.

    A table goes with its snapshots, and clean-up runs: the grace period keeps the files that the backup needs.
    """
    shop = lake.catalog("shop")
    shop.table("t").append(pa.table({"id": [4]}))
    lake.catalog("agent").drop()
    lake.purge("agent")
    shop.table("t").drop()
    shop.maintenance.expire_snapshots(versions=[one.snapshot_id for one in shop.snapshots()][:-1])
    assert lake.maintenance.cleanup_old_files().deleted == ()
    assert lake.maintenance.needs.scheduled_count > 0


def open_restored(url: str, files: Path) -> None:
    """Open a lake that was restored while the original is still there.

    Until it is told of its own files, it deletes nothing.
    """
    with pytest.warns(SharedDataPathWarning), Lake(url) as copied, pytest.raises(MetastoreRefusedError):
        copied.maintenance.cleanup_old_files(cleanup_all=True)
    forklake.relocate(url, files)
    with Lake(url) as restored:
        check_restored(restored)


def check_restored(lake: Lake) -> None:
    """The lake is as it was, sound to the bytes of its files, and can be written and cleaned."""
    assert {info.name: sorted(lake.catalog(info.name).table("t").rows()) for info in lake.catalogs()} == AT_BACKUP
    check_sound(lake, deep=True)
    lake.catalog("agent").table("t").append(pa.table({"id": [5]}))
    # What was written after the backup is named by nothing here.
    assert len(lake.maintenance.delete_orphaned_files(cleanup_all=True).files) == 1
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    check_sound(lake, deep=True)
    assert sorted(lake.catalog("agent").table("t").rows()) == [(1,), (2,), (3,), (5,)]


def by_backup(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as one, sqlite3.connect(target) as other:
        one.backup(other)
    one.close()
    other.close()


def by_vacuum(source: Path, target: Path) -> None:
    connection = sqlite3.connect(source)
    connection.execute("VACUUM INTO ?", (str(target),))
    connection.close()


@pytest.mark.parametrize("save", [by_backup, by_vacuum])
def test_a_sqlite_lake_is_saved_while_it_is_open_and_restored_elsewhere(
    save: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    with Lake(f"sqlite:{home}/lake.db") as lake:
        fill(lake)
        save(home / "lake.db", other / "lake.db")
        work_on(lake)
        shutil.copytree(home / "lake.db.files", other / "lake.db.files")
    open_restored(f"sqlite:{other}/lake.db", other / "lake.db.files")


@pytest.mark.slow
def test_a_duckdb_lake_is_saved_while_nothing_has_it_open(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    with Lake(f"duckdb:{home}/lake.duckdb") as lake:
        fill(lake)
    with duckdb.connect(str(home / "lake.duckdb")) as connection:
        connection.execute("CHECKPOINT")
    assert not (home / "lake.duckdb.wal").exists()
    shutil.copy(home / "lake.duckdb", other / "lake.duckdb")
    with Lake(f"duckdb:{home}/lake.duckdb") as lake:
        work_on(lake)
    shutil.copytree(home / "lake.duckdb.files", other / "lake.duckdb.files")
    open_restored(f"duckdb:{other}/lake.duckdb", other / "lake.duckdb.files")


def run_program(name: str, *arguments: str) -> None:
    subprocess.run([postgres_program(name), *arguments], check=True, capture_output=True)


def test_a_dump_of_postgresql_is_restored_with_a_copy_of_its_files(
    postgres_server: PostgresServer, postgres_database: str, tmp_path: Path
) -> None:
    initialise(postgres_database, None, Settings())
    dump = str(tmp_path / "lake.dump")
    with Lake(postgres_database, data_path=tmp_path / "data") as lake:
        fill(lake)
        schemas = ("--schema=forklake", "--schema=ducklake")
        run_program("pg_dump", "--format=custom", *schemas, f"--file={dump}", f"--dbname={postgres_database}")
        work_on(lake)
        shutil.copytree(tmp_path / "data", tmp_path / "restored")
    url = postgres_server.create_database()
    try:
        run_program("pg_restore", "--single-transaction", f"--dbname={url}", dump)
        open_restored(url, tmp_path / "restored")
    finally:
        postgres_server.drop_database(url)
