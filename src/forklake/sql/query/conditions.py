"""Conditions over several tables, and the predicates on each that they imply."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.comparisons import conjunction
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.query.scope import Scope


def bind_conditions(binder: ExpressionBinder, node: exp.Expr, scope: Scope, limited: Collection[str]) -> Bound:
    """Bind a condition, and limit scans by those parts that use one table only.

    ``limited`` are the aliases of tables that may be limited: rows of these matter only where the condition is
    true.
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
