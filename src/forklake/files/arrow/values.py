"""Conversion between Arrow arrays and Python, beyond the range of Python's dates.

Values are those of Python, except: dates are days, times and timestamps microseconds (timestamp_ns:
nanoseconds), uuids and intervals their text, structs tuples, lists lists, maps lists of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import accumulate
from typing import Any
from uuid import UUID

import pyarrow as pa

from forklake.files.arrow.arrays import value_array
from forklake.files.arrow.nesting import assemble, is_list, lengths_of, parts_of
from forklake.files.arrow.schema import arrow_type, display_type
from forklake.files.casting.intervals import Interval
from forklake.files.casting.moments import INFINITE_MOMENT, UNIT_NANOS, format_time, format_timestamp
from forklake.model import types
from forklake.model.field import Field


def values_of(array: pa.Array) -> list[Any]:
    """Return the values of an array, nested ones included.

    Its type is any that `type_names.field_of` knows.
    """
    data_type, kinds = array.type, pa.types
    if is_list(data_type) or kinds.is_map(data_type):
        parts = [values_of(part) for part in parts_of(array)]
        flat = parts[0] if is_list(data_type) else list(zip(*parts, strict=True))
        ends = accumulate(lengths_of(array).tolist())
        begins = accumulate(lengths_of(array).tolist(), initial=0)
        spans = zip(begins, ends, array.is_valid().to_pylist(), strict=False)
        return [flat[begin:end] if valid else None for begin, end, valid in spans]
    if kinds.is_struct(data_type):
        columns = [values_of(part) for part in parts_of(array)]
        rows: Sequence[Any] = list(zip(*columns, strict=True)) if columns else [()] * len(array)
        return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)]
    if data_type == pa.uuid():
        return [None if octets is None else str(UUID(bytes=octets)) for octets in array.storage.to_pylist()]
    if kinds.is_date32(data_type):
        return list(array.view(pa.int32()).to_pylist())
    if kinds.is_date64(data_type):
        return _each(array.view(pa.int64()), lambda millis: millis // 86_400_000)
    if kinds.is_time(data_type) or kinds.is_timestamp(data_type):
        return _clock_values(array)
    if kinds.is_duration(data_type):
        nanos = UNIT_NANOS[data_type.unit]
        return _each(array.view(pa.int64()), lambda count: str(Interval(0, 0, _cut(count * nanos))))
    if data_type == pa.month_day_nano_interval():
        return _each(array, lambda parts: str(Interval(parts[0], parts[1], _cut(parts[2]))))
    return list(array.to_pylist())


def shown_array(field: Field, values: Sequence[Any]) -> pa.Array:
    """Return values as an array of the column's `display_type`."""
    match field.type:
        case types.TIME:
            return value_array([None if value is None else _clock_text(value) for value in values], pa.string())
        case types.TIMESTAMP_NS:
            texts = [None if value is None else format_timestamp(value, "ns") for value in values]
            return value_array(texts, pa.string())
    if field.children:
        return _nested_array(display_type(field), values, [shown_array(*part) for part in _parts(field, values)])
    return _scalars(display_type(field), values)


def display_array(field: Field, array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Convert an array of our files to the column's `display_type`."""
    if array.type == display_type(field):
        return array
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([display_array(field, chunk) for chunk in array.chunks], display_type(field))
    return shown_array(field, values_of(array))


def stored_array(field: Field, values: Sequence[Any]) -> pa.Array:
    """Return values as an array of the type that our files hold."""
    data_type = arrow_type(field)
    if field.type == types.UUID:
        octets = [None if value is None else bytes.fromhex(value.replace("-", "")) for value in values]
        return pa.ExtensionArray.from_storage(data_type, value_array(octets, pa.binary(16)))
    if field.type == types.TIMESTAMP_MS:
        return value_array([None if value is None else _millis(value) for value in values], pa.int64()).view(data_type)
    if field.children:
        return _nested_array(data_type, values, [stored_array(*part) for part in _parts(field, values)])
    return _scalars(data_type, values)


def _scalars(data_type: pa.DataType, values: Sequence[Any]) -> pa.Array:
    if pa.types.is_decimal(data_type):
        values = [None if value is None else Decimal(value) for value in values]
    if pa.types.is_date32(data_type):
        return value_array(values, pa.int32()).view(data_type)
    if pa.types.is_timestamp(data_type) or pa.types.is_time(data_type):
        return value_array(values, pa.int64()).view(data_type)
    return value_array(values, data_type)


def _parts(field: Field, values: Sequence[Any]) -> list[tuple[Field, list[Any]]]:
    """Return each child with all its values, of all rows."""
    if isinstance(field.type, types.List):
        return [(field.children[0], [item for value in values for item in value or ()])]
    if isinstance(field.type, types.Map):
        pairs = [pair for value in values for pair in value or ()]
        return [(field.children[0], [key for key, _ in pairs]), (field.children[1], [item for _, item in pairs])]
    return [
        (child, [None if value is None else value[position] for value in values])
        for position, child in enumerate(field.children)
    ]


def _nested_array(data_type: pa.DataType, values: Sequence[Any], parts: list[pa.Array]) -> pa.Array:
    lengths = [0 if value is None else len(value) for value in values]
    return assemble(data_type, parts, lengths, [value is None for value in values])


def _clock_values(array: pa.Array) -> list[Any]:
    unit = array.type.unit
    ticks = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64())
    if pa.types.is_time(array.type):
        return _each(ticks, lambda count: count * UNIT_NANOS[unit] // 1000)
    if unit == "us" or (unit == "ns" and not array.type.tz):
        return list(ticks.to_pylist())
    nanos = UNIT_NANOS[unit]
    return _each(ticks, lambda count: count if abs(count) == INFINITE_MOMENT else _cut(count * nanos))


def _each(array: pa.Array, change: Any) -> list[Any]:
    return [None if value is None else change(value) for value in array.to_pylist()]


def _cut(nanos: int) -> int:
    """Return whole microseconds, cut toward zero."""
    return nanos // 1000 if nanos >= 0 else -(-nanos // 1000)


def _clock_text(value: int | str) -> str:
    return value if isinstance(value, str) else format_time(value)


def _millis(micros: int) -> int:
    return micros if abs(micros) == INFINITE_MOMENT else micros // 1000
