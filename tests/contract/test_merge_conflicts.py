"""Conflicts of merges as people read them: by name, and those that nobody has decided."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from forklake import Catalog, ColumnDefinition, Lake, Settings
from forklake.errors import MergeConflictError
from forklake.model.fork_merge import MOST_VALUES
from tests.lakes import LakeFactory
from tests.merges.row_engine import RowEngine


@pytest.fixture
def lake(lake_factory: LakeFactory) -> Iterator[Lake]:
    with lake_factory.open(Settings(engine=RowEngine())) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    """A catalog with a table of forty rows."""
    shop = lake.create_catalog("shop")
    orders = shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    orders.append([{"id": number, "item": "new"} for number in range(40)])
    return shop


def test_what_a_strategy_decides_does_not_hide_what_none_can(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").update({"item": "'theirs'"}, "id < 30")
    shop.table("orders").delete("id < 30")
    for catalog in (agent, shop):
        catalog.create_table("items", {"id": "BIGINT"})
    with pytest.raises(MergeConflictError) as refused:
        shop.merge(agent, strategy="theirs")
    assert "has 1 conflict that no strategy decides, of 31; nothing was merged" in str(refused.value)
    assert 'table "main"."items": name "items" was added in "agent" and added in "shop"' in str(refused.value)
    assert "row" not in str(refused.value)
    assert "No strategy helps here" in str(refused.value)
    plan = shop.merge(agent, strategy="theirs", dry_run=True)
    assert [(one.kind, one.table, one.is_decidable) for one in plan.open_conflicts] == [("name", "items", False)]
    assert {one.winner for one in plan.conflicts if one.kind == "row"} == {"theirs"}
    agent.table("items").rename("things")
    assert shop.merge(agent, strategy="theirs").open_conflicts == ()


def test_a_strategy_of_a_table_decides_its_comment(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").alter.comment("theirs")
    shop.table("orders").alter.comment("ours")
    with pytest.raises(MergeConflictError, match=r'table "main"\."orders": tag "comment" was added'):
        shop.merge(agent)
    plan = shop.merge(agent, strategy={"orders": "theirs"})
    assert plan.words == ('table "main"."orders": comment changed',)
    assert shop.table("orders").inspect.comment == "theirs"


def test_conflicts_are_told_by_name(shop: Catalog) -> None:
    shop.views.create("large", "SELECT id FROM orders")
    shop.schemas.create("staging")
    agent = shop.fork("agent")
    agent.table("orders").alter.rename_column("item", "thing")
    shop.table("orders").alter.rename_column("item", "ware")
    agent.views.create("large", "SELECT item FROM orders", or_replace=True)
    shop.views.drop("large")
    agent.schemas.drop("staging")
    shop.create_table("staging.new", {"id": "BIGINT"})
    plan = shop.merge(agent, dry_run=True)
    words = {one.in_words("agent", "shop") for one in plan.conflicts}
    assert 'table "main"."orders": the name of column "ware" was changed in "agent" and changed in "shop"' in words
    assert 'table "staging"."new": it was dropped in "agent" and kept in "shop"' in words
    assert [(one.key, one.attribute) for one in plan.conflicts if one.kind == "column"] == [("ware", "name")]


def test_a_plan_tells_what_it_does_by_name(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.create_table("items", {"id": "BIGINT"})
    agent.table("orders").alter.add_column(("note", "VARCHAR"))
    agent.table("orders").rename("sales")
    agent.views.create("large", "SELECT id FROM sales")
    agent.schemas.create("staging")
    assert shop.merge(agent, dry_run=True).words == (
        'schema "staging" created',
        'view "main"."large" created',
        'table "main"."orders" renamed to "main"."sales"',
        'table "main"."sales": column "note" added',
        'table "main"."items" created',
    )
    agent.table("items").append([{"id": 1}])
    shop.merge(agent)
    agent.table("items").drop()
    assert shop.merge(agent).words == ('table "main"."items" dropped',)


@pytest.mark.parametrize("is_inlined", [True, False], ids=["inlined", "files"])
@pytest.mark.parametrize("is_new", [True, False], ids=["new column", "column"])
@pytest.mark.parametrize("forbids", ["shop", "agent"])
def test_a_column_that_one_side_forbids_to_be_null_is_not_so_in_rows_of_the_other(
    lake: Lake, shop: Catalog, forbids: str, is_new: bool, is_inlined: bool
) -> None:
    shop.options.set("data_inlining_row_limit", 10 if is_inlined else 0)
    agent = shop.fork("agent")
    strict, writer = (lake.catalog(name) for name in (forbids, "agent" if forbids == "shop" else "shop"))
    column = "place" if is_new else "item"
    if is_new:
        strict.table("orders").alter.add_column(("place", "VARCHAR"))
        strict.table("orders").update({"place": "'here'"}, "true")
    strict.table("orders").alter.set_not_null(column)
    writer.table("orders").append([{"id": 50, "item": None}])
    heads = shop.head, agent.head
    told = f'column "{column}", which may not be NULL and may be so in rows of "{writer.name}"'
    with pytest.raises(MergeConflictError, match=told) as refused:
        shop.merge(agent, strategy="theirs")
    assert [(one.kind, one.is_decidable) for one in refused.value.conflicts] == [("not_null", False)]
    with pytest.raises(MergeConflictError, match=told):
        agent.refresh(strategy="ours")
    assert (shop.head, agent.head) == heads
    writer.table("orders").delete("id = 50")
    assert shop.merge(agent).conflicts == agent.refresh().conflicts == ()
    assert shop.table("orders").count() == agent.table("orders").count() == 40


def test_rows_of_the_other_side_have_the_default_of_a_new_column_that_may_not_be_null(shop: Catalog) -> None:
    agent = shop.fork("agent")
    for catalog, column in ((agent, "theirs"), (shop, "ours")):
        catalog.table("orders").alter.add_column(ColumnDefinition(column, "INTEGER", default="7"))
        catalog.table("orders").alter.set_not_null(column)
        catalog.table("orders").append([{"id": 50, "item": "x", column: 8}])
    assert shop.merge(agent).conflicts == ()
    found = shop.table("orders").rows(where="id = 50")
    assert sorted(found) == [(50, "x", 7, 8), (50, "x", 8, 7)]


def test_a_column_keeps_one_of_its_fields(shop: Catalog) -> None:
    shop.create_table("places", {"id": "BIGINT", "at": "STRUCT(x INTEGER, y INTEGER)"})
    agent = shop.fork("agent")
    agent.table("places").alter.drop_column("at.x")
    shop.table("places").alter.drop_column("at.y")
    with pytest.raises(MergeConflictError, match='the last field of column "at" was dropped in "agent" and dropped'):
        shop.merge(agent, strategy="theirs")
    shop.table("places").alter.add_column(("z", "INTEGER"), parent="at")
    shop.merge(agent)
    assert [child.name for column in shop.table("places").columns for child in column.children] == ["z"]


@pytest.mark.parametrize("drops", ["shop", "agent"])
def test_a_field_of_a_column_that_the_other_side_dropped_is_told_by_name(lake: Lake, shop: Catalog, drops: str) -> None:
    shop.create_table("places", {"id": "BIGINT", "at": "STRUCT(x INTEGER)"})
    agent = shop.fork("agent")
    adds = "agent" if drops == "shop" else "shop"
    lake.catalog(drops).table("places").alter.drop_column("at")
    lake.catalog(adds).table("places").alter.add_column(("z", "INTEGER"), parent="at")
    with pytest.raises(MergeConflictError, match='column "z" was') as refused:
        shop.merge(agent)
    assert f'changed in "{adds}"' in str(refused.value)
    assert f'dropped in "{drops}"' in str(refused.value)


@pytest.mark.parametrize("sorts", ["shop", "agent"])
@pytest.mark.parametrize("is_dropped", [True, False], ids=["dropped", "renamed"])
def test_a_table_is_not_sorted_by_a_column_that_the_other_side_took_away(
    lake: Lake, shop: Catalog, sorts: str, is_dropped: bool
) -> None:
    agent = shop.fork("agent")
    alters = "agent" if sorts == "shop" else "shop"
    lake.catalog(sorts).table("orders").alter.set_sorting(["lower(item) DESC"])
    altered = lake.catalog(alters).table("orders")
    if is_dropped:
        altered.alter.drop_column("item")
    else:
        altered.alter.rename_column("item", "thing")
    for strategy in ("fail", "ours", "theirs"):
        with pytest.raises(MergeConflictError, match='column "item" was') as refused:
            shop.merge(agent, strategy=strategy)
        assert f'{"dropped" if is_dropped else "changed"} in "{alters}"' in str(refused.value)
    lake.catalog(sorts).table("orders").alter.set_sorting(["id"])
    shop.merge(agent)
    shop.table("orders").append([{"id": 40}])
    assert shop.table("orders").count() == 41


def test_conflicts_of_rows_show_keys_and_values_where_a_key_is_given(lake: Lake) -> None:
    rev = lake.create_catalog("rev")
    types = {"id": "BIGINT", "amount": "DECIMAL(10,2)", "day": "DATE", "tags": "VARCHAR[]", "note": "VARCHAR"}
    orders = rev.create_table("orders", types)
    orders.append(
        [{"id": n, "amount": Decimal(n), "day": date(2026, 1, n), "tags": ["a"], "note": "it's"} for n in range(1, 9)]
    )
    agent = rev.fork("rv-2")
    agent.table("orders").update({"amount": "0", "tags": "['b', NULL]"}, "id = 3")
    rev.table("orders").update({"amount": "9", "note": "NULL"}, "id = 3")
    agent.table("orders").delete("id = 4")
    rev.table("orders").update({"day": "DATE '2027-01-01'"}, "id = 4")
    agent.table("orders").update({"id": "55"}, "id = 5")
    rev.table("orders").delete("id = 5")
    agent.table("orders").update({"note": "'same'"}, "id = 6")
    rev.table("orders").update({"note": "'same'"}, "id = 6")
    plan = rev.merge(agent, keys={"orders": ["ID"]}, dry_run=True)
    found = {one.row["id"]: one for one in plan.conflicts if one.row is not None}
    assert (found[3].theirs_values, found[3].ours_values) == (
        {"amount": Decimal("0.00"), "tags": ["b", None], "note": "it's"},
        {"amount": Decimal("9.00"), "tags": ["a"], "note": None},
    )
    assert (found[4].theirs_values, found[4].ours_values) == (None, {"day": date(2027, 1, 1)})
    assert (found[5].theirs_values, found[5].ours_values) == ({"id": 55}, None)
    assert (found[6].theirs_values, found[6].ours_values) == ({}, {})
    assert [one.in_words("rv-2", "rev").removeprefix('table "main"."orders": ') for one in plan.conflicts] == [
        """id = 3: amount 0.00 in "rv-2", 9.00 in "rev"; tags ['b', None] in "rv-2", ['a'] in "rev"; """
        """note 'it''s' in "rv-2", NULL in "rev\"""",
        'id = 4: deleted in "rv-2"; day 2027-01-01 in "rev"',
        'id = 5: deleted in "rev"; id 55 in "rv-2"',
        "id = 6: the same values in both",
    ]
    with pytest.raises(MergeConflictError, match=r'id = 3: amount 0\.00 in "rv-2", 9\.00 in "rev"') as refused:
        rev.merge(agent, keys={"orders": ["id"]})
    assert refused.value.conflicts == plan.conflicts
    assert {one.row for one in rev.merge(agent, dry_run=True).conflicts} == {None}
    assert rev.merge(agent, keys={"orders": ["id"]}, strategy="theirs").conflicts[0].row == {"id": 3}


def test_conflicts_of_keys_show_the_rows_that_both_added(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").append([{"id": n, "item": "theirs"} for n in range(100, 103)])
    shop.table("orders").append([{"id": n, "item": "ours" if n == 101 else "theirs"} for n in (102, 101)])
    plan = shop.merge(agent, keys={"orders": ["id"]}, dry_run=True)
    assert [(one.row, one.theirs_values, one.ours_values) for one in plan.conflicts] == [
        ({"id": 101}, {"item": "theirs"}, {"item": "ours"}),
        ({"id": 102}, {}, {}),
    ]
    assert [one.in_words("agent", "shop") for one in plan.conflicts] == [
        'table "main"."orders": a row with id = 101 was added in "agent" and added in "shop":'
        """ item 'theirs' in "agent", 'ours' in "shop\"""",
        'table "main"."orders": a row with id = 102 was added in "agent" and added in "shop": the same values in both',
    ]


def test_values_of_conflicts_are_read_for_the_first_of_a_table(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    orders = shop.create_table("orders", {f"c{n}": "VARCHAR" for n in range(8)})
    orders.append([{f"c{n}": f"{row:03}" for n in range(8)} for row in range(MOST_VALUES + 20)])
    agent = shop.fork("agent")
    for catalog, value in ((agent, "a"), (shop, "b")):
        long = f"'{value * 500}'"
        catalog.table("orders").update({f"c{n}": long for n in range(1, 8)})
    plan = shop.merge(agent, keys={"orders": ["c0"]}, dry_run=True)
    assert [one.row is None for one in plan.conflicts] == [False] * MOST_VALUES + [True] * 20
    words = plan.conflicts[0].in_words("agent", "shop")
    assert len(words) < 1000
    assert words.endswith("; and 2 more columns")
    assert plan.conflicts[0].theirs_values == {f"c{n}": "a" * 500 for n in range(1, 8)}


def test_values_of_conflicts_come_as_columns_are_called_by_the_target(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").alter.add_column(("more", "INTEGER"))
    agent.table("orders").update({"item": "'theirs'", "more": "1"}, "id = 7")
    shop.table("orders").alter.rename_column("id", "number")
    shop.table("orders").update({"item": "'ours'"}, "number = 7")
    (found,) = (one for one in shop.merge(agent, keys={"orders": ["number"]}, dry_run=True).conflicts)
    assert (found.row, found.theirs_values, found.ours_values) == ({"number": 7}, {"item": "theirs"}, {"item": "ours"})
    shop.table("orders").alter.add_column(("of_target", "INTEGER"))
    agent.table("orders").alter.drop_column("id")
    plan = shop.merge(agent, keys={"orders": ["number"]}, dry_run=True)
    assert [one.row for one in plan.conflicts if one.kind == "row"] == [None], "the source has no such key any more"


def test_a_plan_names_changes_of_rows_too(shop: Catalog) -> None:
    before = shop.head
    shop.table("orders").append([{"id": 99, "item": "new"}])
    agent = shop.fork("agent")
    agent.table("orders").delete("id IN (1, 2)")
    assert shop.merge(agent, dry_run=True).words == ('table "main"."orders": 2 rows removed',)
    assert shop.reset_to(before, dry_run=True).words == ('table "main"."orders": 1 row removed',)
    agent.create_table("items", {"id": "BIGINT"}).append([{"id": 1}])
    agent.table("orders").update({"item": "'x'"}, "id = 7")
    assert shop.merge(agent).words == (
        'table "main"."items" created',
        'table "main"."orders": 1 row added, 3 rows removed',
        'table "main"."items": 1 row added',
    )
