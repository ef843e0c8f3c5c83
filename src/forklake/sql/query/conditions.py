"""Conditions on the rows of several tables, and what they say of each."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.comparisons import conjunction
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.query.scope import Scope


def bind_conditions(binder: ExpressionBinder, node: exp.Expr, scope: Scope, limited: Collection[str]) -> Bound:
    """Return a condition; each part of it that speaks of one table alone limits what is read of that.

    Only tables whose rows do not matter unless the condition is true of them may be ``limited``; these are aliases.
    """
    parts = []
    for part in node.flatten() if isinstance(node, exp.And) else [node]:
        scope.touched.clear()
        bound = binder.condition(part)
        parts.append(bound)
        if len(scope.touched) == 1:
            (alias,) = scope.touched
            scan = next((table.origin for table in scope.tables if table.alias == alias), None)
            if scan is not None and alias in limited:
                scope.reading.only(scan, bound.when_true)
    return parts[0] if len(parts) == 1 else conjunction(parts)
