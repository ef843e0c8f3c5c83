"""The roles that the guide describes may do on PostgreSQL what it says, and nothing else."""

import logging
import os
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
from forklake.errors import ForklakeError, MetastoreRefusedError, QuotaError
from forklake.metastore.postgres import initialise
from tests.stored import load as stored
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
        connection.execute(
            f"CREATE ROLE {prefix}_web LOGIN; GRANT USAGE ON SCHEMA ducklake TO {prefix}_web;"
            f" GRANT SELECT ON ALL TABLES IN SCHEMA ducklake TO {prefix}_web".encode()
        )
        yield {
            "web": re.sub("//[^@/]*@", f"//{prefix}_web@", postgres_database),
            "owner": postgres_database,
            **{kind: re.sub("//[^@/]*@", f"//{prefix}_a_{kind}@", postgres_database) for kind in kinds},
        }
        connection.execute(
            f"DROP OWNED BY {roles}, {prefix}_web; DROP ROLE {members}, {prefix}_web; DROP ROLE {roles}".encode()
        )


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


def test_a_writer_makes_a_maintainer_delete_nothing_of_others(urls: dict[str, str], tmp_path: Path) -> None:
    theirs = tmp_path / "warehouse" / "sales" / "orders.parquet"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"precious")
    os.utime(theirs, (1, 1))
    with Lake(urls["writer"]) as lake:
        lake.create_catalog("sales", data_path=tmp_path / "warehouse")
        lake.catalog("shop").fork("fork", data_path=tmp_path / "warehouse")
    with psycopg.connect(urls["writer"], autocommit=True) as connection:
        connection.execute(
            "UPDATE forklake.ducklake_catalog SET path = %s WHERE catalog_name = 'fork'", [f"{theirs.parent}/"]
        )
    with Lake(urls["maintainer"]) as lake:
        assert lake.maintenance.delete_orphaned_files().files == ()
        assert lake.maintenance.delete_orphaned_files(cleanup_all=True).left == 1
    assert theirs.exists()


def test_what_a_reader_is_refused_leaves_nothing_on_stderr(
    urls: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with Lake(urls["reader"]) as lake, caplog.at_level(logging.WARNING, "psycopg"):
        for _ in range(8):
            with pytest.raises(MetastoreRefusedError, match="permission denied"):
                lake.catalog("shop").table("t").append(pa.table({"id": [5]}))
        assert lake.catalog("shop").table("t").count() == 3
    assert caplog.messages == []


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
            lambda: shop.set_quota(max_forks=100),
        ):
            with pytest.raises(MetastoreRefusedError, match="permission denied"):
                attempt()
        assert sorted(lake.catalog("agent").table("t").rows()) == [(1,), (2,), (3,), (4,)]
    with (
        psycopg.connect(urls["writer"]) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="ducklake_files_scheduled_for_deletion"),
    ):
        connection.execute(
            "INSERT INTO forklake.ducklake_files_scheduled_for_deletion"
            " (catalog_id, data_file_id, path, path_is_relative, schedule_start) VALUES (0, 1, '/x', false, now())"
        )


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


def test_a_writer_spends_of_a_quota_and_cannot_lift_it(urls: dict[str, str]) -> None:
    with Lake(urls["maintainer"]) as lake:
        shop = lake.catalog("shop")
        used = shop.quota().used
        shop.set_quota(max_forks=used.fork_count + 1, max_files=used.file_count + 2, subtree=True)
    with Lake(urls["writer"]) as lake:
        shop = lake.catalog("shop")
        shop.table("t").append(pa.table({"id": [5]}))
        fork = shop.fork("another")
        for attempt in (lambda: fork.table("t").append(pa.table({"id": [6]})), lambda: shop.fork("more")):
            with pytest.raises(QuotaError, match=r'"shop" does not allow it: max_f\w+ is'):
                attempt()
    with psycopg.connect(urls["writer"], autocommit=True) as connection:
        for text in (
            "UPDATE forklake.ducklake_quota SET max_forks = NULL",
            "UPDATE forklake.ducklake_quota SET catalog_id = catalog_id + 1000",
            "DELETE FROM forklake.ducklake_quota",
            "INSERT INTO forklake.ducklake_quota (catalog_id, max_forks, subtree) VALUES (1, 1000, false)",
            "SELECT FROM forklake.ducklake_quota FOR UPDATE",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(text.encode())


@pytest.mark.parametrize("kind", ["reader", "web"])
def test_who_may_only_read_holds_up_nobody(urls: dict[str, str], kind: str) -> None:
    with psycopg.connect(urls["owner"], autocommit=True) as owner, psycopg.connect(urls[kind]) as holder:
        for text in (
            "SELECT forklake.lock_alone(0)",
            "SELECT forklake.lock_alone(-1)",
            "SELECT forklake.lock_shared(0)",
            "SELECT forklake.lock_one(0, 3::smallint)",
            "SELECT FROM forklake.ducklake_lock FOR KEY SHARE",
            "INSERT INTO forklake.ducklake_lock VALUES (0, 3)",
            "LOCK TABLE forklake.ducklake_lock IN ROW SHARE MODE",
            "SELECT FROM forklake.ducklake_head FOR KEY SHARE",
            "SELECT FROM forklake.ducklake_catalog FOR UPDATE",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), holder.transaction():
                holder.execute(text.encode())
        # What PostgreSQL lets everybody take, on every key that might count.
        (key,) = owner.execute("SELECT 'forklake.ducklake_catalog'::regclass::oid::integer").fetchone() or (0,)
        holder.execute(f"SELECT pg_advisory_lock({key}, n) FROM generate_series(-1, 10) n".encode())
        with Lake(urls["maintainer"], settings=Settings(statement_timeout_seconds=20)) as lake:
            shop = lake.catalog("shop")
            shop.fork("other").drop()
            lake.purge("other")
            shop.table("t").append(pa.table({"id": [5]}))
            shop.maintenance.expire_snapshots(older_than=timedelta(0))
            lake.create_catalog("mine")
        holder.rollback()


def test_an_owner_who_is_not_a_superuser_makes_and_upgrades_a_lake(postgres_database: str, tmp_path: Path) -> None:
    name = f"owner_{uuid4().hex[:12]}"
    url = re.sub("//[^@/]*@", f"//{name}@", postgres_database)
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB".encode())
        connection.execute(f'GRANT CREATE ON DATABASE "{connection.info.dbname}" TO {name}'.encode())
        try:
            stored.load("v3", "postgresql", tmp_path / "home", url)
            assert forklake.upgrade(url).is_done
            with Lake(url) as lake:
                parent = lake.catalogs()[0]
                fork = lake.catalog(parent.name).fork("a fork of the owner")
                fork.maintenance.sever()
                assert {one.severity for one in lake.maintenance.check(files=False).findings} <= {"note"}
            connection.execute("DROP SCHEMA forklake, ducklake CASCADE")
            assert initialise(url, None, Settings())
            with Lake(url, data_path=tmp_path / "data") as lake:
                lake.create_catalog("shop").create_table("t", {"id": "BIGINT"}).append(pa.table({"id": [1]}))
                assert lake.catalog("shop").fork("agent").table("t").rows() == [(1,)]
        finally:
            connection.execute(f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}".encode())
