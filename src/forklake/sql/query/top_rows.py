"""Queries of the first rows in the order of a column, and which rows they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from forklake.model import types
from forklake.model.predicate import Comparison, IsNull, Nothing, Predicate
from forklake.model.top_rows import TopRows
from forklake.sql.expressions.bound import Bound, either
from forklake.sql.expressions.comparisons import NEGATED
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.query.from_clause import Source
from forklake.sql.query.ordering import OrderKey

_LAST: Final = "NULLS LAST"
_COMPARISONS: Final = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_SORTED: Final = types.Boolean | types.Integer | types.Float | types.Decimal | types.Date | types.Timestamp | types.Uuid
"""Types whose bounds are in the order that queries sort by; text is another."""


def top_rows(
    source: Source, where: exp.Expr | None, order: Sequence[OrderKey], first: Bound, binder: ExpressionBinder
) -> tuple[str, TopRows] | None:
    """Return the only scan of a query, and the order of its first rows.

    None if that tells nothing: NULL comes first, or the order is not by a column of the table, or it cannot be told
    which rows WHERE leaves out.

    Args:
        source: What the query reads; each row of it that WHERE keeps gives one row of the result.
        where: The condition.
        order: The keys of ORDER BY.
        first: What the first of them is.
        binder: Binds parts of the condition.
    """
    scan = None if source.only is None else source.only.table.scan
    column = first.field
    if scan is None or column is None or column.column_id is None or not order[0].ending.endswith(_LAST):
        return None
    fields = source.scope.reading.relation(scan).columns
    is_sorted = isinstance(column.type, _SORTED) or column.type == types.VARCHAR
    if not is_sorted or all(field.column_id != column.column_id for field in fields):
        return None
    excluded = _excluded_rows(where, binder)
    if excluded is None:
        return None
    return scan, TopRows(column.name, column.column_id, column.type, order[0].ending.startswith("DESC"), excluded)


def _excluded_rows(where: exp.Expr | None, binder: ExpressionBinder) -> Predicate | None:
    """Return what holds for all rows that a condition leaves out.

    Rows with NULL in its columns do not count. None if that is not known.
    It is known for comparisons of columns with constants, and for several of these with AND.
    """
    if where is None:
        return Nothing()
    found: list[Predicate] = []
    for part in where.flatten() if isinstance(where, exp.And) else [where]:
        if not _is_simple(part.unnest()):
            return None
        bound = binder.condition(part)
        if bound.when_false != _negation(bound.when_true):
            return None
        found.append(bound.when_false)
    return either(found)


def _is_simple(node: exp.Expr) -> bool:
    """Return whether a condition is NULL only where its column or constant is."""
    if not isinstance(node, _COMPARISONS):
        return False
    sides = [node.this.unnest(), node.expression.unnest()]
    columns = [isinstance(side, exp.Column) for side in sides]
    return any(columns) and not all(columns) and not any(part.find(exp.Query) for part in sides)


def _negation(predicate: Predicate) -> Predicate | None:
    match predicate:
        case Comparison(column, kind, operator, value):
            return Comparison(column, kind, NEGATED[operator], value)
        case IsNull(column, is_null):
            return IsNull(column, not is_null)
    return None
