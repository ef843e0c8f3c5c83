"""What merges mean, as full copies: every snapshot a state of its own, with the set of all that it contains.

No file, no chain and no row id is known here. A row is told by a key that it keeps for life.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Node = tuple[int, int]
"""A catalog and one of its snapshots."""


@dataclass(frozen=True)
class Table:
    """A table: its name, its columns by id, and its rows by key, each the texts of its columns by id."""

    name: str
    columns: dict[int, str]
    rows: dict[int, dict[int, Any]]


State = dict[int, Table]


@dataclass
class Merged:
    """The result of a three-way comparison."""

    state: State
    conflicts: set[tuple[Any, ...]] = field(default_factory=set)
    invalid: set[tuple[Any, ...]] = field(default_factory=set)


def three_way(bases: Sequence[State], source: State, target: State, strategy: str) -> Merged:
    """Compare key by key: what one side changed is taken, and what both changed otherwise is a conflict."""
    result = Merged(dict(target))

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
        return theirs if strategy == "theirs" else ours

    for number in {*source, *(number for base in bases for number in base)}:
        theirs, ours, was = source.get(number), target.get(number), [base.get(number) for base in bases]
        if theirs is None or ours is None:
            chosen = pick(("table", number), was, theirs, ours)
            result.state.pop(number, None)
            if chosen is not None:
                result.state[number] = chosen
            continue
        name = pick(("name", number), [table and table.name for table in was], theirs.name, ours.name)
        parts: list[dict[int, Any]] = []
        for kind in ("columns", "rows"):
            sides = [getattr(table, kind) if table else {} for table in (theirs, ours, *was)]
            merged = {}
            for key in {key for side in sides for key in side}:
                value = pick(
                    (kind, number, key), [side.get(key) for side in sides[2:]], sides[0].get(key), sides[1].get(key)
                )
                if value is not None:
                    merged[key] = value
            parts.append(merged)
        result.state[number] = Table(name, *parts)
    _check(result)
    return result


def _check(result: Merged) -> None:
    names = [table.name for table in result.state.values()]
    result.invalid |= {("name", name) for name in names if names.count(name) > 1}
    for number, table in result.state.items():
        columns = list(table.columns.values())
        result.invalid |= {("column", number, name) for name in columns if columns.count(name) > 1}


class Truth:
    """All catalogs of a lake, as full copies with their ancestors."""

    def __init__(self) -> None:
        self.states: dict[Node, State] = {}
        self.ancestors: dict[Node, frozenset[Node]] = {}
        self.heads: dict[int, int] = {}
        self.parents: dict[int, int] = {}
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

    def advance(self, catalog: int, snapshot: int, state: State, also: Iterable[Node] = ()) -> None:
        """Add the next snapshot of a catalog."""
        self.add(catalog, snapshot, state, [self.node(catalog), *also])

    def bases(self, one: Node, other: Node) -> list[Node]:
        """Return the newest snapshots that two contain."""
        common = self.ancestors[one] & self.ancestors[other]
        return [node for node in common if not any(node != above and node in self.ancestors[above] for above in common)]


def visible(state: State) -> dict[str, list[dict[str, Any]]]:
    """Return what readers see: tables by name, and rows by the names of their columns, in the order of their keys."""
    return {
        table.name: [
            {"k": key, **{name: values.get(column) for column, name in sorted(table.columns.items())}}
            for key, values in sorted(table.rows.items())
        ]
        for table in state.values()
    }


def with_rows(table: Table, rows: dict[int, dict[int, Any]]) -> Table:
    """Return a table with other rows."""
    return replace(table, rows=rows)
