"""Which file systems Spark's Hadoop can open.

They are classes that a cluster may lack, above all those of object stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError
from forklake.files.access import storage
from forklake.files.access.keyring import credential_for
from forklake.model import types
from forklake.model.field import Field

_ABSENT: Final = ("No FileSystem for scheme", "ClassNotFoundException")
_NOWHERE: Final = "_forklake_is_not_here"


def hadoop_path(path: str) -> str:
    """Return a path for Hadoop: local ones stay local by any default file system.

    Raises:
        EngineError: A secret of the session covers it.

    >>> hadoop_path("/data/a b.parquet"), hadoop_path("s3://bucket/a")
    ('file:///data/a b.parquet', 's3://bucket/a')
    """
    check_uncovered([path])
    return f"file://{storage.local_path(path)}" if storage.is_local(path) else path


def check_uncovered(paths: Iterable[str]) -> None:
    """Refuse paths for Hadoop that a secret covers: it has other credentials.

    Raises:
        EngineError: A secret of the session covers one of them.
    """
    for path in paths:
        if credential_for(path) is not None:
            raise EngineError(f'Spark cannot be given the secret for "{path}"; nothing was done.')


def is_for_arrow(spark: SparkSession, table: str, paths: Iterable[str], fields: Sequence[Field]) -> bool:
    """Return whether PyArrow must open some paths, as Spark's Hadoop cannot.

    It has no file system for them, or a secret covers them: Hadoop's connections are those of all sessions.

    Args:
        spark: The session; its settings may add file systems.
        table: The table's name, for messages.
        paths: Files or directories.
        fields: The columns that are read or written there.

    Raises:
        EngineError: PyArrow cannot replace Hadoop, as it does not know the type of a column.
    """
    places = [path for path in paths if not storage.is_local(path)]
    covered = next((path for path in places if credential_for(path) is not None), None)
    if covered is not None:
        if (unknown := _variant(fields)) is not None:
            raise EngineError(
                f'Column "{unknown}" of table "{table}" is a variant, which only Spark reads and writes, and Spark'
                f' cannot be given the secret for "{covered}"; nothing was done.'
            )
        return True
    roots = {_root(path) for path in places}
    missing = sorted(root for root in roots if not _opens(spark, root))
    if missing and (unknown := _variant(fields)) is not None:
        scheme = missing[0].partition("://")[0]
        raise EngineError(
            f'Column "{unknown}" of table "{table}" is a variant, which only Spark reads and writes, and its Hadoop has'
            f' no file system for "{missing[0]}"; nothing was done.',
            hint=f'Give Spark one: its jar in "spark.jars.packages" (S3: org.apache.hadoop:hadoop-aws in the version of'
            f' Spark\'s Hadoop), its class in "spark.hadoop.fs.{scheme}.impl".',
        )
    return bool(missing)


def _opens(spark: SparkSession, root: str) -> bool:
    if is_remote(spark):
        return _server_opens(spark, root)
    java: Any = cast("Any", spark)
    try:
        # What is set for the session counts too, and may change: asking takes a millisecond.
        settings = java._jsparkSession.sessionState().newHadoopConf()
        java._jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(root.partition("://")[0], settings)
    except (Py4JError, PySparkException) as error:
        if any(sign in str(error) for sign in _ABSENT):
            return False
        raise
    return True


def _server_opens(spark: SparkSession, root: str) -> bool:
    """Return the same for a Spark Connect server.

    The server's error for a missing file tells whether it has the file system.
    """
    try:
        spark.read.schema("a int").parquet(f"{root}/{_NOWHERE}").schema  # noqa: B018
    except PySparkException as error:
        return not any(sign in str(error) for sign in _ABSENT)
    return True


def _root(path: str) -> str:
    """Return the scheme and the bucket of a URL.

    >>> _root("s3://bucket/a/b.parquet")
    's3://bucket'
    """
    scheme, _, rest = path.partition("://")
    return f"{scheme.lower()}://{rest.partition('/')[0]}"


def _variant(fields: Iterable[Field]) -> str | None:
    """Return the name of the first column that is or holds a variant."""
    return next((f.name for f in fields if f.type == types.VARIANT or _variant(f.children) is not None), None)
