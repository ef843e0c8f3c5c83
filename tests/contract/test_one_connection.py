"""What one caller does needs one connection, so a small pool cannot lock itself up."""

from forklake import Settings
from tests.lakes import LakeFactory


def test_merges_need_one_connection_only(lake_factory: LakeFactory) -> None:
    with lake_factory.open(Settings(pool_size=1, connect_timeout_seconds=1)) as lake:
        shop = lake.create_catalog("shop")
        orders = shop.create_table("orders", {"id": "BIGINT"})
        orders.append([{"id": number} for number in range(100)])
        agent, other = shop.fork("agent"), shop.fork("other")
        for catalog, place in ((shop, 1), (agent, 2)):
            (file,) = catalog.table("orders").storage.files()
            catalog.table("orders").storage.inline_deletes({file.data_file_id: [place]})
        shop.options.set("data_inlining_row_limit", 0)
        assert shop.merge(agent).snapshot_id is not None
        (file,) = orders.storage.files()
        assert file.delete_file is not None  # that it wrote, under a lease
        assert other.refresh().snapshot_id is not None
        assert other.reset_to(agent).snapshot_id is not None
        assert {row for (row,) in other.table("orders").rows()} == {*range(100)} - {2}


def test_copy_and_sever_need_one_connection_only(lake_factory: LakeFactory) -> None:
    with lake_factory.open(Settings(pool_size=1, connect_timeout_seconds=1)) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        agent = shop.fork("agent")
        agent.maintenance.sever()
        copy = shop.fork("copy", copy=True)
        assert [table.name for table in agent.tables()] == ["orders"]
        assert [table.name for table in copy.tables()] == ["orders"]
