"""A tenant among fifty noisy ones sees what it would see alone."""

import random
import threading
import time
from difflib import unified_diff
from typing import Any

import pytest

from forklake import Lake, NewDataFile, NewDeleteFile, RetryPolicy, Settings
from forklake.errors import AlreadyExistsError, CommitConflictError, CommitContentionError, NotFoundError
from tests.lakes import LakeFactory
from tests.race.processes import CONTEXT, SECONDS, Job, Worker
from tests.race.state import check_rules
from tests.race.trace import Trace
from tests.waiting import wait_until

PROCESSES = 2
TENANTS = 25
"""So many noisy tenants, each a thread, in each process."""

STEPS = int(10 * SECONDS)
NOISE = 5
"""So many rounds of the others there are meanwhile, at least."""

EAGER = Settings(retry=RetryPolicy(max_retry_count=30, wait_seconds=0.01, backoff=1.1), pool_size=TENANTS)


def make_noise(url: str, process: int, rounds: Any, stop: Any) -> None:
    """Be many tenants until told to stop; anything but losing a fair race is a failure."""
    failures: list[BaseException] = []

    def live(tenant: int) -> None:
        try:
            while not stop.is_set():
                _noisy_round(lake, f"noise-{tenant}", random.Random(), rounds)
        except BaseException as error:
            failures.append(error)
            stop.set()

    with Lake(url, settings=EAGER) as lake:
        threads = [threading.Thread(target=live, args=(process * TENANTS + number,)) for number in range(TENANTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def _noisy_round(lake: Lake, name: str, choose: random.Random, rounds: Any) -> None:
    """Do all that a tenant can do, with a common catalog to quarrel about."""
    own = lake.create_catalog(name, if_not_exists=True)
    own.create_table("orders", {"id": "BIGINT"}, if_not_exists=True)
    own.table("orders").storage.append_files([NewDataFile(f"{time.monotonic_ns()}.parquet", 5, 50)])
    fork = own.fork(f"{name}-fork")
    file = fork.table("orders").storage.files()[-1]
    fork.table("orders").storage.delete_rows([NewDeleteFile(file.data_file_id, f"{time.monotonic_ns()}.delete", 1, 10)])
    try:
        common = lake.create_catalog("common", if_not_exists=True)
        common.create_table("orders", {"id": "BIGINT"}, if_not_exists=True)
        common.table("orders").storage.append_files([NewDataFile(f"{time.monotonic_ns()}.parquet", 5, 50)])
        if choose.random() < 0.1:
            lake.catalog("common").drop()
    except (AlreadyExistsError, CommitConflictError, CommitContentionError, NotFoundError):
        pass
    own.maintenance.expire_snapshots(versions=[s.snapshot_id for s in own.snapshots()[:-1]])
    if choose.random() < 0.3:
        fork.maintenance.sever()
    lake.catalog(f"{name}-fork").rename(f"{name}-renamed")
    lake.catalog(f"{name}-renamed").drop()
    lake.purge(int(fork.catalog_id))
    with rounds.get_lock():
        rounds.value += 1
    time.sleep(choose.uniform(0, 3))


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_tenant_among_fifty_sees_what_it_sees_alone(lake_factory: LakeFactory) -> None:
    with lake_factory.open() as lake:
        alone = Trace(lake, "tenant", seed=7).run(STEPS)
    url = lake_factory.url()
    rounds, stop = CONTEXT.Value("i", 0), CONTEXT.Event()
    with Lake(url, data_path=lake_factory.directory / "data") as lake:
        workers = [Worker(Job(f"noise {n}", make_noise, (url, n, rounds, stop))) for n in range(PROCESSES)]
        try:
            wait_until(lambda: rounds.value >= 10 or stop.is_set(), "noise")
            before = rounds.value

            def wait_for_noise(step: int) -> None:
                wait_until(lambda: rounds.value >= before + NOISE * step // STEPS or stop.is_set(), "more noise")

            among = Trace(lake, "tenant", seed=7).run(STEPS, wait_for_noise)
            during = rounds.value - before
        finally:
            stop.set()
            for worker in workers:
                worker.result()
        assert during >= NOISE, f"only {during} rounds of noise"
        differences = list(unified_diff(alone, among, "alone", "among others", lineterm="", n=5))
        assert not differences, "\n".join(differences[:80])
        check_rules(lake, expired=True, written_out=True)
