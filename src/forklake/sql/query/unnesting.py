"""unnest() among the columns of a result: one row for each element of a list."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.bound import Bound, shaped
from forklake.sql.expression import ExpressionBinder


def check_unnested(nodes: Iterable[exp.Expr]) -> None:
    """Refuse several lists to be taken apart side by side: Spark would pair each element with each.

    Raises:
        InvalidInputError: There are several.
    """
    if sum(isinstance(node.unnest(), exp.Explode) for node in nodes) > 1:
        raise InvalidInputError("Several UNNEST() in one SELECT are not supported; nothing was run.")


def bind_item(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Return a column of a result; it may be the elements of a list, each in a row of its own.

    Raises:
        InvalidInputError: It is not understood.
    """
    inner = node.unnest()
    if not isinstance(inner, exp.Explode):
        return binder.bind(node)
    value = binder.bind(inner.this)
    if inner.expressions or value.type != "list" or value.field is None:
        raise InvalidInputError(f"UNNEST() of anything but a list is not supported here: {inner.sql('duckdb')}")
    return shaped(f"explode({value.sql})", value.field.children[0])
