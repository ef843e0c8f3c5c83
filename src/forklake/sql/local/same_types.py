"""Types and casts that are the same on both engines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.literals import INFINITIES

NARROW: Final = (
    types.INT8,
    types.INT16,
    types.INT32,
    types.INT64,
    types.UINT8,
    types.UINT16,
    types.UINT32,
    types.UINT64,
)
WIDE: Final = (types.INT128, types.UINT128)
"""Integers that Spark has with 38 digits: others it refuses."""
MOMENTS: Final = (types.DATE, types.TIMESTAMP)
_SCALARS: Final = frozenset(
    {
        *NARROW,
        *MOMENTS,
        *WIDE,
        types.FLOAT32,
        types.FLOAT64,
        types.BOOLEAN,
        types.VARCHAR,
        types.BLOB,
        types.TIMESTAMPTZ,
        types.UUID,
        types.NULL,
        types.VARIANT,
    }
)
_MOMENT_TEXT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?")
_NUMBER_TEXT: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,9})?")
_WHOLE_TEXT: Final = re.compile("-?[0-9]{1,39}")
_UUID_TEXT: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_scalar(kind: Type) -> bool:
    """Return whether both engines have the same values of a type, none of them nested."""
    return kind in _SCALARS or isinstance(kind, types.Decimal)


def is_handed_over(kind: Type) -> bool:
    """Return whether DuckDB takes columns of a type, and gives them back as they are."""
    if isinstance(kind, types.Nested):
        return all(is_handed_over(field.type) for field in kind.children)
    return is_scalar(kind)


def are_alike(values: Sequence[Bound]) -> bool:
    """Return whether values meet in one type in the same way on both engines."""
    typed = [one for one in values if not one.is_untyped and one.type != types.NULL]
    if not all(is_scalar(one.type) for one in typed):
        return False
    if any(one.type == types.UINT128 for one in typed):
        return all(is_unsigned(one) for one in values)
    if not all(_meet(one.type, other.type) for one, other in pairwise(typed)):
        return False
    return all(_is_plain_text(one, typed[0].type) for one in values if one.is_untyped) if typed else True


def is_unsigned(value: Bound) -> bool:
    """Return whether a value becomes a UHUGEINT in the same way on both engines."""
    if value.literal is not None and (isinstance(value.type, types.Integer) or value.is_untyped):
        return value.literal.isdecimal()
    kind = value.type
    return kind == types.NULL or (isinstance(kind, types.Integer) and not kind.is_signed)


def are_choices(values: Sequence[Bound]) -> bool:
    """Return whether one of some values can be chosen in the same way on both engines."""
    kinds = {one.type for one in values if one.type != types.NULL}
    is_nested = len(kinds) == 1 and all(isinstance(kind, types.Nested) and is_handed_over(kind) for kind in kinds)
    return is_nested or are_alike(values)


def _meet(one: Type, other: Type) -> bool:
    if one == other:
        return True
    match one, other:
        case types.Number(), types.Number():
            is_wide = types.INT128 in (one, other)
            return not is_wide or (isinstance(one, types.Integer) and isinstance(other, types.Integer))
        case types.Date() | types.Timestamp(), types.Date() | types.Timestamp():
            return one in MOMENTS and other in MOMENTS
    return False


def _is_plain_text(value: Bound, kind: Type) -> bool:
    """Return whether a constant text is the same value of a type on both engines."""
    text = value.literal or ""
    if kind == types.VARCHAR:
        return True
    if kind in (*MOMENTS, types.TIMESTAMPTZ):
        return _MOMENT_TEXT.fullmatch(text) is not None or text in INFINITIES
    if kind == types.UUID:
        return _UUID_TEXT.fullmatch(text) is not None
    if kind in WIDE:
        return _WHOLE_TEXT.fullmatch(text) is not None
    is_number = isinstance(kind, types.Integer | types.Decimal) or kind == types.FLOAT64
    if isinstance(kind, types.Integer) and "." in text:
        return False
    return is_number and _NUMBER_TEXT.fullmatch(text) is not None


def is_same_cast(value: Bound, target: Type) -> bool:
    """Return whether a value is cast to a type in the same way on both engines."""
    source = value.type
    if source in (target, types.NULL):
        return is_scalar(target)
    if value.literal is not None and source == types.VARCHAR:
        return _is_plain_text(value, target)
    match source, target:
        case types.Integer(), types.Integer():
            return True
        case types.Integer(), types.Decimal() | types.Boolean() | types.Varchar():
            return True
        case types.Integer(), types.Float():
            return source in NARROW and target == types.FLOAT64
        case types.Boolean(), types.Integer() | types.Varchar():
            return target in NARROW or target == types.VARCHAR
        case types.Decimal(), types.Decimal():
            return True
        case types.Decimal() | types.Float(), types.Float():
            return target == types.FLOAT64
        case types.Decimal() | types.Uuid(), types.Varchar():
            return True
        case types.Date() | types.Timestamp(), types.Date() | types.Timestamp() | types.Varchar():
            return source in MOMENTS and (target in MOMENTS or target == types.VARCHAR)
        case types.Varchar(), _:
            return target in (*NARROW, *MOMENTS, types.FLOAT64, types.BOOLEAN) or isinstance(target, types.Decimal)
    return False
