"""Maintenance of a whole lake: `Lake.maintenance`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from forklake import ops
from forklake.catalog import versions
from forklake.catalog.moments import Time
from forklake.lake.catalog import Catalog
from forklake.model.clean_up import CleanUp, FileReference
from forklake.model.findings import LakeCheck
from forklake.model.ids import CatalogId
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import OrphanSearch
from forklake.model.upkeep import LakeMaintained, MaintenanceNeeds
from forklake.ops.catalogs.catalog_terms import read_info
from forklake.ops.catalogs.purge_catalogs import purge_catalogs
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.cleanup import cleanup_old_files
from forklake.ops.maintenance.file_references import file_references
from forklake.ops.maintenance.pending_work import find_needs

if TYPE_CHECKING:
    from forklake.ops.maintenance.checkpoint import CheckpointWork


class LakeMaintenance:
    """Maintenance of all catalogs of a lake, dropped and purged ones too."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @property
    def needs(self) -> MaintenanceNeeds:
        """What maintenance has to do now, found by a few queries."""
        return find_needs(self._runtime.store)

    def run(
        self,
        *,
        duration: timedelta | str | None = None,
        at_least: timedelta | str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> LakeMaintained:
        """Reap, clean up the files of the lake, then do what its catalogs need.

        Catalogs past their lifetimes are dropped; `needs` says what the others need. Rows are flushed, snapshots expire
        that the option ``expire_older_than`` lets expire, small files are merged, and files with many deleted rows are
        rewritten. Catalogs are visited in random order, so several machines may run this at once. A catalog that fails
        is reported, and the rest goes on; the next run goes on where this one ended.

        Args:
            duration: For how long new catalogs are visited, such as ``10 minutes``; if not given, all are.
            at_least: How old snapshots are that expire, and how long files wait, such as ``7 days``, whatever the
                options ``expire_older_than`` and ``delete_older_than`` say.
            dry_run: Do nothing; only return what would be done. `needs` is quicker, and says which catalogs.
            progress: Called with what is counted, how many are done, and how many there are.

        Raises:
            InvalidInputError: The duration, or the age, is none.
        """
        return ops.maintain_lake.maintain_lake(
            self._runtime,
            self._open,
            duration=duration,
            at_least=at_least,
            dry_run=dry_run,
            progress=progress or ignore_progress,
        )

    def _open(self, catalog_id: CatalogId, *, dry_run: bool) -> tuple[str, CheckpointWork]:
        head = versions.head_by_id(self._runtime.store, catalog_id)
        maintenance = Catalog(self._runtime, catalog_id, name=head.name).maintenance
        return head.name, maintenance._checkpoint_work(dry_run=dry_run)

    def cleanup_old_files(
        self,
        *,
        older_than: Time | timedelta | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
    ) -> CleanUp:
        """Delete files of any catalog that nothing needs any more.

        This is `CatalogMaintenance.cleanup_old_files` for every catalog that has such files; those that were purged
        can be cleaned up in no other way.

        Args:
            older_than: Delete what was scheduled before this time, or longer ago than an age. If not given, the
                option ``delete_older_than`` of each catalog counts.
            cleanup_all: Delete all scheduled files at once.
            dry_run: Delete nothing; only return what would be deleted.

        Raises:
            InvalidInputError: Both a time and ``cleanup_all`` were given.
        """
        return cleanup_old_files(self._runtime, None, older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run)

    def file_references(self, file: str | int, *, limit: int = 1000) -> list[FileReference]:
        """Return who sees a file.

        That is the rows that name it, each with the catalogs that see it.

        Args:
            file: The absolute path of a data file or delete file, or its id.
            limit: How many catalogs are told for each row, at most.

        Raises:
            InvalidInputError: It is neither a path nor an id, or the limit makes no sense.
        """
        return file_references(self._runtime, file, limit=limit)

    def purge_catalogs(
        self,
        prefix: str,
        *,
        drop: bool = False,
        dry_run: bool = False,
        author: str | None = None,
        message: str | None = None,
        progress: Progress | None = None,
    ) -> list[CatalogId]:
        """Give up all dropped catalogs whose names begin with a text; return their ids.

        The same as `Lake.purge` for each of them, in batches. Their files are given back by `cleanup_old_files`.

        Args:
            prefix: What their names begin with, regardless of case; all names begin with the empty text.
            drop: Drop live catalogs with such names first.
            dry_run: Give up nothing; only return the ids.
            author: Who does it, for the log.
            message: Why, likewise.
            progress: Called with the step, how many catalogs are done, and how many there are.
        """
        return purge_catalogs(
            self._runtime,
            prefix,
            drop=drop,
            dry_run=dry_run,
            info=read_info(author, message),
            progress=progress or ignore_progress,
        )

    def delete_orphaned_files(
        self,
        *,
        older_than: Time | timedelta | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> OrphanSearch:
        """Delete the orphaned files of all catalogs; return which.

        A catalog that cannot be searched is reported, and the rest goes on. Otherwise as
        `CatalogMaintenance.delete_orphaned_files`.

        Args:
            older_than: Only files last written before this time; a timedelta or a text such as ``7 days`` is an age. If
                neither this nor ``cleanup_all`` is given, the option ``delete_older_than`` of each catalog says it.
            cleanup_all: Files of any age; those of writers at work stay all the same.
            dry_run: Delete nothing; only return which.
            progress: Called with the step and how many files were looked at; how many there are is None.

        Raises:
            InvalidInputError: Both were given.
        """
        return ops.delete_orphaned_files.delete_all_orphaned_files(
            self._runtime,
            older_than=older_than,
            cleanup_all=cleanup_all,
            dry_run=dry_run,
            progress=progress or ignore_progress,
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
        """Check that all is well: the metadata within itself, and the files with it.

        The metadata is read from one state of the database. What others commit, collect and clean up meanwhile is no
        finding. No file is deleted or changed.

        Args:
            files: Look at the files, too: whether each is there with its recorded size, and is named by something.
            deep: Open each file, and compare footers, row counts, statistics and deleted positions.
            repair: Delete rows that mean nothing: those that hide, follow or protect what is not there.
            dry_run: Only count what a repair would delete.
            progress: Called with the step, how much of it is done, and how much there is.
        """
        return ops.check_lake.check_lake(
            self._runtime,
            files=files,
            deep=deep,
            repair=repair,
            dry_run=dry_run,
            progress=progress or ignore_progress,
        )
