"""Tags name snapshots, and keep them from expiry."""

from datetime import UTC, datetime, timedelta

import pytest

from forklake import Catalog, Lake
from forklake.errors import (
    AlreadyExistsError,
    InvalidInputError,
    InvalidNameError,
    NotFoundError,
    SnapshotNotFoundError,
)
from tests.contract.support import names, rows


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    for name in ("one", "two", "three"):
        shop.create_table(name, {"id": "BIGINT"})
    return shop


def test_a_tag_works_wherever_a_version_is_asked_for(lake: Lake, shop: Catalog) -> None:
    first = shop.snapshots()[1].snapshot_id
    made = shop.tag("v1", at=first, message="the first")
    assert (made.name, made.snapshot_id, made.catalog_id) == ("v1", first, shop.catalog_id)
    assert (made.keep_until, made.message) == (None, "the first")
    assert shop.tags() == [made]
    for past in (shop.at("v1"), shop.at(tag="v1"), shop.at("V1"), shop.at(tag="v1").at(tag="v1")):
        assert (past.head, names(past)) == (first, ["one"])
    assert names(shop.fork("agent", at="v1")) == ["one"]
    assert names(shop.fork("copied", at="v1", copy=True)) == ["one"]
    assert [names(fork) for fork in shop.fork_many(["a", "b"], at="v1")] == [["one"], ["one"]]
    assert shop.table("one").at("v1").columns
    assert shop.table("one").at(tag="v1").columns
    assert shop.tag("same", at="v1").snapshot_id == first
    assert shop.tag("now").snapshot_id == shop.head
    assert shop.at("v1").tag("then").snapshot_id == first
    shop.untag("V1")
    with pytest.raises(SnapshotNotFoundError, match='No snapshot found at tag "v1"'):
        shop.at(tag="v1")
    with pytest.raises(InvalidInputError, match='"v1" is no timestamp, and the catalog has no such tag'):
        shop.at("v1")


def test_the_nearest_tag_of_a_lineage_counts(shop: Catalog) -> None:
    shop.tag("v1", at=shop.snapshots()[1].snapshot_id)
    agent = shop.fork("agent")
    below = agent.fork("below")
    assert names(below.at("v1")) == ["one"]
    agent.create_table("four", {"id": "BIGINT"})
    agent.tag("v1")
    assert "four" in names(agent.at("v1"))
    assert names(below.at("v1")) == ["one"]  # what came after the pin is none of its versions
    assert [tag.catalog_id for tag in agent.tags()] == [agent.catalog_id]
    shop.create_table("late", {"id": "BIGINT"})
    shop.tag("late")
    with pytest.raises(SnapshotNotFoundError):
        agent.at(tag="late")
    # One that is set later, and names what the fork has of its parent, is found.
    shop.tag("early", at=shop.snapshots()[0].snapshot_id)
    assert names(agent.at("early")) == []
    assert [tag.name for tag in below.tags()] == ["early", "v1"]


def test_what_cannot_be_tagged_is_refused(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    shop.tag("v1")
    for name in (
        "17",
        "-3",
        "1.5",
        "1e5",
        "nan",
        "2026-01-31",
        "2026-01-31 12:00:00",
        "2h",
        "7 days",
        " v1",
        "",
        "x" * 256,
    ):
        with pytest.raises(InvalidNameError):
            shop.tag(name)
    with pytest.raises(AlreadyExistsError, match='tag "V1" already'):
        shop.tag("V1")
    with pytest.raises(InvalidInputError, match='inherited from "shop"'):
        agent.tag("v2", at=shop.head)
    for attempt in (
        lambda: shop.tag("v2", keep_until=datetime(2020, 1, 1, tzinfo=UTC)),
        lambda: shop.tag("v2", keep_until="-1 day"),
        lambda: shop.tag("v2", keep_until="soon"),
        lambda: shop.at(tag=17),  # type: ignore[arg-type]
        lambda: shop.at(version=1, tag="v1"),
        lambda: shop.at(shop.head).untag("v1"),
        lambda: lake.at("v1"),
    ):
        with pytest.raises(InvalidInputError):
            attempt()
    with pytest.raises(SnapshotNotFoundError):
        shop.tag("v2", at=999)
    with pytest.raises(NotFoundError, match='has the tag "v2"'):
        shop.untag("v2")
    with pytest.raises(NotFoundError, match="own has the tag"):
        agent.untag("v1")
    assert [tag.name for tag in shop.tags()] == ["v1"]


def test_expiry_spares_what_is_tagged_and_says_so(lake: Lake, shop: Catalog) -> None:
    first, second, third, _ = (snapshot.snapshot_id for snapshot in shop.snapshots())
    shop.tag("v1", at=first)
    shop.tag("v2", at=second, keep_until="30 days")
    planned = shop.maintenance.expire_snapshots(older_than="0 seconds", dry_run=True)
    done = shop.maintenance.expire_snapshots(older_than="0 seconds")
    assert planned == done == [third]
    assert planned.spared == done.spared
    assert [each.snapshot_id for each in done.spared] == [first, second]
    assert done.spared[0].reason == 'It has the tag "v1".'
    assert done.spared[1].reason.startswith('It has the tag "v2", which keeps it until ')
    assert names(shop.at("v1")) == []
    assert names(shop.at("v2")) == ["one"]
    named = shop.maintenance.expire_snapshots(versions=[first])
    assert (named, [each.snapshot_id for each in named.spared]) == ([], [first])
    # Once its time has passed, a tag goes with its snapshot.
    with lake._runtime.store.writing() as session:
        session.execute(
            "UPDATE forklake.ducklake_snapshot_tag SET keep_until = :time WHERE tag_key = 'v2'",
            time=session.now() - timedelta(seconds=1),
        )
    assert shop.maintenance.expire_snapshots(older_than="0 seconds") == [second]
    assert [tag.name for tag in shop.tags()] == ["v1"]
    released = shop.maintenance.expire_snapshots(older_than="0 seconds", release=True)
    assert (released, released.spared, shop.tags()) == ([first], (), [])


def test_a_severed_catalog_and_a_copy_have_no_tags(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.create_table("four", {"id": "BIGINT"})
    agent.tag("mine")
    shop.tag("v1")
    assert shop.fork("copied", copy=True).tags() == []
    agent.maintenance.sever()
    assert agent.tags() == []
    assert rows(lake, "SELECT tag_name FROM forklake.ducklake_snapshot_tag") == [("v1",)]


def test_a_tag_of_what_a_refresh_brought_is_none_of_the_fork(shop: Catalog) -> None:
    shop.tag("v1")
    agent = shop.fork("agent")
    shop.create_table("late", {"id": "BIGINT"})
    shop.tag("v2")
    agent.refresh()
    assert "late" in names(agent)
    # The parent's snapshots since the fork are no versions of it, before a refresh and after.
    assert [tag.name for tag in agent.tags()] == ["v1"]
    assert "late" not in names(agent.at("v1"))
    with pytest.raises(SnapshotNotFoundError, match='No snapshot found at tag "v2"'):
        agent.at(tag="v2")
    agent.tag("v2")
    assert "late" in names(agent.at("v2"))
    assert [tag.catalog_id for tag in agent.tags()] == [agent.catalog_id, shop.catalog_id]
