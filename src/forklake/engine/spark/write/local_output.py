"""Local directories that Spark's writer starts few processes for.

Without a native library that few have, Hadoop starts ``chmod`` for each local file and directory that it makes. It also
writes a checksum beside each file, which nothing reads.
"""

from __future__ import annotations

from typing import Any, Final, cast

from pyspark.sql import SparkSession

from forklake.engine.spark.driver.session import is_remote
from forklake.errors import DataFileError
from forklake.files.access import storage

_IMPLEMENTATION: Final = "fs.file.impl"
_USUAL: Final = "org.apache.hadoop.fs.LocalFileSystem"
_WITHOUT_CHECKSUMS: Final = {
    _IMPLEMENTATION: "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
}
_OF_JOBS: Final = "_temporary/0/_temporary/"
"""Where Hadoop's committer lets tasks write to, below a directory."""


def prepare_output(spark: SparkSession, directory: str) -> dict[str, str] | None:
    """Make a directory for Spark to write to; return the writer's options.

    None if Spark makes it, or tells why it cannot.

    Args:
        spark: The session.
        directory: A directory of Hadoop's that does not exist yet.
    """
    if is_remote(spark) or not storage.is_local(directory):
        return None
    settings = cast("Any", spark).sparkContext._jsc.hadoopConfiguration()
    if settings.get(_IMPLEMENTATION, _USUAL) != _USUAL:
        return None
    try:
        storage.make_directory(f"{directory}{_OF_JOBS}")
    except DataFileError:  # Spark tells what cannot be written
        return None
    return _WITHOUT_CHECKSUMS
