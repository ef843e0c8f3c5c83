"""Drafts: what a transaction reads, and what its commit writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.catalog.read_files import FILE_TABLES, FileRows
from forklake.catalog.state import STATISTICS, CatalogState
from forklake.metastore.row_filter import Where, matching
from forklake.metastore.schema.own_bytes import COUNTED, bytes_of
from forklake.metastore.source import Question
from forklake.metastore.written_tables import (
    BY_ROW,
    COLUMN,
    COLUMN_MAPPING,
    DATA_FILE,
    DELETE_FILE,
    FILE_COLUMN_STATS,
    TABLES,
    MetadataTable,
    R,
)
from forklake.model.change_log import LoggedChange
from forklake.model.commit import Tombstone
from forklake.model.ids import ColumnId, DataFileId, RowUid, SnapshotId, TableId, first_row_id
from forklake.model.rows import Origin, Row
from forklake.model.version import Version

_COUNTED: Final = {table.name: table for table in TABLES if table.described in COUNTED}
"""The tables whose rows count in the bytes of a catalog."""


class Draft:
    """A state with changes applied.

    It is what a transaction reads, and what its commit writes.
    """

    def __init__(self, base: CatalogState) -> None:
        self.base = base
        self.log: list[LoggedChange] = []
        self._changed: set[int | None] = set()
        self.reshaped: set[TableId] = set()
        """Tables that were made, or got other columns or another partitioning."""
        self.flushed: set[DataFileId] = set()
        """Data files that inlined rows, or deletes that the metadata held, went into."""
        self._inserts: dict[str, list[Any]] = {}
        self._ends: dict[str, dict[RowUid, Any]] = {}
        self._latest: dict[str, dict[TableId, list[Any]]] = {}
        self._files: FileRows | None = None

    @property
    def version(self) -> Version:
        """The version that the draft is based on."""
        return self.base.version

    @property
    def changes_schema(self) -> bool:
        """Whether the commit makes a new schema version.

        Things that were made and dropped again do not count.
        """
        return bool(self._changed)

    @property
    def first_row_id(self) -> int:
        """The first id for rows that this catalog adds to a table it inherited or created."""
        return first_row_id(self.version.catalog_id, is_root=self.version.is_root)

    def rows(self, table: MetadataTable[R], where: Where | None = None) -> list[R]:
        """Return the rows as the transaction sees them."""
        where = where or {}
        ended = self._ends.get(table.name, {})
        kept = [
            row
            for row in self._committed_rows(table, where)
            if row.origin is not None and row.origin.row_uid not in ended
        ]
        return kept + matching(self._inserts.get(table.name, ()), where)

    def _committed_rows(self, table: MetadataTable[R], where: Where) -> list[R]:
        # A local id is in no committed row.
        if any(isinstance(value, int) and value < 0 for value in where.values()):
            return []
        if self._files is not None and table in FILE_TABLES and where.get("table_id") == self._files.table_id:
            return matching(self._files.of(table), where)
        return self.base.rows(table, where)

    def files(
        self, table_id: TableId, columns: frozenset[ColumnId] = frozenset(), others: Sequence[Question[Any]] = ()
    ) -> FileRows:
        """Return the files and inlined rows of a table as the transaction sees them."""
        found = self.base.files(table_id, columns, others)
        rows: dict[str, list[Any]] = {}
        for table in FILE_TABLES:
            ended = self._ends.get(table.name, {})
            rows[table.name] = [row for row in found.of(table) if row.origin.row_uid not in ended]
            rows[table.name] += [row for row in self._inserts.get(table.name, ()) if row.table_id == table_id]
        staged = [row for row in self._inserts.get(FILE_COLUMN_STATS.name, ()) if row.column_id in columns]
        stats = None if found.stats is None else [*found.stats, *staged]
        return replace(found, rows=rows, stats=stats)

    def keep_files(self, found: FileRows | None) -> None:
        """Let the changes of one statement find the rows of files that it has read.

        With None, they find none any more. Later statements read them again: paths change when files are moved.
        """
        if found is not None:
            committed = {name: [row for row in rows if row.origin is not None] for name, rows in found.rows.items()}
            found = replace(found, rows=committed)
        self._files = found

    def latest(self, table: MetadataTable[R], table_id: TableId) -> list[R]:
        """Return the newest statistics as the transaction sees them."""
        staged = self._latest.get(table.name, {}).get(table_id)
        if staged is not None:
            return staged
        return [] if table_id < 0 else self.base.latest(table, table_id)

    def record(self, *changes: LoggedChange, reshapes: TableId | None = None) -> None:
        """Log changes of the schema.

        ``reshapes`` names a table whose files have another shape from now on.
        """
        self.log += changes
        self._changed |= {change.object_id for change in changes}
        if reshapes is not None:
            self.reshaped.add(reshapes)

    def following(self, table: MetadataTable[R], parents: Sequence[Row], where: Where | None = None) -> list[R]:
        """Return the rows that belong to rows of an interval table.

        Staged changes are included.
        """
        assert table.follows is not None
        key, where = table.follows[1], where or {}
        staged = {getattr(parent, key) for parent in parents if parent.origin is None}
        committed = [parent for parent in parents if parent.origin is not None]
        found = self.base.following(table, committed, where) if committed else []
        inserted = [row for row in self._inserts.get(table.name, ()) if getattr(row, key) in staged]
        return found + matching(inserted, where)

    def history(self, table: MetadataTable[R], where: Where | None = None) -> list[tuple[R, SnapshotId, SnapshotId]]:
        """Return all committed rows that the lineage ever showed.

        Each comes with the snapshots that began and ended it.
        """
        return self.base.history(table, where)

    def insert(self, *rows: Row) -> None:
        """Add rows."""
        for row in rows:
            self._inserts.setdefault(BY_ROW[type(row)].name, []).append(row)

    def end(self, *rows: Row) -> None:
        """End rows; a row that this transaction added is removed instead."""
        for row in rows:
            name = BY_ROW[type(row)].name
            if row.origin is None:
                self._inserts[name] = [other for other in self._inserts[name] if other is not row]
            else:
                self._ends.setdefault(name, {})[row.origin.row_uid] = row

    def restate(self, rows: Sequence[tuple[R, R]]) -> None:
        """Replace rows that this transaction added, each in its place."""
        restated: dict[str, dict[int, Row]] = {}
        for old, new in rows:
            restated.setdefault(BY_ROW[type(old)].name, {})[id(old)] = new
        for name, of_table in restated.items():
            self._inserts[name] = [of_table.get(id(row), row) for row in self._inserts[name]]

    def forget(self, table: MetadataTable[R], key: str, values: set[int]) -> None:
        """Discard the staged rows of a table that have one of these values in a column."""
        rows = self._inserts.get(table.name, [])
        self._inserts[table.name] = [row for row in rows if getattr(row, key) not in values]

    def write_latest(self, table: MetadataTable[R], table_id: TableId, rows: list[R]) -> None:
        """Replace the statistics of a table."""
        self._latest.setdefault(table.name, {})[table_id] = rows

    def forget_table(self, table_id: TableId) -> None:
        """Discard everything staged for a table that the transaction drops."""
        for latest in self._latest.values():
            latest.pop(table_id, None)
        mappings = {row.mapping_id for row in self._inserts.get(COLUMN_MAPPING.name, ()) if row.table_id == table_id}
        for name, rows in self._inserts.items():
            self._inserts[name] = [
                row
                for row in rows
                # The columns of a name mapping do not name the table.
                if getattr(row, "table_id", None) != table_id and getattr(row, "mapping_id", None) not in mappings
            ]
        self.reshaped.discard(table_id)
        self.forget_log(table_id)

    def forget_followers(self, key: str, value: int) -> None:
        """Discard staged rows that follow a row of this transaction.

        The row was added and ended again. If the row is committed, nothing is discarded.
        """
        if value < 0:
            for name, rows in self._inserts.items():
                self._inserts[name] = [row for row in rows if getattr(row, key, None) != value]

    def rename_created(self, object_id: int, name: str) -> None:
        """Change the name in the log of something that this transaction made."""
        self.log = [
            replace(change, name=name) if change.object_id == object_id and change.name is not None else change
            for change in self.log
        ]

    def forget_log(self, object_id: int) -> None:
        """Discard the log entries of an object."""
        self.log = [change for change in self.log if change.object_id != object_id]
        self._changed.discard(object_id)

    def new_rows_of(self, table: MetadataTable[R]) -> list[R]:
        """Return the rows of a metadata table that were added."""
        return list(self._inserts.get(table.name, ()))

    def ending_rows(self, table: MetadataTable[R]) -> dict[RowUid, R]:
        """Return the committed rows of a metadata table that end, by their uids."""
        return dict(self._ends.get(table.name, {}))

    def with_log_alone(self) -> Draft:
        """Return a draft that tells the same changes and writes nothing yet."""
        made = Draft(self.base)
        made.log, made._changed, made.reshaped = list(self.log), set(self._changed), set(self.reshaped)
        return made

    @property
    def touched_tables(self) -> set[str]:
        """The names of the interval and statistics tables that the draft writes."""
        return {name for written in (self._inserts, self._ends, self._latest) for name, rows in written.items() if rows}

    def statistics(self, table: MetadataTable[R]) -> dict[TableId, list[R]]:
        """Return the staged statistics by table."""
        return self._latest.get(table.name, {})

    def state_after(self, version: Version) -> CatalogState:
        """Return the state after the commit of the draft, which made a version."""
        statistics = {table.name: self.statistics(table) for table in STATISTICS}
        return self.base.advance(version, self.touched_tables, statistics)

    @property
    def new_rows(self) -> dict[str, list[Row]]:
        """The rows to write, by table."""
        written: dict[str, list[Row]] = {name: list(rows) for name, rows in self._inserts.items() if rows}
        for name, latest in self._latest.items():
            rows = [row for rows in latest.values() for row in rows]
            if rows:
                written[name] = rows
        return written

    @property
    def ended_uids(self) -> dict[str, list[RowUid]]:
        """The uids of own rows to end, by table."""
        return {
            name: own
            for name, rows in self._ends.items()
            if (own := [row.origin.row_uid for row in rows.values() if self._is_own(row)])
        }

    @property
    def own_growth(self) -> tuple[int, int]:
        """The files and bytes by which the catalog's own live rows grow.

        Bytes are those of files, definitions and inlined rows. The numbers are negative if more ends than is added.
        """
        files = size = 0
        for sign, rows in ((1, self._inserts), (1, self._own_returns()), (-1, self._own_ends())):
            for name, counted in _COUNTED.items():
                of_table = rows.get(name, ())
                size += sign * sum(bytes_of(counted.described, row) for row in of_table)
                files += sign * len(of_table) if counted in (DATA_FILE, DELETE_FILE) else 0
        return files, size

    def _own_ends(self) -> dict[str, list[Any]]:
        """Return the own rows that end, and those that follow them."""
        ended = {name: [row for row in rows.values() if self._is_own(row)] for name, rows in self._ends.items()}
        for table in _COUNTED.values():
            if table.follows is not None and (parents := ended.get(table.follows[0].name)):
                key = table.follows[1]
                again = {getattr(row, key) for row in self._inserts.get(table.follows[0].name, ())}
                ended[table.name] = self.base.following(
                    table, [row for row in parents if getattr(row, key) not in again]
                )
        return ended

    def _own_returns(self) -> dict[str, list[Any]]:
        """Return the own rows that were kept for rows which begin again.

        A reset brings back the sort order or the macro that there was, by its id.
        """
        found: dict[str, list[Any]] = {}
        for table in _COUNTED.values():
            if table.follows is not None and (begun := self._inserts.get(table.follows[0].name)):
                parent, key = table.follows[0].name, table.follows[1]
                going_on = {getattr(row, key) for row in self._ends.get(parent, {}).values() if self._is_own(row)}
                again = [row for row in begun if getattr(row, key) > 0 and getattr(row, key) not in going_on]
                if again:
                    now = self.version.snapshot_id
                    own = Origin(RowUid(-1), self.version.catalog_id, now, now)
                    found[table.name] = self.base.following(table, [replace(row, origin=own) for row in again])
        return found

    @property
    def widest_table(self) -> int:
        """The most columns of a table that was made or has other columns.

        Nested ones count.
        """
        return max((len(self.rows(COLUMN, {"table_id": table})) for table in self.reshaped), default=0)

    @property
    def tombstones(self) -> list[Tombstone]:
        """The tombstones for inherited rows that end; an ancestor's row is never changed."""
        return [
            Tombstone(BY_ROW[type(row)].scope_of(row), row.origin.row_uid)
            for rows in self._ends.values()
            for row in rows.values()
            if not self._is_own(row)
        ]

    def _is_own(self, row: Row) -> bool:
        return row.origin is not None and row.origin.owner == self.version.catalog_id
