"""The change feed: what each snapshot did to the rows of a table."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake import Catalog, ColumnDefinition, Lake
from forklake.errors import CommitConflictError, InvalidInputError, SnapshotNotFoundError
from tests.cli.terminal import run
from tests.lakes import IMPATIENT
from tests.spark.plans import physical_plan, setting


@pytest.fixture
def rows_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(rows_lake: Lake) -> Catalog:
    """A catalog with a table of one file, added by snapshot 2: the ids 0 to 4."""
    shop = rows_lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR"})
    shop.table("t").append([{"id": n, "v": "a"} for n in range(5)])
    return shop


def told(feed: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in feed.collect())


def test_each_snapshot_tells_what_it_did(shop: Catalog) -> None:
    table = shop.table("t")
    table.delete("id IN (0, 1)")
    table.update({"v": "'b'"}, "id = 2")
    table.delete("id = 3")
    table.delete()
    feed = table.changes(2)
    assert feed.columns == ["snapshot_id", "rowid", "change_type", "id", "v"]
    assert told(feed) == [
        *((2, n, "insert", n, "a") for n in range(5)),
        (3, 0, "delete", 0, "a"),
        (3, 1, "delete", 1, "a"),
        (4, 2, "update_postimage", 2, "b"),
        (4, 2, "update_preimage", 2, "a"),
        (5, 3, "delete", 3, "a"),
        (6, 2, "delete", 2, "b"),
        (6, 4, "delete", 4, "a"),
    ]
    assert told(table.changes(4, 5)) == told(feed)[7:10]
    assert told(table.changes(3, 5, kind="insertions")) == [(4, 2, 2, "b")]
    assert told(table.changes(4, kind="deletions")) == [(4, 2, 2, "a"), (5, 3, 3, "a"), (6, 2, 2, "b"), (6, 4, 4, "a")]


def test_rows_and_deletes_in_the_metadata_are_told_as_those_in_files(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", "2")
    table = shop.table("t")
    table.append([{"id": 10, "v": "in"}, {"id": 11, "v": "in"}])
    table.delete("id IN (0, 10)")
    table.delete("id IN (1, 2, 3)")
    table.update({"v": "'new'"}, "id IN (4, 11)")
    table.update({"v": "'newer'"}, "id = 11")
    table.delete("id = 11")
    assert told(table.changes(3)) == [
        (3, 5, "insert", 10, "in"),
        (3, 6, "insert", 11, "in"),
        (4, 0, "delete", 0, "a"),
        (4, 5, "delete", 10, "in"),
        (5, 1, "delete", 1, "a"),
        (5, 2, "delete", 2, "a"),
        (5, 3, "delete", 3, "a"),
        (6, 4, "update_postimage", 4, "new"),
        (6, 4, "update_preimage", 4, "a"),
        (6, 6, "update_postimage", 11, "new"),
        (6, 6, "update_preimage", 11, "in"),
        (7, 6, "update_postimage", 11, "newer"),
        (7, 6, "update_preimage", 11, "new"),
        (8, 6, "delete", 11, "newer"),
    ]


def test_deleted_rows_of_encrypted_and_older_files_are_told_from_delete_files(rows_lake: Lake) -> None:
    for encrypted in (False, True):
        shop = rows_lake.create_catalog(f"shop-{encrypted}", encrypted=encrypted)
        shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR"})
        shop.options.set("data_inlining_row_limit", "0")
        table = shop.table("t")
        table.append([{"id": n, "v": "a"} for n in range(70)])
        table.append([{"id": n, "v": "b"} for n in range(70, 140)])
        table.alter.add_column(ColumnDefinition("w", "BIGINT", default="7"))
        table.append([{"id": n, "v": "c", "w": 1} for n in range(140, 145)])
        start = shop.head
        gone = [{0, 64, 65, 69, 70, 141}, {1, 63, 139}, {2, 142}]
        for ids in gone:
            table.delete(f"id IN ({', '.join(map(str, sorted(ids)))})")
        expected = [
            (snapshot, n, "delete", n, "abc"[n // 70], 1 if n >= 140 else 7)
            for snapshot, ids in enumerate(gone, start + 1)
            for n in sorted(ids)
        ]
        assert told(table.changes(start + 1)) == expected
        for snapshot in range(start + 1, start + 4):
            assert told(table.changes(snapshot, snapshot)) == [row for row in expected if row[0] == snapshot]


def test_rows_that_one_snapshot_deleted_are_read_without_a_join(shop: Catalog, spark: SparkSession) -> None:
    shop.options.set("data_inlining_row_limit", "0")
    table = shop.table("t")
    table.append([{"id": n, "v": "b"} for n in range(5, 10)])
    table.delete("id IN (1, 8)")
    table.delete("id IN (2, 9)")
    for snapshot, ids in ((4, (1, 8)), (5, (2, 9))):
        feed = table.changes(snapshot, snapshot)
        assert not re.search("Join|Window|ExistingRDD", physical_plan(feed))
        assert told(feed) == [(snapshot, n, "delete", n, "ab"[n // 5]) for n in ids]
        with setting(spark, forklake_fileIndex="log"):
            joined = table.changes(snapshot, snapshot)
            assert "Join" in physical_plan(joined)
            assert told(joined) == told(feed)


@pytest.mark.parametrize("limit", ["0", "10"])
def test_a_transaction_tells_only_what_others_can_see(shop: Catalog, limit: str) -> None:
    shop.options.set("data_inlining_row_limit", limit)
    with shop.transaction() as transaction:
        table = transaction.table("t")
        table.append([{"id": n, "v": "own"} for n in (10, 11, 12)])
        table.delete("id = 10")
        table.update({"v": "'once'"}, "id IN (0, 11)")
        table.update({"v": "'twice'"}, "id IN (0, 11)")
    assert told(shop.table("t").changes(3)) == [
        (3, 0, "update_postimage", 0, "twice"),
        (3, 0, "update_preimage", 0, "a"),
        (3, 6, "insert", 11, "twice"),
        (3, 7, "insert", 12, "own"),
    ]


def test_a_fork_tells_what_it_inherited_and_nothing_of_its_parents_later_life(shop: Catalog) -> None:
    shop.table("t").delete("id = 0")
    agent = shop.fork("agent")
    shop.table("t").delete("id = 1")
    agent.table("t").update({"v": "'fork'"}, "id = 1")
    last = agent.head
    assert told(agent.table("t").changes(3)) == [
        (3, 0, "delete", 0, "a"),
        (last, 1, "update_postimage", 1, "fork"),
        (last, 1, "update_preimage", 1, "a"),
    ]
    assert told(shop.table("t").changes(shop.head)) == [(shop.head, 1, "delete", 1, "a")]


def test_columns_are_those_of_the_end(shop: Catalog) -> None:
    table = shop.table("t")
    table.delete("id > 0")
    shop.table("t").alter.rename_column("v", "change_type")
    shop.table("t").alter.add_column(ColumnDefinition("n", "INTEGER", default="7"))
    feed = table.changes(2)
    assert feed.columns == ["snapshot_id", "rowid", "change_type", "id", "change_type", "n"]
    assert told(feed)[0] == (2, 0, "insert", 0, "a", 7)
    assert told(table.changes(3, 3)) == [(3, n, "delete", n, "a") for n in range(1, 5)]


def test_times_stand_for_snapshots_and_what_is_not_there_is_refused(shop: Catalog) -> None:
    table = shop.table("t")
    before = datetime.now(UTC)
    table.delete("id = 0")
    later = datetime.now(UTC) + timedelta(hours=1)
    assert told(table.changes(before)) == told(table.changes(before, later)) == [(3, 0, "delete", 0, "a")]
    with pytest.raises(SnapshotNotFoundError):
        table.changes(99)
    with pytest.raises(SnapshotNotFoundError):
        table.changes(1, 99)
    with pytest.raises(InvalidInputError, match="cannot start at snapshot 3, after their end 2"):
        table.changes(3, 2)


def test_a_row_that_two_commits_delete_at_the_same_time_is_deleted_and_told_once(shop: Catalog) -> None:
    shop.options.set("data_inlining_row_limit", "1")
    transaction = shop.transaction()
    assert transaction.table("t").delete("id = 1").row_count == 1
    assert shop.table("t").delete("id IN (1, 2, 3)").row_count == 3
    with pytest.raises(CommitConflictError, match="another transaction has deleted from it"):
        transaction.commit()
    assert told(shop.table("t").changes(3)) == [(3, n, "delete", n, "a") for n in (1, 2, 3)]
    assert (shop.table("t").count(), shop.table("t").delete("true").row_count) == (2, 2)
    assert shop.table("t").storage.files() == []


def test_the_command_line_shows_changes_as_sql_does(shop: Catalog, tmp_path: Path) -> None:
    shop.table("t").delete("id < 4")
    url = tmp_path / "lake.db"
    shown = run("table", "changes", "shop", "t", "2", "--json", lake=url)
    assert sorted(map(tuple, json.loads(shown.out)["rows"])) == told(shop.table("t").changes(2))
    deleted = run("table", "changes", "shop", "t", "3", "3", "--kind", "deletions", lake=url)
    assert [line.split() for line in deleted.out.splitlines()] == [
        ["snapshot_id", "rowid", "id", "v"],
        *(["3", str(n), str(n), "a"] for n in range(4)),
    ]
