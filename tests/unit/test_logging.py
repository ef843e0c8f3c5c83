"""What is logged: commits, retries, conflicts and jobs, by ids; nothing is printed unless a program asks for it."""

import logging
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

import forklake
from forklake import Lake, Settings
from forklake.config import Clock
from forklake.errors import CommitConflictError, ForklakeError


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    settings = Settings(clock=Clock(sleep=lambda seconds: None))
    return forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", settings=settings)


def test_commits_and_forks_are_logged_by_their_ids(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "forklake"):
        shop = lake.create_catalog("shop")
        with shop.transaction(commit_key="load 7") as transaction:
            transaction.create_table("secrets", {"id": "BIGINT"})
        shop.fork("agent")
    assert [(record.name, record.levelname, record.getMessage()) for record in caplog.records] == [
        (
            "forklake.commit",
            "INFO",
            "Snapshot 1 of catalog 0 committed after snapshot 0: 1 changes, 0 new files, key load 7",
        ),
        ("forklake.commit", "INFO", "Catalog 0 forked at snapshot 1: 1 forks"),
    ]


def test_retries_and_conflicts_are_logged(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT"})
    first, second = shop.transaction(), shop.transaction()
    first.create_table("u", {"id": "BIGINT"})
    second.table("t").storage.insert_inlined([{"id": "7777"}])
    with caplog.at_level(logging.INFO, "forklake"):
        first.commit()
        second.commit()
    assert [record.name.removeprefix("forklake.") for record in caplog.records] == ["commit", "retry", "commit"]
    assert caplog.messages[1] == "Others committed to catalog 0 after snapshot 1; planning again"
    caplog.clear()
    first, second = shop.transaction(), shop.transaction()
    first.table("t").drop()
    second.table("t").storage.insert_inlined([{"id": "7777"}])
    with caplog.at_level(logging.INFO, "forklake"):
        first.commit()
        with pytest.raises(CommitConflictError):
            second.commit()
    assert caplog.records[-1].name == "forklake.conflict"
    assert caplog.messages[-1] == "Catalog 0, snapshot 3 against 4: inlined_insert:1"
    assert "7777" not in caplog.text


def test_maintenance_is_logged(lake: Lake, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT"}).append(pa.table({"id": [1]}))
    fork = shop.fork("agent")
    (path,) = [Path(file.path) for file in shop.table("t").storage.files()]
    path.with_name("orphan.parquet").write_bytes(path.read_bytes())
    with caplog.at_level(logging.INFO, "forklake.maintenance"):
        fork.maintenance.sever()
        shop.table("t").drop()
        shop.maintenance.expire_snapshots(older_than=timedelta(0))
        shop.maintenance.expire_snapshots(older_than=timedelta(0), dry_run=True)
        shop.maintenance.delete_orphaned_files(cleanup_all=True)
        fork.drop()
        lake.purge("agent")
        lake.maintenance.cleanup_old_files(cleanup_all=True)
    assert caplog.messages == [
        "Catalog 1: severed at snapshot 4",
        "Catalog 0: 3 snapshots expired, 0 spared",
        "Catalog 0: 1 orphaned files deleted, 0 not",
        "Catalogs purged: 1",
        "Catalog 0: 1 old files deleted, 0 not",
    ]
    assert str(tmp_path) not in caplog.text


def test_nothing_is_printed_unless_a_program_sets_up_logging(tmp_path: Path) -> None:
    script = f"""
import forklake, logging
with forklake.open({str(tmp_path / "lake.db")!r}) as lake:
    lake.create_catalog("shop").create_table("t", {{"id": "BIGINT"}})
logging.getLogger("forklake.commit").warning("nobody listens")
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, timeout=120, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_what_is_done_to_catalogs_is_logged_with_who_did_it(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    shop = lake.create_catalog("shop")
    agent = shop.fork("agent", ttl="1 hour")
    with caplog.at_level(logging.INFO, "forklake.catalog"):
        agent.rename("run-7", author="ann", message="so that\nit can be found")
        agent.set_quota(max_files=9, max_forks=1, subtree=True, author="ann")
        agent.set_quota()
        shop.create_table("t", {"id": "BIGINT"})
        shop.options.set("target_file_size", "1MB", table="t", author="bob", message="small")
        shop.options.reset("target_file_size", table="t", author="bob")
        lake.options.set("auto_compact", False)
        agent.drop(author="mallory", message="tidy up")
        lake.undrop_catalog("run-7", author="ann", message="it was needed")
        lake.drop_catalogs(parent="shop", author="cron")
        lake.purge("run-7", author="cron", message="a day later")
        shop.fork("late").renew(timedelta(seconds=0.001))
        while not lake.reap(limit=1).dropped:
            pass
        lake.maintenance.purge_catalogs("la", drop=True, author="ann")
    assert [text for name, _, text in caplog.record_tuples if name == "forklake.catalog"] == [
        "Catalog 1 'run-7' renamed from 'agent' by 'ann': 'so that\\nit can be found'",
        "Catalog 1 'run-7' given a quota (max_files 9, max_forks 1, its forks counted with it) by 'ann'",
        "Catalog 1 'run-7' freed of its quota (no author)",
        "Catalog 0 'shop' given option target_file_size = '1MB' of table 1 by 'bob': 'small'",
        "Catalog 0 'shop' freed of option target_file_size of table 1 by 'bob'",
        "Lake given option auto_compact = 'false' (no author)",
        "Catalog 1 'run-7' dropped by 'mallory': 'tidy up'",
        "Catalog 1 'run-7' brought back by 'ann': 'it was needed'",
        "Catalog 1 'run-7' dropped by 'cron'",
        "Catalog 1 'run-7' purged by 'cron': 'a day later'",
        "Catalog 2 'late' dropped (no author): 'Past its lifetime'",
        "Catalog 2 'late' purged by 'ann'",
    ]


def test_what_was_refused_is_not_logged_as_done(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    shop = lake.create_catalog("shop")
    shop.fork("agent").drop()
    with caplog.at_level(logging.INFO, "forklake.catalog"):
        for deed in (
            lambda: shop.rename("shop"),
            lambda: shop.options.set("target_file_size", "much"),
            lambda: shop.set_quota(max_files=-1),
            lambda: shop.drop(author=7),  # type: ignore[arg-type]
            lambda: lake.undrop_catalog("nobody"),
            lambda: lake.purge("shop"),
        ):
            with suppress(ForklakeError):
                deed()
    assert caplog.messages == []
    assert shop.inspect.is_live
