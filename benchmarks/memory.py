"""How much memory the processes of a benchmark took at most."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def peaks(spark: SparkSession) -> dict[str, float]:
    """Return the peak resident memory of this process, of the JVM, and of its largest Python worker, in MiB."""
    jvm = _jvm_process(spark)
    workers = [_status(child, "VmHWM") for child in _descendants(jvm)]
    found = {"driver": _status(os.getpid(), "VmHWM"), "JVM": _status(jvm, "VmHWM")}
    # Workers that had nothing to do for a while are gone.
    return found | ({"largest Python worker": max(workers)} if any(workers) else {})


def resident(spark: SparkSession) -> dict[str, float]:
    """Return the resident memory of this process and of the JVM as it is now, in MiB."""
    return {"driver": _status(os.getpid(), "VmRSS"), "JVM": _status(_jvm_process(spark), "VmRSS")}


def heap(spark: SparkSession) -> float:
    """Return what the JVM still holds after it has thrown away what nobody needs, in MiB."""
    jvm = _jvm(spark)
    for _ in range(3):  # what one collection frees lets Spark's cleaner free more
        jvm.System.gc()
        time.sleep(0.3)
    runtime = jvm.Runtime.getRuntime()
    return float((runtime.totalMemory() - runtime.freeMemory()) / 2**20)


def _jvm(spark: SparkSession) -> Any:
    gateway: Any = spark.sparkContext._gateway
    return gateway.jvm.java.lang


def _jvm_process(spark: SparkSession) -> int:
    return int(_jvm(spark).ProcessHandle.current().pid())


def _status(process: int, field: str) -> float:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{field}:")), 0.0)


def _descendants(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *_descendants(child)]
    return found
