"""Collecting the rows of a Spark frame to the driver."""

from __future__ import annotations

import sys
from typing import Any, Final, cast

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame

from forklake.engine.spark.driver.failures import guard_jobs
from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError

_PATIENCE_SECONDS: Final = 10


def collect_arrow(frame: DataFrame, table: str) -> pa.Table:
    """Return the rows of a caller's frame, which will go into a table.

    Raises:
        EngineError: The job failed.
    """
    with guard_jobs(f'rows for table "{table}"'):
        return arrow_rows(frame)


def arrow_rows(frame: DataFrame) -> pa.Table:
    """Return the rows of a frame as `toArrow` does, without its endless wait.

    `toArrow` waits for ever if Java runs out of memory meanwhile.

    Raises:
        EngineError: Java's thread that sent the rows has died.
    """
    return frame.toArrow() if is_remote(frame.sparkSession) else cast("pa.Table", _watch(frame).toArrow())


def arrow_batches(frame: DataFrame) -> pa.Table:
    """Return the rows of a frame, at least one batch so that its columns are known.

    The frame belongs to a Spark of this process. The other steps of `toArrow` are left out: they fail for
    variants that are NULL, and ask for settings and for the schema.

    Raises:
        EngineError: Java's thread that sent the rows has died.
    """
    return pa.Table.from_batches(_watch(frame)._collect_as_arrow(empty_list_if_zero_records=False))


def _watch(frame: DataFrame) -> Any:
    return cast("Any", type(frame))(_JavaFrame(frame), frame.sparkSession)


class _JavaFrame:
    """A Java frame with the usual way to send rows, but no endless wait for them."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = cast("Any", frame)._jdf
        self._jvm = cast("Any", frame.sparkSession)._jvm

    def __getattr__(self, name: str) -> Any:
        return getattr(self._frame, name)

    def collectAsArrowToPython(self) -> tuple[Any, Any, _Sender]:  # noqa: N802 - Spark's name
        # Planned by the thread that sends rows, a query whose plan takes too much memory would end only that thread.
        self._frame.queryExecution().executedPlan()
        port, secret, sender = self._frame.collectAsArrowToPython()
        return port, secret, _Sender(sender, self._jvm)


class _Sender:
    """Java's thread that sends rows.

    It reports how it ended, unless an error of Java's own machinery ended it.
    """

    def __init__(self, sender: Any, jvm: Any) -> None:
        self._sender, self._jvm = sender, jvm

    def getResult(self) -> None:  # noqa: N802 - Spark's name
        """Raise what the thread failed with.

        Spark asks when there are no more rows, so the thread is about to end.
        """
        if isinstance(sys.exc_info()[1], KeyboardInterrupt):
            return  # its job is about to be cancelled
        try:
            self._sender.getResult(self._jvm.scala.concurrent.duration.Duration.apply(_PATIENCE_SECONDS, "seconds"))
        except Py4JJavaError as error:
            if "TimeoutException" not in str(error.java_exception):
                raise
            raise EngineError(
                "Spark could not send the rows, most likely for want of memory; nothing was committed.",
                hint='Give it more with "spark.driver.memory", or ask for fewer rows or columns at a time.',
            ) from error
