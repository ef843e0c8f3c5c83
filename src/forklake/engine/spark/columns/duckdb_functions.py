"""Functions that DuckDB computes, batch by batch, in Spark's Python workers.

The SQL of a query names each as a function of Spark. It is one of the session while the query is analysed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StringType, StructField, StructType

from forklake.engine.spark.columns.spark_types import spark_type
from forklake.engine.spark.driver.python_workers import check_workers
from forklake.engine.spark.driver.session import is_remote
from forklake.files.duckdb_calls import DuckCall, calls_in
from forklake.files.duckdb_results import compute, result_type
from forklake.model.field import Field

_lock: Final = threading.Lock()
_users: Final[Counter[tuple[int, str]]] = Counter()
"""How many statements use a function of a session, by the session and the name."""


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
    for name, call in calls.items():
        _register(spark, name, call)
    try:
        yield
    finally:
        for name in calls:
            _drop(spark, name)


def _register(spark: Any, name: str, call: DuckCall) -> None:
    with _lock:
        _users[id(spark), name] += 1
        if _users[id(spark), name] == 1:
            spark.udf.register(name, _function(call))


def _drop(spark: Any, name: str) -> None:
    if is_remote(spark):
        return
    with _lock:
        _users[id(spark), name] -= 1
        if not _users[id(spark), name]:
            del _users[id(spark), name]
            spark._jsparkSession.sessionState().catalog().dropTempFunction(name, True)


def _function(call: DuckCall) -> Any:
    """Return the function of Spark.

    It gives a struct of the value, and of what is wrong if there is none.
    """
    value = StructField("value", spark_type(Field(None, "value", result_type(call))))
    fault = StructField("fault", StringType())

    def of_batch(*columns: pa.Array) -> pa.Array:
        return pa.StructArray.from_arrays(list(compute(call, columns)), ["value", "fault"])

    # Spark reads from the annotations that whole arrays are taken and given.
    of_batch.__annotations__ = {"columns": pa.Array, "return": pa.Array}
    return cast("Any", F).arrow_udf(of_batch, StructType([value, fault]))  # typeshed of PySpark does not know it
