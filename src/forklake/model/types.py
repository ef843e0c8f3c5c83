"""Column types: DuckLake's lower-case names, and the SQL names that users write."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

NESTED: Final = frozenset({"struct", "list", "map"})

_NAMES: Final = {
    "boolean": ("bool", "logical"),
    "int8": ("tinyint", "int1"),
    "int16": ("smallint", "int2", "short"),
    "int32": ("integer", "int", "int4", "signed"),
    "int64": ("bigint", "long"),
    "int128": ("hugeint",),
    "uint8": ("utinyint",),
    "uint16": ("usmallint",),
    "uint32": ("uinteger",),
    "uint64": ("ubigint",),
    "uint128": ("uhugeint",),
    "float32": ("float", "real", "float4"),
    "float64": ("double", "float8", "double precision"),
    "varchar": ("text", "string", "char", "bpchar"),
    "blob": ("bytea", "binary", "varbinary"),
    "date": (),
    "time": (),
    "timetz": ("time with time zone",),
    "timestamp": ("datetime", "timestamp_us"),
    "timestamptz": ("timestamp with time zone",),
    "timestamp_s": (),
    "timestamp_ms": (),
    "timestamp_ns": (),
    "interval": (),
    "json": (),
    "uuid": (),
    "geometry": (),
    "variant": (),
    "struct": (),
    "list": (),
    "map": (),
}
_CANONICAL: Final = {alias: name for name, aliases in _NAMES.items() for alias in (name, *aliases)}
_DECIMAL: Final = re.compile(r"(?:decimal|numeric)(?:\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")
_MAX_PRECISION: Final = 38


def canonical(text: str) -> str:
    """Return DuckLake's name of a type.

    >>> canonical("BIGINT"), canonical("Decimal(10, 2)")
    ('int64', 'decimal(10,2)')

    Raises:
        ValueError: There is no such type.
    """
    name = " ".join(text.lower().split())
    if name in _CANONICAL:
        return _CANONICAL[name]
    match = _DECIMAL.fullmatch(name)
    if match:
        precision, scale = int(match[1] or 18), int(match[2] or (0 if match[1] else 3))
        if 1 <= precision <= _MAX_PRECISION and scale <= precision:
            return f"decimal({precision},{scale})"
    raise ValueError(f'Type "{text}" does not exist.')


def order_key(column_type: str, text: str) -> Any:
    """Return what the value of a statistics text sorts by, or None if that cannot be told.

    Statistics are kept as text; they compare as values of their column's type.
    """
    try:
        if column_type.startswith(("int", "uint")) and column_type != "interval":
            return int(text)
        if column_type.startswith("float"):
            return float(text)
        if column_type.startswith("decimal"):
            return Decimal(text)
    except (ValueError, ArithmeticError):
        return None
    if column_type.startswith(("date", "timestamp")) and not re.match(r"\d{4}-", text):
        return None
    return text


_INTEGERS: Final = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "int128": 128}


def is_widening(old: str, new: str) -> bool:
    """Return whether every value of the old type is one of the new type, and files need not be rewritten.

    >>> is_widening("int32", "int64"), is_widening("uint8", "int16"), is_widening("int64", "int32")
    (True, True, False)
    """
    if old in _INTEGERS:
        return new in _INTEGERS and _INTEGERS[new] > _INTEGERS[old] and new != "int128"
    if old.startswith("uint") and old != "uint128":
        bits = int(old.removeprefix("uint"))
        if new.startswith("uint"):
            return new != "uint128" and int(new.removeprefix("uint")) > bits
        return new in _INTEGERS and new != "int128" and _INTEGERS[new] > bits
    return (old, new) == ("float32", "float64")
