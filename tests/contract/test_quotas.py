"""Quotas refuse what would exceed them, in the transaction that would."""

import pyarrow as pa
import pytest

from forklake import Catalog, Lake
from forklake.errors import InvalidInputError, QuotaError
from tests.contract.support import data_file, delete_file, rows, state
from tests.sound import check_sound


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    shop.table("orders").storage.append_files([data_file("a"), data_file("b", 5)])
    return shop


def used(catalog: Catalog) -> tuple[int, int]:
    found = catalog.quota().used
    return found.file_count, found.byte_count


def counted(lake: Lake, catalog: Catalog) -> tuple[int, int]:
    """Return the totals that the head has, after a look that they are those of the rows."""
    check_sound(lake, files=False)
    ((files, size),) = rows(
        lake, "SELECT own_files, own_bytes FROM forklake.ducklake_head WHERE catalog_id = :c", c=catalog.catalog_id
    )
    return files, size


def test_every_way_to_write_or_end_files_is_counted(lake: Lake, shop: Catalog) -> None:
    orders = shop.table("orders").storage
    assert counted(lake, shop) == (2, 150)
    first, second = (file.data_file_id for file in orders.files())
    orders.delete_rows([delete_file(first, "d")])
    assert counted(lake, shop) == (3, 160)
    orders.delete_rows([delete_file(first, "e", 2)])  # in place of the other
    assert counted(lake, shop) == (3, 160)
    agent = shop.fork("agent")
    assert counted(lake, agent) == (0, 0)
    agent.table("orders").storage.remove_files([second])  # inherited: a tombstone
    assert counted(lake, agent) == (0, 0)
    agent.table("orders").storage.append_files([data_file("f", 3)])
    assert counted(lake, agent) == (1, 30)
    orders.remove_files([first])  # with its delete file
    assert counted(lake, shop) == (1, 50)
    assert counted(lake, shop.fork("copied", copy=True)) == (1, 50)
    agent.maintenance.sever()
    assert counted(lake, agent) == (3, 140)
    agent.table("orders").drop()
    assert counted(lake, agent) == (0, 0)
    agent.maintenance.expire_snapshots(older_than="0 seconds")
    lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert counted(lake, agent) == (0, 0)
    with shop.transaction() as transaction:
        transaction.create_table("gone", {"id": "BIGINT"})
        transaction.table("gone").storage.append_files([data_file("g")])
        transaction.table("gone").drop()
        transaction.table("orders").storage.append_files([data_file("h")])
    assert counted(lake, shop) == (2, 150)


def test_a_flush_and_a_compaction_are_counted(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.storage.insert_inlined([{"id": "1"}])
    assert counted(lake, shop) == (0, 0)
    shop.maintenance.flush_inlined()
    assert counted(lake, shop)[0] == 1
    for number in range(3):
        table.append(pa.table({"id": [number]}))
    assert counted(lake, shop)[0] == 4
    shop.set_quota(max_files=4)
    assert [one.files_processed for one in shop.maintenance.merge_adjacent_files()] == [4]
    assert counted(lake, shop)[0] == 1


def test_bytes_and_files_are_limited(lake: Lake, shop: Catalog) -> None:
    shop.set_quota(max_bytes=200, max_files=4)
    orders = shop.table("orders").storage
    orders.append_files([data_file("c", 5)])
    before, head = state(lake), shop.head
    with pytest.raises(QuotaError, match=r'"shop" does not allow it: max_bytes is 200, and this would make 210'):
        orders.append_files([data_file("d", 1)])
    assert (state(lake), shop.head) == (before, head)
    orders.append_files([data_file("e", 0)])
    with pytest.raises(QuotaError, match=r"max_files is 4, and this would make 5"):
        orders.append_files([data_file("f", 0)])
    assert used(shop) == (4, 200)
    orders.remove_files([orders.files()[0].data_file_id])
    orders.append_files([data_file("d", 1)])
    shop.create_table("more", {"id": "BIGINT"})
    agent = shop.fork("agent")
    agent.table("orders").storage.append_files([data_file("x", 1000)])  # its own, and no subtree
    shop.set_quota()
    orders.append_files([data_file("y", 1000)])
    assert shop.quota().quota.max_bytes is None


def test_who_is_over_a_quota_may_still_give_back(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("orders").storage.append_files([data_file("x"), data_file("y")])
    agent.drop()
    shop.set_quota(max_files=2, subtree=True)  # what is dropped does not count
    lake.undrop_catalog("agent")
    with pytest.raises(QuotaError, match='"shop"'):
        agent.table("orders").storage.append_files([data_file("z")])
    for file in agent.table("orders").storage.files():
        agent.table("orders").storage.remove_files([file.data_file_id])
    assert shop.quota().used.file_count == 2


def test_a_subtree_counts_its_forks_and_theirs(lake: Lake, shop: Catalog) -> None:
    shop.set_quota(max_files=4, subtree=True)
    agent = shop.fork("agent")
    below = agent.fork("below")
    agent.table("orders").storage.append_files([data_file("x")])
    below.table("orders").storage.append_files([data_file("y")])
    for one in (shop, agent, below):
        with pytest.raises(QuotaError, match=r'"shop" does not allow it: max_files is 4, and this would make 5'):
            one.table("orders").storage.append_files([data_file("z")])
    with pytest.raises(QuotaError, match=r"max_files is 4, and this would make 6.*not severed"):
        below.maintenance.sever()
    assert used(shop) == (4, 350)
    below.drop()
    shop.table("orders").storage.append_files([data_file("z")])


def test_forks_and_levels_are_limited(lake: Lake, shop: Catalog) -> None:
    shop.set_quota(max_forks=2, max_depth=2)
    agent, _ = shop.fork("agent"), shop.fork("other")
    before = state(lake)
    with pytest.raises(QuotaError, match=r"max_forks is 2, and this would make 3. 'third' was not made"):
        shop.fork("third")
    with pytest.raises(QuotaError, match=r"max_forks is 2"):
        shop.fork("third", copy=True)
    assert state(lake) == before
    below = agent.fork("below")
    before = state(lake)
    with pytest.raises(QuotaError, match=r"max_depth is 2, and this would make 3"):
        below.fork("too deep")
    assert state(lake) == before
    lake.catalog("other").drop()
    with pytest.raises(QuotaError, match=r"max_forks is 2"):
        shop.fork_many(["x", "y"])
    shop.fork_many(["x"])
    shop.set_quota(max_forks=4, subtree=True)  # agent, below, x
    below.fork("fourth")
    with pytest.raises(QuotaError, match=r"max_forks is 4"):
        agent.fork("fifth")
    assert shop.quota().used.fork_count == 4
    assert shop.quota().used.depth == 3


def test_a_quota_below_what_is_used_is_refused(lake: Lake, shop: Catalog) -> None:
    shop.fork("agent").fork("below").table("orders").storage.append_files([data_file("x")])
    for limits, told in (
        ({"max_bytes": 149}, "max_bytes cannot be 149: 150 are used already"),
        ({"max_files": 1}, "max_files cannot be 1: 2 are used already"),
        ({"max_files": 2, "subtree": True}, "max_files cannot be 2: 3 are used already"),
        ({"max_forks": 0}, "max_forks cannot be 0: 1 are used already"),
        ({"max_forks": 1, "subtree": True}, "max_forks cannot be 1: 2 are used already"),
        ({"max_depth": 1}, "max_depth cannot be 1: 2 are used already"),
        ({"max_bytes": -1}, "max_bytes is a whole number from 0 to 4,611,686,018,427,387,904, not -1"),
        ({"max_files": "many"}, "max_files is a whole number from 0 to 4,611,686,018,427,387,904, not 'many'"),
        ({"max_forks": True}, "max_forks is a whole number from 0 to 4,611,686,018,427,387,904, not True"),
    ):
        with pytest.raises(InvalidInputError, match=told):
            shop.set_quota(**limits)
    assert rows(lake, "SELECT count(*) FROM forklake.ducklake_quota") == [(0,)]
    shop.set_quota(max_bytes=150, max_files=2, max_forks=1, max_depth=2)


def test_a_purge_takes_all_of_it_away(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent", ttl="1h", labels={"a": "b"})
    agent.set_quota(max_files=7)
    agent.tag("v1")
    agent.drop()
    lake.purge("agent")
    for table in ("lifetime", "quota", "snapshot_tag", "catalog_label"):
        name = f"ducklake_{table}"
        assert rows(lake, f"SELECT count(*) FROM forklake.{name}") == [(0,)]
    check_sound(lake, files=False)
