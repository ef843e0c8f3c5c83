"""The sides of a merge: bases, source and target.

Each is a version. All are read at one state of the database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

from forklake.catalog.state import CatalogState
from forklake.metastore.differences import candidates, imported_owners, may_differ, visible_by_uids, without_shared
from forklake.metastore.row_filter import Where
from forklake.metastore.store import Session, Store
from forklake.metastore.written_tables import MetadataTable, R
from forklake.model.ids import CatalogId, RowUid, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.version import Version


class Side(CatalogState):
    """One version, read within a session that sees one state of the database.

    Whoever makes it has seen in that state that the version is retained, or pinned.
    """

    may_expire = False

    def __init__(self, store: Store | Session, version: Version) -> None:
        super().__init__(store, version)
        self._by_uid: dict[str, dict[RowUid, Any]] = {}
        self._like: Side | None = None
        self._shared: frozenset[MetadataTable[Any]] = frozenset()

    def rows(self, table: MetadataTable[R], where: Where | None = None) -> list[R]:
        """Return the visible rows of an interval table."""
        if self._like is not None and table in self._shared:
            return self._like.rows(table, where)
        return super().rows(table, where)

    def rows_by_uids(self, table: MetadataTable[R], uids: Collection[RowUid]) -> list[R]:
        """Return the rows with some uids that the version shows.

        Each is read once.
        """
        known = self._by_uid.setdefault(table.name, {})
        missing = [uid for uid in uids if uid not in known]
        known |= dict.fromkeys(missing)
        known |= {row.uid: row for row in visible_by_uids(self.store, self.version, table, missing)}
        return [row for uid in sorted(uids) if (row := known[uid]) is not None]

    def show_as(self, other: Side, tables: Iterable[MetadataTable[Any]]) -> None:
        """Take the rows of some tables from another side, which shows the same ones."""
        self._like, self._shared = other, frozenset(tables)

    def read_by(self, session: Session | Store) -> Side:
        """Return the same side, read by another session; what was read is known to both."""
        made = Side(session, self.version)
        made.share_rows(self)
        made._by_uid = self._by_uid
        return made


@dataclass(frozen=True)
class Sides:
    """The states that a merge compares.

    Attributes:
        session: The database, at one state.
        lake_path: The data path of the lake.
        bases: The newest states that source and target both contain.
        source: What is merged.
        target: What it is merged into.
    """

    session: Session | Store
    lake_path: str | None
    bases: Sequence[Side]
    source: Side
    target: Side

    @property
    def both(self) -> tuple[Side, Side]:
        """Source and target."""
        return self.source, self.target

    @property
    def all(self) -> tuple[Side, ...]:
        """The bases, the source and the target."""
        return (*self.bases, self.source, self.target)

    @classmethod
    def of(
        cls,
        session: Session | Store,
        lake_path: str | None,
        bases: Iterable[Version],
        source: Version,
        target: Version,
    ) -> Sides:
        """Return the sides of a merge of versions."""
        return cls(
            session, lake_path, [Side(session, base) for base in bases], Side(session, source), Side(session, target)
        )

    def read_by(self, session: Session | Store) -> Sides:
        """Return the same states, read by another session."""
        bases = [base.read_by(session) for base in self.bases]
        return Sides(session, self.lake_path, bases, self.source.read_by(session), self.target.read_by(session))

    @cached_property
    def imported_catalogs(self) -> set[CatalogId]:
        """The catalogs of the sides' chains that were imported."""
        return imported_owners(self.session, {owner for side in self.all for owner in side.version.owners})

    def may_change(self, side: Side, tables: Sequence[MetadataTable[Any]]) -> set[MetadataTable[Any]]:
        """Return those metadata tables of which `changed_by` may find rows.

        A base that shows the same of the others as the side is not asked for them any more.
        """
        changed: set[MetadataTable[Any]] = set()
        for base in self.bases:
            asked = may_differ(self.session, base.version, side.version, tables)
            changed |= {table for table, differs in zip(tables, asked, strict=True) if differs}
            base.show_as(side, [table for table, differs in zip(tables, asked, strict=True) if not differs])
        return changed

    def changed_by(
        self, side: Side, kinds: Sequence[MetadataTable[Any]], tables: Sequence[TableId] | None = None
    ) -> dict[MetadataTable[Any], list[Any]]:
        """Return the rows that either a side or a base shows, by metadata table.

        Rows that several bases show are there several times.
        """
        found: dict[MetadataTable[Any], list[Any]] = {kind: [] for kind in kinds}
        for base in self.bases if kinds else ():
            asked = candidates(self.session, base.version, side.version, kinds, tables)
            for kind, uids in asked.items():
                before, after = base.rows_by_uids(kind, uids.first), side.rows_by_uids(kind, uids.second)
                for rows in without_shared(before, after):
                    found[kind] += rows
        return found


def by_key(rows: Iterable[Any], columns: Sequence[str]) -> dict[tuple[Any, ...], Any]:
    """Return rows by the values of some columns."""
    return {tuple(getattr(row, column) for column in columns): row for row in rows}
