"""Constants as Python values, and Python values as expressions.

Some are needed before the query runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.files.casting.intervals import Interval, parse_interval
from forklake.files.casting.python_values import from_python, to_python
from forklake.files.casting.texts import format_value, parse_value
from forklake.model import types
from forklake.model.names import fold
from forklake.model.types.constants import type_of
from forklake.sql.borne_names import names_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import constant
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.render import BoundNode, render
from forklake.sql.parse.grammar import PLACE_AS_WRITTEN
from forklake.sql.relation import Names

_NOW: Final = frozenset({"now", "current_timestamp", "transaction_timestamp", "get_current_timestamp"})
_OPERATIONS: Final[Mapping[type[exp.Expr], Callable[[Any, Any], Any]]] = {
    exp.Add: lambda one, other: one + other,
    exp.Sub: lambda one, other: one - other,
    exp.Mul: lambda one, other: one * other,
    exp.DPipe: lambda one, other: f"{one}{other}",
}
_OF_NUMBERS: Final = (exp.Add, exp.Sub, exp.Mul)
_TEXTS_AND_LISTS: Final = (str, bytes, list, dict)


class _NoColumns(Site):
    """A site where only constants are allowed."""

    def column(self, names: Any) -> Bound:
        raise InvalidInputError(f'Binder Error: Table function cannot contain columns: "{".".join(names)}"')


def python_value(node: exp.Expr, names: Names) -> Any:
    """Return a constant as a Python value.

    It is None, a bool, int, Decimal, float, str, date, datetime, timedelta, or a list.

    Raises:
        InvalidInputError: It is no constant.
    """
    match node:
        case exp.Paren():
            return python_value(node.this, names)
        case exp.Array():
            return [python_value(one, names) for one in node.expressions]
        case exp.Struct() if all(isinstance(one, exp.PropertyEQ) for one in node.expressions):
            return {one.this.name: python_value(one.expression, names) for one in node.expressions}
        case exp.CurrentTimestamp():
            return datetime.now(UTC)
        case exp.CurrentDate():
            return datetime.now(UTC).date()
        case exp.Anonymous() if fold(node.name) in _NOW:
            return datetime.now(UTC)
        case exp.Anonymous() if fold(node.name) == "getvariable" and len(node.expressions) == 1:
            return names_of(node, names).variable(str(python_value(node.expressions[0], names)))
        case exp.Bracket() if len(node.expressions) == 1 and not isinstance(node.expressions[0], exp.Slice):
            return _part(node, names)
        case exp.Neg():
            return _compute(node, lambda value: -value, python_value(node.this, names))
        case exp.Interval():
            return _interval(node, names)
        case exp.Cast() | exp.TryCast():
            return _cast(node, names)
    if type(node) in _OPERATIONS:
        one, other = python_value(node.this, names), python_value(node.expression, names)
        return _compute(node, _OPERATIONS[type(node)], one, other)
    bound = ExpressionBinder(_NoColumns()).bind(node)
    if bound.type == types.NULL:
        return None
    if bound.literal is None:
        raise InvalidInputError(f"Binder Error: Only constants can be given here, not: {render(node)}")
    return _parse_constant(bound, bound.literal)


def _part(node: exp.Bracket, names: Names) -> Any:
    """Return an element of a list or a field of a struct; NULL if there is none.

    Positions count from one, or from the end if they are negative.
    """
    value, key = python_value(node.this, names), python_value(node.expressions[0], names)
    if isinstance(value, list) and isinstance(key, int):
        place = key if node.meta.get(PLACE_AS_WRITTEN) else key + 1
        return value[place - 1 if place > 0 else place] if place and -len(value) <= place <= len(value) else None
    return _compute(node, lambda: value.get(key)) if isinstance(value, dict) else _compute(node, lambda: value[key])


def _compute(node: exp.Expr, operation: Callable[..., Any], *values: Any) -> Any:
    """Return the result of an operation; NULL if an operand is NULL."""
    if None in values:
        return None
    try:
        if isinstance(node, _OF_NUMBERS) and any(isinstance(value, _TEXTS_AND_LISTS) for value in values):
            raise TypeError("Python would repeat or join it")
        return operation(*values)
    except (TypeError, ArithmeticError) as error:
        raise InvalidInputError(f"Binder Error: This cannot be computed: {render(node)}") from error


def _interval(node: exp.Expr, names: Names) -> timedelta:
    amount = python_value(node.this, names)
    unit = node.args.get("unit")
    text = f"{amount} {'' if unit is None else unit.name}".strip()
    with _conversion():
        return _span(parse_interval(text))


def _span(interval: Interval) -> timedelta:
    # A month counts for thirty days, as where DuckDB compares intervals.
    return timedelta(days=interval.months * 30 + interval.days, microseconds=interval.micros)


def _cast(node: exp.Expr, names: Names) -> Any:
    value = python_value(node.this, names)
    if value is None:
        return None
    known = type(node)(this=BoundNode(bound=bound_value(value)), to=node.args["to"].copy())
    bound = ExpressionBinder(_NoColumns()).bind(known)
    if bound.literal is None:
        raise InvalidInputError(f"Binder Error: Only constants can be given here, not: {render(node)}")
    return _parse_constant(bound, bound.literal)


def _parse_constant(bound: Bound, text: str) -> Any:
    with _conversion():
        value = parse_value(bound.type, text)
        return _span(value) if isinstance(value, Interval) else to_python(bound.type, [value])[0]


@contextmanager
def _conversion() -> Iterator[None]:
    """Say in DuckDB's words that a text is no value of its type."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f"Conversion Error: {error}") from error


def bound_value(value: Any) -> Bound:
    """Return a Python value as a constant.

    Raises:
        InvalidInputError: There is no such constant.
    """
    if value is None:
        return Bound("NULL", types.NULL)
    if isinstance(value, Decimal) and not value.is_finite():
        value = float(value)
    kind = type_of(value)
    if kind is None or isinstance(kind, types.Nested):
        raise InvalidInputError(f"A value of type {type(value).__name__} cannot be used as a constant.")
    if isinstance(value, timedelta):
        return constant(types.INTERVAL, str(Interval(0, value.days, value.seconds * 10**6 + value.microseconds)))
    if isinstance(value, str):
        return constant(types.VARCHAR, value)
    return constant(kind, format_value(kind, from_python(kind, [value])[0]))


def constant_node(value: Any) -> exp.Expr:
    """Return a Python value as a node of a tree; it may be a list or a dict."""
    if isinstance(value, list | tuple):
        return exp.Array(expressions=[constant_node(one) for one in value])
    if isinstance(value, dict):
        pairs = ((exp.to_identifier(str(key)), constant_node(one)) for key, one in value.items())
        return exp.Struct(expressions=[exp.PropertyEQ(this=key, expression=one) for key, one in pairs])
    return BoundNode(bound=bound_value(value))
