"""Decoding of Arrow's special encodings to plain arrays."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from forklake.files.arrow import compute as pc
from forklake.files.arrow.nesting import assemble


def decode(array: pa.Array) -> pa.Array:
    """Return an array of the plain type with the same values.

    It has no dictionary, runs or views, nor a width that only saves space. Nested arrays are left as they are.
    """
    data_type, types = array.type, pa.types
    if types.is_dictionary(data_type):
        return decode(array.dictionary_decode())
    if types.is_run_end_encoded(data_type):
        return decode(pc.run_end_decode(array))
    if isinstance(data_type, pa.BaseExtensionType) and data_type != pa.uuid():
        return decode(array.storage)
    if types.is_list_view(data_type) or types.is_large_list_view(data_type):
        return _list_of_view(array)
    plain = _plain_type(data_type)
    return array if plain is None else array.cast(plain)


def _plain_type(data_type: pa.DataType) -> pa.DataType | None:
    types = pa.types
    if types.is_large_string(data_type) or types.is_string_view(data_type):
        return pa.string()
    if types.is_large_binary(data_type) or types.is_binary_view(data_type) or types.is_fixed_size_binary(data_type):
        return pa.binary()
    if types.is_float16(data_type):
        return pa.float32()
    if types.is_date64(data_type):
        return pa.date32()
    if types.is_decimal(data_type) and data_type.scale < 0:
        return pa.decimal256(data_type.precision - data_type.scale, 0)
    if types.is_decimal(data_type) and data_type.bit_width < 128:
        return pa.decimal128(data_type.precision, data_type.scale)
    return None


def _list_of_view(array: Any) -> pa.Array:
    valid = array.is_valid().to_pylist()
    sizes = [size if keep else 0 for size, keep in zip(array.sizes.to_pylist(), valid, strict=True)]
    spans = zip(array.offsets.to_pylist(), sizes, strict=True)
    runs = [array.values.slice(offset, size) for offset, size in spans if size]
    values = pa.concat_arrays([array.values.slice(0, 0), *runs])
    return assemble(pa.list_(array.type.value_field), [values], sizes, [not keep for keep in valid])
