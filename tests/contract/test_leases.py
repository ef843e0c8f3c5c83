"""Leases of writers: taken before the first file, ended by the commit, and what becomes of them otherwise."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forklake import Catalog, Lake, NewDataFile, Settings
from forklake.catalog.lease import take_lease
from forklake.config import Clock, RetryPolicy
from forklake.errors import (
    CatalogDroppedError,
    CommitConflictError,
    CommitUnknownError,
    InvalidInputError,
    LeaseLostError,
)
from forklake.metastore.queries import leases
from forklake.metastore.store import ConnectionLostError
from tests.contract.support import rows
from tests.lakes import IMPATIENT, LakeFactory
from tests.race.schedule import telling_of_begun_files

ROWS = [{"id": number} for number in range(20)]


def held(lake: Lake) -> list[tuple[Any, ...]]:
    """Return the leases that there are."""
    return rows(lake, "SELECT catalog_id, lease_id, begin_time, end_time FROM forklake.ducklake_lease")


def take_all_away(lake: Lake) -> None:
    with lake._runtime.store.writing() as session:
        session.execute("DELETE FROM forklake.ducklake_lease")


def files(lake: Lake) -> list[Path]:
    return [path for path in Path(lake.data_path or "").rglob("*") if path.is_file()]


def shop_of(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT"})
    return shop


def test_a_writer_has_a_lease_from_its_first_file_to_its_commit(lake: Lake) -> None:
    shop = shop_of(lake)
    before = datetime.now(UTC)
    with shop.transaction() as transaction:
        assert held(lake) == []
        transaction.table("orders").append(ROWS)
        ((catalog, lease_id, begin, end),) = held(lake)
        transaction.table("orders").append(ROWS)
        transaction.create_table("more", {"id": "BIGINT"})
        transaction.table("more").append(ROWS)
        assert held(lake) == [(catalog, lease_id, begin, end)], "one lease for all files"
    time = lake._runtime.store.time
    assert catalog == shop.catalog_id
    assert abs(time(begin) - before) < timedelta(minutes=1)
    # PostgreSQL counts a day in seconds of floating point, which may be a microsecond more.
    assert abs(time(end) - time(begin) - timedelta(days=1)) < timedelta(milliseconds=1)
    assert held(lake) == []
    assert shop.table("orders").storage.files()


def test_what_writes_no_file_takes_no_lease(lake_factory: LakeFactory) -> None:
    steps: list[str] = []
    with lake_factory.open(Settings(on_step=steps.append)) as lake:
        shop = shop_of(lake)
        shop.options.set("data_inlining_row_limit", 100)
        shop.table("orders").append(ROWS)
        shop.table("orders").append([{"id": 50}])
        shop.table("orders").update({"id": "id + 100"}, where="id = 50")
        shop.sql("UPDATE orders SET id = id + 100 WHERE id = 150")
        shop.sql("DELETE FROM orders WHERE id = 250")
        shop.sql("INSERT INTO orders SELECT id + 50 FROM orders WHERE id < 5")
        shop.sql(
            "MERGE INTO orders USING (VALUES (3), (99)) AS v(id) ON orders.id = v.id"
            " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (v.id)"
        )
        shop.table("orders").storage.append_files([NewDataFile("own.parquet", 1, 10)])
        shop.table("orders").alter.add_column(("note", "VARCHAR"))
        shop.table("orders").delete()
        shop.fork("agent").table("orders").rename("sales")
        assert not [step for step in steps if "lease" in step]


def test_what_changes_no_row_leaves_no_lease(lake: Lake) -> None:
    shop = shop_of(lake)
    shop.table("orders").append(ROWS)
    shop.sql("UPDATE orders SET id = 1 WHERE id > 1000")
    shop.sql("DELETE FROM orders WHERE id % 100 = 50")
    shop.sql("INSERT INTO orders SELECT id FROM orders WHERE id > 1000")
    assert held(lake) == []
    session = shop.session()
    session.sql("BEGIN")
    session.sql("UPDATE orders SET id = 1 WHERE id > 1000")
    session.sql("COMMIT")
    assert held(lake) == []
    assert len(files(lake)) == 1


def test_a_statement_that_fails_as_it_reads_leaves_no_lease(lake_factory: LakeFactory) -> None:
    insert = "INSERT INTO orders SELECT (id || 'x')::BIGINT FROM orders"
    with lake_factory.open(Settings(engine="local")) as lake:
        shop = shop_of(lake)
        shop.table("orders").append(ROWS)
        for text in (insert, "UPDATE orders SET id = (id || 'x')::BIGINT"):
            with pytest.raises(InvalidInputError, match="Could not convert"):
                shop.sql(text)
            assert held(lake) == []
        with shop.transaction() as transaction:
            with pytest.raises(InvalidInputError, match="Could not convert"):
                transaction.sql(insert)
            transaction.sql("INSERT INTO orders SELECT id + 100 FROM orders")
            assert len(held(lake)) == 1
        assert held(lake) == []
        assert len(files(lake)) == 2


def test_a_lease_is_committed_before_a_file_is_written(lake_factory: LakeFactory) -> None:
    seen: list[tuple[str, int]] = []

    def look(step: str) -> None:
        if step in ("lease: taken", "file begun"):
            seen.append((step, len(held(lake))))

    with lake_factory.open(Settings(on_step=look, engine="local")) as lake, telling_of_begun_files(look):
        shop = shop_of(lake)
        shop.table("orders").append(ROWS)
        for text in (
            "INSERT INTO orders VALUES (50)",
            "INSERT INTO orders SELECT id + 100 FROM orders WHERE id = 50",
            "UPDATE orders SET id = 51 WHERE id = 4",
            "DELETE FROM orders WHERE id = 3",
        ):
            shop.sql(text)
        assert [step for step, _ in seen if step == "lease: taken"] == ["lease: taken"] * 5
        assert {count for _, count in seen} == {1}
        assert [step for step, _ in seen].count("file begun") == 6


def test_under_a_key_that_was_committed_no_lease_is_left(lake: Lake) -> None:
    shop = shop_of(lake)
    with shop.transaction(commit_key="once") as first:
        first.table("orders").append(ROWS)
    with shop.transaction(commit_key="once") as again:
        again.sql("UPDATE orders SET id = 1")
        again.sql("INSERT INTO orders SELECT id FROM orders")
    assert again.snapshot_id == first.snapshot_id
    assert held(lake) == []


def test_an_append_ends_its_lease_within_its_commit(lake_factory: LakeFactory) -> None:
    steps: list[str] = []
    with lake_factory.open(Settings(on_step=steps.append)) as lake:
        shop_of(lake).table("orders").append(ROWS)
        assert steps.index("lease: taken") < steps.index("append: files written")
        assert "lease: ended" not in steps, "no round trip of its own"
        assert held(lake) == []


def test_a_rolled_back_transaction_ends_its_lease_after_its_files(lake_factory: LakeFactory) -> None:
    there: list[int] = []

    def look(step: str) -> None:
        if step == "lease: ended":
            there.append(len(files(lake)))

    with lake_factory.open(Settings(on_step=look)) as lake:
        transaction = shop_of(lake).transaction()
        transaction.table("orders").append(ROWS)
        assert len(files(lake)) == len(held(lake)) == 1
        transaction.rollback()
        assert there == [0]
        assert held(lake) == []


def test_a_refused_statement_ends_the_lease_that_it_took_and_no_other(lake: Lake) -> None:
    with shop_of(lake).transaction() as transaction:

        def fail(staging: Any) -> None:
            staging.take_lease()
            raise RuntimeError

        with pytest.raises(RuntimeError):
            transaction._run(fail)
        assert held(lake) == []
        transaction.table("orders").append(ROWS)
        (lease,) = held(lake)
        with pytest.raises(RuntimeError):
            transaction._run(fail)
        assert held(lake) == [lease]


def test_a_refused_commit_ends_its_lease(lake: Lake) -> None:
    shop = shop_of(lake)
    loser = shop.transaction()
    loser.table("orders").append(ROWS)
    shop.table("orders").alter.add_column(("note", "VARCHAR"))
    with pytest.raises(CommitConflictError):
        loser.commit()
    assert held(lake) == []
    assert files(lake) == []


def test_a_commit_that_lost_a_race_keeps_its_lease_for_the_next_attempt(lake: Lake) -> None:
    shop = shop_of(lake)
    shop.create_table("other", {"id": "BIGINT"})
    transaction = shop.transaction()
    transaction.table("orders").append(ROWS)
    shop.table("other").append(ROWS)
    transaction.commit()
    assert held(lake) == []
    assert len(shop.table("orders").storage.files()) == 1


@pytest.mark.parametrize("moved", [False, True])
def test_a_commit_without_its_lease_is_refused_and_leaves_nothing(lake: Lake, moved: bool) -> None:
    shop = shop_of(lake)
    shop.create_table("other", {"id": "BIGINT"})
    transaction = shop.transaction()
    transaction.table("orders").append(ROWS)
    if moved:
        shop.table("other").alter.add_column(("note", "VARCHAR"))
    head = shop.head
    take_all_away(lake)
    with pytest.raises(LeaseLostError, match="Nothing was committed"):
        transaction.commit()
    assert shop.head == head
    assert files(lake) == []
    assert shop.table("orders").storage.files() == []
    shop.table("orders").append(ROWS)
    assert len(shop.table("orders").storage.files()) == 1


def test_a_lease_that_ran_out_is_honoured_while_it_is_there(lake_factory: LakeFactory) -> None:
    with lake_factory.open(Settings(lease_seconds=-1.0)) as lake:
        shop = shop_of(lake)
        with shop.transaction() as transaction:
            transaction.table("orders").append(ROWS)
            ((_, _, begin, end),) = held(lake)
            assert end < begin
        assert len(shop.table("orders").storage.files()) == 1


def test_the_drop_of_its_catalog_is_told_to_a_writer_and_ends_its_lease(lake: Lake) -> None:
    shop = shop_of(lake)
    transaction = shop.transaction()
    transaction.table("orders").append(ROWS)
    shop.drop()
    take_all_away(lake)
    with pytest.raises(CatalogDroppedError):
        transaction.commit()
    assert held(lake) == []


def test_a_transaction_that_changes_nothing_ends_its_lease(lake: Lake) -> None:
    with shop_of(lake).transaction() as transaction:
        transaction.create_table("short", {"id": "BIGINT"})
        transaction.table("short").append(ROWS)
        transaction.table("short").drop()
    assert transaction.snapshot_id is None
    assert held(lake) == []
    assert files(lake) == []


def test_a_repeated_commit_ends_its_lease(lake: Lake) -> None:
    shop = shop_of(lake)
    second = shop.transaction(commit_key="once")
    second.table("orders").append(ROWS)
    with shop.transaction(commit_key="once") as first:
        first.table("orders").append(ROWS)
    assert second.commit().snapshot_id == first.snapshot_id
    assert held(lake) == []


def test_a_long_transaction_renews_its_lease_when_half_is_over(lake_factory: LakeFactory) -> None:
    passed = timedelta()
    clock = Clock(now=lambda: datetime.now(UTC) + passed)
    with lake_factory.open(Settings(clock=clock)) as lake:
        transaction = shop_of(lake).transaction()
        transaction.table("orders").append(ROWS)
        ((*same, first_end),) = held(lake)
        passed = timedelta(hours=11)
        transaction.table("orders").append(ROWS)
        assert held(lake) == [(*same, first_end)]
        passed = timedelta(hours=13)
        transaction.table("orders").append(ROWS)
        ((*still, end),) = held(lake)
        assert still == same, "it covers what was written first"
        assert end > first_end
        passed = timedelta(hours=26)
        take_all_away(lake)
        with pytest.raises(LeaseLostError):
            transaction.table("orders").append(ROWS)
        with pytest.raises(LeaseLostError):
            transaction.commit()
        assert files(lake) == []


def test_after_an_unknown_outcome_lease_and_files_stay(lake_factory: LakeFactory) -> None:
    is_lost = False

    def lose(step: str) -> None:
        if is_lost and step == "commit: before the call":
            raise ConnectionLostError("lost")

    settings = Settings(clock=IMPATIENT.clock, retry=RetryPolicy(max_retry_count=1), on_step=lose)
    with lake_factory.open(settings) as lake:
        transaction = shop_of(lake).transaction()
        transaction.table("orders").append(ROWS)
        is_lost = True
        with pytest.raises(CommitUnknownError):
            transaction.commit()
        assert len(held(lake)) == len(files(lake)) == 1


def test_leases_of_catalogs_and_writers_are_apart(lake: Lake) -> None:
    shop = shop_of(lake)
    agent = shop.fork("agent")
    one, two, three = shop.transaction(), shop.transaction(), agent.transaction()
    for transaction in (one, two, three):
        transaction.table("orders").append(ROWS)
    assert len(held(lake)) == 3
    two.rollback()
    one.commit()
    assert [catalog for catalog, *_ in held(lake)] == [agent.catalog_id]
    three.commit()


def test_a_lease_is_written_once_however_often_it_is_sent(lake: Lake) -> None:
    shop, store = shop_of(lake), lake._runtime.store
    taken = take_lease(store, shop.catalog_id)
    (first,) = held(lake)
    leases.write(store, shop.catalog_id, taken.lease_id)
    assert held(lake) == [first]
    taken.end()
    taken.end()
    assert held(lake) == []
