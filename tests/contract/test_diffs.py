"""Two versions are compared: changes, counts and rows are told, and what both share is not read."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from forklake import Catalog, Lake, MacroImplementation, MacroParameter, RowCounts, Settings
from forklake.errors import InvalidInputError, MergeBaseError, NotFoundError, SnapshotNotFoundError
from forklake.lake import Diff
from tests.lakes import LakeFactory
from tests.merges.row_engine import RowEngine

Deed = Callable[[Catalog], object]


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    with lake_factory.open(Settings(engine=RowEngine())) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    """A catalog with a table of two files of a hundred rows each."""
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 4)
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    append(100)(shop)
    append(200)(shop)
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


def flush(catalog: Catalog) -> None:
    catalog.maintenance.flush_inlined()


def alter(verb: str, *arguments: Any) -> Deed:
    return lambda catalog: getattr(catalog.table("orders").alter, verb)(*arguments)


def rows(diff: Diff, table: str = "orders") -> list[tuple[str, int, str]]:
    """The rows that differ: change, id and item, in the order of row ids."""
    found: Any = diff.rows(table)
    return [(row["change_type"], row["id"], row["item"]) for row in found.rows.to_pylist()]


def names(diff: Diff) -> list[str]:
    return [type(change).__name__ for change in diff.changes]


DEEDS: dict[str, tuple[list[Deed], RowCounts, bool, list[str]]] = {
    "an append": ([append(300)], RowCounts(inserted=100), True, ["AppendFiles"]),
    "a small append": ([append(300, 2)], RowCounts(inserted=2), True, ["InsertInlined"]),
    "a small delete": ([delete("id IN (101, 203)")], RowCounts(deleted=2), True, ["InlineDeletes"]),
    "a large delete": ([delete("id < 150")], RowCounts(deleted=50), True, ["DeleteRows"]),
    "a whole file": ([delete("id < 200")], RowCounts(deleted=100), True, ["RemoveFiles"]),
    "two large deletes": ([delete("id < 150"), delete("id < 170")], RowCounts(deleted=70), True, ["DeleteRows"]),
    "deletes of both kinds": (
        [delete("id < 150"), delete("id = 155")],
        RowCounts(deleted=51),
        False,
        ["DeleteRows", "InlineDeletes"],
    ),
    "a small update": ([update("id = 101")], RowCounts(updated=1), False, ["InsertInlined", "InlineDeletes"]),
    "a large update": ([update("id < 150")], RowCounts(updated=50), False, ["AppendFiles", "DeleteRows"]),
    "an inlined row, changed": (
        [append(300, 2), update("id = 300"), delete("id = 301")],
        RowCounts(inserted=1),
        True,
        ["InsertInlined"],
    ),
    "all at once": (
        [append(300), update("id = 101"), delete("id = 102")],
        RowCounts(inserted=100, deleted=1, updated=1),
        False,
        ["AppendFiles", "InsertInlined", "InlineDeletes"],
    ),
    "a compaction": ([compact], RowCounts(), False, ["RemoveFiles", "AppendFiles"]),
    "what came and went": ([append(300), delete("id >= 300")], RowCounts(), True, []),
    "rows that were flushed": ([append(300, 2), flush], RowCounts(inserted=2), True, ["AppendFiles"]),
}


@pytest.mark.parametrize("case", DEEDS)
def test_counts_agree_with_rows_and_are_known_where_metadata_tells(shop: Catalog, case: str) -> None:
    deeds, counts, is_known, changes = DEEDS[case]
    agent = shop.fork("agent")
    for deed in deeds:
        deed(agent)
    diff = shop.diff(agent)
    assert names(diff) == changes
    assert diff.table("orders").rows == (counts if is_known else None)
    assert diff.count_rows("orders") == counts
    kinds = [kind for kind, _, _ in rows(diff)]
    assert RowCounts(kinds.count("insert"), kinds.count("delete"), kinds.count("update_postimage")) == counts
    assert kinds.count("update_preimage") == counts.updated
    back = agent.diff(shop)
    assert back.count_rows("orders") == RowCounts(counts.deleted, counts.inserted, counts.updated)


def test_an_updated_row_comes_with_both_of_its_forms(shop: Catalog) -> None:
    agent = shop.fork("agent")
    update("id = 101")(agent)
    assert rows(shop.diff(agent)) == [("update_preimage", 101, "new"), ("update_postimage", 101, "changed")]
    assert rows(agent.diff(shop)) == [("update_preimage", 101, "changed"), ("update_postimage", 101, "new")]


def test_files_that_both_share_are_not_read(shop: Catalog) -> None:
    agent = shop.fork("agent")
    delete("id = 205")(agent)
    append(300)(agent)
    shared, changed = (file.path for file in shop.table("orders").storage.files())
    added = next(file.path for file in agent.table("orders").storage.files() if file.path not in (shared, changed))
    assert set(shop.diff(agent).plan("orders").paths) == {changed, added}


def test_heads_are_compared_and_with_since_base_what_one_side_did(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(300, 2)(agent)
    append(400, 3)(shop)
    assert shop.diff(agent).count_rows("orders") == RowCounts(inserted=2, deleted=3)
    for diff in (shop.diff(agent, since_base=True), agent.diff()):
        assert diff.count_rows("orders") == RowCounts(inserted=2)
        assert {row[1] for row in rows(diff)} == {300, 301}
    assert agent.diff(shop, since_base=True).count_rows("orders") == RowCounts(inserted=3)


def test_after_a_merge_a_fork_differs_by_what_it_did_since(shop: Catalog) -> None:
    agent = shop.fork("agent")
    append(300, 2)(agent)
    shop.merge(agent)
    assert not agent.diff()
    assert not shop.diff(agent)
    append(400, 1)(agent)
    assert [row[1] for row in rows(agent.diff())] == [400]


def test_moments_of_one_catalog_are_compared(shop: Catalog) -> None:
    first, *_, last = (snapshot.snapshot_id for snapshot in shop.snapshots())
    update("id = 101")(shop)
    delete("id = 102")(shop)
    assert shop.diff(since=last).count_rows("orders") == RowCounts(deleted=1, updated=1)
    assert shop.diff(shop, at=last).count_rows("orders") == RowCounts(inserted=1, updated=1)
    assert shop.at(last).diff(shop).after == (shop.catalog_id, shop.head)
    whole = shop.diff(since=first)
    assert names(whole)[0] == "CreateTable"
    assert whole.table("orders").is_new
    assert whole.count_rows("orders") == RowCounts(inserted=199)
    assert not shop.diff(shop)


def test_a_reset_shows_rows_again(shop: Catalog) -> None:
    before = shop.head
    delete("id = 101")(shop)
    delete("id < 250")(shop)
    gone = shop.head
    shop.reset_to(before)
    diff = shop.diff(since=gone)
    assert diff.count_rows("orders") == RowCounts(inserted=150)
    assert not shop.diff(since=before)


def test_catalogs_without_a_common_chain_are_compared_by_ids(shop: Catalog) -> None:
    copy = shop.fork("copy", copy=True)
    assert not shop.diff(copy)
    update("id = 101")(copy)
    diff = shop.diff(copy)
    assert diff.count_rows("orders") == RowCounts(updated=1)
    assert diff.plan("orders").file_count == 1
    other = shop.fork("other")
    append(300, 2)(other)
    assert copy.diff(other).count_rows("orders") == RowCounts(inserted=2, updated=1)


def test_objects_are_told_as_changes(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.schemas.create("staging")
    agent.create_table("staging.parts", {"x": "INTEGER", "s": "STRUCT(a INTEGER, b INTEGER)"})
    agent.views.create("recent", "SELECT 1 AS one")
    agent.macros.create("twice", MacroImplementation("x * 2", (MacroParameter("x"),)))
    orders = agent.table("orders")
    orders.alter.add_column(("note", "VARCHAR"))
    orders.alter.rename_column("item", "thing")
    orders.alter.set_partitioning(["id"])
    orders.alter.set_sorting(["id DESC"])
    orders.rename("sales")
    there = shop.diff(agent)
    assert names(there) == [
        "CreateSchema",
        "RenameTable",
        "CreateTable",
        "RenameColumn",
        "AddColumn",
        "SetPartitioning",
        "SetSorting",
        "CreateView",
        "CreateMacro",
    ]
    assert [(table.schema, table.table, table.is_new) for table in there.tables] == [
        ("main", "sales", False),
        ("staging", "parts", True),
    ]
    assert names(agent.diff(shop)) == [
        "DropView",
        "DropMacro",
        "DropTable",
        "RenameTable",
        "RenameColumn",
        "DropColumn",
        "SetPartitioning",
        "SetSorting",
        "DropSchema",
    ]


def test_what_was_made_and_dropped_again_is_no_change(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.create_table("t", {"x": "INTEGER"}).drop()
    alter("rename_column", "item", "a")(agent)
    alter("rename_column", "a", "item")(agent)
    assert not shop.diff(agent)


def test_a_dropped_table_is_told_with_its_rows(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").drop()
    diff = shop.diff(agent)
    assert names(diff) == ["DropTable"]
    assert (diff.table("orders").is_dropped, diff.count_rows("orders")) == (True, RowCounts(deleted=200))
    assert len(rows(diff)) == 200


def test_rows_of_widened_columns_have_the_wider_type(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "INTEGER", "item": "VARCHAR"})
    shop.table("orders").append(pa.table({"id": pa.array(range(20), pa.int32()), "item": ["new"] * 20}))
    agent = shop.fork("agent")
    alter("set_type", "id", "BIGINT")(agent)
    agent.table("orders").append(pa.table({"id": [2**40], "item": ["large"]}))
    delete("id = 3")(agent)
    assert set(rows(shop.diff(agent))) == {("delete", 3, "new"), ("insert", 2**40, "large")}
    assert set(rows(agent.diff(shop))) == {("insert", 3, "new"), ("delete", 2**40, "large")}


def test_rows_of_expired_versions_are_refused(shop: Catalog) -> None:
    before = shop.head
    delete("id = 101")(shop)
    diff = shop.diff(since=before)
    shop.maintenance.expire_snapshots(versions=[before])
    with pytest.raises(SnapshotNotFoundError, match=f"No snapshot found at version {before}"):
        diff.rows("orders")
    with pytest.raises(SnapshotNotFoundError):
        shop.diff(since=before)


def test_the_base_is_read_at_the_pin_when_the_parent_expired_it(shop: Catalog) -> None:
    pin = shop.head
    agent = shop.fork("agent")
    append(300, 2)(agent)
    append(400, 2)(shop)
    shop.maintenance.expire_snapshots(versions=[pin])
    assert [row[1] for row in rows(agent.diff())] == [300, 301]


def test_what_cannot_be_compared_is_refused(lake: Lake, shop: Catalog, lake_factory: LakeFactory) -> None:
    agent = shop.fork("agent")
    with pytest.raises(InvalidInputError, match="has no parent to compare it with"):
        shop.diff()
    with pytest.raises(InvalidInputError, match="since a moment, or to another catalog"):
        shop.diff(agent, since=1)
    with pytest.raises(NotFoundError, match='"nothing" does not exist'):
        shop.diff(agent).rows("nothing")
    stranger = lake.create_catalog("stranger")
    with pytest.raises(MergeBaseError, match='"shop" and "stranger" have no snapshot in common'):
        shop.diff(stranger, since_base=True)
    assert "DropTable" in names(shop.diff(stranger))


def test_a_diff_and_a_plan_name_their_catalogs(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    agent = shop.fork("agent")
    agent.create_table("t", {"i": "BIGINT"})
    assert repr(shop.diff(agent)) == f"Diff('shop' at {shop.head} to 'agent' at {agent.head}: 1 changes)"
    plan = shop.merge(agent, dry_run=True)
    assert (plan.source_name, plan.target_name) == ("agent", "shop")
    assert shop.reset_to(agent, dry_run=True).source_name == "agent"
