"""Rows that nothing needs are removed, each kind of them, and no other."""

from pathlib import Path

import pytest

from forklake import Catalog, Lake, NewDataFile, PurgedCatalog
from forklake.metastore.queries.due import due_catalogs
from forklake.metastore.queries.option_rows import options_of
from tests.contract.support import data_file, delete_file, rows
from tests.contract.varied import furnish, upset, vary
from tests.needed_rows import Rows, collect_together, difference

every_kind = pytest.mark.parametrize(
    "lake_factory", ["sqlite", "duckdb", "postgres", "partitioned", "pgbouncer"], indirect=True
)


def collect_all(lake: Lake) -> None:
    """Collect every catalog that is due."""
    collect_together(lake._runtime)


def check(lake: Lake) -> None:
    """Collect, and see that exactly the rows are left that were needed."""
    before = Rows.read(lake).needed()
    collect_all(lake)
    left = Rows.read(lake)
    assert difference(before, left.stored) == {}, "needed rows are gone"
    assert difference(left.stored, left.needed()) == {}, "rows are left that nothing needs"
    assert due_catalogs(lake._runtime.store, None, 1000) == []


def expire_all(catalog: Catalog) -> None:
    own = [s.snapshot_id for s in catalog.snapshots() if s.catalog_id == catalog.catalog_id]
    catalog.maintenance.expire_snapshots(versions=own[:-1], release=True)


def purge(lake: Lake, name: str) -> None:
    if any(info.name == name for info in lake.catalogs()):
        lake.catalog(name).drop()
    lake.purge(name)


@every_kind
def test_rows_of_every_kind_go_when_no_version_shows_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    furnish(shop)
    upset(shop, "once")
    upset(shop, "again")
    expire_all(shop)
    check(lake)
    before = Rows.read(lake).stored
    shop.schemas.drop("side", cascade=True)
    shop.table("events_again").drop()
    expire_all(shop)
    check(lake)
    after = Rows.read(lake).stored
    assert {name for name, keys in before.items() if not keys > after[name]} == {
        "ducklake_tombstone",  # it has no ancestors
        "ducklake_table_stats",  # counters never go back
        *("ducklake_macro", "ducklake_macro_impl", "ducklake_macro_parameters"),  # one is still there
        *("ducklake_view", "ducklake_view_column_tag"),
    }


def test_forks_keep_what_they_see_until_the_last_of_them_is_gone(lake: Lake) -> None:
    vary(lake)
    check(lake)
    for name in ("past", "three", "copy", "after", "before", "between", "of the past"):
        expire_all(lake.catalog(name))
        check(lake)
    for name in ("one", "shop", "three", "between", "past", "second", "after", "of the past", "before", "copy"):
        purge(lake, name)
        check(lake)
    for name in ("other", "elsewhere", "near"):
        purge(lake, name)
    check(lake)
    assert {name for name, keys in Rows.read(lake).stored.items() if keys} == set()


def test_a_fork_keeps_what_it_sees_and_no_snapshot_of_its_parent(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    table.storage.append_files([data_file("a")])
    agent = shop.fork("agent")
    (file,) = table.storage.files()
    table.storage.remove_files([file.data_file_id])
    expire_all(shop)
    check(lake)
    assert [each.path for each in agent.table("t").storage.files()] == [file.path]
    assert scheduled(lake) == []
    purge(lake, "agent")
    check(lake)
    assert scheduled(lake) == [(shop.catalog_id, file.path)]


def test_a_pin_does_not_keep_what_its_fork_has_hidden(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    table.storage.append_files([data_file("a"), data_file("b")])
    agent = shop.fork("agent")
    first, second = table.storage.files()
    agent.table("t").storage.remove_files([first.data_file_id])
    table.storage.remove_files([first.data_file_id, second.data_file_id])
    expire_all(shop)
    check(lake)
    assert scheduled(lake) == []
    expire_all(agent)
    check(lake)
    assert scheduled(lake) == [(shop.catalog_id, first.path)]


def scheduled(lake: Lake) -> list[tuple[int, str]]:
    found = rows(lake, "SELECT catalog_id, path FROM forklake.ducklake_files_scheduled_for_deletion")
    return sorted((int(catalog), str(path)) for catalog, path in found)


def test_columns_stay_as_long_as_files_are_read_with_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    table.storage.append_files([data_file("a")])
    table.storage.insert_inlined([{"i": "1"}])
    table.alter.set_type("i", "BIGINT")
    expire_all(shop)
    check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 2
    table.storage.remove_files([table.storage.files()[0].data_file_id])
    expire_all(shop)
    check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 2
    table.storage.delete_inlined([table.storage.inlined_rows()[0].row_id])
    expire_all(shop)
    check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 1


def test_inherited_columns_and_partitions_stay_for_files_that_a_fork_wrote_with_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"])
    agent = shop.fork("agent")
    inherited = agent.table("t")
    inherited.storage.append_files([NewDataFile("a.parquet", 1, 10, partition_values=("1",))])
    with agent.transaction() as txn:
        txn.table("t").alter.set_partitioning([])
        txn.table("t").alter.set_type("i", "BIGINT")
    shop.table("t").drop()
    for catalog in (shop, agent):
        expire_all(catalog)
        check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 2
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_partition_info")) == 1
    agent.table("t").storage.remove_files([agent.table("t").storage.files()[0].data_file_id])
    expire_all(agent)
    check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 1
    assert rows(lake, "SELECT row_uid FROM forklake.ducklake_partition_info") == []


@pytest.mark.parametrize("ends", ["in the fork", "in the parent"])
def test_an_inherited_partitioning_stays_for_files_that_a_fork_compacted(lake: Lake, ends: str) -> None:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 0)
    table = shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"])
    for _ in range(2):
        table.append([{"i": 1}])
    if ends == "in the parent":
        table.alter.set_partitioning([])
    agent = shop.fork("agent")
    if ends == "in the fork":
        agent.table("t").alter.set_partitioning([])
    (merged,) = agent.maintenance.merge_adjacent_files()
    assert merged.files_created == 1
    child = agent.fork("child")
    shop.table("t").drop()
    for catalog in (shop, agent, child):
        expire_all(catalog)
        check(lake)
    named = "SELECT i.partition_id FROM forklake.ducklake_partition_info i JOIN forklake.ducklake_data_file f"
    named += " ON f.partition_id = i.partition_id"
    assert len(rows(lake, named)) == 1
    agent.drop()
    lake.purge(agent.catalog_id)
    check(lake)
    assert len(rows(lake, named)) == 1, "the child sees the file"
    child.table("t").delete()
    expire_all(child)
    check(lake)
    assert rows(lake, "SELECT row_uid FROM forklake.ducklake_partition_info") == []


@pytest.mark.parametrize("is_severed", [False, True])
def test_a_partitioning_of_before_a_refresh_goes_with_what_was_before(lake: Lake, is_severed: bool) -> None:
    shop = lake.create_catalog("shop")
    agent = shop.fork("agent")
    table = agent.create_table("t", {"i": "INTEGER", "k": "VARCHAR"}, partition_by=["i"])
    table.storage.append_files([NewDataFile("a.parquet", 1, 10, partition_values=("1",))])
    before = agent.fork("before")
    shop.create_table("other", {"i": "INTEGER"})
    agent.refresh()
    if is_severed:
        agent.maintenance.sever()
    table.storage.append_files([NewDataFile("b.parquet", 1, 10, partition_values=("2",))])
    of_agent = "SELECT row_uid FROM forklake.ducklake_partition_info WHERE catalog_id = :c"
    expire_all(agent)
    check(lake)
    assert len(rows(lake, of_agent, c=agent.catalog_id)) == 2, "one of them is the fork's"
    before.drop()
    lake.purge(before.catalog_id)
    lake.maintenance.cleanup_old_files()
    check(lake)
    assert len(rows(lake, of_agent, c=agent.catalog_id)) == 1
    assert len(agent.table("t").storage.files()) == 2


@pytest.mark.parametrize("ends", ["purged", "partitioned otherwise"])
def test_a_partitioning_of_after_a_pin_goes_though_files_of_before_stay_for_it(lake: Lake, ends: str) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"])
    agent = shop.fork("agent")
    agent.table("t").storage.append_files([NewDataFile("a.parquet", 1, 10, partition_values=("1",))])
    child = agent.fork("child")
    agent.maintenance.sever()
    of_agent = "SELECT row_uid FROM forklake.ducklake_partition_info WHERE catalog_id = :c"
    later = agent.fork("later")
    later.table("t").delete()
    if ends == "purged":
        agent.drop()
        lake.purge(agent.catalog_id)
    else:
        agent.table("t").delete()
        agent.table("t").alter.set_partitioning([])
        expire_all(agent)
    check(lake)
    assert len(rows(lake, of_agent, c=agent.catalog_id)) == 1, "the later fork began with it"
    expire_all(later)
    purge(lake, "later")
    check(lake)
    assert rows(lake, of_agent, c=agent.catalog_id) == []
    assert len(child.table("t").storage.files()) == 1


@pytest.mark.parametrize("verb", ["copy", "sever"])
def test_copied_severed_and_imported_catalogs_have_the_past_partitionings_of_their_files(
    lake: Lake, verb: str, tmp_path: Path
) -> None:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 0)
    table = shop.create_table("t", {"i": "INTEGER", "k": "VARCHAR"}, partition_by=["i"])
    for number in (1, 1, 2):
        table.append([{"i": number, "k": "x"}])
    table.alter.set_partitioning(["k"])
    agent = shop.fork("agent")
    agent.table("t").append([{"i": 3, "k": "y"}])
    agent.table("t").alter.set_partitioning([])
    assert agent.maintenance.merge_adjacent_files()[0].files_created == 1
    if verb == "copy":
        alone = agent.fork("alone", copy=True)
        again = alone.fork("again", copy=True)
    else:
        agent.maintenance.sever()
        alone, again = agent, agent.fork("again")
    alone.maintenance.export(tmp_path / "alone.sqlite", history=True)
    imported = lake.import_catalog("imported", tmp_path / "alone.sqlite")
    check(lake)
    for catalog in (alone, again, imported):
        for condition, count in (("i = 2", 1), ("i = 3", 2), ("k = 'x'", 1)):
            pruned = {one.reason: one.file_count for one in catalog.table("t").inspect.plan(condition).pruned}
            assert pruned["partition"] == count, condition
    for catalog in (alone, again, imported):
        catalog.table("t").delete()
        expire_all(catalog)
    check(lake)


@pytest.mark.parametrize("verb", ["copy", "sever"])
def test_a_partitioning_that_resets_brought_back_is_written_out_once(lake: Lake, verb: str) -> None:
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 0)
    empty = shop.head
    shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"]).append([{"i": 1}])
    filled = shop.head
    for snapshot in (empty, filled, empty, filled):
        shop.reset_to(snapshot)
    agent = shop.fork("agent")
    agent.table("t").append([{"i": 3}])
    alone = agent.fork("alone", copy=True) if verb == "copy" else agent
    if verb == "sever":
        agent.maintenance.sever()
    assert [one.file_count for one in alone.table("t").inspect.plan("i = 2").pruned] == [2]
    check(lake)


def test_a_clean_up_judges_purged_ancestors_after_the_forks_that_need_their_columns(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    agent = shop.fork("agent")
    agent.options.set("data_inlining_row_limit", 10)
    agent.table("t").append([{"i": 1}])
    child = agent.fork("child")
    child.table("t").alter.rename_column("i", "j")
    child.maintenance.flush_inlined()
    agent.table("t").drop()
    shop.drop()
    lake.purge(shop.catalog_id)
    for catalog in (agent, child):
        expire_all(catalog)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    left = Rows.read(lake)
    assert difference(left.stored, left.needed()) == {}
    assert child.table("t").rows() == [(1,)]


@pytest.mark.parametrize("what", ["a file", "an inlined row"])
def test_an_ancestor_is_judged_again_when_what_was_read_with_its_rows_goes(lake: Lake, what: str) -> None:
    """The root is purged first: by then what the fork wrote is dead, and still there."""
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"])
    shop.fork("other", copy=True)  # it knows where files of the table lie
    agent = shop.fork("agent")
    if what == "a file":
        agent.table("t").storage.append_files([NewDataFile("a.parquet", 1, 10, partition_values=("1",))])
    else:
        agent.table("t").storage.insert_inlined([{"i": "1"}])
    agent.fork("viewer")
    agent.table("t").drop()
    expire_all(agent)
    check(lake)
    purge(lake, "viewer")
    purge(lake, "shop")
    store = lake._runtime.store
    assert due_catalogs(store, None, 1000) == [agent.catalog_id]
    assert "i" in columns_of(lake, shop)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert columns_of(lake, shop) == []
    assert due_catalogs(store, None, 1000) == []
    check(lake)


def columns_of(lake: Lake, catalog: Catalog) -> list[str]:
    """Return the names in the column rows that a catalog has written and that are left."""
    found = rows(lake, "SELECT column_name FROM forklake.ducklake_column WHERE catalog_id = :c", c=catalog.catalog_id)
    return [str(name) for (name,) in found]


def test_a_column_that_came_with_a_refresh_goes_though_files_of_before_it_stay(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    agent = shop.fork("agent")
    agent.table("t").storage.append_files([data_file("a")])
    before = agent.head
    shop.table("t").alter.rename_column("i", "j")
    agent.refresh()
    agent.table("t").drop()
    purge(lake, "shop")
    dropped = agent.head
    own = [one.snapshot_id for one in agent.snapshots() if one.catalog_id == agent.catalog_id]
    agent.maintenance.expire_snapshots(versions=[one for one in own if one not in (before, dropped)], release=True)
    check(lake)
    assert columns_of(lake, shop) == ["i"]
    assert [file.path.rsplit("/", 1)[1] for file in agent.at(before).table("t").storage.files()] == ["a.parquet"]
    expire_all(agent)
    check(lake)
    assert columns_of(lake, shop) == []


def test_a_partitioning_that_came_back_goes_though_a_fork_keeps_files_that_had_ended(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"}, partition_by=["i"])
    table.append([{"i": 1}])
    agent = shop.fork("agent")
    table.drop()
    shop.reset_to(agent)
    shop.drop()
    lake.purge(shop.catalog_id)
    check(lake)
    assert agent.table("t").rows() == [(1,)]


def test_schema_versions_stay_with_a_table_that_came_back(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    first = shop.head
    table.alter.add_column(("j", "INTEGER"))
    altered = shop.head
    shop.fork("agent")
    table.drop()
    shop.maintenance.expire_snapshots(versions=[altered], release=True)
    shop.reset_to(first)
    purge(lake, "agent")
    needed = Rows.read(lake).needed()
    collect_all(lake)
    assert difference(needed, Rows.read(lake).stored) == {}
    assert altered in {begin for _, begin, _ in Rows.read(lake).stored["ducklake_schema_versions"]}


def test_delete_files_are_scheduled_with_their_data_file(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "INTEGER"})
    table.storage.append_files([data_file("a")])
    (file,) = table.storage.files()
    table.storage.delete_rows([delete_file(file.data_file_id, "d")])
    table.storage.delete_rows([delete_file(file.data_file_id, "e", 2)])
    table.drop()
    expire_all(shop)
    check(lake)
    directory = file.path.removesuffix("a.parquet")
    assert [path for _, path in scheduled(lake)] == [f"{directory}{name}.parquet" for name in "ade"]


def test_catalogs_that_are_purged_together_do_not_keep_each_other_due(lake: Lake) -> None:
    """A copy has the ids of what it was copied from: its tables are no reason to keep the other's schema."""
    shop = lake.create_catalog("given up")
    shop.schemas.create("side")
    shop.create_table("t", {"i": "INTEGER"}, schema="side").storage.append_files([data_file("a")])
    copy = shop.fork("given up too", copy=True)
    viewer = copy.fork("viewer")
    assert lake.maintenance.purge_catalogs("given up", drop=True) == [shop.catalog_id, copy.catalog_id]
    check(lake)
    owners = {owner for (owner,) in rows(lake, "SELECT catalog_id FROM forklake.ducklake_schema")}
    assert owners == {copy.catalog_id}
    assert [table.name for table in viewer.tables("side")] == ["t"]


def test_columns_stay_for_files_that_a_purged_catalog_between_wrote_with_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    middle = shop.fork("middle")
    middle.table("t").storage.append_files([data_file("a")])
    middle.table("t").alter.set_type("i", "BIGINT")
    viewer = middle.fork("viewer")
    shop.table("t").drop()
    expire_all(shop)
    purge(lake, "middle")
    check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 2
    viewer.table("t").storage.remove_files([viewer.table("t").storage.files()[0].data_file_id])
    expire_all(viewer)
    check(lake)
    assert len(rows(lake, "SELECT row_uid FROM forklake.ducklake_column")) == 1


def test_options_of_tables_and_schemas_go_with_the_last_row_of_them(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.schemas.create("s")
    for schema, table in (("main", "t"), ("main", "other"), ("s", "u")):
        shop.create_table(table, {"i": "INTEGER"}, schema=schema)
        shop.options.set("target_file_size", "1MB", table=table, schema=schema)
    shop.options.set("parquet_version", 2, schema="s")
    shop.options.set("parquet_version", 2)
    agent = shop.fork("agent")
    shop.table("t").drop()
    shop.table("u", schema="s").drop()
    shop.schemas.drop("s")
    expire_all(shop)

    def scopes(catalog: Catalog) -> list[str]:
        return sorted(option.scope for option in options_of(lake._runtime.store, catalog.catalog_id))

    assert scopes(shop) == ["", "schema", "table", "table", "table"], "rows of them are left, which the fork shows"
    purge(lake, "agent")
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert scopes(shop) == ["", "table"]
    assert scopes(agent) == []


def test_a_purge_says_what_it_gave_up_and_who_keeps_what(lake: Lake) -> None:
    ada = lake.create_catalog("ada")
    ada.create_table("t", {"i": "BIGINT"})
    kept = NewDataFile("kept.parquet", 10, 100)
    ada.table("t").storage.append_files([kept, NewDataFile("later.parquet", 10, 40)])
    (first, _) = ada.table("t").storage.files()
    ada.table("t").storage.remove_files([ada.table("t").storage.files()[1].data_file_id])
    support = ada.fork("support")
    support.fork("deeper")
    ada.fork("gone").drop()
    ada.fork("at the start", at=ada.snapshots()[0].snapshot_id)
    ada.table("t").storage.append_files([NewDataFile("own.parquet", 10, 7)])
    ada.fork("copied", copy=True)
    ada.drop()
    done = lake.purge("ada")
    assert (done.catalog_id, done.name, done.file_count, done.byte_count) == (ada.catalog_id, "ada", 2, 47)
    assert [fork.name for fork in done.held_by] == ["support", "deeper", "gone"]
    assert support.table("t").storage.files()[0].path == first.path
    for name in ("support", "deeper"):
        lake.catalog(name).drop()
        assert lake.purge(name).held_by == (), "it has no rows of its own"


def test_a_purge_of_what_nobody_inherits_gives_all_up(lake: Lake) -> None:
    ada = lake.create_catalog("ada")
    ada.create_table("t", {"i": "BIGINT"})
    ada.table("t").storage.insert_inlined([{"i": "1"}])
    fork = ada.fork("fork")
    ada.drop()
    assert [one.name for one in lake.purge(ada.catalog_id).held_by] == ["fork"], "inlined rows count"
    fork.drop()
    assert lake.purge("fork") == PurgedCatalog(fork.catalog_id, "fork")
