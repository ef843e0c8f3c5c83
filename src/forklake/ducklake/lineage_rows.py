"""All rows of a catalog's lineage up to a version, as one history for an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from forklake.catalog import versions
from forklake.catalog.paths import join
from forklake.catalog.places import catalog_directories
from forklake.metastore import lineage_history as histories
from forklake.metastore import visibility
from forklake.metastore import written_tables as metadata
from forklake.metastore.dependent_rows import followers
from forklake.metastore.queries.merges import merging_snapshots
from forklake.metastore.queries.option_rows import OptionRow, options_of
from forklake.metastore.queries.snapshots import numberings
from forklake.metastore.schema.description import Visibility
from forklake.metastore.store import Session
from forklake.metastore.written_tables import MetadataTable, R
from forklake.model.ids import INFINITY, CatalogId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.numbering import Numbering
from forklake.model.records import Snapshot
from forklake.model.rows import ColumnRow, DataFileRow, DeleteFileRow, Row
from forklake.model.version import Version


@dataclass(frozen=True, slots=True)
class DatedRow:
    """A row, with the snapshots that began and ended it.

    The end is infinity if the row is visible.
    """

    row: Any
    begin: SnapshotId
    end: SnapshotId

    @property
    def is_visible(self) -> bool:
        """Whether the version shows the row."""
        return self.end == INFINITY

    def was_visible(self, snapshot: SnapshotId) -> bool:
        """Return whether the row was visible at a snapshot of the lineage."""
        return self.begin <= snapshot < self.end


class LineageRows:
    """The rows of a lineage up to a version, with their intervals."""

    def __init__(self, session: Session, lake_path: str | None, version: Version) -> None:
        self._session = session
        self.version = version
        versions.check_retained(session, version)
        self.snapshots: Sequence[Snapshot] = versions.snapshots(session, version)
        self.merging = frozenset(merging_snapshots(session, version, SnapshotId(0)))
        """The snapshots that merged, refreshed or reset."""
        self._intervals: dict[str, list[DatedRow]] = {
            table.name: [DatedRow(*found) for found in histories.lineage_history(session, version, table)]
            for table in metadata.TABLES
            if table.visibility is Visibility.INTERVAL
        }
        self.schema_versions = histories.lineage_schema_versions(session, version)
        files = [dated.row for table in _FILES for dated in self.of(table)]
        used = {row.numbering_id for row in files if row.numbering_id is not None}
        self.numberings: Mapping[CatalogId, Numbering] = numberings(session, {*version.owners, *used})
        owners = {*version.owners, *(row.origin.owner for row in files if row.origin is not None)}
        self._roots = catalog_directories(session, lake_path, owners)
        self._below = self._directories()
        self._columns: dict[TableId, list[DatedRow]] = {}
        for dated in self.of(metadata.COLUMN):
            self._columns.setdefault(dated.row.table_id, []).append(dated)

    def of(self, table: MetadataTable[Any]) -> list[DatedRow]:
        """Return all rows of an interval table."""
        return self._intervals[table.name]

    def visible(self, table: MetadataTable[R]) -> list[R]:
        """Return the rows of an interval table that the version shows."""
        return [dated.row for dated in self.of(table) if dated.is_visible]

    def following(self, table: MetadataTable[R], parents: Sequence[Row]) -> list[R]:
        """Return the rows that belong to rows of an interval table, each once."""
        unique = dict.fromkeys(followers(self._session, table, parents))
        return list(unique)

    def latest(self, table: MetadataTable[R], table_id: TableId) -> list[R]:
        """Return the newest statistics of a table."""
        return visibility.latest(self._session, self.version, table, table_id)

    def options(self, catalog: CatalogId) -> list[OptionRow]:
        """Return each option that is set for a catalog, or for the lake."""
        return options_of(self._session, catalog)

    def columns_at(self, table_id: TableId, snapshot: SnapshotId) -> list[ColumnRow]:
        """Return the columns that a table had at a snapshot, nested ones included."""
        return [dated.row for dated in self._columns.get(table_id, ()) if dated.was_visible(snapshot)]

    def place(self, row: DataFileRow | DeleteFileRow) -> str:
        """Return the path of a file."""
        assert row.origin is not None
        below = self._below.get(row.table_id, ())
        return join((self._roots[row.origin.owner], False), *below, (row.path, row.path_is_relative))

    def _directories(self) -> dict[TableId, tuple[tuple[str, bool], tuple[str, bool]]]:
        schemas = {
            dated.row.schema_id: (dated.row.path, dated.row.path_is_relative) for dated in self.of(metadata.SCHEMA)
        }
        return {
            dated.row.table_id: (schemas[dated.row.schema_id], (dated.row.path, dated.row.path_is_relative))
            for dated in self.of(metadata.TABLE)
        }


_FILES = (metadata.DATA_FILE, metadata.DELETE_FILE)
