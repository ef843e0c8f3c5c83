"""Catalogs end of themselves: past its lifetime one refuses commits and forks, and a reap drops it."""

from datetime import UTC, datetime, timedelta

import pytest

from forklake import Catalog, Lake
from forklake.errors import CatalogDroppedError, CatalogLapsedError, InvalidInputError, NotFoundError
from tests.contract.support import data_file, file_names, rows, state


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    return shop


def pass_by(lake: Lake, *names: str, age: timedelta = timedelta(seconds=1)) -> None:
    """Let the lifetimes of catalogs end."""
    with lake._runtime.store.writing() as session:
        for name in names:
            changed = session.execute(
                "UPDATE forklake.ducklake_lifetime SET expires_at = :time WHERE catalog_id = :c",
                time=session.now() - age,
                c=lake.catalog(name).catalog_id,
            )
            assert changed == 1


def test_a_lifetime_begins_with_the_fork(lake: Lake, shop: Catalog) -> None:
    before = datetime.now(UTC)
    agent = shop.fork("agent", ttl="2h", renew_by_commits="30 min", purge_after="7 days")
    lifetime = agent.inspect.lifetime
    assert lifetime is not None
    assert timedelta(hours=2) <= lifetime.expires_at - before < timedelta(hours=2, minutes=1)
    assert (lifetime.renew_seconds, lifetime.purge_after_seconds) == (1800, 7 * 86400)
    until = datetime(2999, 1, 1, tzinfo=UTC)
    for made in (
        shop.fork("until", ttl=until),
        shop.fork("copy", ttl=until, copy=True),
        lake.create_catalog("other", ttl=until),
        *shop.fork_many(["a", "b"], ttl=until),
    ):
        found = made.inspect.lifetime
        assert found is not None
        assert (found.expires_at, found.renew_seconds, found.purge_after_seconds) == (until, None, None)
    assert shop.inspect.lifetime is None
    assert shop.fork("for ever").inspect.lifetime is None
    assert agent.fork("below").inspect.lifetime is None


def test_past_its_lifetime_a_catalog_refuses_commits_and_forks_and_is_read(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent", ttl="2h")
    agent.table("orders").storage.append_files([data_file("a")])
    open_transaction = agent.transaction()
    open_transaction.table("orders").storage.append_files([data_file("b")])
    pass_by(lake, "agent")
    before = state(lake)
    for attempt in (
        lambda: agent.table("orders").storage.append_files([data_file("c")]),
        lambda: agent.create_table("more", {"id": "BIGINT"}),
        lambda: agent.fork("below"),
        lambda: agent.fork("below", copy=True),
        agent.maintenance.sever,
        open_transaction.commit,
    ):
        with pytest.raises(CatalogLapsedError, match='"agent" is past its lifetime') as refused:
            attempt()
        assert "renew" in (refused.value.hint or "")
    assert state(lake) == before
    assert file_names(lake.catalog("agent"), "orders") == ["a"]
    assert agent.at(agent.head).tables()
    agent.renew("2h")
    agent.table("orders").storage.append_files([data_file("c")])
    assert agent.fork("below").created


def test_commits_renew_a_catalog_that_asks_for_it(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent", ttl="10 min", renew_by_commits="2h")
    first = agent.inspect.lifetime
    agent.create_table("more", {"id": "BIGINT"})
    renewed = agent.inspect.lifetime
    assert first is not None
    assert renewed is not None
    assert renewed.expires_at - first.expires_at > timedelta(hours=1, minutes=45)
    long = shop.fork("long", ttl="1 day", renew_by_commits="2h")
    kept = long.inspect.lifetime
    long.create_table("more", {"id": "BIGINT"})
    assert long.inspect.lifetime == kept  # a commit never shortens it
    steady = shop.fork("steady", ttl="10 min")
    kept = steady.inspect.lifetime
    steady.create_table("more", {"id": "BIGINT"})
    assert steady.inspect.lifetime == kept


def test_a_lifetime_is_given_moved_and_taken_away(lake: Lake, shop: Catalog) -> None:
    given = shop.renew("2h", renew_by_commits="1h", purge_after="1 day")
    assert shop.inspect.lifetime == given
    moved = shop.renew("10 min")
    assert given is not None
    assert moved is not None
    assert moved.expires_at < given.expires_at
    assert (moved.renew_seconds, moved.purge_after_seconds) == (3600, 86400)
    assert shop.renew(None) is None
    assert shop.inspect.lifetime is None
    shop.drop()
    with pytest.raises(CatalogDroppedError):
        shop.renew("2h")


@pytest.mark.parametrize(
    "attempt",
    [
        lambda shop: shop.fork("x", ttl="soon"),
        lambda shop: shop.fork("x", ttl="7"),
        lambda shop: shop.fork("x", ttl=7),
        lambda shop: shop.fork("x", ttl=timedelta(0)),
        lambda shop: shop.fork("x", ttl="-2 hours"),
        lambda shop: shop.fork("x", ttl="100000 years"),
        lambda shop: shop.fork("x", ttl=datetime(2020, 1, 1, tzinfo=UTC)),
        lambda shop: shop.fork("x", ttl="2020-01-01"),
        lambda shop: shop.fork("x", renew_by_commits="2h"),
        lambda shop: shop.fork("x", ttl="2h", renew_by_commits="0s"),
        lambda shop: shop.fork("x", ttl="2h", purge_after="often"),
        lambda shop: shop.fork("x", labels={"a": 1}),
        lambda shop: shop.fork("x", labels={"": "b"}),
        lambda shop: shop.fork("x", labels=["a"]),
        lambda shop: shop.renew("2020-01-01"),
        lambda shop: shop.renew(None, purge_after="2h"),
        lambda shop: shop.at(shop.head).renew("2h"),
    ],
)
@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_a_lifetime_that_makes_no_sense_is_refused(lake: Lake, shop: Catalog, attempt: object) -> None:
    before = state(lake)
    with pytest.raises(InvalidInputError):
        attempt(shop)  # type: ignore[operator]
    assert (state(lake), shop.inspect.lifetime) == (before, None)


def test_a_reap_drops_what_has_lapsed_and_purges_what_was_dropped_long_ago(lake: Lake, shop: Catalog) -> None:
    agents = shop.fork_many(["a", "b", "c", "d"], ttl="2h", purge_after="1h")
    once = shop.fork("once", ttl="2h")
    below = agents[0].fork("below")
    pass_by(lake, "a", "b", "c", "once")
    planned = lake.reap(dry_run=True)
    assert planned.dry_run
    assert {each.name for each in planned.dropped} == {"a", "b", "c", "once"}
    assert all(agent.inspect.is_live for agent in agents)
    done = lake.reap()
    assert (done.dropped, done.purged) == (planned.dropped, ())
    assert [info.name for info in lake.catalogs()] == ["below", "d", "shop"]
    assert [table.name for table in below.tables()] == ["orders"]
    assert lake.reap().dropped == ()

    # It comes back without the lifetime that has passed, unless it gets another.
    assert lake.undrop_catalog("a").inspect.lifetime is None
    back = lake.undrop_catalog("once", ttl="2h")
    assert back.inspect.lifetime is not None
    back.create_table("more", {"id": "BIGINT"})
    agents[0].create_table("more", {"id": "BIGINT"})

    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_catalog SET end_time = :time WHERE end_time IS NOT NULL",
            time=session.now() - timedelta(hours=2),
        )
    assert {each.name for each in lake.reap().purged} == {"b", "c"}
    with pytest.raises(NotFoundError):
        lake.undrop_catalog("b")
    assert rows(lake, "SELECT count(*) FROM forklake.ducklake_lifetime") == [(2,)]
    assert lake.reap(limit=1) == lake.reap(limit=1)
    assert once.inspect.is_live


def test_maintenance_reaps_in_bounded_time_and_tells_what_is_left(lake: Lake, shop: Catalog) -> None:
    for name in ("a", "b"):
        shop.fork(name, ttl="2h")
    pass_by(lake, "a", "b")
    assert lake.stats().needs.counts["reap"] == 2
    assert lake.maintenance.run(duration=timedelta(seconds=0)).reaped.dropped == ()
    assert lake.maintenance.needs.lapsed_count == 2
    assert len(lake.maintenance.run(duration="1 hour").reaped.dropped) == 2
    assert lake.stats().needs.counts["reap"] == 0


def test_a_reap_is_bounded(lake: Lake, shop: Catalog) -> None:
    names = [f"try-{number}" for number in range(7)]
    shop.fork_many(names, ttl="1h")
    pass_by(lake, *names)
    seen: list[int] = []
    assert len(lake.reap(limit=3, progress=lambda step, done, total: seen.append(done)).dropped) == 3
    assert seen == [3]
    assert len(lake.reap().dropped) == 4
    for limit in (0, -1, True, "all"):
        with pytest.raises(InvalidInputError, match="nothing was dropped"):
            lake.reap(limit=limit)  # type: ignore[arg-type]


def test_maintenance_of_the_lake_reaps(lake: Lake, shop: Catalog) -> None:
    shop.fork("agent", ttl="1h")
    pass_by(lake, "agent")
    assert [each.name for each in lake.maintenance.run().reaped.dropped] == ["agent"]


def test_who_looks_for_a_fork_finds_its_author_and_labels(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent", author="ann", labels={"team": "web", "run": "7"})
    copied = shop.fork("copied", author="bob", labels={"team": "web"}, copy=True)
    (many,) = shop.fork_many(["many"], author="cid", labels={"team": "ops"})
    made = lake.create_catalog("made", author="dan", labels={"team": "web"})
    assert [one.snapshots()[-1].author for one in (agent, copied, many, made)] == ["ann", "bob", "cid", "dan"]
    assert agent.inspect.labels == {"run": "7", "team": "web"}
    assert shop.inspect.labels == {}
    assert [info.name for info in lake.catalogs(labels={"team": "web"})] == ["agent", "copied", "made"]
    assert [info.name for info in lake.catalogs(labels={"team": "web", "run": "7"})] == ["agent"]
    assert lake.catalogs(labels={"team": "none"}) == []
    assert [info.name for info in lake.catalogs(labels={"team": "web"}, prefix="c", limit=1)] == ["copied"]
