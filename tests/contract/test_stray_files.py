"""Clean-up deletes what lies in the directory of the catalog that it is scheduled for, and nothing else.

Rows of scheduled files are written here by hand, as a program may that writes the tables.
"""

import os
import random
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from forklake import Catalog, Lake, Settings
from forklake.catalog.places import catalog_directories
from forklake.ops.maintenance.stray_files import foreign_directory, named_among, stray_files
from tests.contract.support import data_file, rows
from tests.contract.test_cleanup import remove_all, write
from tests.contract.test_fsck import codes
from tests.contract.test_garbage import expire_all
from tests.lakes import EMBEDDED, LakeFactory


def schedule(lake: Lake, catalog: Catalog, paths: Iterable[str]) -> None:
    """Let a catalog's files wait for deletion, for ten days already."""
    with lake._runtime.store.writing() as session:
        session.insert_many(
            "ducklake_files_scheduled_for_deletion",
            ["catalog_id", "data_file_id", "path", "path_is_relative", "schedule_start"],
            [
                [catalog.catalog_id, 900 + number, path, False, session.now() - timedelta(days=10)]
                for number, path in enumerate(paths)
            ],
        )


def scheduled(lake: Lake) -> set[str]:
    return {path for (path,) in rows(lake, "SELECT path FROM forklake.ducklake_files_scheduled_for_deletion")}


def place_at(lake: Lake, catalog: Catalog, path: str, *, is_relative: bool) -> None:
    """Give a catalog another directory, as forklake never does."""
    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_catalog SET path = :path, path_is_relative = :relative WHERE catalog_id = :c",
            path=path,
            relative=is_relative,
            c=catalog.catalog_id,
        )


def files_below(directory: Path) -> set[Path]:
    """Return the Parquet files and the links to some below a directory; links to directories are not followed."""
    found = {Path(above) / name for above, _, names in os.walk(directory) for name in names}
    return {path for path in found if path.suffix == ".parquet"}


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    write(shop.create_table("t", {"i": "INTEGER"}), "live")
    return shop


@pytest.fixture
def rival(lake: Lake) -> Catalog:
    rival = lake.create_catalog("rival")
    write(rival.create_table("t", {"i": "INTEGER"}), *(f"r{number}" for number in range(9)))
    return rival


def directory_of(lake: Lake, catalog: Catalog) -> Path:
    runtime = lake._runtime
    return Path(catalog_directories(runtime.store, runtime.lake_path, {catalog.catalog_id})[catalog.catalog_id])


@pytest.mark.parametrize("seed", [1, 2])
def test_of_random_paths_those_below_the_own_directory_are_deleted(
    lake: Lake, shop: Catalog, rival: Catalog, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    own, foreign, outside = directory_of(lake, shop), directory_of(lake, rival), tmp_path / "outside"
    outside.mkdir()
    for name, target in (("out", outside), ("over", foreign / "main/t"), ("in", own / "main/t")):
        (own / name).symlink_to(target)
    made = 0

    def new(directory: Path) -> str:
        nonlocal made
        made += 1
        path = directory / f"f{made}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        return str(path)

    def own_file() -> str:
        return new(own / chance.choice(["main/t", "main/gone", "deep/er/still", "a b%20"]))

    def foreign_file() -> str:
        return new(chance.choice([foreign / "main/t", outside, own.parent, Path(f"{own}2")]))

    def linked_file() -> str:
        path = Path(own_file())
        path.unlink()
        path.symlink_to(new(chance.choice([foreign / "main/t", outside])))
        return str(path)

    live = str(next(own.glob("main/t/live*")))
    makers = {
        True: (own_file, linked_file, lambda: f"file://{own_file()}", lambda: str(own / "main/t" / f"gone{made}")),
        False: (
            foreign_file,
            lambda: chance.choice([str(path) for path in files_below(foreign)]),
            lambda: f"{own}/../{os.path.relpath(foreign_file(), own.parent)}",
            lambda: f"{own}/./{os.path.relpath(own_file(), own)}",
            lambda: f"{own}/main/../{os.path.relpath(own_file(), own)}",
            lambda: own_file().replace(f"{own}/", f"{own}//"),
            lambda: f"/{own_file()}",
            lambda: str(own / "out" / Path(new(outside)).name),
            lambda: str(own / "over" / Path(new(foreign / "main/t")).name),
            lambda: str(own / "in" / Path(new(own / "main/t")).name),
            lambda: own_file().replace(str(own), str(own).upper()),
            lambda: f"s3://bucket{own_file()}",
            lambda: f"file:{own_file()}",
            lambda: os.path.relpath(own_file(), own),
            lambda: f"{own}/main/t/",
            lambda: f"file://localhost{own_file()}",
        ),
    }
    paths: dict[str, bool] = {}
    for _ in range(60):
        is_own = chance.random() < 0.4
        paths.setdefault(chance.choice(makers[is_own])(), is_own)
    schedule(lake, shop, [*paths, live])
    before = files_below(tmp_path)
    deleted = {path for path, is_own in paths.items() if is_own}

    told = shop.maintenance.cleanup_old_files(cleanup_all=True, dry_run=True)
    assert (set(told.deleted), files_below(tmp_path)) == (deleted, before)
    assert set(codes(lake)) >= {"scheduled-elsewhere", "scheduled-named"}
    assert codes(lake)["scheduled-elsewhere"] == len(paths) - len(deleted)

    done = shop.maintenance.cleanup_old_files()
    assert (set(done.deleted), set(done.failed), done.named) == (deleted, paths.keys() - deleted, (live,))
    assert before - files_below(tmp_path) == {Path(path.removeprefix("file://")) for path in deleted} & before
    assert scheduled(lake) == {live, *(paths.keys() - deleted)}
    assert all(any(path in failure for failure in done.failures) for path in done.failed)


def test_a_file_is_deleted_by_its_own_catalog_only(lake: Lake, shop: Catalog, rival: Catalog) -> None:
    (file,) = write(shop.table("t"), "dead")
    remove_all(shop.table("t"))
    expire_all(shop)
    schedule(lake, rival, [str(file)])

    done = rival.maintenance.cleanup_old_files(cleanup_all=True)

    assert (done.deleted, done.failed, file.exists()) == ((), (str(file),), True)
    assert done.failures == (
        f'File "{file}" was not deleted: it does not lie in the directory of its catalog,'
        f' "{directory_of(lake, rival)}/".',
    )
    assert str(file) in shop.maintenance.cleanup_old_files(cleanup_all=True).deleted
    assert not file.exists()


@pytest.mark.parametrize(
    ("path", "is_relative"),
    [
        ("rival/", True),
        ("rival/main/", True),
        ("RIVAL/", True),
        ("shop/../rival/", True),
        ("{data}/rival/", False),
        ("{data}/shop/../rival/", False),
        ("{above}/", False),
        ("", True),
    ],
)
@pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)
def test_a_directory_that_is_not_the_catalogs_own_is_left_alone(
    lake: Lake, shop: Catalog, rival: Catalog, path: str, is_relative: bool
) -> None:
    data = directory_of(lake, rival).parent
    theirs = files_below(data / "rival")
    place_at(lake, shop, path.format(data=data, above=data.parent), is_relative=is_relative)
    below = directory_of(lake, shop)
    spelled = {f"{below}/{os.path.relpath(file, data / 'rival')}" for file in theirs}
    schedule(lake, shop, {*map(str, theirs), *spelled})

    cleaned = shop.maintenance.cleanup_old_files(cleanup_all=True)
    searched = shop.maintenance.delete_orphaned_files(cleanup_all=True)

    assert files_below(data / "rival") == theirs
    assert not {os.path.realpath(one) for one in cleaned.deleted} & set(map(str, theirs))
    assert set(cleaned.failed) == scheduled(lake) >= spelled - set(cleaned.deleted)
    assert not {Path(one.path) for one in searched.files} & theirs
    assert searched.failures or not is_relative or path in ("", "RIVAL/")


def test_no_row_that_climbs_is_scheduled(lake: Lake, shop: Catalog, rival: Catalog) -> None:
    theirs = files_below(directory_of(lake, rival))
    table = shop.table("t")
    (path,) = write(table, "climbing")
    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_data_file SET path = :path WHERE catalog_id = :c AND path = :old",
            old=path.name,
            path=f"../../../rival/main/t/{min(theirs).name}",
            c=shop.catalog_id,
        )
    remove_all(table)
    expire_all(shop)

    shop.maintenance.cleanup_old_files(cleanup_all=True)

    assert not [path for path in scheduled(lake) if ".." in path]
    assert files_below(directory_of(lake, rival)) == theirs


@pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)
def test_a_link_that_comes_after_the_look_is_not_followed(lake_factory: LakeFactory, tmp_path: Path) -> None:
    deeds: list[Callable[[], None]] = []

    def do_it(step: str) -> None:
        if step == "clean-up: judged" and deeds:
            deeds.pop()()

    with lake_factory.open(Settings(on_step=do_it)) as lake:
        shop = lake.create_catalog("shop")
        (file,) = write(shop.create_table("t", {"i": "INTEGER"}), "dead")
        remove_all(shop.table("t"))
        expire_all(shop)
        other = tmp_path / "other"
        other.mkdir()
        (other / file.name).write_bytes(b"y")

        def swap() -> None:
            file.unlink()
            file.parent.rmdir()
            file.parent.symlink_to(other)

        deeds.append(swap)
        done = shop.maintenance.cleanup_old_files(cleanup_all=True)

    assert (done.deleted, done.failed, (other / file.name).exists()) == ((), (str(file),), True)


@pytest.mark.parametrize("lake_factory", EMBEDDED, indirect=True)
def test_names_of_one_object_store_are_one(lake_factory: LakeFactory) -> None:
    with Lake(lake_factory.url(), data_path="s3://bucket/lake") as lake:
        shop = lake.create_catalog("shop")
        placed = lake.create_catalog("placed", data_path="s3a://other/place")
        shop.create_table("t", {"i": "INTEGER"})
        runtime, own = lake._runtime, "s3://bucket/lake/shop/"
        stray = ["s3://bucket/lake/rival/f", "s3a://bucket/lake/shop/../f", "s3://other/lake/shop/f", f"{own}a//f", own]
        ours = [f"{own}main/t/f", "s3a://bucket/lake/shop/main/t/f", "S3n://bucket/lake/shop/f"]
        with runtime.store.reading() as session:
            found = stray_files(session, runtime.lake_path, shop.catalog_id, own, [*stray, *ours])
            directory = "s3a://other/place/placed/"
            of_placed = stray_files(
                session, runtime.lake_path, placed.catalog_id, directory, ["s3://other/place/placed/f"]
            )
            assert foreign_directory(session, runtime.lake_path, placed.catalog_id, directory) is None
        assert (set(found), of_placed) == (set(stray), {})
        placed.create_table("u", {"i": "INTEGER"}).storage.append_files([data_file("a")])
        with runtime.store.writing() as session:
            session.execute(
                "UPDATE forklake.ducklake_data_file SET path = :p, path_is_relative = :no", p=ours[1], no=False
            )
        with runtime.store.reading() as session:
            assert named_among(session, shop.catalog_id, own, [ours[0], ours[2]]) == {ours[0]}


def test_a_copied_table_keeps_its_files_while_the_source_goes(lake: Lake, shop: Catalog) -> None:
    table = pa.table({"i": [1, 2]})
    shop.table("t").append(table)
    copy = shop.fork("copied", copy=True)
    shop.drop()
    lake.purge("shop")

    done = lake.maintenance.cleanup_old_files(cleanup_all=True)

    assert (done.failed, len(done.named)) == ((), 2)
    assert copy.table("t").storage.files()
