"""Handles go to other processes: they are pickled without connections, and open the lake again on first need."""

import multiprocessing
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import forklake
from forklake import Catalog, Clock, Fork, Lake, RetryPolicy, Settings, Table
from forklake.errors import InvalidInputError, MetastoreError, NotFoundError
from forklake.lake.internals import runtime_of


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    monkeypatch.chdir(tmp_path)
    settings = Settings(retry=RetryPolicy(max_retry_count=3), spark={"spark.master": "local[1]"})
    with forklake.open("lake.db", data_path="data", settings=settings) as lake:
        yield lake


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "INTEGER"}).append([{"id": 1}, {"id": 2}])
    return shop


def again(handle: Any) -> Any:
    return pickle.loads(pickle.dumps(handle))


def test_handles_are_the_same_where_they_are_unpickled(
    lake: Lake, shop: Catalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = pickle.dumps([lake, shop, shop.table("orders"), shop.at(version=1), lake.at(version=1)])
    monkeypatch.chdir(tmp_path / "data")  # the file was named by a relative path
    other, catalog, table, past, then = pickle.loads(kept)
    assert repr([other, catalog, table, past]) == repr([lake, shop, shop.table("orders"), shop.at(version=1)])
    assert catalog.catalog_id == other.catalog("shop").catalog_id
    assert table.rows() == [(1,), (2,)]
    assert (past.head, past.table("orders").rows()) == (1, [])
    assert [one.name for one in then.catalogs()] == ["shop"]
    assert runtime_of(other).settings == runtime_of(lake).settings
    table.append([{"id": 3}])
    assert shop.table("orders").count() == 3
    assert runtime_of(other) is runtime_of(catalog) is runtime_of(table), "what is pickled together shares connections"
    other.close()
    assert shop.table("orders").count() == 3, "this one has its own"


def test_nothing_is_opened_before_it_is_needed(shop: Catalog, tmp_path: Path) -> None:
    kept = pickle.dumps(shop.table("orders"))
    (tmp_path / "lake.db").rename(tmp_path / "away.db")
    table: Table = pickle.loads(kept)
    assert repr(table) == "Table('shop.main.orders')"
    with pytest.raises(NotFoundError, match=r"There is no lake at .*lake\.db"):
        table.rows()
    assert not (tmp_path / "lake.db").exists(), "and nothing is made"
    (tmp_path / "away.db").rename(tmp_path / "lake.db")
    assert table.rows() == [(1,), (2,)]


def test_another_process_reads_and_writes(shop: Catalog) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_work, [shop.table("orders")]) == [2]
    assert shop.table("orders").rows() == [(1,), (2,), (7,)]


def _work(table: Table) -> int:
    found = len(table.rows())
    table.append([{"id": 7}])
    return found


def test_who_unpickles_a_fork_does_not_drop_it(shop: Catalog) -> None:
    fork = shop.fork("agent")
    copied: Fork = again(fork)
    assert (fork.created, copied.created) == (True, False)
    with copied as there:
        assert there.name == "agent"
    assert fork.inspect.is_live


def test_what_cannot_be_pickled_says_so(shop: Catalog) -> None:
    with shop.transaction() as transaction, shop.session() as session:
        for handle in (transaction, transaction.table("orders")):
            with pytest.raises(InvalidInputError, match="A transaction, and what was taken from it, cannot be pickled"):
                pickle.dumps(handle)
        with pytest.raises(InvalidInputError, match="A SQL session cannot be pickled"):
            pickle.dumps(session)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("on_step", Settings(on_step=lambda step: None)),
        ("clock", Settings(clock=Clock(jitter=lambda: 1.0))),
        ("spark", Settings(spark=MappingProxyType({"spark.secret": "abc"}))),
    ],
)
def test_a_setting_that_cannot_be_pickled_is_named(tmp_path: Path, name: str, settings: Settings) -> None:
    with forklake.open(str(tmp_path / "own.db"), settings=settings) as lake:
        with pytest.raises(InvalidInputError, match=f'while the setting "{name}" cannot be pickled') as refused:
            pickle.dumps(lake.create_catalog("shop"))
        assert "abc" not in str(refused.value)


def test_another_lake_at_the_same_place_is_refused(lake: Lake, shop: Catalog, tmp_path: Path) -> None:
    kept = pickle.dumps([lake, shop, shop.table("orders")])
    lake.close()
    (tmp_path / "lake.db").unlink()
    with forklake.open("lake.db", data_path="data") as other:
        other.create_catalog("victim").create_table("orders", {"id": "INTEGER"}).append([{"id": 7}])
        there, catalog, table = pickle.loads(kept)
        uses: list[Callable[[], object]] = [there.catalogs, catalog.drop, lambda: table.delete("id = 7")]
        for use in uses:
            with pytest.raises(NotFoundError, match=r"Another lake is at .*lake\.db.*; nothing was done"):
                use()
        assert other.catalog("victim").table("orders").rows() == [(7,)]


def test_an_older_copy_of_the_lake_is_refused(lake: Lake, tmp_path: Path) -> None:
    lake.create_catalog("first")
    lake.close()
    shutil.copy(tmp_path / "lake.db", tmp_path / "older.db")
    with forklake.open("lake.db") as newer:
        kept = pickle.dumps(newer.create_catalog("second"))
    (tmp_path / "older.db").replace(tmp_path / "lake.db")
    with pytest.raises(NotFoundError, match="Another lake"):
        pickle.loads(kept).tables()
    with forklake.open("lake.db") as older:
        older.create_catalog("victim")
    with pytest.raises(NotFoundError, match="Another lake"):
        pickle.loads(kept).tables()


def test_a_lake_that_went_on_or_was_moved_is_the_same(lake: Lake, shop: Catalog) -> None:
    fork = shop.fork("agent")
    kept = pickle.dumps(shop)
    passed_on = pickle.dumps(pickle.loads(kept))
    fork.rename("worker")
    fork.drop()
    lake.purge("worker")
    lake.create_catalog("later")
    assert pickle.loads(kept).name == pickle.loads(passed_on).name == "shop"


def test_a_lake_without_catalogs_is_found_again(lake: Lake) -> None:
    assert again(lake).catalogs() == []


def test_a_closed_lake_stays_closed(lake: Lake, shop: Catalog) -> None:
    other, catalog = pickle.loads(pickle.dumps([lake, shop]))
    other.close()
    other.close()
    for use in (other.catalogs, catalog.tables):
        with pytest.raises(MetastoreError, match=r"The lake .*lake\.db.* is closed"):
            use()
    lake.close()
    with pytest.raises(MetastoreError, match="is closed"):
        pickle.dumps(shop)
