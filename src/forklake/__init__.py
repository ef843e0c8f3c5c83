"""forklake: a lakehouse of many catalogs that fork instantly.

A fork copies no data: it refers to the rows of its parent.

>>> import forklake, tempfile
>>> lake = forklake.open(f"{tempfile.mkdtemp()}/lake.db")
>>> shop = lake.create_catalog("shop")
>>> orders = shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
>>> agent = shop.fork("agent-001")
>>> done = agent.table("orders").drop()
>>> [table.name for table in shop.tables()], agent.tables()
(['orders'], [])
>>> lake.close()
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from forklake import errors, extras, session, spark_catalog
from forklake.config import Clock, Confinement, RetryPolicy, Settings
from forklake.lake import Catalog, Diff, Fork, Lake, LakeAt, Options, Table, Transaction
from forklake.lake.across import Across, AcrossTable
from forklake.model.clean_up import CleanUp, FileReference
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
from forklake.model.difference import RowCounts, TableDiff
from forklake.model.findings import Finding, LakeCheck
from forklake.model.fork_merge import CodeChange, MergeConflict, MergePlan, TableMerge
from forklake.model.lives import (
    DroppedTogether,
    EndedCatalog,
    LeftCatalog,
    Lifetime,
    PurgedCatalog,
    Quota,
    QuotaUsage,
    Reaped,
    SparedSnapshot,
    Tag,
    Usage,
)
from forklake.model.merge import MergeDelete, MergeInsert, MergeUpdate
from forklake.model.overview import (
    ForkNode,
    ForkTree,
    Growth,
    LakeStats,
    Ping,
    Relocation,
    StoredDefinition,
    TableChange,
    TableSize,
    Upgrade,
)
from forklake.model.records import (
    CatalogInfo,
    CheckpointStep,
    Column,
    Commit,
    CompactedFiles,
    DataFile,
    DeleteFile,
    DroppedCatalog,
    ExportedCatalog,
    FlushedTable,
    InlinedRow,
    Macro,
    Option,
    OrphanedFile,
    OrphanSearch,
    PrunedFiles,
    ScanSummary,
    Snapshot,
    TableStats,
    View,
)
from forklake.model.trials import Trial, Trials
from forklake.model.upkeep import CatalogBytes, LakeMaintained, MaintainedCatalog, MaintenanceNeeds
from forklake.ops.lakes import relocate as relocation
from forklake.ops.lakes import upgrade_lake

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from pyspark.sql import DataFrame, SparkSession

    from forklake.catalog.moments import Moment
    from forklake.session.connection import Connection
    from forklake.session.results.result import Result
    from forklake.spark_catalog.attached_catalog import SparkCatalog

__version__ = "0.1.0"

# As libraries do: nothing is printed unless the program sets up logging.
logging.getLogger("forklake").addHandler(logging.NullHandler())

__all__ = [
    "Across",
    "AcrossTable",
    "Catalog",
    "CatalogBytes",
    "CatalogInfo",
    "CheckpointStep",
    "CleanUp",
    "Clock",
    "CodeChange",
    "Column",
    "ColumnDefinition",
    "ColumnStats",
    "Commit",
    "CompactedFiles",
    "Confinement",
    "Connection",
    "DataFile",
    "DeleteFile",
    "Diff",
    "DroppedCatalog",
    "DroppedTogether",
    "EndedCatalog",
    "ExportedCatalog",
    "FileReference",
    "Finding",
    "FlushedTable",
    "Fork",
    "ForkNode",
    "ForkTree",
    "Growth",
    "InlinedRow",
    "Lake",
    "LakeAt",
    "LakeCheck",
    "LakeMaintained",
    "LakeStats",
    "LeftCatalog",
    "Lifetime",
    "Macro",
    "MacroImplementation",
    "MacroParameter",
    "MaintainedCatalog",
    "MaintenanceNeeds",
    "MappedColumn",
    "MergeConflict",
    "MergeDelete",
    "MergeInsert",
    "MergePlan",
    "MergeUpdate",
    "NameMapping",
    "NewDataFile",
    "NewDeleteFile",
    "Option",
    "Options",
    "OrphanSearch",
    "OrphanedFile",
    "PartitionField",
    "Ping",
    "PrunedFiles",
    "PurgedCatalog",
    "Quota",
    "QuotaUsage",
    "Reaped",
    "Relocation",
    "Result",
    "RetryPolicy",
    "RowCounts",
    "ScanSummary",
    "Settings",
    "Snapshot",
    "SortKey",
    "SparedSnapshot",
    "SparkCatalog",
    "StoredDefinition",
    "Table",
    "TableChange",
    "TableDiff",
    "TableMerge",
    "TableSize",
    "TableStats",
    "Tag",
    "Transaction",
    "Trial",
    "Trials",
    "Upgrade",
    "Usage",
    "VariantStats",
    "View",
    "attach",
    "attach_configured",
    "batch_writer",
    "connect",
    "errors",
    "open",
    "register",
    "relocate",
    "upgrade",
]


def open(
    url: str,
    *,
    data_path: str | os.PathLike[str] | None = None,
    spark: SparkSession | None = None,
    settings: Settings | None = None,
) -> Lake:
    """Open a lake.

    Args:
        url: A path (an existing SQLite or DuckDB file, or a new SQLite file), ``sqlite:path``, ``duckdb:path``,
            ``postgresql://...`` or ``postgres:<libpq words>``. Missing files are created; a PostgreSQL database is
            prepared with ``forklake init`` or schema/postgresql.sql first.
        data_path: Where data files go. Kept from the first time on; another one later is refused. The default for a
            file is a directory beside it.
        spark: The Spark session that reads and writes rows; if not given, the active one, or one that is started on
            first use, with ``settings.spark``.
        settings: Retries, time-outs, the size of the connection pool, and another engine than Spark.

    Raises:
        ConfigError: The URL names no database that forklake knows, or both Spark and another engine were given.
        NotInstalledError: The database is PostgreSQL, and psycopg is not installed.
        MetastoreError: The database cannot be opened, or holds no lake of this version.
        InvalidPathError: The lake has another data path.
    """
    return Lake(url, data_path=data_path, spark=spark, settings=settings)


def upgrade(
    url: str, *, trust_definitions: bool = False, dry_run: bool = False, settings: Settings | None = None
) -> Upgrade:
    """Bring the metadata of a lake to the version of this release.

    All or nothing, in one transaction; data files are not touched. An older release cannot open the lake afterwards.
    Of several calls at once, one does it. A lake that is up to date stays as it is.

    Args:
        url: The lake, as for `open`.
        trust_definitions: Let views, macros, defaults and sort keys that are stored already run with the reach of
            whoever uses them, as they did. Otherwise they are marked: they reach nothing but their own catalog. Either
            way the returned value lists them. It counts for lakes that have no marks yet.
        dry_run: Only tell what would be run.
        settings: As for `open`.

    Raises:
        NotFoundError: There is no such file.
        MetastoreVersionError: A newer release made the lake, or there is no lake.
        MetastoreRefusedError: The PostgreSQL role does not own the tables, or somebody built on the views.
    """
    return upgrade_lake.upgrade_lake(url, trust_definitions=trust_definitions, dry_run=dry_run, settings=settings)


def relocate(
    url: str,
    data_path: str | os.PathLike[str],
    *,
    catalog: str | None = None,
    dry_run: bool = False,
    settings: Settings | None = None,
) -> Relocation:
    """Tell a lake that its files are elsewhere now; no file is moved.

    Move or copy the files first. All or nothing, in one transaction: what names a file below the old place names it
    below the new one, copies and severed forks included. Lakes that are open must be opened again.

    Args:
        url: The lake, as for `open`.
        data_path: Where its files are now. The path that the lake has confirms that this metadata is the only one that
            uses it, after the metadata itself was moved or restored.
        catalog: Only the files of this catalog go below that path, in a directory of the name it had.
        dry_run: Only tell what would be changed.
        settings: As for `open`.

    Raises:
        NotFoundError: There is no such file, or no such catalog.
        InvalidPathError: The files are not there, or the directories of catalogs would overlap.
        MetastoreUnavailableError: A writer is at work.
    """
    return relocation.relocate(url, data_path, catalog=catalog, dry_run=dry_run, settings=settings)


def __getattr__(name: str) -> type | Callable[..., None]:
    """Import `Connection`, `Result` and `SparkCatalog` on first use: they are heavy.

    IPython asks for what ``%load_ext forklake`` calls.
    """
    if name == "Connection":
        return session.connection.Connection
    if name == "Result":
        return session.result.Result
    if name == "SparkCatalog":
        return spark_catalog.attached_catalog.SparkCatalog
    if name in ("load_ipython_extension", "unload_ipython_extension"):
        from forklake.cli import notebook  # noqa: PLC0415 - brings what draws results

        return notebook.load if name == "load_ipython_extension" else notebook.unload
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def connect(
    spark: SparkSession | None = None, *, settings: Settings | None = None, confined: bool | Confinement = False
) -> Connection:
    """Return a SQL session with nothing attached.

    ``ATTACH 'ducklake:lake.db' AS shop (CATALOG 'shop')`` attaches a catalog.

    Args:
        spark: The Spark session that queries run in; if not given, the active one, or one that is started on first
            use, with ``settings.spark``.
        settings: As for `open`, for each lake that the session opens. Statements use its retries, unless ``SET``
            changes them.
        confined: Whether the session can be given SQL that nobody has read. Until ``SET lock_configuration = true`` it
            only attaches; from then on it reaches nothing but what it has attached, and forks that it makes of it. A
            `Confinement` says more, such as limits.
    """
    return session.connection.connect(spark, settings, confined=confined)


def attach(
    spark: SparkSession,
    url: str,
    *,
    catalog: str,
    as_: str | None = None,
    at: Moment | None = None,
    read_only: bool = False,
    settings: Settings | None = None,
) -> SparkCatalog:
    """Open a lake, and make one of its catalogs a catalog of a Spark session.

    As `Lake.attach`, whose arguments these are; ``detach()`` of what is returned closes the lake.

    Args:
        spark: The session.
        url: The lake, as for `open`.
        catalog: The catalog or fork, by name.
        as_: The name of the catalog in the session; its own if not given.
        at: A snapshot of its lineage, a time or a tag that it is attached at, read-only; its head if not given.
        read_only: Whether all changes are refused.
        settings: As for `open`.

    Raises:
        ForklakeError: What `open` and `Lake.attach` raise.
    """
    lake = open(url, settings=settings)
    try:
        return spark_catalog.attach.attach(lake, spark, as_, catalog, at, read_only=read_only, owns_lake=True)
    except BaseException:
        lake.close()
        raise


def attach_configured(spark: SparkSession) -> dict[str, SparkCatalog]:
    """Attach all catalogs that the settings of a Spark session name, or none.

    ``spark.forklake.catalog.<name>.lake`` is the URL of the lake of a catalog that the session knows by ``<name>``.
    Beside it there are ``.catalog`` (its name in the lake, if it is another), ``.at`` (a snapshot id or a tag) and
    ``.read_only``.

    Raises:
        InvalidInputError: A setting is not known or not understood, or a catalog has no lake.
        ForklakeError: What `attach` raises.
    """
    return spark_catalog.configured.attach_configured(spark)


def register(spark: SparkSession | None = None) -> SparkSession:
    """Register format ``forklake`` in a Spark session, and return the session.

    ``spark.read``, ``readStream`` and ``DataFrame.write`` then know the format. The session is the one given,
    else the active one, else one that is started now. None of its settings is changed, but for one of ours.
    Registering twice does no harm.

    Raises:
        EngineError: There is no session and none can be started.
        NotInstalledError: PySpark is not installed.
    """
    with extras.require("spark"):
        from forklake.connector.register import register as make_known  # noqa: PLC0415 - brings Spark

    return make_known(spark)


def batch_writer(
    lake: Lake | str,
    catalog: str,
    table: str,
    *,
    mode: Literal["append", "overwrite"] = "append",
    query: str | None = None,
) -> Callable[[DataFrame, int], None]:
    """Return a function for ``foreachBatch`` that commits each batch exactly once.

    Each batch is one snapshot. The commit key is made of the id of the query, which a checkpoint keeps, and the
    number of the batch.

    Args:
        lake: An open lake, or the URL of one, which is opened on first use and stays open.
        catalog: The catalog.
        table: The table, or ``schema.table``.
        mode: ``append`` adds the rows of a batch, ``overwrite`` replaces all rows with them.
        query: A name for the stream, used instead of the id of Spark's query. It is needed where the id is not
            known: with Spark Connect, and in calls by hand.

    Raises:
        InvalidInputError: There is no such mode, or the name of the table is none.
    """
    with extras.require("spark"):
        from forklake.connector.batch_writer import BatchWriter  # noqa: PLC0415 - brings Spark

    return BatchWriter(lake, catalog, table, mode, query)
