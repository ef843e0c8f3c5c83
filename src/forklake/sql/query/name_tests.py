"""Tests of column names, by which a star or COLUMNS selects columns."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.sql.expressions.nodes import call_arguments, function_name
from forklake.sql.expressions.render import render

NameTest = Callable[[str], bool]

_COMPARED: Final[Mapping[type[exp.Expr], Callable[[Any, Any], bool]]] = {
    exp.EQ: lambda one, other: one == other,
    exp.NEQ: lambda one, other: one != other,
    exp.LT: lambda one, other: one < other,
    exp.LTE: lambda one, other: one <= other,
    exp.GT: lambda one, other: one > other,
    exp.GTE: lambda one, other: one >= other,
}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "lower": str.lower,
    "lcase": str.lower,
    "upper": str.upper,
    "ucase": str.upper,
    "length": len,
    "len": len,
    "starts_with": str.startswith,
    "prefix": str.startswith,
    "ends_with": str.endswith,
    "suffix": str.endswith,
    "contains": lambda text, part: part in text,
    "regexp_matches": lambda text, pattern: _compile(pattern).search(text) is not None,
    "regexp_full_match": lambda text, pattern: _compile(pattern).fullmatch(text) is not None,
}


def pattern_test(node: exp.Expr) -> tuple[exp.Expr, NameTest] | None:
    """Return the star before LIKE, ILIKE, SIMILAR TO or GLOB, and its test.

    Return None for other nodes.
    """
    inner, is_negated = node, False
    while isinstance(inner, exp.Not):
        inner, is_negated = inner.this, not is_negated
    star = inner.this if isinstance(inner, exp.Like | exp.ILike | exp.SimilarTo | exp.Glob) else None
    if isinstance(star, exp.Star) or (isinstance(star, exp.Column) and isinstance(star.this, exp.Star)):
        return star, lambda name: bool(_matches(inner, name, {})) is not is_negated
    return None


def lambda_test(node: exp.Expr) -> NameTest | None:
    """Return the test of names by a lambda, or by a comprehension over a star.

    Return None for other nodes.

    Raises:
        InvalidInputError: When the test is called, if it cannot be evaluated before the query runs.
    """
    if isinstance(node, exp.Lambda) and len(node.expressions) == 1:
        parameter, body = node.expressions[0].name, node.this
        return lambda name: bool(_value(body, {fold(parameter): name}))
    inner = node.expressions[0] if isinstance(node, exp.Array) and len(node.expressions) == 1 else None
    if not isinstance(inner, exp.Comprehension) or not isinstance(inner.args["iterator"].unnest(), exp.Star):
        return None
    parameter, condition = inner.expression.name, inner.args.get("condition")
    return lambda name: condition is None or bool(_value(condition, {fold(parameter): name}))


def _value(node: exp.Expr, names: Mapping[str, str]) -> Any:
    """Return the value of an expression over a column's name."""
    match node:
        case exp.Paren():
            return _value(node.this, names)
        case exp.Literal():
            return node.name if node.is_string else float(node.name)
        case exp.Column() | exp.Identifier() if fold(node.name) in names:
            return names[fold(node.name)]
        case exp.Not():
            return not _value(node.this, names)
        case exp.And():
            return _value(node.this, names) and _value(node.expression, names)
        case exp.Or():
            return _value(node.this, names) or _value(node.expression, names)
        case exp.In() if node.expressions:
            found = _value(node.this, names) in [_value(one, names) for one in node.expressions]
            return found is not bool(node.args.get("negate"))
        case exp.Like() | exp.ILike() | exp.SimilarTo() | exp.Glob():
            return _matches(node, _value(node.this, names), names)
    if type(node) in _COMPARED:
        return _COMPARED[type(node)](_value(node.this, names), _value(node.expression, names))
    function = _FUNCTIONS.get(function_name(node).lower()) if isinstance(node, exp.Func) else None
    if function is None:
        raise InvalidInputError(f"This is not supported as a test of names of columns: {render(node)}")
    return function(*(_value(one, names) for one in call_arguments(node)))  # type: ignore[arg-type]


def _matches(node: exp.Expr, name: str, names: Mapping[str, str]) -> bool:
    pattern = str(_value(node.expression, names))
    match node:
        case exp.Glob():
            found = fnmatch.fnmatchcase(name, pattern)
        case exp.SimilarTo():
            found = _compile(pattern).fullmatch(name) is not None
        case _:
            parts = {"%": ".*", "_": "."}
            text = "".join(parts.get(letter) or re.escape(letter) for letter in pattern)
            flags = re.DOTALL | (re.IGNORECASE if isinstance(node, exp.ILike) else 0)
            found = re.fullmatch(text, name, flags) is not None
    return found is not bool(node.args.get("negate"))


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InvalidInputError(f'Binder Error: Failed to compile regex "{pattern}": {error}') from error


def matching_names(pattern: str, names: list[str]) -> list[str]:
    """Return the names that match a regular expression.

    Raises:
        InvalidInputError: It is no regular expression, or matches no name.
    """
    found = [name for name in names if _compile(pattern).search(name)]
    if not found:
        raise InvalidInputError(f'Binder Error: No matching columns found that match regex "{pattern}"')
    return found
