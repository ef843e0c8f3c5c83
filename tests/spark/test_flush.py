"""Rows that were flushed out of the metadata are the same rows: their ids, their snapshots, and what the feed tells."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake import Catalog, Lake
from forklake.errors import InvalidInputError
from tests.lakes import IMPATIENT


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession) -> Iterator[Catalog]:
    """A catalog with a table of a file of six rows, of which the metadata deletes one, and of rows in the metadata.

    Snapshots: 2 the file, 3 rows a and b, 4 row c, 5 row b deleted, 6 row a updated, 7 a row of the file deleted.
    """
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR"})
        shop.table("t").append([{"id": n, "v": "file"} for n in range(6)])
        shop.options.set("data_inlining_row_limit", "3")
        shop.table("t").append([{"id": 10, "v": "a"}, {"id": 11, "v": "b"}])
        shop.table("t").append([{"id": 12, "v": "c"}])
        shop.table("t").delete("id = 11")
        shop.table("t").update({"v": "'new'"}, "id = 10")
        shop.table("t").delete("id = 3")
        yield shop


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def test_a_flush_is_seen_by_nobody(shop: Catalog) -> None:
    table = shop.table("t")
    shown = ["id", "v", "rowid", "snapshot_id"]
    before, feed, head = rows(table.dataframe(shown)), rows(table.changes(2)), shop.head
    assert table.storage.flush_inlined().row_count == 2
    assert (table.storage.inlined_rows(), [len(file.inlined_deletes) for file in table.storage.files()]) == ([], [0, 0])
    assert rows(table.dataframe(shown)) == before
    assert rows(shop.at(version=head).table("t").dataframe(shown)) == before
    assert rows(table.changes(2)) == feed
    assert rows(table.changes(head + 1)) == []
    assert rows(table.changes(3, 4)) == [line for line in feed if line[0] in (3, 4)]
    # What comes after is told once, and of the right row.
    table.update({"v": "'newer'"}, "id = 10")
    table.delete("id IN (4, 12)")
    assert rows(table.changes(head + 1)) == [
        (head + 2, 6, "update_postimage", 10, "newer"),
        (head + 2, 6, "update_preimage", 10, "new"),
        (head + 3, 4, "delete", 4, "file"),
        (head + 3, 8, "delete", 12, "c"),
    ]
    assert rows(table.changes(2, head)) == feed
    assert table.storage.flush_inlined().row_count == 1
    assert [row[0] for row in rows(table.dataframe(["id"]))] == [0, 1, 2, 5, 10]


def test_a_fork_tells_the_same_changes_after_its_own_flush_and_after_its_parents(shop: Catalog) -> None:
    fork = shop.fork("fork")
    feed = rows(shop.table("t").changes(2, shop.head))
    fork.maintenance.flush_inlined()
    assert rows(fork.table("t").changes(2)) == feed
    shop.maintenance.flush_inlined()
    later = shop.fork("later")
    assert rows(later.table("t").changes(2)) == feed
    assert rows(later.table("t").dataframe(["id", "rowid"])) == rows(fork.table("t").dataframe(["id", "rowid"]))


def test_rows_are_sorted_by_expressions_and_not_deleted_by_the_transaction_that_flushed_them(shop: Catalog) -> None:
    shop.table("t").alter.set_sorting(["(0 - id)"])
    with shop.transaction() as transaction:
        assert transaction.table("t").storage.flush_inlined().row_count == 2
        with pytest.raises(InvalidInputError, match="flushed"):
            transaction.table("t").delete("id = 12")
    flushed = shop.table("t").storage.files()[1]
    frame = shop.table("t").dataframe(["id", "file_row_number", "filename"])
    placed = [(row[1], row[0]) for row in rows(frame.where(f"filename = '{flushed.path}'"))]
    assert sorted(placed) == [(0, 12), (1, 10)]
