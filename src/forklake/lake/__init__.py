"""The public API: handles on lakes, catalogs, tables and transactions."""

from typing import TYPE_CHECKING

from forklake.lake.catalog import Catalog, Fork
from forklake.lake.diff import Diff
from forklake.lake.lake import Lake, LakeAt
from forklake.lake.options import Options
from forklake.lake.table import Table
from forklake.lake.transaction import Transaction
from forklake.model.submodules import submodules

__all__ = [
    "Catalog",
    "Diff",
    "Fork",
    "Lake",
    "LakeAt",
    "Options",
    "Table",
    "Transaction",
    "read_rows",
    "row_changes",
    "row_verbs",
    "table_queries",
]

if TYPE_CHECKING:
    from forklake.lake import read_rows, row_changes, row_verbs, table_queries
else:
    __getattr__ = submodules(
        __name__, "read_rows", "row_changes", "row_verbs", "table_queries"
    )  # they bring PyArrow and sqlglot
