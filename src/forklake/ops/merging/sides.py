"""The sides of a merge: bases, source and target.

Each is a version. All are read at one state of the database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from forklake.catalog.state import CatalogState
from forklake.metastore.differences import may_differ, shown_by_one
from forklake.metastore.store import Session, Store
from forklake.metastore.written_tables import MetadataTable, R
from forklake.model.ids import TableId
from forklake.model.version import Version

_T = TypeVar("_T")


class Side(CatalogState):
    """One version, read within a session that sees one state of the database.

    Whoever makes it has seen in that state that the version is retained, or pinned.
    """

    def _check_rows(self, rows: list[_T]) -> list[_T]:
        return rows


@dataclass(frozen=True, slots=True)
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
        bases = [base.version for base in self.bases]
        return Sides.of(session, self.lake_path, bases, self.source.version, self.target.version)

    def may_change(self, side: Side, tables: Sequence[MetadataTable[Any]]) -> set[MetadataTable[Any]]:
        """Return those metadata tables of which `changed_by` may find rows."""
        asked = [may_differ(self.session, base.version, side.version, tables) for base in self.bases]
        return {table for table, *told in zip(tables, *asked, strict=True) if any(told)}

    def changed_by(self, side: Side, table: MetadataTable[R], tables: Sequence[TableId] | None = None) -> list[R]:
        """Return the rows that a side or a base shows and the other does not.

        Rows that several bases show are there several times.
        """
        found: list[R] = []
        for base in self.bases:
            before, after = shown_by_one(self.session, base.version, side.version, table, tables)
            found += [*before, *after]
        return found


def by_key(rows: Iterable[Any], columns: Sequence[str]) -> dict[tuple[Any, ...], Any]:
    """Return rows by the values of some columns."""
    return {tuple(getattr(row, column) for column in columns): row for row in rows}
