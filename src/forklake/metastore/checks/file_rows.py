"""Queries on the rows of files, for a check of the files themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from forklake.metastore import garbage
from forklake.metastore.garbage import Owners
from forklake.metastore.queries.heads import catalogs_with_heads
from forklake.metastore.source import Source
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, FILE_COLUMN_STATS, MetadataTable
from forklake.model.ids import CatalogId, RowUid
from forklake.model.rows import DataFileRow, DeleteFileRow, FileColumnStatsRow

FILES: Final[tuple[MetadataTable[Any], ...]] = (DATA_FILE, DELETE_FILE)
_PAGE: Final = 10_000
_BEFORE_ALL: Final = RowUid(-1)


class NamedFile(NamedTuple):
    """A row of a data file or a delete file: its path as stored, and its size.

    A tuple, because there may be millions of them.
    """

    row_uid: RowUid
    table_id: int
    path: str
    path_is_relative: bool
    byte_count: int


_COLUMNS: Final = "r.row_uid, r.table_id, r.path, r.path_is_relative, r.file_size_bytes"


def named_files(
    source: Source,
    files: MetadataTable[Any],
    catalog: CatalogId,
    after: RowUid = _BEFORE_ALL,
    page_size: int = _PAGE,
) -> Iterator[list[NamedFile]]:
    """Yield all rows of files of a catalog, ended ones too, in pages, after one."""
    while page := _find_files(
        source,
        f"SELECT {_COLUMNS} FROM forklake.{files.name} r WHERE r.catalog_id = :c AND r.row_uid > :after"
        f" ORDER BY r.row_uid LIMIT {int(page_size)}",
        c=catalog,
        after=after,
    ):
        yield page
        after = page[-1].row_uid


def named_again(source: Source, files: MetadataTable[Any], catalog: CatalogId, uids: Sequence[int]) -> list[NamedFile]:
    """Return those of some rows that are still there."""
    return _find_files(
        source,
        f"SELECT {_COLUMNS} FROM forklake.{files.name} r WHERE r.catalog_id = :c AND r.row_uid IN (:uids...)",
        c=catalog,
        uids=list(uids),
    )


def _find_files(source: Source, statement: str, **params: Any) -> list[NamedFile]:
    return [NamedFile._make(row) for row in source.query(statement, **params)]


def catalogs_with_files(source: Source, catalogs: Sequence[CatalogId]) -> set[CatalogId]:
    """Return those of some catalogs that have rows of files."""
    found: set[CatalogId] = set()
    for files in FILES:
        rows = source.query(
            f"SELECT DISTINCT r.catalog_id FROM forklake.{files.name} r WHERE r.catalog_id IN (:ids...)",
            ids=list(catalogs),
        )
        found |= {CatalogId(catalog) for (catalog,) in rows}
    return found


def dead_uids(source: Source, files: MetadataTable[Any], catalog: CatalogId) -> set[RowUid]:
    """Return the rows of files of a catalog that no version shows."""
    owners = Owners([catalog], have_heads=bool(catalogs_with_heads(source, [catalog])))
    found: set[RowUid] = set()
    after = _BEFORE_ALL
    while page := garbage.dead_rows(source, files, owners, (), after=after, limit=_PAGE):
        found |= {RowUid(uid) for _, uid in page}
        after = page[-1][1]
    return found


def data_file_rows(source: Source, catalog: CatalogId, uids: Sequence[RowUid]) -> dict[RowUid, DataFileRow]:
    """Return rows of data files by their uids; those that are gone are left out."""
    return dict(_rows(source, DATA_FILE, catalog, uids))


def delete_file_rows(source: Source, catalog: CatalogId, uids: Sequence[RowUid]) -> dict[RowUid, DeleteFileRow]:
    """Return rows of delete files by their uids; those that are gone are left out."""
    return dict(_rows(source, DELETE_FILE, catalog, uids))


def _rows(
    source: Source, files: MetadataTable[Any], catalog: CatalogId, uids: Sequence[RowUid]
) -> Iterator[tuple[RowUid, Any]]:
    found = source.query(
        f"SELECT r.row_uid, {', '.join(f'r.{name}' for name in files.columns)} FROM forklake.{files.name} r"
        " WHERE r.catalog_id = :c AND r.row_uid IN (:uids...)",
        c=catalog,
        uids=list(uids),
    )
    for uid, *values in found:
        yield RowUid(uid), files.row(**files.decode(values))


def file_column_stats(source: Source, catalog: CatalogId, files: Sequence[int]) -> dict[int, list[FileColumnStatsRow]]:
    """Return the recorded statistics of the columns of some data files."""
    columns = ", ".join(f"r.{name}" for name in FILE_COLUMN_STATS.columns)
    found: dict[int, list[FileColumnStatsRow]] = {}
    for values in source.query(
        f"SELECT {columns} FROM forklake.{FILE_COLUMN_STATS.name} r WHERE r.catalog_id = :c"
        " AND r.data_file_id IN (:files...)",
        c=catalog,
        files=list(files),
    ):
        row = FILE_COLUMN_STATS.row(**FILE_COLUMN_STATS.decode(values))
        found.setdefault(row.data_file_id, []).append(row)
    return found


def record_counts(source: Source, files: Sequence[int]) -> dict[int, int]:
    """Return how many rows some data files have, whichever catalog has rows of them."""
    found = source.query(
        f"SELECT DISTINCT r.data_file_id, r.record_count FROM forklake.{DATA_FILE.name} r"
        " WHERE r.data_file_id IN (:files...)",
        files=list(files),
    )
    return {int(file): int(count) for file, count in found}
