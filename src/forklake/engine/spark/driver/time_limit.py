"""The end of jobs whose statement has no time left."""

from __future__ import annotations

from contextlib import suppress

from pyspark.sql import SparkSession

from forklake.engine.allowance import current_allowance
from forklake.engine.spark.driver.failures import SPARK_ERRORS
from forklake.engine.spark.driver.progress import Jobs, jobs_of


def watch_jobs(spark: SparkSession) -> SparkSession:
    """Return a session; if time is limited, its jobs are cancelled when it is over.

    These are the jobs that this thread starts until its `Allowance` is spent. They have ended, or ten seconds have
    passed, before the statement fails.
    """
    allowance = current_allowance()
    if allowance is not None and not allowance.is_watched:
        jobs = jobs_of(spark)
        jobs.begin()
        allowance.watch(lambda: _ignore_loss(jobs, "cancel"), lambda: _ignore_loss(jobs, "end"))
    return spark


def _ignore_loss(jobs: Jobs, verb: str) -> None:
    with suppress(*SPARK_ERRORS):  # if it is lost, so are the jobs
        getattr(jobs, verb)()
