"""Parquet files without Spark: layout, statistics, texts, partitions, encryption."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["foreign_files", "inlined_rows", "intervals", "parquet_facts", "storage", "stored_files", "texts"]

if TYPE_CHECKING:
    from forklake.files import foreign_files, inlined_rows, intervals, parquet_facts, storage, stored_files, texts
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring PyArrow or DuckDB
