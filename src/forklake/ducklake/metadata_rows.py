"""DuckLake's metadata tables for one catalog: its lineage up to a version.

They are what a plain DuckLake of the same history would hold. Ids are those of the lake, so ids of snapshots,
tables and files from elsewhere can be looked up in them. No row of a catalog outside the lineage shows in any
of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from forklake.catalog import versions
from forklake.catalog.fields import field_tree
from forklake.catalog.paths import join
from forklake.catalog.places import catalog_directories
from forklake.ducklake.exported_rows import with_typed_default
from forklake.metastore import lineage_history as histories
from forklake.metastore import visibility
from forklake.metastore import written_tables as metadata
from forklake.metastore.dependent_rows import all_followers
from forklake.metastore.plain.layout import TABLES
from forklake.metastore.queries.files import scheduled_files
from forklake.metastore.row_filter import Where
from forklake.metastore.schema.description import Visibility
from forklake.metastore.store import Store
from forklake.metastore.written_tables import MetadataTable
from forklake.model.field import Field
from forklake.model.ids import INFINITY, CatalogId, SnapshotId, TableId, first_row_id
from forklake.model.lazy_dataclass import dataclass
from forklake.model.option_rules import OPTIONS
from forklake.model.rows import DataFileRow, DeleteFileRow, MacroParameterRow, TableStatsRow, ViewRow
from forklake.model.version import Version
from forklake.ops.lakes.scoped_options import stored_options

Values = tuple[Any, ...]

_LIMIT: Final = "data_inlining_row_limit"
_FIRST_FACTS: Final = ("version", "created_by", "data_path", "encrypted")


@dataclass(frozen=True, slots=True)
class InlinedRows:
    """An inlined data table: the columns of one schema version, and its rows.

    A row is its id, the snapshots that began and ended it, and its values by column id, as text.
    """

    fields: tuple[Field, ...]
    rows: Sequence[tuple[int, int, int | None, Mapping[int, str | None]]]


class MetadataRows:
    """The metadata tables of a catalog at a version; each is read on demand."""

    def __init__(
        self,
        store: Store,
        lake_path: str | None,
        version: Version,
        of_session: Mapping[str, str] | None = None,
    ) -> None:
        self._store = store
        self._lake_path = lake_path
        self._version = version
        self._of_session = of_session or {}

    def table(self, name: str) -> list[Values]:
        """Return the rows of one of the 28 tables.

        Values are Python's, in the order of DuckLake's columns.

        Raises:
            KeyError: There is no such table.
            SnapshotNotFoundError: The version was expired meanwhile.
        """
        rows = self._rows(name)
        versions.check_retained(self._store, self._version)
        return rows

    def _rows(self, name: str) -> list[Values]:
        special = self._special.get(name)
        if special is not None:
            return special()
        table = metadata.BY_NAME[name]
        columns = tuple(TABLES[name])
        if table.visibility is Visibility.INTERVAL:
            return [self._date_values(columns, *found) for found in self._history(table)]
        if table.visibility is Visibility.FOLLOWS:
            return [_values(columns, _convert_row(row)) for row in all_followers(self._store, self._chain, table)]
        # Totals outlive their table, for the sake of its counters; a plain DuckLake has none of a table that is gone.
        tables = {row.table_id for row, *_ in self._history(metadata.TABLE)}
        rows = visibility.all_latest(self._store, self._version, table)
        return [_values(columns, row) for row in rows if row.table_id in tables and not _is_untouched(row)]

    def inlined_tables(self) -> list[tuple[TableId, int]]:
        """Return the inlined data tables, by table and schema version.

        There is one for each schema version with rows, and one for new rows of each table that inlines.
        """
        begun = visibility.start_snapshots_by_table(self._store, self._version, metadata.INLINED_ROW)
        if len(histories.epochs(self._store, self._version)) > 1:
            begun = [(row.table_id, begin) for row, begin, _ in self._history(metadata.INLINED_ROW)]
        found = {(table, self._schema_version(table, begin)[1]) for table, begin in begun}
        now = self._version.snapshot_id
        found |= {(table, self._schema_version(table, now)[1]) for table in self._inlining_tables()}
        return sorted(found)

    def inlined_rows(self, table: TableId, schema_version: int) -> InlinedRows:
        """Return an inlined data table that `inlined_tables` lists."""
        dated = [
            found
            for found in self._history(metadata.INLINED_ROW, {"table_id": table})
            if self._schema_version(table, found[1])[1] == schema_version
        ]
        since = next(begin for begin, version in self._schema_versions[table] if version == schema_version)
        columns = [
            row for row, begin, end in self._history(metadata.COLUMN, {"table_id": table}) if begin <= since < end
        ]
        fields = field_tree(sorted(columns, key=lambda row: (row.column_order, row.column_id)))
        return InlinedRows(
            fields,
            [
                (row.row_id, begin, _end(end), {int(key): text for key, text in json.loads(row.document).items()})
                for row, begin, end in dated
            ],
        )

    def delete_tables(self) -> list[TableId]:
        """Return the tables that have inlined deletes."""
        found = visibility.start_snapshots_by_table(self._store, self._chain, metadata.INLINED_DELETE)
        return sorted({table for table, _ in found})

    def inlined_deletes(self, table: TableId) -> list[Values]:
        """Return the inlined deletes of a table: data file, position and snapshot.

        Those that were flushed into a delete file are left out, because the table has no column for their end.
        """
        found = visibility.visible(self._store, self._version, metadata.INLINED_DELETE, {"table_id": table})
        versions.check_retained(self._store, self._version)
        return [(row.data_file_id, row.row_id, row.origin.begun) for row in found if row.origin is not None]

    # ---- one row -----------------------------------------------------------------------------------------------------

    def _date_values(self, columns: Sequence[str], row: Any, begin: SnapshotId, end: SnapshotId) -> Values:
        shown: dict[str, Any] = {"begin_snapshot": begin, "end_snapshot": _end(end)}
        if isinstance(row, DataFileRow | DeleteFileRow) and row.path_is_relative and self._is_inherited(row):
            # A path is relative to the catalog that is looked at, and the file lies in another one's directory.
            shown |= {"path": self._place(row), "path_is_relative": False}
        if isinstance(row, ViewRow):
            shown["column_aliases"] = row.column_aliases or ""
        return tuple(_value(name, shown[name] if name in shown else getattr(row, name)) for name in columns)

    def _is_inherited(self, row: DataFileRow | DeleteFileRow) -> bool:
        return row.origin is not None and row.origin.owner != self._version.catalog_id

    def _place(self, row: DataFileRow | DeleteFileRow) -> str:
        assert row.origin is not None
        return join((self._directories[row.origin.owner], False), *self._below[row.table_id], (row.path, True))

    @cached_property
    def _directories(self) -> Mapping[CatalogId, str]:
        return catalog_directories(self._store, self._lake_path, set(self._chain.owners))

    @cached_property
    def _chain(self) -> visibility.Chain:
        return histories.whole_chain(self._store, self._version)

    @cached_property
    def _below(self) -> dict[TableId, tuple[tuple[str, bool], tuple[str, bool]]]:
        schemas = {row.schema_id: (row.path, row.path_is_relative) for row, *_ in self._history(metadata.SCHEMA)}
        return {
            row.table_id: (schemas[row.schema_id], (row.path, row.path_is_relative))
            for row, *_ in self._history(metadata.TABLE)
        }

    def _history(self, table: MetadataTable[Any], where: Where | None = None) -> list[Any]:
        found = histories.lineage_history(self._store, self._version, table, where)
        versions.check_retained(self._store, self._version)
        return found

    # ---- tables that are put together --------------------------------------------------------------------------------

    @property
    def _special(self) -> Mapping[str, Callable[[], list[Values]]]:
        return {
            "ducklake_files_scheduled_for_deletion": self._scheduled_files,
            "ducklake_inlined_data_tables": self._inlined_data_tables,
            "ducklake_metadata": self._metadata,
            "ducklake_schema_versions": self._all_schema_versions,
            "ducklake_snapshot": self._snapshots,
            "ducklake_snapshot_changes": self._snapshot_changes,
        }

    def _snapshots(self) -> list[Values]:
        """Return the snapshots; the next ids follow the highest that the lineage had used."""
        found = versions.snapshots(self._store, self._version)
        objects = visibility.highest_ids(self._store, self._chain, _OBJECTS)
        files = visibility.highest_ids(self._store, self._chain, _FILES)
        ids = [snapshot.snapshot_id for snapshot in found]
        return [
            (snapshot.snapshot_id, snapshot.snapshot_time, snapshot.schema_version, *following)
            for snapshot, *following in zip(found, _next_ids(ids, objects), _next_ids(ids, files), strict=True)
        ]

    def _snapshot_changes(self) -> list[Values]:
        columns = tuple(TABLES["ducklake_snapshot_changes"])
        found = versions.snapshots(self._store, self._version)
        return [tuple(getattr(snapshot, name) for name in columns) for snapshot in found]

    def _all_schema_versions(self) -> list[Values]:
        return [tuple(row) for row in histories.lineage_schema_versions(self._store, self._version)]

    def _metadata(self) -> list[Values]:
        found = stored_options(self._store, self._lake_path, self._version.catalog_id)
        order = {key: place for place, key in enumerate(_FIRST_FACTS)}
        found.sort(key=lambda option: order.get(option.key, len(order)) if option.scope is None else len(order))
        return [(option.key, option.value, option.scope, option.scope_id) for option in found]

    def _inlined_data_tables(self) -> list[Values]:
        return [(table, inlined_data_name(table, version), version) for table, version in self.inlined_tables()]

    def _scheduled_files(self) -> list[Values]:
        return [astuple(file) for file in scheduled_files(self._store, self._version.catalog_id)]

    # ---- schema versions ---------------------------------------------------------------------------------------------

    @cached_property
    def _schema_versions(self) -> dict[TableId, list[tuple[SnapshotId, int]]]:
        found: dict[TableId, list[tuple[SnapshotId, int]]] = {}
        for begin, version, table in histories.lineage_schema_versions(self._store, self._version):
            found.setdefault(table, []).append((begin, version))
        return found

    def _schema_version(self, table: TableId, snapshot: SnapshotId) -> tuple[SnapshotId, int]:
        """Return a table's schema version at a snapshot, and since when it holds."""
        return [since for since in self._schema_versions[table] if since[0] <= snapshot][-1]

    def _inlining_tables(self) -> list[TableId]:
        """Return the tables whose small inserts are inlined."""
        stored = stored_options(self._store, self._lake_path, self._version.catalog_id)
        limits = {(option.scope, option.scope_id): int(option.value) for option in stored if option.key == _LIMIT}
        if _LIMIT in self._of_session:
            limits[None, None] = int(self._of_session[_LIMIT])
        if not any(limits.values()):
            return []
        default = limits.get((None, None), int(OPTIONS[_LIMIT].default or 0))
        columns = visibility.visible(self._store, self._version, metadata.COLUMN)
        refused = {column.table_id for column in columns if not column.type.facts.is_kept_as_text}
        return [
            row.table_id
            for row in visibility.visible(self._store, self._version, metadata.TABLE)
            if limits.get(("table", row.table_id), limits.get(("schema", row.schema_id), default)) > 0
            and row.table_id not in refused
        ]


def inlined_data_name(table: TableId, schema_version: int) -> str:
    """Return DuckLake's name for an inlined data table."""
    return f"ducklake_inlined_data_{table}_{schema_version}"


def inlined_delete_name(table: TableId) -> str:
    """Return DuckLake's name for a table of inlined deletes."""
    return f"ducklake_inlined_delete_{table}"


_OBJECTS: Final[tuple[tuple[MetadataTable[Any], str], ...]] = (
    (metadata.SCHEMA, "schema_id"),
    (metadata.TABLE, "table_id"),
    (metadata.VIEW, "view_id"),
    (metadata.MACRO, "macro_id"),
    (metadata.PARTITION_INFO, "partition_id"),
    (metadata.SORT_INFO, "sort_id"),
)
_FILES: Final[tuple[tuple[MetadataTable[Any], str], ...]] = (
    (metadata.DATA_FILE, "data_file_id"),
    (metadata.DATA_FILE, "mapping_id"),
    (metadata.DELETE_FILE, "delete_file_id"),
)


def _next_ids(snapshots: Sequence[SnapshotId], highest: Sequence[tuple[SnapshotId, int]]) -> Iterable[int]:
    """Yield the next free id at each snapshot.

    It is one above the highest id of things that began up to the snapshot. Both arguments are in order.
    """
    following, place = 0, 0
    for snapshot in snapshots:
        while place < len(highest) and highest[place][0] <= snapshot:
            following = max(following, highest[place][1] + 1)
            place += 1
        yield following


def _is_untouched(row: Any) -> bool:
    """Return whether statistics belong to a table that never had a row.

    DuckLake has no statistics then.
    """
    if not isinstance(row, TableStatsRow) or row.record_count or row.file_size_bytes:
        return False
    assert row.origin is not None
    return row.next_row_id in (0, first_row_id(row.origin.owner, is_root=False))


def _convert_row(row: Any) -> Any:
    if isinstance(row, MacroParameterRow) and row.default_value_type != "expression":
        return with_typed_default(row)
    return row


def _values(columns: Sequence[str], row: Any) -> Values:
    return tuple(_value(name, getattr(row, name)) for name in columns)


def _value(name: str, value: Any) -> Any:
    return UUID(value) if name.endswith("_uuid") else value


def _end(end: SnapshotId) -> SnapshotId | None:
    return None if end == INFINITY else end
