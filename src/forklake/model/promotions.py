"""Which types a column can be given in place of its own, while its files stay as they are: DuckLake's promotions."""

from __future__ import annotations

import re
import struct
from typing import Final

_SIGNED: Final = {"int8": 3, "int16": 5, "int32": 10, "int64": 19, "int128": 38}
_UNSIGNED: Final = {"uint8": 3, "uint16": 5, "uint32": 10, "uint64": 20, "uint128": 38}
"""By type, in the order of their sizes: the digits of its largest value, as far as 38 of them are kept."""
_MOMENTS: Final = {
    "date": {"timestamp", "timestamptz", "timestamp_s", "timestamp_ms", "timestamp_ns"},
    "timestamp": {"timestamptz", "timestamp_ns"},
    "timestamp_s": {"timestamp", "timestamp_ms", "timestamp_ns"},
    "timestamp_ms": {"timestamp", "timestamp_ns"},
}
_DECIMAL: Final = re.compile(r"decimal\((\d+),(\d+)\)")


def is_integer(column_type: str) -> bool:
    """Return whether a type has whole numbers of a fixed size."""
    return column_type in _SIGNED or column_type in _UNSIGNED


def is_promotion(old: str, new: str) -> bool:
    """Return whether a column of one type can become one of another.

    Every value of the old type has one of the new; a float has the nearest where it has not the same.

    >>> is_promotion("int32", "int64"), is_promotion("uint8", "int16"), is_promotion("int64", "int32")
    (True, True, False)
    >>> is_promotion("int32", "decimal(12,2)"), is_promotion("int32", "decimal(11,2)"), is_promotion("int64", "float32")
    (True, False, True)
    """
    if old == "boolean":
        return new in _SIGNED or new in _UNSIGNED
    if old == "float32":
        return new == "float64"
    if old in _MOMENTS:
        return new in _MOMENTS[old]
    digits = _SIGNED.get(old) or _UNSIGNED.get(old)
    if digits is not None:
        return new in ("float32", "float64") or _is_larger(old, new) or _holds(new, digits, 0)
    match = _DECIMAL.fullmatch(old)
    if match is None:
        return False
    precision, scale = int(match[1]), int(match[2])
    return new in ("float32", "float64") or (old != new and _holds(new, precision - scale, scale))


def _is_larger(old: str, new: str) -> bool:
    """Return whether an integer type holds all values of another."""
    if old in _UNSIGNED and new in _UNSIGNED:
        return list(_UNSIGNED).index(new) > list(_UNSIGNED).index(old)
    own = list(_SIGNED if old in _SIGNED else _UNSIGNED)
    return new in _SIGNED and list(_SIGNED).index(new) > own.index(old)


def _holds(new: str, whole_digits: int, scale: int) -> bool:
    """Return whether a type is a decimal with that many digits before the point and after it."""
    match = _DECIMAL.fullmatch(new)
    if match is None:
        return False
    return int(match[2]) >= scale and int(match[1]) - int(match[2]) >= whole_digits


def as_float32(value: float) -> float:
    """Return the number of 32 bits next to a number, with the digits that it has as one of 64.

    >>> as_float32(0.1)
    0.10000000149011612

    Raises:
        OverflowError: It is too large.
    """
    nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return nearest
