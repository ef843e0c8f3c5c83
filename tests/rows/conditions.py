"""Conditions and expressions twice: as DuckDB writes them, and as plain Python over a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any, Protocol

from tests.rows.model import ColumnModel, Shown

Truth = bool | None
COMPARABLE = ("int16", "int32", "int64", "float32", "float64", "varchar", "date")


class Condition(Protocol):
    """Something that holds for a row, does not, or is NULL."""

    def holds(self, row: Shown) -> Truth: ...

    def sql(self, prefix: str = "") -> str: ...


def literal(value: Any) -> str:
    """Return a value as DuckDB writes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case date():
            return f"DATE '{value.isoformat()}'"
    return repr(value)


def named(path: Sequence[str], prefix: str = "") -> str:
    """Return a column, or a field of a struct, as DuckDB names it."""
    return prefix + ".".join(f'"{name}"' for name in path)


def at(row: Shown, path: Sequence[str]) -> Any:
    """Return what a row has at a path."""
    value: Any = row
    for name in path:
        value = None if value is None else value[name]
    return value


@dataclass(frozen=True, slots=True)
class Compared:
    """A column compared with a value."""

    path: tuple[str, ...]
    operator: str
    value: Any

    def holds(self, row: Shown) -> Truth:
        mine = at(row, self.path)
        if mine is None:
            return None
        match self.operator:
            case "=":
                return bool(mine == self.value)
            case "<>":
                return bool(mine != self.value)
            case "<":
                return bool(mine < self.value)
        return bool(mine >= self.value)

    def sql(self, prefix: str = "") -> str:
        return f"{named(self.path, prefix)} {self.operator} {literal(self.value)}"


@dataclass(frozen=True, slots=True)
class IsNull:
    """A column is NULL, or is not."""

    path: tuple[str, ...]
    is_null: bool

    def holds(self, row: Shown) -> Truth:
        return (at(row, self.path) is None) == self.is_null

    def sql(self, prefix: str = "") -> str:
        return f"{named(self.path, prefix)} IS {'' if self.is_null else 'NOT '}NULL"


@dataclass(frozen=True, slots=True)
class Among:
    """A column is one of some numbers."""

    path: tuple[str, ...]
    values: tuple[int, ...]

    def holds(self, row: Shown) -> Truth:
        mine = at(row, self.path)
        return None if mine is None else mine in self.values

    def sql(self, prefix: str = "") -> str:
        return f"{named(self.path, prefix)} IN ({', '.join(map(str, self.values))})"


@dataclass(frozen=True, slots=True)
class Joined:
    """Two conditions, joined by AND or OR; or the first one's opposite."""

    word: str
    one: Condition
    other: Condition

    def holds(self, row: Shown) -> Truth:
        one, other = self.one.holds(row), self.other.holds(row)
        if self.word == "NOT":
            return None if one is None else not one
        decides = self.word == "OR"
        if decides in (one, other):
            return decides
        return None if None in (one, other) else not decides

    def sql(self, prefix: str = "") -> str:
        if self.word == "NOT":
            return f"NOT ({self.one.sql(prefix)})"
        return f"({self.one.sql(prefix)}) {self.word} ({self.other.sql(prefix)})"


@dataclass(frozen=True, slots=True)
class Everything:
    """Holds for every row."""

    def holds(self, row: Shown) -> Truth:
        return True

    def sql(self, prefix: str = "") -> str:
        return "true"


def random_value(rng: Random, column: ColumnModel) -> Any:
    """Return a value of a column, of few that there are, so that rows have some in common."""
    if column.name != "k" and rng.random() < 0.15:
        return None
    number = rng.randrange(12)
    match column.type:
        case "int16" | "int32" | "int64":
            return number
        case "float32" | "float64":
            return number / 4
        case "varchar":
            return rng.choice(("", "a", "it's", "ü", "NULL", "x" * 30, str(number)))
        case "date":
            return date(2026, 1 + number, 28)
        case "list":
            return [random_value(rng, column.children[0]) for _ in range(rng.randrange(3))]
    return {child.name: random_value(rng, child) for child in column.children}


def scalars(columns: Sequence[ColumnModel], above: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], ColumnModel]]:
    """Return what can be compared: columns, and fields of structs, with their names."""
    found: list[tuple[tuple[str, ...], ColumnModel]] = []
    for column in columns:
        if column.type in COMPARABLE:
            found.append(((*above, column.name), column))
        elif column.type == "struct":
            found += scalars(column.children, (*above, column.name))
    return found


def random_condition(rng: Random, columns: Sequence[ColumnModel], keys: Sequence[int]) -> Condition:
    """Return a condition that some rows fulfil, among them perhaps those with certain keys."""
    kind = rng.random()
    if kind < 0.3 and keys:
        return Among(("k",), tuple(rng.sample(keys, min(len(keys), rng.randint(1, 4)))))
    if kind < 0.5 and keys:
        return Compared(("k",), rng.choice(("<", ">=", "=", "<>")), rng.choice(keys))
    path, column = rng.choice(scalars(columns))
    if kind < 0.6:
        return IsNull(path, rng.random() < 0.6)
    value = random_value(rng, column)
    one: Condition = IsNull(path, True) if value is None else Compared(path, rng.choice(("=", "<>", "<", ">=")), value)
    if kind < 0.85:
        return one
    return Joined(rng.choice(("AND", "OR", "NOT")), one, random_condition(rng, columns, keys))


@dataclass(frozen=True, slots=True)
class Assigned:
    """What a column becomes: a value, another column, or itself and a number."""

    column: str
    value: Any = None
    source: str | None = None
    plus: int | None = None

    def new(self, row: Shown) -> Any:
        if self.source is None:
            return self.value
        mine = row[self.source]
        return mine if self.plus is None or mine is None else mine + self.plus

    def sql(self, prefix: str = "") -> str:
        if self.source is None:
            return literal(self.value)
        return named((self.source,), prefix) + ("" if self.plus is None else f" + {self.plus}")


def random_assignments(rng: Random, columns: Sequence[ColumnModel]) -> tuple[Assigned, ...]:
    """Return what one or two columns become."""
    free = [column for column in columns if column.name != "k" and column.type in COMPARABLE]
    chosen = rng.sample(free, min(len(free), rng.randint(1, 2)))
    found = []
    for column in chosen:
        alike = [other.name for other in free if other.type == column.type]
        kind = rng.random()
        if kind < 0.4 and column.type.startswith("int"):
            found.append(Assigned(column.name, source=column.name, plus=rng.randint(1, 3)))
        elif kind < 0.6:
            found.append(Assigned(column.name, source=rng.choice(alike)))
        else:
            found.append(Assigned(column.name, random_value(rng, column)))
    return tuple(found)
