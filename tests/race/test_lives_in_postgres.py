"""Lifetimes, quotas and tags where two clients of PostgreSQL meet at one exact place."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from forklake import Catalog, Lake, NewDataFile
from forklake.errors import CatalogDroppedError, InvalidInputError, QuotaError
from tests.lakes import LakeFactory
from tests.race.state import check_rules
from tests.race.stops import Stop, in_thread, stop_at, victim
from tests.sound import check_sound

pytestmark = pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)


@pytest.fixture
def url(lake_factory: LakeFactory) -> str:
    return lake_factory.url()


@pytest.fixture
def lake(lake_factory: LakeFactory, url: str) -> Iterator[Lake]:
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        append(shop, "a")
        yield lake
        check_rules(lake)
        check_sound(lake, files=False)


@pytest.fixture
def slow(lake: Lake, url: str) -> Iterator[Lake]:
    """The same lake, by a client that stops where a test says."""
    with Lake(victim(url)) as slow:
        yield slow


def append(catalog: Catalog, name: str) -> None:
    catalog.table("orders").storage.append_files([NewDataFile(f"{name}.parquet", 1, 10)])


def let_lapse(lake: Lake, name: str) -> None:
    catalog = lake.catalog(name).catalog_id
    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_lifetime SET expires_at = :time WHERE catalog_id = :c",
            time=session.now() - timedelta(seconds=1),
            c=catalog,
        )


def before(what: str, table: str) -> str:
    return f"TRIGGER stop BEFORE {what} ON forklake.{table} FOR EACH ROW WHEN (true)"


def meet(
    stop: Stop, first: Callable[[], object], second: Callable[[], object], between: Callable[[], object] | None = None
) -> Callable[[], object]:
    """Run the first up to the stop and the second for a while; let the first go, and return a wait for the second."""
    wait_for_first = in_thread(first)
    stop.wait_for_victim()
    if between is not None:
        between()
    wait_for_second = in_thread(second)
    stop.wait_for_waiting_client()
    stop.open()
    wait_for_first()
    return wait_for_second


def test_a_reap_waits_for_the_commit_in_flight_and_keeps_it(lake: Lake, slow: Lake, url: str) -> None:
    lake.catalog("shop").fork("agent", ttl="1h")
    agent = slow.catalog("agent")
    with stop_at(url, before("INSERT", "ducklake_data_file")) as stop:
        reaped = meet(stop, lambda: append(agent, "b"), lake.reap, lambda: let_lapse(lake, "agent"))
        done = reaped()
    assert [each.name for each in done.dropped] == ["agent"]  # type: ignore[attr-defined]
    assert lake.undrop_catalog("agent").table("orders").inspect.stats.record_count == 2


def test_a_commit_waits_for_the_reap_in_flight_and_is_refused(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("shop").fork("agent", ttl="1h")
    transaction = agent.transaction()
    transaction.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)])
    let_lapse(lake, "agent")
    with stop_at(url, before("UPDATE", "ducklake_catalog")) as stop:
        committed = meet(stop, slow.reap, transaction.commit)
        with pytest.raises(CatalogDroppedError, match="was dropped"):
            committed()
    assert lake.undrop_catalog("agent").table("orders").inspect.stats.record_count == 1


def test_a_reap_leaves_what_is_renewed_before_it_has_the_head(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("shop").fork("agent", ttl="1h")
    let_lapse(lake, "agent")
    with stop_at(url, before("UPDATE", "ducklake_lifetime")) as stop:
        reaped = meet(stop, lambda: slow.catalog("agent").renew("1h"), lake.reap)
        assert reaped().dropped == ()  # type: ignore[attr-defined]
    append(agent, "b")


def test_a_renewal_waits_for_the_reap_in_flight_and_is_refused(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("shop").fork("agent", ttl="1h")
    let_lapse(lake, "agent")
    with stop_at(url, before("UPDATE", "ducklake_catalog")) as stop:
        renewed = meet(stop, slow.reap, lambda: agent.renew("1h"))
        with pytest.raises(CatalogDroppedError):
            renewed()
    assert lake.undrop_catalog("agent").inspect.lifetime is None


def test_a_commit_sees_the_renewal_that_it_waited_for(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("shop").fork("agent", ttl="1h")
    transaction = agent.transaction()
    transaction.table("orders").storage.append_files([NewDataFile("b.parquet", 1, 10)])
    let_lapse(lake, "agent")
    with stop_at(url, before("UPDATE", "ducklake_lifetime")) as stop:
        meet(stop, lambda: slow.catalog("agent").renew("1h"), transaction.commit)()
    assert agent.table("orders").inspect.stats.record_count == 2


def test_two_that_spend_the_rest_of_a_quota_do_not_both_get_it(lake: Lake, slow: Lake, url: str) -> None:
    shop = lake.catalog("shop")
    shop.set_quota(max_files=2, subtree=True)
    other = shop.fork("other")
    shop.fork("agent")
    agent = slow.catalog("agent")
    with stop_at(url, before("INSERT", "ducklake_data_file")) as stop:
        spent = meet(stop, lambda: append(agent, "b"), lambda: append(other, "c"))
        with pytest.raises(QuotaError, match="max_files is 2, and this would make 3"):
            spent()
    assert shop.quota().used.file_count == 2


def test_two_forks_do_not_both_get_the_last_place(lake: Lake, slow: Lake, url: str) -> None:
    shop = lake.catalog("shop")
    shop.set_quota(max_forks=1)
    with stop_at(url, before("INSERT", "ducklake_segment")) as stop:
        forked = meet(stop, lambda: slow.catalog("shop").fork("one"), lambda: shop.fork("two"))
        with pytest.raises(QuotaError, match="max_forks is 1, and this would make 2"):
            forked()
    assert [info.name for info in lake.catalogs()] == ["one", "shop"]


def test_a_quota_counts_the_commit_that_it_waited_for(lake: Lake, slow: Lake, url: str) -> None:
    shop = slow.catalog("shop")
    with stop_at(url, before("INSERT", "ducklake_data_file")) as stop:
        limited = meet(stop, lambda: append(shop, "b"), lambda: lake.catalog("shop").set_quota(max_files=1))
        with pytest.raises(InvalidInputError, match="2 are used already"):
            limited()


def test_an_expiry_spares_the_snapshot_of_a_tag_in_flight(lake: Lake, slow: Lake, url: str) -> None:
    shop = lake.catalog("shop")
    first = shop.snapshots()[0].snapshot_id
    with stop_at(url, before("INSERT", "ducklake_snapshot_tag")) as stop:
        expired = meet(
            stop,
            lambda: slow.catalog("shop").tag("v1", at=first),
            lambda: shop.maintenance.expire_snapshots(versions=[first]),
        )
        assert expired() == []
    assert shop.at("v1").head == first


def test_a_catalog_that_is_committed_to_is_left_by_a_drop_of_many(lake: Lake, slow: Lake, url: str) -> None:
    lake.catalog("shop").fork("agent")
    agent = slow.catalog("agent")
    with stop_at(url, before("INSERT", "ducklake_data_file")) as stop:
        dropped = meet(stop, lambda: append(agent, "b"), lambda: lake.drop_catalogs(parent="shop"))
        done = dropped()
    assert [each.name for each in done.left] == ["agent"]  # type: ignore[attr-defined]
    assert agent.inspect.is_live
