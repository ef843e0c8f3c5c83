"""Two clients of PostgreSQL that meet at one exact place, where only luck would bring them together."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import forklake
from forklake import Lake, NewDataFile, Settings
from forklake.errors import AlreadyExistsError, CommitConflictError, InvalidPathError, LeaseLostError, NotFoundError
from tests.lakes import LakeFactory
from tests.race.state import check_rules, content
from tests.race.stops import Stop, in_thread, stop_at, victim

pytestmark = pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)


@pytest.fixture
def url(lake_factory: LakeFactory) -> str:
    return lake_factory.url()


@pytest.fixture
def lake(lake_factory: LakeFactory, url: str) -> Iterator[Lake]:
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        shop.table("orders").storage.append_files([NewDataFile("a.parquet", 3, 30)])
        yield lake


@pytest.fixture
def slow(lake: Lake, url: str) -> Iterator[Lake]:
    """The same lake, by a client that stops where a test says."""
    with Lake(victim(url)) as slow:
        yield slow


def _before(what: str, table: str, condition: str = "true") -> str:
    return f"TRIGGER stop BEFORE {what} ON forklake.{table} FOR EACH ROW WHEN ({condition})"


def _meet(stop: Stop, first: Callable[[], object], second: Callable[[], object]) -> Callable[[], object]:
    """Run the first up to the stop and the second for a while; let the first go, and return a wait for the second."""
    wait_for_first = in_thread(first)
    stop.wait_for_victim()
    wait_for_second = in_thread(second)
    stop.wait_for_waiting_client()
    stop.open()
    wait_for_first()
    return wait_for_second


def test_a_drop_waits_for_the_commit_in_flight_and_keeps_it(lake: Lake, slow: Lake, url: str) -> None:
    shop = slow.catalog("shop")
    with stop_at(url, _before("INSERT", "ducklake_data_file")) as stop:
        dropped = _meet(
            stop,
            lambda: shop.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)]),
            lambda: lake.catalog("shop").drop(),
        )
        dropped()
    assert lake.undrop_catalog("shop").table("orders").inspect.stats.record_count == 4
    check_rules(lake)


def test_a_commit_waits_for_the_drop_in_flight_and_is_refused(lake: Lake, slow: Lake, url: str) -> None:
    shop = lake.catalog("shop")
    slow.catalog("shop")
    with stop_at(url, _before("UPDATE", "ducklake_catalog")) as stop:
        committed = _meet(
            stop,
            lambda: slow.catalog("shop").drop(),
            lambda: shop.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)]),
        )
        with pytest.raises(NotFoundError, match="dropped"):
            committed()
    assert lake.undrop_catalog("shop").table("orders").inspect.stats.record_count == 3
    check_rules(lake)


def test_lists_that_share_names_in_other_orders_do_not_wait_for_each_other_in_a_ring(
    lake: Lake, slow: Lake, url: str
) -> None:
    with stop_at(url, _before("INSERT", "ducklake_catalog", "NEW.catalog_name = 'b'")) as stop:
        forked = _meet(
            stop,
            lambda: slow.catalog("shop").fork_many(["a", "b", "c"]),
            lambda: lake.catalog("shop").fork_many(["B", "d", "A"]),
        )
        with pytest.raises(AlreadyExistsError):
            forked()
    assert [info.name for info in lake.catalogs()] == ["a", "b", "c", "shop"]
    check_rules(lake)


@pytest.mark.parametrize("made_by", ["create", "fork", "fork_many", "copy"])
def test_a_directory_is_not_given_again_when_its_name_comes_and_goes_meanwhile(
    lake: Lake, slow: Lake, url: str, made_by: str
) -> None:
    shop = slow.catalog("shop")
    make: dict[str, Callable[[], object]] = {
        "create": lambda: slow.create_catalog("agent"),
        "fork": lambda: shop.fork("agent"),
        "fork_many": lambda: shop.fork_many(["another", "agent"]),
        "copy": lambda: shop.fork("agent", copy=True),
    }
    with stop_at(url, _before("INSERT", "ducklake_catalog")) as stop:
        made = in_thread(make[made_by])
        stop.wait_for_victim()
        lake.create_catalog("Agent")
        lake.catalog("agent").drop()
        stop.open()
        made()
    assert lake.catalog("agent").name == "agent"
    check_rules(lake, written_out=True)


def test_a_fork_in_flight_keeps_an_expiry_waiting_and_has_what_it_pinned(lake: Lake, slow: Lake, url: str) -> None:
    shop = lake.catalog("shop")
    pinned, shown = shop.head, content(shop)
    shop.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)])
    with stop_at(url, _before("INSERT", "ducklake_segment")) as stop:
        expired = _meet(
            stop,
            lambda: slow.catalog("shop").fork("agent", at=pinned),
            lambda: shop.maintenance.expire_snapshots(versions=[pinned]),
        )
        assert expired() == [pinned]
    assert content(lake.catalog("agent")) == shown
    check_rules(lake, expired=True)


def test_severing_in_flight_lets_a_commit_wait_and_then_refuses_what_it_cannot_judge(
    lake: Lake, slow: Lake, url: str
) -> None:
    agent = lake.catalog("shop").fork("agent")
    transaction = agent.transaction()
    transaction.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)])
    with stop_at(url, _before("INSERT", "ducklake_data_file")) as stop:
        committed = _meet(stop, slow.catalog("agent").maintenance.sever, transaction.commit)
        with pytest.raises(CommitConflictError, match="expired"):
            committed()
    agent.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)])
    assert agent.table("orders").inspect.stats.record_count == 4
    check_rules(lake, expired=True, written_out=True)


ROWS = [{"id": number} for number in range(20)]


def test_a_search_for_orphans_waits_for_the_commit_in_flight_and_keeps_its_file(lake: Lake, url: str) -> None:
    shop = lake.catalog("shop")
    settings = Settings(lease_seconds=-1.0)
    with Lake(victim(url), settings=settings) as late, stop_at(url, _before("UPDATE", "ducklake_head")) as stop:
        searched = _meet(
            stop,
            lambda: late.catalog("shop").table("orders").append(ROWS),
            lambda: shop.maintenance.delete_orphaned_files(cleanup_all=True).files,
        )
        assert searched() == ()
    assert Path(shop.table("orders").storage.files()[-1].path).is_file()
    check_rules(lake)


@pytest.mark.parametrize("text", ["INSERT INTO orders VALUES (1)", "INSERT INTO orders SELECT id FROM few"])
def test_a_writer_waits_for_the_move_of_the_lake_and_writes_nothing_in_the_old_place(
    lake: Lake, lake_factory: LakeFactory, url: str, text: str
) -> None:
    new, shop = lake_factory.directory / "new", lake.catalog("shop")
    shop.create_table("few", {"id": "BIGINT"})
    (new / "shop").mkdir(parents=True)
    with stop_at(url, _before("INSERT", "ducklake_metadata", "NEW.key = 'data_path'")) as stop:
        written = _meet(stop, lambda: forklake.relocate(victim(url), new), lambda: shop.sql(text))
        with pytest.raises(InvalidPathError, match="another data path since it was opened"):
            written()
    assert not list(lake_factory.directory.rglob("*.parquet"))
    with Lake(url) as again:
        again.catalog("shop").sql(text)
        check_rules(again)


def test_a_commit_waits_for_the_search_that_takes_its_lease_and_is_refused(lake: Lake, slow: Lake, url: str) -> None:
    searcher = slow.catalog("shop")
    with Lake(url, settings=Settings(lease_seconds=-1.0)) as late:
        transaction = late.catalog("shop").transaction()
        transaction.table("orders").append(ROWS)
        with stop_at(url, "TRIGGER stop AFTER DELETE ON forklake.ducklake_lease FOR EACH ROW") as stop:
            committed = _meet(
                stop, lambda: searcher.maintenance.delete_orphaned_files(cleanup_all=True), transaction.commit
            )
            with pytest.raises(LeaseLostError):
                committed()
    assert len(searcher.table("orders").storage.files()) == 1
    assert not list(Path(lake.data_path or "").rglob("*.parquet"))
    check_rules(lake)
