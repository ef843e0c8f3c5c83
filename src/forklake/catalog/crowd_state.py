"""Catalogs that are read together: each one's content, in a few queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forklake.catalog.read_files import FILE_TABLES, FileRows, file_rows
from forklake.metastore import visibility
from forklake.metastore.row_filter import Where
from forklake.metastore.shared_visibility import Crowd, Dated, all_following
from forklake.metastore.source import Question, ask_all
from forklake.metastore.store import Session
from forklake.metastore.written_tables import MetadataTable, R
from forklake.model.ids import CatalogId, ColumnId, SnapshotId, TableId
from forklake.model.rows import Row
from forklake.model.version import Version

_Key = tuple[str, tuple[tuple[str, Any], ...]]


class CrowdState:
    """Some catalogs, each at one snapshot.

    What is asked of one of them is read for all, and kept. The session must see one state of the database, and must
    outlive the contents.
    """

    def __init__(self, session: Session, versions: Sequence[Version]) -> None:
        self.session = session
        self._crowd = Crowd(session, versions)
        self._visible: dict[_Key, list[list[Any]]] = {}
        self._histories: dict[_Key, list[list[Any]]] = {}
        self._followers: dict[_Key, dict[tuple[CatalogId, int], list[Any]]] = {}
        self.contents = [CrowdMember(self, version, place) for place, version in enumerate(versions)]
        """What each of the catalogs sees, in the given order."""

    def rows(self, table: MetadataTable[R], where: Where) -> list[list[R]]:
        """Return the visible rows of an interval table for each of the catalogs."""
        key = _key(table, where)
        if key not in self._visible:
            self._visible[key] = self._crowd.visible(table, where)
        return self._visible[key]

    def history(self, table: MetadataTable[R], where: Where) -> list[list[Dated[R]]]:
        """Return all rows that the lineage of each of the catalogs ever showed."""
        key = _key(table, where)
        if key not in self._histories:
            self._histories[key] = self._crowd.history(table, where)
        return self._histories[key]

    def following(self, table: MetadataTable[R], parents: Sequence[Row], where: Where) -> list[R]:
        """Return the rows that belong to rows of an interval table.

        Those of all other rows of that table that were read before are read with them.
        """
        assert table.follows is not None
        key = table.follows[1]
        known = self._followers.setdefault(_key(table, where), {})
        wanted = [
            (parent.origin.owner, getattr(parent, key))
            for parent in parents
            if parent.origin is not None and getattr(parent, key) is not None
        ]
        if any(pair not in known for pair in wanted):
            everyone = [*parents, *self._rows_read(table.follows[0].name)]
            for parent in everyone:
                if parent.origin is not None and getattr(parent, key) is not None:
                    known.setdefault((parent.origin.owner, getattr(parent, key)), [])
            known.update(all_following(self.session, table, everyone, where))
        return [row for pair in dict.fromkeys(wanted) for row in known[pair]]

    def _rows_read(self, name: str) -> list[Row]:
        visible = [row for key, found in self._visible.items() if key[0] == name for rows in found for row in rows]
        dated = [row for key, found in self._histories.items() if key[0] == name for rows in found for row, *_ in rows]
        return visible + dated


class CrowdMember:
    """The content of one of the catalogs."""

    def __init__(self, crowd: CrowdState, version: Version, place: int) -> None:
        self._crowd = crowd
        self.version = version
        self._place = place

    def rows(self, table: MetadataTable[R], where: Where | None = None) -> list[R]:
        """Return the visible rows of an interval table."""
        return self._crowd.rows(table, where or {})[self._place]

    def files(
        self, table_id: TableId, columns: frozenset[ColumnId] = frozenset(), others: Sequence[Question[Any]] = ()
    ) -> FileRows:
        """Return the files and inlined rows of a table.

        Statistics are read for all of the catalogs, later.
        """
        rows = [self.rows(table, {"table_id": table_id}) for table in FILE_TABLES]
        stats = [None] if columns else []
        return file_rows(table_id, columns, [*rows, *stats, *ask_all(self._crowd.session, others)])

    def following(self, table: MetadataTable[R], parents: Sequence[Row], where: Where | None = None) -> list[R]:
        """Return the rows that belong to rows of an interval table."""
        return self._crowd.following(table, parents, where or {})

    def history(self, table: MetadataTable[R], where: Where | None = None) -> list[tuple[R, SnapshotId, SnapshotId]]:
        """Return all rows that the lineage ever showed."""
        return self._crowd.history(table, where or {})[self._place]

    def latest(self, table: MetadataTable[R], table_id: TableId) -> list[R]:
        """Return the newest statistics of a table."""
        return visibility.latest(self._crowd.session, self.version, table, table_id)


def _key(table: MetadataTable[Any], where: Where) -> _Key:
    values = ((name, tuple(value) if isinstance(value, list) else value) for name, value in where.items())
    return table.name, tuple(sorted(values, key=lambda pair: pair[0]))
