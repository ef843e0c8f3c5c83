"""Subqueries in expressions: scalar, EXISTS, IN, ANY and ALL."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.predicate import Operator
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import comparable_pair
from forklake.sql.expressions.comparisons import NEGATED, comparison, negation
from forklake.sql.expressions.nested import row_value
from forklake.sql.expressions.nested_casts import part
from forklake.sql.expressions.nodes import COMPARISONS
from forklake.sql.expressions.render import render
from forklake.sql.query.environment import Environment
from forklake.sql.query.scope import Scope
from forklake.sql.relation import BoundQuery

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder


def bind_subquery(
    binder: ExpressionBinder, node: exp.Expr, environment: Environment, scope: Scope, *, is_condition: bool
) -> Bound:
    """Bind a subquery in an expression.

    ``is_condition`` tells whether the whole expression is a condition.

    Raises:
        InvalidInputError: It has more than one column where one is needed.
    """
    environment.reading.subqueries += 1
    inner = replace(environment, outer=scope, depth=environment.deeper())
    match node:
        case exp.Exists():
            bound = environment.bind(node.this, inner)
            return Bound(f"EXISTS (SELECT 1 FROM ({bound.nested_sql}))", types.BOOLEAN)
        case exp.In():
            is_test, query = _is_test(node, is_condition=is_condition), environment.bind(node.args["query"], inner)
            is_negated = bool(node.args.get("negate")) or _is_below_not(node)
            found = _member(binder.bind(node.this), query, environment, is_test=is_test, is_negated=is_negated)
            return negation(found) if node.args.get("negate") else found
        case exp.Binary():
            return _quantified_comparison(binder, node, inner, is_test=_is_test(node, is_condition=is_condition))
    bound = environment.bind(node, inner)
    (column,) = _columns(bound, 1)
    return Bound(f"({bound.nested_sql})", shape_of(column.type))


def _is_test(node: exp.Expr, *, is_condition: bool) -> bool:
    """Return whether NULL and false have the same effect at a node's position."""
    place = node
    while isinstance(place.parent, exp.Paren):
        place = place.parent
    if isinstance(place.parent, exp.Not):
        place = place.parent  # Spark looks for NULL where it sees NOT IN
    while isinstance(place.parent, exp.Paren | exp.And | exp.Or):
        place = place.parent
    above = place.parent
    if isinstance(above, exp.If):
        is_compared = isinstance(above.parent, exp.Case) and above.parent.this is not None
        return place.arg_key == "this" and not is_compared
    return is_condition and (above is None or isinstance(above, exp.Where | exp.Join | exp.Having | exp.Qualify))


def _member(value: Bound, query: BoundQuery, environment: Environment, *, is_test: bool, is_negated: bool) -> Bound:
    """Return whether a value is among the rows of a query; both take one type.

    Spark's IN gives false for an unknown result, which is enough only where NULL and false have the same effect.
    """
    if isinstance(value.type, types.Struct) and len(query.columns) == len(value.type.children) > 1:
        return _member_row(value, query, environment, is_test=is_test and not is_negated)
    alias = environment.reading.alias()
    (column,) = _columns(query, 1)
    left, right = _comparable_sql(value, Bound(f"{alias}.c0", shape_of(column.type)))
    rows = f"({query.nested_sql}) AS {alias}"
    found = f"({left} IN (SELECT {right} FROM {rows}))"
    if is_test:
        return Bound(found, types.BOOLEAN)
    has_null = f"EXISTS (SELECT 1 FROM {rows} WHERE {alias}.c0 IS NULL)"
    unknown = f"({has_null} OR ({left} IS NULL AND EXISTS (SELECT 1 FROM {rows})))"
    return Bound(f"(CASE WHEN {found} THEN TRUE WHEN {unknown} THEN NULL ELSE FALSE END)", types.BOOLEAN)


def _member_row(value: Bound, query: BoundQuery, environment: Environment, *, is_test: bool) -> Bound:
    """Return whether several values are a row of a query.

    A row with NULL is no other row, and whether it is one is unknown: Spark takes NULLs in structs for equal.
    ``is_test`` tells whether false is enough for what is unknown.
    """
    alias = environment.reading.alias()
    parts = [Bound(f"{alias}.c{place}", shape_of(column.type)) for place, column in enumerate(query.columns)]
    left, right = _comparable_sql(value, row_value(parts))
    rows = f"({query.nested_sql}) AS {alias}"
    given = " OR ".join(f"{part(value, place).sql} IS NULL" for place in range(len(parts)))
    missing = " OR ".join(f"{one.sql} IS NULL" for one in parts)
    found = f"(NOT ({given}) AND {left} IN (SELECT {right} FROM {rows} WHERE NOT ({missing})))"
    if is_test:
        return Bound(found, types.BOOLEAN)
    unknown = f"EXISTS (SELECT 1 FROM {rows} WHERE {missing}) OR (({given}) AND EXISTS (SELECT 1 FROM {rows}))"
    return Bound(f"(CASE WHEN {found} THEN TRUE WHEN {unknown} THEN NULL ELSE FALSE END)", types.BOOLEAN)


def _is_below_not(node: exp.Expr) -> bool:
    place = node.parent
    while isinstance(place, exp.Paren):
        place = place.parent
    return isinstance(place, exp.Not)


def _comparable_sql(value: Bound, member: Bound) -> tuple[str, str]:
    if types.NULL in (value.type, member.type):
        return value.sql, member.sql
    left, right = comparable_pair(value, member)
    return left.sql, right.sql


def _quantified_comparison(binder: ExpressionBinder, node: exp.Binary, inner: Environment, *, is_test: bool) -> Bound:
    """Bind a comparison with ANY or ALL rows of a query."""
    operator = COMPARISONS.get(type(node))
    side = node.expression
    query = side.this
    if operator is None:
        raise InvalidInputError(f"This is not supported: {render(node)}")
    if not isinstance(query, exp.Query):
        # Each element of a list is a row.
        query = exp.select(exp.Explode(this=query.unnest().copy()))
    value, bound = binder.bind(node.this), inner.bind(query, inner)
    is_all = isinstance(side, exp.All)
    if operator == ("<>" if is_all else "="):
        is_negated = is_all or _is_below_not(node)
        found = _member(value, bound, inner, is_test=is_test, is_negated=is_negated)
        return negation(found) if is_all else found
    found = _any(value, operator if isinstance(side, exp.Any) else NEGATED[operator], bound)
    return found if isinstance(side, exp.Any) else negation(found)


def _any(value: Bound, operator: Operator, query: BoundQuery) -> Bound:
    """Return whether a comparison holds for any row.

    It is enough to compare with the smallest and the greatest value.
    """
    (column,) = _columns(query, 1)
    facts = "struct(min(c0) AS low, max(c0) AS high, count(1) AS `all`, count(c0) AS known)"
    found = f"(SELECT {facts} FROM ({query.nested_sql}))"
    low, high = (Bound(f"{found}.{end}", shape_of(column.type)) for end in ("low", "high"))
    ends = {">": (low,), ">=": (low,), "<": (high,), "<=": (high,)}.get(operator, (low, high))
    holds = " OR ".join(comparison(value, operator, end).sql for end in ends)
    unknown = f"{value.sql} IS NULL OR {found}.known < {found}.`all`"
    none = f"WHEN {found}.`all` = 0 THEN FALSE"
    return Bound(f"(CASE {none} WHEN {holds} THEN TRUE WHEN {unknown} THEN NULL ELSE FALSE END)", types.BOOLEAN)


def _columns(query: BoundQuery, count: int) -> tuple[Field, ...]:
    if len(query.columns) != count:
        raise InvalidInputError(f"Binder Error: Subquery returns {len(query.columns)} columns - expected {count}")
    return query.columns
