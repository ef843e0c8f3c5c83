"""The roles that the guide describes may do on PostgreSQL what it says, and nothing else."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
import pyarrow as pa
import pytest

import forklake
from forklake import Lake, Settings
from forklake.errors import ForklakeError, MetastoreRefusedError
from forklake.metastore.postgres import initialise
from tests.waiting import wait_until

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "operations.md"


@pytest.fixture
def urls(postgres_database: str, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The URL of a lake with some history, for the owner and for a member of each role."""
    initialise(postgres_database, 2, Settings())
    with Lake(postgres_database, data_path=tmp_path / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", {"id": "BIGINT"}).append(pa.table({"id": [1, 2, 3]}))
        shop.fork("agent").table("t").append(pa.table({"id": [4]}))
    prefix = f"role_{uuid4().hex[:12]}"
    (script,) = re.findall(r"```sql\n(CREATE ROLE lake_reader.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    kinds = ("reader", "writer", "maintainer")
    roles = ", ".join(f"{prefix}_{kind}" for kind in kinds)
    members = ", ".join(f"{prefix}_a_{kind}" for kind in kinds)
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(script.replace("lake_", f"{prefix}_").replace(f"duck{prefix}_", "ducklake_").encode())
        for kind in kinds:
            connection.execute(f"CREATE ROLE {prefix}_a_{kind} LOGIN IN ROLE {prefix}_{kind}".encode())
        yield {
            "owner": postgres_database,
            **{kind: re.sub("//[^@/]*@", f"//{prefix}_a_{kind}@", postgres_database) for kind in kinds},
        }
        connection.execute(f"DROP OWNED BY {roles}; DROP ROLE {members}; DROP ROLE {roles}".encode())


def test_a_reader_reads_and_changes_nothing(urls: dict[str, str]) -> None:
    with Lake(urls["reader"]) as lake:
        shop = lake.catalog("shop")
        assert sorted(lake.catalog("agent").table("t").rows()) == [(1,), (2,), (3,), (4,)]
        assert shop.at(version=shop.snapshots()[1].snapshot_id).table("t").rows() == []
        assert [each.name for each in lake.catalogs()] == ["agent", "shop"]
        assert lake.stats().catalog_count == 2
        assert lake.ping().product == "postgresql"
        for attempt in (
            lambda: shop.create_table("u", {"id": "BIGINT"}),
            lambda: shop.fork("another"),
            lambda: lake.create_catalog("mine"),
            lambda: shop.options.set("data_inlining_row_limit", 7),
            shop.drop,
            lambda: forklake.upgrade(urls["reader"]),
        ):
            with pytest.raises(MetastoreRefusedError, match=r"does not allow this: permission denied .*; nothing was"):
                attempt()
    with psycopg.connect(urls["reader"]) as connection:
        found = connection.execute("SELECT table_name FROM ducklake.ducklake_table WHERE catalog_id = 0").fetchall()
    assert found == [("t",)]


def test_a_writer_commits_and_forgets_nothing(urls: dict[str, str]) -> None:
    with Lake(urls["writer"]) as lake:
        shop = lake.catalog("shop")
        shop.table("t").append(pa.table({"id": [5]}))
        shop.options.set("data_inlining_row_limit", 7)
        shop.options.reset("data_inlining_row_limit")
        fork = shop.fork("another")
        fork.table("t").storage.remove_files([fork.table("t").storage.files()[0].data_file_id])
        shop.fork("copied", copy=True).rename("renamed")
        fork.drop()
        lake.undrop_catalog("another")
        lake.create_catalog("mine").create_table("u", {"id": "BIGINT"})
        shop.table("t").storage.remove_files([shop.table("t").storage.files()[0].data_file_id])
        lake.catalog("renamed").drop()
        shop.set_quota(max_forks=100, subtree=True)
        shop.tag("v1")
        shop.untag("v1")
        brief = shop.fork("brief", ttl="1h", labels={"a": "b"})
        brief.table("t").append(pa.table({"id": [6]}))
        brief.renew(None)
        for attempt in (
            lambda: shop.maintenance.expire_snapshots(older_than=timedelta(0)),
            lake.catalog("another").maintenance.sever,
            lambda: lake.purge("renamed"),
            shop.set_quota,
        ):
            with pytest.raises(MetastoreRefusedError, match="permission denied"):
                attempt()
        assert sorted(lake.catalog("agent").table("t").rows()) == [(1,), (2,), (3,), (4,)]


def test_a_maintainer_cleans_up_and_changes_no_tables_of_the_store(urls: dict[str, str]) -> None:
    with Lake(urls["maintainer"]) as lake:
        shop = lake.catalog("shop")
        shop.table("t").append(pa.table({"id": [5]}))
        assert shop.maintenance.expire_snapshots(older_than=timedelta(0))
        lake.catalog("agent").maintenance.sever()
        lake.catalog("agent").drop()
        lake.purge("agent")
        shop.set_quota(max_forks=1)
        shop.set_quota()
        shop.fork("brief", ttl="0.001 seconds")
        wait_until(lambda: [each.name for each in lake.reap().dropped] == ["brief"])
        assert [each.name for each in lake.catalogs()] == ["shop"]
    with psycopg.connect(urls["owner"], autocommit=True) as owner:
        owner.execute("UPDATE forklake.ducklake_metadata SET value = '1' WHERE key = 'forklake_version'")
    with pytest.raises(ForklakeError, match="permission denied to set role") as caught:
        forklake.upgrade(urls["maintainer"])
    assert caught.value.hint == "Run it as the owner of the metadata tables."
