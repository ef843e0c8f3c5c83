"""The change feed of merges and resets: the net difference of rows, in Python, in SQL, and as a stream."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from pyspark.sql import DataFrame, SparkSession

import forklake
from forklake import Catalog, Lake

Told = tuple[int, int, str, int, str]


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    directory = tmp_path_factory.mktemp("merged")
    with forklake.open(str(directory / "lake.db"), spark=forklake.register(spark)) as opened:
        yield opened


@pytest.fixture(scope="module")
def shop(lake: Lake) -> Catalog:
    """A catalog that merged forks with files, inlined rows, deletes and compactions, and was reset in between."""
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 3)
    shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR"})
    insert(shop, 0, 10)
    insert(shop, 10, 2)
    one, other = shop.fork("one"), shop.fork("other")
    update(one, "id IN (1, 10)", "one")
    insert(one, 100, 2)
    one.maintenance.flush_inlined()  # moves rows of the parent, too
    insert(one, 110, 10)
    one.maintenance.merge_adjacent_files()
    shop.table("t").delete("id IN (2, 3, 4, 5)")
    shop.merge(one)
    insert(shop, 20, 1)
    shop.maintenance.flush_inlined()  # carries numbers of the fork
    update(other, "id BETWEEN 6 AND 9", "other")
    other.table("t").delete("id = 11")
    before = shop.head
    shop.merge(other)
    shop.table("t").delete("id IN (6, 110)")
    shop.reset_to(before)  # what was deleted comes back, and goes again
    shop.table("t").delete("id IN (6, 110)")
    shop.maintenance.rewrite_data_files(delete_threshold=0.0)
    return shop


def insert(catalog: Catalog, first: int, count: int) -> None:
    catalog.table("t").append([{"id": n, "v": "new"} for n in range(first, first + count)])


def update(catalog: Catalog, condition: str, value: str) -> None:
    catalog.table("t").update({"v": f"'{value}'"}, condition)


def differences(lake: Lake, shop: Catalog) -> set[Told]:
    """What every snapshot changed, by the rows before and after it."""
    session = lake.connect()
    session.execute("ATTACH 'ducklake:' AS shop (CATALOG 'shop', READ_ONLY)")
    found: set[Told] = set()
    was: dict[int, tuple[int, str]] = {}
    for snapshot in [one.snapshot_id for one in shop.snapshots()][2:]:
        shown = session.execute(f"SELECT rowid, id, v FROM shop.t AT (VERSION => {snapshot})").fetchall()
        now = {row: (number, v) for row, number, v in shown}
        for row in was.keys() | now.keys():
            if was.get(row) == now.get(row):
                continue
            kinds = ("update_preimage", "update_postimage") if row in was and row in now else ("delete", "insert")
            for kind, state in zip(kinds, (was, now), strict=True):
                if row in state:
                    found.add((int(snapshot), row, kind, *state[row]))
        was = now
    return found


def told(rows: Any) -> list[Any]:
    found = [tuple(row) for row in rows]
    assert len(found) == len(set(found)), "told twice"
    return sorted(found)


def test_merges_and_resets_tell_the_net_difference_of_rows(lake: Lake, shop: Catalog) -> None:
    expected = differences(lake, shop)
    assert {kind for _, _, kind, _, _ in expected} == {"insert", "delete", "update_preimage", "update_postimage"}
    table = shop.table("t")
    assert told(table.changes(0).collect()) == sorted(expected)
    insertions = [(one[0], one[1], *one[3:]) for one in expected if one[2] in ("insert", "update_postimage")]
    deletions = [(one[0], one[1], *one[3:]) for one in expected if one[2] in ("delete", "update_preimage")]
    assert told(table.changes(0, kind="insertions").collect()) == sorted(insertions)
    assert told(table.changes(0, kind="deletions").collect()) == sorted(deletions)
    session = lake.connect()
    session.execute("ATTACH 'ducklake:' AS shop (CATALOG 'shop', READ_ONLY)")
    merged = next(one.snapshot_id for one in shop.snapshots() if (one.commit_message or "").startswith("Merge"))
    call = f"snapshot_id, rowid, change_type, id, v FROM shop.table_changes('t', {merged}, {merged})"
    of_merge = [one for one in expected if one[0] == merged]
    assert {one[1] for one in of_merge} & set(range(12)) == {1, 10}, "rows that were flushed and compacted only moved"
    assert told(session.execute(f"SELECT {call}").fetchall()) == sorted(of_merge)


def test_a_refresh_that_changed_no_row_of_the_table_tells_nothing(shop: Catalog) -> None:
    fork = shop.fork("elsewhere")
    shop.create_table("other", {"id": "BIGINT"})
    refreshed = fork.refresh().snapshot_id
    assert refreshed is not None
    table = fork.table("t")
    assert table.changes(refreshed).collect() == []
    assert table.changes(refreshed).columns == ["snapshot_id", "rowid", "change_type", "id", "v"]
    kinds: tuple[Literal["insertions", "deletions"], ...] = ("insertions", "deletions")
    for kind in kinds:
        found = table.changes(refreshed, kind=kind)
        assert (found.collect(), found.columns) == ([], ["snapshot_id", "rowid", "id", "v"])


@pytest.mark.parametrize("with_deletions", [True, False])
def test_streams_and_batches_tell_the_same(
    spark: SparkSession, lake: Lake, shop: Catalog, tmp_path: Path, with_deletions: bool
) -> None:
    options = {"lake": f"sqlite:{lake._runtime.store.location}", "catalog": "shop", "table": "t"}
    options |= {"startingVersion": "earliest", **({"readChangeFeed": "true"} if with_deletions else {})}
    kinds = ("insert", "update_postimage") if not with_deletions else ("insert", "delete", "update_preimage")
    expected = sorted(
        one if with_deletions else (one[0], one[1], *one[3:])
        for one in differences(lake, shop)
        if one[2] in (*kinds, "update_postimage")
    )
    assert told(spark.read.format("forklake").options(**options).load().collect()) == expected
    seen: list[Any] = []
    into: Callable[[DataFrame, int], None] = lambda batch, _: seen.extend(batch.collect())  # noqa: E731
    frame = spark.readStream.format("forklake").options(**options).load()
    query = frame.writeStream.foreachBatch(into).option("checkpointLocation", str(tmp_path / "c"))
    query.trigger(availableNow=True).start().awaitTermination()
    assert told(seen) == expected
