"""A catalog of a lake that is attached to a Spark session, as users hold it.

The class can be named, and imported, where PySpark is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from forklake import spark_catalog

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import SparkSession

    from forklake.lake import Lake
    from forklake.spark_catalog.attached import Attached


class SparkCatalog:
    """A catalog of a lake that is attached to a Spark session.

    As a context manager it is detached at the end of the block.
    """

    def __init__(self, attached: Attached, classes: Any, lake: Lake | None) -> None:
        self._attached = attached
        self._classes = classes
        self._lake = lake

    def __repr__(self) -> str:
        return f"SparkCatalog({self.name!r}, {self._attached.catalog!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.detach()

    @property
    def name(self) -> str:
        """The name that the session knows it by."""
        return self._attached.name

    @property
    def spark(self) -> SparkSession:
        """The session that it is attached to."""
        return self._attached.spark

    def detach(self) -> None:
        """Take the catalog out of the session; detaching twice does no harm.

        Frames that were made of its tables stay as they are. The lake stays open, unless `forklake.attach` opened it.
        """
        spark_catalog.attach.take_out(self._attached, self._classes)
        if self._lake is not None:
            self._lake.close()
