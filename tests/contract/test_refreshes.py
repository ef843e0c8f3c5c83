"""A fork is brought to its parent's head: with its own changes on top, as one commit, and its past stays."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, Lake, Settings
from forklake.catalog import lookup, versions
from forklake.catalog.scan_plan import plan_scan
from forklake.errors import (
    CatalogLapsedError,
    CommitConflictError,
    InvalidInputError,
    MergeConflictError,
    SnapshotNotFoundError,
)
from forklake.model.ids import INFINITY
from tests.contract.support import rows
from tests.lakes import LakeFactory
from tests.merges.row_engine import RowEngine
from tests.merges.totals import wrong_totals
from tests.needed_rows import Rows, difference
from tests.sound import check_sound


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    with lake_factory.open(Settings(engine=RowEngine())) as lake:
        yield lake
        check_sound(lake)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    """A catalog with a table of a hundred rows in one file."""
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    append(shop, 100)
    return shop


@pytest.fixture
def agent(shop: Catalog) -> Catalog:
    return shop.fork("agent")


def append(catalog: Catalog, first: int, count: int = 100, **columns: Any) -> None:
    given = {"id": range(first, first + count), "item": ["new"] * count}
    catalog.table("orders").append(pa.table(given | {name: [value] * count for name, value in columns.items()}))


def delete(catalog: Catalog, condition: str) -> None:
    catalog.table("orders").delete(condition)


def update(catalog: Catalog, condition: str, item: str = "'changed'") -> None:
    catalog.table("orders").update({"item": item}, condition)


def ids(catalog: Catalog) -> set[int]:
    found = catalog.table("orders").arrow().column("id").to_pylist()
    assert len(found) == len(set(found)), "a row is there twice"
    return set(found)


def content(catalog: Catalog) -> list[dict[str, Any]]:
    return sorted(catalog.table("orders").arrow().to_pylist(), key=lambda row: int(row["id"]))


def own_rows(lake: Lake, catalog: Catalog) -> dict[str, int]:
    """Return how many live rows of its own a catalog has, by metadata table."""
    names = ("table", "column", "data_file", "delete_file", "inlined_row", "inlined_delete")
    where = "WHERE catalog_id = :c AND end_snapshot = :live"
    counted = {
        name: rows(lake, f"SELECT count(*) FROM forklake.ducklake_{name} {where}", c=catalog.catalog_id, live=INFINITY)
        for name in names
    }
    return {name: count for name, ((count,),) in counted.items() if count}


def test_a_fork_sees_what_its_parent_did_and_keeps_what_it_did_itself(shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    delete(agent, "id = 107")
    update(agent, "id = 110", "'mine'")
    append(shop, 2000)
    delete(shop, "id = 108")
    update(shop, "id = 120", "'theirs'")
    shop.create_table("t", {"i": "INTEGER"})
    before, known = agent.head, content(agent)
    plan = agent.refresh(author="ann")
    assert plan.snapshot_id == agent.head
    assert (plan.source, plan.target) == ((shop.catalog_id, shop.head), (agent.catalog_id, before))
    assert ids(agent) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100)} - {107, 108}
    items = {row["id"]: row["item"] for row in content(agent)}
    assert (items[110], items[120], items[1000], items[2000]) == ("mine", "theirs", "new", "new")
    assert [table.name for table in agent.tables()] == ["orders", "t"]
    made = agent.snapshots()[-1]
    assert (made.author, made.commit_message) == ("ann", f'Refresh from "shop" at snapshot {shop.head}')
    assert content(agent.at(before)) == known
    assert agent.inspect.info.parent_snapshot_id == shop.head
    counted = agent.table("orders").inspect.stats
    # Deleted rows count until their file ends; an updated one is there twice, and of the two updates one each.
    assert counted.record_count == 302
    assert agent.at(before).table("orders").inspect.stats.record_count == 201


def test_what_a_key_made_before_a_refresh_is_found_by_the_chain_of_then(shop: Catalog) -> None:
    shop.schemas.create("side")
    agent = shop.fork("agent")
    shop.schemas.drop("side")
    made = agent.create_table("t", {"i": "INTEGER"}, schema="side")
    with agent.transaction(commit_key="once") as transaction:
        other = transaction.create_table("other", {"i": "INTEGER"}, schema="side")
    for name in ("t", "other"):
        agent.table(name, schema="side").drop()
    agent.refresh()
    again = agent.transaction(commit_key="once").create_table("other", {"i": "INTEGER"}, schema="side")
    assert again.table_id == made.table_id + 1
    assert other.name == again.name


def test_a_fork_without_changes_copies_nothing(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    append(shop, 2000)
    delete(shop, "id = 108")
    shop.table("orders").alter.add_column(("note", "VARCHAR"))
    agent.refresh()
    assert content(agent) == content(shop)
    assert own_rows(lake, agent) == {}
    assert rows(lake, "SELECT * FROM forklake.ducklake_tombstone WHERE catalog_id = :c", c=agent.catalog_id) == []


def test_what_has_come_into_the_parent_is_the_forks_own_no_more(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    delete(agent, "id = 107")
    update(agent, "id = 110")
    agent.table("orders").alter.add_column(("note", "VARCHAR"))
    append(shop, 2000)
    shop.merge(agent)
    assert own_rows(lake, agent) != {}
    plan = agent.refresh()
    assert plan.snapshot_id is not None
    assert own_rows(lake, agent) == {}
    assert content(agent) == content(shop)
    append(agent, 3000, note="after")
    merged = agent.head
    shop.merge(agent)
    assert content(agent) == content(shop)
    assert agent.refresh().bases == ((agent.catalog_id, merged),)


def test_a_fork_at_the_head_of_its_parent_has_nothing_to_do(shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    before = agent.head
    plan = agent.refresh()
    assert (plan.is_nothing, plan.snapshot_id, agent.head) == (True, None, before)
    append(shop, 2000)
    assert not agent.refresh(dry_run=True).is_nothing
    assert agent.head == before
    agent.refresh()
    assert agent.refresh(dry_run=True).is_nothing


def test_what_both_changed_is_refused_and_a_strategy_decides(shop: Catalog, agent: Catalog) -> None:
    update(agent, "id IN (107, 108)", "'mine'")
    update(shop, "id = 107", "'theirs'")
    delete(shop, "id = 108")
    before, known = agent.head, content(agent)
    with pytest.raises(MergeConflictError) as refused:
        agent.refresh()
    assert refused.value.message.startswith(
        f'Refresh of "agent" from "shop" at snapshot {shop.head} has 2 conflicts; nothing was refreshed:'
        ' table "main"."orders": row 7 was updated in "shop" and updated in "agent"; table'
    )
    assert [conflict.kind for conflict in refused.value.conflicts] == ["row", "row"]
    assert (agent.head, content(agent)) == (before, known)
    plan = agent.refresh(dry_run=True)
    assert (plan.is_possible, len(plan.conflicts), agent.head) == (False, 2, before)
    agent.fork("other").refresh(strategy="theirs")
    agent.refresh(strategy={"orders": "ours"})
    assert {row["id"]: row["item"] for row in content(agent)}[107] == "mine"
    assert 108 in ids(agent)


def test_strategies_let_the_parent_or_the_fork_keep_a_table(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    other = shop.fork("other")
    for fork in (agent, other):
        fork.table("orders").drop()
    append(shop, 2000)
    with pytest.raises(MergeConflictError, match='it was changed in "shop" and dropped in "agent"'):
        agent.refresh()
    agent.refresh(strategy="ours")
    assert [table.name for table in agent.tables()] == []
    other.refresh(strategy="theirs")
    assert content(other) == content(shop)
    append(other, 3000)
    append(shop, 4000)
    other.refresh()
    assert ids(other) == {*range(100, 200), *range(2000, 2100), *range(3000, 3100), *range(4000, 4100)}


def test_what_the_parent_dropped_and_the_fork_keeps_is_its_own(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    update(agent, "id = 107")
    known = content(agent)
    shop.table("orders").drop()
    agent.refresh(strategy="ours")
    assert content(agent) == known
    shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    agent.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert content(agent) == known
    append(agent, 1000)
    assert len(ids(agent)) == 200


def test_columns_of_both_are_there_and_files_are_read_by_their_own(shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    agent.table("orders").alter.add_column(("mine", "INTEGER"))
    append(agent, 1100, 1, mine=1)
    agent.table("orders").alter.rename_column("item", "thing")
    shop.table("orders").alter.add_column(("theirs", "INTEGER"))
    append(shop, 2000, 100, theirs=2)
    agent.refresh()
    assert [column.name for column in agent.table("orders").columns] == ["id", "thing", "theirs", "mine"]
    found = {row["id"]: row for row in content(agent)}
    assert found[1000] == {"id": 1000, "thing": "new", "theirs": None, "mine": None}
    assert found[1100] == {"id": 1100, "thing": "new", "theirs": None, "mine": 1}
    assert found[2000] == {"id": 2000, "thing": "new", "theirs": 2, "mine": None}
    check_known_columns(agent)
    shop.table("orders").alter.drop_column("theirs")
    agent.refresh()
    check_known_columns(agent)
    assert {row["id"]: row for row in content(agent)}[1100] == {"id": 1100, "thing": "new", "mine": 1}


def test_a_file_of_a_fork_is_not_said_to_hold_the_columns_that_its_parent_added(shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    shop.table("orders").alter.add_column(("theirs", "INTEGER"))
    agent.refresh()
    append(agent, 1100, 100, theirs=1)
    check_known_columns(agent)
    shop.create_table("t", {"i": "INTEGER"})
    agent.refresh()
    check_known_columns(agent)
    assert [row["theirs"] for row in content(agent)] == [None] * 200 + [1] * 100


def check_known_columns(catalog: Catalog) -> None:
    """See that a scan opens no file with columns that the file does not hold."""
    runtime = catalog._runtime
    content = runtime.state(versions.head_by_id(runtime.store, catalog.catalog_id))
    table = lookup.table_by_id(content, catalog.table("orders").table_id)
    plan = plan_scan(runtime.store, runtime.lake_path, content, table)
    known = [(file.path, [field.name for field in file.fields]) for file in plan.files if file.fields is not None]
    assert known
    for path, names in known:
        held = [name for name in pq.read_schema(path).names if not name.startswith("_ducklake_internal")]
        assert names == held, path


def test_a_transaction_that_began_before_is_refused(shop: Catalog, agent: Catalog) -> None:
    append(shop, 2000)
    begun = agent.transaction()
    begun.create_table("t", {"i": "INTEGER"})
    agent.refresh()
    with pytest.raises(CommitConflictError, match="the catalog was refreshed since this transaction began"):
        begun.commit()
    assert [table.name for table in agent.tables()] == ["orders"]
    with agent.transaction() as transaction:
        transaction.create_table("t", {"i": "INTEGER"})
    assert [table.name for table in agent.tables()] == ["orders", "t"]


def test_forks_of_the_fork_keep_what_they_see(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    old = agent.fork("old")
    append(shop, 2000)
    delete(shop, "id = 107")
    known, before = content(agent), agent.head
    agent.refresh()
    new = agent.fork("new")
    append(agent, 3000)
    assert (content(old), content(agent.at(before))) == (known, known)
    assert ids(new) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100)} - {107}
    with pytest.raises(SnapshotNotFoundError):
        new.at(before)
    for one in (old, new):
        one.refresh()
        assert content(one) == content(agent)
    assert old.refresh().is_nothing


def test_old_epochs_are_kept_while_a_snapshot_of_them_is(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    delete(agent, "id = 107")
    known, before = content(agent), agent.head
    delete(shop, "id = 108")
    shop.maintenance.rewrite_data_files(delete_threshold=0.0)
    agent.refresh()
    shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert content(agent.at(before)) == known
    agent.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert ids(agent) == {*range(100, 200)} - {107, 108}
    with pytest.raises(SnapshotNotFoundError):
        agent.at(before)
    append(shop, 2000)
    agent.refresh()
    assert ids(agent) == {*range(100, 200), *range(2000, 2100)} - {107, 108}


def test_ids_of_rows_are_never_given_again(shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    shop.merge(agent)
    agent.refresh()
    append(agent, 3000)
    shop.merge(agent)
    assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(3000, 3100)}
    delete(shop, "id = 3000")
    assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(3001, 3100)}


def test_a_table_that_comes_back_goes_on_counting_whatever_was_expired(
    lake: Lake, shop: Catalog, agent: Catalog
) -> None:
    append(agent, 1000)
    shop.merge(agent)
    agent.table("orders").drop()
    agent.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    agent.reset_to(shop)
    append(agent, 3000)
    shop.merge(agent)
    delete(shop, "id = 3000")
    assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(3001, 3100)}


def test_what_a_refresh_pinned_is_kept_though_the_fork_hides_it(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    agent.table("orders").drop()
    agent.create_table("mine", {"i": "INTEGER"})
    shop.create_table("theirs", {"i": "INTEGER"})
    agent.refresh()
    update(shop, "id >= 100")
    agent.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    needed(lake)
    ended = "SELECT count(*) FROM forklake.ducklake_data_file WHERE catalog_id = :c AND end_snapshot < :live"
    assert rows(lake, ended, c=shop.catalog_id, live=INFINITY) == [(1,)]
    # The pin is the base: the parent has expired it, and the fork keeps it.
    with pytest.raises(MergeConflictError) as refused:
        shop.merge(agent)
    assert [(each.kind, each.theirs, each.ours) for each in refused.value.conflicts] == [
        ("dropped", "dropped", "changed")
    ]
    assert shop.merge(agent, strategy="ours").bases[0][0] == shop.catalog_id
    assert sorted(table.name for table in shop.tables()) == ["mine", "orders", "theirs"]


def test_tombstones_of_an_epoch_go_with_it(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    agent.table("orders").drop()
    shop.table("orders").drop()
    agent.refresh()
    known = "SELECT count(*) FROM forklake.ducklake_tombstone WHERE catalog_id = :c"
    assert rows(lake, known, c=agent.catalog_id) != [(0,)]
    agent.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    assert rows(lake, known, c=agent.catalog_id) == [(0,)]
    needed(lake)


def needed(lake: Lake) -> None:
    """See that nothing that is needed is gone, and nothing else is left."""
    left = Rows.read(lake)
    assert difference(left.needed(), left.stored) == {}
    assert difference(left.stored, left.needed()) == {}


def test_a_refresh_can_be_taken_back(shop: Catalog, agent: Catalog) -> None:
    append(agent, 1000)
    append(shop, 2000)
    before, known = agent.head, content(agent)
    agent.refresh()
    agent.reset_to(before)
    assert content(agent) == known


def test_what_has_no_live_parent_is_refused(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    copied, severed = shop.fork("copied", copy=True), shop.fork("severed")
    severed.maintenance.sever()
    append(shop, 2000)
    for catalog in (shop, copied, severed):
        with pytest.raises(InvalidInputError, match=f'"{catalog.name}" has no parent to refresh from'):
            catalog.refresh()
    with pytest.raises(InvalidInputError, match="A strategy is one of"):
        agent.refresh(strategy="mine")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match='There is no table "t"'):
        agent.refresh(strategy={"t": "ours"})
    with pytest.raises(InvalidInputError):
        agent.at(agent.head).refresh()
    shop.renew("1 microsecond")
    with pytest.raises(CatalogLapsedError, match='"shop" is past its lifetime'):
        agent.refresh()
    shop.drop()
    with pytest.raises(InvalidInputError, match='"agent" has no parent to refresh from'):
        agent.refresh()
    assert ids(agent) == {*range(100, 200)}


def test_a_refresh_with_a_key_happens_once(shop: Catalog, agent: Catalog) -> None:
    append(shop, 2000)
    made = agent.refresh(commit_key="k").snapshot_id
    append(shop, 3000)
    assert agent.refresh(commit_key="k").snapshot_id == made
    assert ids(agent) == {*range(100, 200), *range(2000, 2100)}


def test_forks_are_refreshed_by_statements_and_functions(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    append(shop, 2000)
    other = shop.fork("other", at=shop.snapshots()[-2].snapshot_id)
    with agent.session() as session:
        before = agent.head
        told = session.sql("FROM ducklake_refresh_catalog('agent', dry_run => true)")
        assert told is not None
        assert [(row[1], row[4], row[7]) for row in told.fetchall()] == [("rows", "orders", 100)]
        assert agent.head == before
        session.sql("REFRESH FORK agent STRATEGY ours")
        assert content(agent) == content(shop)
        session.sql("REFRESH FORK other")
        assert content(other) == content(shop)
        append(shop, 3000)
        session.sql("CALL agent.refresh_catalog()")
        assert content(agent) == content(shop)
        with pytest.raises(InvalidInputError, match="A strategy is one of"):
            session.sql("REFRESH FORK agent STRATEGY mine")
        session.sql("BEGIN; CREATE TABLE t (i INTEGER)")
        with pytest.raises(InvalidInputError, match="a transaction that has changes"):
            session.sql("REFRESH FORK agent")


@pytest.mark.parametrize("limit", [10, 0], ids=["inlined", "in a file"])
def test_rows_that_the_parent_took_back_and_the_fork_keeps_are_counted(
    shop: Catalog, agent: Catalog, limit: int
) -> None:
    for catalog in (shop, agent):
        catalog.options.set("data_inlining_row_limit", limit)
    agent.create_table("notes", {"text": "VARCHAR"})
    before = agent.head
    append(shop, 300, 5)
    agent.refresh()
    shop.reset_to(agent, at=before)
    agent.refresh(strategy="ours")
    assert ids(shop) == set(range(100, 200))
    assert not wrong_totals(agent)
    append(agent, 400, 5)
    delete(agent, "id >= 302")
    assert ids(agent) == {*range(100, 200), 300, 301}
