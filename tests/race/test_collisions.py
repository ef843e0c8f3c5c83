"""Operations that cannot both win: drop against commit, sever and expire against forks, two for one name."""

import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

import pytest

from forklake import Catalog, Lake, NewDataFile, RetryPolicy, Settings
from forklake.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitContentionError,
    NotFoundError,
    SnapshotExpiredError,
    SnapshotNotFoundError,
)
from tests.lakes import LakeFactory
from tests.race.processes import SECONDS, Job, race, turns
from tests.race.state import Content, check_rules, content, rows

pytestmark = pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)

EAGER = Settings(retry=RetryPolicy(max_retry_count=20, wait_seconds=0.005, backoff=1.2), pool_size=2)
ROUNDS = 10


def _new_lake(factory: LakeFactory) -> tuple[str, Lake]:
    url = factory.url()
    return url, Lake(url, data_path=factory.directory / "data")


def _shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([NewDataFile("before.parquet", 3, 30)])
    return shop


def _names(catalog: Catalog) -> list[str]:
    return [PurePosixPath(file.path).name for file in catalog.table("orders").storage.files()]


# Drop against commit ------------------------------------------------------------------------------------------------


def append_until_refused(url: str, name: str) -> list[str]:
    """Append to a catalog until it is gone; return what was acknowledged."""
    done: list[str] = []
    with Lake(url, settings=EAGER) as lake:
        try:
            catalog = lake.catalog(name)
        except NotFoundError:
            return done
        while True:
            path = f"{len(done)}.parquet"
            try:
                catalog.table("orders").storage.append_files([NewDataFile(path, 1, 10)])
            except NotFoundError:
                return done
            done.append(path)


def drop_soon(url: str, name: str, wait: float) -> None:
    time.sleep(wait)
    with Lake(url, settings=EAGER) as lake:
        lake.catalog(name).drop()


def test_a_commit_in_flight_while_its_catalog_is_dropped_is_refused(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake, Lake(url) as other:
        transaction = _shop(lake).transaction()
        transaction.table("orders").storage.append_files([NewDataFile("late.parquet", 1, 10)])
        other.catalog("shop").drop()
        with pytest.raises(NotFoundError, match="dropped"):
            transaction.commit()
        assert _names(lake.undrop_catalog("shop")) == ["before.parquet"]
        check_rules(lake)


def test_a_drop_among_commits_keeps_what_was_acknowledged_and_nothing_after(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake:
        shop, choose = _shop(lake), random.Random(1)
        for number in range(ROUNDS):
            name = f"agent-{number}"
            shop.fork(name)
            results = race(
                Job("writer", append_until_refused, (url, name)),
                Job("dropper", drop_soon, (url, name, choose.random() * 0.1)),
            )
            agent = lake.undrop_catalog(name)
            assert _names(agent) == ["before.parquet", *results["writer"]]
            agent.table("orders").storage.append_files([NewDataFile("later.parquet", 1, 10)])
        check_rules(lake)


# Sever against commits and forks -----------------------------------------------------------------------------------


def append_numbered(url: str, name: str, seconds: float) -> int:
    """Append numbered files, alone and in transactions, until time is up; return how many were acknowledged."""
    done = 0
    with Lake(url, settings=EAGER) as lake:
        catalog = lake.catalog(name)
        for _ in turns(seconds):
            file = NewDataFile(f"{done}.parquet", 1, 10)
            try:
                if done % 2:
                    catalog.table("orders").storage.append_files([file])
                else:
                    with catalog.transaction() as transaction:
                        transaction.table("orders").storage.append_files([file])
            except (CommitConflictError, CommitContentionError, SnapshotExpiredError):
                continue
            done += 1
    return done


def fork_numbered(url: str, name: str, seconds: float) -> dict[str, Content]:
    """Fork at the head and in the past; a fork in the past may be refused. Return what each fork showed at first."""
    made: dict[str, Content] = {}
    choose = random.Random(2)
    with Lake(url, settings=EAGER) as lake:
        catalog = lake.catalog(name)
        for _ in turns(seconds):
            fork = f"{name}-{len(made)}"
            try:
                at = choose.choice(catalog.snapshots()).snapshot_id if len(made) % 2 else None
                made[fork] = content(catalog.fork(fork, at=at))
            except SnapshotNotFoundError:
                continue
    return made


def sever_soon(url: str, name: str, wait: float) -> None:
    time.sleep(wait)
    with Lake(url, settings=EAGER) as lake:
        lake.catalog(name).maintenance.sever()


def test_severing_among_commits_and_forks_loses_nothing(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake:
        shop, choose = _shop(lake), random.Random(3)
        before = content(shop)
        for number in range(ROUNDS // 2):
            name = f"agent-{number}"
            shop.fork(name)
            results = race(
                Job("writer", append_numbered, (url, name, 0.3)),
                Job("forker", fork_numbered, (url, name, 0.3)),
                Job("severer", sever_soon, (url, name, choose.random() * 0.2)),
            )
            agent = lake.catalog(name)
            numbered = [f"{place}.parquet" for place in range(results["writer"])]
            assert _names(agent) == ["before.parquet", *numbered]
            assert not [row for row in rows(lake, "ducklake_segment", "catalog_id") if row[0] == agent.catalog_id]
            for fork, at_first in results["forker"].items():
                assert content(lake.catalog(fork)) == at_first, f"{fork} has changed"
                shown = _names(lake.catalog(fork)) if at_first and at_first[0][1] == "orders" else []
                assert shown == ["before.parquet", *numbered][: len(shown)], f"{fork} shows {shown}"
        assert content(shop) == before
        check_rules(lake, expired=True, written_out=True)


# Expire against forks and commits -----------------------------------------------------------------------------------


def fork_each(url: str, name: str, versions: list[int]) -> dict[int, str]:
    """Fork at each snapshot; return the forks that were made."""
    made: dict[int, str] = {}
    with Lake(url, settings=EAGER) as lake:
        catalog = lake.catalog(name)
        for version in versions:
            try:
                catalog.fork(f"at-{version}", at=version)
            except SnapshotNotFoundError:
                continue
            made[version] = f"at-{version}"
    return made


def expire_each(url: str, name: str, versions: list[int]) -> int:
    with Lake(url, settings=EAGER) as lake:
        catalog = lake.catalog(name)
        for version in versions:
            catalog.maintenance.expire_snapshots(versions=[version])
    return len(versions)


def test_a_fork_of_a_snapshot_that_is_being_expired_is_refused_or_whole(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake:
        shop = _shop(lake)
        for number in range(120):
            shop.table("orders").storage.append_files([NewDataFile(f"{number}.parquet", 1, 10)])
        versions = [int(snapshot.snapshot_id) for snapshot in shop.snapshots()[2:-1]]
        shown = {version: content(shop.at(version=version)) for version in versions}
        # Both go through them in almost the same order, so that they meet.
        blocks = [versions[start : start + 6] for start in range(0, len(versions), 6)]
        for block in blocks:
            random.Random(4).shuffle(block)
        results = race(
            Job("forker", fork_each, (url, "shop", versions)),
            Job("expirer", expire_each, (url, "shop", [version for block in blocks for version in block])),
        )
        for version, fork in results["forker"].items():
            assert content(lake.catalog(fork)) == shown[version], fork
            with pytest.raises(SnapshotNotFoundError):
                lake.catalog(fork).at(version=version)
        names = {info.name for info in lake.catalogs(limit=1000)}
        assert names == {"shop", *results["forker"].values()}
        check_rules(lake, expired=True)


def expire_all(url: str, name: str, seconds: float) -> int:
    """Expire all but the newest, over and over; return how many went."""
    count = 0
    with Lake(url, settings=EAGER) as lake:
        catalog = lake.catalog(name)
        for _ in turns(seconds):
            count += len(catalog.maintenance.expire_snapshots(older_than=datetime.now(UTC) + timedelta(hours=1)))
    return count


def test_expiry_never_takes_the_head_from_under_a_commit(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake:
        shop = _shop(lake)
        results = race(
            Job("writer", append_numbered, (url, "shop", SECONDS)),
            Job("expirer", expire_all, (url, "shop", SECONDS)),
            Job("another expirer", expire_all, (url, "shop", SECONDS)),
        )
        # One of two expirers may find that the other was always quicker.
        assert results["writer"], results
        assert results["expirer"] or results["another expirer"], results
        assert _names(shop) == ["before.parquet", *(f"{place}.parquet" for place in range(results["writer"]))]
        check_rules(lake, expired=True)


# Two for one name ---------------------------------------------------------------------------------------------------


def fork_lists(url: str, lists: list[list[str]]) -> list[bool]:
    """Make the forks of each list at once; return which lists were made."""
    made = []
    with Lake(url, settings=EAGER) as lake:
        shop = lake.catalog("shop")
        for names in lists:
            try:
                shop.fork_many(names)
            except AlreadyExistsError:
                made.append(False)
            else:
                made.append(True)
    return made


def test_lists_of_forks_that_share_names_are_made_whole_or_not_at_all(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake:
        _shop(lake)
        plans = {
            f"racer {racer}": [
                [f"{number}-{place}" for place in range(racer * 20, racer * 20 + 60)] for number in range(15)
            ]
            for racer in range(4)
        }
        for racer, lists in plans.items():
            for names in lists:
                random.Random(racer).shuffle(names)
        results = race(*(Job(racer, fork_lists, (url, lists)) for racer, lists in plans.items()))
        made = Counter(
            name
            for racer, lists in plans.items()
            for names, won in zip(lists, results[racer], strict=True)
            if won
            for name in names
        )
        assert max(made.values()) == 1, f"made twice: {made}"
        assert {info.name for info in lake.catalogs(limit=10_000)} == {"shop", *made}
        for number in range(15):
            assert any(results[racer][number] for racer in plans), f"nobody won round {number}"
        check_rules(lake)


def make_namesakes(url: str, count: int) -> list[tuple[str, int | None]]:
    """Create, fork and ask for catalogs that others make too; return what came of each."""
    made: list[tuple[str, int | None]] = []
    with Lake(url, settings=EAGER) as lake:
        shop = lake.catalog("shop")
        for number in range(count):
            for name, make in (
                (f"created {number}", lake.create_catalog),
                (f"forked {number}", shop.fork),
            ):
                try:
                    made.append((name, make(name).catalog_id))
                except AlreadyExistsError:
                    made.append((name, None))
            made.append((f"asked for {number}", shop.fork(f"asked for {number}", if_not_exists=True).catalog_id))
    return made


def test_one_of_many_makes_a_name_and_all_are_given_the_fork_they_ask_for(lake_factory: LakeFactory) -> None:
    url, opened = _new_lake(lake_factory)
    with opened as lake:
        _shop(lake)
        results = race(*(Job(f"racer {racer}", make_namesakes, (url, 20)) for racer in range(4)))
        ids = {info.name: info.catalog_id for info in lake.catalogs(limit=1000)}
        told: dict[str, list[int]] = {}
        for pairs in results.values():
            for name, catalog in pairs:
                if catalog is not None:
                    told.setdefault(name, []).append(catalog)
        for name, catalogs in told.items():
            assert catalogs == [ids[name]] * (4 if name.startswith("asked") else 1), name
        assert told.keys() == ids.keys() - {"shop"}
        check_rules(lake)
