"""Syntax trees of expressions that callers made of an engine's objects.

Operators and functions are those of DuckDB that mean the same; others are refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import reduce
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.expression import Constant, Expression, FunctionCall, NamedColumn
from forklake.model.quoting import quote_name
from forklake.sql.expressions.casts import clock_constant
from forklake.sql.expressions.render import BoundNode
from forklake.sql.parameters import literal
from forklake.sql.parse import parse_expression

_Maker = Callable[..., exp.Expr]


def _binary(kind: type[exp.Binary]) -> _Maker:
    return lambda left, right: kind(this=exp.Paren(this=left), expression=exp.Paren(this=right))


def _chain(kind: type[exp.Connector]) -> _Maker:
    """Return a function that joins conditions; binding walks the chain in a loop."""

    def make(*parts: exp.Expr) -> exp.Expr:
        wrapped: list[exp.Expr] = [exp.Paren(this=part) for part in parts]
        return reduce(lambda joined, part: kind(this=joined, expression=part), wrapped)

    return make


def _one_of(value: exp.Expr, *others: exp.Expr) -> exp.Expr:
    """Return whether a value is one of others.

    It never is one of none, not even where it is NULL.
    """
    if others:
        return exp.In(this=exp.Paren(this=value), expressions=list(others))
    is_null = exp.Is(this=exp.Paren(this=value), expression=exp.Null())
    return exp.Paren(this=exp.And(this=exp.false(), expression=is_null))


def _function(name: str) -> _Maker:
    """Return a function that makes the syntax tree of a call.

    The parser reads the call from text, so it is the node that it would be in a statement.
    """

    def make(*arguments: exp.Expr) -> exp.Expr:
        call = parse_expression(f"{name}({', '.join('NULL' for _ in arguments)})")
        places = list(call.find_all(exp.Null))
        for place, argument in zip(places, arguments, strict=True):
            place.replace(argument)
        return call

    return make


_MAKERS: Final[Mapping[str, _Maker]] = {
    "=": _binary(exp.EQ),
    "==": _binary(exp.EQ),
    "<=>": _binary(exp.NullSafeEQ),
    ">": _binary(exp.GT),
    ">=": _binary(exp.GTE),
    "<": _binary(exp.LT),
    "<=": _binary(exp.LTE),
    "and": _chain(exp.And),
    "or": _chain(exp.Or),
    "+": _binary(exp.Add),
    "-": _binary(exp.Sub),
    "*": _binary(exp.Mul),
    "/": _binary(exp.Div),
    "%": _binary(exp.Mod),
    "!": lambda one: exp.Not(this=exp.Paren(this=one)),
    "not": lambda one: exp.Not(this=exp.Paren(this=one)),
    "negative": lambda one: exp.Neg(this=exp.Paren(this=one)),
    "isNull": lambda one: exp.Is(this=exp.Paren(this=one), expression=exp.Null()),
    "isNotNull": lambda one: exp.Not(this=exp.Is(this=exp.Paren(this=one), expression=exp.Null())),
    "in": _one_of,
    "coalesce": _function("coalesce"),
    "upper": _function("upper"),
    "lower": _function("lower"),
    "length": _function("length"),
    "abs": _function("abs"),
    "startswith": _function("starts_with"),
    "endswith": _function("ends_with"),
    "contains": _function("contains"),
}


def expression_tree(said: Expression) -> exp.Expr:
    """Return the tree of an expression.

    Raises:
        InvalidInputError: It has a function of which it is not known that DuckDB has the same, or a constant that SQL
            has no word for. Or it is nested too deeply.
    """
    try:
        return _tree(said)
    except RecursionError as error:
        raise InvalidInputError("The expression is nested too deeply; nothing was done.") from error


def _tree(said: Expression) -> exp.Expr:
    match said:
        case NamedColumn(parts):
            return parse_expression(".".join(quote_name(part) for part in parts))
        case Constant(datetime() as value) if value.tzinfo is not None:
            return BoundNode(bound=clock_constant(value))
        case Constant(value):
            return literal(value)
        case FunctionCall(name, arguments):
            make = _MAKERS.get(name)
            if make is None:
                raise InvalidInputError(
                    f'The function "{name}" of a Column is not read; nothing was done.',
                    hint=f"Write it as SQL text, as DuckDB does. These are read: {', '.join(sorted(_MAKERS))}.",
                )
            return make(*(_tree(one) for one in arguments))
