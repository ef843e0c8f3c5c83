"""Conflicts of merges as people read them: by name, and those that nobody has decided."""

from collections.abc import Iterator

import pytest

from forklake import Catalog, Lake, Settings
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
