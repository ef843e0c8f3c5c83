"""Values as text, and text as values, exactly as DuckDB casts VARCHAR."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import pyarrow as pa

from forklake.duck.json_depth import TOO_DEEP, is_shallow
from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import display_type
from forklake.files.arrow.type_names import physical_name
from forklake.files.arrow.values import shown_array, values_of
from forklake.files.casting.geometries import format_geometry, parse_geometry
from forklake.files.casting.intervals import parse_interval
from forklake.files.casting.moments import (
    format_date,
    format_time,
    format_timestamp,
    parse_date,
    parse_time,
    parse_timestamp,
    parse_timetz,
)
from forklake.files.casting.nested_text import quote, split_list, split_pairs, split_row, unquote
from forklake.files.casting.numerals import format_decimal, format_double, parse_decimal, parse_float, parse_integer
from forklake.files.casting.single_floats import format_float, round_to_single
from forklake.model import types
from forklake.model.field import Field
from forklake.model.flags import BOOLEANS
from forklake.model.interruption import in_time
from forklake.model.types import Type

__all__ = ["display_type", "format_value", "parse_value", "to_array", "to_texts"]

_PLAIN_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID: Final = re.compile(r"\{?((?:[0-9a-fA-F]-?){32})\}?")
_ESCAPE: Final = re.compile(r"\\x[0-9a-fA-F]{2}")
_CLEAR: Final = frozenset(range(32, 127)) - frozenset(b"\\'\"")
_SHOWN_OCTETS: Final = [chr(octet) if octet in _CLEAR else f"\\x{octet:02X}" for octet in range(256)]


def to_array(field: Field, texts: Sequence[str | None]) -> pa.Array:
    """Return the values of texts as an array of the column's `display_type`.

    Raises:
        InvalidInputError: A text is not a value of the type; with DuckDB's message and the column's name.
    """
    return shown_array(field, parse_values(field, texts))


def to_texts(kind: Type, array: pa.Array) -> list[str | None]:
    """Return the values of a column as text.

    The array has the column's `display_type`, or the type that files hold.
    """
    return [None if value is None else format_value(kind, value) for value in in_time(values_of(array))]


def parse_values(field: Field, texts: Sequence[str | None], path: str | None = None) -> list[Any]:
    """Return the values (`forklake.files.arrow.values`) of texts of a column.

    ``path`` is the name of a nested column in messages.

    Raises:
        InvalidInputError: A text is not a value of the type.
    """
    try:
        return [None if text is None else parse_value(field.type, text) for text in in_time(texts)]
    except ValueError as error:
        raise InvalidInputError(f'{error} (column "{path or field.name}")') from error


def parse_value(kind: Type, text: str) -> Any:
    """Return the value of a text.

    Raises:
        ValueError: The text is not a value of the type; with DuckDB's message.
    """
    parse = _PARSERS.get(type(kind))
    if parse is None:
        raise ValueError(f"Unimplemented type for cast (VARCHAR -> {kind.sql_name})")
    return parse(kind, text)


def format_value(kind: Type, value: Any) -> str:
    """Write a value that is not NULL (see `forklake.files.arrow.values`) as text."""
    return value if isinstance(value, str) else _FORMATTERS[type(kind)](kind, value)


def _require(value: Any, text: str, kind: Type) -> Any:
    if value is None:
        raise ValueError(f"Could not convert string '{text}' to {physical_name(kind)}")
    return value


def _parse_decimal(kind: types.Decimal, text: str) -> Decimal:
    number = parse_decimal(text, kind.precision, kind.scale)
    if number is None:
        raise ValueError(f'Could not convert string "{text}" to {kind.sql_name}')
    return number


def _parse_float(kind: types.Float, text: str) -> float:
    value: float = _require(parse_float(text), text, kind)
    return value if kind.bits == 64 else round_to_single(value)


def _parse_uuid(kind: types.Uuid, text: str) -> str:
    if _PLAIN_UUID.fullmatch(text):
        return text
    match = _UUID.fullmatch(text)
    if match is None or text.startswith("{") != text.endswith("}"):
        raise ValueError(f"Could not convert string '{text}' to INT128")
    return str(UUID(match[1].replace("-", "")))


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _parse_json(kind: Type, text: str) -> str:
    if not is_shallow(text):
        raise ValueError(TOO_DEEP)
    try:
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)  # only the form matters
    except RecursionError as error:  # called from deep within Python
        raise ValueError(TOO_DEEP) from error
    except ValueError as error:
        raise ValueError(f'Malformed JSON: "{text}"') from error
    return text


def _parse_blob(kind: Type, text: str) -> bytes:
    if not text.isascii():
        raise ValueError(
            f'Invalid byte encountered in STRING -> BLOB conversion of string "{text}". '
            "All non-ascii characters must be escaped with hex codes (e.g. \\xAA)"
        )
    if "\\" in _ESCAPE.sub("", text):
        raise ValueError(
            f'Invalid hex escape code encountered in string -> blob conversion of string "{text}": '
            "unterminated escape code at end of blob"
        )
    return text.encode("ascii").decode("unicode_escape").encode("latin-1")  # which has no other escapes


def _format_blob(kind: Type, value: bytes) -> str:
    return value.decode("latin-1").translate(_SHOWN_OCTETS)


def _parse_list(kind: types.List, text: str) -> list[Any]:
    try:
        parts = split_list(text)
    except ValueError as error:
        raise _cast_error(kind, text) from error
    return [_parse_part(kind.element.type, raw) for raw in in_time(parts)]


def _parse_map(kind: types.Map, text: str) -> list[tuple[Any, Any]]:
    try:
        parts = split_pairs(text, "=")
        if any(raw.upper() == "NULL" for raw, _ in in_time(parts)):
            raise ValueError("NULL as a key")
    except ValueError as error:
        raise _cast_error(kind, text) from error
    pairs = [(_parse_part(kind.key.type, key), _parse_part(kind.value.type, raw)) for key, raw in in_time(parts)]
    if len({repr(key) for key, _ in in_time(pairs)}) < len(pairs):
        raise ValueError("Map keys must be unique.")
    return pairs


def _parse_struct(kind: types.Struct, text: str) -> tuple[Any, ...]:
    try:
        if text.lstrip().startswith("("):
            found = dict(zip((field.name for field in kind.fields), split_row(text), strict=True))
        else:
            found = {unquote(name): raw for name, raw in split_pairs(text, ":")}
        if not found.keys() <= {field.name for field in kind.fields}:
            raise ValueError("unknown field")
    except ValueError as error:
        raise _cast_error(kind, text) from error
    return tuple(_parse_part(field.type, found[field.name]) if field.name in found else None for field in kind.fields)


def _cast_error(kind: Type, text: str) -> ValueError:
    return ValueError(f"Type VARCHAR with value '{text}' can't be cast to the destination type {kind.sql_name}")


def _parse_part(kind: Type, raw: str) -> Any:
    if isinstance(kind, types.Json):
        # Its own null is a value.
        return None if raw == "NULL" else _parse_json(kind, unquote(raw) if raw.startswith("'") else raw)
    if raw.upper() == "NULL":
        return None
    is_bare = isinstance(kind, types.Nested) and raw[:1] not in ("'", '"')
    return parse_value(kind, raw if is_bare else unquote(raw))


def _format_part(kind: Type, value: Any, *, in_list: bool = False) -> str:
    """Return a part of a nested value as text.

    JSON is quoted as DuckDB quotes it in structs and maps.
    """
    if value is None:
        return "NULL"
    text = format_value(kind, value)
    is_bare = isinstance(kind, types.Nested) or (in_list and isinstance(kind, types.Json))
    return text if is_bare else quote(text)


def _format_list(kind: types.List, value: Any) -> str:
    return f"[{', '.join(_format_part(kind.element.type, item, in_list=True) for item in in_time(value))}]"


def _format_struct(kind: types.Struct, value: Any) -> str:
    parts = (
        f"{quote(field.name, always=True)}: {_format_part(field.type, item)}"
        for field, item in zip(kind.fields, value, strict=True)
    )
    return f"{{{', '.join(parts)}}}"


def _format_map(kind: types.Map, value: Any) -> str:
    key, item = kind.key.type, kind.value.type
    pairs = (f"{_format_part(key, left)}={_format_part(item, right)}" for left, right in in_time(value))
    return f"{{{', '.join(pairs)}}}"


_PARSERS: Final[dict[type[Type], Callable[[Any, str], Any]]] = {
    types.Boolean: lambda kind, text: _require(BOOLEANS.get(text.lower()), text, kind),
    types.Integer: lambda kind, text: _require(parse_integer(text, kind), text, kind),
    types.Float: _parse_float,
    types.Decimal: _parse_decimal,
    types.Varchar: lambda kind, text: text,
    types.Json: _parse_json,
    types.Blob: _parse_blob,
    types.Geometry: lambda kind, text: parse_geometry(text),
    types.Uuid: _parse_uuid,
    types.Date: lambda kind, text: parse_date(text),
    types.Time: lambda kind, text: parse_timetz(text) if kind.is_zoned else parse_time(text),
    types.Timestamp: lambda kind, text: parse_timestamp(text, kind.unit, has_zone=kind.is_zoned),
    types.Interval: lambda kind, text: str(parse_interval(text)),
    types.List: _parse_list,
    types.Map: _parse_map,
    types.Struct: _parse_struct,
}
_FORMATTERS: Final[dict[type[Type], Callable[[Any, Any], str]]] = {
    types.Boolean: lambda kind, value: "true" if value else "false",
    types.Integer: lambda kind, value: str(int(value)),
    types.Float: lambda kind, value: format_float(value) if kind.bits == 32 else format_double(value),
    types.Decimal: lambda kind, value: format_decimal(value, kind.precision, kind.scale),
    types.Blob: _format_blob,
    types.Geometry: lambda kind, value: format_geometry(value),
    types.Date: lambda kind, value: format_date(value),
    types.Time: lambda kind, value: format_time(value),
    types.Timestamp: lambda kind, value: format_timestamp(
        value, "ns" if kind.unit == "ns" else "us", has_zone=kind.is_zoned
    ),
    types.List: _format_list,
    types.Map: _format_map,
    types.Struct: _format_struct,
}
