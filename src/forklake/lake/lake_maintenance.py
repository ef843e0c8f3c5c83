"""Maintenance of a whole lake: `Lake.maintenance`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from forklake import ops
from forklake.catalog.moments import Time
from forklake.model.clean_up import CleanUp
from forklake.model.records import OrphanSearch
from forklake.ops.cleanup import cleanup_old_files
from forklake.ops.runtime import Runtime


class LakeMaintenance:
    """Maintenance of all catalogs of a lake, dropped and purged ones too."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

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

    def delete_orphaned_files(
        self,
        *,
        older_than: Time | timedelta | None = None,
        cleanup_all: bool = False,
        dry_run: bool = False,
        on_progress: Callable[[int], None] = lambda seen: None,
    ) -> OrphanSearch:
        """Delete the orphaned files of all catalogs; return which.

        A catalog that cannot be searched is reported, and the rest goes on. Otherwise as
        `CatalogMaintenance.delete_orphaned_files`.

        Args:
            older_than: Only files last written before this time; a timedelta or a text such as ``7 days`` is an age. If
                neither this nor ``cleanup_all`` is given, the option ``delete_older_than`` of each catalog says it.
            cleanup_all: Files of any age; those of writers at work stay all the same.
            dry_run: Delete nothing; only return which.
            on_progress: Called with the number of files that were looked at so far.

        Raises:
            InvalidInputError: Both were given.
        """
        return ops.delete_orphaned_files.delete_all_orphaned_files(
            self._runtime, older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run, on_progress=on_progress
        )
