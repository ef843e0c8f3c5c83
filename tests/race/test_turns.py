"""Turns at a busy catalog: who is stopped or killed holds up nobody for long, and other catalogs never wait."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pyarrow as pa
import pytest

from forklake import Lake, Settings
from forklake.lake.internals import runtime_of
from forklake.metastore.postgres import initialise
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId
from tests.servers import PgBouncer, database_name
from tests.waiting import wait_until

SHOP, OTHER = CatalogId(0), CatalogId(1)
LONG = 60.0
HOLDER = """
import sys, time
from forklake import Lake, Settings
from forklake.lake.internals import runtime_of
with Lake(sys.argv[1], settings=Settings(lock_timeout_seconds=float(sys.argv[2]))) as lake:
    with runtime_of(lake).store.turn(0) as came:
        print("came" if came else "did not come", flush=True)
        time.sleep(600)
"""


@pytest.fixture
def url(postgres_database: str, tmp_path: Path) -> str:
    initialise(postgres_database, None, Settings())
    with Lake(postgres_database, data_path=tmp_path / "data") as lake:
        for name in ("shop", "other"):
            lake.create_catalog(name).create_table("t", {"id": "BIGINT"})
    return postgres_database


@contextmanager
def holder(url: str, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """A process that has the turn of shop; it loses it after so many seconds without a word."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, url, str(seconds)], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        try:
            assert one.stdout.readline() == "came\n"
            yield one
        finally:
            one.kill()


def store_of(lake: Lake) -> Store:
    return runtime_of(lake).store


def comes(store: Store, catalog: CatalogId = SHOP) -> bool:
    with store.turn(catalog) as came:
        return came


def test_a_commit_that_lost_three_races_waits_no_longer_than_the_time_out_for_who_is_stopped(url: str) -> None:
    attempts: list[float] = []

    def lose(step: str) -> None:
        if step == "commit: before the call":
            attempts.append(time.monotonic())
            if len(attempts) <= 4:
                rival.catalog("shop").table("t").append(pa.table({"id": [len(attempts)]}))

    with (
        Lake(url) as rival,
        Lake(url, settings=Settings(on_step=lose, lock_timeout_seconds=0.5)) as lake,
        holder(url, LONG) as one,
    ):
        os.kill(one.pid, signal.SIGSTOP)
        lake.catalog("shop").table("t").append(pa.table({"id": [0]}))
        assert len(attempts) == 5
        assert attempts[3] - attempts[2] >= 0.5  # the wait for the turn, which did not come
        assert sorted(lake.catalog("shop").table("t").rows()) == [(0,), (1,), (2,), (3,), (4,)]
        assert comes(store_of(lake), OTHER)


def test_who_has_the_turn_tries_again_at_once_until_it_wins(url: str) -> None:
    attempts: list[str] = []

    def lose(step: str) -> None:
        if step == "commit: before the call":
            attempts.append(step)
            if len(attempts) <= 20:  # more than there are retries
                rival.catalog("shop").table("t").append(pa.table({"id": [len(attempts)]}))

    with Lake(url) as rival, Lake(url, settings=Settings(on_step=lose, lock_timeout_seconds=LONG)) as lake:
        lake.catalog("shop").table("t").append(pa.table({"id": [0]}))
        assert len(attempts) == 21
        assert len(lake.catalog("shop").table("t").rows()) == 21


def test_an_update_that_lost_three_races_has_the_turn_until_it_wins(url: str) -> None:
    attempts: list[str] = []

    def lose(step: str) -> None:
        if step == "commit: before the call":
            attempts.append(step)
            if len(attempts) <= 15:  # more than there are retries
                rival.catalog("shop").table("t").append(pa.table({"id": [len(attempts)]}))

    with (
        Lake(url) as rival,
        Lake(url, settings=Settings(on_step=lose, lock_timeout_seconds=LONG, engine="local")) as lake,
    ):
        table = rival.catalog("shop").table("t")
        table.append(pa.table({"id": [0]}))
        lake.catalog("shop").table("t").update({"id": "id + 100"})
        assert len(attempts) == 16
        assert sorted(table.rows()) == [(number,) for number in range(100, 116)]
        attempts.clear()
        lake.catalog("shop").sql("UPDATE t SET id = id - 100")
        assert len(attempts) == 16
        assert sorted(table.rows()) == [(number,) for number in (*range(-99, -84), *range(16))]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
def test_a_turn_ends_with_its_process_and_after_a_time_without_a_word(url: str, end: signal.Signals) -> None:
    with (
        Lake(url, settings=Settings(lock_timeout_seconds=LONG)) as lake,
        holder(url, LONG if end == signal.SIGKILL else 0.5) as one,
    ):
        os.kill(one.pid, end)
        assert comes(store_of(lake))


def test_other_catalogs_and_forks_wait_for_no_turn(url: str) -> None:
    with Lake(url, settings=Settings(lock_timeout_seconds=LONG)) as lake, store_of(lake).turn(SHOP) as came:
        assert came
        assert comes(store_of(lake), OTHER)
        with store_of(lake).turn(SHOP) as mine:  # the same thread has it
            assert mine
        lake.catalog("shop").fork("agent")
        lake.catalog("shop").maintenance.flush_inlined()
        lake.catalog("shop").table("t").append(pa.table({"id": [1]}))  # who has lost no race asks for no turn


def test_who_sees_a_line_in_its_process_joins_it_before_its_first_race(url: str) -> None:
    steps: list[str] = []
    settings = Settings(on_step=steps.append, lock_timeout_seconds=LONG)
    with Lake(url, settings=settings) as lake, Lake(url) as rival:
        store = store_of(lake)
        writers = [
            threading.Thread(target=lake.catalog("shop").table("t").append, args=(pa.table({"id": [number]}),))
            for number in range(3)
        ]
        with store.line(SHOP) as came:
            assert came
            for writer in writers:
                writer.start()
            wait_until(lambda: steps.count("append: files registered") == 3)
            lake.catalog("other").table("t").append(pa.table({"id": [0]}))
            assert steps.count("commit: done") == 1
            rival.catalog("shop").table("t").append(pa.table({"id": [3]}))  # another process goes on as it did
        for writer in writers:
            writer.join()
        assert sorted(lake.catalog("shop").table("t").rows()) == [(0,), (1,), (2,), (3,)]
    assert steps.count("commit: before the call") == 4  # no race was lost


def test_who_stays_the_first_for_too_long_is_passed_by_all(url: str) -> None:
    with Lake(url, settings=Settings(lock_timeout_seconds=0.3)) as lake:
        store, table = store_of(lake), lake.catalog("shop").table("t")
        with store.line(SHOP) as came:
            assert came
            writer = threading.Thread(target=table.append, args=(pa.table({"id": [1]}),))
            writer.start()
            writer.join()
            assert not store.is_waited_for(SHOP)
            with store.line(SHOP) as again:
                assert again
        assert table.rows() == [(1,)]


def test_a_commit_that_is_known_is_found_behind_a_line_whatever_others_did(url: str) -> None:
    with Lake(url, settings=Settings(lock_timeout_seconds=0.3)) as lake:
        shop = lake.catalog("shop")
        done = []
        for _ in range(2):
            transaction = shop.transaction(commit_key="once")
            transaction.drop_table("t")
            done.append(transaction)
        first = done[0].commit().snapshot_id
        errors: list[BaseException] = []

        def repeat() -> None:
            try:
                assert done[1].commit().snapshot_id == first
            except BaseException as error:
                errors.append(error)

        with store_of(lake).line(SHOP):
            thread = threading.Thread(target=repeat)
            thread.start()
            thread.join()
        assert errors == []


def test_a_pool_of_one_connection_waits_among_its_own_threads_only(url: str) -> None:
    settings = Settings(pool_size=1, lock_timeout_seconds=0.2)
    with Lake(url, settings=settings) as lake, store_of(lake).turn(SHOP) as came:
        assert came
        lake.catalog("shop").table("t").append(pa.table({"id": [1]}))


def test_a_turn_leaves_nothing_in_the_sessions_of_a_pooler(url: str, pgbouncer: PgBouncer) -> None:
    pooled = pgbouncer.url(database_name(url))
    brief = Settings(lock_timeout_seconds=0.3)
    with holder(pooled, LONG) as one, Lake(pooled, settings=brief) as lake:
        assert not comes(store_of(lake))
        assert comes(store_of(lake), OTHER)
        one.kill()
        one.wait()
        wait_until(lambda: comes(store_of(lake)))
        with psycopg.connect(pooled, prepare_threshold=None) as watcher:
            left = watcher.execute(
                "SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'),"
                " (SELECT count(*) FROM pg_locks WHERE relation = 'forklake.ducklake_lock'::regclass)"
            ).fetchone()
    assert left == ("0", "0", 0)


def test_embedded_stores_give_no_turns(tmp_path: Path) -> None:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}") as lake:
        assert not comes(store_of(lake))
