"""Lakes that are moved: their files, their metadata, or both; and copies, which are told apart."""

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake import Catalog, Lake, Settings
from forklake.errors import (
    InvalidPathError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
    NotFoundError,
    SharedDataPathWarning,
)
from forklake.metastore.postgres import initialise
from forklake.metastore.queries import leases
from forklake.model.ids import CatalogId
from tests.contract.support import rows
from tests.lakes import EMBEDDED, LakeFactory
from tests.sound import check_sound
from tests.stored.content import fill, shown

embedded = pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)
sqlite = pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)


def small(lake: Lake) -> Catalog:
    """Make a catalog with a file, and a copy of it."""
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT"}).append(pa.table({"id": [1, 2]}))
    shop.fork("copied", copy=True)
    return shop


def ids(lake: Lake) -> dict[str, list[Any]]:
    return {info.name: sorted(lake.catalog(info.name).table("t").rows()) for info in lake.catalogs()}


BOTH = {"shop": [(1,), (2,)], "copied": [(1,), (2,)]}


# ---- files -----------------------------------------------------------------------------------------------------------


def test_a_lake_of_every_kind_of_catalog_is_read_and_written_where_its_files_are_now(
    lake_factory: LakeFactory, tmp_path: Path
) -> None:
    url = lake_factory.url()
    (tmp_path / "outside").mkdir()
    with Lake(url, data_path=tmp_path / "data") as lake:
        fill(lake, tmp_path / "outside")
        before = shown(lake)
        directory = lake.catalog("shop").inspect.info.data_path
    (tmp_path / "data").rename(tmp_path / "moved")
    planned = forklake.relocate(url, tmp_path / "moved", dry_run=True)
    done = forklake.relocate(url, tmp_path / "moved")
    assert (planned.is_done, done.is_done, done.old_path) == (False, True, f"{tmp_path}/data/")
    assert planned.row_counts == done.row_counts
    assert done.row_counts["ducklake_data_file"] > 0
    with Lake(url) as lake:
        assert lake.data_path == done.data_path == f"{tmp_path}/moved/"
        assert shown(lake) == before
        assert lake.catalog("shop").inspect.info.data_path == directory.replace("/data/", "/moved/")
        assert lake.catalog("slow").inspect.info.data_path == f"{tmp_path}/outside/slow/slow/"
        lake.catalog("copied").table("orders").append(pa.table({"id": [40] * 3, "item": ["k"] * 3}))
        assert sum(number == 40 for number, _ in lake.catalog("copied").table("orders").rows()) == 3
        for table in ("data_file", "delete_file", "schema", "table", "files_scheduled_for_deletion"):
            named = rows(lake, f"SELECT path FROM forklake.ducklake_{table}")
            assert not [path for (path,) in named if path.startswith(f"{tmp_path}/data/")]
        check_sound(lake, deep=True)
    assert not (tmp_path / "data").exists()


def test_a_catalog_goes_to_a_data_path_of_its_own_and_back(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        shop = small(lake)
        shop.fork("agent").table("t").append(pa.table({"id": [3]}))
        shop.rename("store")
    (tmp_path / "cold").mkdir()
    (tmp_path / "data" / "shop").rename(tmp_path / "cold" / "shop")
    expected = {"store": BOTH["shop"], "copied": BOTH["shop"], "agent": [(1,), (2,), (3,)]}
    assert forklake.relocate(url, tmp_path / "cold", catalog="store").data_path == f"{tmp_path}/cold/shop/"
    with Lake(url) as lake:
        assert ids(lake) == expected
        lake.catalog("store").table("t").append(pa.table({"id": [4]}))
        assert len(list((tmp_path / "cold").rglob("*.parquet"))) == 2
        with pytest.raises(InvalidPathError, match='Catalog "new" was not created'):
            lake.create_catalog("new", data_path=tmp_path / "cold" / "shop", at_base=True)
    (tmp_path / "cold" / "shop").rename(tmp_path / "data" / "shop")
    forklake.relocate(url, tmp_path / "data", catalog="store")
    with Lake(url) as lake:
        assert ids(lake) == expected | {"store": [(1,), (2,), (4,)]}
        assert rows(lake, "SELECT DISTINCT data_path, path FROM forklake.ducklake_catalog WHERE catalog_id = 0") == [
            (None, "shop/")
        ]


def test_base_paths_of_catalogs_below_that_of_the_lake_go_along(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        lake.create_catalog("shop", data_path=tmp_path / "data" / "inner").create_table("t", {"id": "BIGINT"}).append(
            pa.table({"id": [1]})
        )
    (tmp_path / "data").rename(tmp_path / "moved")
    forklake.relocate(url, tmp_path / "moved")
    with Lake(url) as lake:
        assert lake.catalog("shop").table("t").rows() == [(1,)]
        found = rows(lake, "SELECT data_path, path, path_is_relative FROM forklake.ducklake_catalog")
        assert [tuple(row) for row in found] == [(f"{tmp_path}/moved/inner/", "inner/shop/", True)]


@sqlite
def test_what_cannot_be_is_refused_and_changes_nothing(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    with Lake(url, data_path=tmp_path / "data") as lake:
        small(lake)
        lake.create_catalog("own", data_path=tmp_path / "own")
        lake.create_catalog("alone", data_path=tmp_path / "alone", at_base=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "own").mkdir()
    for path, catalog, reason in (
        (tmp_path / "nowhere", None, r'There is no directory ".*/nowhere/"; nothing was changed'),
        (tmp_path / "other", None, r'".*/other/" has no directory of a catalog, such as "shop/"; nothing was changed'),
        (tmp_path / "data" / "shop", None, r'".*/data/shop/" has no directory of a catalog'),
        (tmp_path / "nowhere", "shop", r'There is no directory ".*/nowhere/shop/"'),
        (tmp_path / "own", None, "the directory of a catalog with a data path of its own lies there"),
        (tmp_path, None, "the directory of a catalog with a data path of its own lies there"),
        (tmp_path / "own" / "own", "shop", 'Catalog "shop" was not moved: its directory would lie in'),
        (tmp_path / "data" / "copied", "shop", 'Catalog "shop" was not moved: its directory would lie in'),
        (tmp_path, "alone", "contains the lake's own data path"),
        ("", None, "The data path is empty"),
    ):
        with pytest.raises(InvalidPathError, match=reason):
            forklake.relocate(url, path, catalog=catalog)
    with pytest.raises(NotFoundError, match="nobody"):
        forklake.relocate(url, tmp_path / "other", catalog="nobody")
    with pytest.raises(NotFoundError, match="There is no lake"):
        forklake.relocate(str(tmp_path / "none.db"), tmp_path / "other")
    with Lake(url) as lake:
        assert lake.data_path == f"{tmp_path}/data/"
        assert lake.catalog("shop").table("t").rows() == [(1,), (2,)]


def test_a_lake_is_not_moved_under_a_writer(lake_factory: LakeFactory, tmp_path: Path) -> None:
    url = lake_factory.url()
    (tmp_path / "new" / "shop").mkdir(parents=True)
    with Lake(url, data_path=tmp_path / "data") as lake:
        shop = small(lake)
        leases.write(lake._runtime.store, CatalogId(0), "somebody")
        lake.close() if lake_factory.kind == "duckdb" else None
        with pytest.raises(MetastoreUnavailableError, match="a writer is at work"):
            forklake.relocate(url, tmp_path / "new")
    with Lake(url) as lake:
        leases.delete(lake._runtime.store, CatalogId(0), "somebody")
        shop = lake.catalog("shop")
        if lake_factory.kind != "duckdb":  # which no other can open meanwhile
            forklake.relocate(url, tmp_path / "new")
            with pytest.raises(InvalidPathError, match="the lake was given another data path since it was opened"):
                shop.table("t").append(pa.table({"id": [5]}))
            for delete in (shop.maintenance.cleanup_old_files, shop.maintenance.delete_orphaned_files):
                with pytest.raises(InvalidPathError, match="Nothing was deleted: the lake was given another data path"):
                    delete(cleanup_all=True)


# ---- metadata, and both ----------------------------------------------------------------------------------------------


@pytest.fixture(params=["lake.db.files", "data", "deep/data"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory with a lake in it, the data below it."""
    home = tmp_path / "home"
    home.mkdir()
    with Lake(str(home / "lake.db"), data_path=home / request.param) as lake:
        small(lake)
    return home


def test_a_lake_that_was_moved_with_its_data_works(home: Path, tmp_path: Path) -> None:
    home.rename(tmp_path / "elsewhere")
    for _ in range(2):
        with Lake(str(tmp_path / "elsewhere" / "lake.db")) as lake:
            assert ids(lake) == BOTH
            assert (lake.data_path or "").startswith(f"{tmp_path}/elsewhere/")
    with Lake(str(tmp_path / "elsewhere" / "lake.db")) as lake:
        lake.catalog("copied").table("t").append(pa.table({"id": [3]}))
        files = rows(lake, "SELECT path FROM forklake.ducklake_data_file WHERE NOT path_is_relative")
        assert files
        assert all(path.startswith(f"{tmp_path}/elsewhere/") for (path,) in files)
    assert not home.exists()


def test_a_merged_lake_that_was_moved_has_the_files_of_a_fork_that_is_gone(home: Path, tmp_path: Path) -> None:
    with Lake(str(home / "lake.db")) as lake:
        shop = lake.catalog("shop")
        agent = shop.fork("agent")
        agent.options.set("data_inlining_row_limit", 0)
        agent.table("t").append(pa.table({"id": [7]}))
        shop.merge(agent)
        before = shop.table("t").arrow().to_pydict()
        agent.drop()
        lake.purge(int(agent.catalog_id))
    home.rename(tmp_path / "elsewhere")
    with Lake(str(tmp_path / "elsewhere" / "lake.db")) as lake:
        shop = lake.catalog("shop")
        lake.maintenance.cleanup_old_files(cleanup_all=True)
        assert shop.table("t").arrow().to_pydict() == before
        assert 7 in before["id"]
        other = shop.fork("other")
        other.table("t").append(pa.table({"id": [8]}))
        shop.merge(other)
        assert sorted(shop.table("t").arrow().to_pydict()["id"]) == sorted([*before["id"], 8])
        check_sound(lake)
    assert not home.exists()


@embedded
def test_a_lake_that_was_moved_and_renamed_works(lake_factory: LakeFactory, tmp_path: Path) -> None:
    old, new = tmp_path / f"old.{lake_factory.kind}", tmp_path / f"new.{lake_factory.kind}"
    with Lake(f"{lake_factory.kind}:{old}") as lake:
        small(lake)
    old.rename(new)
    Path(f"{old}.files").rename(f"{new}.files")
    with Lake(f"{lake_factory.kind}:{new}") as lake:
        assert ids(lake) == BOTH
        assert lake.data_path == f"{new}.files/"


def test_an_empty_lake_that_was_moved_writes_beside_itself(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with Lake(str(tmp_path / "a" / "lake.db")) as lake:
        lake.create_catalog("shop").create_table("t", {"id": "BIGINT"})
    (tmp_path / "a" / "lake.db").rename(tmp_path / "b" / "lake.db")
    with Lake(str(tmp_path / "b" / "lake.db")) as lake:
        lake.catalog("shop").table("t").append(pa.table({"id": [1]}))
    assert list((tmp_path / "a").iterdir()) == []


def test_metadata_that_was_moved_alone_finds_its_data(home: Path, tmp_path: Path) -> None:
    (home / "lake.db").rename(tmp_path / "lake.db")
    with Lake(str(tmp_path / "lake.db")) as lake:
        assert ids(lake) == BOTH
        assert (lake.data_path or "").startswith(f"{home}/")


def test_a_link_to_the_metadata_is_no_copy(home: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(home)
    with Lake(str(tmp_path / "linked" / "lake.db")) as lake:
        assert ids(lake) == BOTH


def test_a_copy_that_shares_the_data_is_warned_of_until_it_has_its_own(home: Path, tmp_path: Path) -> None:
    shutil.copy(home / "lake.db", tmp_path / "copy.db")
    for _ in range(2):
        with pytest.warns(SharedDataPathWarning, match=rf'copy \(".*/copy\.db", of "{home}/lake\.db"\)'):
            lake = Lake(str(tmp_path / "copy.db"))
        data = Path(lake.data_path or "")
        assert ids(lake) == BOTH
        for delete in (
            lake.maintenance.cleanup_old_files,
            lake.maintenance.delete_orphaned_files,
            lake.catalog("shop").maintenance.cleanup_old_files,
            lake.catalog("shop").maintenance.delete_orphaned_files,
        ):
            with pytest.raises(MetastoreRefusedError, match="is a copy that uses the files of the original, so none"):
                delete(cleanup_all=True)
            delete(cleanup_all=True, dry_run=True)
        lake.close()
    with Lake(str(home / "lake.db")) as lake:
        assert ids(lake) == BOTH
    shutil.copytree(data, tmp_path / "copied")
    forklake.relocate(str(tmp_path / "copy.db"), tmp_path / "copied")
    with Lake(str(tmp_path / "copy.db")) as lake:
        lake.catalog("shop").table("t").append(pa.table({"id": [3]}))
        lake.maintenance.delete_orphaned_files(cleanup_all=True)
    with Lake(str(home / "lake.db")) as lake:
        assert ids(lake) == BOTH


@pytest.fixture
def copied_database(postgres_server: Any, tmp_path: Path) -> Iterator[str]:
    """A copy of a database that holds a lake."""
    original = postgres_server.create_database()
    initialise(original, None, Settings())
    with Lake(original, data_path=tmp_path / "data") as lake:
        small(lake)
    copy = postgres_server.create_database(template=original)
    yield copy
    postgres_server.drop_database(copy)
    postgres_server.drop_database(original)


def test_a_copy_of_a_database_is_warned_of_until_it_is_confirmed(copied_database: str, tmp_path: Path) -> None:
    with pytest.warns(SharedDataPathWarning, match="The metadata is a copy"), Lake(copied_database) as lake:
        assert ids(lake) == BOTH
    forklake.relocate(copied_database, tmp_path / "data")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Lake(copied_database).close()
