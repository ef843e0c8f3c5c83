"""The end of jobs, and of planning, whose statement has no time left."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from pyspark.sql import SparkSession

from forklake.engine.spark.driver.failures import SPARK_ERRORS
from forklake.engine.spark.driver.isolate import EXCLUDED_RULES, without_rules
from forklake.engine.spark.driver.progress import jobs_of
from forklake.engine.statement_limits import current_allowance

_PATIENCE_SECONDS: Final = 1.0
"""How long tasks that do not look whether they are cancelled are waited for: they only read."""
_RULES_WITHOUT_JOBS: Final = (
    "ConvertToLocalRelation",
    "RemoveNoopOperators",
    "RemoveRedundantAliases",
)
"""The rules by which a step of a recursive query is computed while it is planned.

Without them each step is a job.
"""


def watch_jobs(spark: SparkSession) -> SparkSession:
    """Return a session; if time is limited, its jobs are cancelled when it is over.

    These are the jobs that this thread starts until its `Allowance` is spent. They have ended, or a second has passed,
    before the statement fails; what writes waits longer by itself. Each session that plans a query of the statement has
    to be named: recursive queries that it plans end, too.
    """
    allowance = current_allowance()
    if allowance is None or not allowance.has_time_limit:
        return spark
    work = allowance.work
    if work is None:
        work = _SparkWork(spark)
        allowance.watch(work)
    assert isinstance(work, _SparkWork)
    work.plan_in(spark)
    return spark


class _SparkWork:
    """The jobs of a statement, and the sessions that plan them.

    Spark runs all steps of a recursive query while it plans, those of few rows without a job. So nothing that is
    cancelled would end them. When the time is over, the sessions are to run each step as a job, and jobs are
    cancelled before they begin.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._jobs = jobs_of(spark)
        self._jobs.begin()
        self._sessions: list[SparkSession] = []
        self._before: list[tuple[SparkSession, str | None]] = []
        self._is_over = False

    def plan_in(self, spark: SparkSession) -> None:
        """Add a session that plans."""
        if any(spark is known for known in self._sessions):
            return
        self._sessions.append(spark)
        if self._is_over:
            self._run_as_jobs(spark)

    def cancel(self) -> None:
        """Cancel the jobs, and the planning of recursive queries."""
        self._is_over = True
        with suppress(*SPARK_ERRORS):  # if it is lost, so are the jobs
            for spark in tuple(self._sessions):
                self._run_as_jobs(spark)
            self._jobs.cancel(_PATIENCE_SECONDS)

    def _run_as_jobs(self, spark: SparkSession) -> None:
        self._before.append((spark, spark.conf.get(EXCLUDED_RULES, None)))
        for key, value in without_rules(spark, *_RULES_WITHOUT_JOBS).items():
            spark.conf.set(key, value)

    def end(self) -> None:
        """Let the jobs and sessions be as they were before."""
        with suppress(*SPARK_ERRORS):
            for spark, rules in reversed(self._before):
                if rules is None:
                    spark.conf.unset(EXCLUDED_RULES)
                else:
                    spark.conf.set(EXCLUDED_RULES, rules)
            self._jobs.end()
