"""Cleans up: deletes files that were scheduled for deletion.

docs/spec/garbage.md has the rule.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from forklake import files
from forklake.catalog.moments import Time
from forklake.catalog.places import catalog_directories
from forklake.errors import ForklakeError, InvalidInputError
from forklake.metastore.queries import due, heads
from forklake.metastore.queries.files import catalogs_with_scheduled, forget_scheduled, scheduled_before
from forklake.metastore.store import Session
from forklake.model.clean_up import CleanUp
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.ops.lakes.metadata_home import check_may_delete, check_same_place
from forklake.ops.lakes.relative_times import NO_AGE, Age, limit_of, time_of_option
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import effective_option
from forklake.ops.maintenance.collect import collect
from forklake.ops.maintenance.stray_files import named_among, stray_files

_LOG: Final = logging.getLogger("forklake.maintenance")

_BATCH: Final = 1_000
"""Files that are judged in one transaction, during which nobody can fork the catalog."""
_PAGE: Final = 200
"""Catalogs that are collected together."""
_UNDONE: Final = "nothing was deleted"
_NO_AGE: Final = (
    "Invalid Input Error: ducklake_cleanup_old_files: either cleanup_all OR older_than must be specified.\n"
    "You can also set a default value for file deletion via e.g.,"
    " CALL ducklake.set_option('delete_older_than', '1 week');"
)


def cleanup_old_files(
    runtime: Runtime,
    catalog: CatalogId | None,
    *,
    older_than: Time | timedelta | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    is_over: Callable[[], bool] = lambda: False,
    at_least: Age = NO_AGE,
) -> CleanUp:
    """Delete scheduled files that have waited long enough.

    They are those of a catalog, or of the whole lake. First the rows that nothing needs are collected, if the
    catalog is due. A file that some row of any catalog still names stays scheduled, and so does one that cannot be
    deleted, or that does not lie in the directory of the catalog that it is scheduled for. A file that is gone already
    counts as deleted. Of the whole lake, a catalog whose option is no age is left out and reported.

    Args:
        runtime: The lake.
        catalog: The catalog, which may be purged; None means all of them.
        older_than: Delete what was scheduled before a time, or longer ago than an age; if not given, the age in the
            option ``delete_older_than`` of each catalog.
        cleanup_all: Delete all scheduled files, however short they have waited.
        dry_run: Delete and collect nothing; only return what would be deleted.
        is_over: Whether to leave the rest to the next time; asked before each catalog that is cleaned up or collected
            as a part of the lake, and after some files.
        at_least: How long files have waited whatever that option says.

    Raises:
        InvalidInputError: Both a time and ``cleanup_all`` were given, or it is no time.
        MetastoreRefusedError: The metadata is a copy that shares its files with the original.
    """
    if cleanup_all and older_than is not None:
        raise InvalidInputError(_NO_AGE)
    if not dry_run:
        check_may_delete(runtime.store, runtime.lake_path)
    with runtime.store.reading() as session:
        now = session.now()
    limit = None if older_than is None else limit_of(older_than, lambda: now, _UNDONE)
    found = CleanUp(dry_run=dry_run)
    for one in _catalogs(runtime, catalog, dry_run=dry_run, is_over=is_over):
        if is_over():
            break
        try:
            waited = None if cleanup_all else limit or _default_limit(runtime, one, now, at_least)
        except InvalidInputError as error:
            if catalog is not None:
                raise
            found = found + CleanUp(failures=(failure_of(one, error),))
            continue
        found = found + _clean_catalog(runtime, one, waited, dry_run=dry_run, is_over=is_over)
    return found


def failure_of(catalog: CatalogId, error: ForklakeError) -> str:
    """Return a sentence about a catalog that is left out while others are cleaned up."""
    return f"The files of the catalog with id {catalog} stay: {error.message}"


def _catalogs(
    runtime: Runtime, catalog: CatalogId | None, *, dry_run: bool, is_over: Callable[[], bool]
) -> Iterator[CatalogId]:
    """Yield the catalogs to clean; collect those that are due before."""
    if catalog is not None:
        if not dry_run and due.due_times(runtime.store, [catalog]):
            collect(runtime.store, runtime.lake_path, [catalog])
        yield catalog
        return
    if not dry_run:
        collect_due(runtime, is_over)
    after = THE_LAKE
    while page := catalogs_with_scheduled(runtime.store, after, _PAGE):
        yield from page
        after = page[-1]


def collect_due(runtime: Runtime, is_over: Callable[[], bool] = lambda: False) -> None:
    """Collect every catalog that is due, forks before their ancestors."""
    after: CatalogId | None = None
    while not is_over() and (page := due.due_catalogs(runtime.store, after, _PAGE)):
        # Purged forks have little each. A catalog that is in use is worth a lock of its own. What keeps rows of an
        # ancestor is judged before them, so the order of the page holds.
        for is_used, run in groupby(page, heads.catalogs_with_heads(runtime.store, page).__contains__):
            for together in ([one] for one in run) if is_used else [list(run)]:
                if not is_over():
                    collect(runtime.store, runtime.lake_path, together)
        after = page[-1]


def _default_limit(runtime: Runtime, catalog: CatalogId, now: datetime, at_least: Age) -> datetime:
    age = effective_option(runtime.store, catalog, "delete_older_than")
    if not age:
        raise InvalidInputError(_NO_AGE)
    return time_of_option(now, age, _UNDONE, at_least)


def _clean_catalog(
    runtime: Runtime, catalog: CatalogId, waited: datetime | None, *, dry_run: bool, is_over: Callable[[], bool]
) -> CleanUp:
    found, after = CleanUp(dry_run=dry_run), ""
    while True:
        # One transaction judges, another one forgets what was deleted: nobody waits for storage. Between them the
        # files are still scheduled, so nobody names them anew.
        with runtime.store.reading() if dry_run else runtime.store.writing() as session:
            if not dry_run:
                session.lock_alone(catalog)
                check_same_place(session, runtime.lake_path)
            paths = [file.path for file in scheduled_before(session, catalog, waited, after, _BATCH)]
            judged = _judge(session, runtime.lake_path, catalog, paths)
            runtime.store.step("clean-up: before the end of a look")
        if not paths:
            return found
        found = found + _delete(runtime, catalog, judged, dry_run=dry_run)
        if is_over():
            return found
        after = paths[-1]


@dataclass(frozen=True, slots=True)
class _Judged:
    """Scheduled files: free ones, named ones, and those that are not the catalog's."""

    directory: str
    free: Sequence[str]
    named: Sequence[str]
    strays: Mapping[str, str]


def _judge(session: Session, lake_path: str | None, catalog: CatalogId, paths: Sequence[str]) -> _Judged:
    directory = catalog_directories(session, lake_path, {catalog})[catalog]
    strays = stray_files(session, lake_path, catalog, directory, paths)
    own = [path for path in paths if path not in strays]
    named = named_among(session, catalog, directory, own)
    return _Judged(directory, [path for path in own if path not in named], sorted(named), strays)


def _delete(runtime: Runtime, catalog: CatalogId, judged: _Judged, *, dry_run: bool) -> CleanUp:
    paths = judged.free
    runtime.store.step("clean-up: judged")
    sizes = files.storage.sizes(paths)
    left: dict[str, str] = {}
    if not dry_run and paths:
        left = files.stored_files.delete_files(paths, judged.directory)
        runtime.store.step("clean-up: files deleted")
        with runtime.store.writing() as session:
            forget_scheduled(session, catalog, sorted(set(paths) - left.keys()))
            runtime.store.step("clean-up: before the end")
        runtime.store.step("clean-up: files forgotten")
        _LOG.info("Catalog %d: %d old files deleted, %d not", catalog, len(paths) - len(left), len(left))
    gone = tuple(path for path in paths if path not in left)
    freed = sum(sizes.get(path, 0) for path in gone)
    left |= judged.strays
    failures = files.stored_files.undeleted_files(left)
    if judged.strays:
        _LOG.warning("Catalog %d: %d scheduled files are not its own, and stay", catalog, len(judged.strays))
    return CleanUp(gone, freed, tuple(judged.named), tuple(left), failures, dry_run)
