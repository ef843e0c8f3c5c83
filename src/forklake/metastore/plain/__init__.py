"""Plain DuckLake databases: an import reads them, an export writes them.

No other package opens them.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["duckdb_source", "duckdb_target", "merged"]

if TYPE_CHECKING:
    from forklake.metastore.plain import duckdb_source, duckdb_target, merged
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring DuckDB
