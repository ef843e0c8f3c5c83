"""UPDATE and DELETE that depend on other rows: FROM, USING and subqueries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.scan import LINEAGE_COLUMNS, OWN_PLACES
from forklake.sql import statements
from forklake.sql.expressions.columns import find
from forklake.sql.expressions.nodes import is_subquery, is_varying, parts_of_row
from forklake.sql.query.bind import bind_query
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.rows.insertion import conform
from forklake.sql.rows.matched_columns import conjuncts, given_name
from forklake.sql.rows.row_statements import JoinedMerge, assigned_values, bind_merge_with
from forklake.sql.simple_queries import named_table

_SOURCE: Final = "__forklake_source__"
_PLACES: Final = tuple(Field(None, name, kind) for name, kind in OWN_PLACES.items())


@dataclass(frozen=True, slots=True)
class FoundRows:
    """An UPDATE or DELETE whose rows a query finds.

    The first columns of the query tell where a row is stored, the columns after them are its new values. A
    DELETE has no columns after them.
    """

    query: BoundQuery
    is_update: bool

    @property
    def scan(self) -> str:
        """The name of the scan of the table that is changed."""
        return next(name for name, scan in self.query.scans.items() if _PLACES[0].name in scan.columns)


@dataclass(frozen=True, slots=True)
class _JoinedStatement:
    """An UPDATE or DELETE with its macros expanded."""

    statement: statements.Update | statements.Delete
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
    statement: statements.Update | statements.Delete, table: str, fields: Sequence[Field], names: Names
) -> JoinedMerge | FoundRows | None:
    """Bind an UPDATE or DELETE that depends on other rows.

    Return None if each row alone decides whether and how it changes. Joined tables become the source of a merge,
    which finds the rows by their keys. A statement with subqueries becomes a query.

    Raises:
        InvalidInputError: A column is set twice, or an expression is not supported.
        NotFoundError: There is no such column.
    """
    joined = _expand(statement, table, fields, names)
    if not (statement.sources or statement.with_ or joined.asks_queries):
        return None
    common = () if statement.with_ is None else statement.with_.expressions
    if len(statement.table) == 1 and any(fold(one.alias) == fold(statement.table[0]) for one in common):
        words = "update" if isinstance(statement, statements.Update) else "delete from"
        raise InvalidInputError(f"Binder Error: Can only {words} base table")
    if statement.sources and not joined.asks_queries:
        references = _References(joined, fields)
        if references.are_plain:
            return _as_merge(joined, references, table, fields, names)
    return _as_query(joined, fields, names)


def bind_found(
    statement: statements.Update | statements.Delete, table: str, fields: Sequence[Field], names: Names
) -> FoundRows:
    """Bind an UPDATE or DELETE of any kind as a query for the rows that it changes.

    Raises:
        InvalidInputError: A column is set twice, or an expression is not supported.
        NotFoundError: There is no such column.
    """
    return _as_query(_expand(statement, table, fields, names), fields, names)


def _expand(
    statement: statements.Update | statements.Delete, table: str, fields: Sequence[Field], names: Names
) -> _JoinedStatement:
    values = assigned_values(statement, table, fields) if isinstance(statement, statements.Update) else []
    return _JoinedStatement(
        statement,
        tuple((field, expand_macros(value, names.macro)) for field, value in values),
        None if statement.where is None else expand_macros(statement.where, names.macro),
    )


# ---- as a query ------------------------------------------------------------------------------------------------------


def _as_query(joined: _JoinedStatement, fields: Sequence[Field], names: Names) -> FoundRows:
    """Return the query that finds the rows, their storage and their new values."""
    is_update = isinstance(joined.statement, statements.Update)
    columns = [*_PLACES, *(fields if is_update else ())]
    shown: dict[str, exp.Expr] = {one.name: exp.column(one.name, table=joined.target, quoted=True) for one in columns}
    shown |= {field.name: value for field, value in joined.values}
    target = named_table(joined.statement.table, joined.target)
    query = exp.Select(expressions=[one.copy() for one in shown.values()], from_=exp.From(this=target))
    query = _from(query, joined, joined.statement.sources)
    if joined.where is not None:
        query.set("where", exp.Where(this=joined.where.copy()))
    bound = bind_query(query, names, keeps_null=True)
    return FoundRows(conform(bound, [(field, number) for number, field in enumerate(columns)]), is_update)


def _from(query: exp.Select, joined: _JoinedStatement, sources: Sequence[exp.Expr]) -> exp.Select:
    for source in sources:
        query.append("joins", exp.Join(this=source.copy()))
    if joined.statement.with_ is not None:
        query.set("with_", joined.statement.with_.copy())
    return query


# ---- as a merge ------------------------------------------------------------------------------------------------------


class _References:
    """The columns that a statement names, by their tables.

    Attributes:
        are_plain: Whether the names alone tell the table. If not, the statement is left to the binder of queries.
        of_source: The columns of the joined tables, in order, as the parts of their names.
        unsure: Unqualified names of the target's columns, which no joined table may have.
    """

    def __init__(self, joined: _JoinedStatement, fields: Sequence[Field]) -> None:
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
        """Return whether a column belongs to one of the joined tables."""
        return find(self._fields, names[0]) is None if len(names) == 1 else fold(names[0]) in self._tables

    def qualify(self, node: exp.Expr) -> exp.Expr:
        """Return an expression in which every column is qualified with its table."""

        def name(one: exp.Expr) -> exp.Expr:
            if not isinstance(one, exp.Column):
                return one
            names = _names_of(one)
            if self.is_of_source(names):
                return exp.column(given_name(self.of_source.index(names)), table=_SOURCE, quoted=True)
            return exp.column(names[0], table=self._target, quoted=True) if len(names) == 1 else one

        return node.copy().transform(name, copy=False)


def _as_merge(
    joined: _JoinedStatement, references: _References, table: str, fields: Sequence[Field], names: Names
) -> JoinedMerge:
    """Return a change as a merge with the columns that it uses of joined tables."""
    where = [] if joined.where is None else list(conjuncts(joined.where))
    of_source = [one for one in where if _is_of_source(one, references)]
    query = _source_query(joined, references, of_source, names)
    of_both = [references.qualify(one) for one in where if one not in of_source]
    # Spark does not join by expressions that may vary.
    on = [one for one in of_both if not is_varying(one)] or [exp.true()]
    when = [one for one in of_both if is_varying(one)]
    assigned = tuple((field.name, references.qualify(value)) for field, value in joined.values)
    action = statements.MergeAction(
        "matched", "update" if assigned else "delete", exp.and_(*when) if when else None, assigned
    )
    merge = statements.Merge(
        joined.statement.table, joined.target, named_table((_SOURCE,)), exp.and_(*on), (), (action,)
    )
    return JoinedMerge(query, bind_merge_with(query.columns, merge, table, fields, names))


def _is_of_source(condition: exp.Expr, references: _References) -> bool:
    columns = [one for one in parts_of_row(condition) if isinstance(one, exp.Column)]
    return bool(columns) and all(references.is_of_source(_names_of(one)) for one in columns)


def _source_query(
    joined: _JoinedStatement, references: _References, conditions: Sequence[exp.Expr], names: Names
) -> BoundQuery:
    """Return the query for the used columns of the joined tables.

    The columns are named by their numbers.
    """
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
    """Yield the names of the tables in an item of FROM."""
    yield source.alias_or_name
    if isinstance(source, exp.Subquery) and not source.alias:
        yield from _table_names(source.this)
    for join in source.args.get("joins") or ():
        yield from _table_names(join.this)


def _column(names: tuple[str, ...]) -> exp.Expr:
    name, table, schema, catalog = (*reversed(names), None, None, None)[:4]
    return exp.column(str(name), table, schema, catalog, quoted=True)


def _names_of(column: exp.Column) -> tuple[str, ...]:
    """Return the parts of a column's name, as written."""
    return tuple(part.name for part in column.parts)
