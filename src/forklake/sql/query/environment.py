"""The environment in which a query, or a part of one, is bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from forklake.engine.text_budget import count_nodes
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import Predicate
from forklake.model.top_rows import TopRows
from forklake.sql.borne_names import borne_names
from forklake.sql.expressions.bound import Bound, both
from forklake.sql.relation import TABLE_NUMBER, BoundQuery, Names, Parts, Relation, Scan, StoredQuery

if TYPE_CHECKING:
    from forklake.sql.query.scope import Scope

Result = TypeVar("Result")

_NODES_OF_SCAN = 50
_NODES_OF_VIEW = 100
"""How many expressions take as long to bind as a scan to plan, and a view to find and to read."""
MOST_NESTED = 120
"""The most queries, views and macros inside one another."""


@dataclass(slots=True)
class _PartialScan:
    """A relation that is read, with the columns and predicates found so far."""

    relation: Relation
    columns: dict[str, None] = field(default_factory=dict)
    predicates: list[Predicate] = field(default_factory=list)
    is_ordered: bool = False
    top: TopRows | None = None


class Reading:
    """Collects what a query reads, and hands out names that are unique in its text."""

    def __init__(self) -> None:
        self._read: dict[str, _PartialScan] = {}
        self._called: dict[tuple[int, ...], tuple[Sequence[exp.Expr], Any]] = {}
        self._shared: dict[int, tuple[CommonTable, BoundQuery]] = {}
        self._count = 0
        self.subqueries = 0
        self.definitions: dict[str, str] = {}
        """The shared queries, by their names in the text; each may use those before it."""
        self._tables = 0
        self._places: dict[int, list[str]] = {}
        self._views: dict[int, tuple[exp.Query, StoredQuery]] = {}
        self._values: list[tuple[exp.Expr, Bound]] = []
        self._mixes = False

    def number_tables(self, tree: exp.Query) -> exp.Query:
        """Give each table of a tree a number, by which it is known in copies too."""
        for table in tree.find_all(exp.Table):
            table.meta[TABLE_NUMBER] = self._tables
            self._tables += 1
        return tree

    def note(self, node: exp.Expr, bound: Bound) -> None:
        """Record what an expression was bound to."""
        self._values.append((node, bound))

    def note_mixture(self, values: Sequence[Bound]) -> None:
        """Record that values become one column; their types may differ.

        Decimals of any size become one in the same way everywhere.
        """
        kinds = {types.Decimal if isinstance(one.type, types.Decimal) else one.type for one in values}
        self._mixes = self._mixes or len(kinds) > 1

    def view_tree(self, node: exp.Expr, view: StoredQuery, read: Callable[[str], exp.Query]) -> exp.Query:
        """Return the tree of a view that a table in FROM names.

        Where the table is bound again, it is the same tree, so that all scans of its tables are known.
        """
        count_nodes(_NODES_OF_VIEW)
        number = node.meta.get(TABLE_NUMBER)
        if number is None:
            return self.number_tables(read(view.text))
        if number not in self._views:
            self._views[number] = (self.number_tables(read(view.text)), view)
        return self._views[number][0]

    def parts(self, tree: exp.Query, names: Names) -> Parts:
        """Return the parts of the whole query, as they were bound."""
        return Parts(tree, names, self._places, self._views, self._values, self._mixes)

    def call_once(self, arguments: Sequence[exp.Expr], call: Callable[[], Result]) -> Result:
        """Call a function of the session once, however often its node is bound.

        A node is identified by its arguments. It is bound several times if an alias or a table of WITH contains it.
        """
        key = tuple(map(id, arguments))
        if not key:
            return call()
        if key not in self._called:
            self._called[key] = (arguments, call())  # keeps the arguments alive, and so their ids
        found: Result = self._called[key][1]
        return found

    def define(self, common: CommonTable, bind: Callable[[], BoundQuery]) -> BoundQuery:
        """Return the rows of a shared query, which is bound and written only once.

        A query that only projects columns of a table is written at each use instead, because each use limits what it
        reads of the table.
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
        self._shared[id(common)] = (common, found)  # keeps the table alive, and so its id
        return found

    def alias(self) -> str:
        """Return a new table alias, which no column of an inner query hides."""
        self._count += 1
        return f"`~r{self._count - 1}`"

    def scan(self, relation: Relation, node: exp.Expr | None = None) -> str:
        """Add a relation, which a node of FROM names; return the name of its scan."""
        count_nodes(_NODES_OF_SCAN)
        name = f"s{len(self._read)}"
        self._read[name] = _PartialScan(relation)
        if node is not None and TABLE_NUMBER in node.meta:
            self._places.setdefault(node.meta[TABLE_NUMBER], []).append(name)
        return name

    def relation(self, scan: str) -> Relation:
        """Return the relation of a scan."""
        return self._read[scan].relation

    def need(self, scan: str, column: str) -> None:
        """Record that a column of a scan is needed."""
        self._read[scan].columns[column] = None

    def only(self, scan: str, predicate: Predicate) -> None:
        """Record that a scan needs only rows for which a predicate holds."""
        self._read[scan].predicates.append(predicate)

    def keep_order(self, scan: str) -> None:
        """Record that the rows of a scan are needed in their order."""
        self._read[scan].is_ordered = True

    def take_top(self, scan: str, top: TopRows) -> None:
        """Record that only the first rows of a scan are needed, in the order of a column."""
        self._read[scan].top = top

    def scans(self) -> dict[str, Scan]:
        """Return all scans; their columns are in the relation's order."""
        found = {}
        for name, read in self._read.items():
            fields = (*read.relation.columns, *read.relation.virtual)
            columns = tuple(one.name for one in fields if one.name in read.columns)
            found[name] = Scan(read.relation, columns, both(read.predicates), read.is_ordered, read.top)
        return found


def whole_query(bound: BoundQuery, reading: Reading) -> BoundQuery:
    """Return a query with all that it reads, as a text of its own."""
    shared = ", ".join(f"{name} AS ({sql})" for name, sql in reading.definitions.items())
    return replace(bound, sql=f"WITH {shared} {bound.sql}" if shared else bound.sql, scans=reading.scans())


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A table of WITH: a query, and the environment in which to bind it.

    A recursive one names itself.

    Attributes:
        is_shared: Whether it is named several times and means the same each time, so that it is bound once.
    """

    name: str
    query: exp.Query
    column_names: tuple[str, ...]
    environment: Environment
    is_recursive: bool = False
    is_shared: bool = False

    @property
    def names(self) -> Names | None:
        """The names that it bears: None if it is no part of a macro."""
        return borne_names(self.query)


@dataclass(frozen=True, slots=True)
class LastRows:
    """The rows of a recursive query's last step, which it reads under its own name.

    ``names`` as of the query itself, a `CommonTable`.
    """

    name: str
    query: BoundQuery
    names: Names | None


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment in which a query is bound.

    Attributes:
        bind: Binds a query of any kind in an environment.
        common: The tables of WITH, by name in lower case.
        outer: The scope around a subquery.
        depth: The number of queries, views and macros around it.
        expected: A VALUES node, and the types to which each of its values is cast.
    """

    names: Names
    reading: Reading
    bind: Callable[[exp.Expr, Environment], BoundQuery]
    common: Mapping[str, CommonTable | LastRows] = field(default_factory=dict)
    outer: Scope | None = None
    depth: int = 0
    expected: tuple[exp.Expr, Sequence[Field]] | None = None

    def deeper(self) -> int:
        """Return the depth of an inner query.

        Raises:
            InvalidInputError: It is too deep; usually something contains itself.
        """
        if self.depth >= MOST_NESTED:
            raise InvalidInputError(
                "Binder Error: infinite recursion detected: queries, views or macros are nested too deeply."
            )
        return self.depth + 1
