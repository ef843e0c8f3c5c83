"""Merges and upserts of one new key that meet: one of them inserts it, the others find it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Clock, Lake, MergeDelete, MergeInsert, Settings
from forklake.errors import CommitConflictError

MERGE = (
    "MERGE INTO t USING (SELECT 1 AS k, 5 AS v) s ON t.k = s.k"
    " WHEN MATCHED THEN UPDATE SET v = t.v + s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)"
)


class Rival:
    """Does one thing right before the next commit of somebody else."""

    def __init__(self) -> None:
        self.act: Callable[[], object] | None = None

    def on_step(self, step: str) -> None:
        if step == "commit: before the call" and self.act is not None:
            act, self.act = self.act, None
            act()


@pytest.fixture
def rival() -> Rival:
    return Rival()


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession, rival: Rival, request: pytest.FixtureRequest) -> Iterator[Catalog]:
    """A catalog with a table of one row; as many rows as the parameter says are kept in the metadata."""
    settings = Settings(clock=Clock(sleep=lambda seconds: None), on_step=rival.on_step)
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.options.set("data_inlining_row_limit", getattr(request, "param", 10))
        shop.create_table("t", {"k": "BIGINT", "v": "INTEGER"})
        shop.table("t").append([{"k": 0, "v": 0}])
        yield shop


def seen(catalog: Catalog) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in catalog.table("t").dataframe().collect())


@pytest.mark.parametrize(
    "shop", [pytest.param(0, marks=pytest.mark.soak, id="files"), pytest.param(10, id="inlined")], indirect=True
)
def test_an_upsert_and_a_merge_that_met_are_run_again_and_find_the_key(shop: Catalog, rival: Rival) -> None:
    table = shop.table("t")
    rival.act = lambda: shop.sql(MERGE)
    assert table.merge([{"k": 1, "v": 7}], on=["k"]).row_count == 1
    assert seen(shop) == [(0, 0), (1, 7)]
    table.delete("k = 1")
    rival.act = lambda: table.merge([{"k": 1, "v": 7}], on=["k"])
    shop.sql(MERGE)
    assert seen(shop) == [(0, 0), (1, 12)]
    table.delete("k = 1")
    rival.act = lambda: table.append([{"k": 1, "v": 1}])  # a plain append is a row that was added too
    shop.sql(MERGE)
    assert seen(shop) == [(0, 0), (1, 6)]
    table.delete("k = 1")
    rival.act = lambda: table.update({"k": "1"}, where="k = 0")  # and so is a row that got the key
    shop.sql(MERGE)
    assert seen(shop) == [(1, 5)]


def test_a_transaction_that_merged_what_another_has_added_meanwhile_is_refused(shop: Catalog, rival: Rival) -> None:
    table = shop.table("t")
    rival.act = lambda: table.append([{"k": 1, "v": 1}])
    mine = shop.transaction()
    mine.sql(MERGE)
    mine.table("t").append([{"k": 9, "v": 9}])
    with pytest.raises(CommitConflictError, match="what matched no row"):
        mine.commit()
    assert seen(shop) == [(0, 0), (1, 1)]
    rival.act = lambda: shop.create_table("other", {"i": "INTEGER"})
    with shop.transaction() as transaction:
        transaction.table("t").merge([{"k": 2, "v": 2}], on=["k"])
    assert seen(shop) == [(0, 0), (1, 1), (2, 2)]


def test_a_merge_that_is_run_again_reads_its_source_again(shop: Catalog, rival: Rival) -> None:
    shop.create_table("s", {"k": "BIGINT", "v": "INTEGER"})
    shop.table("s").append([{"k": 1, "v": 1}])

    def act() -> None:
        shop.table("s").append([{"k": 2, "v": 2}])
        shop.table("t").append([{"k": 1, "v": 100}])

    rival.act = act
    shop.sql(
        "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = t.v + s.v WHEN NOT MATCHED THEN INSERT"
    )
    assert seen(shop) == [(0, 0), (1, 101), (2, 2)]


def test_a_merge_that_inserted_nothing_does_not_rely_on_what_was_not_there(shop: Catalog, rival: Rival) -> None:
    table, runs = shop.table("t"), []

    def append() -> None:
        runs.append(shop.head)
        table.append([{"k": 5, "v": 5}])

    rival.act = append
    # All keys match, and nothing is done with rows that match: no snapshot, and nobody is met.
    assert table.merge([{"k": 0, "v": 1}], "target.k = source.k", not_matched=[MergeInsert()]).row_count == 0
    assert (runs, rival.act) == ([], append)
    # What the source lacks is deleted, also what was added meanwhile: a delete conflicts with added rows anyway.
    only_3 = table.merge(
        [{"k": 3, "v": 3}],
        "target.k = source.k",
        not_matched=[MergeInsert()],
        not_matched_by_source=[MergeDelete()],
    )
    assert only_3.row_count == 3
    assert len(runs) == 1
    assert seen(shop) == [(3, 3)]


def test_a_key_that_several_sessions_merge_at_once_is_there_once(shop: Catalog) -> None:
    rounds = 2
    start, failures = threading.Barrier(3), list[BaseException]()

    def work() -> None:
        try:
            for key in range(1, 1 + rounds):
                start.wait(60)
                shop.sql(
                    f"MERGE INTO t USING (SELECT {key} AS k) s ON t.k = s.k"
                    " WHEN MATCHED THEN UPDATE SET v = v + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1)"
                )
        except BaseException as failure:
            failures.append(failure)
            start.abort()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert seen(shop) == [(0, 0), (1, 3), (2, 3)]
