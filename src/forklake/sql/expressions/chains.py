"""Long chains of ``+``, ``-`` and ``||``: computed from left to right without nesting one step in the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.arithmetic import arithmetic
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.nested import concatenation, exact
from forklake.sql.expressions.phrases import variable

_LONG: Final = 50
"""Chains up to this many steps are nested: Spark compiles those."""
Step = tuple[str, Bound]


def calculated(first: Bound, steps: Sequence[Step]) -> Bound:
    """Return the result of operators that follow one another, from left to right.

    Raises:
        InvalidInputError: There is no such operation on such values.
    """
    if len(steps) <= _LONG:
        return reduce(lambda value, step: arithmetic(value, *step), steps, first)
    value, rest = first, list(steps)
    while rest:
        run = _run(value, rest)
        value = arithmetic(value, *rest[0]) if not run else _folded(value, rest[0][0], run)
        rest = rest[max(len(run), 1) :]
    return value


def _run(value: Bound, steps: Sequence[Step]) -> list[Bound]:
    """Return the values of the first steps that all add, or all take away, and do not change the type."""
    operator, kind, found = steps[0][0], value.type, list[Bound]()
    if operator not in ("+", "-") or not isinstance(kind, types.Number) or value.literal is not None:
        return found
    for other, operand in steps:
        if other != operator or not isinstance(operand.type, types.Number):
            break
        if arithmetic(Bound("l", kind), operator, operand).type != kind or not _is_sum(kind, operand.type):
            break
        found.append(operand)
    return found


def _is_sum(kind: Type, other: Type) -> bool:
    """Return whether a sum of both is one of two values of the first type."""
    is_like = kind == other or not isinstance(kind, types.Integer) or isinstance(other, types.Integer)
    return is_like and arithmetic(Bound("l", kind), "+", Bound("r", kind)).type == kind


def _folded(value: Bound, operator: str, operands: Sequence[Bound]) -> Bound:
    total, operand, kind = variable(), variable(), value.type
    step = arithmetic(Bound(total, kind), operator, Bound(operand, kind)).sql
    listed = ", ".join(f"CAST({exact(cast(one, kind))} AS {spark_type(kind)})" for one in operands)
    body = f"CAST({step} AS {spark_type(kind)})"
    return Bound(f"aggregate(array({listed}), {exact(value)}, ({total}, {operand}) -> {body})", kind)


def joined(values: Sequence[Bound]) -> Bound:
    """Return texts, or lists, put together one after the other; NULL if one is NULL.

    Raises:
        InvalidInputError: They are of kinds that cannot be put together.
    """
    is_text = not any(isinstance(value.type, types.List | types.Blob | types.Null) for value in values)
    if len(values) <= _LONG or not is_text:
        return reduce(concatenation, values)
    return Bound(f"concat({', '.join(cast(value, types.VARCHAR).sql for value in values)})", types.VARCHAR)
