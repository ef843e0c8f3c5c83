"""Checks the files below a catalog's directory against the rows that name them.

Rows are read first, then files are listed, and whatever does not fit is asked for again: first the file, then the row.
A file is written before its row and deleted after it, so a file that is missing while its row is there is lost.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from forklake.catalog.paths import join
from forklake.files.access import storage
from forklake.files.access.stored_files import StoredFile
from forklake.files.access.threads import FileThreads
from forklake.metastore.checks.file_rows import FILES, NamedFile, dead_uids, named_again, named_files
from forklake.metastore.queries import known_files
from forklake.metastore.queries.files import scheduled_before
from forklake.metastore.source import Source
from forklake.metastore.written_tables import MetadataTable
from forklake.model.ids import CatalogId, RowUid, TableId
from forklake.ops.checks.findings import Findings
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.delete_orphaned_files import list_orphans
from forklake.ops.maintenance.stray_files import named_among, stray_files

_BATCH: Final = 1_000
_THREADS: Final = 16
_UNSEEN: Final = -1

Place = tuple[str, bool]
"""The directory of a catalog in its stored form: a path, and whether it is relative to the lake's."""


class FileCheck:
    """The check of the files of one catalog.

    Attributes:
        seen: How many files were looked at.
    """

    def __init__(self, runtime: Runtime, catalog: CatalogId, place: Place, findings: Findings) -> None:
        self.seen = 0
        self._runtime = runtime
        self._catalog = catalog
        self._place = place
        self.directory = join((runtime.lake_path or "", False), place)
        self._findings = findings
        self._places: dict[int, str | None] = {}
        self._rows: list[_Rows] = []

    def run(self, *, has_rows: bool) -> None:
        """Find files that are missing, of another size, or named by nothing.

        ``has_rows`` tells whether the catalog has rows of files.
        """
        if has_rows:
            with self._runtime.store.reading() as session:
                self._rows = [self._read(session, files) for files in FILES]
        self._runtime.settings.on_step("fsck: rows of files read")
        failures: list[str] = []
        orphans = list_orphans(self._runtime, self._catalog, self._place, self._match, self._tell_left, failures)
        for orphan in orphans:
            told = f'Nothing names the file "{orphan.path}".'
            self._findings.add("file-orphaned", self._catalog, told, orphan.path)
        for failure in failures:
            self._findings.add("directory-unread", self._catalog, failure, self.directory)
        self._runtime.settings.on_step("fsck: files listed")
        for rows in self._rows:
            uids = rows.unmatched_uids()
            for first in range(0, len(uids), _BATCH):
                self._look_again(rows.files, uids[first : first + _BATCH])

    def check_scheduled(self) -> None:
        """Find files that wait for deletion and will not be deleted.

        A row still names them, or they are not the catalog's.
        """
        after = ""
        while True:
            with self._runtime.store.reading() as session:
                waiting = [file.path for file in scheduled_before(session, self._catalog, None, after, _BATCH)]
                strays = stray_files(session, self._runtime.lake_path, self._catalog, self.directory, waiting)
                named = named_among(
                    session, self._catalog, self.directory, [path for path in waiting if path not in strays]
                )
            if not waiting:
                return
            for path, reason in strays.items():
                told = f'The file "{path}" waits for deletion, but {reason}; so it stays.'
                self._findings.add("scheduled-elsewhere", self._catalog, told, path)
            for path in sorted(named):
                told = f'The file "{path}" waits for deletion, and a row names it; so it stays.'
                self._findings.add("scheduled-named", self._catalog, told, path)
            after = waiting[-1]

    def paths(self, source: Source, rows: Sequence[NamedFile]) -> Iterator[tuple[NamedFile, str]]:
        """Yield rows with the absolute paths of their files.

        Those whose table nobody knows any more are left out: no version shows them.
        """
        missing = {row.table_id for row in rows if row.path_is_relative} - self._places.keys()
        if missing:
            found = known_files.table_places(source, self._catalog, [TableId(table) for table in missing])
            for table in missing:
                places = found.get(TableId(table), ())
                self._places[table] = next((join((self.directory, False), *place) for place in places), None)
        for row in rows:
            place = self._places[row.table_id] if row.path_is_relative else ""
            if place is not None:
                yield row, place + row.path

    def _read(self, source: Source, files: MetadataTable[Any]) -> _Rows:
        numbers, sizes, uids = array("q"), array("q"), array("q")
        for page in named_files(source, files, self._catalog):
            named = list(self.paths(source, page))
            numbers.extend([hash(path) for _, path in named])
            sizes.extend([row.byte_count for row, _ in named])
            uids.extend([row.row_uid for row, _ in named])
        return _Rows(files, numbers, sizes, uids)

    def _match(self, page: Sequence[StoredFile]) -> None:
        self.seen += len(page)
        for rows in self._rows:
            rows.match(page)

    def _tell_left(self, count: int, path: str) -> None:
        told = (
            f'Nothing names {count:,} files in "{self.directory}", such as "{path}"; they may be of others, and stay.'
        )
        self._findings.add("files-foreign", self._catalog, told, path)

    def _look_again(self, files: MetadataTable[Any], uids: Sequence[int]) -> None:
        store = self._runtime.store
        with store.reading() as session:
            wanted = list(self.paths(session, named_again(session, files, self._catalog, uids)))
        self._runtime.settings.on_step("fsck: rows asked for again")
        sizes = sizes_of([path for _, path in wanted])
        wrong = [(row, path) for row, path in wanted if sizes.get(path) != row.byte_count]
        if not wrong:
            return
        self._runtime.settings.on_step("fsck: files missed")
        with store.reading() as session:
            there = {
                row.row_uid for row in named_again(session, files, self._catalog, [row.row_uid for row, _ in wrong])
            }
            dead = dead_uids(session, files, self._catalog) if there else set[RowUid]()
        for row, path in wrong:
            if row.row_uid in there:
                self._tell(row, path, sizes.get(path), is_dead=row.row_uid in dead)

    def _tell(self, row: NamedFile, path: str, byte_count: int | None, *, is_dead: bool) -> None:
        if is_dead:
            told = f'The file "{path}" is missing or changed; no snapshot shows it any more.'
            self._findings.add("dead-file-missing", self._catalog, told, path)
        elif byte_count is None:
            told = f'The file "{path}" is missing, or cannot be looked at.'
            self._findings.add("file-missing", self._catalog, told, path)
        else:
            told = f'The file "{path}" has {byte_count} bytes instead of {row.byte_count}.'
            self._findings.add("file-size", self._catalog, told, path)


class _Rows:
    """Rows of files of one kind: three numbers for each, so that a million take 32 MB."""

    def __init__(self, files: MetadataTable[Any], numbers: array[int], sizes: array[int], uids: array[int]) -> None:
        self.files = files
        plain: list[NDArray[np.int64]] = [np.array(each, np.int64) for each in (numbers, sizes, uids)]
        order = np.argsort(plain[0], kind="stable")
        self._numbers, self._sizes, self._uids = (each[order] for each in plain)
        self._found = np.full(len(order), _UNSEEN, np.int64)

    def match(self, page: Sequence[StoredFile]) -> None:
        """Note the sizes of listed files that rows name."""
        if not len(self._numbers):
            return
        numbers = np.array([hash(file.path) for file in page], np.int64)
        sizes = np.array([file.byte_count for file in page], np.int64)
        first = np.searchsorted(self._numbers, numbers, "left")
        last = np.searchsorted(self._numbers, numbers, "right")
        is_named = first < last
        self._found[first[is_named]] = sizes[is_named]
        for place in np.flatnonzero(last - first > 1).tolist():  # several rows name it
            self._found[first[place] : last[place]] = sizes[place]

    def unmatched_uids(self) -> list[int]:
        """Return the uids of rows whose files were not listed, or with another size."""
        found: list[int] = self._uids[self._found != self._sizes].tolist()
        return found


def sizes_of(paths: Sequence[str]) -> dict[str, int]:
    """Return the sizes of files; those that are missing are left out."""
    if not paths or storage.is_local(paths[0]):
        return storage.sizes(paths)
    with FileThreads(_THREADS) as threads:
        parts = threads.map(storage.sizes, [[path] for path in paths])
    return {path: size for part in parts for path, size in part.items()}
