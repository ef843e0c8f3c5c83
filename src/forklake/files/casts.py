"""Arrow arrays of any type as arrays that a column's files hold; the rules are in docs/spec/casts.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forklake.errors import InvalidInputError
from forklake.files.column_names import check_names
from forklake.files.decode import decode
from forklake.files.geometries import canonical_wkb
from forklake.files.nesting import assembled, lengths_of, parts_of
from forklake.files.number_casts import to_boolean, to_decimal, to_float, to_integer
from forklake.files.numerals import INTEGER_RANGES
from forklake.files.schema import arrow_type, precision_and_scale
from forklake.files.texts import parse_values, to_texts
from forklake.files.time_casts import UNITS, to_date, to_time, to_timestamp, to_timetz
from forklake.files.type_names import field_of, sql_name
from forklake.files.values import stored_array, values_of
from forklake.model.field import Field
from forklake.model.names import fold

_DAY: Final = "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_PLAIN: Final = {
    "int": "^-?[0-9]{1,18}$",
    "float": r"^-?[0-9]+(\.[0-9]+)?$",
    "decimal": r"^-?[0-9]{1,38}(\.[0-9]{1,38})?$",
    "date": f"^{_DAY}$",
    "timestamp": rf"^{_DAY} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]{{1,6}})?$",
}
_CHECKED: Final = frozenset({"json", "geometry", "interval", "timetz", "int128", "uint128", "timestamp_s"})
"""Types that files hold as a wider one: not every value of that is one of theirs."""


def cast(target: Field, array: pa.Array, table: str, path: str | None = None) -> pa.Array:
    """Return an array with the type that files hold the column as, and the same values as DuckDB's ``INSERT`` makes.

    An array that needs no change is returned as it is, without a copy.

    Args:
        target: The column.
        array: What a user handed in.
        table: The table's name, for messages.
        path: The names that lead to the column, if it is nested in another.

    Raises:
        InvalidInputError: There is no such cast, or a value is none of the column's; in DuckDB's words.
    """
    path = path or target.name
    try:
        array = decode(array)
        if pa.types.is_null(array.type):
            return stored_array(target, [None] * len(array))
        source = field_of(path, array.type)
        if target.children and source.type == target.type:
            return _cast_nested(target, array, table, path)
        return _cast_scalar(target, source, array, path)
    except ValueError as error:
        raise InvalidInputError(f'{error} (column "{path}")') from error


def _cast_scalar(target: Field, source: Field, array: pa.Array, path: str) -> pa.Array:
    if array.type == arrow_type(target) and target.type not in _CHECKED:
        return array
    if target.type == "varchar":
        return _to_varchar(source, array)
    if source.type == "varchar":
        return _from_text(target, array, path)
    if source.type in INTEGER_RANGES or source.type == "boolean" or pa.types.is_floating(array.type):
        kind = "number"
    else:
        kind = "number" if pa.types.is_decimal(array.type) else source.type
    match kind, target.type:
        case "number", "boolean":
            return to_boolean(target, source, array)
        case "number", name if name in INTEGER_RANGES:
            return to_integer(target, source, array)
        case "number", "float32" | "float64":
            return to_float(target, source, array)
        case "number", name if precision_and_scale(name):
            return to_decimal(target, source, array)
        case "number", "json" if source.type in INTEGER_RANGES or source.type == "boolean":
            return _to_varchar(source, array)
        case "blob", "uuid":
            return _to_uuid(array)
        case "blob", "geometry":
            return pa.array(
                [None if octets is None else canonical_wkb(octets) for octets in array.to_pylist()], pa.binary()
            )
        case "uuid", "blob":
            return array.storage.cast(pa.binary())
        case name, "date" if name in UNITS:
            return to_date(array)
        case name, "time" if name == "time" or (name in UNITS and name != "timestamptz"):
            return to_time(array)
        case name, "timetz" if name == "time" or name in UNITS:
            return to_timetz(array)
        case name, moment if moment in UNITS and (name == "date" or name in UNITS):
            return to_timestamp(target, array)
        case "interval", "interval":
            return pa.array(values_of(array), pa.string())
    raise ValueError(f"Unimplemented type for cast ({sql_name(source)} -> {sql_name(target)})")


def _cast_nested(target: Field, array: pa.Array, table: str, path: str) -> pa.Array:
    is_null = np.asarray(array.is_null())
    if target.type == "struct":
        return assembled(arrow_type(target), _struct_parts(target, array, table, path), None, is_null)
    parts = parts_of(array)
    names = ("element",) if target.type == "list" else ("key", "value")
    made = [
        cast(child, part, table, f"{path}.{name}")
        for child, part, name in zip(target.children, parts, names, strict=True)
    ]
    lengths = lengths_of(array)
    if target.type == "map":
        _check_keys(target.children[0], made[0], lengths)
    return assembled(arrow_type(target), made, lengths, is_null)


def _struct_parts(target: Field, array: pa.Array, table: str, path: str) -> list[pa.Array]:
    check_names([field.name for field in array.type.fields], target.children, table, path)
    given = {fold(field.name): part for field, part in zip(array.type.fields, parts_of(array), strict=True)}
    return [
        cast(child, given.get(fold(child.name), pa.nulls(len(array))), table, f"{path}.{child.name}")
        for child in target.children
    ]


def _check_keys(field: Field, keys: pa.Array, lengths: Any) -> None:
    """Refuse maps with a key twice; one that is NULL cannot be in an Arrow map."""
    if field.children or isinstance(keys.type, pa.BaseExtensionType):
        keys = pa.array([repr(key) for key in values_of(keys)], pa.string())
    rows = pa.array(np.repeat(np.arange(len(lengths)), lengths))
    pairs = pa.table([rows, keys], names=["row", "key"])
    if pairs.group_by(["row", "key"]).aggregate([]).num_rows < len(keys):
        raise ValueError("Map keys must be unique.")


def _to_varchar(source: Field, array: pa.Array) -> pa.Array:
    if source.type in INTEGER_RANGES or source.type == "boolean":
        return array.cast(pa.string())
    return pa.array(_texts_of(source, array), pa.string())


def _texts_of(source: Field, array: pa.Array) -> Sequence[str | None]:
    if source.children:
        # What is nested may be encoded in ways that only a cast to its own type undoes.
        array = cast(source, array, "", source.name)
    return to_texts(source, array)


def _from_text(target: Field, array: pa.Array, path: str) -> pa.Array:
    if (quick := _from_plain_text(target, array)) is not None:
        return quick
    return stored_array(target, parse_values(target, array.to_pylist(), path))


def _from_plain_text(target: Field, array: pa.Array) -> pa.Array | None:
    """Return the values of everyday text by Arrow's own casts, which agree on it; None if there is other text."""
    kind = "int" if target.type in INTEGER_RANGES else target.type.partition("(")[0].rstrip("0123456789")
    if target.type == "uint128" or kind not in _PLAIN:
        return None  # files hold uint128 as a type that has negative values, too
    if not pc.all(pc.match_substring_regex(array, _PLAIN[kind]), skip_nulls=True).as_py():
        return None
    try:
        return array.cast(pa.int64() if target.type.endswith("128") else arrow_type(target)).cast(arrow_type(target))
    except pa.ArrowInvalid:
        return None  # a value that does not fit, or must be rounded


def _to_uuid(array: pa.Array) -> pa.Array:
    lengths = pc.binary_length(array)
    wrong = lengths.filter(pc.not_equal(lengths, 16))
    if len(wrong):
        raise ValueError(f"Could not convert {wrong[0]} bytes to UUID")
    return pa.ExtensionArray.from_storage(pa.uuid(), array.cast(pa.binary(16)))
