"""The past: a snapshot of the lineage, by id or time, and the whole lake as it was."""

from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest

from forklake import Catalog, Clock, Lake, Settings
from forklake.catalog import versions
from forklake.catalog.moments import Time
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError, SnapshotNotFoundError
from forklake.lake.internals import version_of
from tests.contract.support import data_file, delete_file, each, file_names, last, names
from tests.lakes import LakeFactory


def ids(catalog: Catalog) -> list[int]:
    return [snapshot.snapshot_id for snapshot in catalog.snapshots()]


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DOUBLE"})
    shop.table("orders").storage.append_files([data_file("a"), data_file("b")])
    return shop


def test_every_snapshot_shows_what_it_showed(shop: Catalog) -> None:
    (a, b) = shop.table("orders").storage.files()
    full = shop.head
    shop.table("orders").storage.delete_rows([delete_file(a.data_file_id, "d")])
    deleted = shop.head
    shop.table("orders").storage.remove_files([b.data_file_id])
    shop.table("orders").alter.rename_column("amount", "price")
    shop.table("orders").rename("sold")
    renamed = shop.head
    shop.table("sold").drop()
    assert names(shop) == []
    assert [f.delete_file for f in shop.at(version=full).table("orders").storage.files()] == [None, None]
    assert [f.delete_file is None for f in shop.at(version=deleted).table("orders").storage.files()] == [False, True]
    assert file_names(shop.at(version=renamed), "sold") == ["a"]
    assert [c.name for c in shop.at(version=renamed).table("sold").columns] == ["id", "price"]
    assert names(shop.at(version=0)) == []


def test_a_handle_on_the_past_only_reads(shop: Catalog) -> None:
    past = shop.at(version=1)
    shop.create_table("more", {"i": "INTEGER"})
    assert (past.head, repr(past), repr(shop)) == (1, "Catalog('shop', at=1)", "Catalog('shop')")
    for attempt in each(
        lambda: past.create_table("t", {"i": "INTEGER"}),
        past.transaction,
        past.maintenance.sever,
        past.drop,
        lambda: past.rename("other"),
        past.table("orders").drop,
        lambda: past.table("orders").alter.add_column(("more", "INTEGER")),
        lambda: past.maintenance.expire_snapshots(versions=[0]),
    ):
        with pytest.raises(InvalidInputError, match="The catalog at snapshot 1 is read-only; nothing was changed"):
            attempt()
    assert names(past) == ["orders"]
    assert file_names(past, "orders") == []
    assert ids(past) == [0, 1]
    with pytest.raises(SnapshotNotFoundError):
        past.at(version=2)
    assert file_names(past.fork("from-the-past"), "orders") == []


@pytest.mark.parametrize("version", [99, -1, 2**63 - 1, 2**63, 2**70])
def test_a_snapshot_that_never_was_is_not_found(shop: Catalog, version: int) -> None:
    for attempt in each(
        lambda: shop.at(version=version),
        lambda: shop.fork("x", at=version),
        lambda: shop.fork("x", at=version, copy=True),
        lambda: shop.fork_many(["x", "y"], at=version),
    ):
        with pytest.raises(SnapshotNotFoundError, match=f"No snapshot found at version {version}"):
            attempt()


@pytest.mark.parametrize("version", ["1", 1.0, True])
def test_a_snapshot_is_named_by_a_whole_number(shop: Catalog, version: int) -> None:
    with pytest.raises(InvalidInputError, match="A snapshot is named by its id, a whole number, not by"):
        shop.at(version=version)


def test_one_way_to_say_which_version(lake: Lake, shop: Catalog) -> None:
    now = datetime.now(UTC)
    for attempt in each(
        shop.at,
        lambda: shop.at(version=1, timestamp=now),
        lake.at,
        lambda: lake.at(version=1, timestamp=now),
    ):
        with pytest.raises(InvalidInputError):
            attempt()


def test_a_snapshot_of_somebody_else_does_not_exist(lake: Lake, shop: Catalog) -> None:
    other = lake.create_catalog("other")
    agent = shop.fork("agent")
    shop.create_table("later", {"i": "INTEGER"})
    agent.create_table("mine", {"i": "INTEGER"})
    for catalog, foreign in ((shop, other.head), (shop, agent.head), (agent, shop.head), (other, 1)):
        for attempt in each(partial(catalog.at, version=foreign), partial(catalog.fork, "x", at=foreign)):
            with pytest.raises(SnapshotNotFoundError, match=f"No snapshot found at version {foreign}"):
                attempt()


def test_the_lineage_of_a_fork_goes_through_its_ancestors_up_to_the_pins(shop: Catalog) -> None:
    pin = shop.head
    agent = shop.fork("agent")
    shop.create_table("later", {"i": "INTEGER"})
    agent.create_table("mine", {"i": "INTEGER"})
    second_pin = agent.head
    nested = agent.fork("nested")
    agent.table("mine").drop()
    nested.create_table("own", {"i": "INTEGER"})
    own = [s.snapshot_id for s in nested.snapshots() if s.catalog_id == nested.catalog_id]
    assert ids(nested) == [0, 1, pin, *[s for s in ids(agent) if pin < s <= second_pin], *own]
    assert [s.catalog_id for s in nested.snapshots()] == [0, 0, 0, 1, 1, 2, 2]
    for version, expected in ((0, []), (1, ["orders"]), (pin, ["orders"]), (second_pin, ["mine", "orders"])):
        assert names(nested.at(version=version)) == expected
    assert names(nested) == ["mine", "orders", "own"]


def test_an_expired_snapshot_is_gone(shop: Catalog) -> None:
    shop.create_table("more", {"i": "INTEGER"})
    assert shop.maintenance.expire_snapshots(versions=[1]) == [1]
    assert ids(shop) == [0, 2, 3]
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at version 1"):
        shop.at(version=1)
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at version 1"):
        shop.fork("x", at=1)
    assert file_names(shop.at(version=2), "orders") == ["a", "b"]


def test_what_cannot_be_expired_stays(shop: Catalog) -> None:
    agent = shop.fork("agent")
    before = ids(shop), ids(agent)
    for attempt in each(
        lambda: shop.maintenance.expire_snapshots(versions=[0, shop.head]),
        lambda: shop.maintenance.expire_snapshots(versions=[0, 99]),
        lambda: agent.maintenance.expire_snapshots(versions=[0]),
        shop.maintenance.expire_snapshots,
        lambda: shop.maintenance.expire_snapshots(versions=[0], older_than=datetime.now(UTC)),
        lambda: shop.maintenance.expire_snapshots(older_than="soon"),
    ):
        with pytest.raises((SnapshotNotFoundError, InvalidInputError)):
            attempt()
    assert (ids(shop), ids(agent)) == before
    # By age the newest is spared.
    assert shop.maintenance.expire_snapshots(older_than=datetime.now(UTC) + timedelta(days=1)) == [0, 1]
    assert ids(agent) == [shop.head, agent.head]


def test_by_age_is_so_long_before_the_time_of_the_database(shop: Catalog) -> None:
    expire = shop.maintenance.expire_snapshots
    for none_so_old in ("7 days", "1 month", timedelta(hours=1)):
        assert expire(older_than=none_so_old) == []
    refusals: list[Any] = ["-1 day", timedelta(days=-1), "99999 years", timedelta.max, "soon", "", "7", 5.0]
    for refused in refusals:
        with pytest.raises(InvalidInputError, match="nothing was expired"):
            expire(older_than=refused)
    assert ids(shop) == [0, 1, 2]
    assert expire(older_than=timedelta(0), dry_run=True) == expire(older_than="0 days", dry_run=True) == [0, 1]
    assert ids(shop) == [0, 1, 2], "a dry run forgets nothing"
    assert expire(older_than=timedelta(0)) == [0, 1]
    assert ids(shop) == [2]


def test_a_parent_may_expire_the_pin_and_the_fork_still_reads(shop: Catalog) -> None:
    pin = shop.head
    agent = shop.fork("agent")
    nested = agent.fork("nested")
    shop.table("orders").drop()
    shop.maintenance.expire_snapshots(older_than=datetime.now(UTC) + timedelta(days=1))
    for fork in (agent, nested):
        assert file_names(fork, "orders") == ["a", "b"]
        assert pin not in ids(fork)
        for gone in (0, pin):
            with pytest.raises(SnapshotNotFoundError):
                fork.at(version=gone)
        first = next(s.snapshot_id for s in fork.snapshots() if s.catalog_id == fork.catalog_id)
        assert file_names(fork.at(version=first), "orders") == ["a", "b"]
    agent.table("orders").storage.append_files([data_file("c")])
    assert file_names(agent, "orders") == ["a", "b", "c"]


# ---- times ---------------------------------------------------------------------------------------------------------


def test_a_time_names_the_newest_snapshot_of_then(shop: Catalog) -> None:
    (created, made, filled) = shop.snapshots()
    assert created.snapshot_time <= made.snapshot_time <= filled.snapshot_time
    assert shop.at(timestamp=filled.snapshot_time).head == filled.snapshot_id
    assert shop.at(timestamp=datetime.now(UTC) + timedelta(days=1)).head == shop.head
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at timestamp"):
        shop.at(timestamp=created.snapshot_time - timedelta(days=1))
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at timestamp"):
        shop.fork("x", at=created.snapshot_time - timedelta(days=1))


def test_a_time_may_be_naive_or_a_text_and_is_utc_then(lake: Lake, shop: Catalog) -> None:
    made = shop.snapshots()[-1]
    later = made.snapshot_time + timedelta(hours=1)
    local = later.astimezone(timezone(timedelta(hours=5)))
    spellings: tuple[Time, ...] = (
        later,
        local,
        later.replace(tzinfo=None),
        f"{later.replace(tzinfo=None)}",
        local.isoformat(),
        "9999-12-31",
    )
    for number, time in enumerate(spellings):
        assert shop.at(time).head == shop.at(timestamp=time).head == made.snapshot_id
        assert shop.fork(f"fork{number}", at=time).head >= made.snapshot_id
        assert "shop" in [one.name for one in lake.catalogs(at=time)]
        assert lake.at(time).catalog("shop").head == made.snapshot_id
    before = made.snapshot_time - timedelta(days=1)
    with pytest.raises(SnapshotNotFoundError, match="No snapshot found at timestamp"):
        shop.at(before.replace(tzinfo=None))
    assert shop.at(made.snapshot_id).head == made.snapshot_id


@pytest.mark.parametrize("moment", [5.0, True, "yesterday", "2030-02-30", timedelta(days=1)])
def test_what_is_neither_an_id_nor_a_time_is_refused(lake: Lake, shop: Catalog, moment: Any) -> None:
    for attempt in each(
        lambda: shop.at(moment),
        lambda: shop.at(timestamp=moment),
        lambda: shop.fork("x", at=moment),
        lambda: lake.catalogs(at=moment),
    ):
        with pytest.raises(InvalidInputError, match=r"is no timestamp|A moment is a snapshot id|A time is"):
            attempt()
    for nothing_or_two in each(
        shop.at, lambda: shop.at(1, version=1), lambda: shop.at(version=1, timestamp="2030-01-01")
    ):
        with pytest.raises(InvalidInputError, match=r"Say which moment|Cannot specify both"):
            nothing_or_two()


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb"], indirect=True)
def test_times_never_run_backwards_along_a_lineage(lake_factory: LakeFactory) -> None:
    clock = [datetime(2030, 1, 1, tzinfo=UTC)]
    with lake_factory.open(Settings(clock=Clock(now=lambda: clock[0]))) as lake:
        shop = lake.create_catalog("shop")
        for hours, change in ((1, "one"), (-5, "two"), (2, "three")):
            clock[0] += timedelta(hours=hours)
            shop.create_table(change, {"i": "INTEGER"})
        agent = shop.fork("agent")
        clock[0] -= timedelta(days=1)
        agent.create_table("four", {"i": "INTEGER"})
        times = [s.snapshot_time.hour for s in agent.snapshots()]
        assert times == [0, 1, 1, 1, 1, 1]
        # Of several at one moment the last is meant.
        assert names(agent.at(timestamp=datetime(2030, 1, 1, 1, tzinfo=UTC))) == ["four", "one", "three", "two"]
        assert names(agent.at(timestamp=datetime(2030, 1, 1, 0, 59, tzinfo=UTC))) == []


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb"], indirect=True)
def test_a_catalog_never_comes_back_before_it_was_dropped(lake_factory: LakeFactory) -> None:
    made = datetime(2030, 1, 1, tzinfo=UTC)
    clock = [made]
    with lake_factory.open(Settings(clock=Clock(now=lambda: clock[0]))) as lake:
        lake.create_catalog("shop")
        clock[0] = made + timedelta(hours=1)
        lake.catalog("shop").drop()
        clock[0] = made - timedelta(hours=4)
        lake.undrop_catalog("shop")
        assert [info.begin_time for info in lake.catalogs()] == [made + timedelta(hours=1)]
        assert [info.name for info in lake.catalogs(at=made + timedelta(minutes=30))] == ["shop"]


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb"], indirect=True)
def test_a_time_before_the_fork_is_a_snapshot_of_the_parent(lake_factory: LakeFactory) -> None:
    clock = [datetime(2030, 1, 1, tzinfo=UTC)]

    def later() -> datetime:
        clock[0] += timedelta(hours=1)
        return clock[0]

    with lake_factory.open(Settings(clock=Clock(now=lambda: clock[0]))) as lake:
        shop = lake.create_catalog("shop")
        made = later()
        shop.create_table("orders", {"i": "INTEGER"})
        later()
        agent = shop.fork("agent")
        later()
        shop.table("orders").drop()
        after = later()
        assert agent.at(timestamp=made).head == 1
        assert names(agent.at(timestamp=after)) == ["orders"]
        assert names(shop.fork("past", at=made + timedelta(minutes=5))) == ["orders"]
        with pytest.raises(SnapshotNotFoundError):
            agent.fork("earlier", at=made - timedelta(days=1))


def test_another_time_zone_is_the_same_moment(shop: Catalog) -> None:
    moment = last(shop).snapshot_time.astimezone(timezone(timedelta(hours=-11)))
    assert shop.at(timestamp=moment).head == shop.head


@pytest.mark.parametrize("hours", [0, -5, 5])
def test_the_ends_of_time_are_moments_too(lake: Lake, shop: Catalog, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    for edge in (datetime.min, datetime(999, 1, 1), datetime.max):  # noqa: DTZ901, DTZ001
        moment = edge.replace(tzinfo=zone)
        try:
            found = [info.name for info in lake.catalogs(at=moment)], shop.at(timestamp=moment).head
        except SnapshotNotFoundError:
            assert moment.year < 2000
        except InvalidInputError:
            assert abs(hours) == 5  # a moment before the first or after the last year
        else:
            assert moment.year == 9999
            assert found == (["shop"], shop.head)


# ---- the whole lake ------------------------------------------------------------------------------------------------


def test_the_snapshots_of_all_catalogs_come_page_by_page(lake: Lake, shop: Catalog) -> None:
    other = lake.create_catalog("other")
    agent = shop.fork("agent")
    every = lake.snapshots()
    assert [s.snapshot_id for s in every] == [0, 1, 2, other.head, agent.head]
    assert [s.catalog_id for s in every] == [0, 0, 0, other.catalog_id, agent.catalog_id]
    pages, after = [], None
    while page := lake.snapshots(after=after, limit=2):
        pages.append(page)
        after = page[-1].snapshot_id
    assert [s for page in pages for s in page] == every
    assert [len(page) for page in pages] == [2, 2, 1]


def test_the_whole_lake_as_it_was(lake: Lake, shop: Catalog) -> None:
    other = lake.create_catalog("other")
    other.create_table("t", {"i": "INTEGER"})
    moment = other.head
    shop.table("orders").drop()
    other.create_table("u", {"i": "INTEGER"})
    lake.catalog("other").drop()
    past = lake.at(version=moment)
    assert [(info.name, info.snapshot_id) for info in past.catalogs()] == [("other", moment), ("shop", 2)]
    assert names(past.catalog("other")) == ["t"]
    assert names(past.catalog("SHOP")) == ["orders"]
    with pytest.raises(ForklakeError, match="read-only"):
        past.catalog("shop").table("orders").drop()
    with pytest.raises(NotFoundError, match='Catalog "other" did not exist at 2'):
        lake.at(version=2).catalog("other")
    assert names(lake.at(version=moment).catalog("shop").fork("revived")) == ["orders"]


def test_changes_around_an_expired_snapshot_are_not_known(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    made = []
    for name in "abcd":
        shop.table("t").storage.append_files([data_file(name)])
        made.append(shop.head)
    fork = shop.fork("fork")
    fork.table("t").storage.append_files([data_file("e")])
    versions.check_changes_known(lake._runtime.store, version_of(shop), made[0])
    shop.maintenance.expire_snapshots(versions=[made[1]])
    for first in made[:3]:
        with pytest.raises(SnapshotNotFoundError, match=f"snapshot {made[1]} has expired"):
            versions.check_changes_known(lake._runtime.store, version_of(shop), first)
        with pytest.raises(SnapshotNotFoundError, match=f"snapshot {made[1]} has expired"):
            versions.check_changes_known(lake._runtime.store, version_of(fork), first)
    versions.check_changes_known(lake._runtime.store, version_of(shop), made[3])
    shop.maintenance.expire_snapshots(versions=[made[2]])
    with pytest.raises(SnapshotNotFoundError, match=f"snapshot {made[2]} has expired"):
        versions.check_changes_known(lake._runtime.store, version_of(shop), made[3])
    # A fork begins with what its pin showed, so the pin may be expired.
    shop.table("t").storage.append_files([data_file("f")])
    shop.maintenance.expire_snapshots(versions=[made[3]])
    versions.check_changes_known(lake._runtime.store, version_of(fork), fork.snapshots()[-2].snapshot_id)
