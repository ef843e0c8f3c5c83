"""The keys of GROUP BY: expressions, positions, aliases, ALL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import prod

from sqlglot import exp

from forklake.engine.text_budget import check_grouping_sets
from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.nodes import is_aggregated
from forklake.sql.expressions.render import render
from forklake.sql.query.environment import Environment
from forklake.sql.query.grouping import Grouping
from forklake.sql.query.items import Item
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.ordering import position
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite


def bind_grouping(
    group: exp.Expr | None,
    environment: Environment,
    scope: Scope,
    items: Sequence[Item],
    aliases: Mapping[str, exp.Expr],
) -> Grouping:
    """Bind the grouping of a query with aggregates.

    Raises:
        InvalidInputError: A key is no expression over rows.
        LimitError: There are too many grouping sets.
    """
    binder = ExpressionBinder(QuerySite(environment, scope, "GROUP BY", aliases))
    if group is None:
        return Grouping(environment, scope, ())
    if group.args.get("totals"):
        raise InvalidInputError(f"WITH TOTALS is not supported: {render(group)}")
    if group.args.get("all"):
        nodes = [item.node for item in items if not is_aggregated(item.node)]
        return Grouping(environment, scope, [(node, binder.bind(node)) for node in nodes])
    check_grouping_sets(prod(map(_choice_count, group.expressions)))
    keys: dict[exp.Expr, tuple[exp.Expr, Bound]] = {}
    for one in (key for part in group.expressions for choice in _choices(part) for key in choice):
        if one not in keys:
            node = _key(one, items, aliases, environment, scope)
            keys[one] = (node, binder.bind(node))
    chosen = [[key for part in parts for key in part] for parts in product(*map(_choices, group.expressions))]
    sets = [[keys[key][1] for key in dict.fromkeys(one)] for one in chosen] if len(chosen) > 1 else []
    return Grouping(environment, scope, list(keys.values()), sets)


def _choice_count(node: exp.Expr) -> int:
    """Return how many grouping sets a part of GROUP BY stands for; they are not made."""
    match node:
        case exp.Rollup():
            return len(node.expressions) + 1
        case exp.Cube():
            return 1 << len(node.expressions)
        case exp.GroupingSets():
            return sum(map(_choice_count, node.expressions))
    return 1


def _choices(node: exp.Expr) -> list[list[exp.Expr]]:
    """Return the grouping sets of a part of GROUP BY; a key is one set of one."""
    match node:
        case exp.Tuple() if not node.expressions:
            return [[]]
        case exp.Rollup():
            parts = [_members(one) for one in node.expressions]
            return [[key for part in parts[:count] for key in part] for count in range(len(parts), -1, -1)]
        case exp.Cube():
            parts = [_members(one) for one in node.expressions]
            sets = (one for count in range(len(parts), -1, -1) for one in combinations(parts, count))
            return [[key for part in one for key in part] for one in sets]
        case exp.GroupingSets():
            return [one for part in node.expressions for one in _set_choices(part)]
    return [[node]]


def _set_choices(node: exp.Expr) -> list[list[exp.Expr]]:
    return _choices(node) if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets) else [_members(node)]


def _members(node: exp.Expr) -> list[exp.Expr]:
    """Return the keys in a pair of parentheses."""
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node.unnest()]


def _key(
    node: exp.Expr, items: Sequence[Item], aliases: Mapping[str, exp.Expr], environment: Environment, scope: Scope
) -> exp.Expr:
    """Return the expression of a key.

    A position or an alias refers to a column of the result.
    """
    inner = node.unnest()
    place = position(inner, len(items), "GROUP BY")
    if place is not None:
        return items[place].node
    if isinstance(inner, exp.Column) and len(inner.parts) == 1 and not scope.has(inner.name):
        return aliases.get(fold(inner.name), inner)
    return expand_macros(inner, environment.names.macro)
