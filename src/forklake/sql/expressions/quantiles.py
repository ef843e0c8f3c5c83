"""Quantiles, between values and among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from sqlglot import exp

from forklake.duck.calls import is_carried
from forklake.errors import InvalidInputError
from forklake.files.casting.texts import parse_value
from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.calls import Call, wrong_aggregate
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import decimal_literal, spark_type, text_literal
from forklake.sql.functions.computed import computed_value

_HALF: Final = Decimal("0.5")
_SHORT_DECIMAL: Final = 18
"""DuckDB computes with decimals of up to so many digits in 64 bits."""


def quantile(values: Sequence[Bound], call: Call) -> Bound:
    """Bind a quantile between values (`quantile_cont`, `median`)."""
    bare = Call(where=call.where, over=call.over, is_distinct=call.is_distinct)
    if not isinstance(values[0].type, types.Number):
        name = "median" if len(values) == 1 else "quantile_cont"
        return of_all_values(name, values, bare)
    return _of_shares("quantile_cont", lambda share: _between(values[0], share, bare), values)


def discrete_quantile(values: Sequence[Bound], call: Call) -> Bound:
    """Bind a quantile that is one of the values (`quantile_disc`)."""
    if call.is_distinct:
        raise wrong_aggregate("quantile_disc", values)
    return _of_shares("quantile_disc", lambda share: _among(values[0], share, call), values)


def _of_shares(name: str, one: Callable[[Decimal], Bound], values: Sequence[Bound]) -> Bound:
    """Return the quantile of a share of the values, or a list of those of several.

    The list is NULL where there are no rows.
    """
    if len(values) == 1:
        return one(_HALF)
    given = values[1]
    if given.literal is None and given.type != types.NULL:
        raise wrong_aggregate(name, values)
    if not isinstance(given.type, types.List) or given.literal is None:
        return one(_share(name, given.literal))
    parts = parse_value(given.type, given.literal)
    found = [one(_share(name, None if part is None else str(part))) for part in parts]
    any_value = found[0] if found else one(_HALF)
    kind = list_of(any_value.type)
    made = f"array({', '.join(part.sql for part in found)})" if found else f"CAST(array() AS {spark_type(kind)})"
    return Bound(f"if({any_value.sql} IS NOT NULL, {made}, NULL)", kind)


def _share(name: str, text: str | None) -> Decimal:
    """Return a constant share.

    Raises:
        InvalidInputError: It is none, or a negative one: DuckDB then counts from the greatest value.
    """
    if text is None:
        raise InvalidInputError("Binder Error: QUANTILE parameter cannot be NULL")
    try:
        share = Decimal(text)
    except ArithmeticError as error:
        raise InvalidInputError(f"Conversion Error: Could not convert string '{text}' to DOUBLE") from error
    if not share.is_finite() or abs(share) > 1:
        raise InvalidInputError("Binder Error: QUANTILE can only take parameters in the range [-1, 1]")
    if share < 0:
        raise InvalidInputError(f'The aggregate "{name}" is not supported for negative fractions.')
    return share


def of_all_values(name: str, values: Sequence[Bound], call: Call) -> Bound:
    """Return an aggregate that DuckDB computes of the list of a group's values."""
    value = values[0]
    if not is_carried(value.type):
        raise wrong_aggregate(name, values)
    gathered = Bound(call.of("collect_list", value.sql), list_of(value.type))
    named = Bound(text_literal(name), types.VARCHAR, literal=name)
    return computed_value("list_aggregate", [gathered, named, *values[1:]], exp.Null())


def _double(share: Decimal) -> str:
    return f"{float(share)!r}D"


def _between(value: Bound, share: Decimal, call: Call) -> Bound:
    if isinstance(value.type, types.Decimal):
        return _decimal_quantile(value, value.type, share, call)
    if value.type == types.FLOAT32:
        return _float_quantile(value, share, call)
    number = cast(value, types.FLOAT64).sql
    found = call.of("percentile", number, _double(share))
    return Bound(found if value.type != types.FLOAT64 else _among_infinities(found, number, share, call), types.FLOAT64)


def _among_infinities(found: str, number: str, share: Decimal, call: Call) -> str:
    """Return a quantile that is infinite where its neighbours are.

    Spark subtracts them, and finds no number.
    """
    infinite = "CAST('Infinity' AS DOUBLE)"
    size, finite, known = (
        call.of("count", part)
        for part in (number, f"nullif({number}, greatest({number}, {infinite}))", f"nanvl({number}, NULL)")
    )
    place = f"(({size} - 1) * {_double(share)})"
    above = f"floor({place}) >= {finite} AND ceil({place}) < {known}"
    return (
        f"CASE WHEN NOT isnan({found}) THEN {found} WHEN ceil({place}) < {finite} THEN -{infinite}"
        f" WHEN {above} THEN {infinite} ELSE {found} END"
    )


def _place(share: Decimal) -> tuple[str, str, str]:
    """Return what is on both sides of a place in the sorted array ``x``.

    The third part is how far the place is from the lower side.
    """
    place = f"((size(x) - 1) * {_double(share)})"
    low, high = (f"x[CAST({edge}({place}) AS INT)]" for edge in ("floor", "ceil"))
    return low, high, f"({place} - floor({place}))"


def _float_quantile(value: Bound, share: Decimal, call: Call) -> Bound:
    """Return a value between two 32 bit floats.

    DuckDB subtracts them: those between infinities are no numbers.
    """
    rows, (low, high, rest) = f"array_sort({call.of('collect_list', value.sql)})", _place(share)
    found = f"if({rest} = 0, {low}, {low} + CAST(({high} - {low}) * {rest} AS FLOAT))"
    body = f"CASE WHEN size(x) > 0 THEN {found} END"
    return Bound(f"transform(array({rows}), x -> {body})[0]", types.FLOAT32)


def _decimal_quantile(value: Bound, kind: types.Decimal, share: Decimal, call: Call) -> Bound:
    """Return a value between two decimals.

    As DuckDB does, what is added to the lower of the two is cut off, not rounded; of more than 18 digits the sum is.
    """
    rows, one = f"array_sort({call.of('collect_list', value.sql)})", f"1{'0' * kind.scale}"
    low, high, rest = _place(share)
    if kind.precision <= _SHORT_DECIMAL:
        more = f"CAST(floor(CAST(({high} - {low}) * {one}BD AS DOUBLE) * {rest}) AS DECIMAL(19,0))"
        found = f"{low} + {more} * {decimal_literal(f'{Decimal(1).scaleb(-kind.scale):f}')}"
    else:
        least, most = (f"rint(CAST({edge} AS DOUBLE) * {one}e0D)" for edge in (low, high))
        total = f"({least} + ({most} - {least}) * {rest})"
        found = f"if({low} = {high}, {low}, CAST(sign({total}) * floor(abs({total})) / {one}e0D AS {kind.sql_name}))"
    body = f"CASE WHEN size(x) > 0 THEN CAST({found} AS {kind.sql_name}) END"
    return Bound(f"transform(array({rows}), x -> {body})[0]", kind)


def _among(value: Bound, share: Decimal, call: Call) -> Bound:
    rows = f"array_sort({call.of('collect_list', value.sql)})"
    exact = f"{share:f}"
    size = f"size(x) * {f'{exact}BD' if len(exact) <= types.MAX_PRECISION else _double(share)}"
    place = f"greatest(CAST(ceil({size}) AS INT), 1)"
    return Bound(f"transform(array({rows}), x -> try_element_at(x, {place}))[0]", value.type)
