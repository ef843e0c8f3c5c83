"""Long chains of ``+``, ``-`` and ``||``, computed without deep nesting.

Steps are computed from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import islice
from typing import Final

from forklake.engine.text_budget import count_text
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.arithmetic import arithmetic
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.nested import concatenation, exact
from forklake.sql.expressions.spark_idioms import variable

_LONG: Final = 50
"""Chains up to this many steps are nested, which Spark can compile."""
Step = tuple[str, Bound]


def calculate(first: Bound, steps: Sequence[Step]) -> Bound:
    """Return the result of consecutive operators, from left to right.

    Raises:
        InvalidInputError: There is no such operation on such values.
    """
    if len(steps) <= _LONG:
        return reduce(lambda value, step: arithmetic(value, *step), steps, first)
    value, place = first, 0
    while place < len(steps):
        count_text(value.sql)
        run = _run(value, steps, place)
        value = arithmetic(value, *steps[place]) if not run else _fold(value, steps[place][0], run)
        place += max(len(run), 1)
    return value


def _run(value: Bound, steps: Sequence[Step], start: int) -> list[Bound]:
    """Return the operands of the steps from one on that have its operator.

    The operator is ``+`` or ``-``. They end before the first step that changes the type.
    """
    operator, kind, found = steps[start][0], value.type, list[Bound]()
    if operator not in ("+", "-") or not isinstance(kind, types.Number) or value.literal is not None:
        return found
    for other, operand in islice(steps, start, None):
        if other != operator or not isinstance(operand.type, types.Number):
            break
        if arithmetic(Bound("l", kind), operator, operand).type != kind or not _is_sum(kind, operand.type):
            break
        found.append(operand)
    return found


def _is_sum(kind: Type, other: Type) -> bool:
    """Return whether adding a value of the other type keeps the first type."""
    is_like = kind == other or not isinstance(kind, types.Integer) or isinstance(other, types.Integer)
    return is_like and arithmetic(Bound("l", kind), "+", Bound("r", kind)).type == kind


def _fold(value: Bound, operator: str, operands: Sequence[Bound]) -> Bound:
    total, operand, kind = variable(), variable(), value.type
    step = arithmetic(Bound(total, kind), operator, Bound(operand, kind)).sql
    listed = ", ".join(f"CAST({exact(cast(one, kind))} AS {spark_type(kind)})" for one in operands)
    body = f"CAST({step} AS {spark_type(kind)})"
    return Bound(f"aggregate(array({listed}), {exact(value)}, ({total}, {operand}) -> {body})", kind)


def concatenate(values: Sequence[Bound]) -> Bound:
    """Concatenate texts or lists; NULL if one of them is NULL.

    Raises:
        InvalidInputError: Their types cannot be concatenated.
    """
    is_text = not any(isinstance(value.type, types.List | types.Blob | types.Null) for value in values)
    if len(values) <= _LONG or not is_text:
        return reduce(concatenation, values)
    return Bound(f"concat({', '.join(cast(value, types.VARCHAR).sql for value in values)})", types.VARCHAR)
