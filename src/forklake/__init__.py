"""forklake: a lakehouse of many catalogs, any of which can be forked instantly without copying data.

>>> import forklake, tempfile
>>> lake = forklake.open(f"{tempfile.mkdtemp()}/lake.db")
>>> shop = lake.create_catalog("shop")
>>> shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
>>> agent = shop.fork("agent-001")
>>> agent.drop_table("orders")
>>> [table.name for table in shop.tables()], agent.tables()
(['orders'], [])
>>> lake.close()
"""

from __future__ import annotations

import os

from forklake import errors
from forklake.config import Clock, RetryPolicy, Settings
from forklake.lake import Catalog, Lake, LakeAt, Options, Table, Transaction
from forklake.model.definitions import (
    ColumnDefinition,
    ColumnStats,
    MacroImplementation,
    MacroParameter,
    MappedColumn,
    NameMapping,
    NewDataFile,
    NewDeleteFile,
    PartitionField,
    SortKey,
    VariantStats,
)
from forklake.model.overview import ForkNode, ForkTree, Growth, LakeStats, TableChange, TableSize
from forklake.model.records import (
    CatalogInfo,
    Column,
    DataFile,
    DeleteFile,
    ExportedCatalog,
    InlinedRow,
    Macro,
    Option,
    Snapshot,
    TableStats,
    View,
)

__version__ = "0.1.0"

__all__ = [
    "Catalog",
    "CatalogInfo",
    "Clock",
    "Column",
    "ColumnDefinition",
    "ColumnStats",
    "DataFile",
    "DeleteFile",
    "ExportedCatalog",
    "ForkNode",
    "ForkTree",
    "Growth",
    "InlinedRow",
    "Lake",
    "LakeAt",
    "LakeStats",
    "Macro",
    "MacroImplementation",
    "MacroParameter",
    "MappedColumn",
    "NameMapping",
    "NewDataFile",
    "NewDeleteFile",
    "Option",
    "Options",
    "PartitionField",
    "RetryPolicy",
    "Settings",
    "Snapshot",
    "SortKey",
    "Table",
    "TableChange",
    "TableSize",
    "TableStats",
    "Transaction",
    "VariantStats",
    "View",
    "errors",
    "open",
]


def open(url: str, *, data_path: str | os.PathLike[str] | None = None, settings: Settings | None = None) -> Lake:
    """Open a lake.

    Args:
        url: A path (an existing SQLite or DuckDB file, or a new SQLite file), ``sqlite:path``, ``duckdb:path``,
            ``postgresql://...`` or ``postgres:<libpq words>``. Files are made if they are missing; a PostgreSQL
            database is prepared with ``forklake init`` or schema/postgresql.sql first.
        data_path: Where data files go. Kept from the first time on; another one later is refused. A file's
            default is a directory beside it.
        settings: Retries, time-outs and the size of the connection pool.

    Raises:
        ConfigError: The URL names no database that forklake knows.
        MetastoreError: The database cannot be opened, or holds no lake of this version.
        InvalidPathError: The lake has another data path.
    """
    return Lake(url, data_path=data_path, settings=settings)
