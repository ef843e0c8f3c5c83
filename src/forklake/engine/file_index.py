"""Parquet files read by name: nothing is listed, no path is a pattern, no schema is guessed.

Spark asks the file system for the status of each file it is told to read, one by one; the metadata knows what it would
learn. Three routes, each used where the one before it cannot be:

- ``primed``: Spark's own file index, with a cache that knows all files already. Needs the JVM at hand.
- ``log``: a file sink's log in a temporary directory, which Spark reads instead of listing. Works over Spark Connect
  where client and server share a disk. Logs are removed when the process ends, as a DataFrame may live that long.
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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from unicodedata import category

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from forklake.engine.hadoop import hadoop_path
from forklake.engine.session import is_remote
from forklake.errors import ConfigError
from forklake.files import storage
from forklake.model.scan import ScanFile

SETTING: Final = "forklake.fileIndex"
_READ_OPTIONS: Final = {
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
_CACHE_SOURCE: Final = """
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

public class PrimedFileStatusCache extends org.apache.spark.sql.execution.datasources.FileStatusCache {
    private final java.util.HashMap statuses = new java.util.HashMap();
    public final java.util.ArrayList paths = new java.util.ArrayList();

    /** Takes all files in one text, path and size in turn, since each call from Python costs a round trip. */
    public PrimedFileStatusCache(String files) {
        String[] parts = files.split("\\u0000");
        for (int i = 0; i < parts.length; i += 2) {
            Path path = new Path(parts[i]);
            FileStatus status = new FileStatus(Long.parseLong(parts[i + 1]), false, 1, 134217728L, 0L, path);
            statuses.put(path, new FileStatus[] {status});
            paths.add(path);
        }
    }

    public scala.Option getLeafFiles(Path path) { return scala.Option.apply(statuses.get(path)); }
    public void putLeafFiles(Path path, FileStatus[] files) {}
    public void invalidateAll() {}
}
"""


def read_parquet(spark: SparkSession, files: Sequence[ScanFile], schema: StructType) -> DataFrame:
    """Return the rows of some files, each path once, as a lazy DataFrame with Spark's ``_metadata``.

    Columns that a file lacks are NULL. A missing or damaged file fails the job that reads it, whatever the session
    says about such files.

    Raises:
        ConfigError: The session demands a route that does not exist.
    """
    demanded = spark.conf.get(SETTING, None)
    if demanded is not None:
        if demanded not in _ROUTES:
            raise ConfigError(f'"{SETTING}" is "{demanded}"; it can be {", ".join(_ROUTES)}. Nothing was read.')
        return _ROUTES[demanded](spark, files, schema)
    if not is_remote(spark):
        try:
            return _primed(spark, files, schema)
        except (Py4JError, PySparkException, TypeError, AttributeError):
            pass  # internals of Spark, which another release may have changed
    try:
        logged = _logged(spark, files, schema)
        logged.schema  # noqa: B018  (lets a remote server say whether it sees the log)
    except (OSError, PySparkException):
        return _plain(spark, files, schema)
    return logged


def url_encoded(path: str) -> str:
    """Return a path as Spark's ``_metadata`` shows it, apart from how its scheme is written.

    >>> url_encoded("/a b/100%/é#.parquet")
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

_compiling: Final = threading.Lock()
_compiled: dict[int, Any] = {}


def _primed(spark: SparkSession, files: Sequence[ScanFile], schema: StructType) -> DataFrame:
    session = spark._jsparkSession
    gateway: Any = spark.sparkContext._gateway
    jvm = gateway.jvm
    text = "\0".join(part for file in files for part in (hadoop_path(file.path), str(_byte_count(file))))
    cache_class = _cache_class(gateway)
    cache = cache_class.getConstructor(_array(gateway, jvm.java.lang.Class, jvm.java.lang.String._java_lang_class))
    cache = cache.newInstance(_array(gateway, jvm.java.lang.Object, text))
    paths = jvm.PythonUtils.toSeq(cache_class.getField("paths").get(cache))
    options = jvm.PythonUtils.toScalaMap(_READ_OPTIONS)
    read_schema = session.parseDataType(schema.json())
    sources, nothing = jvm.org.apache.spark.sql.execution.datasources, jvm.scala.Option.empty()
    index = sources.InMemoryFileIndex(
        session, paths, options, jvm.scala.Option.apply(read_schema), cache, nothing, nothing
    )
    no_partitions = jvm.org.apache.spark.sql.types.StructType()
    parquet = sources.parquet.ParquetFileFormat()
    relation = sources.HadoopFsRelation(index, no_partitions, read_schema, nothing, parquet, options, session)
    return DataFrame(session.baseRelationToDataFrame(relation), spark)


def _cache_class(gateway: Any) -> Any:
    """Return the class of the cache, compiled once per JVM with the compiler that Spark brings along."""
    with _compiling:
        found = _compiled.get(id(gateway))
        if found is None:
            compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
            compiler.setParentClassLoader(gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader())
            compiler.cook(_CACHE_SOURCE)
            found = compiler.getClassLoader().loadClass("PrimedFileStatusCache")
            _compiled.clear()
            _compiled[id(gateway)] = found
        return found


def _array(gateway: Any, kind: Any, item: Any) -> Any:
    array = gateway.new_array(kind, 1)
    array[0] = item
    return array


def _logged(spark: SparkSession, files: Sequence[ScanFile], schema: StructType) -> DataFrame:
    directory = Path(tempfile.mkdtemp(dir=_log_directory()))
    log = directory / "_spark_metadata"
    log.mkdir()
    entries = (
        json.dumps(
            {
                "path": url_encoded(hadoop_path(file.path)),
                "size": _byte_count(file),
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
    return spark.read.schema(schema).options(**_READ_OPTIONS).parquet(hadoop_path(str(directory)))


_logs: list[str] = []


def _log_directory() -> str:
    with _compiling:
        if not _logs:
            _logs.append(tempfile.mkdtemp(prefix="forklake-logs-"))
            atexit.register(shutil.rmtree, _logs[0], ignore_errors=True)
        return _logs[0]


def _plain(spark: SparkSession, files: Sequence[ScanFile], schema: StructType) -> DataFrame:
    paths = [re.sub(r"([{}\[\]*?\\])", r"\\\1", hadoop_path(file.path)) for file in files]
    return spark.read.schema(schema).options(**_READ_OPTIONS).parquet(*paths)


def _byte_count(file: ScanFile) -> int:
    """Return a file's size; Spark passes over files of no bytes, so where the metadata has none the file is asked."""
    return file.file_size_bytes if file.file_size_bytes > 0 else storage.size(file.path)


_ROUTES: Final[dict[str, Callable[[SparkSession, Sequence[ScanFile], StructType], DataFrame]]] = {
    "primed": _primed,
    "log": _logged,
    "plain": _plain,
}
