"""Plain DuckLake databases: read for an import, written by an export. The only place that opens them."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["duckdb_source", "duckdb_target", "merged"]

if TYPE_CHECKING:
    from forklake.metastore.plain import duckdb_source, duckdb_target, merged
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring DuckDB
