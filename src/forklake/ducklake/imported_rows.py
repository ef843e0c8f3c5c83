"""The rows of an imported catalog.

They are those of a plain DuckLake database, with our ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from forklake.catalog.names import directory
from forklake.ducklake.plain_history import PlainHistory, column_ids, file_paths
from forklake.metastore import written_tables as metadata
from forklake.metastore.plain.reader import PlainRow
from forklake.metastore.queries.option_rows import OptionRow
from forklake.metastore.schema.catalog_tables import COLUMN_IDS
from forklake.metastore.schema.description import Visibility
from forklake.metastore.written_tables import OBJECT_IDS, MetadataTable
from forklake.model.change_log import render
from forklake.model.ids import INFINITY, CatalogId, DataFileId, SnapshotId, TableId
from forklake.model.rows import (
    InlinedDeleteRow,
    InlinedRow,
    Row,
    SchemaVersionRow,
    TableColumnStatsRow,
    TableStatsRow,
)

Dated = tuple[Row, SnapshotId, SnapshotId]
"""A row with the snapshots at which it begins and ends."""

_OF_FILES: Final = frozenset({"data_file_id", "delete_file_id", "mapping_id"})


class ImportedRows:
    """Translates a history, given the mapping from its ids to ours."""

    def __init__(
        self,
        history: PlainHistory,
        catalog: CatalogId,
        snapshots: Mapping[int, SnapshotId],
        objects: Mapping[int, int],
        files: Mapping[tuple[str, int], int],
    ) -> None:
        self._history = history
        self._catalog = catalog
        self._snapshots = snapshots
        self._objects = objects
        self._files = files
        self._paths = file_paths(history)
        self._translated: dict[str, list[Dated]] = {}
        self._partitionings = {row["partition_id"] for row in history["ducklake_data_file"]}
        self._table_ends = _ends(history["ducklake_table"], "table_id")
        self._delete_ends = _delete_ends(history)
        self._object_ends = self._table_ends | _ends(history["ducklake_view"], "view_id")

    def changes_made(self, snapshot: int) -> str:
        """Return what a snapshot did, with our ids."""
        changes = self._history.changes.get(snapshot, ())
        return render(
            change if change.object_id is None else replace(change, object_id=self._objects[change.object_id])
            for change in changes
        )

    def options(self) -> list[OptionRow]:
        """Return each option, and whether the files are encrypted."""
        found = {}
        for row in self._history["ducklake_metadata"]:
            scope = row["scope"] if row["scope"] in ("schema", "table") else ""
            if row["key"] in ("version", "created_by", "data_path") or (row["key"], row["value"]) == _PLAIN_FILES:
                continue
            scope_id = -1 if scope == "" else self._objects[row["scope_id"]]
            found[row["key"], scope, scope_id] = row["value"]
        return [OptionRow(key, value, scope, scope_id) for (key, scope, scope_id), value in found.items()]

    def of(self, table: MetadataTable[Any]) -> list[Dated]:
        """Return the rows of one of our tables."""
        match table:
            case metadata.INLINED_ROW:
                return self._inlined_rows()
            case metadata.INLINED_DELETE:
                return self._inlined_deletes()
            case metadata.SCHEMA_VERSIONS:
                return self._schema_versions()
            case metadata.TABLE_STATS:
                return self._table_stats()
            case metadata.TABLE_COLUMN_STATS:
                return self._column_stats()
            case metadata.VIEW_COLUMN_TAG | metadata.MERGE:
                return []
        if table.visibility is Visibility.FOLLOWS:
            return self._following(table)
        return self._intervals(table)

    def _intervals(self, table: MetadataTable[Any]) -> list[Dated]:
        if table.name not in self._translated:
            found = (self._interval(table, row) for row in self._history[table.name])
            self._translated[table.name] = [dated for dated in found if dated is not None]
        return self._translated[table.name]

    def _interval(self, table: MetadataTable[Any], row: PlainRow) -> Dated | None:
        begin, end = row["begin_snapshot"], row["end_snapshot"]
        limit = None
        if "table_id" in row and table is not metadata.TABLE:
            if row["table_id"] not in self._table_ends:
                return None
            limit = self._table_ends[row["table_id"]]
            if table is metadata.DELETE_FILE:
                if ("data_file_id", row["data_file_id"]) not in self._files:
                    return None
                end = _earlier(end, self._delete_ends[row["delete_file_id"], begin])
        elif "object_id" in row:
            limit = self._object_ends.get(row["object_id"])
        dated = self._date_row(self._row(table, row), begin, end, limit)
        if dated is None and table is metadata.PARTITION_INFO and row["partition_id"] in self._partitionings:
            # Files are of it still. Catalogs that were severed have no earlier snapshot in which it was in use.
            return self._row(table, row), self._snapshots[begin], self._snapshots[begin]
        return dated

    def _date_row(self, row: Row, begin: int, end: int | None, limit: int | None = None) -> Dated | None:
        """Return a row with its interval, which ends at the latest with its table.

        It is None if no snapshot ever showed the row.
        """
        end = _earlier(end, limit)
        if end is not None and end <= begin:
            return None
        return row, self._snapshots[begin], INFINITY if end is None else self._snapshots[end]

    def _row(self, table: MetadataTable[Any], row: PlainRow) -> Row:
        values: dict[str, Any] = {}
        for column in table.described.row_columns:
            name = column.name
            if column.ours:
                continue  # DuckLake does not have it
            value = row.get(name)
            if value is not None:
                if name in OBJECT_IDS:
                    value = self._objects[value]
                elif name in _OF_FILES:
                    value = self._files[name, value]
                elif name == "partial_max":
                    value = self._snapshots[value]
            values[name] = value
        if table in (metadata.SCHEMA, metadata.TABLE):
            # New files go below the new catalog's own directory.
            kind = "schema" if table is metadata.SCHEMA else "table"
            values["path"] = directory(values[f"{kind}_name"], values[f"{kind}_uuid"])
            values["path_is_relative"] = True
        elif table in (metadata.DATA_FILE, metadata.DELETE_FILE):
            key = "data_file_id" if table is metadata.DATA_FILE else "delete_file_id"
            values["path"] = self._paths[key, row[key]]
            values["path_is_relative"] = False
            values["numbering_id"] = self._catalog
            if table is metadata.DATA_FILE:
                values["columns_known"] = True
        elif table is metadata.NAME_MAPPING:
            values["is_partition"] = bool(values["is_partition"])
        return table.row(**values)  # type: ignore[no-any-return]

    def _following(self, table: MetadataTable[Any]) -> list[Dated]:
        assert table.follows is not None
        parent, key = table.follows
        there = {row[key] for row in self._history[parent.name]}
        place = metadata_key(table)
        unique = {tuple(row[name] for name in place): row for row in self._history[table.name] if row[key] in there}
        kept = {getattr(row, key) for row, _, _ in self._intervals(parent)}
        found = (self._row(table, row) for row in unique.values())
        return [(row, INFINITY, INFINITY) for row in found if getattr(row, key) in kept]

    def _inlined_rows(self) -> list[Dated]:
        found = []
        for inlined in self._history.inlined:
            if inlined.table_id not in self._table_ends:
                continue
            for row, values in inlined.rows:
                document = json.dumps({str(key): values[key] for key in sorted(values)}, ensure_ascii=False)
                kept = InlinedRow(
                    table_id=TableId(self._objects[inlined.table_id]),
                    row_id=row.row_id,
                    schema_version=inlined.schema_version,
                    document=document,
                )
                limit = self._table_ends[inlined.table_id]
                found.append(self._date_row(kept, row.begin_snapshot, row.end_snapshot, limit))
        return [dated for dated in found if dated is not None]

    def _inlined_deletes(self) -> list[Dated]:
        ends = {row["data_file_id"]: row["end_snapshot"] for row in self._history["ducklake_data_file"]}
        found = []
        for table_id, file_id, position, begin in self._history.inlined_deletes:
            if file_id in ends:
                kept = InlinedDeleteRow(
                    table_id=TableId(self._objects[table_id]),
                    data_file_id=DataFileId(self._files["data_file_id", file_id]),
                    row_id=position,
                )
                found.append(self._date_row(kept, begin, ends[file_id], self._table_ends[table_id]))
        return [dated for dated in found if dated is not None]

    def _schema_versions(self) -> list[Dated]:
        newest: dict[tuple[int, int], int] = {}
        for row in self._history["ducklake_schema_versions"]:
            key = (row["begin_snapshot"], row["table_id"])
            newest[key] = max(row["schema_version"], newest.get(key, 0))
        return [
            (
                SchemaVersionRow(schema_version=version, table_id=TableId(self._objects[table])),
                self._snapshots[begin],
                INFINITY,
            )
            for (begin, table), version in newest.items()
        ]

    def _table_stats(self) -> list[Dated]:
        """Return the totals of tables at each snapshot that changed them.

        At the newest snapshot they are DuckLake's own, before that they are sums.
        """
        given = {row["table_id"]: row for row in self._history["ducklake_table_stats"]}
        # Those of the sequence are taken: from it, no fork gets one of them again.
        counted = {
            table: max((number for number in numbers if number < COLUMN_IDS.first), default=0)
            for table, numbers in column_ids(self._history).items()
        }
        next_rows = self._next_row_ids()
        found: list[Dated] = []
        for table, changes in self._changes_of_tables().items():
            rows = byte_count = 0
            newest = max(changes)
            for snapshot in sorted(changes):
                rows += changes[snapshot][0]
                byte_count += changes[snapshot][1]
                final = given.get(table) if snapshot == newest else None
                count = final["record_count"] if final else rows
                stats = TableStatsRow(
                    table_id=TableId(self._objects[table]),
                    # DuckLake may count fewer than there are once it has rewritten files. One more than there are says
                    # that its bounds are not exact.
                    record_count=count if count >= rows else rows + 1,
                    file_size_bytes=final["file_size_bytes"] if final else byte_count,
                    next_row_id=next_rows.get(table, 0),
                    next_column_id=counted.get(table, 0) + 1,
                )
                found.append((stats, self._snapshots[snapshot], INFINITY))
        return found

    def _column_stats(self) -> list[Dated]:
        """Return DuckLake's column statistics, from the newest change of each table on.

        Its bounds are those of the newest state; nothing is known of them before.
        """
        newest = {table: max(changes) for table, changes in self._changes_of_tables().items()}
        unique = {(row["table_id"], row["column_id"]): row for row in self._history["ducklake_table_column_stats"]}
        return [
            (
                TableColumnStatsRow(**{**_without(row, "table_id"), "table_id": TableId(self._objects[table])}),
                self._snapshots[newest[table]],
                INFINITY,
            )
            for (table, _), row in unique.items()
            if table in newest
        ]

    def _changes_of_tables(self) -> dict[int, dict[int, tuple[int, int]]]:
        """Return by how many rows and bytes each snapshot changed each table.

        The first one is the snapshot that made the table.
        """
        changes: dict[int, dict[int, tuple[int, int]]] = {}

        def add(table: int, snapshot: int | None, rows: int, byte_count: int) -> None:
            if snapshot is not None:
                before = changes[table].get(snapshot, (0, 0))
                changes[table][snapshot] = (before[0] + rows, before[1] + byte_count)

        for row in self._history["ducklake_table"]:
            first = min([row["begin_snapshot"], *changes.get(row["table_id"], ())])
            changes[row["table_id"]] = {first: (0, 0)}
        for row in self._history["ducklake_data_file"]:
            if row["table_id"] in changes:
                add(row["table_id"], row["begin_snapshot"], row["record_count"], row["file_size_bytes"])
                add(row["table_id"], row["end_snapshot"], -row["record_count"], -row["file_size_bytes"])
        for inlined in self._history.inlined:
            for kept, _ in inlined.rows if inlined.table_id in changes else ():
                add(inlined.table_id, kept.begin_snapshot, 1, 0)
                add(inlined.table_id, kept.end_snapshot, -1, 0)
        return changes

    def _next_row_ids(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for row in self._history["ducklake_table_stats"]:
            found[row["table_id"]] = row["next_row_id"]
        for row in self._history["ducklake_data_file"]:
            if row["row_id_start"] is not None:
                end = row["row_id_start"] + row["record_count"]
                found[row["table_id"]] = max(found.get(row["table_id"], 0), end)
        for inlined in self._history.inlined:
            for kept, _ in inlined.rows:
                found[inlined.table_id] = max(found.get(inlined.table_id, 0), kept.row_id + 1)
        return found


_PLAIN_FILES: Final = ("encrypted", "false")

_KEYS: Final = {
    metadata.FILE_COLUMN_STATS: ("data_file_id", "column_id"),
    metadata.FILE_VARIANT_STATS: ("data_file_id", "column_id", "variant_path"),
    metadata.FILE_PARTITION_VALUE: ("data_file_id", "partition_key_index"),
    metadata.COLUMN_MAPPING: ("mapping_id",),
    metadata.NAME_MAPPING: ("mapping_id", "column_id"),
    metadata.MACRO_IMPL: ("macro_id", "impl_id"),
    metadata.MACRO_PARAMETERS: ("macro_id", "impl_id", "column_id"),
    metadata.PARTITION_COLUMN: ("partition_id", "partition_key_index"),
    metadata.SORT_EXPRESSION: ("sort_id", "sort_key_index"),
}


def metadata_key(table: MetadataTable[Any]) -> tuple[str, ...]:
    """Return the key of a table whose rows follow others; DuckLake declares none."""
    return _KEYS[table]


def _delete_ends(history: PlainHistory) -> dict[tuple[int, int], int | None]:
    """Return until when each delete file can hold, by its id and where it begins.

    DuckLake leaves some of a data file that is gone, or that has a newer one, without an end.
    """
    data = _ends(history["ducklake_data_file"], "data_file_id")
    ends: dict[tuple[int, int], int | None] = {}
    following: dict[int, int] = {}
    for row in sorted(history["ducklake_delete_file"], key=lambda row: int(row["begin_snapshot"]), reverse=True):
        of, begin = row["data_file_id"], row["begin_snapshot"]
        newer = following.setdefault(of, begin)
        ends[row["delete_file_id"], begin] = _earlier(data.get(of), newer if newer > begin else None)
        following[of] = begin
    return ends


def _earlier(end: int | None, other: int | None) -> int | None:
    """Return the earlier of two ends; None is no end."""
    return end if other is None else other if end is None else min(end, other)


def _ends(rows: list[PlainRow], key: str) -> dict[int, int | None]:
    """Return when each object was dropped, or None for live ones."""
    ends: dict[int, int | None] = {}
    for row in rows:
        known = ends.get(row[key], 0)
        ends[row[key]] = None if known is None or row["end_snapshot"] is None else max(known, row["end_snapshot"])
    return ends


def _without(row: PlainRow, name: str) -> PlainRow:
    return {key: value for key, value in row.items() if key != name}
