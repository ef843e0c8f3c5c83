"""What one caller does needs one connection, so a small pool cannot lock itself up."""

from forklake import Settings
from tests.lakes import LakeFactory


def test_copy_and_sever_need_one_connection_only(lake_factory: LakeFactory) -> None:
    with lake_factory.open(Settings(pool_size=1, connect_timeout_seconds=1)) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        agent = shop.fork("agent")
        agent.maintenance.sever()
        copy = shop.fork("copy", copy=True)
        assert [table.name for table in agent.tables()] == ["orders"]
        assert [table.name for table in copy.tables()] == ["orders"]
