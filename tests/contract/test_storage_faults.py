"""Storage that is full, closed, or lost something: maintenance says so, leaves nothing behind, and is done later."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import forklake
from forklake import Lake, NewDataFile, Settings
from forklake.errors import DataFileError
from tests.cli.terminal import run
from tests.contract.support import rows, unprivileged
from tests.contract.test_cleanup import remove_all
from tests.contract.test_garbage import expire_all
from tests.disks import full_disk
from tests.duck_engine import DuckEngine
from tests.race.scenes import NEW, OLD, Scene, append, build, flush, ids_of, merge, rewrite
from tests.sound import check_sound

SCENE = Scene(1)
NO_SPACE = "was not written: no space is left on the device"


def settings() -> Settings:
    return Settings(engine=DuckEngine())


def files_below(place: Path) -> set[Path]:
    return {path for path in place.rglob("*") if path.is_file()}


# ---- a full disk -----------------------------------------------------------------------------------------------------


def _add_rows(lake: Lake, scene: Scene) -> None:
    append(lake.catalog(scene.shop).table("t"), range(300, 320))


def _delete_rows(lake: Lake, scene: Scene) -> None:
    lake.catalog(scene.shop).table("t").delete("id > 30 AND id < 55")


WRITERS: dict[str, Callable[[Lake, Scene], None]] = {
    "append": _add_rows,
    "merge": merge,
    "rewrite": rewrite,
    "flush": flush,
    "delete": _delete_rows,
}


def test_what_meets_a_full_disk_leaves_nothing_and_is_done_when_there_is_space(tmp_path: Path) -> None:
    place = tmp_path / "small"
    with full_disk(place), Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=place, settings=settings()) as lake:
        build(lake, SCENE)
        ballast = place / "ballast"
        for name, write in WRITERS.items():
            before = files_below(place)
            _fill(ballast)
            with pytest.raises(DataFileError, match=NO_SPACE):
                write(lake, SCENE)
            assert files_below(place) - {ballast} == before, name
            assert rows(lake, "SELECT lease_id FROM forklake.ducklake_lease") == [], name
            assert ids_of(lake.catalog(SCENE.agent)) == OLD
            ballast.unlink()
            check_sound(lake)
        assert ids_of(lake.catalog(SCENE.shop)) == NEW
        for write in WRITERS.values():
            write(lake, SCENE)
        assert ids_of(lake.catalog(SCENE.shop)) == (NEW | frozenset(range(300, 320))) - frozenset(range(31, 55))
        check_sound(lake, deep=True)


def test_what_frees_space_works_on_a_full_disk(tmp_path: Path) -> None:
    place = tmp_path / "small"
    with full_disk(place), Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=place, settings=settings()) as lake:
        build(lake, SCENE)
        shop = lake.catalog(SCENE.shop)
        lake.catalog(SCENE.agent).drop()
        lake.maintenance.purge_catalogs("agent")
        lake.maintenance.purge_catalogs("gone")
        _fill(place / "ballast")
        expire_all(shop)
        assert len(lake.maintenance.cleanup_old_files(cleanup_all=True).deleted) == 2
        assert len(lake.maintenance.delete_orphaned_files(cleanup_all=True).files) == 2
        assert ids_of(shop) == NEW


def _fill(ballast: Path) -> None:
    """Take all space that is left."""
    with ballast.open("wb", buffering=0) as file:
        for size in (65_536, 512, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue


# ---- files that cannot be deleted ------------------------------------------------------------------------------------


def scheduled(lake: Lake) -> set[str]:
    return {path for (path,) in rows(lake, "SELECT path FROM forklake.ducklake_files_scheduled_for_deletion")}


@pytest.fixture
def stuck(tmp_path: Path) -> Iterator[tuple[Lake, list[Path]]]:
    """A lake of which three files wait for deletion and one is an orphan, all old; two cannot be deleted as files."""
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", settings=settings()) as lake:
        paths, orphan = _doomed_files(lake)
        paths[1].unlink()
        paths[1].mkdir()
        (paths[1] / "in the way").touch()
        yield lake, [*paths, orphan]


def _doomed_files(lake: Lake) -> tuple[list[Path], Path]:
    shop = lake.create_catalog("shop")
    shop.options.set("delete_older_than", "0 seconds")
    table = shop.create_table("t", {"id": "BIGINT"})
    table.storage.append_files([NewDataFile(f"{name}.parquet", 1, 1) for name in "abc"])
    paths = [Path(file.path) for file in table.storage.files()]
    paths[0].parent.mkdir(parents=True)
    orphan = paths[0].with_name("orphan.parquet")
    for path in (*paths, orphan):
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    remove_all(table)
    expire_all(shop)
    return paths, orphan


def test_a_delete_that_fails_half_way_is_told_and_the_rest_is_done(stuck: tuple[Lake, list[Path]]) -> None:
    lake, (first, second, third, _) = stuck
    done = lake.catalog("shop").maintenance.cleanup_old_files()
    assert (set(done.deleted), done.failed) == ({str(first), str(third)}, (str(second),))
    (why,) = done.failures
    assert why.startswith(f'File "{second}" was not deleted: ')
    assert scheduled(lake) == {str(second)}
    (second / "in the way").unlink()
    second.rmdir()
    assert lake.catalog("shop").maintenance.cleanup_old_files().deleted == (str(second),)
    assert scheduled(lake) == set()


def test_a_checkpoint_tells_of_files_that_it_could_not_delete(stuck: tuple[Lake, list[Path]]) -> None:
    lake, (_, second, _, orphan) = stuck
    steps = {step.name: step for step in lake.catalog("shop").maintenance.checkpoint()}
    assert (steps["cleanup_old_files"].count, steps["delete_orphaned_files"].count) == (2, 1)
    (why,) = steps["cleanup_old_files"].failures
    assert str(second) in why
    assert steps["delete_orphaned_files"].failures == ()
    assert not orphan.exists()


def test_the_command_line_tells_of_files_that_were_not_deleted(stuck: tuple[Lake, list[Path]], tmp_path: Path) -> None:
    lake, (_, second, _, _) = stuck
    lake.close()
    for command in (("all",), ("checkpoint", "shop"), ("cleanup", "shop")):
        said = run("maintain", *command, lake=tmp_path / "lake.db")
        assert said.code == DataFileError.exit_code, command
        assert f'File "{second}" was not deleted: ' in said.err, command


def test_sql_tells_of_files_that_a_checkpoint_did_not_delete(stuck: tuple[Lake, list[Path]], tmp_path: Path) -> None:
    lake, (first, second, _, _) = stuck
    lake.close()
    with forklake.connect(settings=settings()) as session:
        session.sql(f"ATTACH 'ducklake:{tmp_path / 'lake.db'}' AS shop (CATALOG 'shop')")
        with pytest.raises(DataFileError, match=f'1 files were not deleted. File "{second}" was not deleted: '):
            session.sql("CHECKPOINT shop")
    assert not first.exists()


def test_files_in_a_closed_directory_stay_scheduled_and_are_told() -> None:
    with unprivileged() as home, Lake(f"sqlite:{home}/lake.db", settings=settings()) as lake:
        paths, orphan = _doomed_files(lake)
        shop, place = lake.catalog("shop"), orphan.parent
        with _closed(place):
            done, found = shop.maintenance.cleanup_old_files(), shop.maintenance.delete_orphaned_files()
            told = [f'File "{path}" was not deleted: permission is denied.' for path in paths]
            assert (done.deleted, list(done.failures)) == ((), told)
            assert found.failures == (f'File "{orphan}" was not deleted: permission is denied.',)
            with pytest.raises(DataFileError, match="permission is denied"):
                append(shop.table("t"), range(20))
        assert scheduled(lake) == {str(path) for path in paths}
        assert rows(lake, "SELECT lease_id FROM forklake.ducklake_lease") == []
        assert len(shop.maintenance.cleanup_old_files().deleted) == 3
        assert len(shop.maintenance.delete_orphaned_files().files) == 1
        check_sound(lake)


@contextmanager
def _closed(place: Path) -> Iterator[None]:
    place.chmod(0o500)
    try:
        yield
    finally:
        place.chmod(0o700)


def test_a_merge_whose_source_is_gone_is_refused_and_the_others_are_done(tmp_path: Path) -> None:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", settings=settings()) as lake:
        shop = lake.create_catalog("shop")
        for name in ("t", "u"):
            table = shop.create_table(name, {"id": "BIGINT"})
            append(table, range(20))
            append(table, range(20, 40))
        lost = Path(shop.table("t").storage.files()[0].path)
        kept = lost.read_bytes()
        lost.unlink()
        before = files_below(tmp_path)
        with pytest.raises(forklake.errors.IncompleteError, match="there is no such file"):
            shop.maintenance.merge_adjacent_files()
        assert len(files_below(tmp_path) - before) == 1, "that of the other table"
        assert rows(lake, "SELECT lease_id FROM forklake.ducklake_lease") == []
        lost.write_bytes(kept)
        assert [one.files_processed for one in shop.maintenance.merge_adjacent_files()] == [2]
        check_sound(lake, deep=True)
