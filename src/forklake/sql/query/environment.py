"""What a query, or a part of one, is bound in: what its names mean, and what is collected while it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.predicate import Predicate
from forklake.sql.expressions.bound import both
from forklake.sql.relation import BoundQuery, Names, Relation, Scan

if TYPE_CHECKING:
    from forklake.sql.query.scope import Scope

Result = TypeVar("Result")

MOST_NESTED = 120
"""How many queries, views and macros may be inside one another."""


@dataclass(slots=True)
class _Read:
    """A relation that is read, while it is still being found out what is needed of it."""

    relation: Relation
    columns: dict[str, None] = field(default_factory=dict)
    predicates: list[Predicate] = field(default_factory=list)


class Reading:
    """Collects what one query reads; gives out names that are used only once in its text."""

    def __init__(self) -> None:
        self._read: dict[str, _Read] = {}
        self._called: dict[tuple[int, ...], tuple[Sequence[exp.Expr], Any]] = {}
        self._shared: dict[int, tuple[CommonTable, BoundQuery]] = {}
        self._count = 0
        self.subqueries = 0
        self.definitions: dict[str, str] = {}
        """The queries that are shared, by the names that the text has for them; each may name those before it."""

    def called(self, arguments: Sequence[exp.Expr], call: Callable[[], Result]) -> Result:
        """Return what a function of the session gives, which is called once however often its place is bound.

        A place, which its arguments tell from others, is bound several times if an alias or WITH stands for it.
        """
        key = tuple(map(id, arguments))
        if not key:
            return call()
        if key not in self._called:
            self._called[key] = (arguments, call())  # with the arguments, so that their ids stay theirs
        found: Result = self._called[key][1]
        return found

    def defined(self, common: CommonTable, bind: Callable[[], BoundQuery]) -> BoundQuery:
        """Return the rows of a query that is shared, which is bound and written once; those of a table as they are.

        A query that only shows columns of a table is written wherever it is named: what is read of the table for one
        use is limited by what is asked there.
        """
        known = self._shared.get(id(common))
        if known is not None:
            return known[1]
        bound = bind()
        is_plain = bound.keeps_order is not None and all(one.column_id is not None for one in bound.columns)
        if bound.constants is not None or (is_plain and bound.limit is None and not bound.offset):
            return bound
        name = f"w{len(self.definitions)}"
        self.definitions[name] = bound.nested_sql
        columns = tuple(replace(one, column_id=None) for one in bound.columns)
        shown = ", ".join(f"c{place}" for place in range(len(columns)))
        found = BoundQuery(f"SELECT {shown} FROM {name}", columns)
        self._shared[id(common)] = (common, found)  # with the table, so that its id stays its own
        return found

    def alias(self) -> str:
        """Return a new name for a table in the text, which no column of a query inside hides."""
        self._count += 1
        return f"`~r{self._count - 1}`"

    def scan(self, relation: Relation) -> str:
        """Return the name under which a relation is read."""
        name = f"s{len(self._read)}"
        self._read[name] = _Read(relation)
        return name

    def need(self, scan: str, column: str) -> None:
        """Note that a column is needed."""
        self._read[scan].columns[column] = None

    def only(self, scan: str, predicate: Predicate) -> None:
        """Note that only rows of which a predicate holds can matter."""
        self._read[scan].predicates.append(predicate)

    def scans(self) -> dict[str, Scan]:
        """Return all that is read; columns come in the order that the relation has them."""
        found = {}
        for name, read in self._read.items():
            fields = (*read.relation.columns, *read.relation.virtual)
            columns = tuple(one.name for one in fields if one.name in read.columns)
            found[name] = Scan(read.relation, columns, both(read.predicates))
        return found


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query that WITH gives a name, to be bound in what was known where it stands; a recursive one names itself.

    Attributes:
        is_shared: Whether it is named several times and means the same each time, so that it is bound once.
    """

    name: str
    query: exp.Query
    column_names: tuple[str, ...]
    environment: Environment
    is_recursive: bool = False
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class LastRows:
    """What a recursive query stands for inside itself: the rows that its last step gave."""

    name: str
    query: BoundQuery


@dataclass(frozen=True, slots=True)
class Environment:
    """What a query is bound in.

    Attributes:
        bind: Binds a query in an environment; there is one for all kinds of queries.
        common: The tables of WITH, by name in lower case.
        outer: The scope around a subquery.
        depth: How many queries, views and macros are around it.
        expected: The types that the values of a VALUES take, each for itself, and that VALUES.
    """

    names: Names
    reading: Reading
    bind: Callable[[exp.Expr, Environment], BoundQuery]
    common: Mapping[str, CommonTable | LastRows] = field(default_factory=dict)
    outer: Scope | None = None
    depth: int = 0
    expected: tuple[exp.Expr, Sequence[Field]] | None = None

    def deeper(self) -> int:
        """Return the depth of what is inside.

        Raises:
            InvalidInputError: It is too deep: something contains itself, as a rule.
        """
        if self.depth >= MOST_NESTED:
            raise InvalidInputError(
                "Binder Error: infinite recursion detected: queries, views or macros are nested too deeply."
            )
        return self.depth + 1
