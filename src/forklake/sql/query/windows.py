"""Window functions, and calls of aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.casting.intervals import parse_interval
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.sql.expressions.aggregates import ARGUMENTS, aggregate, aggregate_name
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.calls import Call, Key
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.query.excluded_rows import Peers, aggregate_without, reads_its_frame
from forklake.sql.vocabulary import BY_NAME

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder

_EDGES: Final = {"preceding": "PRECEDING", "following": "FOLLOWING"}


@dataclass(frozen=True, slots=True)
class _Window:
    """A window in Spark SQL.

    Attributes:
        over: What follows OVER.
        peers: The same without the frame, but always with an order.
        excluded: What follows EXCLUDE, if rows are to be excluded.
    """

    over: str
    peers: Peers
    excluded: str | None


def bind_aggregate(binder: ExpressionBinder, node: exp.Expr, window: _Window | None = None) -> Bound:
    """Bind an aggregate, with the clauses around its arguments.

    Raises:
        InvalidInputError: It is not supported, or does not take such values.
    """
    call = Call(over=None if window is None else window.over)
    before: list[Bound] = []
    while isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
        match node:
            case exp.Filter():
                call = replace(call, where=binder.condition(node.expression.this))
            case exp.IgnoreNulls():
                call = replace(call, ignores_nulls=True)
            case exp.WithinGroup():
                keys = sort_keys(binder, node.expression)
                before = [key.value for key in keys]
                call = replace(call, order=keys)
        node = node.this
    arguments: list[exp.Expr] = []
    names = ARGUMENTS.get(type(node)) or (() if type(node) in ARGUMENTS else ("expressions",))
    for name, value in node.args.items():
        if name not in names and isinstance(value, exp.Expr):
            raise InvalidInputError(f"This is not supported in an aggregate: {render(node)}")
    for name in names:
        value = node.args.get(name)
        arguments += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, exp.Expr)]
    plain: list[exp.Expr] = []
    for one in arguments:
        call, parts = _unwrap(binder, one, call)
        plain += parts
    values = [binder.bind(one) for one in plain if not isinstance(one, exp.Star)]
    values = [*before, *values]
    found = aggregate(node, values, call)
    if window is None or window.excluded is None or not reads_its_frame(aggregate_name(node)):
        return found
    name = BY_NAME[aggregate_name(node)].name
    return cast(aggregate_without(window.excluded, name, values, call, window.peers, node), found.type)


def _unwrap(binder: ExpressionBinder, node: exp.Expr, call: Call) -> tuple[Call, list[exp.Expr]]:
    """Return the arguments inside DISTINCT and ORDER BY, and the extended call."""
    if isinstance(node, exp.Order):
        call = replace(call, order=sort_keys(binder, node))
        return (call, []) if node.this is None else _unwrap(binder, node.this, call)
    if isinstance(node, exp.IgnoreNulls):
        return _unwrap(binder, node.this, replace(call, ignores_nulls=True))
    if isinstance(node, exp.Distinct):
        found: list[exp.Expr] = []
        call = replace(call, is_distinct=True)
        for one in node.expressions:
            call, parts = _unwrap(binder, one, call)
            found += parts
        return call, found
    return call, [node]


def sort_keys(binder: ExpressionBinder, node: exp.Expr) -> tuple[Key, ...]:
    """Bind the keys of an ORDER BY.

    NULL comes last in both directions, unless the key says otherwise.
    """
    return tuple(
        Key(binder.bind(one.this), bool(one.args.get("desc")), bool(one.args.get("nulls_first")))
        for one in node.expressions
    )


def bind_window(binder: ExpressionBinder, node: exp.Window, windows: Mapping[str, exp.Window]) -> Bound:
    """Bind a window function.

    Raises:
        InvalidInputError: The window does not exist, or Spark does not support it.
    """
    return bind_aggregate(binder, node.this, _definition(binder, node, windows))


def _definition(binder: ExpressionBinder, node: exp.Window, windows: Mapping[str, exp.Window]) -> _Window:
    partition: Sequence[exp.Expr] = node.args.get("partition_by") or ()
    order, spec = node.args.get("order"), node.args.get("spec")
    alias = node.args.get("alias")
    while alias is not None:
        base = windows.get(fold(alias.name))
        if base is None:
            raise InvalidInputError(f'Parser Error: window "{alias.name}" does not exist')
        partition, order = partition or base.args.get("partition_by") or (), order or base.args.get("order")
        spec, alias = spec or base.args.get("spec"), base.args.get("alias")
    keys = () if order is None else sort_keys(binder, order)
    called = _function_of(node.this)
    head = f"PARTITION BY {', '.join(binder.bind(one).sql for one in partition)} " if partition else ""
    # Spark needs an order for functions that count rows; where none is said, any order is fine.
    ordering = f"ORDER BY {', '.join(key.sql for key in keys) or text_literal('any')}"
    peers = Peers(head, ordering)
    if spec is None or not reads_its_frame(aggregate_name(called)):
        return _Window(peers.sql if keys or _needs_order(called) else f"({head.strip()})", peers, None)
    excluded = "" if spec.args.get("exclude") is None else spec.args["exclude"].name.upper()
    kind = str(spec.args.get("kind") or "rows").upper()
    if kind == "GROUPS":
        # The rows of a group have one number, and groups that follow each other have numbers that do.
        kind, ordering = "RANGE", f"ORDER BY dense_rank() OVER {peers.sql}"
    elif not keys and not excluded and not _needs_order(called):
        ordering = ""
    start = _edge(binder, spec, "start")
    end = _edge(binder, spec, "end") if spec.args.get("end") else "CURRENT ROW"
    over = f"({head}{ordering} {kind} BETWEEN {start} AND {end})"
    return _Window(over, peers, excluded if excluded not in ("", "NO OTHERS") else None)


def _function_of(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
        node = node.this
    return node


def _needs_order(node: exp.Expr) -> bool:
    return not isinstance(node, exp.AggFunc) or isinstance(
        node, exp.RowNumber | exp.Rank | exp.DenseRank | exp.Ntile | exp.Lag | exp.Lead | exp.NthValue
    )


def _edge(binder: ExpressionBinder, spec: exp.Expr, name: str) -> str:
    value, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "")
    if not isinstance(value, exp.Expr):
        return "CURRENT ROW" if str(value).upper() == "CURRENT ROW" else f"UNBOUNDED {_EDGES[side.lower()]}"
    bound = binder.bind(value)
    if bound.type == types.INTERVAL and bound.literal is not None:
        return f"{_interval(bound.literal, value)} {_EDGES[side.lower()]}"
    if bound.literal is None or not bound.literal.isdecimal():
        raise InvalidInputError(f"The edge of a window must be a whole number: {render(value)}")
    return f"{bound.literal} {_EDGES[side.lower()]}"


def _interval(text: str, node: exp.Expr) -> str:
    """Return an interval as a Spark literal, of months, or of days and less."""
    span = parse_interval(text)
    if span.months and not span.days and not span.micros:
        return f"INTERVAL '{span.months}' MONTH"
    if span.days and not span.months and not span.micros:
        return f"INTERVAL '{span.days}' DAY"
    if span.months or span.days < 0 or span.micros < 0:
        raise InvalidInputError(f"The edge of a window is in months, or in days and less: {render(node)}")
    seconds, rest = divmod(span.micros, 10**6)
    days, hours = divmod(seconds // 3600, 24)
    clock = f"{hours}:{seconds // 60 % 60}:{seconds % 60}.{rest:06d}"
    return f"INTERVAL '{span.days + days} {clock}' DAY TO SECOND"
