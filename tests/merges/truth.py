"""What merges mean, as full copies: every snapshot a state of its own, with the set of all that it contains.

No file, no chain and no row id is known here. A row is told by a key that it keeps for life.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Node = tuple[int, int]
"""A catalog and one of its snapshots."""

NUMBERS = ("INTEGER", "BIGINT", "DECIMAL(20,0)", "DOUBLE")
"""Types of numbers; each holds what those before it hold."""


class Column(NamedTuple):
    """A column: its name, its type, and the value of rows that were there before it."""

    name: str
    type: str
    initial: Any = None


@dataclass(frozen=True)
class Table:
    """A table: its name, its columns by id, and its rows by key, each the values of its columns by id.

    A row keeps the values of columns that are dropped, until it is updated.
    """

    name: str
    columns: dict[int, Column]
    rows: dict[int, dict[int, Any]]

    def value(self, key: int, column: int) -> Any:
        """Return the value of a column in a row."""
        return self.rows[key].get(column, self.columns[column].initial)

    def shown(self, values: Mapping[int, Any]) -> dict[int, Any]:
        """Return the values of a row as readers of this table see them."""
        return {column: values.get(column, about.initial) for column, about in self.columns.items()}

    def updated(self, key: int, column: int, value: Any) -> dict[int, Any]:
        """Return a row with another value; those of columns that are gone are lost."""
        return {**self.shown(self.rows[key]), column: value}


State = dict[int, Table]


@dataclass(frozen=True)
class Request:
    """Who decides conflicts, and which columns are keys; by the names of tables."""

    strategy: str | Mapping[str, str] = "fail"
    keys: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """Return who decides conflicts in a table."""
        return self.strategy if isinstance(self.strategy, str) else self.strategy.get(name, "fail")


@dataclass
class Merged:
    """The result of a three-way comparison.

    ``open`` are conflicts that nobody decides, ``invalid`` what cannot be, ``doubtful`` what may be refused.
    """

    state: State
    conflicts: set[tuple[Any, ...]] = field(default_factory=set)
    open: set[tuple[Any, ...]] = field(default_factory=set)
    invalid: set[tuple[Any, ...]] = field(default_factory=set)
    doubtful: set[tuple[Any, ...]] = field(default_factory=set)

    @property
    def is_refused(self) -> bool:
        return bool(self.open or self.invalid)


def three_way(bases: Sequence[State], source: State, target: State, request: Request) -> Merged:
    """Compare key by key: what one side changed is taken, and what both changed otherwise is a conflict."""
    result = Merged(dict(target))
    for number in {*source, *(number for base in bases for number in base)}:
        theirs, ours, was = source.get(number), target.get(number), [base.get(number) for base in bases]
        named = ours or theirs or next(table for table in was if table is not None)
        pick = _chooser(result, request.of(named.name))
        if theirs is None or ours is None:
            chosen = pick(("table", number), was, theirs, ours)
            result.state.pop(number, None)
            if chosen is not None:
                result.state[number] = chosen
            continue
        name = pick(("name", number), [table and table.name for table in was], theirs.name, ours.name)
        columns = _merge_columns(number, was, theirs, ours, pick)
        rows = {}
        for key in {*theirs.rows, *ours.rows, *(key for table in was if table for key in table.rows)}:
            before = [table.rows.get(key) if table else None for table in was]
            row = pick(("rows", number, key), before, theirs.rows.get(key), ours.rows.get(key))
            if row is not None:
                rows[key] = row
        result.state[number] = Table(name, columns, rows)
        if ours.name in request.keys:
            _leave_one_of_each_key(result, number, (theirs, ours, *was), request)
        _check_types(result, number, (theirs, ours, *was))
    _check_names(result)
    return result


_Pick = Callable[[tuple[Any, ...], Iterable[Any], Any, Any], Any]


def _chooser(result: Merged, strategy: str) -> _Pick:
    def pick(key: tuple[Any, ...], before: Iterable[Any], theirs: Any, ours: Any) -> Any:
        was = list(before)
        if theirs == ours:
            return ours
        if all(value == was[0] for value in was):
            if theirs == was[0]:
                return ours
            if ours == was[0]:
                return theirs
        result.conflicts.add(key)
        if strategy == "fail":
            result.open.add(key)
        return theirs if strategy == "theirs" else ours

    return pick


def _merge_columns(
    number: int, was: Sequence[Table | None], theirs: Table, ours: Table, pick: _Pick
) -> dict[int, Column]:
    merged = {}
    tables = (theirs, ours, *was)
    for column in {column for table in tables if table for column in table.columns}:
        their, our, *before = (table.columns.get(column) if table else None for table in tables)
        is_known = [one is not None for one in before]
        if their is None or our is None or (any(is_known) and not all(is_known)):
            chosen = pick(("columns", number, column), before, their, our)
        else:
            chosen = our
            for attribute in ("name", "type"):
                values = [one and getattr(one, attribute) for one in (*before, their, our)]
                taken = pick(("columns", number, column, attribute), values[:-2], values[-2], values[-1])
                chosen = chosen._replace(**{attribute: taken})
        if chosen is not None:
            merged[column] = chosen
    return merged


def _leave_one_of_each_key(result: Merged, number: int, tables: tuple[Table | None, ...], request: Request) -> None:
    """Rows that both sides inserted under one key are a conflict: one side's are left out."""
    theirs, ours, *was = tables
    assert theirs is not None
    assert ours is not None
    column = next(column for column, about in ours.columns.items() if about.name == request.keys[ours.name])
    known = {key for table in was if table for key in table.rows}
    sides = []
    for table, other in ((theirs, ours), (ours, theirs)):
        new = table.rows.keys() - known - other.rows.keys()
        values = {key: table.shown(table.rows[key])[column] for key in new}
        sides.append({key: value for key, value in values.items() if value is not None})
    clash = set(sides[0].values()) & set(sides[1].values())
    if not clash:
        return
    strategy = request.of(ours.name)
    result.conflicts |= {("key", number, value) for value in clash}
    if strategy == "fail":
        result.open |= {("key", number, value) for value in clash}
    gone = sides[1] if strategy == "theirs" else sides[0]
    table = result.state[number]
    rows = {key: row for key, row in table.rows.items() if gone.get(key) not in clash}
    result.state[number] = Table(table.name, table.columns, rows)


def _check_types(result: Merged, number: int, tables: tuple[Table | None, ...]) -> None:
    """A column whose type cannot hold what a side wrote cannot be, unless that side's rows are gone."""
    theirs, ours, *was = tables
    assert theirs is not None
    assert ours is not None
    for column, about in result.state[number].columns.items():
        for side, other in ((theirs, ours), (ours, theirs)):
            if column in side.columns and _is_narrower(about.type, side.columns[column].type):
                # Who only deleted rows wrote no value. Rows that the other side decided about, or has too, do not come.
                kept = {
                    key: row
                    for key, row in side.rows.items()
                    if result.state[number].rows.get(key) == row != other.rows.get(key)
                }
                has_written = any(
                    table is None or table.rows.get(key) != row for table in was for key, row in kept.items()
                )
                (result.invalid if has_written else result.doubtful).add(("type", number, column))


def _is_narrower(one: str, other: str) -> bool:
    return one in NUMBERS and other in NUMBERS and NUMBERS.index(one) < NUMBERS.index(other)


def _check_names(result: Merged) -> None:
    names = [table.name for table in result.state.values()]
    result.invalid |= {("name", name) for name in names if names.count(name) > 1}
    for number, table in result.state.items():
        columns = [column.name for column in table.columns.values()]
        result.invalid |= {("column", number, name) for name in columns if columns.count(name) > 1}


class Truth:
    """All catalogs of a lake, as full copies with their ancestors."""

    def __init__(self) -> None:
        self.states: dict[Node, State] = {}
        self.ancestors: dict[Node, frozenset[Node]] = {}
        self.heads: dict[int, int] = {}
        self.parents: dict[int, int] = {}
        self.pins: dict[int, set[Node]] = {}
        self.expired: set[Node] = set()

    def add(self, catalog: int, snapshot: int, state: State, contained: Iterable[Node]) -> None:
        """Add a snapshot that contains others, with all that these contain."""
        node = (catalog, snapshot)
        known = frozenset(below for above in contained for below in self.ancestors[above])
        self.states[node], self.ancestors[node] = state, known | {node}
        self.heads[catalog] = snapshot

    def node(self, catalog: int) -> Node:
        """Return the newest snapshot of a catalog."""
        return catalog, self.heads[catalog]

    def state(self, catalog: int) -> State:
        """Return what a catalog holds now."""
        return self.states[self.node(catalog)]

    def retained(self, catalog: int) -> list[Node]:
        """Return the own snapshots of a catalog that it still has."""
        return [node for node in self.states if node[0] == catalog and node not in self.expired]

    def advance(self, catalog: int, snapshot: int, state: State, also: Iterable[Node] = ()) -> None:
        """Add the next snapshot of a catalog."""
        self.add(catalog, snapshot, state, [self.node(catalog), *also])

    def forget_past(self, catalog: int) -> None:
        """Expire all snapshots of a catalog but its newest, and let it have no parent."""
        self.expired |= {node for node in self.states if node[0] == catalog and node != self.node(catalog)}
        self.parents.pop(catalog, None)
        self.pins.pop(catalog, None)

    def forget(self, catalog: int) -> None:
        """Forget a catalog; others that contain it still do."""
        self.expired |= {node for node in self.states if node[0] == catalog}
        self.parents = {fork: parent for fork, parent in self.parents.items() if catalog not in (fork, parent)}
        self.pins.pop(catalog, None)

    def bases(self, one: Node, other: Node) -> list[Node]:
        """Return the newest snapshots that two contain."""
        common = self.ancestors[one] & self.ancestors[other]
        return [node for node in common if not any(node != above and node in self.ancestors[above] for above in common)]


def visible(state: State) -> dict[str, list[dict[str, Any]]]:
    """Return what readers see: tables by name, and rows by the names of their columns, in the order of their keys."""
    return {
        table.name: [
            {"k": key, **{table.columns[column].name: value for column, value in table.shown(values).items()}}
            for key, values in sorted(table.rows.items())
        ]
        for table in state.values()
    }
