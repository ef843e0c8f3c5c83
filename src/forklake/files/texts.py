"""Values as text, and text as values: exactly what DuckDB's ``CAST(x AS VARCHAR)`` gives and what it takes back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.geometries import format_geometry, parse_geometry
from forklake.files.intervals import parse_interval
from forklake.files.moments import (
    format_date,
    format_time,
    format_timestamp,
    parse_date,
    parse_time,
    parse_timestamp,
    parse_timetz,
)
from forklake.files.nested_text import quote, split_list, split_pairs, split_row, unquote
from forklake.files.numerals import (
    INTEGER_RANGES,
    format_decimal,
    format_double,
    format_float,
    parse_decimal,
    parse_float,
    parse_integer,
)
from forklake.files.schema import display_type, precision_and_scale
from forklake.files.type_names import physical_name, sql_name
from forklake.files.values import shown_array, values_of
from forklake.model.field import Field
from forklake.model.flags import BOOLEANS

__all__ = ["display_type", "format_value", "parse_value", "to_array", "to_texts"]

_PLAIN_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID: Final = re.compile(r"\{?((?:[0-9a-fA-F]-?){32})\}?")
_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})")
_CLEAR: Final = frozenset(range(32, 127)) - frozenset(b"\\'\"")


def to_array(field: Field, texts: Sequence[str | None]) -> pa.Array:
    """Return what texts of a column mean, as an array of its `display_type`.

    Raises:
        InvalidInputError: A text means no value of the type; in DuckDB's words, with the column's name.
    """
    return shown_array(field, parse_values(field, texts))


def to_texts(field: Field, array: pa.Array) -> list[str | None]:
    """Return the values of a column as text; the array has its `display_type`, or the type that files hold."""
    return [None if value is None else format_value(field, value) for value in values_of(array)]


def parse_values(field: Field, texts: Sequence[str | None], path: str | None = None) -> list[Any]:
    """Return the values (`forklake.files.values`) that texts of a column mean; ``path`` names a nested one in messages.

    Raises:
        InvalidInputError: A text means no value of the type.
    """
    try:
        return [None if text is None else parse_value(field, text) for text in texts]
    except ValueError as error:
        raise InvalidInputError(f'{error} (column "{path or field.name}")') from error


def parse_value(field: Field, text: str) -> Any:
    """Return the value that a text means.

    Raises:
        ValueError: It means none of the type; in DuckDB's words.
    """
    if field.type in INTEGER_RANGES:
        return _found(parse_integer(text, field.type), text, field)
    if decimal := precision_and_scale(field.type):
        number = parse_decimal(text, *decimal)
        if number is None:
            raise ValueError(f'Could not convert string "{text}" to {sql_name(field)}')
        return number
    parse = _PARSERS.get(field.type)
    if parse is None:
        raise ValueError(f"Unimplemented type for cast (VARCHAR -> {sql_name(field)})")
    return parse(field, text)


def format_value(field: Field, value: Any) -> str:
    """Write a value that is not NULL (see `forklake.files.values`) as text."""
    if isinstance(value, str):
        return value
    if decimal := precision_and_scale(field.type):
        return format_decimal(value, *decimal)
    if field.type in INTEGER_RANGES:
        return str(int(value))
    return _FORMATTERS[field.type](field, value)


def _found(value: Any, text: str, field: Field) -> Any:
    if value is None:
        raise ValueError(f"Could not convert string '{text}' to {physical_name(field.type)}")
    return value


def _parse_float32(field: Field, text: str) -> float:
    value = _found(parse_float(text), text, field)
    return float(pa.scalar(value, pa.float64()).cast(pa.float32(), safe=False).as_py())


def _parse_uuid(field: Field, text: str) -> str:
    if _PLAIN_UUID.fullmatch(text):
        return text
    match = _UUID.fullmatch(text)
    if match is None or text.startswith("{") != text.endswith("}"):
        raise ValueError(f"Could not convert string '{text}' to INT128")
    return str(UUID(match[1].replace("-", "")))


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _parse_json(field: Field, text: str) -> str:
    try:
        json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)  # only the form matters
    except (ValueError, RecursionError) as error:
        raise ValueError(f'Malformed JSON: "{text}"') from error
    return text


def _parse_blob(field: Field, text: str) -> bytes:
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
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).encode("latin-1")


def _format_blob(field: Field, value: bytes) -> str:
    return "".join(chr(octet) if octet in _CLEAR else f"\\x{octet:02X}" for octet in value)


def _parse_nested(field: Field, text: str) -> Any:
    try:
        if field.type == "list":
            parts: Any = split_list(text)
        elif field.type == "map":
            parts = split_pairs(text, "=")
        elif text.lstrip().startswith("("):
            parts = list(zip((child.name for child in field.children), split_row(text), strict=True))
        else:
            parts = [(unquote(name), raw) for name, raw in split_pairs(text, ":")]
        if field.type == "struct" and not {name for name, _ in parts} <= {child.name for child in field.children}:
            raise ValueError("unknown field")
        if field.type == "map" and any(raw.upper() == "NULL" for raw, _ in parts):
            raise ValueError("NULL as a key")
    except ValueError as error:
        words = f"Type VARCHAR with value '{text}' can't be cast to the destination type {sql_name(field)}"
        raise ValueError(words) from error
    if field.type == "list":
        return [_parse_part(field.children[0], raw) for raw in parts]
    if field.type == "map":
        pairs = [(_parse_part(field.children[0], key), _parse_part(field.children[1], raw)) for key, raw in parts]
        if len({repr(key) for key, _ in pairs}) < len(pairs):
            raise ValueError("Map keys must be unique.")
        return pairs
    found = dict(parts)
    return tuple(_parse_part(child, found[child.name]) if child.name in found else None for child in field.children)


def _parse_part(field: Field, raw: str) -> Any:
    if field.type == "json":
        # JSON within a nested value is never quoted; its own null is a value.
        return None if raw == "NULL" else _parse_json(field, raw)
    if raw.upper() == "NULL":
        return None
    return parse_value(field, raw if field.children and raw[:1] not in ("'", '"') else unquote(raw))


def _format_part(field: Field, value: Any) -> str:
    if value is None:
        return "NULL"
    text = format_value(field, value)
    return text if field.children or field.type == "json" else quote(text)


def _format_list(field: Field, value: Any) -> str:
    return f"[{', '.join(_format_part(field.children[0], item) for item in value)}]"


def _format_struct(field: Field, value: Any) -> str:
    parts = zip(field.children, value, strict=True)
    return f"{{{', '.join(f'{quote(child.name, always=True)}: {_format_part(child, item)}' for child, item in parts)}}}"


def _format_map(field: Field, value: Any) -> str:
    key_field, item_field = field.children
    pairs = (f"{_format_part(key_field, key)}={_format_part(item_field, item)}" for key, item in value)
    return f"{{{', '.join(pairs)}}}"


_PARSERS: Final[dict[str, Callable[[Field, str], Any]]] = {
    "boolean": lambda field, text: _found(BOOLEANS.get(text.lower()), text, field),
    "float32": _parse_float32,
    "float64": lambda field, text: _found(parse_float(text), text, field),
    "varchar": lambda field, text: text,
    "json": _parse_json,
    "blob": _parse_blob,
    "geometry": lambda field, text: parse_geometry(text),
    "uuid": _parse_uuid,
    "date": lambda field, text: parse_date(text),
    "time": lambda field, text: parse_time(text),
    "timetz": lambda field, text: parse_timetz(text),
    "timestamp": lambda field, text: parse_timestamp(text, "us"),
    "timestamp_s": lambda field, text: parse_timestamp(text, "s"),
    "timestamp_ms": lambda field, text: parse_timestamp(text, "ms"),
    "timestamp_ns": lambda field, text: parse_timestamp(text, "ns"),
    "timestamptz": lambda field, text: parse_timestamp(text, "us", has_zone=True),
    "interval": lambda field, text: str(parse_interval(text)),
    "list": _parse_nested,
    "struct": _parse_nested,
    "map": _parse_nested,
}
_FORMATTERS: Final[dict[str, Callable[[Field, Any], str]]] = {
    "boolean": lambda field, value: "true" if value else "false",
    "float32": lambda field, value: format_float(value),
    "float64": lambda field, value: format_double(value),
    "blob": _format_blob,
    "geometry": lambda field, value: format_geometry(value),
    "date": lambda field, value: format_date(value),
    "time": lambda field, value: format_time(value),
    "timestamp": lambda field, value: format_timestamp(value),
    "timestamp_s": lambda field, value: format_timestamp(value),
    "timestamp_ms": lambda field, value: format_timestamp(value),
    "timestamp_ns": lambda field, value: format_timestamp(value, "ns"),
    "timestamptz": lambda field, value: format_timestamp(value, has_zone=True),
    "list": _format_list,
    "struct": _format_struct,
    "map": _format_map,
}
