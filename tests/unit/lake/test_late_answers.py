"""Handles that are asked late: after an expiry, a drop or a purge, or for something of another kind."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, Lake
from forklake.errors import CatalogDroppedError, InvalidInputError, NotFoundError
from forklake.model.records import Commit


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data") as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    return lake.create_catalog("shop")


@pytest.mark.parametrize(
    "make",
    [
        lambda shop: shop.fork("made"),
        lambda shop: shop.fork("made", copy=True),
        lambda shop: shop.fork_many(["made"])[0],
    ],
)
def test_the_commit_of_a_catalog_is_the_one_that_created_it(shop: Catalog, make: Callable[[Catalog], Catalog]) -> None:
    made = make(shop)
    first = made.head
    made.schemas.create("one")
    made.schemas.create("two")
    made.maintenance.expire_snapshots(older_than="0 seconds")
    assert made.commit == Commit(first)


def test_the_commit_of_a_root_is_told_after_its_expiry(shop: Catalog) -> None:
    first = shop.head
    shop.schemas.create("one")
    shop.maintenance.expire_snapshots(versions=[first])
    assert shop.commit == Commit(first)


@pytest.mark.parametrize("ids", [5, "12", [True], [1.0], ["1"], [None]])
def test_snapshots_to_expire_are_named_by_a_list_of_ids(shop: Catalog, ids: Any) -> None:
    shop.schemas.create("one")
    shop.schemas.create("two")
    with pytest.raises(InvalidInputError, match=r"whole numbers, not by .*; nothing was expired"):
        shop.maintenance.expire_snapshots(versions=ids)
    assert len(shop.snapshots()) == 3


@pytest.mark.parametrize("if_exists", [True, False])
def test_a_view_is_not_dropped_as_a_table_nor_a_table_as_a_view(shop: Catalog, if_exists: bool) -> None:
    shop.create_table("t", {"i": "INTEGER"})
    shop.views.create("v", "SELECT 1 AS i")
    with pytest.raises(NotFoundError, match=r'"main\.v" is a view, not a table; nothing was dropped'):
        shop.drop_table("v", if_exists=if_exists)
    with pytest.raises(NotFoundError, match=r'"main\.t" is a table, not a view; nothing was dropped'):
        shop.views.drop("t", if_exists=if_exists)
    assert (len(shop.tables()), len(shop.views.list())) == (1, 1)


def test_a_purged_catalog_is_not_said_to_come_back(lake: Lake, shop: Catalog) -> None:
    shop.drop()
    with pytest.raises(CatalogDroppedError, match=r'Catalog "shop" \(id 0\) was dropped; nothing was done') as dropped:
        shop.tables()
    assert "undrop" in str(dropped.value.hint)
    lake.purge("shop")
    for use in (shop.tables, shop.drop, lambda: shop.inspect.info):
        with pytest.raises(
            CatalogDroppedError, match=r'Catalog "shop" \(id 0\) was purged; nothing was done'
        ) as purged:
            use()
        assert purged.value.hint is None
