"""Kinds of the parser's nodes: aggregates, subqueries and functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sqlglot import exp

from forklake.model.names import fold
from forklake.model.predicate import Operator
from forklake.sql.expressions.aggregates import AGGREGATES, WINDOWS
from forklake.sql.vocabulary import BY_NAME

COMPARISONS: Final[Mapping[type[exp.Expr], Operator]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}


def is_subquery(node: exp.Expr) -> bool:
    """Return whether a node contains a query as its operand.

    It is a scalar subquery, EXISTS, IN, or a comparison with ANY or ALL.
    """
    if isinstance(node, exp.Query | exp.Exists):
        return True
    if isinstance(node, exp.In):
        return node.args.get("query") is not None
    return isinstance(node, exp.Binary) and isinstance(node.args.get("expression"), exp.Any | exp.All)


def is_aggregate(node: exp.Expr) -> bool:
    """Return whether a node is an aggregate or a window function.

    This includes the nodes that the parser wraps around one.
    """
    if isinstance(node, exp.Anonymous):
        return fold(node.name) in AGGREGATES or fold(node.name) in WINDOWS
    if isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        return True
    return type(node) in AGGREGATES or type(node) in WINDOWS or isinstance(node, exp.AggFunc)


def is_varying(node: exp.Expr) -> bool:
    """Return whether an expression may give another value each time for one row."""
    return any(isinstance(one, exp.Func) and _is_varying_call(one) for one in node.walk())


def _is_varying_call(node: exp.Func) -> bool:
    declared = BY_NAME.get("random" if isinstance(node, exp.Rand) else fold(function_name(node)))
    return declared is not None and declared.is_varying


def function_name(node: exp.Func) -> str:
    """Return the name of a function, as written if that is known."""
    if isinstance(node, exp.Anonymous):
        return node.name
    return str(node.meta.get("name") or node.sql_name().lower())


def call_node(name: str, arguments: list[exp.Expr]) -> exp.Expr:
    """Return a call of a function as the parser makes it."""
    try:
        return exp.func(name, *arguments, dialect="duckdb")
    except ValueError:  # too many arguments for the parser's node; binding says so
        return exp.Anonymous(this=name, expressions=arguments)


def call_arguments(node: exp.Func) -> list[exp.Expr]:
    """Return the arguments of a function, in the parser's order."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    found = []
    for value in node.args.values():
        found += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, exp.Expr)]
    return found


def parts_of_row(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield a node and all nodes below it, except those of subqueries."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, exp.Query):
            waiting += [part for part in one.iter_expressions() if not isinstance(part, exp.Query)]


def is_aggregated(node: exp.Expr) -> bool:
    """Return whether an expression contains an aggregate that is no window function."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, exp.Query):
            continue
        if isinstance(one, exp.Window):
            called = one.this
            while isinstance(called, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
                called = called.this
            waiting += [*called.iter_expressions(), *(one.args.get("partition_by") or ())]
            if one.args.get("order") is not None:
                waiting.append(one.args["order"])
            continue
        if is_aggregate(one):
            return True
        waiting += list(one.iter_expressions())
    return False
