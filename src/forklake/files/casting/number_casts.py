"""Casts to booleans, integers, floats and decimals (docs/spec/casts.md)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa

from forklake.files.arrow import compute as pc
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.type_names import physical_name
from forklake.files.casting.numerals import EXACT, format_double
from forklake.files.casting.single_floats import format_float
from forklake.model import types
from forklake.model.field import Field

_OUT_OF_RANGE: Final = (
    "Type {} with value {} can't be cast because the value is out of range for the destination type {}"
)


def to_boolean(array: pa.Array) -> pa.Array:
    """Return whether numbers are not zero; NaN is not zero."""
    if pa.types.is_decimal(array.type):
        return pc.not_equal(array, pa.scalar(Decimal(0), array.type))
    return pc.not_equal(array, pa.scalar(0, array.type))


def to_integer(target: Field, source: Field, array: pa.Array) -> pa.Array:
    """Return numbers as integers.

    Raises:
        ValueError: A number is out of range; with DuckDB's message.
    """
    assert isinstance(target.type, types.Integer)
    low, high = target.type.low, target.type.high
    if pa.types.is_floating(array.type):
        return _float_to_integer(target, source, array)
    if pa.types.is_decimal(array.type):
        is_whole = array.type.scale == 0
        rounded = array if is_whole else pc.round(_widen(array), 0, round_mode="half_towards_infinity")

        def words(value: Any) -> str:
            whole = Decimal(value).quantize(Decimal(1), ROUND_HALF_UP, EXACT)
            return f"Failed to cast decimal value {whole} to type {physical_name(target.type)}"

        _check(rounded, lambda value: low <= value <= high, words)
        return rounded.cast(arrow_type(target))
    if pa.types.is_boolean(array.type):
        return array.cast(pa.int8()).cast(arrow_type(target))
    name = physical_name(source.type)
    if not _fits(array, low, high):
        _check(
            array,
            lambda value: low <= value <= high,
            lambda value: _OUT_OF_RANGE.format(name, value, physical_name(target.type)),
        )
    return array.cast(arrow_type(target))


def to_float(target: Field, array: pa.Array) -> pa.Array:
    """Return numbers as the nearest floats.

    Raises:
        ValueError: A finite number is beyond the range of 32 bits; with DuckDB's message.
    """
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    elif pa.types.is_decimal(array.type):
        array = pa.array([None if number is None else float(number) for number in array.to_pylist()], pa.float64())
    if target.type == types.FLOAT64 or not pa.types.is_float64(array.type):
        return array.cast(arrow_type(target), safe=False)
    doubles = np.asarray(array.fill_null(0.0))
    with np.errstate(over="ignore", under="ignore"):
        singles = doubles.astype(np.float32)
    if (beyond := np.isinf(singles) & np.isfinite(doubles)).any():
        value = format_double(doubles[beyond][0])
        raise ValueError(_OUT_OF_RANGE.format("DOUBLE", value, "FLOAT"))
    return pa.array(singles, mask=np.asarray(array.is_null()))


def to_decimal(target: Field, array: pa.Array) -> pa.Array:
    """Return numbers as decimals of the target's precision and scale.

    Raises:
        ValueError: A number does not fit; with DuckDB's message.
    """
    assert isinstance(target.type, types.Decimal)
    precision, scale = target.type.precision, target.type.scale
    if pa.types.is_floating(array.type):
        return _float_to_decimal(target, array, precision, scale)
    if pa.types.is_decimal(array.type):
        wide = pc.round(_widen(array), scale, round_mode="half_towards_infinity")

        def words(value: Any) -> str:
            return f'Casting value "{value:f}" to type {target.type.sql_name} failed: value is out of range!'

    else:
        wide = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array
        wide = wide.cast(pa.decimal128(20, 0))

        def words(value: Any) -> str:
            return f"Could not cast value {value} to {target.type.sql_name}"

    limit = Decimal(10) ** (precision - scale)
    _check(wide, lambda value: abs(value) < limit, words, shown=array if pa.types.is_decimal(array.type) else None)
    return wide.cast(pa.decimal256(76, max(scale, 0)), safe=True).cast(arrow_type(target))


def _float_to_integer(target: Field, source: Field, array: pa.Array) -> pa.Array:
    assert isinstance(target.type, types.Integer)
    low, high = target.type.low, target.type.high
    numbers = np.asarray(array.fill_null(0.0)).astype(np.float64)
    rounded = np.rint(numbers)
    with np.errstate(invalid="ignore"):
        fits = (rounded >= float(low)) & (rounded < float(high + 1))  # both are exact as doubles
        if target.type == types.INT128:
            fits &= rounded != float(low)  # DuckDB leaves it out
        if low == 0:
            fits &= numbers >= 0  # -0.5 would round to 0, but DuckDB has no negative number in an unsigned type
    if not fits.all():
        value = numbers[~fits][0]
        shown = format_float(value) if source.type == types.FLOAT32 else format_double(value)
        name = physical_name(source.type)
        raise ValueError(_OUT_OF_RANGE.format(name, shown, physical_name(target.type)))
    mask = np.asarray(array.is_null())
    if target.type.bits == 128:
        whole = [None if null else Decimal(int(number)) for number, null in zip(rounded, mask, strict=True)]
        return pa.array(whole, arrow_type(target))
    return pa.array(rounded.astype(arrow_type(target).to_pandas_dtype()), arrow_type(target), mask=mask)


def _float_to_decimal(target: Field, array: pa.Array, precision: int, scale: int) -> pa.Array:
    numbers = np.asarray(array.fill_null(0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = numbers.astype(np.float64) * 10.0**scale
        whole = np.trunc(scaled)
        away = np.where(np.abs(scaled - whole) >= 0.5, whole + np.sign(scaled), whole)
        # In the width of the source, as DuckDB has it: 0.1 of 32 bits stays 0.1, whatever the scale.
        rounded = away.astype(numbers.dtype).astype(np.float64)
        fits = np.abs(rounded) < 10.0**precision
    if not fits.all():
        raise ValueError(f"Could not cast value {float(numbers[~fits][0]):f} to {target.type.sql_name}")
    mask = np.asarray(array.is_null())
    unscaled = (
        None if null else EXACT.scaleb(Decimal(int(number)), -scale) for number, null in zip(rounded, mask, strict=True)
    )
    return pa.array(list(unscaled), arrow_type(target))


def _widen(array: pa.Array) -> pa.Array:
    """Return decimals with room for rounding up.

    Those of 76 digits have it, as no target has as many.
    """
    return array.cast(pa.decimal256(76, array.type.scale))


def _fits(array: pa.Array, low: int, high: int) -> bool:
    bounds = pc.min_max(array).as_py()
    return bounds["min"] is None or (low <= bounds["min"] and bounds["max"] <= high)


def _check(
    array: pa.Array,
    is_good: Callable[[Any], bool],
    words: Callable[[Any], str],
    shown: pa.Array | None = None,
) -> None:
    """Raise ValueError for a value that is not good.

    Only the smallest and the largest value are checked: if any value fails, one of them does.
    """
    bounds = pc.min_max(array).as_py()
    for bound in (bounds["min"], bounds["max"]):
        if bound is not None and not is_good(bound):
            place = pc.index(array, pa.scalar(bound, array.type)).as_py()
            raise ValueError(words(bound if shown is None else shown[place].as_py()))
