"""What a query can name: relations, stored queries, macros and variables; whoever runs the query looks them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from forklake.model.definitions import MacroImplementation
from forklake.model.field import Field
from forklake.model.predicate import Anything, Predicate
from forklake.sql.statements import Describe, Show

_ANYTHING: Final = Anything()


@dataclass(frozen=True, slots=True)
class At:
    """The past that is asked for: a snapshot, or a time (an aware datetime)."""

    kind: Literal["version", "timestamp"]
    value: Any


@dataclass(frozen=True, slots=True)
class Relation:
    """Something with rows.

    Attributes:
        name: What it is called where nobody gives it another name.
        columns: What ``*`` shows, in order. Columns of lake tables have their ids, for pruning.
        virtual: What can be named beside them and ``*`` does not show, such as ``rowid``.
        source: What whoever runs the query needs to get the rows; opaque here.
    """

    name: str
    columns: tuple[Field, ...]
    source: Any
    virtual: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """A view: its text, the names that it gives its columns, and what the names in its text mean."""

    name: str
    text: str
    column_names: tuple[str, ...]
    names: Names


class Names(Protocol):
    """What the names in a query mean."""

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation | StoredQuery:
        """Return what a FROM clause names.

        Raises:
            NotFoundError: There is nothing of that name.
        """

    def function(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Relation | None:
        """Return the rows of a table function that is called with constants; None if there is no such function.

        Arguments are Python values: None, bool, int, Decimal, float, str, date, datetime, timedelta, lists of these.
        """

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the value of a scalar function of catalogs that is called with constants; NotImplemented if none."""

    def asked(self, statement: Show | Describe) -> Relation:
        """Return the rows of a SHOW or DESCRIBE that stands in a query."""

    def macro(self, parts: tuple[str, ...]) -> Sequence[MacroImplementation]:
        """Return the overloads of a macro; none if there is no such macro."""

    def variable(self, name: str) -> Any:
        """Return the value of a variable, as in ``function``; None if it is not set."""

    def setting(self, name: str) -> Any:
        """Return the value of a setting.

        Raises:
            NotFoundError: There is no such setting.
        """


@dataclass(frozen=True, slots=True)
class Scan:
    """A relation as one query reads it.

    Attributes:
        columns: The columns that the query needs, virtual ones too, by the names that the relation has.
        predicate: Holds for all rows that can matter; it prunes files, and rows may be left out by it or not.
    """

    relation: Relation
    columns: tuple[str, ...]
    predicate: Predicate = _ANYTHING


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query that was understood.

    Attributes:
        sql: Spark SQL, in which scans are tables of the names that they have in ``scans``.
        columns: The result: names, DuckLake's types and what is nested in them. Names may repeat; in Spark the
            columns are called ``c0``, ``c1`` and so on.
        scans: What the query reads.
        is_ordered: Whether the query says in which order rows come.
        keeps_order: The one scan of which each row gives at most one row: without an order its order is kept.
        projection: If the query only shows columns of one scan, one row for each: their names. Spark is not needed
            for a scan whose rows are known.
        constants: If the query is only constants: the rows, each value as DuckLake's text or None.
        counts: The one scan whose rows are counted, if that is all that the query asks: ``SELECT count(*) FROM t``.
        limit: How many rows at most are taken, of those in the order that is kept; only where ``keeps_order`` is set,
            else the text says so.
        offset: How many rows are left out before.
    """

    sql: str
    columns: tuple[Field, ...]
    scans: Mapping[str, Scan] = field(default_factory=dict)
    is_ordered: bool = False
    keeps_order: str | None = None
    projection: tuple[str, ...] | None = None
    constants: tuple[tuple[str | None, ...], ...] | None = None
    counts: str | None = None
    limit: int | None = None
    offset: int = 0

    @property
    def nested_sql(self) -> str:
        """The text with all that it says, for use inside another query: any rows will do where no order is asked."""
        limit = "" if self.limit is None else f" LIMIT {self.limit}"
        return f"{self.sql}{limit}" + (f" OFFSET {self.offset}" if self.offset else "")
