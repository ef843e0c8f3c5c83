"""A table on a cluster of Spark, two workers on this machine, which are killed in the middle of updates."""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.databases import Databases
from benchmarks.report import Figure
from benchmarks.size import CHANGE, QUICK, Life, Sizes, Step
from benchmarks.spark import new_lake
from forklake import Lake, Settings, Table
from tests.loopback import SparkCluster, spark_cluster

_KILLED = (0.25, 0.5, 0.75)
"""After which part of the time of other updates a worker is killed."""

_START_TIMEOUT_SECONDS = 60


def cluster(databases: Databases, quick: bool) -> list[Figure]:
    """Load, update, fork, read and compact a table on a cluster, losing workers, and check the lake."""
    sizes = QUICK if quick else Sizes(rows=10_000_000)
    sizes = Sizes(sizes.rows, sizes.appends, sizes.updates + 3, sizes.forks, sizes.writers, kills=len(_KILLED))
    with (
        tempfile.TemporaryDirectory(prefix="forklake-cluster-") as logs,
        spark_cluster(Path(logs), memory="2g") as running,
    ):
        settings = Settings(
            spark={
                "spark.master": running.address,
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.host": "127.0.0.1",
                "spark.executor.memory": "1500m",
            }
        )
        with new_lake(settings) as (lake, spark, directory):
            try:
                return _Disturbed(lake, spark, directory, sizes, running).run(f"{sizes.rows:,} rows on a cluster")
            finally:
                spark.stop()


class _Disturbed(Life):
    """A life in which workers are lost."""

    def __init__(self, lake: Lake, spark: SparkSession, directory: Path, sizes: Sizes, running: SparkCluster) -> None:
        super().__init__(lake, spark, directory, sizes)
        self._spark, self._running = spark, running
        self._kills = dict(zip(range(sizes.updates - sizes.kills, sizes.updates), _KILLED, strict=True))
        self._took = list[float]()

    def update(self, table: Table, number: int) -> None:
        """Make one of the updates; the last ones lose a worker each."""
        if number not in self._kills:
            before = sum(step.ours for step in self.race.steps.values())
            super().update(table, number)
            self._took.append(sum(step.ours for step in self.race.steps.values()) - before)
            return
        usual = statistics.median(self._took)
        self._await_executors(2)
        killer = _Killer(self._running, 1 + number % 2, usual * self._kills[number])
        began = time.perf_counter()
        killer.start()
        count = table.update(CHANGE, self.updated_rows(number)).row_count
        took = time.perf_counter() - began
        was_killed = killer.is_done.is_set()
        killer.join()
        self._running.start_worker(killer.number)
        assert was_killed, f"the update took {took:.1f} s, and its worker was killed later"
        assert count == table.dataframe().where(self.updated_rows(number)).count()
        name = f"an update whose worker is killed after {self._kills[number]:.0%} of its time"
        self.race.steps[name] = Step(took, usual, "one that is left alone")

    def _await_executors(self, count: int) -> None:
        tracker = self._spark.sparkContext._jsc.sc().statusTracker()
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while len(tracker.getExecutorInfos()) < count + 1:  # the driver is one of them
            assert time.monotonic() < deadline, "a worker did not come"
            time.sleep(0.2)


class _Killer(threading.Thread):
    """Kills a worker after some time."""

    def __init__(self, running: SparkCluster, number: int, delay_seconds: float) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.is_done = threading.Event()
        self._running, self._delay_seconds = running, delay_seconds

    def run(self) -> None:
        time.sleep(self._delay_seconds)
        self._running.kill_worker(self.number)
        self.is_done.set()
