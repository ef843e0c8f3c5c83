"""Copies rows of files into a catalog that did not write them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.draft import Draft
from forklake.catalog.holdings import version_of
from forklake.catalog.places import Places, catalog_directories, owner_of
from forklake.catalog.table_files import cut_at
from forklake.metastore.dependent_rows import followers_of_owners
from forklake.metastore.written_tables import (
    COLUMN_MAPPING,
    FILE_COLUMN_STATS,
    FILE_PARTITION_VALUE,
    FILE_VARIANT_STATS,
    NAME_MAPPING,
    MetadataTable,
)
from forklake.model.ids import DataFileId, MappingId, PartitionId, TableId
from forklake.model.rows import DataFileRow, DeleteFileRow, FileColumnStatsRow, InlinedDeleteRow
from forklake.ops.merging.sides import Side, Sides

_OF_FILES: Final[tuple[MetadataTable[Any], ...]] = (FILE_COLUMN_STATS, FILE_VARIANT_STATS, FILE_PARTITION_VALUE)


class FileDetails:
    """What the metadata tells of files beside their own rows.

    It is read for the files of all tables together.

    Args:
        sides: The sides of the merge.
        side: The one that has the files.
        draft: What gets them.
        files: All data files that may be copied.
        deletes: All delete files that may be copied.

    Attributes:
        followers: Statistics and partition values, by data file; they have no origin.
        described: The data files that the draft's catalog describes already, because it had them before.
        roots: The directories of the catalogs that own the files.
    """

    def __init__(
        self,
        sides: Sides,
        side: Side,
        draft: Draft,
        files: Sequence[DataFileRow],
        deletes: Sequence[DeleteFileRow],
    ) -> None:
        self.followers: dict[DataFileId, list[Any]] = {}
        self.described: set[DataFileId] = set()
        own = draft.version.catalog_id
        owner = {row.data_file_id: row.origin.owner for row in files if row.origin is not None}
        wanted = {(catalog, file) for file, holder in owner.items() for catalog in (holder, own)}
        for rows in followers_of_owners(sides.session, _OF_FILES, wanted).values():
            for catalog, row in rows:
                if catalog == owner[row.data_file_id]:
                    self.followers.setdefault(row.data_file_id, []).append(row)
                if catalog == own:
                    self.described.add(row.data_file_id)
        owners = {owner_of(row, side.version.catalog_id) for row in (*files, *deletes)}
        self.roots = catalog_directories(sides.session, sides.lake_path, owners)

    def column_stats(self, file: DataFileId) -> Iterator[FileColumnStatsRow]:
        """Yield the statistics of the columns of a file."""
        for row in self.followers.get(file, ()):
            if isinstance(row, FileColumnStatsRow):
                yield row


class Copier:
    """Copies rows of files of one table from a side to a draft.

    Files are named by absolute path, with all that is known of them.

    Args:
        sides: The sides of the merge.
        side: The one that has the files.
        draft: What gets them.
        table_id: The table.
        files: All data files that may be copied.
        deletes: All delete files that may be copied.
        partitions: The partitionings that the table has had for the draft.
        details: What is known of the files, and perhaps of others.
    """

    def __init__(
        self,
        sides: Sides,
        side: Side,
        draft: Draft,
        table_id: TableId,
        files: Sequence[DataFileRow],
        deletes: Sequence[DeleteFileRow],
        partitions: Collection[PartitionId],
        details: FileDetails,
    ) -> None:
        self._side, self._draft, self._partitions, self._details = side, draft, partitions, details
        self._own = draft.version.catalog_id
        named = lookup.table_by_id(side, table_id)
        rows: list[DataFileRow | DeleteFileRow] = [*files, *deletes]
        self._places = Places(sides.session, sides.lake_path, side, named, rows, roots=details.roots)
        self._mappings: set[MappingId] = set()

    def file(self, old: DataFileRow) -> list[Any]:
        """Return the rows of a data file that begins in the draft."""
        has_partition = old.partition_id in self._partitions
        new = replace(
            old,
            path=self._places.path(old),
            path_is_relative=False,
            partition_id=old.partition_id if has_partition else None,
            read_upto=self._read_upto(old),
            origin_snapshot_id=version_of(old),
            columns_known=False,
            origin=None,
        )
        followers = [
            row
            for row in self._details.followers.get(old.data_file_id, ())
            if has_partition or not isinstance(row, FILE_PARTITION_VALUE.row)
        ]
        return [new, *([] if old.data_file_id in self._details.described else followers), *self._mapping(old)]

    def deletes(self, rows: Iterable[DeleteFileRow | InlinedDeleteRow]) -> list[Any]:
        """Return the rows of a file's deletes, as they begin in the draft."""
        return [self._delete(row) if isinstance(row, DeleteFileRow) else replace(row, origin=None) for row in rows]

    def _delete(self, old: DeleteFileRow) -> DeleteFileRow:
        path, upto = self._places.path(old), self._read_upto(old)
        return replace(old, path=path, path_is_relative=False, read_upto=upto, origin=None)

    def _mapping(self, row: DataFileRow) -> Iterable[Any]:
        if row.mapping_id is None or row.mapping_id in self._mappings:
            return []
        self._mappings.add(row.mapping_id)
        if self._draft.following(COLUMN_MAPPING, [row.owned_by(self._own), replace(row, origin=None)]):
            return []
        rows = (*self._side.following(COLUMN_MAPPING, [row]), *self._side.following(NAME_MAPPING, [row]))
        return [replace(one, origin=None) for one in rows]

    def _read_upto(self, row: DataFileRow | DeleteFileRow) -> Any:
        bound = cut_at(row, self._side.version)
        return row.read_upto if bound is None else bound
