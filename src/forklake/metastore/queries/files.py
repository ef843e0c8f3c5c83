"""Queries on files that wait for deletion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.model.ids import CatalogId, DataFileId
from forklake.model.lazy_dataclass import dataclass

_PATHS_AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class ScheduledFile:
    """A file that is no longer needed, and the time since which it waits for deletion."""

    data_file_id: DataFileId
    path: str
    path_is_relative: bool
    schedule_start: datetime


def scheduled_files(source: Source, catalog: CatalogId) -> list[ScheduledFile]:
    """Return the files of a catalog that wait for deletion, longest wait first."""
    found = source.query(
        "SELECT data_file_id, path, path_is_relative, schedule_start"
        " FROM forklake.ducklake_files_scheduled_for_deletion WHERE catalog_id = :c ORDER BY schedule_start, path",
        c=catalog,
    )
    return [ScheduledFile(file, path, bool(is_relative), source.time(time)) for file, path, is_relative, time in found]


def scheduled_among(source: Source, catalogs: Iterable[CatalogId], paths: Sequence[str]) -> list[str]:
    """Return those of some paths that wait for deletion in one of some catalogs."""
    ids, found = sorted(catalogs), set[str]()
    for first in range(0, len(paths) if ids else 0, _PATHS_AT_ONCE):
        rows = source.query(
            "SELECT path FROM forklake.ducklake_files_scheduled_for_deletion"
            " WHERE catalog_id IN (:ids...) AND path IN (:paths...)",
            ids=ids,
            paths=list(paths[first : first + _PATHS_AT_ONCE]),
        )
        found |= {str(path) for (path,) in rows}
    return sorted(found)


def scheduled_before(
    source: Source, catalog: CatalogId, time: datetime | None, after: str, limit: int
) -> list[ScheduledFile]:
    """Return a page of the files of a catalog that wait since before a time.

    They come by their paths, after one. Without a time, all of them are meant.
    """
    waited = "" if time is None else " AND schedule_start < :time"
    found = source.query(
        "SELECT data_file_id, path, path_is_relative, schedule_start"
        f" FROM forklake.ducklake_files_scheduled_for_deletion WHERE catalog_id = :c AND path > :after{waited}"
        f" ORDER BY path LIMIT {int(limit)}",
        c=catalog,
        after=after,
        time=time,
    )
    return [ScheduledFile(file, path, bool(is_relative), source.time(time)) for file, path, is_relative, time in found]


def forget_scheduled(session: Session, catalog: CatalogId, paths: Sequence[str]) -> None:
    """Note that files of a catalog were deleted."""
    session.execute(
        "DELETE FROM forklake.ducklake_files_scheduled_for_deletion WHERE catalog_id = :c AND path IN (:paths...)",
        c=catalog,
        paths=list(paths),
    )


def catalogs_with_scheduled(source: Source, after: CatalogId, limit: int) -> list[CatalogId]:
    """Return a page of the catalogs that have files which wait for deletion, by id.

    Each is found by one look into the index, however many files it has.
    """
    found: list[CatalogId] = []
    while len(found) < limit:
        ((catalog,),) = source.query(
            "SELECT min(catalog_id) FROM forklake.ducklake_files_scheduled_for_deletion WHERE catalog_id > :after",
            after=after,
        )
        if catalog is None:
            break
        after = CatalogId(catalog)
        found.append(after)
    return found
