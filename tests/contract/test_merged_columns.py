"""Columns that forks drop, widen, rename and add: a merge loses no value and cuts none."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from forklake import Catalog, ColumnDefinition, Lake, Settings
from forklake.errors import MergeConflictError
from tests.lakes import LakeFactory
from tests.merges.ground import rows_of
from tests.merges.row_engine import RowEngine
from tests.merges.totals import wrong_totals
from tests.sound import check_sound


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    with lake_factory.open(Settings(engine=RowEngine())) as lake:
        yield lake
        check_sound(lake)


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    """A catalog with a table in two files."""
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 0)
    shop.create_table("t", {"k": "INTEGER", "a": "INTEGER"})
    append(shop, 0, a=pa.array([10, 20], pa.int32()))
    append(shop, 2, a=pa.array([30, 40], pa.int32()))
    return shop


def append(catalog: Catalog, first: int, **columns: Any) -> None:
    count = len(next(iter(columns.values())))
    catalog.table("t").append(pa.table({"k": pa.array(range(first, first + count), pa.int32()), **columns}))


def rows(catalog: Catalog) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in catalog.table("t").arrow().to_pylist())


@pytest.mark.parametrize("who", ["source", "target"])
def test_a_column_that_a_strategy_keeps_has_its_values_though_the_other_side_rewrote_its_files(
    shop: Catalog, who: str
) -> None:
    shop.table("t").alter.add_column(("b", "INTEGER"))
    agent = shop.fork("agent")
    dropping, renaming = (agent, shop) if who == "source" else (shop, agent)
    dropping.table("t").alter.drop_column("a")
    dropping.maintenance.merge_adjacent_files()
    renaming.table("t").alter.rename_column("a", "kept")
    with pytest.raises(MergeConflictError):
        shop.merge(agent)
    shop.merge(agent, strategy="ours" if who == "source" else "theirs")
    assert shop.table("t").arrow().select(["k", "kept"]).to_pydict() == {"k": [0, 1, 2, 3], "kept": [10, 20, 30, 40]}


@pytest.mark.parametrize("verb", ["merge", "refresh"])
@pytest.mark.parametrize("who", ["source", "target"])
def test_a_nested_column_that_a_strategy_keeps_has_its_parts(shop: Catalog, who: str, verb: str) -> None:
    shop.table("t").alter.add_column(("s", "STRUCT(x INTEGER, y STRUCT(z VARCHAR))"))
    nested = pa.array([{"x": 5, "y": {"z": "deep"}}], pa.struct({"x": pa.int32(), "y": pa.struct({"z": pa.string()})}))
    append(shop, 4, a=pa.array([50], pa.int32()), s=nested)
    agent = shop.fork("agent")
    target = shop if verb == "merge" else agent
    dropping = target if who == "target" else agent if target is shop else shop
    (agent if dropping is shop else shop).table("t").alter.rename_column("s", "kept")
    dropping.table("t").alter.drop_column("s")
    strategy: Any = "ours" if who == "source" else "theirs"
    shop.merge(agent, strategy=strategy) if verb == "merge" else agent.refresh(strategy=strategy)
    found = target.table("t").arrow().sort_by("k").select(["k", "kept"]).to_pydict()
    assert found == {"k": [0, 1, 2, 3, 4], "kept": [None] * 4 + nested.to_pylist()}


def test_rows_of_which_each_side_lacks_a_column_of_the_result_are_a_conflict(shop: Catalog) -> None:
    shop.table("t").alter.add_column(("b", "INTEGER"))
    had_b = shop.head
    shop.table("t").alter.drop_column("b")
    agent = shop.fork("agent")
    agent.reset_to(had_b)
    agent.table("t").alter.drop_column("a")
    agent.maintenance.merge_adjacent_files()
    shop.table("t").alter.rename_column("a", "kept")
    with pytest.raises(MergeConflictError) as refused:
        shop.merge(agent, strategy="ours")
    assert ("column", "kept") in {(one.kind, one.key) for one in refused.value.conflicts}


@pytest.mark.parametrize(("strategy", "is_merged"), [("ours", False), ("theirs", True)])
def test_a_type_that_cannot_hold_what_the_other_side_wrote_is_not_chosen(
    shop: Catalog, strategy: Any, is_merged: bool
) -> None:
    agent = shop.fork("agent")
    agent.table("t").alter.set_type("a", "DOUBLE")
    append(agent, 4, a=pa.array([1.5]))
    shop.table("t").alter.set_type("a", "BIGINT")
    append(shop, 5, a=pa.array([7], pa.int64()))
    if is_merged:
        shop.merge(agent, strategy=strategy)
        assert rows(shop) == [(0, 10.0), (1, 20.0), (2, 30.0), (3, 40.0), (4, 1.5), (5, 7.0)]
        return
    with pytest.raises(MergeConflictError) as refused:
        shop.merge(agent, strategy=strategy)
    assert [(one.key, one.attribute) for one in refused.value.conflicts] == [("a", "type")]
    assert rows(shop) == [(0, 10), (1, 20), (2, 30), (3, 40), (5, 7)]


def test_a_type_that_was_taken_back_is_merged_while_nothing_was_written_in_it(shop: Catalog) -> None:
    agent = shop.fork("agent")
    was = agent.head
    agent.table("t").alter.set_type("a", "DOUBLE")
    shop.merge(agent)
    agent.reset_to(was)
    other = shop.fork("other")
    shop.merge(agent)
    assert [column.type for column in shop.table("t").columns] == ["int32", "int32"]
    append(other, 4, a=pa.array([1.5]))
    with pytest.raises(MergeConflictError, match='the type of column "a"'):
        shop.merge(other)


def test_a_feed_over_a_type_that_was_taken_back_tells_all_values(shop: Catalog) -> None:
    was = shop.head
    shop.table("t").alter.set_type("a", "DOUBLE")
    append(shop, 4, a=pa.array([1.5]))
    shop.reset_to(was)
    told: Any = shop.table("t").changes(int(shop.snapshots()[0].snapshot_id))
    found = [(row["change_type"], row["a"]) for row in told.rows.to_pylist() if row["k"] == 4]
    assert sorted(found) == [("delete", 1.5), ("insert", 1.5)]


@pytest.mark.parametrize("has_rows", [False, True])
def test_statistics_know_that_rows_lack_a_column_that_was_dropped_when_they_came(shop: Catalog, has_rows: bool) -> None:
    agent = shop.fork("agent")
    agent.table("t").alter.rename_column("a", "kept")
    if has_rows:
        append(agent, 4, kept=pa.array([50], pa.int32()))
    shop.table("t").alter.add_column(("b", "INTEGER"))
    shop.table("t").alter.drop_column("a")
    append(shop, 5, b=pa.array([1], pa.int32()))
    shop.merge(agent, strategy="theirs")
    assert sum(row["kept"] is None for row in shop.table("t").arrow().to_pylist()) == 1
    assert not wrong_totals(shop)


def test_statistics_know_the_first_default_of_inlined_rows_that_are_older_than_their_column(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", 10)
    agent = shop.fork("agent")
    append(agent, 4, a=pa.array([50], pa.int32()))
    shop.table("t").delete("k >= 0")
    shop.table("t").alter.add_column(ColumnDefinition("b", "INTEGER", default="20"))
    append(shop, 5, a=pa.array([60], pa.int32()), b=pa.array([48], pa.int32()))
    shop.merge(agent)
    assert rows(shop) == [(4, 50, 20), (5, 60, 48)]
    assert not wrong_totals(shop)


def test_a_feed_over_a_refresh_tells_values_of_a_type_that_a_reset_before_it_took_back(shop: Catalog) -> None:
    agent = shop.fork("agent")
    before = agent.head
    agent.table("t").alter.set_type("a", "DOUBLE")
    append(agent, 4, a=pa.array([1.5, float("inf")]))
    agent.reset_to(before)
    append(shop, 6, a=pa.array([60], pa.int32()))
    agent.refresh()
    told = rows_of(agent.table("t").changes(before))
    assert sorted(row["a"] for row in told if row["k"] in (4, 5)) == [1.5, 1.5, float("inf"), float("inf")]
    assert {row["k"] for row in told} == {4, 5, 6}


def test_a_feed_over_a_table_that_came_back_empty_with_a_narrower_type_tells_all_values(shop: Catalog) -> None:
    was = shop.snapshots()[1].snapshot_id
    shop.table("t").alter.set_type("a", "DOUBLE")
    append(shop, 4, a=pa.array([1.5]))
    shop.table("t").drop()
    shop.reset_to(was)
    found = [(row["change_type"], row["a"]) for row in rows_of(shop.table("t").changes(0)) if row["k"] == 4]
    assert sorted(found) == [("delete", 1.5), ("insert", 1.5)]


@pytest.mark.parametrize("by", ["a root", "a fork"])
@pytest.mark.parametrize("how", ["inlined", "compacted"])
@pytest.mark.parametrize("verb", ["copy", "sever"])
def test_a_column_that_came_back_has_its_values_in_a_catalog_that_never_showed_it(
    shop: Catalog, by: str, how: str, verb: str
) -> None:
    if by == "a fork":
        shop = shop.fork("shop of forks")
        shop.table("t").alter.add_column(("b", "INTEGER"))
        append(shop, 4, a=pa.array([50], pa.int32()), b=pa.array([51], pa.int32()))
        gone = "b"
    else:
        gone = "a"
    shop.options.set("data_inlining_row_limit", 10 if how == "inlined" else 0)
    append(shop, 5, **{gone: pa.array([60, 70], pa.int32())})
    had_it = shop.head
    shop.table("t").alter.add_column(("c", "INTEGER"))
    shop.table("t").alter.drop_column(gone)
    apart = shop.fork("apart", copy=verb == "copy")
    if verb == "sever":
        apart.maintenance.sever()
    if how == "compacted":
        apart.maintenance.merge_adjacent_files()
    shop.reset_to(had_it)
    apart.merge(shop)
    assert rows(apart) == rows(shop)


@pytest.mark.parametrize("verb", ["merge", "refresh"])
@pytest.mark.parametrize("through", ["a copy", "a merge"])
def test_a_column_that_another_merge_brought_back_has_its_values_in_rows_that_moved_meanwhile(
    shop: Catalog, through: str, verb: str
) -> None:
    other = shop.fork("other")
    other.table("t").alter.add_column(("b", "INTEGER"))
    append(other, 4, b=pa.array([50, 60], pa.int32()))
    append(other, 6, b=pa.array([70, 80], pa.int32()))
    had_it = other.head
    other.table("t").alter.drop_column("b")
    between = other.fork("between", copy=True) if through == "a copy" else shop
    if through == "a merge":
        between.merge(other)
    agent = between.fork("agent")
    agent.maintenance.merge_adjacent_files()
    other.reset_to(had_it)
    between.merge(other)
    assert rows(between) == rows(other)
    agent.refresh() if verb == "refresh" else agent.merge(between)
    assert rows(agent) == rows(other)


def test_a_column_that_both_sides_brought_back_is_one_column(shop: Catalog) -> None:
    had_it = shop.head
    shop.table("t").alter.add_column(("b", "INTEGER"))
    shop.table("t").alter.drop_column("a")
    agent = shop.fork("agent")
    for catalog, key in ((shop, 4), (agent, 5)):
        catalog.reset_to(had_it)
        append(catalog, key, a=pa.array([10 * key], pa.int32()))
    shop.merge(agent)
    assert rows(shop) == [(0, 10), (1, 20), (2, 30), (3, 40), (4, 40), (5, 50)]


@pytest.mark.parametrize("dropped", ["table", "column"])
def test_a_column_that_came_back_to_another_place_is_not_changed(shop: Catalog, dropped: str) -> None:
    shop.table("t").alter.add_column(("b", "INTEGER"))
    base, agent = shop.head, shop.fork("agent")
    shop.table("t").alter.drop_column("a")
    shop.reset_to(base)
    assert [column.name for column in shop.table("t").columns] == ["k", "b", "a"]
    agent.table("t").drop() if dropped == "table" else agent.table("t").alter.drop_column("a")
    shop.merge(agent)
    left = [[column.name for column in table.columns] for table in shop.tables()]
    assert left == ([] if dropped == "table" else [["k", "b"]])


def test_a_column_that_came_back_and_was_changed_is_a_conflict_with_its_drop(shop: Catalog) -> None:
    shop.table("t").alter.add_column(("b", "INTEGER"))
    base, agent, other = shop.head, shop.fork("agent"), shop.fork("other")
    shop.table("t").alter.drop_column("a")
    shop.reset_to(base)
    shop.table("t").alter.set_type("a", "BIGINT")
    agent.table("t").drop()
    other.table("t").alter.drop_column("a")
    for source in (agent, other):
        with pytest.raises(MergeConflictError, match=f'dropped in "{source.name}" and changed in "shop"'):
            shop.merge(source)


def test_a_copy_tells_all_of_its_rows_at_its_first_snapshot(shop: Catalog) -> None:
    shop.maintenance.merge_adjacent_files()
    append(shop, 4, a=pa.array([50], pa.int32()))
    copied = shop.fork("copied", copy=True)
    told: Any = copied.table("t").changes(copied.head)
    assert sorted((row["change_type"], row["k"]) for row in told.rows.to_pylist()) == [("insert", k) for k in range(5)]


def test_a_purged_catalog_needs_no_counters(lake: Lake, shop: Catalog) -> None:
    late = shop.fork("late")
    early = shop.fork("early", at=shop.snapshots()[2].snapshot_id)
    append(late, 4, a=pa.array([50], pa.int32()))
    late.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    shop.drop()
    lake.purge(int(shop.catalog_id))
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert (len(rows(late)), len(rows(early))) == (5, 2)


def test_the_feed_of_a_refreshed_fork_has_the_values_of_a_column_that_was_gone_and_came_back(shop: Catalog) -> None:
    had_it = shop.head
    shop.table("t").update({"a": "11"}, where="k = 0")
    shop.table("t").delete("k = 0")
    shop.table("t").alter.drop_column("a")
    agent = shop.fork("agent")
    shop.reset_to(had_it)
    agent.refresh()
    told = {
        (row["k"], row["change_type"]): row["a"]
        for row in rows_of(agent.table("t").changes(0))
        if row["snapshot_id"] <= agent.snapshots()[-2].snapshot_id
    }
    assert told[0, "update_preimage"] == 10
    assert told[0, "update_postimage"] == told[0, "delete"] == 11
    assert told[3, "insert"] == 40


def told(catalog: Catalog, change: str) -> dict[int, tuple[Any, ...]]:
    """Return what the feed tells last of each key that changed so: all values but the key."""
    rows = sorted(rows_of(catalog.table("t").changes(0)), key=lambda row: row["snapshot_id"])
    return {row["k"]: tuple(row.values())[4:] for row in rows if row["change_type"] == change}


def test_the_feed_has_the_values_of_a_column_that_was_dropped_before_a_flush_and_came_back(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", 10)
    append(shop, 4, a=pa.array([50], pa.int32()))
    had_it = shop.head
    shop.table("t").alter.drop_column("a")
    shop.maintenance.flush_inlined()
    shop.reset_to(had_it)
    assert told(shop, "insert")[4] == (50,)


def test_the_feed_has_the_values_of_a_column_that_merged_rows_had_while_it_was_gone(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", 10)
    append(shop, 4, a=pa.array([50], pa.int32()))
    had_it = shop.head
    agent = shop.fork("agent")
    agent.table("t").drop()
    shop.table("t").alter.drop_column("a")
    agent.merge(shop, strategy="theirs")
    merged = agent.head
    agent.reset_to(had_it)
    rows = rows_of(agent.table("t").changes(merged))
    assert {row["k"]: row["a"] for row in rows if row["snapshot_id"] == merged} == {0: 10, 1: 20, 2: 30, 3: 40, 4: 50}


@pytest.mark.parametrize("renames", ["shop", "agent"])
@pytest.mark.parametrize("verb", ["merge", "refresh", "reset"])
def test_structs_of_inlined_rows_are_read_where_their_fields_have_other_names(
    lake: Lake, renames: str, verb: str
) -> None:
    shop = lake.create_catalog("nested")
    shop.options.set("data_inlining_row_limit", 10)
    shop.create_table("places", {"id": "BIGINT", "at": "STRUCT(x INTEGER, y STRUCT(z INTEGER)[])"})
    shop.table("places").append([{"id": 1, "at": {"x": 1, "y": [{"z": 10}]}}])
    agent = shop.fork("agent")
    for catalog, number in ((shop, 2), (agent, 3)):
        catalog.table("places").append([{"id": number, "at": {"x": number, "y": [{"z": 10 * number}]}}])
    altered = (shop if renames == "shop" else agent).table("places")
    altered.alter.rename_column("at.x", "u")
    altered.alter.rename_column("at.y.element.z", "w")
    altered.alter.add_column(("v", "INTEGER"), parent="at")
    altered.append([{"id": 4, "at": {"u": 4, "v": 40, "y": None}}])
    if verb == "reset":
        target, source = (agent, shop) if renames == "agent" else (shop, agent)
        expected = source.table("places").rows()
        target.reset_to(source)
    else:
        expected = [(number, {"u": number, "y": [{"w": 10 * number}], "v": None}) for number in (1, 2, 3)]
        expected.append((4, {"u": 4, "y": None, "v": 40}))
        target = shop if verb == "merge" else agent
        shop.merge(agent) if verb == "merge" else agent.refresh()
    assert sorted(target.table("places").rows()) == expected
    assert wrong_totals(target) == []
    target.maintenance.flush_inlined()
    assert sorted(target.table("places").rows()) == expected
