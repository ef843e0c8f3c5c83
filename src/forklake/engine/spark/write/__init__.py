"""Writing: rows of frames become data files."""

from typing import TYPE_CHECKING

from forklake.extras import submodules_of

__all__ = [
    "merge_files",
    "rewrite_files",
    "write_rows",
]

if TYPE_CHECKING:
    from forklake.engine.spark.write import merge_files, rewrite_files, write_rows
else:
    __getattr__ = submodules_of("spark", __name__, *__all__)  # they bring PySpark
