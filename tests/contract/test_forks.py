"""What a fork sees, and what it leaves alone."""

from collections.abc import Callable

import pytest

from forklake import Catalog, ColumnStats, Lake, NewDataFile, NewDeleteFile, Settings
from forklake.errors import (
    AlreadyExistsError,
    CommitConflictError,
    InvalidInputError,
    NotFoundError,
    SnapshotNotFoundError,
)
from tests.contract.support import data_file, delete_file, each, file_names, last, names, rows, state
from tests.lakes import LakeFactory

every_kind = pytest.mark.parametrize(
    "lake_factory", ["sqlite", "duckdb", "postgres", "partitioned", "pgbouncer"], indirect=True
)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
    shop.table("orders").storage.append_files([NewDataFile("a.parquet", 10, 100), NewDataFile("b.parquet", 5, 50)])
    return shop


@every_kind
def test_the_first_catalog_is_numbered_as_ducklake_numbers_it(lake: Lake) -> None:
    first = lake.create_catalog("first")
    first.create_table("t", {"i": "INTEGER"})
    assert (first.catalog_id, first.head, first.table("t").table_id) == (0, 1, 1)


@every_kind
def test_a_fork_starts_with_the_ids_and_files_of_its_parent(shop: Catalog) -> None:
    agent = shop.fork("agent")
    assert agent.table("orders").table_id == shop.table("orders").table_id
    assert [(f.data_file_id, f.path) for f in agent.table("orders").storage.files()] == [
        (f.data_file_id, f.path) for f in shop.table("orders").storage.files()
    ]


@every_kind
def test_a_fork_changes_inherited_things_without_touching_its_parent(shop: Catalog) -> None:
    before = shop.table("orders").storage.files()
    agent = shop.fork("agent")
    agent.table("orders").storage.delete_rows([NewDeleteFile(before[0].data_file_id, "d.parquet", 3, 30)])
    agent.table("orders").storage.remove_files([before[1].data_file_id])
    agent.table("orders").rename("sales")
    agent.table("sales").alter.drop_column("amount")

    assert [t.name for t in shop.tables()] == ["orders"]
    assert [c.name for c in shop.table("orders").columns] == ["id", "amount"]
    assert [f.delete_file for f in shop.table("orders").storage.files()] == [None, None]
    (left,) = agent.table("sales").storage.files()
    assert left.path == before[0].path
    assert left.delete_file is not None
    assert "/agent/" in left.delete_file.path


@every_kind
def test_rows_added_in_a_fork_never_carry_a_row_id_of_its_parent(shop: Catalog) -> None:
    agent = shop.fork("agent")
    for catalog in (shop, agent):
        catalog.table("orders").storage.append_files([NewDataFile("c.parquet", 7, 70)])
    starts = [catalog.table("orders").storage.files()[-1].row_id_start for catalog in (shop, agent)]
    assert starts == [15, agent.catalog_id << 36]


def content(catalog: Catalog) -> list[object]:
    """Return all that a reader sees of a catalog."""
    return [
        catalog.schemas.list(),
        [
            (
                table.schema_name,
                table.name,
                table.table_id,
                table.inspect.uuid,
                table.columns,
                table.inspect.stats.record_count,
                table.inspect.stats.file_size_bytes,
                [
                    (
                        file.data_file_id,
                        file.path,
                        file.record_count,
                        file.row_id_start,
                        file.delete_file and (file.delete_file.path, file.delete_file.delete_count),
                    )
                    for file in table.storage.files()
                ],
            )
            for table in catalog.tables()
        ],
    ]


def busy(catalog: Catalog) -> None:
    """Change everything that `shop` has."""
    (first, second) = catalog.table("orders").storage.files()
    with catalog.transaction() as t:
        t.schemas.create("new")
        t.create_table("orders", {"i": "INTEGER"}, schema="new")
        t.table("orders").storage.append_files([data_file("more")])
        t.table("orders").storage.delete_rows([delete_file(first.data_file_id, "deleted")])
        t.table("orders").storage.remove_files([second.data_file_id])
        t.table("orders").alter.rename_column("amount", "price")
        t.table("orders").alter.add_column(("note", "VARCHAR"))
        t.table("orders").rename("sold")


# ---- the fork point ------------------------------------------------------------------------------------------------


def test_the_change_feed_of_a_fork_is_silent_at_the_fork_point(lake: Lake, shop: Catalog) -> None:
    pin = shop.head
    for fork, word in ((shop.fork("agent"), "Fork"), (shop.fork("copied", copy=True), "Copy")):
        point = last(fork)
        assert (point.snapshot_id, point.catalog_id) == (fork.head, fork.catalog_id)
        assert (point.changes_made, point.commit_message) == ("", f'{word} of "shop" at snapshot {pin}')
        assert (point.author, point.schema_version) == (None, 1)
    assert [(info.parent_id, info.parent_snapshot_id) for info in lake.catalogs()] == [(0, pin), (0, pin), (None, None)]


def test_a_fork_writes_a_handful_of_rows_whatever_the_parent_holds(lake: Lake, shop: Catalog) -> None:
    def written(name: str) -> int:
        before = state(lake)
        shop.fork(name)
        return sum(len(found) - len(before[table]) for table, found in state(lake).items())

    few = written("early")
    shop.table("orders").storage.append_files([data_file(f"f{number}") for number in range(50)])
    assert written("late") == few == 6  # catalog, head, segment, snapshot, its changes, its lineage


# ---- neither sees the other ----------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("copy", [False, True])
def test_neither_sees_what_the_other_does_later(shop: Catalog, copy: bool) -> None:
    agent = shop.fork("agent", copy=copy)
    forked = content(agent)
    assert forked == content(shop)
    busy(shop)
    assert content(agent) == forked
    changed = content(shop)
    busy(agent)
    assert content(shop) == changed
    agent.table("sold").drop()
    shop.schemas.drop("new", cascade=True)
    assert names(agent) == ["orders"]
    assert names(shop) == ["sold"]


def test_a_fork_drops_and_makes_again_what_it_inherited(shop: Catalog) -> None:
    agent = shop.fork("agent")
    before = shop.table("orders").table_id
    agent.table("orders").drop()
    agent.create_table("ORDERS", {"i": "INTEGER"})
    assert agent.table("orders").table_id != before
    assert agent.table("orders").storage.files() == []
    agent.schemas.drop("main", cascade=True)
    assert (agent.schemas.list(), agent.tables()) == ([], [])
    assert (shop.schemas.list(), names(shop), len(shop.table("orders").storage.files())) == (["main"], ["orders"], 2)
    nested = agent.fork("nested")
    assert nested.schemas.list() == []
    nested.schemas.create("main")
    assert agent.schemas.list() == []


def test_an_inherited_name_is_taken(shop: Catalog) -> None:
    agent = shop.fork("agent")
    for attempt in each(
        lambda: agent.create_table("Orders", {"i": "INTEGER"}),
        lambda: agent.schemas.create("MAIN"),
        lambda: agent.table("orders").alter.add_column(("ID", "INTEGER")),
        lambda: agent.table("orders").alter.rename_column("id", "Amount"),
    ):
        with pytest.raises(AlreadyExistsError):
            attempt()


def test_no_two_catalogs_give_an_id_to_different_columns(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").alter.drop_column("amount")
    agent.table("orders").alter.add_column(("x", "INTEGER"))
    shop.table("orders").alter.add_column(("y", "INTEGER"))
    other = shop.fork("other")
    other.table("orders").alter.add_column(("z", "STRUCT(a INTEGER)"))
    assert [c.column_id for c in shop.table("orders").columns] == [1, 2, 3]  # a root counts by table, as DuckLake does
    first = agent.table("orders").columns[1].column_id
    assert [c.column_id for c in agent.table("orders").columns] == [1, first]
    assert first >= 2**20
    added = other.table("orders").columns[-1]
    assert [added.column_id, *(c.column_id for c in added.children)] == [first + 1, first + 2]


def test_row_ids_never_meet_in_a_tree(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    (first, _) = agent.table("orders").storage.files()
    agent.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])  # only deletes so far
    nested = agent.fork("nested")
    family = [shop, agent, nested, agent.fork("copied", copy=True), shop.fork("severed")]
    family[-1].maintenance.sever()
    for catalog in family:
        catalog.table("orders").storage.append_files([data_file("x", 7), data_file("y", 1)])
        catalog.create_table("own", {"i": "INTEGER"})
        catalog.table("own").storage.append_files([data_file("z", 3)])
    ranges = []
    for catalog in family:
        start = 15 if catalog is shop else catalog.catalog_id << 36
        assert [f.row_id_start for f in catalog.table("orders").storage.files()[-2:]] == [start, start + 7]
        assert catalog.table("own").storage.files()[0].row_id_start == (
            0 if catalog is shop else catalog.catalog_id << 36
        )
        ranges.append(start)
    assert len(set(ranges)) == len(family)


# ---- where it is taken ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [False, True])
def test_a_fork_of_the_past_is_what_the_parent_was(shop: Catalog, copy: bool) -> None:
    past, then = shop.head, content(shop)
    busy(shop)
    fork = shop.fork("agent", at=past, copy=copy)
    assert content(fork) == then
    assert content(fork.fork("nested")) == then
    shop.table("sold").drop()
    assert content(fork) == then


def test_a_fork_at_an_inherited_snapshot_starts_at_its_owner(lake: Lake, shop: Catalog) -> None:
    past, then = shop.head, content(shop)
    shop.create_table("later", {"i": "INTEGER"})
    agent = shop.fork("agent")
    busy(agent)
    nested = agent.fork("nested")
    fork = nested.fork("from-the-root", at=past)
    assert content(fork) == then
    assert [s.snapshot_id for s in fork.snapshots()] == [0, 1, past, fork.head]
    chain = rows(lake, "SELECT owner_id, upto FROM forklake.ducklake_segment WHERE catalog_id = :c", c=fork.catalog_id)
    assert chain == [(shop.catalog_id, past)]
    assert next(i for i in lake.catalogs() if i.name == "from-the-root").parent_id == nested.catalog_id


def test_forks_of_forks_see_through_all_levels(lake: Lake) -> None:
    catalog = lake.create_catalog("level-0")
    catalog.create_table("t", {"level": "INTEGER"})
    for level in range(1, 67):
        if level % 11 == 0:
            catalog.table("t").storage.append_files([data_file(f"f{level}", 1)])
        if level in (22, 44):
            (first, *_) = catalog.table("t").storage.files()
            catalog.table("t").storage.remove_files([first.data_file_id])
        catalog = catalog.fork(f"level-{level}")
    assert file_names(catalog, "t") == ["f33", "f44", "f55", "f66"]
    assert catalog.table("t").inspect.stats.record_count == 4
    assert file_names(lake.catalog("level-33"), "t") == ["f22", "f33"]
    assert len(catalog.snapshots()) == 1 + 1 + 6 + 2 + 66
    catalog.maintenance.sever()
    assert file_names(catalog, "t") == ["f33", "f44", "f55", "f66"]


def test_a_fork_of_a_parent_that_commits_meanwhile_is_whole(lake_factory: LakeFactory) -> None:
    act: list[Callable[[], object]] = []

    def on_step(step: str) -> None:
        if step == "fork: before the call" and act:
            act.pop()()

    with lake_factory.open(Settings(on_step=on_step)) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        pin = shop.head
        act.append(lambda: shop.create_table("later", {"i": "INTEGER"}))
        at_head = shop.fork("at-head")
        act.append(lambda: shop.create_table("even-later", {"i": "INTEGER"}))
        at_pin = shop.fork("at-pin", at=pin)
        assert names(at_head) == ["later", "orders"]
        assert names(at_pin) == ["orders"]
        act.append(lambda: shop.maintenance.expire_snapshots(versions=[pin]))
        with pytest.raises(SnapshotNotFoundError, match=f"No snapshot found at version {pin}"):
            shop.fork("too-late", at=pin)
        act.append(lambda: lake.catalog("shop").drop())
        with pytest.raises(NotFoundError, match="'too-late' was not made: the catalog with id 0 was dropped"):
            shop.fork("too-late")
        assert [info.name for info in lake.catalogs()] == ["at-head", "at-pin"]


# ---- many at once --------------------------------------------------------------------------------------------------


def test_many_forks_are_made_in_one_call(lake: Lake, shop: Catalog) -> None:
    past, then = shop.head, content(shop)
    made = [f"agent-{number}" for number in range(100)]
    forks = shop.fork_many(made)
    assert [fork.name for fork in forks] == made
    assert content(forks[0]) == content(forks[99]) == then
    forks[0].table("orders").drop()
    assert names(forks[1]) == ["orders"]
    paths = [info.data_path for info in lake.catalogs(prefix="agent-")]
    assert len(set(paths)) == 100
    busy(shop)
    (late,) = shop.fork_many(["late"], at=past)
    assert content(late) == then
    assert shop.fork_many([]) == []


def test_many_forks_are_made_all_or_none(lake: Lake, shop: Catalog) -> None:
    shop.fork("taken")
    before = state(lake)
    with pytest.raises(AlreadyExistsError, match="One of the names 'one' to 'two' is taken by a live catalog; none of"):
        shop.fork_many(["one", "Taken", "two"])
    with pytest.raises(InvalidInputError, match="is given twice; no fork was made"):
        shop.fork_many(["one", "ONE"])
    with pytest.raises(InvalidInputError, match="a list of names, not of 'one'; no fork was made"):
        shop.fork_many("one")
    assert state(lake) == before


# ---- names ---------------------------------------------------------------------------------------------------------


def test_a_name_that_is_taken_is_refused(lake: Lake, shop: Catalog) -> None:
    lake.create_catalog("other")
    before = state(lake)
    for copy in (False, True):
        with pytest.raises(AlreadyExistsError, match="Catalog 'OTHER' already exists"):
            shop.fork("OTHER", copy=copy)
    with pytest.raises(AlreadyExistsError) as caught:
        shop.fork("other")
    assert str(caught.value) == (
        "Catalog 'other' already exists.\nHint: Use if_not_exists=True to return the existing catalog."
    )
    assert state(lake) == before


def test_if_not_exists_returns_the_fork_of_the_same_parent_only(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent", if_not_exists=True)
    agent.create_table("mine", {"i": "INTEGER"})
    other = lake.create_catalog("other")
    before = state(lake)
    assert shop.fork("AGENT", if_not_exists=True).catalog_id == agent.catalog_id
    for parent, name, complaint in (
        (shop, "other", "Catalog 'other' exists but is not a fork (it's a root catalog)."),
        (other, "agent", "Catalog 'agent' exists but was forked from a different parent"),
        (agent, "agent", "Catalog 'agent' exists but was forked from a different parent"),
    ):
        with pytest.raises(AlreadyExistsError) as caught:
            parent.fork(name, if_not_exists=True)
        assert str(caught.value).startswith(complaint)
    with pytest.raises(InvalidInputError, match="cannot be asked for with if_not_exists"):
        shop.fork("agent", copy=True, if_not_exists=True)
    assert state(lake) == before


def test_the_name_of_a_dropped_fork_is_free(lake: Lake, shop: Catalog) -> None:
    first = shop.fork("agent")
    lake.catalog("agent").drop()
    second = shop.fork("agent", if_not_exists=True)
    assert second.catalog_id != first.catalog_id


# ---- copies and severed catalogs ----------------------------------------------------------------------------------


def test_a_copy_has_no_ancestry_and_no_earlier_history(lake: Lake, shop: Catalog) -> None:
    before = content(shop)
    copied = shop.fork("copied", copy=True)
    assert content(copied) == before
    assert [s.snapshot_id for s in copied.snapshots()] == [copied.head]
    with pytest.raises(SnapshotNotFoundError):
        copied.at(version=shop.head)
    assert {file.owner_id for file in copied.table("orders").storage.files()} == {copied.catalog_id}
    lake.catalog("shop").drop()
    lake.purge("shop")
    assert content(copied) == before


def test_a_severed_catalog_stands_on_its_own(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    (first, second) = agent.table("orders").storage.files()
    agent.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])
    agent.table("orders").storage.remove_files([second.data_file_id])
    agent.table("orders").storage.append_files([data_file("c")])
    agent.table("orders").alter.add_column(("x", "INTEGER"))
    agent.options.set("target_file_size", "1GB")
    before, fork_point, version = content(agent), agent.snapshots()[3].snapshot_id, last(agent).schema_version
    agent.maintenance.sever()
    assert content(agent) == before
    (only,) = agent.snapshots()
    assert (only.changes_made, only.commit_message) == ("", "Severed from its ancestors")
    assert only.schema_version == version
    for gone in (shop.head, fork_point):
        with pytest.raises(SnapshotNotFoundError):
            agent.at(version=gone)
    assert {file.owner_id for file in agent.table("orders").storage.files()} == {agent.catalog_id}
    assert agent.options.get("target_file_size") == "1GB"
    busy_shop = content(shop)
    lake.catalog("shop").drop()
    lake.purge("shop")
    assert content(agent) == before != busy_shop
    agent.table("orders").storage.append_files([data_file("after")])
    agent.table("orders").drop()
    assert names(agent) == []


def test_forks_of_a_severed_catalog_keep_what_they_see(shop: Catalog) -> None:
    agent = shop.fork("agent")
    (first, second) = agent.table("orders").storage.files()
    agent.table("orders").storage.remove_files([second.data_file_id])
    agent.table("orders").storage.append_files([data_file("c")])
    early = agent.fork("early")
    seen = content(early)
    agent.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])
    agent.maintenance.sever()
    late = agent.fork("late")
    assert content(early) == seen
    assert content(late) == content(agent)
    agent.table("orders").drop()
    assert content(early) == seen
    early.maintenance.sever()
    assert content(early) == seen
    assert file_names(late, "orders") == ["a", "c"]


def test_severing_what_inherits_nothing_changes_nothing(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.maintenance.sever()
    before = state(lake)
    shop.maintenance.sever()
    agent.maintenance.sever()
    assert state(lake) == before


def test_a_transaction_of_a_catalog_that_is_severed_meanwhile_is_is_refused(shop: Catalog) -> None:
    agent = shop.fork("agent")
    transaction = agent.transaction()
    transaction.table("orders").storage.append_files([data_file("c")])
    agent.maintenance.sever()
    with pytest.raises(CommitConflictError, match="has been expired, so what others did since cannot be known"):
        transaction.commit()
    assert file_names(agent, "orders") == ["a", "b"]


def test_statistics_of_files_come_along_with_copies(lake: Lake, shop: Catalog) -> None:
    stats = {"id": ColumnStats(10, 0, "1", "9")}
    shop.table("orders").storage.append_files([NewDataFile("s.parquet", 10, 100, column_stats=stats)])
    copied = shop.fork("copied", copy=True)
    severed = shop.fork("severed")
    severed.maintenance.sever()
    for catalog in (copied, severed):
        found = rows(
            lake,
            "SELECT column_id, min_value, max_value FROM forklake.ducklake_file_column_stats WHERE catalog_id = :c",
            c=catalog.catalog_id,
        )
        assert found == [(1, "1", "9")]


# ---- the parent goes -----------------------------------------------------------------------------------------------


@every_kind
def test_the_parent_changes_expires_drops_and_is_purged_and_the_fork_still_reads(lake: Lake, shop: Catalog) -> None:
    (first, _) = shop.table("orders").storage.files()
    shop.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])
    agent = shop.fork("agent")
    nested = agent.fork("nested")
    seen = content(agent)
    shop.table("orders").drop()
    assert content(agent) == content(nested) == seen
    shop.maintenance.expire_snapshots(versions=[s.snapshot_id for s in shop.snapshots()[:-1]])
    assert content(agent) == content(nested) == seen
    lake.catalog("shop").rename("closed")
    lake.catalog("closed").drop()
    assert content(agent) == content(nested) == seen
    lake.purge("closed")
    assert content(agent) == content(nested) == seen
    lake.catalog("agent").drop()
    lake.purge("agent")
    assert content(nested) == content(nested.fork("last")) == seen
    nested.table("orders").storage.append_files([data_file("e")])
    assert file_names(nested, "orders") == ["a", "b", "e"]
