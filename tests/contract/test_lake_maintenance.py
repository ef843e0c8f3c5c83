"""Maintenance of a whole lake: which catalogs hold work, and what is done in how much time."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forklake import Catalog, CheckpointStep, Clock, Lake, Settings
from forklake.errors import InvalidInputError
from forklake.metastore.queries.option_rows import OptionRow, write_option
from forklake.ops.maintenance import pending_work as needs
from tests.contract.support import data_file, delete_file
from tests.lakes import LakeFactory


def with_inlined_rows(lake: Lake, name: str) -> Catalog:
    """Return a catalog that keeps so many rows in the metadata that they are to be flushed."""
    catalog = lake.create_catalog(name)
    catalog.options.set("data_inlining_row_limit", str(needs.FLUSH_ROWS))
    catalog.create_table("t", {"i": "INTEGER"})
    catalog.table("t").append([{"i": number} for number in range(needs.FLUSH_ROWS)])
    return catalog


def with_small_files(lake: Lake, name: str) -> Catalog:
    catalog = lake.create_catalog(name)
    catalog.options.set("data_inlining_row_limit", "0")
    catalog.create_table("t", {"i": "INTEGER"})
    for number in range(needs.MERGE_FILES):
        catalog.table("t").append([{"i": number}])
    return catalog


def rows(catalog: Catalog) -> list[int]:
    return sorted(catalog.table("t").arrow().column("i").to_pylist())


def _counts(steps: Iterable[CheckpointStep]) -> dict[str, int]:
    return {step.name: step.count for step in steps}


def test_catalogs_that_hold_work_are_found_and_maintained(lake: Lake) -> None:
    flushed, merged = with_inlined_rows(lake, "inlined"), with_small_files(lake, "small")
    expired, idle = lake.create_catalog("old"), lake.create_catalog("idle")
    expired.create_table("t", {"i": "INTEGER"})
    expired.options.set("expire_older_than", "0 seconds")
    idle.create_table("t", {"i": "INTEGER"})
    idle.table("t").append([{"i": 1}])
    fork = merged.fork("fork")  # it inherits its files: they are the parent's work
    dropped = with_small_files(lake, "dropped")
    dropped.drop()

    found = lake.maintenance.needs
    assert found.flush == {flushed.catalog_id}
    assert found.merge == {merged.catalog_id}
    assert found.expire == {expired.catalog_id}
    assert found.rewrite == frozenset()
    assert found.catalogs == {flushed.catalog_id, merged.catalog_id, expired.catalog_id}

    before = {catalog.name: rows(catalog) for catalog in (flushed, merged, idle, fork)}
    heads = {catalog.name: catalog.head for catalog in (flushed, merged, expired)}
    planned = lake.maintenance.run(dry_run=True)
    assert {catalog.name: catalog.head for catalog in (flushed, merged, expired)} == heads
    assert lake.maintenance.needs == found
    done = lake.maintenance.run()
    assert (planned.dry_run, done.dry_run, planned.left) == (True, False, 0)
    assert {one.name: _counts(one.steps) for one in planned.catalogs} == {
        one.name: _counts(one.steps) for one in done.catalogs
    }
    assert (done.left, {one.name for one in done.catalogs}) == (0, {"inlined", "small", "old"})
    assert [one.failure for one in done.catalogs] == [None] * 3
    assert {catalog.name: rows(catalog) for catalog in (flushed, merged, idle, fork)} == before
    assert len(merged.table("t").storage.files()) == 1
    assert len(fork.table("t").storage.files()) == needs.MERGE_FILES
    assert flushed.table("t").storage.inlined_rows() == []
    assert len(expired.snapshots()) == 1

    assert lake.maintenance.needs.catalogs == frozenset()
    assert lake.maintenance.run().catalogs == ()


def test_a_floor_under_the_ages_that_options_give(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    shop.table("t").append([{"i": 1}])
    shop.table("t").drop()
    shop.options.set("expire_older_than", "0 seconds")
    shop.options.set("delete_older_than", "0 seconds")
    lake.options.set("expire_older_than", "0 seconds")
    for floor in ("7d", timedelta(days=7), "1 hour"):
        done = lake.maintenance.run(at_least=floor)
        assert (done.catalogs, done.cleaned.deleted) == ((), ())
        assert len(shop.snapshots()) == 4
    assert lake.maintenance.run(at_least=timedelta()).catalogs != ()
    assert len(shop.snapshots()) == 1
    assert lake.maintenance.run(at_least="7d").cleaned.deleted == ()
    shop.options.set("delete_older_than", "1 year")
    assert lake.maintenance.run(at_least=timedelta()).cleaned.deleted == (), "an option may say more"
    shop.options.set("delete_older_than", "0 seconds")
    assert len(lake.maintenance.run(at_least="0 seconds").cleaned.deleted) == 1
    for wrong in ("soon", "7", "-1 day", timedelta(days=-1), "9999 years", 7):
        with pytest.raises(InvalidInputError, match="nothing was maintained"):
            lake.maintenance.run(at_least=wrong)  # type: ignore[arg-type]


def test_an_option_of_the_lake_lets_snapshots_of_all_catalogs_expire_but_of_those_with_their_own(lake: Lake) -> None:
    first, second, third = (lake.create_catalog(name) for name in ("a", "b", "c"))
    for catalog in (first, second, third):
        catalog.create_table("t", {"i": "INTEGER"})
    lake.options.set("expire_older_than", "0 seconds")
    second.options.set("expire_older_than", "1 year")
    assert lake.maintenance.needs.expire == {first.catalog_id, third.catalog_id}


def test_deleted_rows_are_work_from_a_fraction_on(lake: Lake) -> None:
    catalog = lake.create_catalog("shop")
    catalog.create_table("t", {"i": "INTEGER"})
    storage = catalog.table("t").storage
    storage.append_files([replace(data_file("a"), record_count=100)])
    (file,) = storage.files()
    storage.delete_rows([delete_file(file.data_file_id, "d", 94)])
    assert lake.maintenance.needs.rewrite == frozenset()
    storage.delete_rows([delete_file(file.data_file_id, "e", 95)])
    assert lake.maintenance.needs.rewrite == {catalog.catalog_id}


def test_time_that_is_up_leaves_the_rest_for_the_next_run(lake_factory: LakeFactory) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]

    def tick() -> datetime:
        now[0] += timedelta(seconds=1)
        return now[0]

    with lake_factory.open(Settings(clock=Clock(now=tick, sleep=lambda seconds: None))) as lake:
        for name in ("a", "b", "c"):
            with_small_files(lake, name)
        done = lake.maintenance.run(duration=timedelta(seconds=0))
        assert (done.catalogs, done.left) == ((), 3)
        done = lake.maintenance.run(duration="1 hour")
        assert (len(done.catalogs), done.left) == (3, 0)
        for wrong in ("soon", "10", timedelta(seconds=-1)):
            with pytest.raises(InvalidInputError, match="nothing was maintained"):
                lake.maintenance.run(duration=wrong)


def test_a_catalog_that_fails_does_not_stop_the_others(lake: Lake) -> None:
    broken, fine = with_small_files(lake, "broken"), with_small_files(lake, "fine")
    catalog_files = [file.path for file in broken.table("t").storage.files()]
    for path in catalog_files:
        with open(path, "wb") as file:
            file.write(b"no parquet")
    done = {one.name: one for one in lake.maintenance.run().catalogs}
    assert done["fine"].failure is None
    assert catalog_files[0] in (done["broken"].failure or "") or "read" in (done["broken"].failure or "")
    assert len(fine.table("t").storage.files()) == 1


def test_the_bytes_of_a_catalog_are_its_own_shared_inherited_and_freed_without_it(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    storage = shop.table("t").storage
    storage.append_files([replace(data_file("a"), file_size_bytes=1000), replace(data_file("b"), file_size_bytes=200)])
    fork = shop.fork("fork")
    storage.append_files([replace(data_file("c"), file_size_bytes=30)])
    fork.table("t").storage.append_files([replace(data_file("d"), file_size_bytes=4)])
    found = shop.inspect.bytes
    assert (found.own, found.alone, found.in_forks, found.inherited, found.freed) == (1230, 30, 1200, 0, 30)
    found = fork.inspect.bytes
    assert (found.own, found.alone, found.in_forks, found.inherited, found.freed) == (4, 4, 0, 1200, 4)
    # What the parent gives up is kept for the fork alone.
    storage.remove_files([storage.files()[0].data_file_id])
    shop.maintenance.expire_snapshots(older_than=timedelta(0))
    assert (fork.inspect.bytes.inherited, fork.inspect.bytes.freed) == (1200, 1004)
    second = fork.fork("second")
    assert (fork.inspect.bytes.freed, second.inspect.bytes.freed) == (0, 0)
    second.drop()
    lake.purge(second.catalog_id)
    fork.drop()
    lake.purge(fork.catalog_id)
    lake.maintenance.cleanup_old_files()  # collects the parent, too
    assert shop.inspect.bytes.own == 230


def test_small_files_of_different_partitions_are_no_work(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", "0")
    table = shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"])
    table.append([{"i": number} for number in range(needs.MERGE_FILES + 1)])
    assert len(table.storage.files()) > needs.MERGE_FILES
    assert lake.maintenance.needs.merge == frozenset()
    for _ in range(needs.MERGE_FILES):
        table.append([{"i": 1}])
    assert lake.maintenance.needs.merge == {shop.catalog_id}
    lake.maintenance.run()
    assert len(table.storage.files()) == needs.MERGE_FILES + 1
    assert lake.maintenance.needs.merge == frozenset(), "what was done is not to be done again"


@pytest.mark.parametrize("value", ["", "-1 days", "soon"])
def test_an_option_of_one_catalog_that_is_no_age_keeps_no_other_from_being_maintained(lake: Lake, value: str) -> None:
    odd, even = (lake.create_catalog(name) for name in ("odd", "even"))
    for catalog in (odd, even):
        catalog.options.set("delete_older_than", "0 seconds")
        table = catalog.create_table("t", {"i": "INTEGER"})
        table.storage.append_files([data_file("a")])
        table.storage.remove_files([table.storage.files()[0].data_file_id])
        catalog.options.set("expire_older_than", "0 seconds")
    with lake._runtime.store.writing() as session:
        # As another program, or an earlier release, may have set it.
        for key in ("delete_older_than", "expire_older_than"):
            write_option(session, odd.catalog_id, OptionRow(key, value, "", -1))
    assert lake.maintenance.needs.expire == {even.catalog_id}
    lake.maintenance.run()
    odd.maintenance.expire_snapshots(older_than=timedelta(0))
    assert lake.stats().needs.scheduled_count > 0
    with pytest.raises(InvalidInputError, match=r"older_than must be specified|not negative|Failed to parse"):
        odd.maintenance.cleanup_old_files()
    done = lake.maintenance.cleanup_old_files()
    assert [Path(path).parts[-4] for path in done.deleted] == ["even"]
    (told,) = done.failures
    assert f"catalog with id {odd.catalog_id} stay: " in told
    orphan = Path(odd.inspect.info.data_path) / "x.parquet"
    orphan.parent.mkdir(parents=True)
    orphan.touch()
    (told,) = lake.maintenance.delete_orphaned_files().failures
    assert f"catalog with id {odd.catalog_id} stay: " in told
    assert len(lake.maintenance.cleanup_old_files(cleanup_all=True).deleted) == 1
