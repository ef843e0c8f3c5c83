"""Conflicts of merges as people read them: by name, and those that nobody has decided."""

from collections.abc import Iterator

import pytest

from forklake import Catalog, ColumnDefinition, Lake, Settings
from forklake.errors import MergeConflictError
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
