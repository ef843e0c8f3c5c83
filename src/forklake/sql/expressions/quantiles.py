"""Quantiles, between values and among them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.calls import Aggregate, Call, wrong_aggregate
from forklake.sql.expressions.coercion import cast, constant
from forklake.sql.expressions.literals import decimal_literal

_SHORT_DECIMAL: Final = 18
"""DuckDB computes with decimals of up to so many digits in 64 bits."""


def _several(one: Aggregate, values: Sequence[Bound], call: Call) -> Bound:
    """Return a list of quantiles, one for each fraction in a list.

    It is NULL where there are no rows.
    """
    value, shares = values
    texts = (shares.literal or "").strip("[]").split(", ")
    found = [one([value, constant(types.Decimal(18, 9), text)], call) for text in texts]
    present = f"{found[0].sql} IS NOT NULL"
    return Bound(f"if({present}, array({', '.join(part.sql for part in found)}), NULL)", list_of(found[0].type))


def quantile(values: Sequence[Bound], call: Call) -> Bound:
    """Bind a quantile between values (`quantile_cont`, `median`)."""
    value, share = values[0], values[1].literal if len(values) > 1 else "0.5"
    if share is None or not isinstance(value.type, types.Number):
        raise wrong_aggregate("quantile_cont", values)
    if values[1:] and isinstance(values[1].type, types.List):
        return _several(quantile, values, call)
    bare = Call(where=call.where, over=call.over, is_distinct=call.is_distinct)
    if isinstance(value.type, types.Decimal):
        return _decimal_quantile(value, value.type, share, bare)
    if value.type == types.FLOAT32:
        return _float_quantile(value, share, bare)
    number = cast(value, types.FLOAT64).sql
    found = bare.of("percentile", number, f"{share}BD" if "e" not in share else f"{share}D")
    return Bound(found if value.type != types.FLOAT64 else _among_infinities(found, number, share, bare), types.FLOAT64)


def _among_infinities(found: str, number: str, share: str, call: Call) -> str:
    """Return a quantile that is infinite where its neighbours are.

    Spark subtracts them, and finds no number.
    """
    infinite = "CAST('Infinity' AS DOUBLE)"
    size, finite, known = (
        call.of("count", part)
        for part in (number, f"nullif({number}, greatest({number}, {infinite}))", f"nanvl({number}, NULL)")
    )
    place = f"(({size} - 1) * {share if 'e' in share else f'{share}e0'}D)"
    above = f"floor({place}) >= {finite} AND ceil({place}) < {known}"
    return (
        f"CASE WHEN NOT isnan({found}) THEN {found} WHEN ceil({place}) < {finite} THEN -{infinite}"
        f" WHEN {above} THEN {infinite} ELSE {found} END"
    )


def _place(share: str) -> tuple[str, str, str]:
    """Return what is on both sides of a place in the sorted array ``x``.

    The third part is how far the place is from the lower side.
    """
    place = f"((size(x) - 1) * {share if 'e' in share else f'{share}e0'}D)"
    low, high = (f"x[CAST({edge}({place}) AS INT)]" for edge in ("floor", "ceil"))
    return low, high, f"({place} - floor({place}))"


def _float_quantile(value: Bound, share: str, call: Call) -> Bound:
    """Return a value between two 32 bit floats.

    DuckDB subtracts them: those between infinities are no numbers.
    """
    rows, (low, high, rest) = f"array_sort({call.of('collect_list', value.sql)})", _place(share)
    found = f"if({rest} = 0, {low}, {low} + CAST(({high} - {low}) * {rest} AS FLOAT))"
    body = f"CASE WHEN size(x) > 0 THEN {found} END"
    return Bound(f"transform(array({rows}), x -> {body})[0]", types.FLOAT32)


def _decimal_quantile(value: Bound, kind: types.Decimal, share: str, call: Call) -> Bound:
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


def discrete_quantile(values: Sequence[Bound], call: Call) -> Bound:
    """Bind a quantile that is one of the values (`quantile_disc`)."""
    value, share = values[0], values[1].literal if len(values) > 1 else "0.5"
    if share is None or call.is_distinct:
        raise wrong_aggregate("quantile_disc", values)
    if values[1:] and isinstance(values[1].type, types.List):
        return _several(discrete_quantile, values, call)
    rows = f"array_sort({call.of('collect_list', value.sql)})"
    place = f"greatest(CAST(ceil(size(x) * {share}BD) AS INT), 1)"
    return Bound(f"transform(array({rows}), x -> try_element_at(x, {place}))[0]", value.type)
