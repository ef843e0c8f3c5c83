"""Small Arrow arrays from Python and NumPy, and back, without pandas.

PyArrow imports pandas, if it is installed, to make any array or scalar, which takes longer than a small read. Buffers
are what it does not ask pandas about.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_MANY: Final = 10_000
"""From as many values on PyArrow is faster, pandas included."""

_EXACT: Final = Context(prec=100)


def number_array(numbers: NDArray[Any]) -> pa.Array:
    """Return numbers or booleans of NumPy as an array; numbers are not copied."""
    if numbers.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(numbers), [None, _bits(numbers)])
    data_type = pa.from_numpy_dtype(numbers.dtype)
    return pa.Array.from_buffers(data_type, len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def value_array(values: Sequence[Any], data_type: pa.DataType) -> pa.Array:
    """Return values of Python as an array, as ``pyarrow.array`` does.

    Raises:
        pyarrow.ArrowException: A value is none of the type.
    """
    if len(values) < _MANY:
        try:
            buffers = _buffers(values, data_type)
        except (AttributeError, OverflowError, TypeError, ValueError):
            buffers = None  # PyArrow knows what such a value is, or what to say of it
        if buffers is not None:
            is_valid = np.fromiter((value is not None for value in values), np.bool_, len(values))
            validity = None if is_valid.all() else _bits(is_valid)
            return pa.Array.from_buffers(data_type, len(values), [validity, *buffers])
    return pa.array(values, data_type)


def repeat(value: object, data_type: pa.DataType, count: int) -> pa.Array:
    """Return an array of one value, as many times."""
    return pa.repeat(value_array([value], data_type)[0], count)


def numbers_of(array: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return the numbers or booleans of an array, which has no nulls.

    They cannot be changed.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    assert not array.null_count, "only numbers are asked for"
    data_type, buffer, last = array.type, array.buffers()[1], array.offset + len(array)
    if pa.types.is_boolean(data_type):
        octets = np.frombuffer(buffer or b"", np.uint8)
        return np.unpackbits(octets, count=last, bitorder="little").astype(np.bool_)[array.offset :]
    return np.frombuffer(buffer or b"", data_type.to_pandas_dtype(), last)[array.offset :]


def _bits(flags: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _buffers(values: Sequence[Any], data_type: pa.DataType) -> list[pa.Buffer] | None:
    """Return the buffers of values, that of nulls left out; None for rare types."""
    types = pa.types
    if types.is_integer(data_type) and all(value is None or type(value) is int for value in values):
        return [_number_buffer([value or 0 for value in values], data_type)]
    if types.is_floating(data_type) and data_type.bit_width > 16:
        if all(value is None or type(value) is float for value in values):
            return [_number_buffer([0.0 if value is None else value for value in values], data_type)]
    elif types.is_boolean(data_type) and all(value is None or type(value) is bool for value in values):
        return [_bits(np.array([bool(value) for value in values], np.bool_))]
    elif types.is_string(data_type) and all(value is None or type(value) is str for value in values):
        return _text_buffers([b"" if value is None else value.encode() for value in values])
    elif types.is_binary(data_type) and all(value is None or type(value) is bytes for value in values):
        return _text_buffers([value or b"" for value in values])
    elif types.is_fixed_size_binary(data_type) and all(
        value is None or len(value) == data_type.byte_width for value in values
    ):
        return [pa.py_buffer(b"".join(value or bytes(data_type.byte_width) for value in values))]
    elif (
        types.is_decimal(data_type)
        and data_type.byte_width >= 16
        and all(value is None or type(value) is Decimal for value in values)
    ):
        return _decimal_buffers(values, data_type)
    return None


def _number_buffer(numbers: list[Any], data_type: pa.DataType) -> pa.Buffer:
    with np.errstate(over="ignore"):  # as in PyArrow, a float that is too large is infinite
        return pa.py_buffer(np.array(numbers, data_type.to_pandas_dtype()))


def _text_buffers(octets: list[bytes]) -> list[pa.Buffer]:
    ends = np.cumsum([0, *map(len, octets)], dtype=np.int64)
    if ends[-1] > np.iinfo(np.int32).max:
        raise OverflowError("an array of texts holds 2 GiB")
    return [pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(octets))]


def _decimal_buffers(values: Sequence[Decimal | None], data_type: pa.DataType) -> list[pa.Buffer] | None:
    limit = 10**data_type.precision
    octets: list[bytes] = []
    for value in values:
        shifted = Decimal(0) if value is None else value.scaleb(data_type.scale, _EXACT)
        number = int(shifted)
        if number != shifted or abs(number) >= limit:
            return None
        octets.append(number.to_bytes(data_type.byte_width, "little", signed=True))
    return [pa.py_buffer(b"".join(octets))]
