"""Functions that need a window, and the first and last value of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.calls import Aggregate, Call, constant_count
from forklake.sql.expressions.casts import cast


def first(*, is_last: bool = False, skips_nulls: bool = False) -> Aggregate:
    """Return an aggregate for the value of the first row, or of the last."""

    def function(values: Sequence[Bound], call: Call) -> Bound:
        skips = skips_nulls or call.ignores_nulls
        return Bound(call.first(values[0].sql, is_last=is_last, skips_nulls=skips), values[0].type)

    return function


def _ranking(name: str, kind: Type = types.INT64) -> Aggregate:
    def function(values: Sequence[Bound], call: Call) -> Bound:
        given = [str(constant_count(value, name)) for value in values]
        found = Call(over=call.over).of(name, *given)
        return Bound(f"CAST({found} AS BIGINT)" if kind == types.INT64 else found, kind)

    return function


def _neighbour(name: str) -> Aggregate:
    def function(values: Sequence[Bound], call: Call) -> Bound:
        value = values[0]
        offset = "1" if len(values) < 2 else values[1].literal
        if offset is None:
            raise InvalidInputError(f"The offset of {name} must be a constant.")
        given = [value.sql, offset]
        if len(values) > 2:
            given.append(cast(values[2], value.type).sql)
        return Bound(Call(over=call.over, ignores_nulls=call.ignores_nulls).of(name, *given), value.type)

    return function


def _nth(values: Sequence[Bound], call: Call) -> Bound:
    place = constant_count(values[1], "nth_value")
    found = Call(over=call.over, ignores_nulls=call.ignores_nulls).of("nth_value", values[0].sql, str(place))
    return Bound(found, values[0].type)


WINDOW_FUNCTIONS: Final[Mapping[str, Aggregate]] = {
    **{name: _ranking(name) for name in ("row_number", "rank", "dense_rank", "ntile")},
    **{name: _ranking(name, types.FLOAT64) for name in ("percent_rank", "cume_dist")},
    **{name: _neighbour(name) for name in ("lag", "lead")},
    "first_value": first(),
    "last_value": first(is_last=True),
    "nth_value": _nth,
}
"""Window functions by the first of their names."""
