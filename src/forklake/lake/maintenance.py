"""Maintenance of a catalog: `Catalog.maintenance`.

It is done from time to time, and changes no rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import timedelta

from forklake import ops
from forklake.catalog import versions
from forklake.catalog.moments import Moment, Time
from forklake.catalog.names import qualified_name
from forklake.lake.runner import Runner
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.records import Commit, ExportedCatalog, FlushedTable, OrphanSearch
from forklake.model.version import Version
from forklake.ops.expire import expire_snapshots
from forklake.ops.export_catalog import export_catalog
from forklake.ops.plain_history import Progress, ignore_progress
from forklake.ops.sever import sever


class Maintenance:
    """Maintenance that is also possible within a transaction."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def flush_inlined(self, *, schema: str | None = None, table: str | None = None) -> list[FlushedTable]:
        """Write inlined rows into data files, and inlined deletes into delete files.

        Readers see no change: rows keep their ids and snapshots, and the change feed does not show the flush. Earlier
        snapshots read the metadata as before. All tables are flushed by one snapshot; if there is nothing to flush,
        none is made. Rows that the transaction itself has added are not flushed.

        Args:
            schema: Only the tables of this schema; with ``table``, the schema it is in.
            table: Only this table, as ``table`` or ``schema.table``. Without it, tables whose option ``auto_compact``
                is off are left out.

        Returns:
            The tables of which rows were flushed.

        Raises:
            NotFoundError: There is no such schema or table.
            InvalidInputError: The transaction has deleted or updated rows of the table.
        """
        if table is not None:
            schema, table = qualified_name(table, schema)
        runtime = self._runner._runtime
        return (
            self._runner._run(
                lambda staging: ops.flush_inlined.flush_inlined(staging, runtime, schema=schema, table=table)
            )
            or []
        )


class CatalogMaintenance(Maintenance):
    """Maintenance of a catalog."""

    def __init__(
        self,
        runner: Runner,
        catalog_id: CatalogId,
        version: Callable[[], Version],
        check_writable: Callable[[], None],
    ) -> None:
        super().__init__(runner)
        self._catalog_id = catalog_id
        self._version = version
        self._check_writable = check_writable

    def expire_snapshots(
        self,
        *,
        snapshot_ids: Sequence[int] | None = None,
        older_than: Time | timedelta | None = None,
        dry_run: bool = False,
    ) -> list[SnapshotId]:
        """Expire own snapshots by id or age, and return their ids.

        Forks keep what they see.

        Args:
            snapshot_ids: The snapshots, by id.
            older_than: The snapshots before this time; a timedelta or a text such as ``7 days`` is an age.
            dry_run: Expire nothing; only return the ids.

        Raises:
            SnapshotNotFoundError: A snapshot is not one of the catalog's own.
            InvalidInputError: Not exactly one of ids and age was given, or the newest snapshot was named.
        """
        self._check_writable()
        chosen = expire_snapshots(
            self._runner._runtime,
            self._catalog_id,
            snapshot_ids=snapshot_ids,
            older_than=older_than,
            dry_run=dry_run,
        )
        return [snapshot.snapshot_id for snapshot in chosen]

    def delete_orphaned_files(
        self, *, older_than: Time | timedelta | None = None, cleanup_all: bool = False, dry_run: bool = False
    ) -> OrphanSearch:
        """Delete files below the catalog's own directory that nothing names; return which.

        What a row of any catalog names stays, whether or not a snapshot still shows it, as do files that wait for their
        deletion, files of writers at work, and young ones. Only Parquet and Puffin files go, and what Spark's writers
        leave in their private directories. What cannot be deleted is reported, and the rest goes on.

        Args:
            older_than: Only files last written before this time; a timedelta or a text such as ``7 days`` is an age. If
                neither this nor ``cleanup_all`` is given, the option ``delete_older_than`` says it: 2 days.
            cleanup_all: Files of any age; those of writers at work stay all the same.
            dry_run: Delete nothing; only return which.

        Raises:
            InvalidInputError: Both were given, or neither and the option is empty.
            DataFileError: The directory cannot be read.
        """
        self._check_writable()
        return ops.delete_orphaned_files.delete_orphaned_files(
            self._runner._runtime,
            self._catalog_id,
            older_than=older_than,
            cleanup_all=cleanup_all,
            dry_run=dry_run,
        )

    def sever(self) -> Commit:
        """Cut the catalog off from its ancestors.

        What it inherits becomes its own, and its earlier history is lost. A catalog that inherits nothing stays as it
        is.
        """
        self._check_writable()
        return Commit(sever(self._runner._runtime, self._catalog_id))

    def export(
        self,
        url: str | os.PathLike[str],
        *,
        at: Moment | None = None,
        history: bool = False,
        progress: Progress | None = None,
    ) -> ExportedCatalog:
        """Write the catalog as a plain DuckLake 1.0 database, which DuckDB can attach.

        It is a DuckDB or a SQLite file. The data files stay where they are and are named by absolute path. The file
        appears complete or not at all.

        Args:
            url: A path ending in ``.ducklake``, ``.duckdb``, ``.db`` or ``.sqlite``, or ``duckdb:path`` or
                ``sqlite:path``.
            at: A snapshot that the catalog can see, or a time; its head if not given.
            history: Write the whole lineage up to this snapshot, not only the snapshot.
            progress: Called with the step, how much of it is done, and how much there is.

        Raises:
            AlreadyExistsError: There is a file of that name.
            SnapshotNotFoundError: The catalog has no such snapshot.
            InvalidInputError: The catalog holds something that DuckLake 1.0 cannot express.
        """
        runtime, version = self._runner._runtime, self._version()
        if at is not None:
            version = versions.version_of(runtime.store, version, at)
        return export_catalog(
            runtime,
            version,
            os.fspath(url),
            history=history,
            progress=progress or ignore_progress,
        )
