"""A table as plain values: its columns, and its rows by who they are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import count
from typing import Any

Shown = Mapping[str, Any]
"""A row as a reader sees it: values by the names that columns have."""


@dataclass(frozen=True, slots=True)
class ColumnModel:
    """A column; ``key`` stays what it is when the column is renamed, and no other ever has it."""

    key: int
    name: str
    type: str
    default: Any = None
    children: tuple["ColumnModel", ...] = ()


@dataclass(frozen=True, slots=True)
class RowModel:
    """A row: who it is, its values by the keys of columns, and the snapshot that wrote them, once there is one.

    Where the metadata was written out, only the row itself may know that snapshot: then ``written`` is below 0.
    """

    identity: int
    values: Mapping[int, Any]
    written: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What an operation does with rows, which are named by anything that tells them apart."""

    gone: frozenset[Any] = frozenset()
    updated: Mapping[Any, Shown] = field(default_factory=dict)
    inserted: Sequence[Shown] = ()


@dataclass(frozen=True, slots=True)
class TableModel:
    """One state of a table; a table without columns is not there."""

    columns: tuple[ColumnModel, ...]
    rows: Mapping[int, RowModel] = field(default_factory=dict)
    partition_keys: frozenset[int] = frozenset()
    key: int = 0
    """What tells it from other tables that had the name."""

    def shown(self) -> dict[int, Shown]:
        """Return the rows as a reader sees them, by identity."""
        return {identity: shown(self.columns, row.values) for identity, row in self.rows.items()}

    def decided(self, decision: Decision, identities: Iterator[int]) -> "TableModel":
        """Return the table after a decision."""
        rows = {identity: row for identity, row in self.rows.items() if identity not in decision.gone}
        for identity, values in decision.updated.items():
            rows[identity] = RowModel(identity, held(self.columns, values))
        for values in decision.inserted:
            identity = next(identities)
            rows[identity] = RowModel(identity, held(self.columns, values))
        return replace(self, rows=rows)

    def settled(self, snapshot: int) -> "TableModel":
        """Return the table as the commit left it: what was written has its snapshot."""
        rows = {
            identity: replace(row, written=snapshot) if row.written is None else row
            for identity, row in self.rows.items()
        }
        return replace(self, rows=rows)

    def rewritten(self, snapshots: Mapping[int, int]) -> "TableModel":
        """Return the table with other numbers for snapshots, in metadata that was written out."""
        rows = {
            identity: replace(row, written=snapshots.get(row.written or 0, -abs(row.written or 0)))
            for identity, row in self.rows.items()
        }
        return replace(self, rows=rows)


NO_TABLE = TableModel(())

Change = tuple[int, int, str, Shown]
"""The snapshot, the row's identity, what happened, and the values."""


def changes_between(
    before: TableModel, after: TableModel, snapshot: int, columns: Sequence[ColumnModel]
) -> Iterator[Change]:
    """Yield how one commit changed rows, with the values that given columns show."""
    for identity, row in before.rows.items():
        now = after.rows.get(identity)
        if now is None:
            yield snapshot, identity, "delete", shown(columns, row.values)
        elif now.written != row.written:
            yield snapshot, identity, "update_preimage", shown(columns, row.values)
            yield snapshot, identity, "update_postimage", shown(columns, now.values)
    for identity, row in after.rows.items():
        if identity not in before.rows:
            yield snapshot, identity, "insert", shown(columns, row.values)


def shown(columns: Iterable[ColumnModel], values: Mapping[int, Any]) -> Shown:
    """Return values by name; a column that is younger than the row shows its default."""
    return {column.name: _shown(column, values) for column in columns}


def _shown(column: ColumnModel, values: Mapping[int, Any]) -> Any:
    if column.key not in values:
        return column.default
    value = values[column.key]
    return shown(column.children, value) if column.type == "struct" and value is not None else value


def held(columns: Iterable[ColumnModel], row: Shown) -> dict[int, Any]:
    """Return values by key; a column that the row does not name has its default."""
    return {column.key: _held(column, row) for column in columns}


def _held(column: ColumnModel, row: Shown) -> Any:
    if column.name not in row:
        return column.default
    value = row[column.name]
    return held(column.children, value) if column.type == "struct" and value is not None else value


def plain(value: Any) -> Any:
    """Return a value as JSON has it, so that values of different readers compare."""
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value.isoformat() if isinstance(value, date) else value


class RowIds:
    """The row ids of a tree of catalogs: learnt when a row is first seen, and the same ever after."""

    def __init__(self) -> None:
        self._ids: dict[int, int] = {}
        self._rows: dict[tuple[int, int], int] = {}

    def taken(self, states: Iterable["TableModel"]) -> "RowIds":
        """Return the row ids of a new tree, which begins with some states of this one."""
        new = RowIds()
        for state in states:
            for identity in state.rows.keys() & self._ids.keys():
                new.learn(state.key, identity, self._ids[identity])
        return new

    def learn(self, table: int, identity: int, row_id: int) -> None:
        """Take a row id that was seen.

        Raises:
            AssertionError: The row had another, or another row has it.
        """
        assert self._ids.setdefault(identity, row_id) == row_id, f"row id {row_id} was {self._ids[identity]} before"
        known = self._rows.setdefault((table, row_id), identity)
        assert known == identity, f"row id {row_id} belongs to two rows"

    def of(self, identity: int) -> int | None:
        """Return the row id of a row; None if nobody saw it."""
        return self._ids.get(identity)


def numbers() -> Iterator[int]:
    """Yield numbers that tell things apart."""
    return count(1)
