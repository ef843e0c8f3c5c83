"""Lambdas of list functions, whose parameters take their types from the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from forklake.duck.calls import calls_in
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.names import fold
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast, unify
from forklake.sql.expressions.nodes import function_name
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import parameter

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder

_FOLDING: Final = frozenset({"list_reduce", "array_reduce", "reduce"})
"""Functions whose lambdas take the accumulator before the element."""


def is_folding(node: exp.Lambda) -> bool:
    """Return whether a lambda makes one value of all elements."""
    return isinstance(node.parent, exp.Func) and fold(function_name(node.parent)) in _FOLDING


def meet_start(listed: Bound, start: Bound) -> Bound:
    """Return a list whose elements have the type of a fold.

    It is the one in which they meet the value that the fold starts with.
    """
    if not isinstance(listed.type, types.List):
        return listed
    given = start if start.is_untyped else replace(start, keeps_type=True)
    return cast(listed, list_of(unify([Bound("", listed.type.element.type), given])[0].type))


def bind_lambda(binder: ExpressionBinder, node: exp.Lambda, before: Sequence[Bound]) -> Bound:
    """Bind a lambda: its text in Spark SQL, with the type of its result.

    Its parameters are the element of the list that is the first argument, and the position of the element,
    counted from one.

    Raises:
        InvalidInputError: There is no list before it, or it has too many parameters.
    """
    if not before or not isinstance(before[0].type, types.List):
        raise InvalidInputError(f"Binder Error: A lambda needs a list before it: {render(node)}")
    depth = len(binder.parameters)
    names = [part.name for part in node.expressions]
    marks = [parameter(depth + place) for place in range(len(names))]
    element = before[0].type.element.type
    folds = is_folding(node)
    values = [Bound(mark, element) for mark in marks[: 2 if folds else 1]]
    if len(marks) == len(values) + 1:
        values.append(Bound(f"(CAST({marks[-1]} AS BIGINT) + 1L)", types.INT64))
    if len(marks) != len(values):
        raise InvalidInputError(f"Binder Error: Invalid number of parameters of a lambda: {len(names)}: {render(node)}")
    inner = type(binder)(binder.site, {**binder.parameters, **dict(zip(map(fold, names), values, strict=True))})
    body = inner.bind(node.this)
    called = next(iter(calls_in(body.sql).values()), None)
    if called is not None:
        raise InvalidInputError(
            f'Not implemented Error: DuckDB computes "{called.function}" for Spark, which calls no such function within'
            f" a lambda: {render(node)}"
        )
    body = cast(body, element) if folds else body
    head = marks[0] if len(marks) == 1 else f"({', '.join(marks)})"
    return replace(body, sql=f"{head} -> {body.sql}", literal=None, is_untyped=False)
