"""Queries inside expressions: as values, EXISTS, IN, and comparisons with ANY and ALL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.predicate import Operator
from forklake.sql.bound import NULL, Bound, shaped
from forklake.sql.coercion import compared
from forklake.sql.comparisons import comparison, negation
from forklake.sql.query.environment import Environment
from forklake.sql.query.scope import Scope
from forklake.sql.relation import BoundQuery

if TYPE_CHECKING:
    from forklake.sql.expression import ExpressionBinder

_OPERATORS: Final[Mapping[type[exp.Expr], Operator]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_OPPOSITE: Final[Mapping[Operator, Operator]] = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def bind_subquery(binder: ExpressionBinder, node: exp.Expr, environment: Environment, scope: Scope) -> Bound:
    """Return what a subquery in an expression gives.

    Raises:
        InvalidInputError: It gives more than one column where one is needed.
    """
    environment.reading.subqueries += 1
    inner = replace(environment, outer=scope, depth=environment.deeper())
    match node:
        case exp.Exists():
            bound = environment.bind(node.this, inner)
            return Bound(f"EXISTS (SELECT 1 FROM ({bound.nested_sql}))", "boolean")
        case exp.In():
            found = _member(binder.bind(node.this), environment.bind(node.args["query"], inner), environment)
            return negation(found) if node.args.get("negate") else found
        case exp.Binary():
            return _quantified(binder, node, inner)
    bound = environment.bind(node, inner)
    (column,) = _columns(bound, 1)
    return shaped(f"({bound.nested_sql})", _shape(column))


def _member(value: Bound, query: BoundQuery, environment: Environment) -> Bound:
    """Return whether a value is among those of a query; both sides take one type."""
    (column,) = _columns(query, 1)
    alias = environment.reading.alias()
    one = shaped(f"{alias}.c0", _shape(column))
    left, right = _compared(value, one)
    return Bound(f"({left} IN (SELECT {right} FROM ({query.nested_sql}) AS {alias}))", "boolean")


def _compared(value: Bound, member: Bound) -> tuple[str, str]:
    if NULL in (value.type, member.type):
        return value.sql, member.sql
    left, right = compared(value, member)
    return left.sql, right.sql


def _quantified(binder: ExpressionBinder, node: exp.Binary, inner: Environment) -> Bound:
    """Return a comparison with ANY or ALL of the rows of a query."""
    operator = _OPERATORS.get(type(node))
    side = node.expression
    query = side.this
    if operator is None or not isinstance(query, exp.Query):
        raise InvalidInputError(f"This is not supported: {node.sql('duckdb')}")
    value, bound = binder.bind(node.this), inner.bind(query, inner)
    if isinstance(side, exp.Any) and operator == "=":
        return _member(value, bound, inner)
    if isinstance(side, exp.All) and operator == "<>":
        return negation(_member(value, bound, inner))
    found = _any(value, operator if isinstance(side, exp.Any) else _OPPOSITE[operator], bound)
    return found if isinstance(side, exp.Any) else negation(found)


def _any(value: Bound, operator: Operator, query: BoundQuery) -> Bound:
    """Return whether a comparison holds for any row: for the smallest or the greatest, that is."""
    (column,) = _columns(query, 1)
    facts = "struct(min(c0) AS low, max(c0) AS high, count(1) AS `all`, count(c0) AS known)"
    found = f"(SELECT {facts} FROM ({query.nested_sql}))"
    low, high = (shaped(f"{found}.{end}", _shape(column)) for end in ("low", "high"))
    ends = {">": (low,), ">=": (low,), "<": (high,), "<=": (high,)}.get(operator, (low, high))
    holds = " OR ".join(comparison(value, operator, end).sql for end in ends)
    unknown = f"{value.sql} IS NULL OR {found}.known < {found}.`all`"
    none = f"WHEN {found}.`all` = 0 THEN FALSE"
    return Bound(f"(CASE {none} WHEN {holds} THEN TRUE WHEN {unknown} THEN NULL ELSE FALSE END)", "boolean")


def _columns(query: BoundQuery, count: int) -> tuple[Field, ...]:
    if len(query.columns) != count:
        raise InvalidInputError(f"Binder Error: Subquery returns {len(query.columns)} columns - expected {count}")
    return query.columns


def _shape(column: Field) -> Field:
    return Field(None, "", column.type, column.children)
