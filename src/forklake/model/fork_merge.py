"""Merges as values: strategies, conflicts, and what a merge does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold

Strategy = Literal["fail", "ours", "theirs"]
"""Who decides a conflict: nobody, the target, or the source."""

STRATEGIES: Final[tuple[Strategy, ...]] = ("fail", "ours", "theirs")

Deed = Literal["added", "changed", "dropped", "updated", "deleted", "kept"]
"""What one side did to a thing, or to a row, since the base."""

MOST_CONFLICTS: Final = 10_000
"""How many rows are listed as conflicts."""


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """One thing, or one row, that source and target both changed.

    Attributes:
        kind: ``row``, ``column``, ``name``, ``dropped``, ``layout``, ``view``, ``macro``, ``tag``, ``schema``,
            ``not_null``, ``no_column``, ``column_id``, ``key`` or ``file``.
        schema: The schema, if it is in one.
        table: The table, view or macro.
        key: The row id, the column, the name, the values of a key, the path of a file; None for the table itself.
        ours: What the target did.
        theirs: What the source did.
        is_ambiguous: Whether there are several bases, and they differ on it.
        attribute: What of a column it is about: ``name``, ``type``, ``default``, ``nullability`` or ``parent``; None
            for the whole column, and for all that is no column.
        winner: The side that a strategy took; None if nobody decided it.
        is_decidable: Whether a strategy can decide it. Where none can, one side must be changed first.
    """

    kind: str
    schema: str | None
    table: str | None
    key: int | str | None
    ours: Deed
    theirs: Deed
    is_ambiguous: bool = False
    attribute: str | None = None
    winner: Literal["ours", "theirs"] | None = None
    is_decidable: bool = True

    @property
    def place(self) -> str:
        """Where it is, for people."""
        named = [f'"{part}"' for part in (self.schema, self.table) if part is not None]
        return ".".join(named)

    def in_words(self, source: str, target: str) -> str:
        """Return what happened, for people who know the catalogs by these names."""
        match self.kind:
            case "row":
                what = f"row {self.key}"
            case "key":
                what = f"a row with {self.key}"
            case "dropped" | "view" | "macro":
                what = "it"
            case "not_null":
                side = source if self.theirs == "added" else target
                what = f'column "{self.key}", which may not be NULL and may be so in rows of "{side}",'
            case "no_column" if self.key is not None:
                what = f'the last field of column "{self.key}"'
            case "column" if self.attribute is not None:
                what = f'the {self.attribute} of column "{self.key}"'
            case _:
                what = self.kind.replace("_", " ") + (f' "{self.key}"' if self.key is not None else "")
        of = self.kind if self.kind in ("view", "macro") else "table" if self.table is not None else "schema"
        subject = f"{of} {self.place}" if self.place else "the catalog"
        return f'{subject}: {what} was {self.theirs} in "{source}" and {self.ours} in "{target}"'


@dataclass(frozen=True, slots=True)
class TableMerge:
    """What a merge does to one table."""

    schema: str
    table: str
    files_added: int = 0
    files_removed: int = 0
    rows_added: int = 0
    rows_removed: int = 0
    by_rows: bool = False


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What a merge does, or would do.

    Attributes:
        source: The catalog that is merged, and the snapshot of it.
        target: The catalog that it is merged into, and its snapshot before.
        bases: The newest snapshots that both contain.
        changes: What the commit logs, in DuckLake's words.
        words: What it does to what has names, for people; changes of rows are left out.
        tables: The tables whose rows change.
        conflicts: What both sides changed; a strategy has decided them, or nothing was merged (`open_conflicts`).
        is_possible: Whether all conflicts are decided. Only a dry run returns a plan that is not.
        is_nothing: Whether the target has it all already, so that there is nothing to do.
        snapshot_id: The snapshot that the merge made; None for a dry run, or if there was nothing to merge.
    """

    source: tuple[CatalogId, SnapshotId]
    target: tuple[CatalogId, SnapshotId]
    bases: tuple[tuple[CatalogId, SnapshotId], ...]
    changes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    tables: tuple[TableMerge, ...] = ()
    conflicts: tuple[MergeConflict, ...] = ()
    is_possible: bool = True
    is_nothing: bool = False
    snapshot_id: SnapshotId | None = None

    @property
    def open_conflicts(self) -> tuple[MergeConflict, ...]:
        """The conflicts that no strategy has decided."""
        return tuple(conflict for conflict in self.conflicts if conflict.winner is None)


@dataclass(frozen=True, slots=True)
class Strategies:
    """The strategy for conflicts: one for all, or others by table.

    Tables are named ``table`` or ``schema.table``, folded.
    """

    default: Strategy = "fail"
    by_table: Mapping[str, Strategy] = field(default_factory=dict)

    def of(self, schema: str | None, table: str | None) -> Strategy:
        """Return the strategy for conflicts in a table."""
        if table is None:
            return self.default
        name = fold(table)
        return self.by_table.get(f"{fold(schema or '')}.{name}", self.by_table.get(name, self.default))


@dataclass(frozen=True, slots=True)
class RowKeys:
    """The columns by which rows are told apart that both sides inserted.

    Tables are named ``table`` or ``schema.table``, folded.
    """

    by_table: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, schema: str, table: str) -> tuple[str, ...]:
        """Return the columns for a table; none, if there is no key."""
        name = fold(table)
        return self.by_table.get(f"{fold(schema)}.{name}", self.by_table.get(name, ()))
