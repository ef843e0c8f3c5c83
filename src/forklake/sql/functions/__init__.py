"""The scalar functions: their result types and their Spark SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.functions import (
    computed,
    formats,
    general,
    jsons,
    lists,
    numbers,
    patterns,
    ranges,
    records,
    texts,
    time_buckets,
    time_formats,
    times,
)
from forklake.sql.functions.signature import Function
from forklake.sql.vocabulary import BY_NAME, nearest_name, takes

__all__ = ["FUNCTIONS", "LOWERINGS", "NAMED", "Function", "no_match", "no_such_function"]

_THEMES: Final = (
    computed,
    formats,
    general,
    jsons,
    lists,
    numbers,
    patterns,
    ranges,
    records,
    texts,
    time_buckets,
    time_formats,
    times,
)


def _with_arity_check(name: str, function: Function) -> Function:
    """Wrap a function to refuse too few or too many arguments, in DuckDB's words."""

    def call(values: Sequence[Bound], node: exp.Expr) -> Bound:
        # Nodes of the parser may have more arguments: it adds defaults.
        if isinstance(node, exp.Anonymous) and not takes(name, len(values)):
            raise no_match(name, values)
        try:
            return function(values, node)
        except (IndexError, ValueError) as error:
            raise no_match(name, values) from error

    return call


def no_match(name: str, values: Sequence[Bound]) -> InvalidInputError:
    """Return the error, in DuckDB's words, for arguments of the wrong types."""
    return InvalidInputError(
        "Binder Error: No function matches the given name and argument types"
        f" '{name}({', '.join(_kind(value) for value in values)})'. You might need to add explicit type casts."
    )


def _kind(value: Bound) -> str:
    if value.is_untyped:
        return "STRING_LITERAL"
    return (
        "INTEGER_LITERAL"
        if value.literal is not None and isinstance(value.type, types.Integer)
        else value.type.sql_name
    )


FUNCTIONS: Final[Mapping[type[exp.Expr], tuple[Function, Sequence[str]]]] = {
    kind: (_with_arity_check(kind.sql_name().lower() if issubclass(kind, exp.Func) else kind.key, function), said)
    for theme in _THEMES
    for kind, (function, said) in theme.NODES.items()
}
"""Functions by node of the parser, each with the parts that the node may have, arguments first."""
LOWERINGS: Final[Mapping[str, Function]] = {
    name: function for theme in _THEMES for name, function in theme.NAMED.items()
}
"""Functions by the first of their names."""
NAMED: Final[Mapping[str, Function]] = {
    name: _with_arity_check(name, LOWERINGS[declared.name])
    for name, declared in BY_NAME.items()
    if declared.kind == "scalar"
}
"""Functions by name in lower case, including those with a node of the parser."""


def no_such_function(name: str) -> InvalidInputError:
    """Return the error, in DuckDB's words, for an unknown function.

    It suggests the closest name that exists.
    """
    near = nearest_name(name)
    hint = f'\nDid you mean "{near}"?' if near is not None else ""
    return InvalidInputError(f"Catalog Error: Scalar Function with name {name.lower()} does not exist!{hint}")
