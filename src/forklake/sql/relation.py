"""The names that a query can use, and the result of binding it.

Names are relations, views, macros and variables. The caller that runs the query looks them up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from forklake.model.definitions import MacroImplementation
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import Anything, Predicate
from forklake.model.rows import TableColumnStatsRow
from forklake.model.top_rows import TopRows
from forklake.sql.statements import Describe, Show

if TYPE_CHECKING:
    from sqlglot import exp

    from forklake.sql.expressions.bound import Bound

_ANYTHING: Final = Anything()

TABLE_NUMBER: Final = "number"
"""The key in ``meta`` of a table in FROM for the number that it has while a query is bound; copies keep it."""


AtKind = Literal["version", "timestamp", "tag"]


@dataclass(frozen=True, slots=True)
class At:
    """A point of time travel: a snapshot, an aware datetime, or a tag."""

    kind: AtKind
    value: Any


@dataclass(frozen=True, slots=True)
class Relation:
    """A named source of rows.

    Attributes:
        name: Its name, unless the query gives it an alias.
        columns: The columns of ``*``, in order. Columns of lake tables have their ids, for pruning.
        virtual: Further columns that ``*`` does not include, such as ``rowid``.
        source: What the caller needs to read the rows; opaque here.
        statistics: Returns what is known of the values of its columns, by their ids, where anything is.
    """

    name: str
    columns: tuple[Field, ...]
    source: Any
    virtual: tuple[Field, ...] = ()
    statistics: Callable[[], Mapping[ColumnId, TableColumnStatsRow]] | None = None


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """A view: its text, the names of its columns, and the names for its text."""

    name: str
    text: str
    column_names: tuple[str, ...]
    names: Names


@dataclass(frozen=True, slots=True)
class StoredMacro:
    """One overload of a macro, and the names for its text.

    Without names the text is looked up with those of the statement that calls it.
    """

    implementation: MacroImplementation
    names: Names | None = None


FindStoredMacro = Callable[[tuple[str, ...]], Sequence[StoredMacro]]
"""Returns the overloads of a macro by the parts of its name; none if there is no such macro."""


class Names(Protocol):
    """Looks up the names in a query."""

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        """Return the relation or view of a name in FROM.

        Raises:
            NotFoundError: There is nothing of that name.
        """

    def function(
        self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> Relation | StoredQuery | None:
        """Return the rows of a table function that is called with constants.

        Return None if there is no such function. Arguments are Python values: None, bool, int, Decimal, float, str,
        date, datetime, timedelta, lists of these.
        """

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the value of a catalog's scalar function, called with constants.

        Return NotImplemented if there is no such function.
        """

    def show_relation(self, statement: Show | Describe) -> Relation:
        """Return the rows of a SHOW or DESCRIBE inside a query."""

    def computed_rows(self, bound: BoundQuery) -> list[tuple[Any, ...]]:
        """Return the rows of a query on which the query around it depends; it runs now."""

    def known_relation(self, columns: tuple[Field, ...], rows: list[tuple[Any, ...]]) -> Relation:
        """Return rows in memory, as `computed_rows` gives them, as a relation."""

    def macro(self, parts: tuple[str, ...]) -> Sequence[StoredMacro]:
        """Return the overloads of a macro; none if it does not exist."""

    def variable(self, name: str) -> Any:
        """Return the value of a variable, as in `function`; None if it is not set."""

    def setting(self, name: str) -> Any:
        """Return the value of a setting.

        Raises:
            NotFoundError: There is no such setting.
        """


@dataclass(frozen=True, slots=True)
class Scan:
    """A relation as one query reads it.

    Attributes:
        columns: The columns that the query needs, including virtual ones, by their names in the relation.
        predicate: Holds for every row that the query needs. It prunes files; other rows may or may not be
            filtered out.
        is_ordered: Whether the query needs its rows in their order, whatever the order of its result.
        top: The rows that the query needs, if it needs the first in the order of a column only.
    """

    relation: Relation
    columns: tuple[str, ...]
    predicate: Predicate = _ANYTHING
    is_ordered: bool = False
    top: TopRows | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The number of rows of a scan, or the smallest or largest value of a column."""

    kind: Literal["count", "min", "max"]
    scan: str
    column: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a query as they were bound, for an engine that runs its tree.

    Attributes:
        tree: The query.
        names: What its names were looked up with.
        scans: The scans of each table in FROM, by the number that `TABLE_NUMBER` in its ``meta`` is.
        views: The trees of views, by the same number, each with the view.
        values: The expressions in it and in its views, each with what it was bound to.
        mixes_types: Whether columns of different types become one, in a set operation or by USING.
        conformed: The columns of a table that the result is for, each with the number of the value that it takes; a
            column without one has its default. Empty if the result is that of the tree.
        given: The columns of the tree's own result, if it is for a table.
    """

    tree: exp.Query
    names: Names
    scans: Mapping[int, Sequence[str]]
    views: Mapping[int, tuple[exp.Query, StoredQuery]]
    values: Sequence[tuple[exp.Expr, Bound]]
    mixes_types: bool
    conformed: tuple[tuple[Field, int | None], ...] = ()
    given: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query as Spark SQL, with its result columns and its scans.

    Attributes:
        sql: Spark SQL, in which scans are tables with their names in ``scans``.
        columns: The result: names and DuckLake's types, with everything nested in them. Names may repeat; in
            Spark the columns are called ``c0``, ``c1`` and so on.
        scans: The scans of the query, by name.
        is_ordered: Whether the query defines the order of its rows.
        keeps_order: The only scan, if each of its rows gives at most one row: without ORDER BY its order is
            kept.
        projection: The names of columns, if the query only projects one scan, row by row. If the rows of the
            scan are known, Spark is not needed.
        constants: The rows, if the query is only constants; each value is DuckLake's text or None.
        totals: What the query gives of its only scan, if it gives nothing else: ``SELECT count(*), max(i) FROM t``.
        limit: The most rows to return, in the order that is kept; only set with ``keeps_order``, otherwise the
            limit is in the text.
        offset: The number of rows to skip first.
        parts: Its tree, and what was found out about it; only of whole queries.
        top: The scan of which each row gives one row, and the order that a LIMIT takes the first of.
    """

    sql: str
    columns: tuple[Field, ...]
    scans: Mapping[str, Scan] = field(default_factory=dict)
    is_ordered: bool = False
    keeps_order: str | None = None
    projection: tuple[str, ...] | None = None
    constants: tuple[tuple[str | None, ...], ...] | None = None
    totals: tuple[Total, ...] = ()
    limit: int | None = None
    offset: int = 0
    parts: Parts | None = None
    top: tuple[str, TopRows] | None = None

    @property
    def nested_sql(self) -> str:
        """The text with its limit and offset, for use inside another query.

        Without ORDER BY, any rows may be those within the limit.
        """
        limit = "" if self.limit is None else f" LIMIT {self.limit}"
        return f"{self.sql}{limit}" + (f" OFFSET {self.offset}" if self.offset else "")
