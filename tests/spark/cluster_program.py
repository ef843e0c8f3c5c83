"""What `test_cluster` runs in a process of its own: a driver that works on a cluster, and tells what happened as JSON.

Its arguments are the URL of the master, a directory that driver and executors share, and how many rows to write.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

import forklake
from forklake import Catalog, Settings
from forklake.engine.spark.change import kept_rows
from forklake.errors import ForklakeError
from forklake.model.scan import ScanPlan
from tests.java import with_archive

BRIEF = f"-XX:+UseSerialGC {with_archive()}"
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": BRIEF,
    "spark.driver.memory": "1g",
    "spark.executor.extraJavaOptions": BRIEF,
    "spark.executor.memory": "700m",
    "spark.sql.shuffle.partitions": "2",
    # A task that takes longer than the others is run a second time beside the first.
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "3s",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.task.maxFailures": "2",
}
Fault = Callable[[], None]


def main(master: str, shared: Path, row_count: int) -> dict[str, Any]:
    """Write, change and read rows, with and without faults."""
    settings = Settings(spark={"spark.master": master, **SETTINGS})
    with forklake.open(f"sqlite:{shared / 'lake.db'}", data_path=shared / "data", settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
        shop.create_table("keys", {"id": "BIGINT", "key": "UUID"})  # which only PyArrow writes
        spark = lake.spark
        steps: dict[str, Callable[[], object]] = {
            "rows": lambda: _rows(shop, spark, row_count),
            "unshared": lambda: _unshared(settings, shared, spark),
            "interrupted": lambda: _Trial(shop, spark, shared, "orders").interrupted(),
            "killed for good": lambda: _Trial(shop, spark, shared, "orders").run(_kill_executor),
            "killed once": lambda: _Trial(shop, spark, shared, "keys").run(_first_time(_kill_executor)),
            "killed between": lambda: _killed_between(shop, spark, shared),
            "slow once": lambda: _Trial(shop, spark, shared, "keys").run(_first_time(_dawdle)),
        }
        done = {}
        for name, step in steps.items():
            began = time.monotonic()
            done[name] = step()
            print(f"{name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
        spark.stop()
        return done


def _rows(shop: Catalog, spark: SparkSession, count: int) -> dict[str, Any]:
    orders, keys = shop.table("orders"), shop.table("keys")
    orders.append(spark.range(0, count, 1, 4).selectExpr("id", "concat('item ', id % 10) AS item"))
    keys.append(spark.range(0, count, 1, 4).selectExpr("id", "uuid() AS key"))
    done: dict[str, Any] = {
        "updated": orders.update({"item": "'x'"}, "id % 100 = 7").row_count,
        "deleted": orders.delete("id % 100 = 8").row_count,
        "merged": orders.merge(spark.range(0, count + 100, 100).selectExpr("id", "'m' AS item"), ["id"]).row_count,
    }
    read = orders.dataframe().selectExpr("count(*)", "sum(id)", "count_if(item = 'x')", "count_if(item = 'm')")
    done["read"] = list(read.collect()[0])
    done["keys"] = list(keys.dataframe().selectExpr("count(DISTINCT key)", "sum(id)").collect()[0])
    done["fork"] = shop.fork("agent").table("orders").delete("id < 100").row_count
    return done


def _unshared(settings: Settings, shared: Path, spark: SparkSession) -> list[str]:
    """Write to a path that is another directory for each process."""
    with forklake.open(f"sqlite:{shared / 'own.db'}", data_path="/proc/self/cwd/own", settings=settings) as lake:
        own = lake.create_catalog("own")
        own.create_table("orders", {"id": "BIGINT"})
        try:
            own.table("orders").append(spark.range(10))
        except ForklakeError as error:
            return [type(error).__name__, str(error)]
    return []


class _Trial:
    """A write in the middle of which something happens, and what is there afterwards."""

    def __init__(self, shop: Catalog, spark: SparkSession, shared: Path, table: str) -> None:
        self._shop, self._spark, self._shared, self._table = shop, spark, shared, table
        self._before = len(shop.snapshots()), shop.table(table).count()
        self._files = _files(shared)

    def run(self, fault: Fault) -> dict[str, Any]:
        error = None
        try:
            self._append(fault)
        except (ForklakeError, KeyboardInterrupt) as raised:
            error = [type(raised).__name__, str(raised)]
        outcome = {"error": error, **self._outcome()}
        if error is not None:
            self._append(_nothing)
            outcome["second try"] = self._outcome()
        return outcome

    def interrupted(self) -> dict[str, Any]:
        main = threading.main_thread().ident
        assert main is not None
        threading.Timer(4, signal.pthread_kill, (main, signal.SIGINT)).start()
        return self.run(_hang)

    def _append(self, fault: Fault) -> None:
        values = {"orders": "'x' AS item", "keys": "uuid() AS key"}[self._table]
        self._shop.table(self._table).append(_faulty(self._spark, fault).selectExpr("id", values))

    def _outcome(self) -> dict[str, Any]:
        files = [file for name in ("orders", "keys") for file in self._shop.table(name).storage.files()]
        known = {file.path for file in files} | {file.delete_file.path for file in files if file.delete_file}
        found = _files(self._shared)
        snapshots, count = self._before
        return {
            "commits": len(self._shop.snapshots()) - snapshots,
            "rows": self._shop.table(self._table).dataframe().count() - count,
            "left behind": sorted(found - known - self._files),
            "missing": sorted(known - found),
        }


def _killed_between(shop: Catalog, spark: SparkSession, shared: Path) -> dict[str, Any]:
    """Kill all executors once the rows of an update are found and kept, before any of its files is written."""
    orders, before, since = shop.table("orders"), _files(shared), len(shop.snapshots())
    expected = orders.dataframe().where("id % 50 = 3").count()
    tell, lost = kept_rows._tell, list[int]()

    def tell_and_lose(kept: DataFrame, plan: ScanPlan) -> pa.Table:
        told = tell(kept, plan)
        if not lost:
            lost.extend(_kill_executors(spark))
        return told

    with patch.object(kept_rows, "_tell", tell_and_lose):
        updated = orders.update({"item": "'lost and found'"}, "id % 50 = 3").row_count
    known = {file.path for file in orders.storage.files()}
    deletes = {file.delete_file.path for file in orders.storage.files() if file.delete_file}
    return {
        "expected": expected,
        "updated": updated,
        "read": orders.dataframe().where("item = 'lost and found'").count(),
        "killed": len(lost),
        "commits": len(shop.snapshots()) - since,
        "left behind": sorted(_files(shared) - before - known - deletes),
    }


def _kill_executors(spark: SparkSession) -> list[int]:
    """Kill the executors, and wait until the driver has as many others."""
    tracker: Any = cast("Any", spark.sparkContext)._jsc.sc().statusTracker()

    def addresses() -> set[tuple[str, int]]:
        return {(info.host(), info.port()) for info in tracker.getExecutorInfos()}

    before = addresses()
    application = f"--app-id\0{spark.sparkContext.applicationId}".encode()
    found = [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdecimal() and application in (process / "cmdline").read_bytes()
    ]
    for process in found:
        os.kill(process, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while (now := addresses()) == before or len(now - before) < len(found):
        assert time.monotonic() < deadline, (before, now)
        time.sleep(0.2)
    return found


def _files(shared: Path) -> set[str]:
    return {str(path) for path in (shared / "data").rglob("*") if path.is_file()}


def _faulty(spark: SparkSession, fault: Fault) -> DataFrame:
    """Return 40 rows in four partitions; something happens in the middle of the last one."""

    def pass_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(batches):
            if number == 1 and batch.column(0)[0].as_py() >= 30:
                time.sleep(0.5)  # until the rows before are with the writer
                fault()
            yield batch

    session = spark.newSession()
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "5")
    return session.range(0, 40, 1, 4).mapInArrow(pass_on, "id bigint")


def _nothing() -> None:
    pass


def _dawdle() -> None:
    time.sleep(30)


def _hang() -> None:
    time.sleep(200)


def _first_time(fault: Fault) -> Fault:
    def once() -> None:
        context = TaskContext.get()
        assert context is not None
        if context.attemptNumber() == 0:
            fault()

    return once


def _kill_executor() -> None:
    # The worker's parent is the daemon that forked it, and the daemon's is the executor.
    status = Path(f"/proc/{os.getppid()}/status").read_text()
    executor = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))
    os.kill(executor, signal.SIGKILL)
    time.sleep(30)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
