"""Which types a column can be given in place of its own, while its files stay as they are: DuckLake's promotions."""

from __future__ import annotations

import struct

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


def _is_finer(old: types.Timestamp, new: types.Timestamp) -> bool:
    """Return whether a timestamp that is counted in microseconds or more can be counted as another is."""
    if new.is_zoned:
        return old.unit == "us"
    units = ("s", "ms", "us", "ns")
    return units.index(new.unit) > units.index(old.unit)


def as_float32(value: float) -> float:
    """Return the number of 32 bits next to a number, with the digits that it has as one of 64.

    >>> as_float32(0.1)
    0.10000000149011612

    Raises:
        OverflowError: It is too large.
    """
    nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return nearest
