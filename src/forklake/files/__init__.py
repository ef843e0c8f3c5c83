"""Parquet files without Spark: layout, statistics, texts, partitions, encryption."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = [
    "duckdb_results",
    "foreign_files",
    "foreign_scan",
    "inlined_rows",
    "intervals",
    "letter_case",
    "parquet_facts",
    "printed_texts",
    "regular_expressions",
    "storage",
    "stored_files",
    "texts",
    "variants",
]

if TYPE_CHECKING:
    from forklake.files import (
        duckdb_results,
        foreign_files,
        foreign_scan,
        inlined_rows,
        intervals,
        letter_case,
        parquet_facts,
        printed_texts,
        regular_expressions,
        storage,
        stored_files,
        texts,
        variants,
    )
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring PyArrow or DuckDB
