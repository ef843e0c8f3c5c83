"""Parquet files read by name: no listing, no path patterns, no guessed schemas.

Spark asks the file system for the status of each file that it reads, one by one; the metadata already knows
the answers. There are three routes, each used where the one before it cannot be:

- ``primed``: Spark's own file index, with a cache that knows all files already. Needs a JVM in reach.
- ``log``: a file sink's log in a temporary directory, which Spark reads instead of listing. Works over
  Spark Connect where client and server share a disk. Logs are removed when the process ends, as a DataFrame
  may live that long.
- ``plain``: ``spark.read.parquet`` with each path escaped. Always works.

``forklake.fileIndex`` in the session's settings demands one of them.
"""

from __future__ import annotations

import atexit
import json
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final
from unicodedata import category

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from forklake.engine.spark.driver.hadoop import hadoop_path
from forklake.engine.spark.driver.session import is_remote
from forklake.engine.spark.read.primed_files import byte_count, read_primed
from forklake.engine.spark.read.pushed_filters import ColumnPath, filter_options
from forklake.errors import ConfigError
from forklake.model.scan import ScanFile

SETTING: Final = "forklake.fileIndex"
READ_OPTIONS: Final = {
    "recursiveFileLookup": "true",  # directories named key=value add no columns
    "mergeSchema": "false",
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
}
_UNENCODED: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-!.~'()*,;:$&+=@/")
_ENCODED: Final = frozenset({"Cc", "Zl", "Zp", "Zs"})  # categories of letters beyond ASCII: controls and spaces
_BLOCK_SIZE: Final = 128 * 1024 * 1024


def read_parquet(
    spark: SparkSession,
    files: Sequence[ScanFile],
    schema: StructType,
    without_nan: Collection[ColumnPath] = (),
    share: float = 1.0,
) -> DataFrame:
    """Return the rows of some files as a lazy DataFrame with Spark's ``_metadata``.

    Each path occurs once. Columns that a file lacks are NULL. A missing or damaged file fails the job that
    reads it, whatever the session says about such files. Filters on the DataFrame find NaN and both zeros;
    ``without_nan`` names the float columns that are known to hold no NaN, which Parquet may filter best. ``share``
    is how much of the files the columns are, by which Spark chooses joins; only ``primed`` can tell it.

    Raises:
        ConfigError: The session demands a route that does not exist.
    """
    demanded = spark.conf.get(SETTING, None)
    if demanded is not None:
        if demanded not in _ROUTES:
            raise ConfigError(f'"{SETTING}" is "{demanded}"; it can be {", ".join(_ROUTES)}. Nothing was read.')
        return _ROUTES[demanded](spark, files, schema, without_nan)
    if not is_remote(spark):
        try:
            return _primed_frame(spark, files, schema, without_nan, share)
        except (Py4JError, PySparkException, TypeError, AttributeError):
            pass  # internals of Spark, which another release may have changed
    try:
        logged = _log_frame(spark, files, schema, without_nan)
        logged.schema  # noqa: B018  (lets a remote server say whether it sees the log)
    except (OSError, PySparkException):
        return _plain_frame(spark, files, schema, without_nan)
    return logged


def is_primed(spark: SparkSession) -> bool:
    """Return whether the session, by its kind and settings, can use ``primed``."""
    return not is_remote(spark) and spark.conf.get(SETTING, "primed") == "primed"


def url_encode(path: str) -> str:
    """Return a path as Spark's ``_metadata`` shows it, except for its scheme.

    >>> url_encode("/a b/100%/é#.parquet")
    '/a%20b/100%25/é%23.parquet'
    """
    if _UNENCODED.issuperset(path):
        return path
    return "".join(
        letter
        if letter in _UNENCODED or (not letter.isascii() and category(letter) not in _ENCODED)
        else "".join(f"%{byte:02X}" for byte in letter.encode())
        for letter in path
    )


# ---- routes --------------------------------------------------------------------------------------------------------


def _primed_frame(
    spark: SparkSession,
    files: Sequence[ScanFile],
    schema: StructType,
    without_nan: Collection[ColumnPath],
    share: float = 1.0,
) -> DataFrame:
    return read_primed(spark, files, schema, READ_OPTIONS, without_nan, share)


def _log_frame(
    spark: SparkSession, files: Sequence[ScanFile], schema: StructType, without_nan: Collection[ColumnPath]
) -> DataFrame:
    directory = Path(tempfile.mkdtemp(dir=_log_directory()))
    log = directory / "_spark_metadata"
    log.mkdir()
    entries = (
        json.dumps(
            {
                "path": url_encode(hadoop_path(file.path)),
                "size": byte_count(file),
                "isDir": False,
                "modificationTime": 0,
                "blockReplication": 1,
                "blockSize": _BLOCK_SIZE,
                "action": "add",
            }
        )
        for file in files
    )
    (log / "0").write_text("\n".join(["v1", *entries]), encoding="utf-8")
    options = READ_OPTIONS | filter_options(schema, without_nan)
    return spark.read.schema(schema).options(**options).parquet(hadoop_path(str(directory)))


_logs: list[str] = []
_making: Final = threading.Lock()


def _log_directory() -> str:
    with _making:
        if not _logs:
            _logs.append(tempfile.mkdtemp(prefix="forklake-logs-"))
            atexit.register(shutil.rmtree, _logs[0], ignore_errors=True)
        return _logs[0]


def _plain_frame(
    spark: SparkSession, files: Sequence[ScanFile], schema: StructType, without_nan: Collection[ColumnPath]
) -> DataFrame:
    paths = [re.sub(r"([{}\[\]*?\\])", r"\\\1", hadoop_path(file.path)) for file in files]
    options = READ_OPTIONS | filter_options(schema, without_nan)
    return spark.read.schema(schema).options(**options).parquet(*paths)


_Route = Callable[[SparkSession, Sequence[ScanFile], StructType, Collection[ColumnPath]], DataFrame]
_ROUTES: Final[dict[str, _Route]] = {
    "primed": _primed_frame,
    "log": _log_frame,
    "plain": _plain_frame,
}
