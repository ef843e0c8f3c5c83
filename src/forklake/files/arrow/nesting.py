"""Arrow's lists, maps and structs, taken apart and put together.

Any type may be nested in them. Arrow's own kernels (flatten, take) refuse extension types within structs,
and slices and NULLs may hide values that belong to no row; here parts hold exactly the values of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.arrow.arrays import number_array, numbers_of


def is_list(data_type: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's lists that `parts_of` knows."""
    types = pa.types
    return bool(types.is_list(data_type) or types.is_large_list(data_type) or types.is_fixed_size_list(data_type))


def lengths_of(array: pa.Array) -> Any:
    """Return how many elements or entries each row of a list or map has.

    The result is a NumPy array; a NULL has none.
    """
    lengths = np.diff(_offsets(array))
    return np.where(_valid(array), lengths, 0)


def parts_of(array: pa.Array) -> list[pa.Array]:
    """Return the elements of a list, keys and values of a map, or a struct's fields.

    They are those of all rows, one after the other.

    Parts of NULL are left out, except of a struct: there they are NULL.
    """
    if pa.types.is_struct(array.type):
        return list(array.flatten())
    parts = [array.keys, array.items] if pa.types.is_map(array.type) else [array.values]
    offsets, valid = _offsets(array), _valid(array)
    if not (np.diff(offsets)[~valid] > 0).any():
        return [part.slice(offsets[0], offsets[-1] - offsets[0]) for part in parts]
    shown = [slice(begin, end) for begin, end, keep in zip(offsets, offsets[1:], valid, strict=False) if keep]
    return [
        pa.concat_arrays([part.slice(0, 0), *(part.slice(run.start, run.stop - run.start) for run in shown)])
        for part in parts
    ]


def types_of_parts(data_type: pa.DataType) -> list[pa.Field]:
    """Return the parts of a list, map or struct type, with their names."""
    if pa.types.is_map(data_type):
        return [data_type.key_field, data_type.item_field]
    return [data_type.field(place) for place in range(data_type.num_fields)]


def type_of_parts(data_type: pa.DataType, parts: list[pa.Field]) -> pa.DataType:
    """Return a list, map or struct type with other parts."""
    if pa.types.is_struct(data_type):
        return pa.struct(parts)
    return pa.map_(*parts) if pa.types.is_map(data_type) else pa.list_(parts[0])


def assemble(data_type: pa.DataType, parts: list[pa.Array], lengths: Any, is_null: Any) -> pa.Array:
    """Return an array of a list, map or struct type made of its parts.

    Args:
        data_type: A list, map or struct, with field names, ids and all.
        parts: As `parts_of` returns them.
        lengths: As `lengths_of` returns them; ignored for a struct.
        is_null: A sequence with True for each row that is NULL.

    Raises:
        InvalidInputError: There are more than 2**31 elements; Arrow's lists hold fewer.
    """
    mask = number_array(np.asarray(is_null, np.bool_))
    if pa.types.is_struct(data_type):
        if not parts:
            return pa.array([None if null else {} for null in is_null], data_type)
        return pa.StructArray.from_arrays(parts, fields=data_type.fields, mask=mask)
    ends = np.concatenate(([0], np.cumsum(np.asarray(lengths, np.int64))))
    if ends[-1] >= 2**31:
        raise InvalidInputError("A list column has more than 2147483647 elements; hand in the rows in smaller parts.")
    offsets = number_array(ends.astype(np.int32))
    if pa.types.is_map(data_type):
        return pa.MapArray.from_arrays(offsets, *parts, type=data_type, mask=mask)
    return pa.ListArray.from_arrays(offsets, parts[0], type=data_type, mask=mask)


def _offsets(array: pa.Array) -> Any:
    if pa.types.is_fixed_size_list(array.type):
        return (np.arange(len(array) + 1) + array.offset) * array.type.list_size
    return numbers_of(array.offsets).astype(np.int64) if len(array) else np.zeros(1, np.int64)


def _valid(array: pa.Array) -> Any:
    return numbers_of(array.is_valid())
