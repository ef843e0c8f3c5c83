"""Work that Spark does in Python workers.

They have to run the right version of Python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import wraps
from inspect import signature
from typing import Any, Final, cast

import pyarrow as pa
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType, StructType

from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError
from forklake.files.access.keyring import Keyring, current_keyring

Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

OTHER_PYTHON: Final = (
    "Set PYSPARK_PYTHON to the Python of this process before the session is made, or let forklake start Spark:"
    " it does so by itself."
)
_ANY_PYTHON: Final = "python3"
"""What PySpark runs where no Python is named."""
_TELL: Final = "import sys; print(*sys.version_info[:2], sep='.')"
_PATIENCE: Final = 30.0
"""Seconds that a Python may take to say its version."""
_lock: Final = threading.Lock()
_known: weakref.WeakKeyDictionary[SparkContext, str] = weakref.WeakKeyDictionary()
"""The Python that was found good, by context."""


def map_in_python(frame: DataFrame, task: Task, schema: StructType | str) -> DataFrame:
    """Return what a task makes of the rows of a frame, batch by batch.

    The task brings the credentials along that count now.

    Raises:
        EngineError: Workers on this machine would run another version of Python, which Spark refuses in the job.
    """
    check_workers(frame.sparkSession)
    return frame.mapInArrow(cast("Any", _bring_keyring(task, current_keyring())), schema)


def group_in_python(frame: DataFrame, key: str, task: Callable[..., Any], schema: str) -> DataFrame:
    """Return what a task makes of each group of rows that have one value of a column.

    Raises:
        EngineError: As `map_in_python`.
    """
    check_workers(frame.sparkSession)
    return frame.groupBy(key).applyInArrow(cast("Any", task), schema)


def arrow_function(function: Callable[..., pa.Array], returned: DataType) -> Any:
    """Return a function of Spark that gives arrays for arrays, batch by batch."""
    # Spark reads from the annotations that whole arrays are taken and given.
    function.__annotations__ = dict.fromkeys([*signature(function).parameters, "return"], pa.Array)
    return cast("Any", F).arrow_udf(function, returned)  # typeshed of PySpark does not know it


def _bring_keyring(task: Task, keyring: Keyring) -> Task:
    """Return a task for which credentials count.

    They count while it makes a batch, and not while others use the batch: workers run tasks of many sessions.
    """
    if not keyring.credentials:
        return task

    @wraps(task)  # plans show its name
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        made = keyring.run(task, batches)
        while (batch := keyring.run(next, made, None)) is not None:
            yield batch

    return run


def check_workers(spark: SparkSession) -> None:
    """Refuse a session whose workers run another version of Python.

    Sessions on this machine are checked, once each, after `name_python`. Workers on other machines, and those of Spark
    Connect, tell it themselves when they are given work.

    Raises:
        EngineError: They do, or there is no such Python.
    """
    name_python(spark)
    if is_remote(spark) or not _is_here(spark):
        return
    context: Any = spark.sparkContext
    python = str(context.pythonExec)
    if _known.get(context) == python:
        return
    with _lock:
        found = shutil.which(python)
        if found is None or not os.path.samefile(found, sys.executable):
            _check_version(python, found)
        _known[context] = python


def name_python(spark: SparkSession) -> None:
    """Have workers on this machine run the Python of this process.

    Nothing is done where one is named for them.

    PySpark takes whichever "python3" the PATH has, which may lack our packages.
    """
    if is_remote(spark) or not _is_here(spark):
        return
    context: Any = spark.sparkContext
    if context.pythonExec == _ANY_PYTHON and not os.environ.get("PYSPARK_PYTHON"):
        context.pythonExec = sys.executable


def _is_here(spark: SparkSession) -> bool:
    return str(spark.sparkContext.master).startswith("local")


def _check_version(python: str, found: str | None) -> None:
    here = ".".join(map(str, sys.version_info[:2]))
    if found is None:
        raise EngineError(f'There is no "{python}" for the workers of Spark; nothing was done.', hint=OTHER_PYTHON)
    try:
        told = subprocess.run([found, "-c", _TELL], capture_output=True, text=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineError(
            f'"{python}", which the workers of Spark run, does not start; nothing was done.', hint=OTHER_PYTHON
        ) from error
    if told.stdout.strip() != here:
        raise EngineError(
            f'The workers of Spark run Python {told.stdout.strip()} ("{python}"), and this process runs Python {here};'
            " nothing was done.",
            hint=OTHER_PYTHON,
        )
