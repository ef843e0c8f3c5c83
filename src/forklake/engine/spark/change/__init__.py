"""Deleting, updating and merging rows of a table."""

from typing import TYPE_CHECKING

from forklake.extras import submodules_of

__all__ = [
    "change_rows",
    "merge_rows",
    "merge_source",
]

if TYPE_CHECKING:
    from forklake.engine.spark.change import change_rows, merge_rows, merge_source
else:
    __getattr__ = submodules_of("spark", __name__, *__all__)  # they bring PySpark
