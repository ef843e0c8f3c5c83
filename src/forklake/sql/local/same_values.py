"""Which expressions have the same value on both engines.

Functions and types tell.

What is not listed here runs on Spark, whatever the size of its tables: an answer never changes because a table grew.
The differences from DuckDB that `docs/guide/sql.md` lists are the reason for what is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.nodes import COMPARISONS, call_arguments, function_name
from forklake.sql.expressions.render import BoundNode, render
from forklake.sql.local.same_functions import ARITHMETIC, BY_NODE, EXACT_TERMS, NAMED, Test
from forklake.sql.local.same_types import are_alike, are_choices, is_handed_over, is_same_cast, is_scalar
from forklake.sql.vocabulary import BY_NAME


def different_value(values: Sequence[tuple[exp.Expr, Bound]]) -> str | None:
    """Return an expression that may have another value on the other engine.

    None: all of them are the same on both. ``values`` are the expressions of a query with what they were bound to.
    """
    known = {id(node): bound for node, bound in values}
    for node, bound in values:
        if not _is_same(node, bound, known):
            kind = f"a value of type {bound.type.sql_name}"
            return kind if isinstance(node, exp.Column | BoundNode) else describe_node(node)
    return None


_SHOWN: Final = 60
"""How many letters of a node a message shows."""


def describe_node(node: exp.Expr) -> str:
    """Return what a node is called where a message tells of it."""
    if isinstance(node, exp.Cast):
        return "this CAST"
    if isinstance(node, exp.Func) and not isinstance(node, exp.Case):
        return f"{function_name(node).lower()}()"
    if isinstance(node, exp.Column):
        return f'column "{node.name}"'
    text = render(node)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def listed_name(node: exp.Expr) -> str | None:
    """Return the name under which a function is listed, if it is."""
    if not isinstance(node, exp.Func) or type(node) in BY_NODE:
        return None
    declared = BY_NAME.get(function_name(node).lower())
    return declared.name if declared is not None and declared.name in NAMED else None


def listed_arguments(node: exp.Func, name: str) -> list[exp.Expr]:
    """Return the arguments of a listed function, without those that the parser adds."""
    return call_arguments(node)[: BY_NAME[name].most]


def _is_same(node: exp.Expr, bound: Bound, known: Mapping[int, Bound]) -> bool:
    kind = type(node)
    if kind in _PASSED_ON:
        return is_scalar(bound.type) or is_handed_over(bound.type)
    if isinstance(node, exp.Interval):
        return isinstance(node.this, exp.Literal)
    name = listed_name(node)
    is_nested = isinstance(bound.type, types.Nested)
    if is_nested and not is_handed_over(bound.type):
        return False
    if not is_nested and not is_scalar(bound.type):
        return False
    if isinstance(node, exp.Neg) and bound.literal is not None:
        return True
    if name is not None and isinstance(node, exp.Func):
        return _all_known(listed_arguments(node, name), known, NAMED[name])
    if is_nested and kind not in _NESTING:
        return False
    if kind in COMPARISONS or kind in _COMPARING:
        test = are_choices if kind in _CHOOSING else are_alike
        return all(_all_known(values, known, test) for values in _operand_groups(node))
    if isinstance(node, exp.Window | exp.Filter):
        return _is_same_over(node, known)
    listed = BY_NODE.get(kind)
    if listed is None:
        return kind in _FREE
    if kind in ARITHMETIC:
        return _all_known(_chain(node), known, listed)
    if isinstance(node, exp.Cast):
        return _all_known([node.this], known, lambda found: is_same_cast(found[0], bound.type))
    return _all_known(_arguments(node), known, listed)


def _is_same_over(node: exp.Window | exp.Filter, known: Mapping[int, Bound]) -> bool:
    """Return whether an aggregate of a window, or of some rows, is the same.

    Sums of floats are not where windows overlap: the engines add their parts in another order.
    """
    called = node.this
    while isinstance(called, exp.Filter):
        called = called.this
    test = BY_NODE.get(type(called))
    if test is None:
        return type(called) in _FREE
    if isinstance(node, exp.Window) and isinstance(called, exp.Sum):
        test = EXACT_TERMS
    return _all_known(_arguments(called), known, test)


def _all_known(nodes: Iterable[exp.Expr], known: Mapping[int, Bound], test: Test) -> bool:
    found = [known.get(id(node)) for node in nodes]
    values = [one for one in found if one is not None]
    return len(values) == len(found) and test(values)


# ---- operands --------------------------------------------------------------------------------------------------------


def _operand_groups(node: exp.Expr) -> list[list[exp.Expr]]:
    """Return the operands of a node, in groups that take one type each."""
    match node:
        case exp.Case():
            branches = node.args.get("ifs", ())
            results = [branch.args["true"] for branch in branches]
            results += [node.args["default"]] if node.args.get("default") is not None else []
            tests = [] if node.args.get("this") is None else [[node.this, branch.this] for branch in branches]
            return [results, *tests]
        case exp.If():
            return [[one for one in (node.args["true"], node.args.get("false")) if one is not None]]
        case exp.Between():
            return [[node.this, node.args["low"], node.args["high"]]]
        case exp.In() if node.args.get("query") is not None:
            return [[node.this, *_first_item(node.args["query"])]]
        case exp.In():
            return [[node.this, *node.expressions]]
        case exp.Binary():
            return [[node.this, node.expression]]
    return [_arguments(node)]


def _first_item(query: exp.Expr) -> list[exp.Expr]:
    """Return the column of a subquery.

    Where it is not plain, return the query itself, of which nothing is known.
    """
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return [query]
    only = query.expressions[0]
    return [only.this if isinstance(only, exp.Alias) else only]


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Struct):
        return [one.expression if isinstance(one, exp.PropertyEQ) else one for one in node.expressions]
    if isinstance(node, exp.Dot):
        return [node.this]
    if not isinstance(node, exp.Func):
        return [node.this, node.expression] if isinstance(node, exp.Binary) else [node.this]
    found: list[exp.Expr] = []
    for one in call_arguments(node):
        inner = one.this if isinstance(one, exp.Order) else one
        found += inner.expressions if isinstance(inner, exp.Distinct) else [inner]
    return [one for one in found if not isinstance(one, exp.Var | exp.Star)]


def _chain(node: exp.Expr) -> list[exp.Expr]:
    """Return the operands of a chain of calculations.

    Its inner nodes are not bound by themselves.
    """
    found: list[exp.Expr] = []
    while type(node) in ARITHMETIC:
        found.append(node.expression)
        node = node.this
    return [node, *found]


# ---- what is listed --------------------------------------------------------------------------------------------------

_PASSED_ON: Final = frozenset({exp.Column, exp.Identifier, exp.Paren, exp.Subquery, BoundNode})
_COMPARING: Final = frozenset(
    {
        exp.In,
        exp.Between,
        exp.Case,
        exp.If,
        exp.Coalesce,
        exp.Nullif,
        exp.NullSafeEQ,
        exp.NullSafeNEQ,
    }
)
_FREE: Final = frozenset(
    {
        exp.And,
        exp.Or,
        exp.Not,
        exp.Is,
        exp.Literal,
        exp.Boolean,
        exp.Null,
        exp.Exists,
        exp.Select,
        exp.RowNumber,
        exp.Rank,
        exp.DenseRank,
    }
)
"""Nodes whose operands are conditions, or are checked by themselves."""
_CHOOSING: Final = frozenset({exp.Case, exp.Coalesce, exp.If})
_NESTING: Final = frozenset({exp.ArrayAgg, exp.Array, exp.Bracket, exp.Dot, exp.Explode, exp.Struct, *_CHOOSING})
"""Nodes that may give lists and structs."""
LISTED: Final = frozenset(
    {*BY_NODE, *_PASSED_ON, *_COMPARING, *_FREE, *COMPARISONS, exp.Interval, exp.Window, exp.Filter}
)
"""The kinds of expressions that may have the same value on both engines."""
