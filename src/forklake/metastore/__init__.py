"""The metadata database: one implementation, and a small dialect for each product."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["duckdb"]

if TYPE_CHECKING:
    from forklake.metastore import duckdb
else:
    __getattr__ = submodules(__name__, *__all__)  # it brings DuckDB
