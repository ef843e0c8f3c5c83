"""Forks come back: what one side changed is taken, what both changed is refused, and nothing is half done."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import forklake
from forklake import Catalog, CleanUp, Lake, RowCounts, Settings
from forklake.catalog.moments import TagName
from forklake.errors import (
    CatalogDroppedError,
    InvalidInputError,
    MergeBaseError,
    MergeConflictError,
    SnapshotNotFoundError,
)
from forklake.model.fork_merge import MergePlan
from forklake.ops.merging import table_rows
from forklake.ops.merging.row_choice import choose_rows
from tests.contract.support import counted
from tests.lakes import LakeFactory
from tests.merges.row_engine import RowEngine
from tests.sound import check_sound

Deed = Callable[[Catalog], object]


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
    append(100)(shop)
    return shop


def append(first: int, count: int = 100) -> Deed:
    rows = pa.table({"id": range(first, first + count), "item": ["new"] * count})
    return lambda catalog: catalog.table("orders").append(rows)


def delete(condition: str) -> Deed:
    return lambda catalog: catalog.table("orders").delete(condition)


def update(condition: str, item: str = "'changed'") -> Deed:
    return lambda catalog: catalog.table("orders").update({"item": item}, condition)


def compact(catalog: Catalog) -> None:
    catalog.maintenance.merge_adjacent_files()
    catalog.maintenance.rewrite_data_files(delete_threshold=0.0)


def grow(catalog: Catalog) -> None:
    append(300)(catalog)
    compact(catalog)


def alter(verb: str, *arguments: Any) -> Deed:
    return lambda catalog: getattr(catalog.table("orders").alter, verb)(*arguments)


def drop(catalog: Catalog) -> None:
    catalog.table("orders").drop()


def make(name: str) -> Deed:
    return lambda catalog: catalog.create_table(name, {"x": "INTEGER"})


def rename(name: str) -> Deed:
    return lambda catalog: catalog.table("orders").rename(name)


def ids(catalog: Catalog) -> set[int]:
    found = catalog.table("orders").arrow().column("id").to_pylist()
    assert len(found) == len(set(found)), "a row is there twice"
    return set(found)


def items(catalog: Catalog) -> dict[int, str]:
    return {row["id"]: row["item"] for row in catalog.table("orders").arrow().to_pylist()}


BOTH: dict[str, tuple[Deed, Deed, set[int]]] = {
    "appends": (append(1000), append(2000), {*range(100, 200), *range(1000, 1100), *range(2000, 2100)}),
    "append and delete": (append(1000), delete("id = 107"), {*range(100, 200), *range(1000, 1100)} - {107}),
    "append and compaction": (append(1000), compact, {*range(100, 200), *range(1000, 1100)}),
    "deletes of one file": (delete("id = 108"), delete("id = 107"), {*range(100, 200)} - {107, 108}),
    "deletes of the same row": (delete("id = 107"), delete("id = 107"), {*range(100, 200)} - {107}),
    "delete and update of other rows": (delete("id = 108"), update("id = 107"), {*range(100, 200)} - {108}),
    "deletes of all rows together": (delete("id < 150"), delete("id >= 150"), set()),
    "all rows and some": (delete("id >= 100"), delete("id = 107"), set()),
    "delete and compaction": (delete("id = 108"), grow, {*range(100, 200), *range(300, 400)} - {108}),
    "compaction and delete": (grow, delete("id = 108"), {*range(100, 200), *range(300, 400)} - {108}),
    "append and a new column": (
        append(1000),
        alter("add_column", ("note", "VARCHAR")),
        {*range(100, 200), *range(1000, 1100)},
    ),
    "new columns": (alter("add_column", ("a", "INTEGER")), alter("add_column", ("b", "INTEGER")), {*range(100, 200)}),
    "append and a wider type": (
        append(1000),
        alter("rename_column", "item", "thing"),
        {*range(100, 200), *range(1000, 1100)},
    ),
    "new tables": (make("mine"), make("yours"), {*range(100, 200)}),
}


@pytest.mark.parametrize("case", BOTH)
def test_what_does_not_conflict_is_all_there(shop: Catalog, case: str) -> None:
    theirs, ours, expected = BOTH[case]
    agent = shop.fork("agent")
    theirs(agent)
    ours(shop)
    plan = shop.merge(agent)
    assert plan.snapshot_id == shop.snapshots()[-1].snapshot_id
    assert plan.conflicts == ()
    assert ids(shop) == expected
    assert shop.snapshots()[-1].commit_message == f'Merge of "agent" at snapshot {agent.snapshots()[-1].snapshot_id}'
    assert shop.merge(agent).snapshot_id is None


CONFLICTS: dict[str, tuple[Deed, Deed, list[str]]] = {
    "updates of one row": (update("id = 107"), update("id = 107", "'otherwise'"), ["row"]),
    "update and delete": (update("id = 107"), delete("id = 107"), ["row"]),
    "delete and update": (delete("id IN (107, 108)"), update("id IN (107, 108)"), ["row", "row"]),
    "change and drop": (append(1000), drop, ["dropped"]),
    "drop and change": (drop, delete("id = 107"), ["dropped"]),
    "tables of one name": (make("t"), make("T"), ["name"]),
    "renamed to one name": (rename("t"), make("t"), ["name"]),
    "renamed twice": (rename("a"), rename("b"), ["name"]),
    "columns of one name": (alter("add_column", ("n", "INTEGER")), alter("add_column", ("N", "INTEGER")), ["name"]),
    "a column renamed twice": (alter("rename_column", "item", "a"), alter("rename_column", "item", "b"), ["column"]),
    "a column renamed and dropped": (alter("rename_column", "item", "a"), alter("drop_column", "item"), ["column"]),
    "the last columns": (alter("drop_column", "item"), alter("drop_column", "id"), ["no_column"]),
    "partitioned twice": (alter("set_partitioning", ["id"]), alter("set_partitioning", ["item"]), ["layout"]),
}


@pytest.mark.parametrize("case", CONFLICTS)
def test_what_both_changed_is_refused_and_nothing_is_done(shop: Catalog, case: str) -> None:
    theirs, ours, kinds = CONFLICTS[case]
    agent = shop.fork("agent")
    theirs(agent)
    ours(shop)
    before = len(shop.snapshots())
    with pytest.raises(
        MergeConflictError, match=r'Merge of "agent" at snapshot \d+ into "shop" has \d conflict'
    ) as found:
        shop.merge(agent)
    assert [conflict.kind for conflict in found.value.conflicts] == kinds
    assert "nothing was merged" in str(found.value)
    assert len(shop.snapshots()) == before


@pytest.mark.parametrize(("strategy", "expected"), [("ours", "'mine'"), ("theirs", "'yours'")])
def test_a_strategy_decides_conflicts_and_nothing_else(shop: Catalog, strategy: Any, expected: str) -> None:
    agent = shop.fork("agent")
    update("id IN (107, 109)", "'yours'")(agent)
    update("id IN (107, 108)", "'mine'")(shop)
    plan = shop.merge(agent, strategy={"orders": strategy})
    assert [(conflict.kind, conflict.theirs, conflict.ours) for conflict in plan.conflicts] == [
        ("row", "updated", "updated")
    ]
    found = items(shop)
    assert [found[number] for number in (107, 108, 109)] == [expected.strip("'"), "mine", "yours"]


def test_rows_that_all_sides_have_at_one_place_are_not_compared(shop: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def choose(bases: Any, source: Any, target: Any) -> Any:
        compared.append(sum(side.row_ids.size for side in (*bases, source, target)))
        return choose_rows(bases, source, target)

    monkeypatch.setattr(table_rows, "choose_rows", choose)
    delete("id = 100")(shop)
    grow(shop)  # the file tells the ids of its rows itself
    delete("id = 199")(shop)
    agent = shop.fork("agent")
    update("id in (105, 107)", "'agent'")(agent)
    update("id in (106, 108)", "'shop'")(shop)
    shop.merge(agent)
    assert compared == [12]  # four rows on each of three sides
    assert ids(shop) == {*range(101, 199), *range(300, 400)}
    changed = {row_id: item for row_id, item in items(shop).items() if item != "new"}
    assert changed == {105: "agent", 106: "shop", 107: "agent", 108: "shop"}
    again = shop.fork("again")
    delete("id < 150")(again)
    delete("id >= 150")(shop)
    shop.merge(again)
    assert ids(shop) == set()
    assert not shop.table("orders").storage.files()


def test_a_dry_run_tells_and_does_nothing(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    before = shop.snapshots()
    plan = shop.merge(agent, dry_run=True)
    assert plan.snapshot_id is None
    assert plan.changes == (f"inserted_into_table:{shop.table('orders').table_id}",)
    assert [(table.table, table.files_added, table.rows_added) for table in plan.tables] == [("orders", 1, 100)]
    assert shop.snapshots() == before


def test_a_dry_run_lists_conflicts_and_does_nothing(shop: Catalog) -> None:
    agent = shop.fork("agent")
    update("id = 107")(agent)
    delete("id = 107")(shop)
    before = shop.snapshots()
    plan = shop.merge(agent, dry_run=True)
    assert not plan.is_possible
    assert [(one.kind, one.table, one.ours, one.theirs) for one in plan.conflicts] == [
        ("row", "orders", "deleted", "updated")
    ]
    assert shop.merge(agent, strategy="theirs", dry_run=True).is_possible
    assert shop.snapshots() == before


def test_counts_of_a_merge_know_deleted_rows(shop: Catalog) -> None:
    agent = shop.fork("agent")
    delete("id IN (107, 108, 109)")(agent)
    (told,) = shop.merge(agent, dry_run=True).tables
    assert (told.rows_added, told.rows_removed) == (0, 3)


def test_a_strategy_of_a_table_decides_its_name_and_layout(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").alter.set_partitioning(["id"])
    shop.table("orders").alter.set_partitioning(["item"])
    rename("theirs")(agent)
    rename("ours")(shop)
    with pytest.raises(MergeConflictError) as found:
        shop.merge(agent)
    assert {(one.kind, one.table) for one in found.value.conflicts} == {("name", "ours"), ("layout", "ours")}
    assert shop.merge(agent, strategy={"ours": "theirs"}).snapshot_id is not None
    assert [table.name for table in shop.tables()] == ["theirs"]


def test_a_past_of_the_source_is_merged_and_another_lake_refused(shop: Catalog, tmp_path: Path) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    then = agent.at(agent.head)
    append(2000)(agent)
    shop.merge(then)
    assert ids(shop) == {*range(100, 200), *range(1000, 1100)}
    with (
        forklake.open(str(tmp_path / "other.db"), data_path=tmp_path / "other") as other,
        pytest.raises(InvalidInputError, match="different lakes"),
    ):
        shop.merge(other.create_catalog("shop"))


def test_merging_again_brings_what_is_new_since(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    shop.merge(agent)
    delete("id = 1001")(agent)
    update("id = 1002")(agent)
    append(2000)(shop)
    plan = shop.merge(agent)
    assert plan.bases == ((agent.catalog_id, plan.bases[0][1]),)
    assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100)} - {1001}
    assert items(shop)[1002] == "changed"


def test_siblings_and_grandchildren_merge(shop: Catalog) -> None:
    one, other = shop.fork("one"), shop.fork("other")
    append(1000)(one)
    append(2000)(other)
    one.merge(other)
    grandchild = one.fork("grandchild")
    append(3000)(grandchild)
    shop.merge(grandchild)
    assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100), *range(3000, 3100)}
    # What came by the grandchild is known to have come.
    assert shop.merge(one).snapshot_id is None
    assert shop.merge(other).snapshot_id is None


def give_up(lake: Lake, *catalogs: Catalog) -> CleanUp:
    """Drop and purge catalogs, and clean up all that can be, orphans too."""
    for catalog in catalogs:
        catalog.drop()
        lake.purge(int(catalog.catalog_id))
    found = lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert lake.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
    return found


def test_files_of_a_merged_fork_outlive_it_until_the_target_lets_go(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    delete("id < 130")(agent)  # a delete file, too
    shop.merge(agent)
    left = give_up(lake, agent)
    assert left.deleted == ()
    assert len(left.named) == 2
    assert lake.maintenance.check().counts == {"scheduled-named": 2}
    assert ids(shop) == {*range(130, 200), *range(1000, 1100)}
    shop.maintenance.rewrite_data_files(delete_threshold=0.0)
    shop.maintenance.merge_adjacent_files()  # brings the rows home
    shop.maintenance.expire_snapshots(older_than="0 seconds")
    gone = give_up(lake)
    assert set(left.named) < set(gone.deleted)
    assert gone.named == ()
    assert ids(shop) == {*range(130, 200), *range(1000, 1100)}


def test_files_of_a_parent_that_a_fork_merged_outlive_it(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(shop)
    delete("id < 130")(shop)
    agent.merge(shop)
    left = give_up(lake, shop)
    assert left.deleted == ()
    assert len(left.named) == 2
    assert ids(agent) == {*range(130, 200), *range(1000, 1100)}
    drop(agent)
    agent.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    assert set(left.named) < set(give_up(lake).deleted)


def test_a_merge_takes_files_over_that_wait_for_deletion(lake: Lake, shop: Catalog) -> None:
    first, second = shop.fork("first"), shop.fork("second")
    append(1000)(first)
    delete("id < 130")(first)
    second.merge(first)
    left = give_up(lake, first)
    shop.merge(second)
    assert give_up(lake, second).named == left.named
    assert ids(shop) == {*range(130, 200), *range(1000, 1100)}


def test_a_reset_takes_files_over_that_wait_for_deletion(lake: Lake, shop: Catalog) -> None:
    first, second, third = (shop.fork(name) for name in ("first", "second", "third"))
    append(1000)(first)
    delete("id < 130")(first)
    second.reset_to(first)
    left = give_up(lake, first)
    third.reset_to(second)
    assert give_up(lake, second).named == left.named
    assert ids(third) == {*range(130, 200), *range(1000, 1100)}


def test_a_reset_to_another_tree_is_refused(lake: Lake, shop: Catalog) -> None:
    """Two roots number rows and columns alike."""
    other = lake.create_catalog("other")
    with pytest.raises(MergeBaseError, match='"shop" and "other" have no snapshot in common'):
        other.reset_to(shop)
    with pytest.raises(InvalidInputError, match=r"A moment is a snapshot id, .* not None"):
        other.reset_to(None)  # type: ignore[arg-type]
    assert other.tables() == []
    copied = shop.fork("copied", copy=True)
    append(1000)(copied)
    shop.reset_to(copied)
    append(2000)(shop)
    append(3000)(copied)
    shop.merge(copied)
    assert len(ids(shop)) == 400


def own_snapshots(catalog: Catalog) -> list[int]:
    return [int(one.snapshot_id) for one in catalog.snapshots() if one.catalog_id == catalog.catalog_id]


def test_expiry_spares_what_merges_are_compared_with(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    (first,) = own_snapshots(agent)
    append(1000)(agent)
    merged = own_snapshots(agent)[-1]
    shop.merge(agent)
    append(2000)(agent)
    append(3000)(agent)
    between = own_snapshots(agent)[-2]
    assert agent.maintenance.expire_snapshots(versions=[first, merged]) == []
    gone = agent.maintenance.expire_snapshots(older_than="0 seconds")
    assert gone == [between]
    assert [(spared.snapshot_id, spared.reason) for spared in gone.spared] == [
        (first, "Merges of the fork are compared with it."),
        (merged, 'The next merge into "shop" is compared with it.'),
    ]
    assert own_snapshots(agent) == [first, merged, own_snapshots(agent)[-1]]
    # The parent keeps nothing for its fork, which has the pin itself.
    assert shop.maintenance.expire_snapshots(older_than="0 seconds").spared == ()
    assert shop.merge(agent).bases == ((agent.catalog_id, merged),)
    assert agent.maintenance.expire_snapshots(versions=[first, merged], release=True) == [first, merged]


def test_a_merge_that_nobody_has_any_more_spares_nothing(lake: Lake, shop: Catalog) -> None:
    one, other = shop.fork("one"), shop.fork("other")
    append(1000)(one)
    merged = own_snapshots(one)[-1]
    other.merge(one)
    append(2000)(one)
    other.drop()
    assert merged not in one.maintenance.expire_snapshots(older_than="0 seconds", dry_run=True)
    lake.purge(int(other.catalog_id))
    assert merged in one.maintenance.expire_snapshots(older_than="0 seconds")


def test_a_table_that_comes_back_counts_on_from_where_it_was(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(shop)
    shop.table("orders").alter.add_column(("extra", "BIGINT"))
    was = shop.table("orders").inspect.stats.next_row_id
    extra = max(int(column.column_id) for column in shop.table("orders").columns)
    drop(shop)
    shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    shop.reset_to(agent)
    append(2000)(shop)
    shop.table("orders").alter.add_column(("other", "BIGINT"))
    starts = [file.row_id_start for file in shop.table("orders").storage.files()]
    assert starts == [0, was]
    assert max(int(column.column_id) for column in shop.table("orders").columns) > extra


def test_what_came_back_on_both_sides_is_one_thing(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").alter.add_column(("extra", "BIGINT"))
    shop.merge(agent)
    was, had = shop.head, agent.head
    drop(shop)
    agent.merge(shop)  # what both contain has no table
    shop.reset_to(was)
    agent.reset_to(had)
    append(1000)(agent)
    append(2000)(shop)
    shop.merge(agent)
    assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100)}
    for catalog, name in ((shop, "ours"), (agent, "theirs")):
        catalog.reset_to(was if catalog is shop else had)
        catalog.table("orders").alter.rename_column("extra", name)
    with pytest.raises(MergeConflictError) as found:
        agent.merge(shop)
    assert {one.kind for one in found.value.conflicts} == {"column"}


def test_a_base_that_is_expired_is_not_guessed(shop: Catalog) -> None:
    one, other = shop.fork("one"), shop.fork("other")
    append(1000)(one)
    append(2000)(other)
    for catalog in (shop, one, other):
        append(5000)(catalog)
        catalog.maintenance.expire_snapshots(versions=own_snapshots(catalog)[:-1], release=True)
    with pytest.raises(MergeBaseError, match='of "shop", the newest that both contain, is expired'):
        one.merge(other)


def test_catalogs_that_share_no_past_are_not_merged(lake: Lake, shop: Catalog) -> None:
    with pytest.raises(MergeBaseError, match='"stranger" and "shop" have no snapshot in common'):
        shop.merge(lake.create_catalog("stranger"))


def test_what_cannot_be_merged_is_refused(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    with pytest.raises(InvalidInputError, match="cannot be merged into itself"):
        shop.merge(shop)
    with pytest.raises(InvalidInputError, match="A strategy is one of 'fail', 'ours', 'theirs', not 'mine'"):
        shop.merge(agent, strategy="mine")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match='no table "nowhere"'):
        shop.merge(agent, strategy={"nowhere": "ours"})
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at version 99999"):
        shop.merge(agent, at=99999)
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at version"):
        shop.merge(agent, at=int(shop.snapshots()[-1].snapshot_id))
    with pytest.raises(SnapshotNotFoundError, match='No snapshot found at tag "v1"'):
        shop.merge(agent, at=TagName("v1"))
    for compare in (shop.merge, shop.diff):
        with pytest.raises(InvalidInputError, match="is given as a handle, not as 'agent'; nothing was done") as found:
            compare("agent")  # type: ignore[arg-type]
        assert found.value.hint == "lake.catalog('agent')"
    agent.drop()
    with pytest.raises(CatalogDroppedError, match=rf'Catalog "agent" \(id {agent.catalog_id}\) was dropped'):
        shop.merge(agent)


def test_a_tag_and_a_time_say_what_is_merged(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    agent.tag("v1")
    append(2000)(agent)
    time = agent.snapshots()[-1].snapshot_time
    append(3000)(agent)
    assert shop.merge(agent, at="v1", dry_run=True).source == shop.merge(agent.at("v1"), dry_run=True).source
    with shop.session() as session:
        session.sql("MERGE FORK agent INTO shop AT v1")
        assert ids(shop) == {*range(100, 200), *range(1000, 1100)}
        session.sql(f"CALL ducklake_merge_catalog('shop', 'agent', at => '{time.isoformat()}')")
        assert ids(shop) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100)}
        with pytest.raises(InvalidInputError, match="AT takes the number of a snapshot, or a tag or a time"):
            session.sql("MERGE FORK agent INTO shop AT 1.5")


def test_forks_are_merged_and_reset_in_sql(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    before = shop.head
    with shop.session() as session:
        told = session.sql("FROM ducklake_merge_catalog('shop', source => 'agent', dry_run => true)")
        assert told is not None
        assert [(row[1], row[4], row[7]) for row in told.fetchall()] == [("rows", "orders", 100)]
        assert shop.head == before
        session.sql(f"MERGE FORK agent INTO shop AT {agent.head} STRATEGY theirs")
        assert ids(shop) == {*range(100, 200), *range(1000, 1100)}
        session.sql(f"CALL shop.reset_catalog({before})")
        assert ids(shop) == {*range(100, 200)}
        session.sql("CALL ducklake_reset_catalog('shop', 'agent', author => 'ann', message => 'As it was')")
        assert ids(shop) == {*range(100, 200), *range(1000, 1100)}
        assert [(each.author, each.commit_message) for each in shop.snapshots()[-1:]] == [("ann", "As it was")]
        with pytest.raises(InvalidInputError, match="A strategy is one of"):
            session.sql("MERGE FORK agent INTO shop STRATEGY mine")
        with pytest.raises(InvalidInputError, match="reset to another one"):
            session.sql("CALL ducklake_reset_catalog('shop')")
        session.sql("BEGIN; CREATE TABLE t (i INTEGER)")
        with pytest.raises(InvalidInputError, match="a transaction that has changes"):
            session.sql("MERGE FORK agent INTO shop")


def test_a_merge_asks_as_little_however_much_was_merged_before(lake: Lake, shop: Catalog) -> None:
    asked = []
    for number in range(6):
        agent = shop.fork(f"agent-{number}")
        append(1000 * (number + 1))(agent)
        with counted(lake) as statements:
            shop.merge(agent)
        asked.append(len(statements))
    assert len(set(asked[1:])) == 1
    assert asked[-1] < 20


def test_a_fork_of_many_levels_comes_back(shop: Catalog) -> None:
    middle = shop
    for level in range(60):
        middle = middle.fork(f"level-{level}")
    deep = middle.fork("deep")
    append(1000)(deep)
    delete("id = 107")(deep)
    assert deep.diff(shop).count_rows("orders") == RowCounts(inserted=1, deleted=100)
    assert shop.merge(deep).snapshot_id is not None
    append(2000)(middle)
    deep.refresh()
    assert ids(deep) == {*range(100, 200), *range(1000, 1100), *range(2000, 2100)} - {107}
    assert ids(shop) == {*range(100, 200), *range(1000, 1100)} - {107}


def test_merges_tell_how_far_they_are(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(1000)(agent)
    told: list[tuple[str, int, int | None]] = []
    shop.merge(agent, progress=lambda *step: told.append(step))
    assert told == [("Comparing tables", 0, 1), ("Comparing tables", 1, 1)]
    append(2000)(shop)
    agent.refresh(progress=lambda *step: told.append(step))
    assert told[2:] == told[:2]


def test_terms_of_a_merge_are_said_in_statements(shop: Catalog) -> None:
    shop.create_table("notes", {"id": "BIGINT", "item": "VARCHAR"})
    agent = shop.fork("agent")
    for catalog, item in ((shop, "ours"), (agent, "theirs")):
        for name in ("orders", "notes"):
            catalog.table(name).append([{"id": 7, "item": item}])
    heads = shop.head, agent.head
    keys = "KEYS (orders (id), main.notes (id, ID))"
    with shop.session() as session:
        for statement in ("MERGE FORK agent INTO shop", "REFRESH FORK agent"):
            told = session.sql(f"EXPLAIN {statement} {keys}")
            assert told is not None
            found = [(row[2], row[4], row[11]) for row in told.fetchall() if row[1] == "conflict"]
            assert sorted(found) == [("key id = 7", "orders", None), ("key id = 7, id = 7", "notes", None)]
            with pytest.raises(MergeConflictError, match=r"nothing was (merged|refreshed)"):
                session.sql(f"{statement} STRATEGY theirs FOR orders {keys}")
            for wrong, says in (
                ("STRATEGY ours FOR orders, theirs FOR Orders", "has a strategy already"),
                ("STRATEGY ours FOR", "syntax error"),
                ("KEYS (orders (id), orders (item))", "has a key already"),
                ("KEYS (orders)", "syntax error"),
                ("KEYS (orders (nothing))", 'does not have a column "nothing"'),
                ("KEYS (nothing (id))", 'no table "nothing"'),
                ("STRATEGY ours FOR nothing", 'no table "nothing"'),
            ):
                with pytest.raises(InvalidInputError, match=says):
                    session.sql(f"{statement} {wrong}")
        assert (shop.head, agent.head) == heads
        session.sql(f"REFRESH FORK agent STRATEGY ours FOR notes, theirs FOR orders {keys}")
        session.sql(f"EXPLAIN ANALYZE MERGE FORK agent INTO shop STRATEGY theirs FOR main.orders, notes {keys}")
    for catalog in (shop, agent):
        assert [row for row in numbers(catalog) if row[0] == 7] == [(7, "ours")]
        assert list(catalog.table("notes").rows()) == [(7, "theirs")]


def numbers(catalog: Catalog) -> list[tuple[int, str]]:
    return sorted((row["id"], row["item"]) for row in catalog.table("orders").arrow().to_pylist())


def sell(first: int, item: str, count: int = 3) -> Deed:
    rows = pa.table({"id": range(first, first + count), "item": [item] * count})
    return lambda catalog: catalog.table("orders").append(rows)


@pytest.mark.parametrize("limit", [0, 10])
def test_rows_inserted_on_both_sides_under_one_key_are_two_rows_or_a_conflict(shop: Catalog, limit: int) -> None:
    shop.options.set("data_inlining_row_limit", limit)
    agent = shop.fork("agent")
    sell(1000, "theirs")(agent)
    sell(1002, "ours")(shop)
    before = numbers(shop)
    with pytest.raises(
        MergeConflictError, match=r"a row with id = 1002 was added in \"agent\" and added in \"shop\""
    ) as refused:
        shop.merge(agent, keys={"orders": ["id"]})
    assert [(one.kind, one.table, one.key) for one in refused.value.conflicts] == [("key", "orders", "id = 1002")]
    assert numbers(shop) == before
    plan = shop.merge(agent, keys={"main.orders": "ID"}, dry_run=True)
    assert (plan.is_possible, [one.kind for one in plan.conflicts]) == (False, ["key"])
    assert shop.merge(agent, keys={"orders": ["id", "item"]}, dry_run=True).conflicts == ()
    for name, strategy, row in (("a", "ours", (1002, "ours")), ("b", "theirs", (1002, "theirs"))):
        target = shop.fork(name)
        target.merge(agent, keys={"orders": ["id"]}, strategy=strategy)  # type: ignore[arg-type]
        assert [one for one in numbers(target) if one[0] == 1002] == [row]
        assert len(numbers(target)) == 105
        assert target.merge(agent).snapshot_id is None
    shop.merge(agent)
    assert [one for one in numbers(shop) if one[0] == 1002] == [(1002, "ours"), (1002, "theirs")]


def test_only_rows_that_both_inserted_share_a_key(shop: Catalog) -> None:
    agent = shop.fork("agent")
    sell(1000, "theirs")(agent)
    update("id = 107")(agent)
    delete("id = 108")(agent)
    compact(agent)
    shop.merge(agent, keys={"orders": ["id"]})
    sell(2000, "ours")(shop)
    sell(150, "again", 1)(agent)  # there since before both
    assert shop.merge(agent, keys={"orders": ["id"]}).conflicts == ()
    assert numbers(shop).count((150, "new")) == numbers(shop).count((150, "again")) == 1


def test_null_is_no_key(shop: Catalog) -> None:
    agent = shop.fork("agent")
    for catalog in (agent, shop):
        catalog.table("orders").append(pa.table({"id": pa.array([None, None], pa.int64()), "item": ["a", "b"]}))
    assert shop.merge(agent, keys={"orders": ["id"]}).conflicts == ()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"nothing": ["id"]}, 'no table "nothing" to have a key'),
        ({"orders": ["nothing"]}, 'does not have a column "nothing" to be a key'),
        ({"orders": []}, "Keys are columns by table"),
        ({"orders": [1]}, "Keys are columns by table"),
        ("orders", "Keys are columns by table"),
    ],
)
def test_keys_that_are_none_are_refused(shop: Catalog, keys: Any, message: str) -> None:
    agent = shop.fork("agent")
    sell(1000, "theirs")(agent)
    sell(1000, "ours")(shop)
    for target in (shop, shop.fork("other", at=shop.snapshots()[0].snapshot_id)):
        with pytest.raises(InvalidInputError, match=message):
            target.merge(agent, keys=keys)


def test_a_row_that_a_delete_file_of_the_target_names_comes_back(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", 10)
    agent = shop.fork("agent")
    before = agent.head
    delete("id IN (107, 108)")(agent)
    other = agent.fork("other")
    agent.reset_to(before)
    other.maintenance.flush_inlined()
    delete("id = 109")(other)
    plan = other.merge(agent, strategy="theirs")
    assert plan.snapshot_id is not None
    assert ids(other) == {*range(100, 200)} - {109}


@pytest.mark.parametrize("is_copy", [True, False], ids=["copy", "sever"])
def test_inlined_rows_that_were_written_out_are_not_changed_by_that(shop: Catalog, is_copy: bool) -> None:
    shop.options.set("data_inlining_row_limit", 10)
    append(1000, 5)(shop)
    update("id = 102")(shop)
    shop.table("orders").alter.add_column(("gone", "INTEGER"))
    update("id = 1003")(shop)
    shop.table("orders").alter.drop_column("gone")
    alone = shop.fork("alone", copy=is_copy)
    if not is_copy:
        alone.maintenance.sever()
    diff = alone.diff(shop)
    assert [diff.count_rows(table) for table in diff.tables] == [RowCounts(0, 0, 0)]
    update("id IN (1001, 102)", "'ours'")(shop)
    alone.table("orders").delete("id = 1002")
    shop.merge(alone)
    rows = {row["id"]: row["item"] for row in shop.table("orders").arrow().to_pylist()}
    assert (rows[102], rows[1001], 1002 in rows) == ("ours", "ours", False)


@pytest.mark.parametrize("goes", ["expiry", "purge", "sever"])
def test_a_fork_that_its_parent_merged_does_not_contain_itself_when_its_epochs_go(
    lake: Lake, shop: Catalog, goes: str
) -> None:
    fork = shop.fork("fork")
    append(1000)(fork)
    shop.merge(fork)
    fork.refresh()
    append(2000)(shop)
    fork.refresh()
    below = fork.fork("below")
    if goes == "expiry":
        own = [one.snapshot_id for one in fork.snapshots() if one.catalog_id == fork.catalog_id]
        fork.maintenance.expire_snapshots(versions=own[:-1], release=True)
    elif goes == "purge":
        fork.drop()
        lake.purge(fork.catalog_id)
    else:
        fork.maintenance.sever()
    append(3000)(below)
    shop.merge(below)
    assert shop.table("orders").arrow().num_rows == 400


def test_the_number_of_queries_does_not_depend_on_the_number_of_tables(lake: Lake, shop: Catalog) -> None:
    counts = []
    for number in (2, 6):
        catalog = lake.create_catalog(f"shop-{number}")
        tables = [catalog.create_table(f"t{each}", {"id": "BIGINT"}) for each in range(number)]
        for table in tables:
            table.append(pa.table({"id": range(10)}))
        agent, other = catalog.fork(f"agent-{number}"), catalog.fork(f"other-{number}")
        for table in agent.tables():
            table.append(pa.table({"id": range(10, 20)}))
        with counted(lake) as of_diff:
            assert len(catalog.diff(agent).tables) == number
        with counted(lake) as of_merge:
            assert len(catalog.merge(agent).tables) == number
        with counted(lake) as of_reset:
            assert len(other.reset_to(agent).tables) == number
        counts.append((len(of_diff), len(of_merge), len(of_reset)))
        assert all(table.count() == 20 for table in (*catalog.tables(), *other.tables()))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("in_use", ["agent", "other", None])
def test_fork_statements_name_any_catalog_of_the_lake(lake: Lake, shop: Catalog, in_use: str | None) -> None:
    agent = shop.fork("agent")
    lake.create_catalog("other")
    append(1000)(agent)
    with lake.connect() as session:
        if in_use is not None:
            session.sql(f"USE {in_use}")
        head = shop.head
        told = session.sql("EXPLAIN MERGE FORK agent INTO shop")
        assert told is not None
        assert [(row[1], row[4], row[7]) for row in told.fetchall()] == [("rows", "orders", 100)]
        assert shop.head == head
        session.sql("MERGE FORK agent INTO shop")
        assert ids(shop) == {*range(100, 200), *range(1000, 1100)}
        append(2000)(shop)
        session.sql("REFRESH FORK agent")
        assert ids(agent) == ids(shop)
        session.sql("BEGIN; INSERT INTO agent.orders VALUES (1, 'mine')")
        with pytest.raises(InvalidInputError, match="a transaction that has changes"):
            session.sql("REFRESH FORK agent")


@pytest.mark.parametrize("verb", ["merge", "refresh", "reset_to"])
def test_a_commit_key_that_is_known_says_that_nothing_was_done(lake: Lake, shop: Catalog, verb: str) -> None:
    fork = shop.fork("fork")
    target, source = (fork, shop) if verb == "refresh" else (shop, fork)

    def bring(key: str = "run-7", *, dry_run: bool = False) -> MergePlan:
        if verb == "refresh":
            return fork.refresh(commit_key=key, dry_run=dry_run)
        return (shop.merge if verb == "merge" else shop.reset_to)(fork, commit_key=key, dry_run=dry_run)

    append(1000, 1)(source)
    first = bring()
    assert (first.is_repeated, first.is_nothing) == (False, False)
    head = target.head
    append(2000, 1)(source)
    update("id = 3", "'one'")(source)
    update("id = 3", "'other'")(target)
    after = target.head
    for again in (bring(), bring(dry_run=True)):
        assert (again.is_repeated, again.is_nothing, again.is_possible) == (True, True, True)
        assert (again.snapshot_id, again.source, again.tables) == (head, first.source, ())
    assert (target.head, target.table("orders").count()) == (after, 101)
    with shop.transaction(commit_key="load") as work:
        work.table("orders").append(pa.table({"id": [1], "item": ["x"]}))
    repeated = shop.transaction(commit_key="load").commit()
    assert (repeated.is_repeated, repeated.snapshot_id) == (True, work.snapshot_id)
    if verb == "merge":
        fork.drop()
        assert bring().is_repeated
        with pytest.raises(CatalogDroppedError):
            bring("run-8")
