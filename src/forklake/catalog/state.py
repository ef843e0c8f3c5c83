"""The content of a catalog at a snapshot, for all readers of metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from forklake.catalog.read_files import FileRows, file_questions, file_rows
from forklake.catalog.versions import check_retained, expired_error
from forklake.metastore import dependent_rows as followers
from forklake.metastore import lineage_history as histories
from forklake.metastore import visibility
from forklake.metastore.queries.snapshots import ask_retained
from forklake.metastore.row_filter import Where, matching
from forklake.metastore.source import Question, ask_all
from forklake.metastore.store import Session, Store
from forklake.metastore.written_tables import (
    COLUMN,
    COLUMN_TAG,
    DATA_FILE,
    MACRO,
    PARTITION_COLUMN,
    PARTITION_INFO,
    SCHEMA,
    SORT_EXPRESSION,
    SORT_INFO,
    TABLE,
    TABLE_COLUMN_STATS,
    TABLE_STATS,
    TAG,
    VIEW,
    VIEW_COLUMN_TAG,
    MetadataTable,
    R,
)
from forklake.model.ids import ColumnId, SnapshotId, TableId
from forklake.model.rows import DataFileRow, Row
from forklake.model.version import Version

_T = TypeVar("_T")

_SMALL = (SCHEMA, TABLE, VIEW, MACRO, COLUMN, TAG, COLUMN_TAG, VIEW_COLUMN_TAG, PARTITION_INFO, SORT_INFO)
_SMALL_FOLLOWERS: tuple[MetadataTable[Any], ...] = (PARTITION_COLUMN, SORT_EXPRESSION)
STATISTICS: tuple[MetadataTable[Any], ...] = (TABLE_STATS, TABLE_COLUMN_STATS)


class Content(Protocol):
    """Metadata rows as one reader sees them."""

    @property
    def version(self) -> Version:
        """The committed version to read, or on which a draft is based."""

    def rows(self, table: MetadataTable[R], where: Where | None = None) -> list[R]:
        """Return the visible rows of an interval table."""

    def files(
        self, table_id: TableId, columns: frozenset[ColumnId] = frozenset(), others: Sequence[Question[Any]] = ()
    ) -> FileRows:
        """Return the files and inlined rows of a table, with statistics of some columns.

        Other questions are asked in the same round trip.
        """

    def following(self, table: MetadataTable[R], parents: Sequence[Row], where: Where | None = None) -> list[R]:
        """Return the rows that belong to rows of an interval table."""

    def history(self, table: MetadataTable[R], where: Where | None = None) -> list[tuple[R, SnapshotId, SnapshotId]]:
        """Return all committed rows that the lineage ever showed.

        Each comes with the snapshots that began and ended it.
        """

    def latest(self, table: MetadataTable[R], table_id: TableId) -> list[R]:
        """Return the newest statistics of a table."""


class CatalogState:
    """A catalog at one snapshot.

    It never changes, so rows that were read once are cached (those of files are not). With each other read comes the
    question whether the snapshot is still there; if it was expired, the read is refused, for rows of it may be gone.
    """

    may_expire = True
    """Whether the snapshot may be expired between two reads."""

    def __init__(self, store: Store | Session, version: Version) -> None:
        self.store = store
        self.version = version
        self._kept: dict[tuple[str, tuple[tuple[str, Any], ...]], list[Any]] = {}

    def share_rows(self, other: CatalogState) -> None:
        """Share the cached rows of another state of the same version.

        What one reads from now on, the other knows.
        """
        assert self.version == other.version
        self._kept = other._kept

    def rows(self, table: MetadataTable[R], where: Where | None = None) -> list[R]:
        """Return the visible rows of an interval table."""
        where = where or {}
        if table not in _SMALL:
            return self._read(table, where)
        if any(isinstance(value, list) for value in where.values()):
            if where.keys() != {"table_id"}:
                return self._read(table, where)
            self.keep_tables((table,), where["table_id"])
            return [row for table_id in where["table_id"] for row in self.rows(table, {"table_id": table_id})]
        key = (table.name, tuple(sorted(where.items())))
        if key not in self._kept:
            whole: list[R] | None = self._kept.get((table.name, ()))
            self._kept[key] = self._read(table, where) if whole is None else matching(whole, where)
        return self._kept[key]

    def latest(self, table: MetadataTable[R], table_id: TableId) -> list[R]:
        """Return the newest statistics of a table."""
        key = (table.name, (("table_id", table_id),))
        if key not in self._kept:
            (self._kept[key],) = self._ask([visibility.latest_rows(self.store, self.version, table, table_id)])
        return self._kept[key]

    def files(
        self, table_id: TableId, columns: frozenset[ColumnId] = frozenset(), others: Sequence[Question[Any]] = ()
    ) -> FileRows:
        """Return the files and inlined rows of a table, with statistics of some columns."""
        questions = file_questions(self.store, self.version, table_id, columns)
        return file_rows(table_id, columns, self._ask([*questions, *others]))

    def keep_tables(self, kinds: Iterable[MetadataTable[Any]], tables: Sequence[TableId]) -> None:
        """Read rows or statistics of some tables, so that later reads find them.

        There is one query for each kind, however many tables there are.
        """
        for kind in kinds:
            wanted = [table_id for table_id in tables if (kind.name, (("table_id", table_id),)) not in self._kept]
            if not wanted or (kind.name, ()) in self._kept:
                continue
            found: dict[TableId, list[Any]] = {table_id: [] for table_id in wanted}
            if kind in STATISTICS:
                rows = self._check_rows(visibility.all_latest(self.store, self.version, kind, wanted))
            else:
                rows = self._read(kind, {"table_id": wanted})
            for row in rows:
                found[row.table_id].append(row)
            for table_id, of_table in found.items():
                self._kept[kind.name, (("table_id", table_id),)] = of_table

    def following(self, table: MetadataTable[R], parents: Sequence[Row], where: Where | None = None) -> list[R]:
        """Return the rows that belong to rows of an interval table."""
        questions = followers.follower_rows(table, parents, where or {})
        if table not in _SMALL_FOLLOWERS:
            return [row for rows in self._ask(questions) for row in rows]
        found = []
        for question in questions:
            given = question.params.items()
            key = table.name, tuple((name, tuple(it) if isinstance(it, list) else it) for name, it in given)
            if key not in self._kept:
                (self._kept[key],) = self._ask([question])
            found += self._kept[key]
        return found

    def history(self, table: MetadataTable[R], where: Where | None = None) -> list[tuple[R, SnapshotId, SnapshotId]]:
        """Return all rows that the lineage ever showed.

        Each comes with the snapshots that began and ended it.
        """
        return self._check_rows(histories.history(self.store, self.version, table, where))

    def _read(self, table: MetadataTable[R], where: Where) -> list[R]:
        (found,) = self._ask([visibility.visible_rows(self.store, self.version, table, where)])
        return found  # type: ignore[no-any-return]

    def _ask(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """Return the answers to questions about the version.

        The last question is whether it is still there.
        """
        if not questions:
            return []  # nothing is read, so nothing can be gone
        if not self.may_expire:
            return ask_all(self.store, questions)
        *answers, is_there = ask_all(self.store, [*questions, ask_retained(self.version.snapshot_id)])
        if not is_there:
            raise expired_error(self.version)
        return answers

    def _check_rows(self, rows: list[_T]) -> list[_T]:
        if self.may_expire:
            check_retained(self.store, self.version)
        return rows

    def advance(
        self, version: Version, touched: Iterable[str], statistics: Mapping[str, Mapping[TableId, Sequence[Any]]]
    ) -> CatalogState:
        """Return the state after a commit on this state.

        It keeps the cached rows of all metadata tables but those that the commit touched, and takes its statistics.
        """
        new = CatalogState(self.store, version)
        gone = set(touched) - statistics.keys()
        # A copy first: other threads may read, and keep what they find.
        new._kept = {key: rows for key, rows in dict(self._kept).items() if key[0] not in gone}
        for name, by_table in statistics.items():
            for table_id, rows in by_table.items():
                if table_id >= 0:
                    # They have no origin, which counts as the catalog's own.
                    new._kept[name, (("table_id", table_id),)] = [
                        row if row.origin is None else replace(row, origin=None) for row in rows
                    ]
        return new

    def with_more_rows(self, version: Version, statistics: Mapping[tuple[str, TableId], Sequence[Any]]) -> CatalogState:
        """Return the state at a later version.

        Nothing is new there but rows that were added to tables.

        It keeps what such commits cannot change, and has these statistics of tables.
        """
        new = CatalogState(self.store, version)
        kept = {table.name for table in (*_SMALL, *_SMALL_FOLLOWERS)}
        # A copy first: other threads may read, and keep what they find.
        new._kept = {key: rows for key, rows in dict(self._kept).items() if key[0] in kept}
        for (name, table_id), rows in statistics.items():
            new._kept[name, (("table_id", table_id),)] = list(rows)
        return new


def live_data_files(content: Content, table_id: TableId, ids: Iterable[int] | None = None) -> list[DataFileRow]:
    """Return the data files of a table, or only those with the given ids."""
    where: dict[str, Any] = {"table_id": table_id}
    if ids is not None:
        where["data_file_id"] = list(ids)
    return content.rows(DATA_FILE, where)
