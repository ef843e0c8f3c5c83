"""What a function is here: from bound arguments, and the node that calls it, to a bound expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import MOMENTS, TEXTS, Bound
from forklake.sql.expressions.casts import cast, naive
from forklake.sql.expressions.render import shown

Function = Callable[[Sequence[Bound], exp.Expr], Bound]
"""The node is for messages, and for what is said in it beside arguments."""
Nodes = Mapping[type[exp.Expr], tuple[Function, Sequence[str]]]
"""By node of the parser: what it means, and which parts of the node that takes, arguments first."""

THIS: Final = ("this",)
TWO: Final = ("this", "expression")
ALL: Final = ("this", "expressions")


def wrong_type(value: Bound, node: exp.Expr) -> InvalidInputError:
    """Return the refusal of an argument."""
    return InvalidInputError(
        f"Binder Error: No function matches the given name and argument types: {shown(node)} with a value of type"
        f" {value.type.sql_name}. You might need to add explicit type casts."
    )


def text(value: Bound, node: exp.Expr) -> str:
    """Return text."""
    if value.type not in TEXTS and value.type != types.NULL:
        raise wrong_type(value, node)
    return cast(value, types.VARCHAR).sql


def whole(value: Bound, node: exp.Expr) -> str:
    """Return a whole number that Spark has in 32 bits."""
    if value.is_untyped:
        value = cast(value, types.INT32)
    if not isinstance(value.type, types.Integer) and value.type != types.NULL:
        raise wrong_type(value, node)
    return value.literal if value.literal is not None else f"CAST({value.sql} AS INT)"


def double(value: Bound, node: exp.Expr) -> str:
    """Return a number as a float of 64 bits."""
    if not isinstance(value.type, types.Number) and value.type != types.NULL and not value.is_untyped:
        raise wrong_type(value, node)
    return cast(value, types.FLOAT64).sql


def moment(value: Bound, node: exp.Expr) -> str:
    """Return a date or timestamp as a timestamp without zone."""
    if value.type == types.NULL:
        return "CAST(NULL AS TIMESTAMP_NTZ)"
    if value.is_untyped:
        value = cast(value, types.TIMESTAMP)
    if value.type == types.TIMESTAMP_NS:
        value = cast(value, types.TIMESTAMP)
    if value.type not in MOMENTS:
        raise wrong_type(value, node)
    return naive(value)


def of_text(pattern: str, result: Type = types.VARCHAR) -> Function:
    """Return a function of text alone; the pattern has ``{0}``, ``{1}`` for its arguments."""
    return lambda values, node: Bound(pattern.format(*(text(value, node) for value in values)), result)


def of_doubles(pattern: str, result: Type = types.FLOAT64) -> Function:
    """Return a function of numbers alone."""
    return lambda values, node: Bound(pattern.format(*(double(value, node) for value in values)), result)


def constant_text(value: Bound, node: exp.Expr, what: str) -> str:
    """Return text that must be a constant."""
    if value.literal is None:
        raise InvalidInputError(f"The {what} must be a constant: {shown(node)}")
    return value.literal


def element_of(value: Bound, node: exp.Expr) -> Bound:
    """Return what stands for the elements of a list: its type is theirs."""
    if not isinstance(value.type, types.List):
        raise wrong_type(value, node)
    return Bound("", value.type.element.type)
