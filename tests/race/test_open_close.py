"""Opening and closing a lake thousands of times leaves nothing behind: no connection, thread, handle or memory.

FORKLAKE_CYCLES says how often each process does it to a file that processes share.
"""

import gc
import os
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from forklake import Lake, NewDataFile
from tests.lakes import LakeFactory
from tests.race.processes import SECONDS, Job, race

PROCESSES = 2
CYCLES = {"sqlite": int(os.environ.get("FORKLAKE_CYCLES", "400")), "duckdb": 40, "postgres": int(150 * SECONDS)}
"""How often each process opens and closes."""

GROWTH_BYTES = 4 << 20


@dataclass(frozen=True)
class Footprint:
    """What a process holds."""

    memory_bytes: int
    handles: int
    threads: int

    @classmethod
    def now(cls) -> "Footprint":
        gc.collect()
        resident_pages = int(Path("/proc/self/statm").read_text().split()[1])
        handles = len(os.listdir("/proc/self/fd"))
        return cls(resident_pages * os.sysconf("SC_PAGE_SIZE"), handles, threading.active_count())


def cycle(url: str, count: int) -> tuple[Footprint, Footprint]:
    """Open, read and close; return what was held after a tenth of the cycles, and after all."""
    early = None
    # Held for a while, so that closing is what lets go, and not the garbage collector.
    closed: deque[Lake] = deque(maxlen=20)
    for number in range(count):
        with Lake(url) as lake:
            assert lake.catalog("shop").table("orders").inspect.stats.record_count == 5
        closed.append(lake)
        if number == count // 10:
            early = Footprint.now()
    assert early is not None
    return early, Footprint.now()


def count_connections(url: str, most: int, cycles: int) -> int:
    """Return the most connections that the server ever had, while others open and close."""
    seen = 0
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(cycles):
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'"
            ).fetchone()
            assert row is not None
            seen = max(seen, row[0])
            assert seen <= most, f"{seen} connections at once"
            time.sleep(0.01)
    return seen


def _filled(factory: LakeFactory) -> str:
    url = factory.url()
    with Lake(url, data_path=factory.directory / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT"})
        shop.table("orders").storage.append_files([NewDataFile("a.parquet", 5, 50)])
    return url


def _check(early: Footprint, late: Footprint) -> None:
    assert late.threads == early.threads, (early, late)
    assert late.handles == early.handles, (early, late)
    assert late.memory_bytes - early.memory_bytes < GROWTH_BYTES, (early, late)


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_cycles_on_a_shared_file_leave_nothing_behind(lake_factory: LakeFactory) -> None:
    url = _filled(lake_factory)
    jobs = [Job(f"process {number}", cycle, (url, CYCLES["sqlite"])) for number in range(PROCESSES)]
    for footprints in race(*jobs).values():
        _check(*footprints)


@pytest.mark.parametrize("lake_factory", ["duckdb"], indirect=True)
def test_cycles_on_a_file_of_one_process_leave_nothing_behind(lake_factory: LakeFactory) -> None:
    url = _filled(lake_factory)
    _check(*race(Job("process", cycle, (url, CYCLES["duckdb"])))["process"])


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_cycles_on_a_server_keep_its_connections_few_and_leave_none(lake_factory: LakeFactory) -> None:
    url, cycles = _filled(lake_factory), CYCLES["postgres"]
    # Each process has one connection at a time, and one more that is being closed.
    results = race(
        *(Job(f"process {number}", cycle, (url, cycles)) for number in range(PROCESSES)),
        Job("watcher", count_connections, (url, 3 * PROCESSES, cycles)),
    )
    assert results.pop("watcher") >= 1
    for footprints in results.values():
        _check(*footprints)


@pytest.mark.parametrize("lake_factory", ["postgres"], indirect=True)
def test_many_threads_of_one_lake_share_a_bounded_number_of_connections(lake_factory: LakeFactory) -> None:
    url = _filled(lake_factory)
    failures: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(20):
                assert lake.catalog("shop").table("orders").inspect.stats.record_count == 5
        except BaseException as error:
            failures.append(error)

    before = threading.active_count()
    with Lake(url) as lake:
        threads = [threading.Thread(target=read) for _ in range(16)]
        for thread in threads:
            thread.start()
        most = count_connections(url, lake._runtime.store.settings.pool_size, 100)
        for thread in threads:
            thread.join()
    assert not failures, failures
    assert most >= 1
    assert threading.active_count() == before
