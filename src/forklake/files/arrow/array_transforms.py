"""Partition transforms of Arrow arrays, as DuckLake computes and writes them.

Buckets are DuckLake's. They are Iceberg's too for integers, dates, timestamps in microseconds, text and
bytes; DuckLake hashes decimals of up to 18 digits as numbers, and UUIDs, unsigned and wider numbers as
their text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.errors import InvalidInputError
from forklake.files.arrow import compute as pc
from forklake.files.arrow.murmur3 import Hashes, hash_bytes, hash_longs
from forklake.files.arrow.values import stored_array
from forklake.files.casting.moments import INFINITE_DAY, INFINITE_MOMENT, parse_time
from forklake.files.casting.texts import parse_values, to_texts
from forklake.model import types
from forklake.model.field import Field
from forklake.model.murmur3 import WITHOUT_SIGN
from forklake.model.transforms import Function, Transform
from forklake.model.types import Type

Longs = NDArray[np.int64]

_HOURS_OF_DAY: Final = 24
_TICKS_PER_HOUR: Final[dict[Type, int]] = {
    types.TIMESTAMP: 3_600_000_000,
    types.TIMESTAMPTZ: 3_600_000_000,
    types.TIMESTAMP_S: 3_600_000_000,
    types.TIMESTAMP_MS: 3_600_000,
    types.TIMESTAMP_NS: 3_600_000_000_000,
    types.TIME: 3_600_000_000,
}
_HASHED_AS_LONGS: Final[frozenset[Type]] = frozenset(
    {types.BOOLEAN, types.INT8, types.INT16, types.INT32, types.INT64, types.DATE, types.TIME, types.TIMETZ}
    | _TICKS_PER_HOUR.keys()
)
_LONG_DIGITS: Final = 18
_OFFSET_BITS: Final = 24
_LAST_OFFSET_SECONDS: Final = 16 * 3600 - 1


def partition_values(array: pa.Array, column_type: Type, transform: Transform) -> list[str | None]:
    """Return the partition value of each value, as text; None for NULL.

    Args:
        array: Values as our files store them.
        column_type: The type of the table's column.
        transform: The transform of the partition key.

    Raises:
        InvalidInputError: The transform cannot be applied to that type.
    """
    codes, texts = partition_codes(array, column_type, transform)
    return [texts[code] for code in codes.tolist()]


def partition_codes(
    array: pa.Array, column_type: Type, transform: Transform
) -> tuple[NDArray[np.intp], list[str | None]]:
    """Return the distinct partition values, and which of them each row has.

    Otherwise as `partition_values`.
    """
    if not transform.accepts(column_type):
        raise InvalidInputError(
            f"Rows cannot be partitioned by {transform} of a column of type {column_type}; nothing was written."
        )
    values = array.storage if isinstance(array, pa.ExtensionArray) else array
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    # The work is done once per distinct value; None is the last of them.
    found: list[str | None] = [*_transform_values(encoded.dictionary, column_type, transform), None]
    indices = encoded.indices.fill_null(len(found) - 1).to_numpy(zero_copy_only=False)
    places: dict[str | None, int] = {}
    codes = np.array([places.setdefault(text, len(places)) for text in found], np.intp)
    return codes[indices], list(places)


def transform_value(column_type: Type, transform: Transform, text: str) -> str | None:
    """Return the partition value of one value, which is given as text.

    >>> transform_value(types.DATE, Transform.parse("month"), "2017-11-16")
    '11'
    >>> transform_value(types.INT32, Transform.bucket(16), "34")
    '3'

    Raises:
        InvalidInputError: As `partition_values`, or the text is not a value of the type.
    """
    field = Field(None, "", column_type)
    return partition_values(stored_array(field, parse_values(field, [text])), column_type, transform)[0]


def _transform_values(values: pa.Array, column_type: Type, transform: Transform) -> list[str | None]:
    """Return the partition values of values without NULLs."""
    if transform.is_identity:
        return list(_texts(values, column_type))
    if transform.bucket_count is not None:
        hashes = _hashes(values, column_type) & np.uint32(WITHOUT_SIGN)
        return [str(number) for number in (hashes % np.uint32(transform.bucket_count)).tolist()]
    ticks = _longs(values, column_type)
    hours = _hours(ticks, column_type, transform)
    part = hours if column_type == types.TIME else _PARTS[transform.function](hours)  # 24:00:00 has an hour of its own
    infinite = np.abs(ticks) >= (INFINITE_DAY if column_type == types.DATE else INFINITE_MOMENT)
    return [None if is_infinite else str(number) for number, is_infinite in zip(part.tolist(), infinite, strict=True)]


def _hours(ticks: Longs, column_type: Type, transform: Transform) -> Longs:
    """Return the hour of each time, counted from 1970 or from midnight."""
    if column_type == types.DATE:
        return ticks * _HOURS_OF_DAY
    if column_type == types.TIMESTAMP_NS and not transform.is_epoch:
        # DuckDB cuts nanos off toward 1970 before it takes a part, and rounds down for epochs.
        ticks = np.where(ticks < 0, -(-ticks // 1000), ticks // 1000) * 1000
    return ticks // _TICKS_PER_HOUR[column_type]


def _days(hours: Longs) -> Longs:
    return hours // _HOURS_OF_DAY


def _months(hours: Longs) -> NDArray[np.datetime64]:
    return _days(hours).astype("datetime64[D]").astype("datetime64[M]")


def _month_numbers(hours: Longs) -> Longs:
    return _months(hours).astype(np.int64)


_PARTS: Final[dict[Function, Callable[[Longs], Longs]]] = {
    Function.YEAR: lambda hours: _month_numbers(hours) // 12 + 1970,
    Function.MONTH: lambda hours: _month_numbers(hours) % 12 + 1,
    Function.DAY: lambda hours: _days(hours) - _months(hours).astype("datetime64[D]").astype(np.int64) + 1,
    Function.HOUR: lambda hours: hours % _HOURS_OF_DAY,
    Function.EPOCH_YEAR: lambda hours: _month_numbers(hours) // 12,
    Function.EPOCH_MONTH: _month_numbers,
    Function.EPOCH_DAY: _days,
    Function.EPOCH_HOUR: lambda hours: hours,
}


def _hashes(values: pa.Array, column_type: Type) -> Hashes:
    is_short = isinstance(column_type, types.Decimal) and column_type.precision <= _LONG_DIGITS
    if column_type in _HASHED_AS_LONGS or is_short:
        numbers = _longs(values, column_type)
        return hash_longs(numbers // 1_000_000 if column_type == types.TIMESTAMP_S else numbers)
    if isinstance(column_type, types.Float):
        doubles = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        doubles = np.where(doubles == 0, 0.0, np.where(np.isnan(doubles), np.nan, doubles))
        return hash_longs(doubles.view(np.int64))
    if column_type in (types.VARCHAR, types.JSON, types.BLOB):
        return hash_bytes(pc.cast(values, pa.binary()))
    return hash_bytes(pa.array([text.encode() for text in _texts(values, column_type)], pa.binary()))


def _texts(values: pa.Array, column_type: Type) -> list[str]:
    if isinstance(column_type, types.Float):
        values = pc.add(values, pa.scalar(0, values.type))  # -0.0 is equal to 0.0, so they share a partition
    elif column_type == types.UUID:
        values = pa.ExtensionArray.from_storage(pa.uuid(), values)
    return [text for text in to_texts(column_type, values) if text is not None]


def _longs(values: pa.Array, column_type: Type) -> NDArray[np.int64]:
    """Return values without NULLs as the integers that DuckDB holds them as."""
    if column_type == types.TIMETZ:
        return np.array([_timetz_bits(text) for text in values.to_pylist()], np.int64)
    if pa.types.is_decimal(values.type):
        wide = values.cast(pa.decimal128(38, values.type.scale))
        # Of the two words of a decimal, the lower one holds all of up to 18 digits.
        return np.frombuffer(wide.buffers()[1], "<i8")[::2][wide.offset : wide.offset + len(wide)]
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    elif pa.types.is_date32(values.type):
        values = values.view(pa.int32())
    elif pa.types.is_temporal(values.type):
        values = values.view(pa.int64())
    numbers: NDArray[np.int64] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _timetz_bits(text: str) -> int:
    """Return the bits that DuckDB holds for a time with an offset.

    They are microseconds, and behind them how far the offset is from the last one.
    """
    place = max(text.rfind("+"), text.rfind("-"))
    clock, offset = (text, "") if place < 0 else (text[:place], text[place:])
    parts = [int(part) for part in offset[1:].split(":")] if offset else [0]
    seconds = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    seconds = -seconds if offset.startswith("-") else seconds
    return parse_time(clock) << _OFFSET_BITS | _LAST_OFFSET_SECONDS - seconds
