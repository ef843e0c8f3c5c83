"""The order of values whose texts statistics have."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any, Final

from forklake.model.moment import moment
from forklake.model.types.kinds import (
    TIMETZ,
    Boolean,
    Date,
    Decimal,
    Float,
    Integer,
    Interval,
    Time,
    Timestamp,
    Type,
    Uuid,
)

_FLAGS: Final = {"0": 0, "false": 0, "1": 1, "true": 1}
_PLAIN_KEYS: Final[dict[type[Type], Callable[[str], Any]]] = {
    Boolean: lambda text: _FLAGS.get(text.lower()),
    Integer: int,
    Float: float,
    Decimal: decimal.Decimal,
    Uuid: str.lower,
}
_KEYS: Final[dict[type[Type], Callable[[Type, str], Any]]] = {
    Date: moment,
    Time: lambda kind, text: None if kind == TIMETZ else moment(kind, text),
    Timestamp: moment,
    Interval: lambda kind, text: None,
}


def order_key(kind: Type, text: str) -> Any:
    """Return the sort key of a statistics text; None if it is not known.

    Statistics are kept as text; they compare as values of their column's type. Text itself compares by code points,
    which is the order of its UTF-8 bytes.
    """
    try:
        if (plain := _PLAIN_KEYS.get(type(kind))) is not None:
            return plain(text)
        find = _KEYS.get(type(kind))
        return text if find is None else find(kind, text)
    except (ValueError, ArithmeticError):
        return None
