"""Maintenance of a catalog or a lake: `Catalog.maintenance`, `Lake.maintenance`.

It is done from time to time, and changes no rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from forklake import ops
from forklake.catalog import versions
from forklake.catalog.compaction import MergeRules, RewriteRules, Rules
from forklake.catalog.moments import Moment, Time
from forklake.catalog.names import qualified_name
from forklake.ducklake.export_catalog import export_catalog
from forklake.lake.runner import Runner
from forklake.model.clean_up import CleanUp
from forklake.model.findings import LakeCheck
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import SparedSnapshot
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import (
    CheckpointStep,
    Commit,
    CompactedFiles,
    ExportedCatalog,
    FlushedTable,
    OrphanSearch,
)
from forklake.model.version import Version
from forklake.ops.catalogs.sever import sever
from forklake.ops.maintenance.cleanup import cleanup_old_files
from forklake.ops.maintenance.expire import expire_snapshots

if TYPE_CHECKING:
    from forklake.ops.maintenance.checkpoint import CheckpointWork


class ExpiredSnapshots(list[SnapshotId]):
    """The ids of snapshots that expired, oldest first.

    Attributes:
        spared: Snapshots that were to expire and stay, and why.
    """

    def __init__(self, ids: Iterable[SnapshotId] = (), spared: Sequence[SparedSnapshot] = ()) -> None:
        super().__init__(ids)
        self.spared = tuple(spared)


class Maintenance:
    """Maintenance that is also possible within a transaction."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def flush_inlined(
        self,
        *,
        schema: str | None = None,
        table: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> list[FlushedTable]:
        """Write inlined rows into data files, and inlined deletes into delete files.

        Readers see no change: rows keep their ids and snapshots, and the change feed does not show the flush. Earlier
        snapshots read the metadata as before. All tables are flushed by one snapshot; if there is nothing to flush,
        none is made. Of several tables, one that fails does not stop the others. Rows that the transaction itself has
        added are not flushed.

        Args:
            schema: Only the tables of this schema; with ``table``, the schema it is in.
            table: Only this table, as ``table`` or ``schema.table``. Without it, tables whose option ``auto_compact``
                is off are left out.
            dry_run: Only return what would be flushed.
            progress: Called with the table, how many tables are done, and how many there are.

        Returns:
            The tables of which rows or deletes were flushed, with the number and size of the new files.

        Raises:
            NotFoundError: There is no such schema or table.
            InvalidInputError: The transaction has deleted or updated rows of the table.
            IncompleteError: Some of several tables failed; the others are done.
        """
        if table is not None:
            schema, table = qualified_name(table, schema)
        runtime = self._runner._runtime
        given = ops.flush_inlined.Flushing(schema, table, progress or ignore_progress)
        if dry_run:
            return ops.flush_inlined.plan_flush(self._runner._content(), runtime, given)
        flushed = self._runner._run(lambda staging: ops.flush_inlined.flush_inlined(staging, runtime, given))
        return [] if flushed is None else flushed.all_tables()

    def merge_adjacent_files(
        self,
        table: str | None = None,
        *,
        schema: str | None = None,
        min_file_size: int | None = None,
        max_file_size: int | None = None,
        max_compacted_files: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> list[CompactedFiles]:
        """Merge small data files into files of about ``target_file_size``.

        Readers see no change: rows keep their ids and snapshots, earlier snapshots read the old files, and the change
        feed does not show it. Files of one partition are merged with each other; a sorted table's new files are sorted,
        and their ranges do not overlap. Files with deleted rows are left to `rewrite_data_files`. A fork that merges
        inherited files writes its own. Each table is a commit of its own, except in a transaction.

        Args:
            table: Only this table, as ``table`` or ``schema.table``. Without it, tables whose option ``auto_compact``
                is off are left out.
            schema: Only the tables of this schema; with ``table``, the schema it is in.
            min_file_size: The size in bytes from which on files are merged.
            max_file_size: The size in bytes below which files are merged; never more than ``target_file_size``.
            max_compacted_files: How many files to write for a table, at most.
            dry_run: Only return what would be merged.
            progress: Called with the table, how many tables are done, and how many there are.

        Returns:
            What was merged, one for each group of files.

        Raises:
            NotFoundError: There is no such schema or table.
            InvalidInputError: A limit is out of range, or the transaction has made other changes.
            CommitConflictError: Another commit deleted from or compacted the table; the new files are removed.
            IncompleteError: Some of several tables failed; the others are done.
        """
        rules = MergeRules(min_file_size, max_file_size, max_compacted_files)
        return self._compact(rules, table, schema, dry_run=dry_run, progress=progress)

    def rewrite_data_files(
        self,
        table: str | None = None,
        *,
        schema: str | None = None,
        delete_threshold: float | None = None,
        max_compacted_files: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> list[CompactedFiles]:
        """Rewrite data files of which much is deleted, without the deleted rows.

        Otherwise as `merge_adjacent_files`.

        Args:
            table: As there.
            schema: As there.
            delete_threshold: The deleted fraction of a file, from 0 to 1, from which on it is rewritten; by default
                the option ``rewrite_delete_threshold`` of the table.
            max_compacted_files: As there.
            dry_run: Only return what would be rewritten.
            progress: As there.

        Returns:
            What was rewritten, one for each group of files.

        Raises:
            NotFoundError: There is no such schema or table.
            InvalidInputError: A limit is out of range, or the transaction has made other changes.
            CommitConflictError: Another commit deleted from or compacted the table; the new files are removed.
            IncompleteError: Some of several tables failed; the others are done.
        """
        rules = RewriteRules(delete_threshold, max_compacted_files)
        return self._compact(rules, table, schema, dry_run=dry_run, progress=progress)

    def _compact(
        self, rules: Rules, table: str | None, schema: str | None, *, dry_run: bool, progress: Progress | None
    ) -> list[CompactedFiles]:
        if table is not None:
            schema, table = qualified_name(table, schema)
        runner = self._runner
        return ops.compact_tables.compact_tables(
            runner._runtime,
            runner._content(),
            lambda verb: runner._commit(verb, rerun=False),
            ops.compact_tables.Compacting(rules, schema, table, dry_run, progress or ignore_progress),
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

    def _compact(
        self, rules: Rules, table: str | None, schema: str | None, *, dry_run: bool, progress: Progress | None
    ) -> list[CompactedFiles]:
        self._check_writable()
        return super()._compact(rules, table, schema, dry_run=dry_run, progress=progress)

    def expire_snapshots(
        self,
        *,
        versions: Sequence[int] | None = None,
        older_than: Time | timedelta | None = None,
        release: bool = False,
        dry_run: bool = False,
    ) -> ExpiredSnapshots:
        """Expire own snapshots by id or age, and return their ids.

        Forks keep what they see. Tagged snapshots are spared until their tags let go of them, and so are those that
        later merges are compared with; ``spared`` of the result says which, and why.

        Args:
            versions: The snapshots, by id.
            older_than: The snapshots before this time; a timedelta or a text such as ``7 days`` is an age.
            release: Spare nothing but the newest snapshot; the tags of what expires go with it.
            dry_run: Expire nothing; only return the ids.

        Raises:
            SnapshotNotFoundError: A snapshot is not one of the catalog's own.
            InvalidInputError: Not exactly one of ids and age was given, or the newest snapshot was named.
        """
        self._check_writable()
        found = expire_snapshots(
            self._runner._runtime,
            self._catalog_id,
            versions=versions,
            older_than=older_than,
            release=release,
            dry_run=dry_run,
        )
        return ExpiredSnapshots((snapshot.snapshot_id for snapshot in found.expired), found.spared)

    def cleanup_old_files(
        self,
        *,
        older_than: Time | timedelta | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
    ) -> CleanUp:
        """Delete files that nothing needs any more, after their grace period.

        Expiry, purge and `sever` schedule such files. A file that some catalog still names stays scheduled, and so
        does one that cannot be deleted.

        Args:
            older_than: Delete what was scheduled before this time; a timedelta or a text such as ``7 days`` is an
                age. If not given, the option ``delete_older_than`` counts, which is 2 days unless it is set.
            cleanup_all: Delete all scheduled files at once. A reader that is still at work may miss them.
            dry_run: Delete nothing; only return what would be deleted.

        Raises:
            InvalidInputError: Both a time and ``cleanup_all`` were given.
        """
        self._check_writable()
        return cleanup_old_files(
            self._runner._runtime, self._catalog_id, older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run
        )

    def delete_orphaned_files(
        self,
        *,
        older_than: Time | timedelta | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> OrphanSearch:
        """Delete files below the catalog's own directory that nothing names; return which.

        What a row of any catalog names stays, whether or not a snapshot still shows it, as do files that wait for their
        deletion, files of writers at work, and young ones. Only Parquet and Puffin files go, and what Spark's writers
        leave in their private directories. What cannot be deleted or read is reported, and the rest goes on.

        Args:
            older_than: Only files last written before this time; a timedelta or a text such as ``7 days`` is an age. If
                neither this nor ``cleanup_all`` is given, the option ``delete_older_than`` says it: 2 days.
            cleanup_all: Files of any age; those of writers at work stay all the same.
            dry_run: Delete nothing; only return which.
            progress: Called with the step and how many files were looked at; how many there are is None.

        Raises:
            InvalidInputError: Both were given, or neither and the option is empty.
        """
        self._check_writable()
        return ops.delete_orphaned_files.delete_orphaned_files(
            self._runner._runtime,
            self._catalog_id,
            older_than=older_than,
            cleanup_all=cleanup_all,
            dry_run=dry_run,
            progress=progress or ignore_progress,
        )

    def checkpoint(self, *, dry_run: bool = False, progress: Progress | None = None) -> list[CheckpointStep]:
        """Do all maintenance that is due, in DuckLake's order.

        Each verb has its defaults: inlined rows are flushed, snapshots expire that are older than the option
        ``expire_older_than``, small files are merged, files with many deleted rows are rewritten, and files that
        nothing needs or names are deleted after their grace period.

        Args:
            dry_run: Do nothing; only return what each step would do now. What earlier steps would leave to it is not
                counted.
            progress: Called with the step, how many are done, and how many there are.

        Returns:
            The steps, each with how much it did, and which files could not be deleted.

        Raises:
            IncompleteError: Some tables failed; all steps were done for the others.
        """
        self._check_writable()
        return ops.checkpoint.checkpoint(self._checkpoint_work(dry_run=dry_run), progress or ignore_progress)

    def _checkpoint_work(self, *, dry_run: bool) -> CheckpointWork:
        runner = self._runner
        return ops.checkpoint.CheckpointWork(
            runner._runtime,
            self._catalog_id,
            runner._content,
            runner._run,
            lambda verb: runner._commit(verb, rerun=False),
            dry_run,
        )

    def check(
        self,
        *,
        files: bool = True,
        deep: bool = False,
        repair: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> LakeCheck:
        """Check the catalog, and the catalogs that it inherits from.

        Otherwise as `LakeMaintenance.check`.

        Args:
            files: Look at the files, too.
            deep: Open each file.
            repair: Delete rows that mean nothing.
            dry_run: Only count what a repair would delete.
            progress: Called with the step, how much of it is done, and how much there is.
        """
        if repair and not dry_run:
            self._check_writable()
        return ops.check_lake.check_lake(
            self._runner._runtime,
            self._catalog_id,
            files=files,
            deep=deep,
            repair=repair,
            dry_run=dry_run,
            progress=progress or ignore_progress,
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
