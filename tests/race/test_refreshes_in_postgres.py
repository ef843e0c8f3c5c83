"""Refreshes, commits, forks and expiry meet on PostgreSQL: nothing is lost, and nothing is there twice."""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

import pytest

from forklake import Catalog, Lake, NewDataFile, RetryPolicy, Settings
from forklake.errors import CommitConflictError
from tests.lakes import LakeFactory
from tests.race.processes import Job, race
from tests.race.state import check_rules
from tests.race.stops import Stop, in_thread, stop_at, victim
from tests.sound import check_sound

pytestmark = pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)

FILES = 12
FORKS = 6


@pytest.fixture
def url(lake_factory: LakeFactory) -> str:
    return lake_factory.url()


@pytest.fixture
def lake(lake_factory: LakeFactory, url: str) -> Iterator[Lake]:
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        append(shop, "a")
        append(shop.fork("agent"), "mine")
        append(shop, "b")
        yield lake
        check_rules(lake, written_out=True, expired=True)
        check_sound(lake, files=False)


@pytest.fixture
def slow(lake: Lake, url: str) -> Iterator[Lake]:
    """The same lake, by a client that stops where a test says."""
    with Lake(victim(url)) as slow:
        yield slow


def append(catalog: Catalog, name: str) -> None:
    catalog.table("orders").storage.append_files([NewDataFile(f"{name}.parquet", 1, 10)])


def names(catalog: Catalog) -> list[str]:
    return sorted(PurePosixPath(file.path).stem for file in catalog.table("orders").storage.files())


def begin_refresh(slow: Lake, stop: Stop) -> Callable[[], object]:
    """Refresh the fork up to where its epoch begins, before the end of the transaction; return a wait for it."""
    wait = in_thread(slow.catalog("agent").refresh)
    stop.wait_for_victim()
    return wait


BEGIN_OF_THE_EPOCH = "TRIGGER stop BEFORE INSERT ON forklake.ducklake_segment FOR EACH ROW WHEN (true)"


def test_a_transaction_waits_for_the_refresh_in_flight_and_is_refused(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("agent")
    transaction = agent.transaction()
    transaction.table("orders").storage.append_files([NewDataFile("late.parquet", 1, 10)])
    with stop_at(url, BEGIN_OF_THE_EPOCH) as stop:
        wait_for_refresh = begin_refresh(slow, stop)
        wait_for_commit = in_thread(transaction.commit)
        stop.wait_for_waiting_client()
        stop.open()
        wait_for_refresh()
        with pytest.raises(CommitConflictError, match="the catalog was refreshed since this transaction began"):
            wait_for_commit()
    assert names(agent) == ["a", "b", "mine"]
    append(agent, "late")
    assert names(agent) == ["a", "b", "late", "mine"]


def test_a_verb_that_waited_for_the_refresh_runs_again(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("agent")
    with stop_at(url, BEGIN_OF_THE_EPOCH) as stop:
        wait_for_refresh = begin_refresh(slow, stop)
        wait_for_commit = in_thread(lambda: append(agent, "late"))
        stop.wait_for_waiting_client()
        stop.open()
        wait_for_refresh()
        wait_for_commit()
    assert names(agent) == ["a", "b", "late", "mine"]


def test_a_fork_does_not_wait_for_the_refresh_in_flight(lake: Lake, slow: Lake, url: str) -> None:
    agent = lake.catalog("agent")
    with stop_at(url, BEGIN_OF_THE_EPOCH) as stop:
        wait_for_refresh = begin_refresh(slow, stop)
        old = agent.fork("old")
        stop.open()
        wait_for_refresh()
    assert (names(old), names(agent), names(agent.fork("new"))) == (
        ["a", "mine"],
        ["a", "b", "mine"],
        ["a", "b", "mine"],
    )
    old.refresh()
    assert names(old) == ["a", "b", "mine"]


def test_expiry_of_the_parent_waits_for_the_refresh_in_flight(lake: Lake, slow: Lake, url: str) -> None:
    agent, shop = lake.catalog("agent"), lake.catalog("shop")
    with stop_at(url, BEGIN_OF_THE_EPOCH) as stop:
        wait_for_refresh = begin_refresh(slow, stop)
        shop.table("orders").storage.remove_files([file.data_file_id for file in shop.table("orders").storage.files()])
        wait_for_expiry = in_thread(lambda: shop.maintenance.expire_snapshots(older_than="0 seconds", release=True))
        stop.wait_for_waiting_client()
        stop.open()
        wait_for_refresh()
        wait_for_expiry()
    assert (names(agent), names(shop)) == (["a", "b", "mine"], [])


def test_a_refresh_whose_head_of_the_parent_is_expired_meanwhile_takes_the_next(
    lake: Lake, slow: Lake, url: str
) -> None:
    shop = lake.catalog("shop")
    is_first = True

    def go_on(step: str) -> None:
        nonlocal is_first
        if step == "commit: before the call" and is_first:
            is_first = False
            append(shop, "c")
            shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)

    with Lake(url, settings=Settings(on_step=go_on)) as other:
        other.catalog("agent").refresh()
    assert not is_first
    assert names(lake.catalog("agent")) == ["a", "b", "c", "mine"]


def write(url: str, name: str) -> None:
    with Lake(url, settings=Settings(retry=RetryPolicy(wait_seconds=0.01, max_retry_count=100))) as lake:
        for number in range(FILES):
            append(lake.catalog(name), f"{name}-{number}")


def refresh(url: str) -> int:
    """Refresh the fork until it has all of its parent's files; return how often there was something to do."""
    with Lake(url, settings=Settings(retry=RetryPolicy(wait_seconds=0.01, max_retry_count=100))) as lake:
        agent, count = lake.catalog("agent"), 0
        while f"shop-{FILES - 1}" not in names(agent):
            count += agent.refresh().snapshot_id is not None
    return count


def fork(url: str) -> list[tuple[str, list[str]]]:
    made = []
    with Lake(url) as lake:
        for number in range(FORKS):
            one = lake.catalog("agent").fork(f"fork-{number}")
            made.append((one.name, names(one)))
    return made


def test_refreshes_commits_and_forks_race(lake: Lake, url: str) -> None:
    done = race(
        Job("the parent", write, (url, "shop")),
        Job("the fork", write, (url, "agent")),
        Job("the refresh", refresh, (url,)),
        Job("the forks", fork, (url,)),
    )
    assert done["the refresh"] >= 1
    agent = lake.catalog("agent")
    agent.refresh()
    written = [f"{name}-{number}" for name in ("shop", "agent") for number in range(FILES)]
    assert names(agent) == sorted(["a", "b", "mine", *written])
    for name, seen in done["the forks"]:
        assert names(lake.catalog(name)) == seen
        assert set(seen) <= set(names(agent))
    for snapshot in agent.snapshots():
        found = names(agent.at(snapshot.snapshot_id)) if snapshot.changes_made != 'created_schema:"main"' else []
        assert len(found) == len(set(found))
