"""The search for orphaned files: what it takes, and whatever it must leave alone."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from forklake import Catalog, Lake, Settings
from forklake.catalog.lease import take_lease
from forklake.config import Clock
from forklake.errors import InvalidInputError, LeaseLostError
from tests.contract.support import rows, unprivileged
from tests.lakes import LakeFactory

ROWS = [{"id": number} for number in range(20)]
LONG_AGO = timedelta(days=30)


of_storage = pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
"""What is about files, not about databases."""


def shop_of(lake: Lake, **place: Any) -> Catalog:
    shop = lake.create_catalog("shop", **place)
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").append(ROWS)
    return shop


def directory(catalog: Catalog) -> Path:
    return Path(catalog.inspect.info.data_path)


def put(path: Path, age: timedelta = LONG_AGO) -> str:
    """Put a file of some age somewhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"stray")
    grow_old(path, age)
    return str(path)


def own_name(end: str = ".parquet") -> str:
    return f"ducklake-{uuid4()}{end}"


def grow_old(path: Path, age: timedelta = LONG_AGO) -> None:
    time = (datetime.now(UTC) - age).timestamp()
    os.utime(path, (time, time))


def all_old(lake: Lake) -> None:
    for path in Path(lake.data_path or "").rglob("*"):
        if path.is_file():
            grow_old(path)


def found(catalog: Catalog, **arguments: Any) -> list[str]:
    """Return what a search finds, after seeing that a dry run finds the same and that both did what they say."""
    tried = catalog.maintenance.delete_orphaned_files(dry_run=True, **arguments)
    assert all(Path(file.path).is_file() for file in tried.files)
    done = catalog.maintenance.delete_orphaned_files(**arguments)
    assert not any(Path(file.path).exists() for file in done.files)
    assert [file.path for file in done.files] == [file.path for file in tried.files]
    assert done.byte_count == tried.byte_count == sum(file.byte_count for file in done.files)
    assert done.failures == ()
    assert (tried.dry_run, done.dry_run) == (True, False)
    return sorted(file.path for file in done.files)


def readable(*catalogs: Catalog) -> bool:
    """Return whether each file of each snapshot is there."""
    for catalog in catalogs:
        for snapshot in catalog.snapshots():
            for table in catalog.at(version=snapshot.snapshot_id).tables():
                for file in table.storage.files():
                    paths = [file.path] + ([file.delete_file.path] if file.delete_file else [])
                    assert all(Path(path).is_file() for path in paths), paths
    return True


def test_files_that_nothing_names_go_and_all_others_stay(lake: Lake) -> None:
    shop = shop_of(lake)
    shop.schemas.create("odd name?")
    shop.create_table("odd name!", {"id": "BIGINT"}, schema="odd name?")
    shop.table("odd name!", schema="odd name?").append(ROWS)
    agent = shop.fork("agent")
    agent.table("orders").append(ROWS)
    agent.fork("deeper").table("orders").append(ROWS)
    all_old(lake)
    place = directory(shop)
    strays = [
        put(place / "main/orders/stray.parquet"),
        put(place / "main/orders/k=1/stray.parquet"),
        put(place / "main/stray-delete.puffin"),
        put(place / "stray.parquet"),
    ]
    kept = [put(place / name) for name in ("main/orders/notes.txt", "main/orders/x.parquet.bak", "lake.db", "_SUCCESS")]
    others = [put(directory(agent) / "main/orders/stray.parquet"), put(place.parent / "stray.parquet")]
    assert found(shop) == sorted(strays)
    assert all(Path(path).exists() for path in (*kept, *others))
    assert readable(shop, agent, lake.catalog("deeper"))
    assert found(shop) == []
    assert found(agent) == [others[0]]
    assert readable(shop, agent, lake.catalog("deeper"))


def test_rows_of_the_past_name_files_too(lake: Lake) -> None:
    shop = shop_of(lake)
    shop.table("orders").delete()
    shop.create_table("gone", {"id": "BIGINT"})
    shop.table("gone").append(ROWS)
    shop.table("gone").drop()
    shop.schemas.create("old")
    shop.create_table("gone", {"id": "BIGINT"}, schema="old")
    shop.table("gone", schema="old").append(ROWS)
    shop.table("gone", schema="old").drop()
    shop.schemas.drop("old")
    shop.maintenance.expire_snapshots(older_than=timedelta())
    all_old(lake)
    assert found(shop, cleanup_all=True) == []


def test_a_file_of_a_table_that_nobody_knows_stays_as_long_as_a_row_names_it(lake: Lake) -> None:
    shop = shop_of(lake)
    (file,) = shop.table("orders").storage.files()
    stray = put(directory(shop) / "main" / "orders" / "stray.parquet")
    all_old(lake)
    with lake._runtime.store.writing() as session:
        session.execute("DELETE FROM forklake.ducklake_table WHERE catalog_id = :c", c=shop.catalog_id)
    assert found(shop, cleanup_all=True) == [stray]
    assert Path(file.path).exists()


def test_files_that_others_name_by_absolute_path_stay(lake: Lake) -> None:
    shop = shop_of(lake)
    copy = shop.fork("copied", copy=True)
    severed = shop.fork("severed")
    severed.maintenance.sever()
    all_old(lake)
    with lake._runtime.store.writing() as session:
        session.execute("DELETE FROM forklake.ducklake_data_file WHERE catalog_id = :c", c=shop.catalog_id)
    assert found(shop) == []
    assert readable(copy, severed)
    for catalog in (copy, severed):
        with lake._runtime.store.writing() as session:
            session.execute("DELETE FROM forklake.ducklake_data_file WHERE catalog_id = :c", c=catalog.catalog_id)
    assert len(found(shop)) == 1


@of_storage
def test_an_imported_row_names_a_file_however_its_path_was_spelled(lake: Lake, tmp_path: Path) -> None:
    shop = shop_of(lake)
    shop.maintenance.export(tmp_path / "plain.sqlite")
    with sqlite3.connect(tmp_path / "plain.sqlite") as plain:
        plain.execute("UPDATE ducklake_data_file SET path = replace(path, '/main/', '//main/./')")
    plain.close()
    imported = lake.import_catalog("imported", tmp_path / "plain.sqlite")
    all_old(lake)
    with lake._runtime.store.writing() as session:
        session.execute("DELETE FROM forklake.ducklake_data_file WHERE catalog_id = :c", c=shop.catalog_id)
    assert found(shop) == []
    assert readable(imported)


def test_files_that_wait_for_deletion_stay(lake: Lake) -> None:
    shop = shop_of(lake)
    waiting = put(directory(shop) / "main/orders/waits.parquet")
    with lake._runtime.store.writing() as session:
        session.execute(
            "INSERT INTO forklake.ducklake_files_scheduled_for_deletion"
            " (catalog_id, data_file_id, path, path_is_relative, schedule_start) VALUES (:c, 1, :path, :no, :now)",
            c=shop.catalog_id,
            path=waiting,
            no=False,
            now=session.now(),
        )
    assert found(shop) == []


def test_young_files_stay_unless_all_are_asked_for(lake: Lake) -> None:
    shop = shop_of(lake)
    place = directory(shop) / "main/orders"
    day, week = put(place / "day.parquet", timedelta(days=1)), put(place / "week.parquet", timedelta(days=7))
    assert found(shop, older_than="8 days") == []
    assert found(shop, older_than=timedelta(days=8)) == []
    assert found(shop) == [week]
    shop.options.set("delete_older_than", "3 hours")
    assert found(shop, older_than=datetime.now(UTC) - timedelta(days=2)) == []
    now = put(place / "now.parquet", timedelta())
    assert found(shop) == [day]
    assert found(shop, older_than=datetime.max.replace(tzinfo=UTC)) == [now]
    again = put(place / "now.parquet", timedelta())
    assert found(shop, cleanup_all=True) == [again]


@of_storage
def test_choices_that_make_no_sense_are_refused(lake: Lake) -> None:
    shop = shop_of(lake)
    stray = put(directory(shop) / "stray.parquet")
    search = shop.maintenance.delete_orphaned_files
    both = "ducklake_delete_orphaned_files: either cleanup_all OR older_than must be specified"
    with pytest.raises(InvalidInputError, match=both):
        search(older_than="1 day", cleanup_all=True)
    shop.options.set("delete_older_than", "")
    with pytest.raises(InvalidInputError, match=both):
        search()
    with pytest.raises(InvalidInputError, match='is an age such as 7 days, not "pedro"'):
        shop.options.set("delete_older_than", "pedro")
    with lake._runtime.store.writing() as session:  # as another client may set it
        session.execute("UPDATE forklake.ducklake_metadata SET value = 'pedro' WHERE key = 'delete_older_than'")
    with pytest.raises(InvalidInputError, match="Failed to parse interval: 'pedro'; nothing was deleted"):
        search()
    for wrong in ("soon", "-1 day", timedelta(days=-1)):
        with pytest.raises(InvalidInputError, match="nothing was deleted"):
            search(older_than=wrong)
    with pytest.raises(InvalidInputError, match="snapshot"):
        shop.at(version=shop.head).maintenance.delete_orphaned_files(cleanup_all=True)
    assert Path(stray).exists()


def test_a_lease_covers_what_is_not_an_hour_older_even_from_who_wants_all(lake: Lake) -> None:
    shop = shop_of(lake)
    agent = shop.fork("agent")
    transaction = shop.transaction()
    transaction.table("orders").append(ROWS)
    place = directory(shop) / "main/orders"
    covered = [put(place / "now.parquet", timedelta()), put(place / "late.parquet", timedelta(minutes=59))]
    old = put(place / "old.parquet", timedelta(minutes=62))
    other = put(directory(agent) / "main/orders/now.parquet", timedelta())
    assert found(shop, cleanup_all=True) == [old]
    assert found(agent, cleanup_all=True) == [other], "a lease is of one catalog"
    transaction.commit()
    assert found(shop, cleanup_all=True) == sorted(covered)
    assert readable(shop)


def test_a_lease_that_ran_out_is_taken_away_before_its_files(lake_factory: LakeFactory) -> None:
    leases_at: dict[str, int] = {}

    def look(step: str) -> None:
        if step.startswith("orphans"):
            leases_at[step] = len(rows(lake, "SELECT 1 FROM forklake.ducklake_lease"))

    with lake_factory.open(Settings(lease_seconds=-1.0, on_step=look)) as lake:
        shop = shop_of(lake)
        before = len(shop.table("orders").storage.files())
        late = shop.transaction()
        late.table("orders").append(ROWS)
        dry = shop.maintenance.delete_orphaned_files(cleanup_all=True, dry_run=True)
        assert len(dry.files) == len(rows(lake, "SELECT 1 FROM forklake.ducklake_lease")) == 1
        assert len(found(shop, cleanup_all=True)) == 1
        assert leases_at["orphans: leases taken away"] == 0
        with pytest.raises(LeaseLostError):
            late.commit()
        assert len(shop.table("orders").storage.files()) == before
        assert readable(shop)


def test_a_search_for_older_files_takes_no_younger_lease_away(lake_factory: LakeFactory) -> None:
    with lake_factory.open(Settings(lease_seconds=-1.0)) as lake:
        shop = shop_of(lake)
        late = shop.transaction()
        late.table("orders").append(ROWS)
        stray = put(directory(shop) / "stray.parquet")
        assert found(shop, older_than="1 day") == [stray]
        late.commit()
        assert len(shop.table("orders").storage.files()) == 2


def test_leases_that_ran_out_do_not_pile_up(lake_factory: LakeFactory) -> None:
    with lake_factory.open(Settings(lease_seconds=-1.0)) as lake:
        agent = shop_of(lake).fork("agent")
        for catalog in (lake.catalog("shop"), agent):
            take_lease(lake._runtime.store, catalog.catalog_id)
        agent.drop()
        lake.purge("agent")
        assert lake.maintenance.delete_orphaned_files(cleanup_all=True, dry_run=True).files == ()
        assert len(rows(lake, "SELECT 1 FROM forklake.ducklake_lease")) == 2
        assert lake.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
        assert rows(lake, "SELECT 1 FROM forklake.ducklake_lease") == []


@of_storage
def test_what_a_killed_spark_writer_leaves_goes_with_its_directory(lake: Lake) -> None:
    shop = shop_of(lake)
    private = directory(shop) / f"main/orders/write-{uuid4()}"
    left = [
        put(private / "_temporary/0/_temporary/attempt_1/part-0.parquet"),
        put(private / "_temporary/0/_temporary/attempt_1/.part-0.parquet.crc"),
        put(private / "_temporary/0/task_1/k=1/part-1"),
    ]
    left.append(put(directory(shop) / f"main/orders/.forklake-{uuid4()}"))
    alike = [put(directory(shop) / "main/orders" / name) for name in ("write-me/notes", ".forklake-notes")]
    assert found(shop) == sorted(left)
    assert not private.exists()
    assert all(Path(path).exists() for path in alike)


def test_a_catalog_at_the_base_of_the_lake_leaves_other_directories_alone(lake: Lake) -> None:
    shop = shop_of(lake, at_base=True)
    place = Path(lake.data_path or "")
    assert directory(shop) == place
    stray, foreign = put(place / "main/orders/stray.parquet"), put(place / "other/main/t/theirs.parquet")
    # The overlap rule allows no such catalog; a lake of former times may have one.
    with lake._runtime.store.writing() as session:
        session.execute(
            "INSERT INTO forklake.ducklake_catalog (catalog_id, catalog_uuid, catalog_name, path, path_is_relative,"
            " begin_snapshot, begin_time) VALUES (77, :uuid, 'other', 'other/', :yes, 1, :now)",
            uuid=str(uuid4()),
            yes=True,
            now=session.now(),
        )
    assert found(shop) == [stray]
    assert Path(foreign).exists()


@of_storage
def test_directories_of_others_are_left_alone_outside_the_lake_too(lake: Lake, tmp_path: Path) -> None:
    shop = shop_of(lake, data_path=tmp_path / "away", at_base=True)
    stray, foreign = put(tmp_path / "away" / own_name()), put(tmp_path / "away/other" / own_name())
    with lake._runtime.store.writing() as session:
        session.execute(
            "INSERT INTO forklake.ducklake_catalog (catalog_id, catalog_uuid, catalog_name, path, path_is_relative,"
            " begin_snapshot, begin_time) VALUES (77, :uuid, 'other', :path, :no, 1, :now)",
            uuid=str(uuid4()),
            path=f"{tmp_path}/away/other/",
            no=False,
            now=session.now(),
        )
    assert found(shop) == [stray]
    assert Path(foreign).exists()


def test_tables_with_an_absolute_path_keep_what_lies_there(lake: Lake) -> None:
    shop, other = shop_of(lake), lake.create_catalog("other")
    other.create_table("t", {"id": "BIGINT"})
    place = directory(shop) / "main/lent/"
    foreign, stray = put(place / "theirs.parquet"), put(directory(shop) / "main/stray.parquet")
    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_table SET path = :path, path_is_relative = :no WHERE catalog_id = :c",
            path=f"{place}/",
            no=False,
            c=other.catalog_id,
        )
    assert found(shop) == [stray]
    assert Path(foreign).exists()


@of_storage
def test_a_catalog_with_a_data_path_of_its_own_is_searched_there(lake: Lake, tmp_path: Path) -> None:
    shop = shop_of(lake, data_path=tmp_path / "elsewhere")
    assert tmp_path / "elsewhere" in directory(shop).parents
    all_old(lake)
    stray = put(directory(shop) / "main/orders" / own_name())
    assert found(shop) == [stray]
    assert readable(shop)


@of_storage
@pytest.mark.parametrize("at_base", [False, True])
def test_outside_of_the_lake_only_files_with_names_of_forklake_go(lake: Lake, tmp_path: Path, at_base: bool) -> None:
    shop = shop_of(lake, data_path=tmp_path / "away", at_base=at_base)
    for file in (tmp_path / "away").rglob("*.parquet"):
        grow_old(file)
    place = directory(shop) / "main/orders"
    strays = [
        put(place / own_name()),
        put(place / "k=1" / own_name()),
        put(place / own_name("-delete.parquet")),
        put(place / own_name("-delete.puffin")),
        put(place / own_name("-0123456789ab-delete.puffin")),
        put(place / f"write-{uuid4()}/_temporary/0/part-0.parquet"),
        put(place / f".forklake-{uuid4()}"),
    ]
    theirs = [
        put(place / name)
        for name in ("orders.parquet", "part-0.puffin", "ducklake-x.parquet", f"{own_name()}.parquet/x.parquet")
    ]
    told = [finding for finding in lake.maintenance.check().findings if finding.path]
    (foreign,) = (one for one in told if one.code != "file-orphaned")
    assert (foreign.code, foreign.path in theirs) == ("files-foreign", True)
    assert foreign.message.startswith(f'Nothing names 4 files in "{directory(shop)}/", such as')
    assert sorted(one.path or "" for one in told if one.code == "file-orphaned") == sorted(strays)
    assert shop.maintenance.delete_orphaned_files(dry_run=True).left == 4
    assert found(shop) == sorted(strays)
    for search in (shop.maintenance.delete_orphaned_files, lake.maintenance.delete_orphaned_files):
        assert search(cleanup_all=True).left == 4
    assert all(Path(path).exists() for path in theirs)
    assert readable(shop)


@of_storage
def test_a_file_that_goes_meanwhile_and_one_that_cannot_be_deleted_stop_nothing(lake_factory: LakeFactory) -> None:
    def take_one(step: str) -> None:
        if step == "orphans: judged":
            (place / "b.parquet").unlink()
            stuck.unlink()
            (stuck / "inside").mkdir(parents=True)  # a directory in its place, which is not deleted as a file

    with lake_factory.open(Settings(on_step=take_one)) as lake:
        shop = shop_of(lake)
        place = directory(shop) / "main/orders"
        paths = [put(place / f"{name}.parquet") for name in "abc"]
        stuck = place / "stuck.parquet"
        put(stuck)
        done = shop.maintenance.delete_orphaned_files()
        assert sorted(file.path for file in done.files) == sorted(paths)
        (failure,) = done.failures
        assert str(stuck) in failure
        assert "was not deleted" in failure
        shutil.rmtree(stuck)


def test_a_directory_that_cannot_be_read_is_told_and_the_rest_goes_on() -> None:
    with unprivileged() as home, Lake(f"sqlite:{home}/lake.db", data_path=home / "data") as lake:
        shop, other = shop_of(lake), lake.create_catalog("other")
        closed = directory(shop) / "main"
        closed.chmod(0)
        try:
            for search in (shop.maintenance.delete_orphaned_files, lake.maintenance.delete_orphaned_files):
                stray = [put(directory(shop) / "stray.parquet"), put(directory(shop) / "more/stray.parquet")]
                done = search()
                assert sorted(file.path for file in done.files) == sorted(stray)
                assert done.failures == (f'File "{closed}/" was not read: permission is denied.',)
            assert other.maintenance.delete_orphaned_files().failures == ()
        finally:
            closed.chmod(0o700)
        assert readable(shop)


def test_the_whole_lake_is_searched_with_purged_catalogs(lake: Lake) -> None:
    shop = shop_of(lake)
    middle = shop.fork("middle")
    middle.table("orders").append(ROWS)
    deep = middle.fork("deep")
    deep.table("orders").append(ROWS)
    gone, empty = shop.fork("gone"), shop.fork("empty")
    gone.table("orders").append(ROWS)
    all_old(lake)
    strays = [put(directory(one) / "main/orders/stray.parquet") for one in (shop, middle, deep, gone)]
    for one in (middle, gone):
        name = one.name
        one.drop()
        lake.purge(name)
    tried = lake.maintenance.delete_orphaned_files(dry_run=True)
    done = lake.maintenance.delete_orphaned_files()
    assert sorted(file.path for file in done.files) == sorted(file.path for file in tried.files) == sorted(strays)
    assert readable(shop, deep, empty), "what a purged catalog wrote is still named"
    assert lake.maintenance.delete_orphaned_files(cleanup_all=True).files == ()


def test_many_files_are_judged_in_batches(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forklake.ops.maintenance.delete_orphaned_files._BATCH", 3)
    monkeypatch.setattr("forklake.files.access.stored_files._PAGE", 4)
    monkeypatch.setattr("forklake.metastore.queries.known_files._PAGE", 2)
    shop = shop_of(lake)
    for _ in range(5):
        shop.table("orders").append(ROWS)
    all_old(lake)
    strays = [put(directory(shop) / f"main/orders/stray-{number}.parquet") for number in range(20)]
    seen: list[int] = []
    shop.maintenance.delete_orphaned_files(dry_run=True, progress=lambda step, done, total: seen.append(done))
    assert seen == [4, 8, 12, 16, 20, 24, 26]
    assert found(shop) == sorted(strays)
    assert readable(shop)
    lake.maintenance.delete_orphaned_files(progress=lambda step, done, total: seen.append(done))
    assert seen[-1] == 6


@pytest.mark.parametrize("moment", ["orphans: listed", "orphans: own files read", "orphans: leases taken away"])
def test_what_is_committed_while_a_search_runs_stays(lake_factory: LakeFactory, moment: str) -> None:
    acts: list[Callable[[], object]] = []

    def act(step: str) -> None:
        while step == moment and acts:
            acts.pop()()

    with lake_factory.open(Settings(on_step=act, clock=Clock(sleep=lambda seconds: None))) as lake:
        shop = shop_of(lake)
        stray = put(directory(shop) / "main/orders/stray.parquet")
        open_one = shop.transaction()
        open_one.table("orders").append(ROWS)
        acts.append(open_one.commit)
        done = shop.maintenance.delete_orphaned_files(cleanup_all=True)
        assert not acts
        assert [file.path for file in done.files] == [stray]
        assert readable(shop)
