"""DuckLake's promotions: the types that a column can be changed to.

Its files stay as they are.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

from forklake.model import types
from forklake.model.types import Type


def is_promotion(old: Type, new: Type) -> bool:
    """Return whether a column of one type can become one of another.

    Every value of the old type has one of the new; a float has the nearest where it has not the same.

    >>> is_promotion(types.INT32, types.INT64), is_promotion(types.UINT8, types.INT16)
    (True, True)
    >>> is_promotion(types.INT32, types.Decimal(12, 2)), is_promotion(types.INT32, types.Decimal(11, 2))
    (True, False)
    """
    match old, new:
        case types.Boolean(), types.Integer():
            return True
        case types.Integer() | types.Decimal(), types.Float():
            return True
        case types.Integer(), types.Integer():
            return old != new and new.holds(old)
        case types.Integer(), types.Decimal(precision, scale):
            return precision - scale >= old.digits
        case types.Decimal(), types.Decimal(precision, scale):
            return old != new and scale >= old.scale and precision - scale >= old.precision - old.scale
        case types.Float(32), types.Float(64):
            return True
        case types.Date(), types.Timestamp():
            return True
        case types.Timestamp(is_zoned=False), types.Timestamp():
            return _is_finer(old, new)
    return False


_BETWEEN: Final[Mapping[Type, Type]] = {
    types.BOOLEAN: types.INT8,
    types.TIMESTAMP_S: types.TIMESTAMP,
    types.TIMESTAMP_MS: types.TIMESTAMP,
}
"""What a column becomes first on its way to types that one promotion does not lead to.

All else that two steps or more lead to, one leads to as well.
"""


def can_become(old: Type, new: Type) -> bool:
    """Return whether promotions lead from one type to another, in any steps.

    A file holds the old type then, and its column shows the new one.

    >>> is_promotion(types.BOOLEAN, types.FLOAT64), can_become(types.BOOLEAN, types.FLOAT64)
    (False, True)
    >>> can_become(types.FLOAT64, types.BOOLEAN)
    False
    """
    return is_promotion(old, new) or (old in _BETWEEN and is_promotion(_BETWEEN[old], new))


def _is_finer(old: types.Timestamp, new: types.Timestamp) -> bool:
    """Return whether one type of timestamps can be promoted to another."""
    if new.is_zoned:
        return old.unit == "us"
    units = ("s", "ms", "us", "ns")
    return units.index(new.unit) > units.index(old.unit)


def is_rounded(held: Type, shown: Type) -> bool:
    """Return whether timestamps of one type are rounded to become those of another.

    Files of others may hold finer ones than their column has.

    >>> is_rounded(types.TIMESTAMP, types.TIMESTAMP_S), is_rounded(types.TIMESTAMP_MS, types.TIMESTAMP)
    (True, False)
    """
    match held, shown:
        case types.Timestamp(is_zoned=False), types.Timestamp(is_zoned=False):
            return _is_finer(shown, held)
    return False


def as_float32(value: float) -> float:
    """Return the nearest number of 32 bits, as a float of Python.

    >>> as_float32(0.1)
    0.10000000149011612

    Raises:
        OverflowError: It is too large.
    """
    nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return nearest
