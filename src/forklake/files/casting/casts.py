"""Casts of Arrow arrays to the types that files hold (docs/spec/casts.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.arrow import compute as pc
from forklake.files.arrow.arrays import number_array, numbers_of, value_array
from forklake.files.arrow.decode import decode
from forklake.files.arrow.nesting import assemble, lengths_of, parts_of
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.type_names import field_of
from forklake.files.arrow.values import stored_array, values_of
from forklake.files.casting.geometries import canonical_wkb
from forklake.files.casting.number_casts import to_boolean, to_decimal, to_float, to_integer
from forklake.files.casting.texts import parse_values, to_texts
from forklake.files.casting.time_casts import to_date, to_time, to_timestamp, to_timetz
from forklake.files.incoming.column_names import check_names
from forklake.model import types
from forklake.model.field import Field
from forklake.model.interruption import in_time
from forklake.model.names import fold
from forklake.model.types import Type

_DAY: Final = "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_PLAIN: Final[dict[type[Type], str]] = {
    types.Integer: "^-?[0-9]{1,18}$",
    types.Float: r"^-?[0-9]+(\.[0-9]+)?$",
    types.Decimal: r"^-?[0-9]{1,38}(\.[0-9]{1,38})?$",
    types.Date: f"^{_DAY}$",
    types.Timestamp: rf"^{_DAY} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?$",
}
"""Everyday text of values, which Arrow reads as DuckDB does."""
_NOT_PLAIN: Final[frozenset[Type]] = frozenset(
    {
        types.UINT128,  # files hold it as a type that has negative values, too
        types.TIMESTAMP_S,
        types.TIMESTAMP_MS,
        types.TIMESTAMP_NS,
        types.TIMESTAMPTZ,
    }
)
_CHECKED: Final[frozenset[Type]] = frozenset(
    {types.JSON, types.GEOMETRY, types.INTERVAL, types.TIMETZ, types.INT128, types.UINT128, types.TIMESTAMP_S}
)
"""Types that files hold as a wider one: not every value of that is one of theirs."""


def cast(target: Field, array: pa.Array, table: str, path: str | None = None) -> pa.Array:
    """Cast an array to the type that files hold a column as.

    The values are those that DuckDB's ``INSERT`` makes. An array that needs no change is returned as it is,
    without a copy.

    Args:
        target: The column.
        array: A user's values.
        table: The table's name, for messages.
        path: The names that lead to the column, if it is nested in another.

    Raises:
        InvalidInputError: There is no such cast, or a value does not fit the column; with DuckDB's message.
    """
    path = path or target.name
    try:
        array = decode(array)
        if pa.types.is_null(array.type):
            return stored_array(target, [None] * len(array))
        source = field_of(path, array.type)
        if target.children and source.type.name == target.type.name:
            return _cast_nested(target, array, table, path)
        return _cast_scalar(target, source, array, path)
    except ValueError as error:
        raise InvalidInputError(f'{error} (column "{path}")') from error


def _cast_scalar(target: Field, source: Field, array: pa.Array, path: str) -> pa.Array:
    if array.type == arrow_type(target) and target.type not in _CHECKED:
        return array
    if target.type == types.VARCHAR:
        return _to_varchar(source, array)
    if source.type == types.VARCHAR and target.type != types.VARIANT:
        return _from_text(target, array, path)
    match source.type, target.type:
        case types.Number() | types.Boolean(), types.Boolean():
            return to_boolean(array)
        case types.Number() | types.Boolean(), types.Integer():
            return to_integer(target, source, array)
        case types.Number() | types.Boolean(), types.Float():
            return to_float(target, array)
        case types.Number() | types.Boolean(), types.Decimal():
            return to_decimal(target, array)
        case types.Integer() | types.Boolean(), types.Json():
            return _to_varchar(source, array)
        case types.Blob(), types.Uuid():
            return _to_uuid(array)
        case types.Blob(), types.GEOMETRY:
            values = in_time(array.to_pylist())
            return value_array([None if octets is None else canonical_wkb(octets) for octets in values], pa.binary())
        case types.Uuid(), types.Blob():
            return array.storage.cast(pa.binary())
        case types.Timestamp(), types.Date():
            return to_date(array)
        case types.TIME | types.Timestamp(is_zoned=False), types.TIME:
            return to_time(array)
        case types.TIME | types.Timestamp(), types.TIMETZ:
            return to_timetz(array)
        case types.Date() | types.Timestamp(), types.Timestamp():
            return to_timestamp(target, array)
        case types.Interval(), types.Interval():
            return value_array(values_of(array), pa.string())
    raise ValueError(f"Unimplemented type for cast ({source.type.sql_name} -> {target.type.sql_name})")


def _cast_nested(target: Field, array: pa.Array, table: str, path: str) -> pa.Array:
    is_null = numbers_of(array.is_null())
    if isinstance(target.type, types.Struct):
        return assemble(arrow_type(target), _struct_parts(target, array, table, path), None, is_null)
    parts = parts_of(array)
    names = ("element",) if isinstance(target.type, types.List) else ("key", "value")
    made = [
        cast(child, part, table, f"{path}.{name}")
        for child, part, name in zip(target.children, parts, names, strict=True)
    ]
    lengths = lengths_of(array)
    if isinstance(target.type, types.Map):
        _check_keys(target.children[0], made[0], lengths)
    return assemble(arrow_type(target), made, lengths, is_null)


def _struct_parts(target: Field, array: pa.Array, table: str, path: str) -> list[pa.Array]:
    check_names([field.name for field in array.type.fields], target.children, table, path)
    given = {fold(field.name): part for field, part in zip(array.type.fields, parts_of(array), strict=True)}
    return [
        cast(child, given.get(fold(child.name), pa.nulls(len(array))), table, f"{path}.{child.name}")
        for child in target.children
    ]


def _check_keys(field: Field, keys: pa.Array, lengths: Any) -> None:
    """Refuse maps with a key twice; an Arrow map cannot have a NULL key."""
    if field.children or isinstance(keys.type, pa.BaseExtensionType):
        keys = value_array([repr(key) for key in values_of(keys)], pa.string())
    rows = number_array(np.repeat(np.arange(len(lengths)), lengths))
    pairs = pa.table([rows, keys], names=["row", "key"])
    if pairs.group_by(["row", "key"]).aggregate([]).num_rows < len(keys):
        raise ValueError("Map keys must be unique.")


def _to_varchar(source: Field, array: pa.Array) -> pa.Array:
    if isinstance(source.type, types.Integer | types.Boolean):
        return array.cast(pa.string())
    return value_array(_texts_of(source, array), pa.string())


def _texts_of(source: Field, array: pa.Array) -> Sequence[str | None]:
    if source.children:
        # What is nested may be encoded in ways that only a cast to its own type undoes.
        array = cast(source, array, "", source.name)
    return to_texts(source.type, array)


def _from_text(target: Field, array: pa.Array, path: str) -> pa.Array:
    if (quick := _from_plain_text(target, array)) is not None:
        return quick
    return stored_array(target, parse_values(target, array.to_pylist(), path))


def _from_plain_text(target: Field, array: pa.Array) -> pa.Array | None:
    """Return the values of everyday text by Arrow's own casts; None for other text.

    Arrow and DuckDB agree on such text.
    """
    pattern = None if target.type in _NOT_PLAIN else _PLAIN.get(type(target.type))
    if pattern is None or not pc.all(pc.match_substring_regex(array, pattern), skip_nulls=True).as_py():
        return None
    try:
        return array.cast(pa.int64() if target.type == types.INT128 else arrow_type(target)).cast(arrow_type(target))
    except pa.ArrowInvalid:
        return None  # a value that does not fit, or must be rounded


def _to_uuid(array: pa.Array) -> pa.Array:
    lengths = pc.binary_length(array)
    wrong = lengths.filter(pc.not_equal(lengths, 16))
    if len(wrong):
        raise ValueError(f"Could not convert {wrong[0]} bytes to UUID")
    return pa.ExtensionArray.from_storage(pa.uuid(), array.cast(pa.binary(16)))
