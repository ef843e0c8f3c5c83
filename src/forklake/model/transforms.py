"""Partition transforms of one value: from its text to the text of its partition value.

`forklake.files` has the same for whole columns. Here they serve pruning, so None, "cannot be told", is always allowed.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from typing import Final

from forklake.model.calendar import date_of
from forklake.model.types import NANOS_PER_DAY, moment

_BUCKET: Final = re.compile(r"bucket\((\d+)\)")
_NANOS_PER_HOUR: Final = 3_600_000_000_000
_NANOS_PER_UNIT: Final = {
    "timestamp_s": 1_000_000_000,
    "timestamp_ms": 1_000_000,
    "timestamp": 1_000,
    "timestamptz": 1_000,
    "timestamp_ns": 1,
    "time": 1_000,
}
_SIGNED: Final = frozenset({"int8", "int16", "int32", "int64"})
_AS_TEXT: Final = frozenset({"varchar", "json", "uuid", "int128", "uint8", "uint16", "uint32", "uint64", "uint128"})
_BOOLEANS: Final = {"0": 0, "false": 0, "1": 1, "true": 1}
_WIDEST_INTEGER_DECIMAL: Final = 18


def transform_text(column_type: str, transform: str, text: str) -> str | None:
    """Return the partition value of a value, both as text, or None if that cannot be told.

    A ``timestamptz`` is taken at UTC; writers with another time zone give other years, months, days and hours.

    >>> transform_text("date", "month", "2017-11-16"), transform_text("int64", "bucket(1000)", "34")
    ('11', '379')
    """
    if transform == "identity":
        return text
    bucket = _BUCKET.fullmatch(transform)
    try:
        if bucket:
            encoded = _hashed_bytes(column_type, text)
            count = int(bucket[1])
            return None if encoded is None or count < 1 else str((murmur3(encoded) & 0x7FFFFFFF) % count)
        return _part(column_type, transform, text)
    except (ValueError, ArithmeticError, struct.error):
        return None


def _part(column_type: str, transform: str, text: str) -> str | None:
    nanos = moment(column_type, text)
    if nanos is None or (column_type == "time" and transform != "hour"):
        return None
    part = date_part(transform, nanos)
    return None if part is None else str(part)


def date_part(transform: str, nanos: int) -> int | None:
    """Return a part of a moment, or None if there is no such transform.

    >>> date_part("epoch_month", 32 * NANOS_PER_DAY), date_part("hour", -1)
    (1, 23)
    """
    hours, days = nanos // _NANOS_PER_HOUR, nanos // NANOS_PER_DAY
    year, month, day = date_of(days)
    match transform:
        case "year":
            return year
        case "month":
            return month
        case "day":
            return day
        case "hour":
            return hours % 24
        case "epoch_year":
            return year - 1970
        case "epoch_month":
            return (year - 1970) * 12 + month - 1
        case "epoch_day":
            return days
        case "epoch_hour":
            return hours
    return None


def _hashed_bytes(column_type: str, text: str) -> bytes | None:
    """Return the bytes of a value that DuckLake hashes."""
    if column_type in _SIGNED:
        return struct.pack("<q", int(text))
    if column_type == "boolean":
        return struct.pack("<q", _BOOLEANS[text.lower()]) if text.lower() in _BOOLEANS else None
    if column_type in _AS_TEXT:
        return text.encode()
    if column_type in ("float32", "float64"):
        value = float(text)
        if column_type == "float32":
            (value,) = struct.unpack("<f", struct.pack("<f", value))
        return struct.pack("<d", 0.0 if value == 0 else value)
    if column_type.startswith("decimal("):
        precision, scale = (int(part) for part in column_type[8:-1].split(","))
        value_text = f"{Decimal(text):.{scale}f}"
        if Decimal(value_text) != Decimal(text):
            return None
        return struct.pack("<q", int(value_text.replace(".", ""))) if precision <= _WIDEST_INTEGER_DECIMAL else None
    nanos = moment(column_type, text)
    if nanos is None:
        return None
    if column_type == "date":
        return struct.pack("<q", nanos // NANOS_PER_DAY)
    unit = _NANOS_PER_UNIT.get(column_type)
    return None if unit is None else struct.pack("<q", nanos // unit)


def murmur3(data: bytes) -> int:
    """Return the 32 bit Murmur3 hash of bytes, seed 0.

    >>> murmur3(b"iceberg")
    1210000089
    """
    mask, whole = 0xFFFFFFFF, len(data) // 4 * 4
    state = 0
    for place in range(0, len(data), 4):
        block = int.from_bytes(data[place : place + 4], "little") * 0xCC9E2D51 & mask
        state ^= (block << 15 | block >> 17) * 0x1B873593 & mask
        if place < whole:
            state = (state << 13 | state >> 19) & mask
            state = (state * 5 + 0xE6546B64) & mask
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & mask
    state = (state ^ state >> 13) * 0xC2B2AE35 & mask
    return state ^ state >> 16
