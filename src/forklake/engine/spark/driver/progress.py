"""Progress of our jobs, and their end with the block they run in."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Protocol, cast
from uuid import uuid4

from pyspark.sql import SparkSession

from forklake.engine.display import JobCounts, is_visible, show_line
from forklake.engine.spark.driver.failures import SPARK_ERRORS
from forklake.engine.spark.driver.session import is_remote

_POLL_SECONDS: Final = 0.2
_QUIET_SECONDS: Final = 1.0
"""Jobs that are done by then are not worth a line."""

_CANCEL_SECONDS: Final = 10.0
_GROUP: Final = "spark.jobGroup.id"


class Jobs(Protocol):
    """The jobs that a thread starts between ``begin`` and ``end``."""

    def begin(self) -> None: ...
    def end(self) -> None: ...
    def cancel(self, patience_seconds: float = ...) -> None: ...
    def counts(self) -> JobCounts: ...


@contextmanager
def progress(spark: SparkSession, title: str) -> Iterator[None]:
    """Show the progress of the jobs that the block starts.

    It is shown on standard error if that is a terminal. If the block fails or is interrupted, its jobs are
    cancelled, and have ended (or ten seconds have passed) before the error goes on: they write nothing after
    that. Jobs of other threads are neither shown nor cancelled.
    """
    jobs = jobs_of(spark)
    jobs.begin()
    try:
        with show_line(title, jobs.counts, after_seconds=_QUIET_SECONDS):
            yield
    except BaseException:
        with suppress(*SPARK_ERRORS):  # if it is lost, so are the jobs
            jobs.cancel()
        raise
    finally:
        with suppress(*SPARK_ERRORS):
            jobs.end()


@contextmanager
def watch(spark: SparkSession, title: str) -> Iterator[None]:
    """Show the progress of jobs that only read, as `progress` does.

    Where it cannot be seen, this costs nothing.
    """
    if not is_visible():
        yield
        return
    with progress(spark, title):
        yield


def jobs_of(spark: SparkSession) -> Jobs:
    """Return the jobs that will be started in a session; none are before ``begin``."""
    return _RemoteJobs(spark) if is_remote(spark) else _LocalJobs(spark)


class _LocalJobs:
    """Jobs of a session with a JVM in reach, known by a tag."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = cast("Any", spark).sparkContext
        self._tag = f"forklake-{uuid4()}"
        self._has_group = False

    def begin(self) -> None:
        self._context.addJobTag(self._tag)
        # Only of a group can jobs be cancelled that Spark is still planning. One that the caller has set is kept.
        self._has_group = self._context.getLocalProperty(_GROUP) is None
        if self._has_group:
            self._context.setLocalProperty(_GROUP, self._tag)

    def end(self) -> None:
        self._context.removeJobTag(self._tag)
        if self._has_group:
            self._context.setLocalProperty(_GROUP, None)

    def cancel(self, patience_seconds: float = _CANCEL_SECONDS) -> None:
        deadline = time.monotonic() + patience_seconds
        context = self._context._jsc.sc()
        if self._has_group:
            context.cancelJobGroupAndFutureJobs(self._tag)
        # Spark does this behind our back, one thing after another. After the first, no task starts any more; after the
        # second, all that had started by then are known.
        for _ in range(2):
            cancelled = context.cancelJobsWithTagWithFuture(self._tag, "the statement that started them was given up")
            while not cancelled.isCompleted() and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS / 20)
        context.listenerBus().waitUntilEmpty(max(1, int((deadline - time.monotonic()) * 1000)))
        while self._running() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS / 4)

    def counts(self) -> JobCounts:
        store = self._context._jsc.sc().statusStore()
        tasks = all_tasks = rows = byte_count = 0
        for stage_id in self._stages():
            info = self._context.statusTracker().getStageInfo(stage_id)
            if info is None:
                continue
            tasks += info.numCompletedTasks
            all_tasks += info.numTasks
            data = store.lastStageAttempt(stage_id)
            rows += data.outputRecords()
            byte_count += data.outputBytes()
        return JobCounts(tasks, all_tasks, rows, byte_count)

    def _job_ids(self) -> list[int]:
        return list(self._context._jsc.sc().statusTracker().getJobIdsForTag(self._tag))

    def _running(self) -> bool:
        """Return whether a task is still running: a cancelled job ends before its tasks."""
        tracker = self._context.statusTracker()
        infos = (tracker.getStageInfo(stage) for stage in self._stages())
        return any(info is not None and info.numActiveTasks for info in infos)

    def _stages(self) -> list[int]:
        tracker = self._context.statusTracker()
        jobs = (tracker.getJobInfo(job) for job in self._job_ids())
        return sorted({stage for job in jobs if job is not None for stage in job.stageIds})


class _RemoteJobs:
    """Jobs of a Spark Connect client, which reports the progress of each operation."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = cast("Any", spark)
        self._tag = f"forklake-{uuid4()}"
        self._thread = threading.get_ident()
        self._counts = JobCounts()

    def begin(self) -> None:
        self._spark.addTag(self._tag)
        self._spark.registerProgressHandler(self._report)

    def end(self) -> None:
        self._spark.removeProgressHandler(self._report)
        self._spark.removeTag(self._tag)

    def cancel(self, patience_seconds: float = _CANCEL_SECONDS) -> None:
        self._spark.interruptTag(self._tag)

    def counts(self) -> JobCounts:
        return self._counts

    def _report(self, stages: Any, **_: object) -> None:
        if threading.get_ident() == self._thread and stages:
            self._counts = JobCounts(sum(s.num_completed_tasks for s in stages), sum(s.num_tasks for s in stages))
