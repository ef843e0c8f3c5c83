"""Parquet files without Spark: layout, statistics, texts, partitions, encryption."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = [
    "foreign_files",
    "foreign_scan",
    "inlined_rows",
    "intervals",
    "parquet_facts",
    "storage",
    "stored_files",
    "texts",
    "variants",
]

if TYPE_CHECKING:
    from forklake.files.access import storage, stored_files
    from forklake.files.arrow import variants
    from forklake.files.casting import intervals, texts
    from forklake.files.foreign import foreign_files, foreign_scan
    from forklake.files.incoming import inlined_rows
    from forklake.files.parquet import parquet_facts
else:
    __getattr__ = submodules(  # they bring PyArrow or DuckDB
        __name__,
        "access.storage",
        "access.stored_files",
        "arrow.variants",
        "casting.intervals",
        "casting.texts",
        "foreign.foreign_files",
        "foreign.foreign_scan",
        "incoming.inlined_rows",
        "parquet.parquet_facts",
    )
