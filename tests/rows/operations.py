"""What is done to a table: each operation as a value that says what becomes of the rows or of the columns."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tests.rows.conditions import Assigned, Condition
from tests.rows.model import ColumnModel, Decision, Shown, TableModel

_K = TypeVar("_K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Append:
    """Rows are added; ``form`` says as what they are handed over."""

    rows: tuple[Shown, ...]
    form: str

    def decide(self, rows: Mapping[Any, Shown]) -> Decision:
        return Decision(inserted=self.rows)


@dataclass(frozen=True, slots=True)
class Delete:
    """Rows are deleted; all of them if there is no condition."""

    where: Condition | None

    def decide(self, rows: Mapping[Any, Shown]) -> Decision:
        return Decision(gone=frozenset(_chosen(rows, self.where)))


@dataclass(frozen=True, slots=True)
class Overwrite:
    """Rows are replaced."""

    rows: tuple[Shown, ...]
    where: Condition | None
    form: str

    def decide(self, rows: Mapping[Any, Shown]) -> Decision:
        return Decision(gone=frozenset(_chosen(rows, self.where)), inserted=self.rows)


@dataclass(frozen=True, slots=True)
class Update:
    """Values of rows are changed."""

    assigned: tuple[Assigned, ...]
    where: Condition | None

    def decide(self, rows: Mapping[Any, Shown]) -> Decision:
        return Decision(updated={key: _assigned(rows[key], self.assigned) for key in _chosen(rows, self.where)})


@dataclass(frozen=True, slots=True)
class Merge:
    """Rows of a source are matched by ``k``; matched rows are deleted if ``delete_when`` holds for them, else updated.

    Attributes:
        insert: Whether rows that match none are inserted.
        by_source: Rows of the table that match none and for which this holds are deleted.
    """

    source: tuple[Shown, ...]
    delete_when: Condition | None = None
    insert: bool = True
    by_source: Condition | None = None

    def decide(self, rows: Mapping[Any, Shown]) -> Decision:
        given = {row["k"]: row for row in self.source}
        matched = {key: row for key, row in rows.items() if row["k"] in given}
        gone = set(_chosen(matched, self.delete_when)) if self.delete_when is not None else set()
        updated = {key: {**row, **given[row["k"]]} for key, row in matched.items() if key not in gone}
        if self.by_source is not None:
            gone |= set(_chosen({key: row for key, row in rows.items() if key not in matched}, self.by_source))
        there = {row["k"] for row in matched.values()}
        inserted = [row for row in self.source if row["k"] not in there] if self.insert else []
        return Decision(frozenset(gone), updated, inserted)


@dataclass(frozen=True, slots=True)
class AddColumn:
    """A column is added at the end of the table or of a struct."""

    column: ColumnModel
    parent: int | None = None

    def columns(self, columns: Sequence[ColumnModel]) -> tuple[ColumnModel, ...]:
        if self.parent is None:
            return (*columns, self.column)
        return tuple(
            replace(column, children=(*column.children, self.column)) if column.key == self.parent else column
            for column in columns
        )


@dataclass(frozen=True, slots=True)
class DropColumn:
    """A column or field is dropped."""

    key: int

    def columns(self, columns: Sequence[ColumnModel]) -> tuple[ColumnModel, ...]:
        return tuple(
            replace(column, children=self.columns(column.children)) for column in columns if column.key != self.key
        )


@dataclass(frozen=True, slots=True)
class RenameColumns:
    """Columns or fields get other names; two may swap theirs."""

    names: Mapping[int, str]

    def columns(self, columns: Sequence[ColumnModel]) -> tuple[ColumnModel, ...]:
        return tuple(
            replace(column, name=self.names.get(column.key, column.name), children=self.columns(column.children))
            for column in columns
        )


@dataclass(frozen=True, slots=True)
class Widen:
    """A column or field gets a wider type."""

    key: int
    type: str

    def columns(self, columns: Sequence[ColumnModel]) -> tuple[ColumnModel, ...]:
        return tuple(
            replace(
                column,
                type=self.type if column.key == self.key else column.type,
                children=self.columns(column.children),
            )
            for column in columns
        )


@dataclass(frozen=True, slots=True)
class Partition:
    """Files to come are partitioned by columns: keys and transforms."""

    keys: tuple[tuple[int, str], ...]


RowOperation = Append | Delete | Overwrite | Update | Merge
ColumnOperation = AddColumn | DropColumn | RenameColumns | Widen
Operation = RowOperation | ColumnOperation | Partition


def applied(state: TableModel, operation: Operation, identities: Any) -> TableModel:
    """Return the table after an operation."""
    if isinstance(operation, RowOperation):
        return state.decided(operation.decide(state.shown()), identities)
    if isinstance(operation, Partition):
        return replace(state, partition_keys=frozenset(key for key, _ in operation.keys))
    return replace(state, columns=operation.columns(state.columns))


def path_of(columns: Sequence[ColumnModel], key: int) -> str:
    """Return the name of a column, or of a field with dots between, by its key."""
    for column in columns:
        if column.key == key:
            return column.name
        for child in column.children:
            if child.key == key:
                return f"{column.name}.{child.name}"
    raise LookupError(key)


def _chosen(rows: Mapping[_K, Shown], where: Condition | None) -> list[_K]:
    return [key for key, row in rows.items() if where is None or where.holds(row)]


def _assigned(row: Shown, assigned: Sequence[Assigned]) -> Shown:
    return {**row, **{one.column: one.new(row) for one in assigned}}
