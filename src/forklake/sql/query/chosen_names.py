"""Names of the columns that a star or COLUMNS chooses: tests and aliases.

DuckDB computes the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from forklake import duck
from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.model.quoting import quote_name
from forklake.sql.expressions.nodes import function_name
from forklake.sql.expressions.render import BoundNode, render

NameFilter = Callable[[Sequence[str]], frozenset[str]]
"""Returns those of some names that pass a test."""

_NAME: Final = "name"
_CODE: Final = re.compile(r"\\(.?)", re.DOTALL)
_PATTERNS: Final = (exp.Like, exp.ILike, exp.SimilarTo, exp.Glob)
_SYNTAX: Final = (exp.Case, exp.Cast, exp.Coalesce, exp.Connector, exp.If)
_FUNCTIONS: Final = (
    "contains ends_with instr lcase left len length lower ltrim position prefix regexp_full_match regexp_matches"
    " replace reverse right rtrim starts_with strlen strpos substr substring suffix trim ucase upper"
)
"""The functions that a test may call: none takes long, or makes much of a name."""
_NEVER: Final = (BoundNode, exp.Columns, exp.Parameter, exp.Placeholder, exp.Query, exp.Star, exp.Subquery, exp.Table)


def pattern_filter(node: exp.Expr) -> tuple[exp.Expr, NameFilter] | None:
    """Return the star before LIKE, ILIKE, SIMILAR TO or GLOB, and its test.

    Return None for other nodes.
    """
    inner = node
    while isinstance(inner, exp.Not | exp.Paren):
        inner = inner.this
    star = inner.this if isinstance(inner, _PATTERNS) else None
    if not isinstance(star, exp.Star) and not (isinstance(star, exp.Column) and isinstance(star.this, exp.Star)):
        return None
    if isinstance(node, exp.SimilarTo) and isinstance(node.expression, exp.Literal):
        pattern = node.expression.name  # DuckDB takes it as that of COLUMNS
        return star, lambda names: frozenset(matching_names(pattern, names))
    test = node.copy()
    found = next(one for one in test.find_all(*_PATTERNS) if isinstance(one.this, type(star)))
    found.set("this", exp.to_identifier(_NAME, quoted=True))
    return star, lambda names: _filter([_NAME], test, names)


def lambda_filter(node: exp.Expr) -> NameFilter | None:
    """Return the test of names by a lambda, or by a comprehension over a star.

    Return None for other nodes.

    Raises:
        InvalidInputError: When the test is called, if it cannot be evaluated before the query runs.
    """
    if isinstance(node, exp.Lambda):
        parameters, body = [one.name for one in node.expressions], node.this
        return lambda names: _filter(parameters, body, names)
    inner = node.expressions[0] if isinstance(node, exp.Array) and len(node.expressions) == 1 else None
    if not isinstance(inner, exp.Comprehension) or not isinstance(inner.args["iterator"].unnest(), exp.Star):
        return None
    parameter, condition = inner.expression.name, inner.args.get("condition")
    return frozenset if condition is None else lambda names: _filter([parameter], condition, names)


def _filter(parameters: Sequence[str], condition: exp.Expr, names: Sequence[str]) -> frozenset[str]:
    """Return the names for which a condition on them, and on their places, holds."""
    for one in condition.walk():
        called = function_name(one) if isinstance(one, exp.Func) and not isinstance(one, _SYNTAX) else None
        if isinstance(one, _NEVER) or (called is not None and fold(called) not in _FUNCTIONS.split()):
            raise InvalidInputError(f"This is not supported as a test of names of columns: {render(condition)}")
    listed = ", ".join(map(quote_name, parameters))
    text = f"SELECT list_filter(CAST($1 AS VARCHAR[]), lambda {listed}: {render(condition, identify=True)})"
    return frozenset(duck.results.single_value(text, list(names)))


def renamed_column(alias: str, name: str, pattern: str | None) -> str:
    r"""Return the name that an alias gives to a column which COLUMNS chose.

    ``\0`` in it is the column's name, ``\1`` the first group of the pattern, if one has chosen it, ``\\`` a backslash.

    >>> print(renamed_column(r"\2_of_\0", "ab", "(.)(.)"))
    b_of_ab

    Raises:
        InvalidInputError: Anything else comes after a backslash.
    """

    def write_code(found: re.Match[str]) -> str:
        match found[1]:
            case "\\":
                return "\\"
            case "0":
                return name
            case digit if digit.isdecimal() and digit.isascii():
                text = "SELECT coalesce(TRY(regexp_extract($1, $2, CAST($3 AS INTEGER))), '')"
                return "" if pattern is None else str(duck.results.single_value(text, name, pattern, digit))
        raise InvalidInputError(
            f'Binder Error: Invalid backslash code in COLUMNS(*) "{alias}" alias. Backslashes must either be escaped or'
            " followed by a number"
        )

    return _CODE.sub(write_code, alias)


def matching_names(pattern: str, names: Sequence[str]) -> list[str]:
    """Return the names that match a regular expression.

    Raises:
        InvalidInputError: It is no regular expression, or matches no name.
    """
    fault = duck.regular_expressions.fault_of(pattern)
    if fault is not None:
        raise InvalidInputError(f'Binder Error: Failed to compile regex "{pattern}": {fault}')
    text = "SELECT list_filter(CAST($1 AS VARCHAR[]), lambda name: regexp_matches(name, $2))"
    found: list[str] = duck.results.single_value(text, list(names), pattern)
    if not found:
        raise InvalidInputError(f'Binder Error: No matching columns found that match regex "{pattern}"')
    return found
