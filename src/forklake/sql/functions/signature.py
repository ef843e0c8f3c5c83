"""The signature of functions, and helpers to write them.

A function takes bound arguments and the node that calls it, and returns a bound expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import MOMENTS, TEXTS, Bound
from forklake.sql.expressions.casts import cast, naive
from forklake.sql.expressions.render import render

Function = Callable[[Sequence[Bound], exp.Expr], Bound]
"""A function from arguments to a bound expression.

The node is for messages, and for its parts besides the arguments."""
Nodes = Mapping[type[exp.Expr], tuple[Function, Sequence[str]]]
"""Functions by node of the parser, each with the parts that the node may have, arguments first."""

THIS: Final = ("this",)
TWO: Final = ("this", "expression")
ALL: Final = ("this", "expressions")


def wrong_type(value: Bound, node: exp.Expr) -> InvalidInputError:
    """Return the error for an argument of the wrong type."""
    return InvalidInputError(
        f"Binder Error: No function matches the given name and argument types: {render(node)} with a value of type"
        f" {value.type.sql_name}. You might need to add explicit type casts."
    )


def text(value: Bound, node: exp.Expr) -> str:
    """Return the SQL of a text argument."""
    if value.type not in TEXTS and value.type != types.NULL:
        raise wrong_type(value, node)
    return cast(value, types.VARCHAR).sql


def whole(value: Bound, node: exp.Expr) -> str:
    """Return the SQL of an integer argument, in 32 bits."""
    if value.is_untyped:
        value = cast(value, types.INT32)
    if not isinstance(value.type, types.Integer) and value.type != types.NULL:
        raise wrong_type(value, node)
    return value.literal if value.literal is not None else f"CAST({value.sql} AS INT)"


def position(value: Bound, node: exp.Expr) -> str:
    """Return the SQL of an integer argument, in 64 bits."""
    if value.is_untyped:
        value = cast(value, types.INT64)
    if not isinstance(value.type, types.Integer) and value.type != types.NULL:
        raise wrong_type(value, node)
    return cast(value, types.INT64).sql


def double(value: Bound, node: exp.Expr) -> str:
    """Return the SQL of a numeric argument, as a 64 bit float."""
    if not isinstance(value.type, types.Number) and value.type != types.NULL and not value.is_untyped:
        raise wrong_type(value, node)
    return cast(value, types.FLOAT64).sql


def moment(value: Bound, node: exp.Expr) -> str:
    """Return the SQL of a date or timestamp, as a timestamp without time zone."""
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
    """Return a function whose arguments are all text.

    The pattern is Spark SQL with ``{0}``, ``{1}`` for the arguments.
    """
    return lambda values, node: Bound(pattern.format(*(text(value, node) for value in values)), result)


def of_doubles(pattern: str, result: Type = types.FLOAT64) -> Function:
    """Return a function whose arguments are all numbers; the pattern as in `of_text`."""
    return lambda values, node: Bound(pattern.format(*(double(value, node) for value in values)), result)


def constant_text(value: Bound, node: exp.Expr, what: str) -> str:
    """Return the text of an argument that must be a constant."""
    if value.literal is None:
        raise InvalidInputError(f"The {what} must be a constant: {render(node)}")
    return value.literal


def element_of(value: Bound, node: exp.Expr) -> Bound:
    """Return a placeholder with the type of a list's elements."""
    if not isinstance(value.type, types.List):
        raise wrong_type(value, node)
    return Bound("", value.type.element.type)
