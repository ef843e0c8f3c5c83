"""What Spark's plan of a frame tells before it is run: whether it is little work."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from forklake.engine.spark.driver.session import is_remote

_NODE: Final = re.compile(r"^[\s:+-]*(\w+)", re.MULTILINE)
_FILES: Final = "Relation"
_SIMPLE: Final = frozenset(
    {"Filter", "GlobalLimit", "LocalLimit", "LocalRelation", "OneRowRelation", "Project", "Range", "Union", _FILES}
)
_WORK: Final = frozenset({"Aggregate", "Distinct", "Generate", "Join", "Window"})
_USER_CODE: Final = re.compile(r"udf\(", re.IGNORECASE)


def planned_bytes(plan: Any) -> int:
    """Return Spark's estimate of the bytes of a plan, of files as they are stored."""
    return cast("int", plan.stats().sizeInBytes())


def is_little_work(frame: DataFrame, *, most_bytes: int, most_file_bytes: int) -> bool:
    """Return whether one task computes a frame soon; no job is run.

    It is known only of rows in memory, ranges, and files, without joins, aggregates and functions of users. What
    Spark cannot tell, as over Spark Connect, is not little.

    Args:
        frame: The rows.
        most_bytes: The most bytes of rows that are little, as Spark estimates them.
        most_file_bytes: The same if any of them is read from files, which are packed.
    """
    if is_remote(frame.sparkSession):
        return False
    try:
        execution = cast("Any", frame)._jdf.queryExecution()
        if not _WORK.isdisjoint(_NODE.findall(execution.analyzed().toString())):
            return False  # it need not be optimized to tell
        plan = execution.optimizedPlan()
        byte_count = planned_bytes(plan)
        if byte_count > max(most_bytes, most_file_bytes):
            return False
        text = str(plan.toString())
    except (Py4JError, PySparkException):
        return False  # whoever runs the frame is told
    nodes = set(_NODE.findall(text))
    return (
        nodes <= _SIMPLE
        and _USER_CODE.search(text) is None
        and byte_count <= (most_file_bytes if _FILES in nodes else most_bytes)
    )
