"""A catalog whose chain is another from one of its snapshots on: each snapshot is read by the chain of its time."""

import pytest

from forklake import Catalog, Lake
from forklake.errors import SnapshotNotFoundError
from forklake.metastore import procedures
from forklake.metastore.queries import heads
from forklake.metastore.visibility import BareChain
from forklake.model.ids import INFINITY, SnapshotId
from tests.contract.support import data_file, file_names, rows
from tests.sound import check_sound

every_kind = pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb", "postgres"], indirect=True)


def begin_epoch(lake: Lake, fork: Catalog, parent: Catalog) -> SnapshotId:
    """Move the pin of a fork without own rows to the head of its parent, a root."""
    with lake._runtime.store.writing() as session:
        snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
        assert heads.swap_head(session, fork.catalog_id, fork.head, snapshot)
        procedures.write_snapshot(session, fork.catalog_id, snapshot, session.now(), 1, fork.head)
        procedures.write_changes(session, fork.catalog_id, snapshot, "")
        session.execute(
            "UPDATE forklake.ducklake_segment SET until = :s WHERE catalog_id = :c AND until = :last",
            s=snapshot,
            c=fork.catalog_id,
            last=INFINITY,
        )
        chain = BareChain([parent.catalog_id], [parent.head])
        heads.write_segments(session, fork.catalog_id, snapshot, chain, [INFINITY])
        session.insert_many(
            "ducklake_merge",
            ("catalog_id", "source_id", "begin_snapshot", "source_snapshot_id", "kind", "may_return"),
            [(fork.catalog_id, parent.catalog_id, snapshot, parent.head, "refresh", False)],
        )
    return snapshot


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([data_file("a")])
    return shop


@pytest.fixture
def agent(lake: Lake, shop: Catalog) -> Catalog:
    """A fork that saw file a at its first snapshot, and sees b at its second, in another epoch.

    It is younger than what its parent did meanwhile, so only the chain of the epoch tells what it saw.
    """
    pin = shop.head
    shop.drop_table("orders")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([data_file("b")])
    agent = shop.fork("agent", at=pin)
    begin_epoch(lake, agent, shop)
    return lake.catalog("agent")


def own(catalog: Catalog) -> list[SnapshotId]:
    return [one.snapshot_id for one in catalog.snapshots() if one.catalog_id == catalog.catalog_id]


@every_kind
def test_each_snapshot_is_read_by_the_chain_of_its_epoch(shop: Catalog, agent: Catalog) -> None:
    first, _ = own(agent)
    assert file_names(agent, "orders") == ["b"]
    assert file_names(agent.at(first), "orders") == ["a"]
    inherited = [one.snapshot_id for one in agent.snapshots() if one.catalog_id == shop.catalog_id]
    assert file_names(agent.at(inherited[-1]), "orders") == ["a"]
    between = [one.snapshot_id for one in shop.snapshots() if one.snapshot_id > inherited[-1]]
    assert between
    assert not {*inherited} & {*between}
    with pytest.raises(SnapshotNotFoundError):
        agent.at(between[0])


@every_kind
def test_a_fork_sees_no_version_from_before_the_epoch_of_its_pin(lake: Lake, shop: Catalog, agent: Catalog) -> None:
    first, second = own(agent)
    old, new = agent.fork("old", at=first), agent.fork("new")
    older = agent.fork("older", at=agent.snapshots()[-3].snapshot_id)
    assert [file_names(one, "orders") for one in (old, new, older)] == [["a"], ["b"], ["a"]]
    assert [one.snapshot_id for one in new.snapshots()] == [second, new.head]
    assert {one.catalog_id for one in old.snapshots()} == {shop.catalog_id, agent.catalog_id, old.catalog_id}
    with pytest.raises(SnapshotNotFoundError):
        new.at(first)
    check_sound(lake, files=False)


@every_kind
def test_an_epoch_keeps_what_it_shows_until_its_last_snapshot_is_expired(
    lake: Lake, shop: Catalog, agent: Catalog
) -> None:
    first, _ = own(agent)
    shop.maintenance.expire_snapshots(older_than="0 seconds")
    assert file_names(agent.at(first), "orders") == ["a"]
    agent.maintenance.expire_snapshots(versions=[first])
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert [one.snapshot_id for one in agent.snapshots()] == [agent.head]
    assert rows(lake, "SELECT path FROM forklake.ducklake_data_file") == [("b.parquet",)]
    known = "SELECT source_id, kind FROM forklake.ducklake_merge WHERE catalog_id = :c"
    assert {*rows(lake, known, c=agent.catalog_id)} == {(shop.catalog_id, "chain"), (shop.catalog_id, "refresh")}
    assert file_names(agent, "orders") == ["b"]
    check_sound(lake, files=False)


@every_kind
def test_views_show_each_epoch_by_its_own_rows(lake: Lake, agent: Catalog) -> None:
    first, second = own(agent)
    view = "ducklake_data_file" if lake._runtime.store.dialect.name != "postgresql" else "ducklake.ducklake_data_file"
    found = rows(
        lake, f"SELECT begin_snapshot, end_snapshot, path FROM {view} WHERE catalog_id = :c", c=agent.catalog_id
    )
    for at, name in ((first, "a"), (second, "b")):
        shown = [path for begin, end, path in found if begin <= at and (end is None or end > at)]
        assert [path.rsplit("/", 1)[1] for path in shown] == [f"{name}.parquet"]
