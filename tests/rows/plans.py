"""Operations chosen at random, such that the table takes them."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from tests.rows.conditions import random_assignments, random_condition, random_value
from tests.rows.model import ColumnModel, Shown, TableModel
from tests.rows.operations import (
    AddColumn,
    Append,
    ColumnOperation,
    Delete,
    DropColumn,
    Merge,
    Operation,
    Overwrite,
    Partition,
    RenameColumns,
    Update,
    Widen,
)

NAMES = ("a", "b", "c", "d", "e f", "Ö")
"""Few, so that a column comes to have the name that another had."""

WIDER = {"int16": ("int32", "int64"), "int32": ("int64",), "float32": ("float64",)}
WEIGHTS = {
    "append": 10,
    "delete": 7,
    "update": 7,
    "merge": 5,
    "overwrite": 2,
    "truncate": 1,
    "columns": 9,
    "partition": 3,
}
"""How often each operation comes."""


class Planner:
    """Chooses operations; numbers and names that must be new are drawn from it."""

    def __init__(self, numbers: Iterator[int], forms: Sequence[str]) -> None:
        self._numbers = numbers
        self._forms = forms

    def first_columns(self) -> tuple[ColumnModel, ...]:
        """Return the columns of a new table."""
        new = self._column
        return (
            new("k", "int64"),
            new("a", "int16"),
            new("b", "varchar"),
            new("s", "struct", (new("x", "int32"), new("y", "varchar"))),
            new("l", "list", (new("element", "int32"),)),
        )

    def operation(self, name: str, rng: Random, state: TableModel) -> Operation | None:
        """Return an operation of a kind, or None if the table has nothing that it could be done to."""
        plan: Callable[[Random, TableModel], Operation | None] = getattr(self, f"_{name}")
        return plan(rng, state)

    def any_operation(self, rng: Random, state: TableModel) -> Operation | None:
        """Return an operation of any kind."""
        return self.operation(rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0], rng, state)

    def _append(self, rng: Random, state: TableModel) -> Append:
        return Append(self._rows(rng, state, rng.randint(1, 6)), rng.choice(self._forms))

    def _delete(self, rng: Random, state: TableModel) -> Delete:
        return Delete(random_condition(rng, state.columns, keys(state)))

    def _truncate(self, rng: Random, state: TableModel) -> Delete:
        return Delete(None)

    def _overwrite(self, rng: Random, state: TableModel) -> Overwrite:
        where = random_condition(rng, state.columns, keys(state)) if rng.random() < 0.7 else None
        return Overwrite(self._rows(rng, state, rng.randint(0, 4)), where, rng.choice(self._forms))

    def _update(self, rng: Random, state: TableModel) -> Update | None:
        assigned = random_assignments(rng, state.columns)
        where = random_condition(rng, state.columns, keys(state)) if rng.random() < 0.9 else None
        return Update(assigned, where) if assigned else None

    def _merge(self, rng: Random, state: TableModel) -> Merge:
        there = keys(state)
        columns = [column for column in state.columns if column.name == "k" or rng.random() < 0.7]
        old = rng.sample(there, min(len(there), rng.randint(0, 4)))
        new = [next(self._numbers) for _ in range(rng.randint(0 if old else 1, 3))]
        source = tuple(
            {column.name: random_value(rng, column) for column in columns} | {"k": key} for key in (*old, *new)
        )
        if rng.random() < 0.5:
            return Merge(source)
        delete = random_condition(rng, state.columns, there) if rng.random() < 0.5 else None
        by_source = random_condition(rng, state.columns, there) if rng.random() < 0.4 else None
        return Merge(source, delete, insert=rng.random() < 0.7, by_source=by_source)

    def _partition(self, rng: Random, state: TableModel) -> Partition:
        free = [column for column in state.columns if column.type in ("int16", "int32", "int64", "varchar", "date")]
        chosen = rng.sample(free, min(len(free), rng.choice((0, 1, 1, 2))))
        transforms = {"date": ("month", "identity")}
        return Partition(
            tuple((column.key, rng.choice(transforms.get(column.type, ("identity", "bucket(3)")))) for column in chosen)
        )

    def _columns(self, rng: Random, state: TableModel) -> ColumnOperation | None:
        kind = rng.choice(
            ("add", "add", "drop", "rename", "swap", "widen", "nested add", "nested drop", "nested rename")
        )
        top = [column for column in state.columns if column.name != "k"]
        structs = [column for column in top if column.type == "struct"]
        nested = [(struct, child) for struct in structs for child in struct.children]
        match kind:
            case "add":
                return self._added(rng, state.columns, None)
            case "nested add" if structs:
                struct = rng.choice(structs)
                return self._added(rng, struct.children, struct.key)
            case "drop":
                free = [column for column in top if column.key not in state.partition_keys]
                return DropColumn(rng.choice(free).key) if len(free) > 1 else None
            case "nested drop":
                free = [child for struct, child in nested if len(struct.children) > 1]
                return DropColumn(rng.choice(free).key) if free else None
            case "rename" if top:
                name = _free_name(rng, state.columns)
                return RenameColumns({rng.choice(top).key: name}) if name else None
            case "nested rename" if nested:
                struct, child = rng.choice(nested)
                name = _free_name(rng, struct.children)
                return RenameColumns({child.key: name}) if name else None
            case "swap" if len(top) > 1:
                one, other = rng.sample(top, 2)
                return RenameColumns({one.key: other.name, other.key: one.name})
            case "widen":
                narrow = [column for column in (*top, *(child for _, child in nested)) if column.type in WIDER]
                column = rng.choice(narrow) if narrow else None
                return Widen(column.key, rng.choice(WIDER[column.type])) if column else None
        return None

    def _added(self, rng: Random, beside: Sequence[ColumnModel], parent: int | None) -> AddColumn | None:
        name = _free_name(rng, beside)
        if name is None:
            return None
        kinds = ["int16", "int32", "float32", "varchar", "date"] + ["struct", "list"] * (parent is None)
        kind = rng.choice(kinds)
        children: tuple[ColumnModel, ...] = ()
        if kind == "struct":
            children = (self._column("x", "int32"), self._column("y", "varchar"))
        if kind == "list":
            children = (self._column("element", "int32"),)
        column = self._column(name, kind, children)
        if not children and rng.random() < 0.6:
            default = random_value(rng, column)
            # DuckLake keeps the default NULL as that word, so it cannot tell the text from it.
            column = ColumnModel(column.key, name, kind, None if default == "NULL" else default)
        return AddColumn(column, parent)

    def _rows(self, rng: Random, state: TableModel, row_count: int) -> tuple[Shown, ...]:
        columns = [column for column in state.columns if column.name == "k" or rng.random() < 0.85]
        return tuple(
            {column.name: random_value(rng, column) for column in columns} | {"k": next(self._numbers)}
            for _ in range(row_count)
        )

    def _column(self, name: str, kind: str, children: tuple[ColumnModel, ...] = ()) -> ColumnModel:
        return ColumnModel(next(self._numbers), name, kind, children=children)


def keys(state: TableModel) -> list[int]:
    """Return what the rows have in ``k``."""
    return sorted(row["k"] for row in state.shown().values())


def _free_name(rng: Random, beside: Sequence[ColumnModel]) -> str | None:
    taken = {column.name for column in beside}
    free = [name for name in NAMES if name not in taken]
    return rng.choice(free) if free else None
