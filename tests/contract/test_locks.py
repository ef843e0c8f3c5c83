"""Locks of catalogs and of the lake on PostgreSQL: who waits for whom."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from forklake import Lake, Settings
from forklake.lake.internals import runtime_of
from forklake.metastore.postgres import initialise
from forklake.model.ids import CatalogId
from tests.waiting import wait_until

SHOP, OTHER = CatalogId(0), CatalogId(1)


@pytest.fixture
def lake(postgres_database: str, tmp_path: object) -> Iterator[Lake]:
    initialise(postgres_database, None, Settings())
    with Lake(postgres_database, data_path=f"{tmp_path}/data", settings=Settings(pool_size=10)) as lake:
        lake.create_catalog("shop")
        lake.create_catalog("other")
        yield lake


class Locker(threading.Thread):
    """Takes a lock in a transaction of its own, and keeps it until it is let go."""

    def __init__(self, lake: Lake, take: str, catalog: CatalogId) -> None:
        super().__init__(daemon=True)
        self._lake, self._take, self._catalog = lake, take, catalog
        self.has_it, self._done = threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with runtime_of(self._lake).store.writing() as session:
            getattr(session, self._take)(self._catalog)
            self.has_it.set()
            self._done.wait(60)

    def let_go(self) -> None:
        self._done.set()
        self.join(60)


def waiting(lake: Lake) -> int:
    """Return how many transactions wait for a lock."""
    ((count,),) = runtime_of(lake).store.query("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
    return int(count)


@contextmanager
def locked(lake: Lake, take: str, catalog: CatalogId) -> Iterator[Locker]:
    """Hold a lock that is free."""
    locker = Locker(lake, take, catalog)
    assert locker.has_it.wait(60)
    try:
        yield locker
    finally:
        locker.let_go()


@pytest.mark.parametrize("what", [CatalogId(-1), SHOP])
def test_who_shares_waits_for_nobody_but_who_is_alone(lake: Lake, what: CatalogId) -> None:
    for _ in range(2):  # the second time the rows are there
        with locked(lake, "lock_shared", what), locked(lake, "lock_alone", OTHER):
            alone = Locker(lake, "lock_alone", what)
            wait_until(lambda: waiting(lake) == 1)
            assert not alone.has_it.is_set()
        assert alone.has_it.wait(60)
        sharing = [Locker(lake, "lock_shared", what) for _ in range(3)]
        wait_until(lambda: waiting(lake) == 3)
        alone.let_go()
        for one in sharing:
            assert one.has_it.wait(60)
        for one in sharing:
            one.let_go()


def test_who_comes_later_does_not_pass_by_who_waits_to_be_alone(lake: Lake) -> None:
    lake.catalog("shop").fork("first")  # the rows are there
    with locked(lake, "lock_shared", SHOP):
        alone = Locker(lake, "lock_alone", SHOP)
        wait_until(lambda: waiting(lake) == 1)
        late = threading.Thread(target=lambda: lake.catalog("shop").fork("late"), daemon=True)
        late.start()
        wait_until(lambda: waiting(lake) == 2)
        lake.catalog("other").fork("not held up")
    assert alone.has_it.wait(60)
    assert "late" not in [one.name for one in lake.catalogs()]
    alone.let_go()
    late.join(60)
    assert "late" in [one.name for one in lake.catalogs()]


def test_locks_leave_nothing_behind_but_their_rows(lake: Lake, postgres_database: str) -> None:
    shop = lake.catalog("shop")
    for number in range(5):
        shop.fork(f"f{number}")
        shop.maintenance.expire_snapshots(older_than="0 seconds")
    with psycopg.connect(postgres_database) as connection:
        found = connection.execute(
            "SELECT count(*), pg_relation_size('forklake.ducklake_lock') FROM forklake.ducklake_lock k"
            " WHERE k.catalog_id = 0"
        ).fetchone()
    assert found == (2, 8192)
