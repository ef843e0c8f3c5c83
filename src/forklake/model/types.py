"""Column types: DuckLake's lower-case names, and the SQL names that users write."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from forklake.model.calendar import day_number

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
SQL_NAMES: Final = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "int128": "HUGEINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "uint128": "UHUGEINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "timetz": "TIME WITH TIME ZONE",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
"""What DuckDB calls types that DuckLake calls otherwise; all others it calls the same, in capitals."""

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


NANOS_PER_DAY: Final = 86_400_000_000_000
_MOMENT: Final = re.compile(
    r"(?:(?P<year>\d{1,6})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?P<before> \(BC\))?)?"
    r"(?:(?:^|[ T])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9})\d*)?)?)?"
    r"(?P<zone>Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?",
    re.ASCII,
)


def sql_name(column_type: str) -> str:
    """Return DuckDB's name of a type that is not nested.

    >>> sql_name("int64"), sql_name("decimal(10,2)")
    ('BIGINT', 'DECIMAL(10,2)')
    """
    return SQL_NAMES.get(column_type, column_type.upper())


def order_key(column_type: str, text: str) -> Any:
    """Return what the value of a statistics text sorts by, or None if that cannot be told.

    Statistics are kept as text; they compare as values of their column's type. Text itself compares by code points,
    which is the order of its UTF-8 bytes.
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
    match column_type:
        case "boolean":
            return {"0": 0, "false": 0, "1": 1, "true": 1}.get(text.lower())
        case "uuid":
            return text.lower()
        case "date" | "time" | "timestamp" | "timestamptz" | "timestamp_s" | "timestamp_ms" | "timestamp_ns":
            return moment(column_type, text)
        case "timetz" | "interval":
            return None
    return text


def moment(column_type: str, text: str) -> int | None:
    """Return a date, a time or a timestamp as nanoseconds since 1970 or midnight; None if the text is none of these.

    Without an offset it is UTC. Infinities, and what DuckDB would not print, are no moments.

    >>> moment("date", "1970-01-02") == NANOS_PER_DAY, moment("timestamptz", "1970-01-01 02:00:00+02")
    (True, 0)
    """
    match = _MOMENT.fullmatch(text)
    if match is None or (match["year"] is None) != (column_type == "time"):
        return None
    days = 0
    if match["year"] is not None:
        year, month, day = (int(match[part]) for part in ("year", "month", "day"))
        if match["before"]:
            year = 1 - year
        found = day_number(year, month, day)
        if found is None:
            return None
        days = found
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    nanos = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + int((match["fraction"] or "0").ljust(9, "0"))
    if minute > 59 or second > 59 or nanos > NANOS_PER_DAY:
        return None
    return days * NANOS_PER_DAY + nanos - _offset_seconds(match["zone"] or "Z") * 1_000_000_000


def _offset_seconds(zone: str) -> int:
    digits = zone[1:].replace(":", "").ljust(6, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:6])
    return -seconds if zone.startswith("-") else seconds
