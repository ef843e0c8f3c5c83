"""A lake that lies where nothing can be written is read, and refuses to be changed."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import forklake
from forklake import Lake, Settings
from forklake.errors import MetastoreRefusedError, MetastoreUnavailableError
from tests.disks import read_only

LOCAL = Settings(engine="local")


@pytest.fixture(params=["sqlite", "duckdb"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory with a lake in it."""
    (tmp_path / "disk").mkdir()
    with make(tmp_path / "disk", request.param) as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE t (k INTEGER); INSERT INTO t SELECT * FROM range(100)")
        shop.fork("fork").sql("INSERT INTO t VALUES (100)")
    return tmp_path / "disk"


def make(disk: Path, kind: str = "sqlite") -> Lake:
    """Open the lake of a disk."""
    return forklake.open(f"{kind}:{disk}/lake.db", settings=LOCAL)


def kind_of(disk: Path) -> str:
    return "sqlite" if (disk / "lake.db").read_bytes().startswith(b"SQLite") else "duckdb"


def test_a_lake_on_a_read_only_disk_is_read(disk: Path) -> None:
    kind = kind_of(disk)
    before = sorted(path.name for path in disk.iterdir())
    with read_only(disk), make(disk, kind) as lake:
        shop = lake.catalog("shop")
        for _ in range(2):
            assert shop.table("t").count() == 100
            assert lake.catalog("fork").table("t").count() == 101
        found = shop.sql("SELECT sum(k) FROM t WHERE k > 97")
        assert found is not None
        assert found.fetchall() == [(197,)]
        assert shop.diff(lake.catalog("fork")).tables
        assert lake.maintenance.check(deep=True).is_sound
        for change in (
            lambda: shop.table("t").append([{"k": 1}]),
            lambda: shop.fork("another"),
            lambda: shop.maintenance.expire_snapshots(older_than="0 seconds"),
            lambda: lake.create_catalog("another"),
            lambda: shop.sql("DELETE FROM t"),
        ):
            with pytest.raises(MetastoreRefusedError, match="so the lake is only read; nothing was"):
                change()
    assert sorted(path.name for path in disk.iterdir()) == before
    with make(disk, kind) as lake:
        lake.catalog("shop").table("t").append([{"k": 1}])


def test_a_moved_lake_is_read_where_it_is(disk: Path, tmp_path: Path) -> None:
    kind, moved = kind_of(disk), tmp_path / "moved"
    shutil.move(disk, moved)
    with read_only(moved), make(moved, kind) as lake:
        assert lake.catalog("shop").table("t").count() == 100
        assert sorted(lake.catalog("shop").table("t").rows()) == [(number,) for number in range(100)]


@pytest.mark.parametrize("disk", ["sqlite"], indirect=True)
def test_a_file_with_a_log_is_read_with_it_or_not_at_all(disk: Path, tmp_path: Path) -> None:
    with make(disk) as lake:
        lake.catalog("shop").table("t").append([{"k": 1}])
        image = tmp_path / "image"
        shutil.copytree(disk, image)  # as a snapshot of the disk would have it: the lake is open
    assert (image / "lake.db-wal").stat().st_size
    shutil.rmtree(disk)
    with read_only(image), make(image) as lake:
        assert lake.catalog("shop").table("t").count() == 101
    (image / "lake.db-shm").unlink()
    with read_only(image), pytest.raises(MetastoreRefusedError, match=r"has changes in .*lake\.db-wal"):
        make(image)


@pytest.mark.parametrize("disk", ["sqlite"], indirect=True)
def test_who_writes_through_another_mount_is_seen(disk: Path, tmp_path: Path) -> None:
    link = tmp_path / "other"
    link.mkdir()
    (link / "lake.db").hardlink_to(disk / "lake.db")  # the same file, in a directory that can be written
    with read_only(disk), make(disk) as lake:
        assert lake.catalog("shop").table("t").count() == 100
        rename(link / "lake.db", "shop", "mall")
        assert lake.catalog("mall").table("t").count() == 100
        reading = lake._runtime.store.reading()
        session = reading.__enter__()
        session.query("SELECT 1")
        rename(link / "lake.db", "mall", "shop")
        with pytest.raises(MetastoreUnavailableError, match="was changed by another program while it was read"):
            reading.__exit__(None, None, None)
        assert lake.catalog("shop").table("t").count() == 100


def rename(file: Path, old: str, new: str) -> None:
    """Rename a catalog as somebody with another mount would, and leave no log."""
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("UPDATE forklake_ducklake_catalog SET catalog_name = ? WHERE catalog_name = ?", [new, old])
