"""Functions that DuckDB computes, batch by batch, in Spark's Python workers.

The SQL of a query names each as a function of Spark. It is one of the session while the query is analysed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from weakref import WeakKeyDictionary

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from forklake.duck.calls import DuckCall, calls_in
from forklake.duck.results import compute, result_type
from forklake.engine.spark.columns.spark_types import spark_type
from forklake.engine.spark.driver.python_workers import arrow_function, check_workers
from forklake.engine.spark.driver.session import is_remote
from forklake.model.field import Field

_lock: Final = threading.Lock()
_users: Final[Counter[tuple[str, str]]] = Counter()
"""How many statements use a function of a session, by the id that Java gives to the session, and the name."""
_kept: Final[WeakKeyDictionary[SparkSession, set[str]]] = WeakKeyDictionary()
"""The functions that remote sessions know."""


@contextmanager
def duckdb_functions(spark: SparkSession, *texts: str | None) -> Iterator[None]:
    """Let a session know the functions of DuckDB that texts in Spark SQL call.

    Afterwards it knows them no more, but a frame that was made keeps them. A remote session keeps them, as it reads a
    text again with each job.
    """
    calls = {name: call for text in texts if text for name, call in calls_in(text).items()}
    if not calls:
        yield
        return
    check_workers(spark)
    with ExitStack() as known:
        for name, call in calls.items():
            known.enter_context(_registration(spark, name, call))
        yield


@contextmanager
def _registration(spark: Any, name: str, call: DuckCall) -> Iterator[None]:
    if is_remote(spark):
        with _lock:
            names = _kept.setdefault(spark, set())
            if name not in names:
                spark.udf.register(name, _function(call))
                names.add(name)
        yield
        return
    # A session of Java may have several objects of Python.
    used = (spark._jsparkSession.sessionUUID(), name)
    with _lock:
        if not _users[used]:
            spark.udf.register(name, _function(call))
        _users[used] += 1
    try:
        yield
    finally:
        with _lock:
            _users[used] -= 1
            if not _users[used]:
                del _users[used]
                spark._jsparkSession.sessionState().catalog().dropTempFunction(name, True)


def _function(call: DuckCall) -> Any:
    """Return the function of Spark.

    It gives a struct of the value, and of what is wrong if there is none.
    """
    value = StructField("value", spark_type(Field(None, "value", result_type(call))))
    fault = StructField("fault", StringType())

    def of_batch(*columns: pa.Array) -> pa.Array:
        return pa.StructArray.from_arrays(list(compute(call, columns)), ["value", "fault"])

    return arrow_function(of_batch, StructType([value, fault]))
