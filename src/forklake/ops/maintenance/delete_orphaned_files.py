"""Deletes orphaned files: those below a catalog's directory that nothing names.

What a page of the listing holds is judged after it was listed, from one state of the database: by then the writer
of a file has its lease still, or has committed rows that name it, or is gone. docs/spec/garbage.md states the rule.
"""

from __future__ import annotations

import logging
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Final

import numpy as np

from forklake.catalog.moments import Time
from forklake.catalog.paths import join
from forklake.errors import InvalidInputError
from forklake.files.access.stored_files import (
    StoredFile,
    delete_empty_directories,
    delete_files,
    stored_files,
    undeleted_files,
)
from forklake.metastore.queries import catalogs, known_files, leases
from forklake.metastore.queries.known_files import Claims
from forklake.metastore.store import Session
from forklake.model.ids import CatalogId
from forklake.model.option_rules import OPTIONS
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import OrphanedFile, OrphanSearch
from forklake.ops.lakes.metadata_home import check_may_delete, check_same_place
from forklake.ops.lakes.relative_times import limit_of, time_of_option
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import effective_option
from forklake.ops.maintenance.cleanup import failure_of
from forklake.ops.maintenance.stray_files import foreign_directory

_LOG: Final = logging.getLogger("forklake.maintenance")

_BATCH: Final = 500
"""So many files are judged and deleted under one lock."""

_CLOCKS_DIFFER: Final = timedelta(hours=1)
"""So much older than a lease files may seem that are written under it."""

_LAST: Final = datetime.max.replace(tzinfo=UTC)
_SUFFIXES: Final = (".parquet", ".puffin")
_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_PRIVATE: Final = re.compile(rf".*?/write-{_UUID}/", re.DOTALL)
"""The private directory of one write; whatever is in it is ours."""
_MARK: Final = re.compile(rf"/\.forklake-{_UUID}\Z")
"""A file by which the driver sees whether executors have its directory."""
_NAMED_BY_US: Final = re.compile(rf"/ducklake-{_UUID}[^/]*(?:\.parquet|\.puffin)\Z")
"""The name of a data file or delete file that forklake or DuckLake wrote."""

_UNDONE: Final = "nothing was deleted"


def delete_orphaned_files(
    runtime: Runtime,
    catalog: CatalogId,
    *,
    older_than: Time | timedelta | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = ignore_progress,
) -> OrphanSearch:
    """Delete files below a catalog's own directory that nothing names; return which.

    A file stays if a row of any catalog names it, whether or not a snapshot still shows the row, if it waits for its
    deletion, if the lease of a writer covers it, or if it is young. Only Parquet and Puffin files are deleted, and
    what writers leave in their private directories; outside of the lake's data path only those with names that
    forklake and DuckLake give. What cannot be deleted or read is reported, and the rest goes on.

    Args:
        runtime: The open lake.
        catalog: The catalog, which may be dropped or purged.
        older_than: Only files last written before this time; an age counts from now. If neither this nor
            ``cleanup_all`` is given, the option ``delete_older_than`` is the age.
        cleanup_all: Files of any age. Leases are respected all the same.
        dry_run: Only return which.
        progress: Told the number of files that were looked at so far.

    Raises:
        InvalidInputError: Both were given, or neither and the option is empty.
        MetastoreRefusedError: The metadata is a copy that shares its files with the original.
    """
    _check_choice(older_than, cleanup_all=cleanup_all)
    if not dry_run:
        check_may_delete(runtime.store, runtime.lake_path)
    limit = _limit(runtime, catalog, older_than, cleanup_all=cleanup_all)
    place = catalogs.directories(runtime.store, [catalog])[catalog]
    search = _Search(runtime, catalog, place, lambda: limit, dry_run=dry_run)
    search.take_leases_away()
    found = tuple(search.run(partial(_tell, progress, 0, search)))
    return OrphanSearch(found, tuple(search.failures), dry_run, search.left)


def delete_all_orphaned_files(
    runtime: Runtime,
    *,
    older_than: Time | timedelta | None = None,
    cleanup_all: bool = False,
    dry_run: bool = False,
    progress: Progress = ignore_progress,
) -> OrphanSearch:
    """Delete the orphaned files of all catalogs; return which.

    Dropped and purged ones are among them. A catalog that cannot be searched is reported, and the rest goes on.
    One without files costs a look at its directory. Otherwise as `delete_orphaned_files`.
    """
    _check_choice(older_than, cleanup_all=cleanup_all)
    if not dry_run:
        check_may_delete(runtime.store, runtime.lake_path)
    found: list[OrphanedFile] = []
    failures: list[str] = []
    seen = left = 0
    with runtime.store.reading() as session:
        late = leases.catalogs_with_run_out(session)
    for catalog, place in catalogs.all_directories(runtime.store):
        limit = partial(_limit, runtime, catalog, older_than, cleanup_all=cleanup_all)
        search = _Search(runtime, catalog, place, limit, dry_run=dry_run)
        try:
            if catalog in late:
                search.take_leases_away()
            found += search.run(partial(_tell, progress, seen, search))
        except InvalidInputError as error:
            search.failures.append(failure_of(catalog, error))
        failures += search.failures
        seen += search.seen
        left += search.left
    return OrphanSearch(tuple(found), tuple(failures), dry_run, left)


class _Search:
    """The search below one catalog's directory.

    Attributes:
        failures: What could not be deleted or read, and why.
        seen: How many files were looked at so far.
        left: How many files that nothing names stay, because they may be somebody else's.
        left_path: One of them.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalog: CatalogId,
        place: tuple[str, bool],
        limit: Callable[[], datetime | None],
        *,
        dry_run: bool,
    ) -> None:
        self.failures: list[str] = []
        self.seen = 0
        self.left = 0
        self.left_path = ""
        self._store = runtime.store
        self._step = runtime.settings.on_step
        self._catalog = catalog
        self._limit = cache(limit)
        self._dry_run = dry_run
        self._lake_path = runtime.lake_path or ""
        self._stored_path, self._is_relative = place
        self._directory = join((self._lake_path, False), place)
        self._known: _KnownFiles | None = None

    def take_leases_away(self) -> None:
        """Delete leases that have run out and may cover what is searched for.

        From then on their writers cannot commit. Younger ones stay: no file of theirs is old enough.
        """
        if self._dry_run:
            return
        limit = self._limit()
        begun_before = None if limit is None or limit > _LAST - _CLOCKS_DIFFER else limit + _CLOCKS_DIFFER
        with self._store.writing() as session:
            session.lock_alone(self._catalog)
            leases.delete_run_out(session, self._catalog, begun_before)
        self._step("orphans: leases taken away")

    def run(self, on_page: Callable[[Sequence[StoredFile]], None]) -> Iterator[OrphanedFile]:
        """Yield the orphans, after each of them was deleted.

        Whatever is listed is passed to ``on_page``.
        """
        batch: list[StoredFile] = []
        for page in stored_files(self._directory, self.failures):
            self._step("orphans: listed")
            self.seen += len(page)
            on_page(page)
            candidates = [file for file in page if self._is_candidate(file)]
            if candidates and self._known is None:
                if (reason := self._foreign_directory()) is not None:
                    self.failures.append(f"No orphans were searched for: {reason}.")
                    return
                self._known = self._begin()
            if candidates and self._known is not None:
                batch += self._known.others(candidates)
            while len(batch) >= _BATCH:
                yield from self._clean(batch[:_BATCH])
                del batch[:_BATCH]
        if batch:
            yield from self._clean(batch)

    def _is_candidate(self, file: StoredFile) -> bool:
        limit = self._limit()
        if limit is not None and file.modified >= limit:
            return False
        path = file.path
        return path.endswith(_SUFFIXES) or self._private_directory(file) is not None or _MARK.search(path) is not None

    def _private_directory(self, file: StoredFile) -> str | None:
        found = _PRIVATE.match(file.path, len(self._directory) - 1)
        return None if found is None else file.path[: found.end()]

    def _foreign_directory(self) -> str | None:
        with self._store.reading() as session:
            return foreign_directory(session, self._lake_path, self._catalog, self._directory)

    def _begin(self) -> _KnownFiles:
        """Read the files that own rows name.

        They only spare files from being judged one by one; what has been added since is asked for with each batch.
        """
        with self._store.reading() as session:
            known = _KnownFiles(session, self._catalog, self._directory)
        self._step("orphans: own files read")
        return known

    def _clean(self, batch: Sequence[StoredFile]) -> list[OrphanedFile]:
        """Delete those files of a batch that are orphans; return them.

        The lock keeps others from naming one of them between the look and the deletion.
        """
        if self._dry_run:
            with self._store.reading() as session:
                orphans = self._judge(session, batch, session.now())
            return [OrphanedFile(file.path, file.byte_count, file.modified) for file in orphans]
        with self._store.writing() as session:
            session.lock_alone(self._catalog)
            check_same_place(session, self._lake_path)
            orphans = self._judge(session, batch, None)
            self._step("orphans: judged")
            left = delete_files([file.path for file in orphans], self._directory)
        self._step("orphans: files deleted")
        self.failures += undeleted_files(left)
        gone = [file for file in orphans if file.path not in left]
        _LOG.info("Catalog %d: %d orphaned files deleted, %d not", self._catalog, len(gone), len(left))
        for file in gone:
            private = self._private_directory(file)
            if private is not None:
                delete_empty_directories(file.path, private)
        return [OrphanedFile(file.path, file.byte_count, file.modified) for file in gone]

    def _judge(self, session: Session, batch: Sequence[StoredFile], now: datetime | None) -> list[StoredFile]:
        assert self._known is not None
        claims = known_files.claims(
            session, self._catalog, self._stored_path, [file.path for file in batch], self._known.newest, now
        )
        self._known.add(claims)
        others = (join((self._lake_path, False), (path, self._is_relative)) for path in claims.catalogs)
        foreign = (*claims.places, *others)
        since = claims.leased_since and claims.leased_since - _CLOCKS_DIFFER
        unnamed = [
            file
            for file in batch
            if file.path not in claims.named
            and (since is None or file.modified < since)
            and not self._known.may_be_named(file.path)
            and not file.path.startswith(foreign)
        ]
        orphans = [file for file in unnamed if self._may_be_ours(file)]
        if len(orphans) < len(unnamed):
            self.left += len(unnamed) - len(orphans)
            self.left_path = next(file.path for file in unnamed if not self._may_be_ours(file))
        return orphans

    def _may_be_ours(self, file: StoredFile) -> bool:
        """Return whether a file may be taken for one that a writer of the catalog left.

        Below the lake's data path all are. Elsewhere others may keep files, who know nothing of the lake.
        """
        return (
            self._is_relative
            or _NAMED_BY_US.search(file.path) is not None
            or self._private_directory(file) is not None
            or _MARK.search(file.path) is not None
        )


class _KnownFiles:
    """The files that own rows name: a number for each, so that a million take 8 MB.

    Two paths may have one number; then a file is spared that need not be.

    Attributes:
        newest: The snapshot up to which they are complete.
    """

    def __init__(self, session: Session, catalog: CatalogId, directory: str) -> None:
        self.newest = known_files.newest_snapshot(session, catalog)
        self._ends: set[str] = set()
        places: dict[int, list[str]] = {}
        numbers = array("q")
        for page in known_files.own_files(session, catalog):
            missing = {table for table, _ in page} - places.keys()
            found = known_files.table_places(session, catalog, missing) if missing else {}
            places |= {table: [join((directory, False), *place) for place in found.get(table, ())] for table in missing}
            numbers.extend(hash(place + path) for table, path in page for place in places[table])
            # Of a table that nobody knows any more, a file may be anywhere below the directory.
            self._ends.update(path for table, path in page if not places[table])
        self._numbers = np.sort(np.frombuffer(numbers, np.int64)) if numbers else np.array([], np.int64)

    def others(self, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Return those of some files that are not known."""
        numbers = np.fromiter((hash(file.path) for file in files), np.int64, len(files))
        found = np.searchsorted(self._numbers, numbers, "right") > np.searchsorted(self._numbers, numbers, "left")
        return [file for file, is_known in zip(files, found.tolist(), strict=True) if not is_known]

    def add(self, claims: Claims) -> None:
        """Add what was added since."""
        self._ends |= claims.added
        self.newest = self.newest if claims.newest is None else claims.newest

    def may_be_named(self, path: str) -> bool:
        """Return whether a row of an unknown place may name a file.

        Its path ends the same. Such rows are those that were added since, and those of tables that nobody
        knows any more.
        """
        parts = path.split("/")
        return bool(self._ends) and any("/".join(parts[at:]) in self._ends for at in range(1, len(parts)))


def list_orphans(
    runtime: Runtime,
    catalog: CatalogId,
    place: tuple[str, bool],
    on_page: Callable[[Sequence[StoredFile]], None],
    on_left: Callable[[int, str], None],
    failures: list[str],
) -> Iterator[OrphanedFile]:
    """Yield the files below a catalog's directory that nothing names; delete none.

    They are older than the option ``delete_older_than`` says, or than its default if it says nothing. All files that
    are listed are passed to ``on_page``; directories that cannot be read are added to ``failures``. If some would stay
    because they may be somebody else's, ``on_left`` is told at the end how many, and one of them.
    """
    search = _Search(runtime, catalog, place, partial(_limit_or_default, runtime, catalog), dry_run=True)
    search.failures = failures
    yield from search.run(on_page)
    if search.left:
        on_left(search.left, search.left_path)


def _limit_or_default(runtime: Runtime, catalog: CatalogId) -> datetime | None:
    try:
        return _limit(runtime, catalog, None, cleanup_all=False)
    except InvalidInputError:
        return _limit(runtime, catalog, OPTIONS["delete_older_than"].default, cleanup_all=False)


def _tell(progress: Progress, before: int, search: _Search, page: Sequence[StoredFile]) -> None:
    progress("Looking at files", before + search.seen, None)


def _check_choice(older_than: Time | timedelta | None, *, cleanup_all: bool) -> None:
    if older_than is not None and cleanup_all:
        raise _choice_error()


def _choice_error() -> InvalidInputError:
    return InvalidInputError(
        "Invalid Input Error: ducklake_delete_orphaned_files: either cleanup_all OR older_than must be specified.\nYou"
        " can also set a default value for file deletion via e.g., CALL"
        " ducklake.set_option('delete_older_than', '1 week');"
    )


def _limit(
    runtime: Runtime, catalog: CatalogId, older_than: Time | timedelta | None, *, cleanup_all: bool
) -> datetime | None:
    """Return the time before which files were last written; None for all files."""
    if cleanup_all:
        return None
    with runtime.store.reading() as session:
        now = session.now()
    if older_than is not None:
        return limit_of(older_than, lambda: now, _UNDONE)
    age = effective_option(runtime.store, catalog, "delete_older_than")
    if not age:
        raise _choice_error()
    return time_of_option(now, age, _UNDONE)
