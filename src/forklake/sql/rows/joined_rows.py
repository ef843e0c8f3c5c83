"""UPDATE ... FROM, DELETE ... USING, and those with subqueries: rows that other rows decide about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.scan import LINEAGE_COLUMNS, OWN_PLACES
from forklake.sql import statements as said
from forklake.sql.expressions.columns import find
from forklake.sql.expressions.nodes import is_subquery, is_varying, parts_of_row
from forklake.sql.made_queries import named_table
from forklake.sql.query.bind import bind_query
from forklake.sql.query.macro_calls import expanded
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.rows.insertion import conformed
from forklake.sql.rows.matched_columns import conjuncts, given_name
from forklake.sql.rows.row_statements import JoinedMerge, assigned_values, bind_merge_with

_SOURCE: Final = "__forklake_source__"
_PLACES: Final = tuple(Field(None, name, kind) for name, kind in OWN_PLACES.items())


@dataclass(frozen=True, slots=True)
class FoundRows:
    """A change of rows that a query finds: its first columns say where a row is, those after them what it becomes.

    There are none after them if the row is deleted.
    """

    query: BoundQuery
    is_update: bool

    @property
    def scan(self) -> str:
        """The scan that the rows are found by."""
        return next(name for name, scan in self.query.scans.items() if _PLACES[0].name in scan.columns)


@dataclass(frozen=True, slots=True)
class _Joined:
    """A statement with the macros in it replaced by what they say."""

    statement: said.Update | said.Delete
    values: tuple[tuple[Field, exp.Expr], ...]
    where: exp.Expr | None

    @property
    def nodes(self) -> list[exp.Expr]:
        return [*(value for _, value in self.values), *([] if self.where is None else [self.where])]

    @property
    def target(self) -> str:
        return self.statement.alias or self.statement.table[-1]

    @property
    def asks_queries(self) -> bool:
        return any(is_subquery(inner) for node in self.nodes for inner in node.walk())


def bind_joined(
    statement: said.Update | said.Delete, table: str, fields: Sequence[Field], names: Names
) -> JoinedMerge | FoundRows | None:
    """Return what an UPDATE or a DELETE does if not the row alone decides about it; None if it does.

    Tables that are joined are the source of a merge, which finds the rows by their keys. What asks queries is a query.

    Raises:
        InvalidInputError: A column is set twice, or an expression is not understood.
        NotFoundError: There is no such column.
    """
    values = assigned_values(statement, table, fields) if isinstance(statement, said.Update) else []
    joined = _Joined(
        statement,
        tuple((field, expanded(value, names)) for field, value in values),
        None if statement.where is None else expanded(statement.where, names),
    )
    if not (statement.sources or statement.with_ or joined.asks_queries):
        return None
    common = () if statement.with_ is None else statement.with_.expressions
    if len(statement.table) == 1 and any(fold(one.alias) == fold(statement.table[0]) for one in common):
        words = "update" if isinstance(statement, said.Update) else "delete from"
        raise InvalidInputError(f"Binder Error: Can only {words} base table")
    if statement.sources and not joined.asks_queries:
        references = _References(joined, fields)
        if references.are_plain:
            return _as_merge(joined, references, table, fields, names)
    return _as_query(joined, fields, names)


# ---- as a query ------------------------------------------------------------------------------------------------------


def _as_query(joined: _Joined, fields: Sequence[Field], names: Names) -> FoundRows:
    """Return a change of rows that a query finds, with where they are and what they become."""
    is_update = isinstance(joined.statement, said.Update)
    columns = [*_PLACES, *(fields if is_update else ())]
    shown: dict[str, exp.Expr] = {one.name: exp.column(one.name, table=joined.target, quoted=True) for one in columns}
    shown |= {field.name: value for field, value in joined.values}
    target = named_table(joined.statement.table, joined.target)
    query = _from(exp.select(*(one.copy() for one in shown.values())).from_(target), joined, joined.statement.sources)
    if joined.where is not None:
        query = query.where(joined.where.copy())
    bound = bind_query(query, names, keeps_null=True)
    return FoundRows(conformed(bound, [(field, number) for number, field in enumerate(columns)]), is_update)


def _from(query: exp.Select, joined: _Joined, sources: Sequence[exp.Expr]) -> exp.Select:
    for source in sources:
        query.append("joins", exp.Join(this=source.copy()))
    if joined.statement.with_ is not None:
        query.set("with_", joined.statement.with_.copy())
    return query


# ---- as a merge ------------------------------------------------------------------------------------------------------


class _References:
    """The columns that a statement names, by whose they are.

    Attributes:
        are_plain: Whether that is known by the names alone. What is not left to the binder of queries.
        of_source: Those of the tables that are joined, in order, as their names.
        unsure: Names of columns of the target without a table before them, which must be of none of these.
    """

    def __init__(self, joined: _Joined, fields: Sequence[Field]) -> None:
        self._target, self._fields = fold(joined.target), fields
        self._tables = [fold(name) for source in joined.statement.sources for name in _table_names(source)]
        self.of_source: list[tuple[str, ...]] = []
        self.unsure: list[str] = []
        nodes = [part for node in joined.nodes for part in parts_of_row(node)]
        self.are_plain = self._target not in self._tables and not any(isinstance(one, exp.Lambda) for one in nodes)
        for node in nodes:
            if isinstance(node, exp.Column):
                self._add(_names_of(node))

    def _add(self, names: tuple[str, ...]) -> None:
        in_target = find(self._fields, names[0]) is not None
        if len(names) == 1:
            if in_target:
                self.unsure.append(names[0])
            elif fold(names[0]) in LINEAGE_COLUMNS:
                self.are_plain = False
        elif fold(names[0]) == self._target:
            self.are_plain &= not in_target and find(self._fields, names[1]) is not None
        elif in_target or fold(names[0]) not in self._tables:
            self.are_plain = False
        if self.is_of_source(names) and names not in self.of_source:
            self.of_source.append(names)

    def is_of_source(self, names: tuple[str, ...]) -> bool:
        """Return whether a column is one of the tables that are joined."""
        return find(self._fields, names[0]) is None if len(names) == 1 else fold(names[0]) in self._tables

    def said(self, node: exp.Expr) -> exp.Expr:
        """Return an expression in which each column has the table before it that it is of."""

        def name(one: exp.Expr) -> exp.Expr:
            if not isinstance(one, exp.Column):
                return one
            names = _names_of(one)
            if self.is_of_source(names):
                return exp.column(given_name(self.of_source.index(names)), table=_SOURCE, quoted=True)
            return exp.column(names[0], table=self._target, quoted=True) if len(names) == 1 else one

        return node.copy().transform(name, copy=False)


def _as_merge(
    joined: _Joined, references: _References, table: str, fields: Sequence[Field], names: Names
) -> JoinedMerge:
    """Return a change as a merge with the columns that it names of the tables that are joined."""
    where = [] if joined.where is None else list(conjuncts(joined.where))
    of_source = [one for one in where if _is_of_source(one, references)]
    query = _source_query(joined, references, of_source, names)
    of_both = [references.said(one) for one in where if one not in of_source]
    # Spark joins by nothing that is not the same each time.
    on = [one for one in of_both if not is_varying(one)] or [exp.true()]
    when = [one for one in of_both if is_varying(one)]
    assigned = tuple((field.name, references.said(value)) for field, value in joined.values)
    action = said.MergeAction(
        "matched", "update" if assigned else "delete", exp.and_(*when) if when else None, assigned
    )
    merge = said.Merge(joined.statement.table, joined.target, named_table((_SOURCE,)), exp.and_(*on), (), (action,))
    return JoinedMerge(query, bind_merge_with(query.columns, merge, table, fields, names))


def _is_of_source(condition: exp.Expr, references: _References) -> bool:
    columns = [one for one in parts_of_row(condition) if isinstance(one, exp.Column)]
    return bool(columns) and all(references.is_of_source(_names_of(one)) for one in columns)


def _source_query(joined: _Joined, references: _References, conditions: Sequence[exp.Expr], names: Names) -> BoundQuery:
    """Return the query for the columns of the tables that are joined, called by their numbers."""
    shown: list[exp.Expr] = [_column(one) for one in references.of_source] or [exp.Literal.number(1)]
    first, *others = joined.statement.sources
    query = exp.select(*shown, *([exp.Star()] if references.unsure else ())).from_(first.copy())
    query = _from(query, joined, others)
    for one in conditions:
        query = query.where(one.copy())
    bound = bind_query(query, names, keeps_null=True)
    for column in bound.columns[len(shown) :]:
        if any(fold(column.name) == fold(name) for name in references.unsure):
            raise InvalidInputError(
                f'Binder Error: Ambiguous reference to column name "{column.name}" (use:'
                f' "{joined.target}.{column.name}" for the column of the table that is changed)'
            )
    columns = tuple(replace(one, name=given_name(number)) for number, one in enumerate(bound.columns[: len(shown)]))
    if not references.unsure:
        return replace(bound, columns=columns)
    listed = ", ".join(column.name for column in columns)
    text = f"SELECT {listed} FROM ({bound.nested_sql}) AS given"
    rows = None if bound.constants is None else tuple(row[: len(shown)] for row in bound.constants)
    return BoundQuery(text, columns, bound.scans, constants=rows)


def _table_names(source: exp.Expr) -> Iterator[str]:
    """Yield the names of the tables of an item of FROM."""
    yield source.alias_or_name
    if isinstance(source, exp.Subquery) and not source.alias:
        yield from _table_names(source.this)
    for join in source.args.get("joins") or ():
        yield from _table_names(join.this)


def _column(names: tuple[str, ...]) -> exp.Expr:
    name, table, schema, catalog = (*reversed(names), None, None, None)[:4]
    return exp.column(str(name), table, schema, catalog, quoted=True)


def _names_of(column: exp.Column) -> tuple[str, ...]:
    """Return the names that a column is written with."""
    return tuple(part.name for part in column.parts)
