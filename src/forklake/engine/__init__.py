"""Rows: an engine reads, computes and writes them (`engine`), and here it is Spark (`spark`)."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = [
    "change_rows",
    "changes",
    "collect",
    "failures",
    "gateway",
    "merge_rows",
    "merge_source",
    "parquet_files",
    "projection",
    "query",
    "rewrite_files",
    "rows_frame",
    "session",
    "table_rows",
    "types",
    "write",
]

if TYPE_CHECKING:
    from forklake.engine import (
        change_rows,
        changes,
        collect,
        failures,
        gateway,
        merge_rows,
        merge_source,
        parquet_files,
        projection,
        query,
        rewrite_files,
        rows_frame,
        session,
        table_rows,
        types,
        write,
    )
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring PySpark
