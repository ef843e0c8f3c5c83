"""Whether executors see the same local directories as the driver.

If they do not, what they write is lost without an error.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from typing import Any, Final, cast
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError
from forklake.files.access import storage

_HINT: Final = "Use an object store, or a directory that all machines of the cluster mount at the same path."
_TASKS_PER_CORE: Final = 2
_MOST_KNOWN: Final = 10_000
_shared: Final[set[tuple[str, str]]] = set()
"""Directories that the executors of an application were found to see."""


def check_shared(spark: SparkSession, directory: str) -> None:
    """Check that the executors of a cluster see a local directory.

    A directory is checked once per application.

    Raises:
        EngineError: An executor sees another directory, or none; nothing was written.
    """
    if is_remote(spark) or not storage.is_local(directory):
        return
    context: Any = cast("Any", spark).sparkContext
    if context.master.startswith("local") and "local-cluster" not in context.master:
        return
    # Not once for a mount: of one that the driver has whole, executors may have a part.
    key = (context.applicationId, directory)
    if key in _shared:
        return
    storage.make_directory(directory)
    mark = f"{storage.local_path(directory)}.forklake-{uuid4()}"
    try:
        storage.open_output(mark).close()
        tasks = _TASKS_PER_CORE * context.defaultParallelism
        blind = map_in_python(spark.range(0, tasks, 1, tasks), _look(mark), "host string").collect()
    finally:
        storage.delete([mark])
    if blind:
        raise EngineError(
            f'An executor of Spark on "{blind[0].host}" does not see the directory "{directory}"; nothing was written.',
            hint=_HINT,
        )
    if len(_shared) >= _MOST_KNOWN:
        _shared.clear()
    _shared.add(key)


def check_written(directory: str) -> None:
    """Check that a directory which Spark has written exists for this process too.

    Spark writes the directory even if there are no rows.

    Raises:
        EngineError: It does not.
    """
    if storage.is_local(directory) and not os.path.isdir(storage.local_path(directory)):
        raise EngineError(
            f'Spark wrote to the directory "{directory}" on another machine; nothing was committed.', hint=_HINT
        )


def _look(mark: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            hosts = [] if os.path.exists(mark) else [socket.gethostname()]
            yield pa.record_batch([pa.array(hosts, pa.string())], names=["host"])

    return look
