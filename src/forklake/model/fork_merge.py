"""Merges as values: strategies, conflicts, and what a merge does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_text

Strategy = Literal["fail", "ours", "theirs"]
"""Who decides a conflict: nobody, the target, or the source."""

STRATEGIES: Final[tuple[Strategy, ...]] = ("fail", "ours", "theirs")

Code = Literal["take", "refuse"]
"""What a merge does with texts that are bound when they are used: takes them like all else, or is refused over them."""

CODES: Final[tuple[Code, ...]] = ("take", "refuse")

Deed = Literal["added", "changed", "dropped", "updated", "deleted", "kept"]
"""What one side did to a thing, or to a row, since the base."""

MOST_CONFLICTS: Final = 10_000
"""How many rows are listed as conflicts."""

MOST_VALUES: Final = 100
"""Of how many conflicts of a table the values of rows are read."""

_COLUMNS_TOLD: Final = 5
_LETTERS_TOLD: Final = 60


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """One thing, or one row, that source and target both changed.

    Attributes:
        kind: ``row``, ``column``, ``name``, ``dropped``, ``layout``, ``view``, ``macro``, ``tag``, ``schema``,
            ``not_null``, ``no_column``, ``column_id``, ``key``, ``file`` or ``code``.
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
        row: The key of the row, by column, for the first `MOST_VALUES` rows of a table that a key was given for; else
            None.
        ours_values: What the target has in the columns in which the sides differ, or, if one deleted the row, in those
            that the other changed; None if the target has no such row, or no key was given.
        theirs_values: The same of the source.
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
    row: Mapping[str, Any] | None = field(default=None, hash=False)
    ours_values: Mapping[str, Any] | None = field(default=None, hash=False)
    theirs_values: Mapping[str, Any] | None = field(default=None, hash=False)

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
            case "code":
                what = f"the text of {self.key}"
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
        if self.row is not None and self.kind == "row":
            return f"{subject}: {self.row_words(source, target)}"
        values = f": {self._values(source, target)}" if self.row is not None else ""
        return f'{subject}: {what} was {self.theirs} in "{source}" and {self.ours} in "{target}"{values}'

    def row_words(self, source: str, target: str) -> str:
        """Return the key of a row that has one, and what each side has in it.

        >>> MergeConflict("row", "main", "t", 2, "updated", "updated", row={"id": 3}, ours_values={"a": 1},
        ...               theirs_values={"a": None}).row_words("agent", "shop")
        'id = 3: a NULL in "agent", 1 in "shop"'
        """
        key = ", ".join(f"{name} = {_value_text(value)}" for name, value in (self.row or {}).items())
        return f"{key}: {self._values(source, target)}"

    def _values(self, source: str, target: str) -> str:
        sides = ((source, self.theirs, self.theirs_values or {}), (target, self.ours, self.ours_values or {}))
        told = [f'{deed} in "{side}"' for side, deed, _ in sides if deed == "deleted"]
        columns = list(dict.fromkeys(name for _, _, values in sides for name in values))
        for name in columns[:_COLUMNS_TOLD]:
            has = (f'{_value_text(values[name])} in "{side}"' for side, _, values in sides if name in values)
            told.append(f"{name} {', '.join(has)}")
        if len(columns) > _COLUMNS_TOLD:
            told.append(f"and {len(columns) - _COLUMNS_TOLD} more columns")
        return "; ".join(told) or "the same values in both"


def _value_text(value: object) -> str:
    """Return a value for people, cut where it is long.

    >>> _value_text(None), _value_text("it's"), _value_text(True), _value_text("x" * 70)[-5:]
    ('NULL', "'it''s'", 'true', "xx..'")
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    cut = text if len(text) <= _LETTERS_TOLD else f"{text[:_LETTERS_TOLD]}.."
    return quote_text(cut) if isinstance(value, str) else cut


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

    @property
    def words(self) -> str:
        """What becomes of its rows, for people.

        >>> TableMerge("main", "orders", rows_added=1, rows_removed=2).words
        'table "main"."orders": 1 row added, 2 rows removed'
        """
        counts = ((self.rows_added, "added"), (self.rows_removed, "removed"))
        told = ", ".join(f"{count:,} row{'' if count == 1 else 's'} {deed}" for count, deed in counts if count)
        return f'table "{self.schema}"."{self.table}": {told or "other files, the same rows"}'


@dataclass(frozen=True, slots=True)
class CodeChange:
    """A stored text that a merge brings, and that is bound when somebody uses it.

    Attributes:
        kind: ``view``, ``macro``, ``default`` or ``sort key``.
        schema: The schema.
        name: The view, macro or table.
        column: The column that has the default.
        before: The text that the target had; None if it had none.
        after: The text that it gets; None if it loses it.
        trusted: Whether it runs with the reach of whoever uses it; else it reaches its own catalog only.
    """

    kind: str
    schema: str
    name: str
    column: str | None
    before: str | None
    after: str | None
    trusted: bool

    @property
    def title(self) -> str:
        """What has the text, for people.

        >>> CodeChange("default", "main", "t", "a", None, "now()", True).title
        'default of column "a" of "main"."t"'
        """
        of = "" if self.kind in ("view", "macro") else " of"
        column = "" if self.column is None else f' of column "{self.column}"'
        return f'{self.kind}{column}{of} "{self.schema}"."{self.name}"'

    @property
    def words(self) -> str:
        """The text, for people.

        >>> CodeChange("macro", "main", "f", None, None, "(x) AS x + 1", False).words
        'macro "main"."f" is (x) AS x + 1 [marked]'
        """
        if self.after is None:
            return f"{self.title} goes: {self.before}"
        was = "" if self.before in (None, self.after) else f", and was {self.before}"
        return f"{self.title} is {self.after}{'' if self.trusted else ' [marked]'}{was}"


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What a merge does, or would do.

    Attributes:
        source: The catalog that is merged, and the snapshot of it.
        target: The catalog that it is merged into, and its snapshot before.
        bases: The newest snapshots that both contain.
        changes: What the commit logs, in DuckLake's words.
        words: What it does, for people: to what has names, then to the rows of tables.
        tables: The tables whose rows change.
        conflicts: What both sides changed; a strategy has decided them, or nothing was merged (`open_conflicts`).
        is_possible: Whether all conflicts are decided. Only a dry run returns a plan that is not.
        is_nothing: Whether there is nothing to do, for the target has it all already, or did that under the commit key.
        snapshot_id: The snapshot that the merge made; None for a dry run, or if there was nothing to merge.
        code: The texts of views, macros, defaults and sort keys that it brings.
        source_name: The name of the catalog that is merged, when it was planned.
        target_name: The same of the target.
        is_repeated: Whether the commit key was committed before. Then nothing is compared or done, whatever the source
            has got since: ``source`` and ``snapshot_id`` are those of the first time, and ``target`` is at that.
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
    code: tuple[CodeChange, ...] = ()
    source_name: str = ""
    target_name: str = ""
    is_repeated: bool = False

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
