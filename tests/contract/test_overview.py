"""The tree of forks, figures of a lake, and the history of a table, in every database."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from forklake import ForkNode, Lake, MacroImplementation, NewDataFile, Snapshot
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake.internals import runtime_of, version_of
from forklake.metastore import schema
from forklake.ops.catalogs.logged_names import named_changes
from forklake.ops.catalogs.snapshot_graph import snapshot_graph


def shape(node: ForkNode) -> object:
    """Return a tree as names, each with its forks."""
    return (node.name, [shape(fork) for fork in node.forks])


def test_the_tree_has_every_fork_below_its_parent_oldest_first(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    lake.create_catalog("other")
    shop.fork("z").fork("deep")
    shop.fork("a")
    tree = lake.fork_tree()
    assert [shape(root) for root in tree.roots] == [("shop", [("z", [("deep", [])]), ("a", [])]), ("other", [])]
    assert tree.root_count == 2
    assert shape(lake.fork_tree("z").roots[0]) == ("z", [("deep", [])])


def test_a_node_tells_what_its_catalog_is_and_owns(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "BIGINT"})
    shop.table("t").storage.append_files([NewDataFile("a.parquet", 10, 100), NewDataFile("b.parquet", 10, 200)])
    shop.table("t").storage.remove_files([shop.table("t").storage.files()[0].data_file_id])
    agent = shop.fork("agent")
    agent.table("t").storage.append_files([NewDataFile("c.parquet", 1, 7)])
    shop.fork("copied", copy=True)
    lake.catalog("agent").rename("accepted")
    root = lake.fork_tree().roots[0]
    fork, copy = root.forks
    assert (root.kind, fork.kind, copy.kind) == ("root", "fork", "copy")
    assert (root.own_file_count, root.own_byte_count) == (1, 200)
    assert (fork.name, fork.own_file_count, fork.own_byte_count) == ("accepted", 1, 7)
    assert (copy.own_file_count, copy.own_byte_count) == (1, 200)
    assert (root.snapshot_id, fork.snapshot_id) == (shop.head, agent.head)
    assert fork.created_at == next(each.snapshot_time for each in agent.snapshots() if each.catalog_id == 1)
    assert fork.snapshot_time == agent.snapshots()[-1].snapshot_time
    agent.maintenance.sever()
    assert lake.fork_tree("accepted").roots[0].kind == "copy"


def test_the_tree_is_cut_where_it_was_asked_to(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    for number in range(4):
        shop.fork(f"f{number}").fork(f"g{number}")
    assert shape(lake.fork_tree(depth=0).roots[0]) == ("shop", [])
    assert lake.fork_tree(depth=0).roots[0].fork_count == 4
    assert shape(lake.fork_tree(depth=1, width=2).roots[0]) == ("shop", [("f0", []), ("f1", [])])
    # The upper levels come first.
    assert shape(lake.fork_tree(limit=6).roots[0]) == (
        "shop", [("f0", [("g0", [])]), ("f1", []), ("f2", []), ("f3", [])],
    )  # fmt: skip
    for number in range(3):
        lake.create_catalog(f"root{number}")
    assert [root.name for root in lake.fork_tree(width=2).roots] == ["shop", "root0"]
    assert lake.fork_tree(width=2).root_count == 4


def test_a_dropped_catalog_is_in_the_tree_while_live_ones_descend_from_it(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    middle = shop.fork("middle")
    middle.fork("lower").fork("leaf")
    shop.fork("alone")
    for name in ("shop", "middle", "lower", "alone"):
        lake.catalog(name).drop()
    lake.purge("middle")
    tree = lake.fork_tree()
    assert shape(tree.roots[0]) == ("shop", [("middle", [("lower", [("leaf", [])])])])
    assert (tree.root_count, tree.roots[0].fork_count) == (1, 1)
    assert tree.roots[0].snapshot_id == 0
    assert tree.roots[0].forks[0].snapshot_id is None
    assert not tree.roots[0].forks[0].is_live
    lake.catalog("leaf").drop()
    assert lake.fork_tree().roots == ()


@pytest.mark.parametrize("wrong", [{"depth": -1}, {"depth": 201}, {"width": 0}, {"limit": 0}, {"limit": True}])
def test_a_senseless_tree_is_refused(lake: Lake, wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError):
        lake.fork_tree(None, **wrong)


def test_a_catalog_knows_its_parent(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    agent = shop.fork("agent")
    assert (shop.inspect.parent, agent.inspect.parent) == (None, shop.inspect.info)
    assert agent.inspect.info.parent_id == shop.catalog_id
    lake.catalog("shop").drop()
    assert agent.inspect.parent is None
    assert [one.inspect.is_live for one in (shop, agent)] == [False, True]
    with pytest.raises(NotFoundError):
        _ = shop.inspect.info


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb", "postgres", "partitioned"], indirect=True)
def test_stats_count_catalogs_snapshots_and_rows(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "BIGINT"})
    shop.table("t").storage.append_files([NewDataFile(f"{number}.parquet", 1, 1) for number in range(3)])
    for name in ("a", "b", "c"):
        shop.fork(name)
    lake.catalog("a").rename("kept")
    lake.catalog("b").drop()
    lake.catalog("c").drop()
    lake.purge("c")
    stats = lake.stats(by="hour", periods=2)
    assert (stats.catalog_count, stats.root_count, stats.fork_count) == (2, 1, 1)
    assert (stats.dropped_count, stats.purged_count) == (1, 1)
    assert stats.snapshot_count == 5
    rows = {table.name: table.row_count for table in stats.tables if not table.is_estimate}
    assert rows["ducklake_data_file"] == 3
    assert rows["ducklake_snapshot"] == 5
    assert rows.keys() == set(re.findall(r"CREATE TABLE forklake\.(\w+)", schema.script("postgresql")))
    assert (sum(each.catalogs_made for each in stats.growth), sum(each.snapshots_made for each in stats.growth)) == (
        4, 5,
    )  # fmt: skip
    first, second = (each.start for each in stats.growth)
    assert second - first == timedelta(hours=1)
    assert first <= datetime.now(UTC)


def test_bytes_of_tables_are_no_more_than_those_of_the_database(lake: Lake) -> None:
    lake.create_catalog("shop")
    stats = lake.stats()
    assert sum(table.byte_count or 0 for table in stats.tables) <= stats.byte_count
    assert len(stats.growth) == 7


def test_stats_tell_whose_bytes_files_are(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "BIGINT"})
    table.storage.append_files([NewDataFile("shared.parquet", 1, 100), NewDataFile("ended.parquet", 1, 20)])
    fork = shop.fork("fork")
    table.storage.remove_files([file.data_file_id for file in table.storage.files() if "ended" in file.path])
    table.storage.append_files([NewDataFile("alone.parquet", 1, 3000)])
    fork.table("t").storage.append_files([NewDataFile("own.parquet", 1, 40_000)])
    stats = lake.stats()
    assert (stats.file_count, stats.file_byte_count) == (4, 43_120)
    assert (stats.live_byte_count, stats.shared_byte_count, stats.freed_byte_count) == (43_100, 120, 0)
    fork.drop()
    stats = lake.stats()
    assert (stats.live_byte_count, stats.shared_byte_count, stats.freed_byte_count) == (3_100, 120, 40_000)
    lake.purge("fork")
    stats = lake.stats()
    assert (stats.file_count, stats.shared_byte_count, stats.freed_byte_count) == (3, 0, 0)


def test_stats_tell_what_maintenance_would_do(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", {"i": "BIGINT"})
    assert set(lake.stats().needs.counts.values()) == {0}
    table.storage.append_files([NewDataFile(f"{number}.parquet", 1, 1) for number in range(8)])
    assert lake.stats().needs.counts == {
        "reap": 0,
        "flush": 0,
        "expire": 0,
        "compact": 1,
        "rewrite": 0,
        "cleanup": 0,
    }
    table.drop()
    shop.maintenance.expire_snapshots(versions=[one.snapshot_id for one in shop.snapshots()][:-1])
    needs = lake.stats().needs
    assert (needs.counts["compact"], needs.scheduled_count, needs.waited_count) == (0, 8, 0)
    shop.options.set("delete_older_than", "0 seconds")
    assert lake.stats().needs.waited_count == 8
    assert lake.maintenance.run(duration=timedelta(seconds=0)).cleaned.deleted == ()
    assert lake.stats().needs.waited_count == 8, "no time was left to clean up"
    shop.options.set("delete_older_than", "2 days")
    lake.options.set("delete_older_than", "0 seconds")
    assert lake.stats().needs.waited_count == 0
    shop.options.reset("delete_older_than")
    assert lake.stats().needs.waited_count == 8


def test_senseless_periods_are_refused(lake: Lake) -> None:
    for periods in (0, 367, True):
        with pytest.raises(InvalidInputError):
            lake.stats(periods=periods)


def test_the_history_of_a_table_is_what_changed_it_and_nothing_else(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    with shop.transaction() as txn:
        txn.create_table("t", {"i": "BIGINT"})
        txn.table("t").storage.append_files([NewDataFile("a.parquet", 10, 100)])
    shop.create_table("other", {"i": "BIGINT"})
    shop.table("t").rename("u")
    agent = shop.fork("agent")
    shop.table("u").storage.append_files([NewDataFile("b.parquet", 10, 100)])
    agent.table("u").alter.add_column(("j", "BIGINT"))
    history = [change.changes for change in agent.table("u").inspect.history()]
    assert history == [("created_table", "inserted_into_table"), ("altered_table",), ("altered_table",)]
    assert [change.snapshot.catalog_id for change in agent.table("u").inspect.history()] == [0, 0, 1]
    assert [change.changes for change in shop.table("u").inspect.history()][-1] == ("inserted_into_table",)
    past = shop.at(version=shop.snapshots()[1].snapshot_id)
    assert [change.changes for change in past.table("t").inspect.history()] == history[:1]


def test_the_history_of_a_copied_table_begins_with_the_copy(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "BIGINT"})
    copied = shop.fork("copied", copy=True)
    copied.table("t").alter.add_column(("j", "BIGINT"))
    assert [change.changes for change in copied.table("t").inspect.history()] == [("written_out",), ("altered_table",)]


def test_a_dropped_table_is_found_by_its_last_name(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("old", {"i": "BIGINT"})
    shop.table("old").rename("orders")
    agent = shop.fork("agent")
    with shop.transaction(author="mallory", message="tidy up") as txn:
        txn.drop_table("orders")
    (*_, dropped) = found = shop.inspect.table_history("orders")
    assert [change.changes for change in found] == [("created_table",), ("altered_table",), ("dropped_table",)]
    assert (dropped.snapshot.author, dropped.snapshot.commit_message) == ("mallory", "tidy up")
    assert [change.changes for change in agent.inspect.table_history("orders")] == [
        ("created_table",),
        ("altered_table",),
    ]
    with pytest.raises(NotFoundError, match="does not exist") as raised:
        shop.table("orders")
    before = shop.snapshots()[2].snapshot_id
    assert f"Snapshot {dropped.snapshot.snapshot_id} dropped it" in str(raised.value.hint)
    assert 'mallory: "tidy up"' in str(raised.value.hint)
    assert f"catalog.at({before}).table('orders')" in str(raised.value.hint)
    with pytest.raises(NotFoundError, match="does not exist"):
        shop.inspect.table_history("old")
    with pytest.raises(NotFoundError, match="does not exist"):
        shop.at(before).inspect.table_history("nothing")
    assert len(shop.at(before).inspect.table_history("ORDERS")) == 2
    shop.create_table("orders", {"i": "BIGINT"})
    assert [change.changes for change in shop.inspect.table_history("orders")] == [("created_table",)]


def test_a_table_that_a_refresh_took_away_is_found(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "BIGINT"})
    agent = shop.fork("agent")
    shop.table("t").drop()
    agent.refresh()
    found = agent.inspect.table_history("t")
    assert found[-1].changes == ("dropped_table",)
    assert found[-1].snapshot.snapshot_id == agent.head


def test_a_table_that_went_with_its_schema_is_found(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.schemas.create("staging")
    shop.create_table("t", {"i": "BIGINT"}, schema="staging")
    shop.schemas.drop("staging", cascade=True)
    assert shop.inspect.table_history("t", schema="staging")[-1].changes == ("dropped_table",)
    assert shop.inspect.table_history("staging.t")[-1].snapshot.snapshot_id == shop.head
    with pytest.raises(NotFoundError, match="does not exist"):
        shop.inspect.table_history("t")


def test_a_dropped_table_is_found_after_an_expiry_or_not_at_all(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "BIGINT"})
    shop.table("t").drop()
    gone = shop.head
    shop.create_table("u", {"i": "BIGINT"})
    shop.maintenance.expire_snapshots(versions=[gone])
    with pytest.raises(NotFoundError) as raised:
        shop.table("t")
    assert f"Snapshot {gone}, which has expired, dropped it." in str(raised.value.hint)
    shop.maintenance.expire_snapshots(versions=[one.snapshot_id for one in shop.snapshots()][:-1])
    with pytest.raises(NotFoundError) as raised:
        shop.table("t")
    assert "dropped" not in str(raised.value.hint)


def test_forking_many_tells_how_far_it_is(lake: Lake) -> None:
    told: list[tuple[str, int, int | None]] = []
    lake.create_catalog("shop").fork_many(["a", "b", "c"], progress=lambda *step: told.append(step))
    assert told == [("Forking", 3, 3)]


def test_forks_know_how_far_they_are_ahead_and_behind(lake: Lake) -> None:
    def distances() -> dict[str, tuple[int | None, int | None]]:
        (root,) = lake.fork_tree().roots
        return {node.name: (node.ahead, node.behind) for node in (root, *root.forks, *root.forks[0].forks)}

    shop = lake.create_catalog("shop")
    agent, other = shop.fork("agent"), shop.fork("other")
    deep = agent.fork("deep")
    assert distances() == {"shop": (None, None), "agent": (0, 0), "other": (0, 0), "deep": (0, 0)}
    agent.create_table("a", {"x": "INTEGER"})
    agent.create_table("b", {"x": "INTEGER"})
    shop.create_table("c", {"x": "INTEGER"})
    deep.create_table("d", {"x": "INTEGER"})
    assert distances() == {"shop": (None, None), "agent": (2, 1), "other": (0, 1), "deep": (1, 2)}
    agent.maintenance.expire_snapshots(versions=[agent.snapshots()[-2].snapshot_id])
    assert distances()["agent"] == (2, 1)
    shop.merge(agent)
    assert distances() == {"shop": (None, None), "agent": (0, 2), "other": (0, 2), "deep": (1, 2)}
    other.merge(shop)
    assert distances()["other"] == (1, 0)
    agent.create_table("e", {"x": "INTEGER"})
    assert distances()["agent"] == (1, 2)


def test_a_graph_has_what_came_by_a_merge_and_what_leads_there(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    agent = shop.fork("agent")
    shop.fork("other").create_table("t", {"x": "INTEGER"})
    agent.create_table("a", {"x": "INTEGER"})
    merged = agent.head
    plan = shop.merge(agent)
    agent.create_table("later", {"x": "INTEGER"})
    graph = snapshot_graph(runtime_of(shop), version_of(shop))
    assert [each.catalog_id for each in graph.snapshots] == [0, 1, 1, 0]
    first = agent.snapshots()[1].snapshot_id
    assert [(edge.snapshot_id, edge.kind, edge.source_id, edge.source_snapshot_id) for edge in graph.edges] == [
        (first, "fork", 0, 0),
        (plan.snapshot_id, "merge", 1, merged),
    ]
    whole = snapshot_graph(runtime_of(shop))
    assert {each.catalog_id for each in whole.snapshots} == {0, 1, 2}
    assert len(whole.edges) == 3
    assert snapshot_graph(runtime_of(shop), after=merged, limit=1).snapshots[0].snapshot_id == plan.snapshot_id


def words(lake: Lake, snapshots: list[Snapshot]) -> list[list[str]]:
    """Return what snapshots did, with the names of that time."""
    named = named_changes(runtime_of(lake).store, snapshots)
    return [
        [f"{each.kind} {each.schema_name}.{each.name}" for each in named[one.snapshot_id] or ()] for one in snapshots
    ]


def test_the_log_has_the_names_of_that_time(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.schemas.create("s")
    shop.create_table("t", {"i": "BIGINT"}, schema="s")
    shop.table("s.t").storage.append_files([NewDataFile("a.parquet", 10, 100)])
    shop.views.create("v", "SELECT 1 AS one")
    shop.macros.create("m", MacroImplementation("1"))
    agent = shop.fork("agent")
    shop.table("s.t").rename("u")
    shop.table("s.u").alter.add_column(("j", "BIGINT"))
    shop.views.drop("v")
    shop.macros.drop("m")
    shop.schemas.drop("s", cascade=True)
    of_shop = [
        ["created_schema None.main"],
        ["created_schema None.s"],
        ["created_table s.t"],
        ["inserted_into_table s.t"],
        ["created_view main.v"],
        ["created_scalar_macro main.m"],
        ["altered_table s.u"],
        ["altered_table s.u"],
        ["dropped_view main.v"],
        ["dropped_scalar_macro main.m"],
        ["dropped_schema None.s", "dropped_table s.u"],
    ]
    assert words(lake, shop.snapshots()) == of_shop
    agent.table("s.t").rename("mine")
    agent.table("s.mine").storage.append_files([NewDataFile("b.parquet", 10, 100)])
    agent.table("s.mine").drop()
    agent.views.drop("v")
    of_agent = [[], ["altered_table s.mine"], ["inserted_into_table s.mine"], ["dropped_table s.mine"]]
    of_agent += [["dropped_view main.v"]]
    assert words(lake, agent.snapshots()) == of_shop[:6] + of_agent
    every = {one.snapshot_id: said for one, said in zip(lake.snapshots(), words(lake, lake.snapshots()), strict=True)}
    assert [every[one.snapshot_id] for one in agent.snapshots()] == of_shop[:6] + of_agent
    agent.drop()
    assert words(lake, lake.snapshots()) == list(every.values())


def test_the_log_has_the_names_that_a_catalog_showed_before_its_refresh(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    for name in ("a", "b", "c"):
        shop.create_table(name, {"i": "BIGINT"})
    agent = shop.fork("agent")
    agent.table("a").alter.add_column(("j", "BIGINT"))
    agent.table("b").rename("mine")
    shop.table("a").rename("z")
    shop.table("c").drop()
    agent.refresh()
    agent.table("z").alter.add_column(("k", "BIGINT"))
    agent.table("mine").alter.add_column(("k", "BIGINT"))
    own = [one for one in agent.snapshots() if one.catalog_id == agent.catalog_id]
    said = words(lake, own)
    assert said[1:3] == [["altered_table main.a"], ["altered_table main.mine"]]
    assert "dropped_table main.c" in said[3]
    assert said[4:] == [["altered_table main.z"], ["altered_table main.mine"]]
    agent.reset_to(agent.snapshots()[3].snapshot_id)
    agent.table("a").drop()
    assert words(lake, agent.snapshots())[-1] == ["dropped_table main.a"]
