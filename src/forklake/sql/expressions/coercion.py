"""DuckDB's implicit casts between values of different types.

They are written as explicit casts in Spark SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.predicate import Operator
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, map_of, struct_of
from forklake.sql.expressions.bound import Bound, decimal_size
from forklake.sql.expressions.casts import cast, constant, naive, take_clock, untyped_constant

__all__ = [
    "cast",
    "common_integer",
    "common_type",
    "comparable_pair",
    "constant",
    "naive",
    "ordered_pair",
    "unify",
    "untyped_constant",
]

CoercionContext = Literal["equality", "order", "choice", "union"]
"""Why values take a common type. It decides about text that is no quoted constant, beside a value of another type:
``equality`` reads the text as a value of the other type, ``union`` (columns of set operations) makes the other value
text, ``order`` and ``choice`` (one of several values is returned) refuse both."""


_OF_LITERALS = (types.INT32, types.INT64, types.INT128, types.UINT128)
"""The types that a literal may have."""


def common_type(first: Bound, second: Bound, context: CoercionContext = "equality") -> Type:
    """Return the common type of two values.

    Raises:
        InvalidInputError: There is none: DuckDB does not compare them, or Spark cannot do it as DuckDB does.
    """
    first, second = take_clock(first, second), take_clock(second, first)
    one, other = first.type, second.type
    if isinstance(one, types.Nested) and one.name == other.name:
        return _common_parts(one, other, context)
    if one == types.NULL:
        return other
    if other in (one, types.NULL) or (second.is_untyped and not first.is_untyped):
        return one
    if first.is_untyped:
        return other
    found = _common_scalar(first, second, context)
    if found is not None:
        return found
    words = (
        "compare values of type {} and type {}" if context in ("equality", "order") else "mix values of type {} and {}"
    )
    raise InvalidInputError(
        f"Binder Error: Cannot {words.format(one.sql_name, other.sql_name)} - an explicit cast is required"
    )


def _common_scalar(first: Bound, second: Bound, context: CoercionContext) -> Type | None:
    match first.type, second.type:
        case (types.Variant(), _) | (_, types.Variant()):
            return types.VARIANT
        case types.Number(), types.Number():
            return _common_number(first, second)
        case types.Date() | types.Timestamp(), types.Date() | types.Timestamp():
            return _common_moment(first.type, second.type)
        case types.Varchar() | types.Json(), types.Varchar() | types.Json():
            return types.VARCHAR if context in ("equality", "order") else types.JSON
        case (types.Boolean(), types.Integer() as whole) | (types.Integer() as whole, types.Boolean()):
            return whole
        case (types.Varchar() | types.Json(), other) | (other, types.Varchar() | types.Json()):
            if isinstance(other, types.Nested | types.Variant | types.Geometry) or context in ("order", "choice"):
                return None
            is_text = context == "union" and not isinstance(other, types.Uuid | types.Blob)
            return types.VARCHAR if is_text else other
    return None


def _common_moment(one: Type, other: Type) -> Type:
    both = {one, other}
    finest = next((kind for kind in (types.TIMESTAMP_NS, types.TIMESTAMPTZ) if kind in both), None)
    return finest or types.TIMESTAMP


def _common_parts(one: Type, other: Type, context: CoercionContext) -> Type:
    def inner(left: Field, right: Field) -> Type:
        return common_type(Bound("", left.type), Bound("", right.type), context)

    if isinstance(one, types.List):
        return list_of(inner(one.element, other.children[0]))
    if isinstance(one, types.Map):
        return map_of(*(inner(left, right) for left, right in zip(one.children, other.children, strict=True)))
    if not all(child.name for child in (*one.children, *other.children)):
        if len(one.children) != len(other.children):
            raise InvalidInputError(
                f"Binder Error: Cannot combine types of {one.sql_name} and {other.sql_name}: one has more fields"
            )
        named = one if all(child.name for child in one.children) else other
        pairs = zip(named.children, one.children, other.children, strict=True)
        return struct_of([(child.name, inner(left, right)) for child, left, right in pairs])
    known = {fold(child.name): child for child in other.children}
    fields = [
        (child.name, inner(child, known.pop(fold(child.name))) if fold(child.name) in known else child.type)
        for child in one.children
    ]
    return struct_of([*fields, *((child.name, child.type) for child in known.values())])


def _common_number(first: Bound, second: Bound) -> Type:
    one, other = first.type, second.type
    if isinstance(one, types.Float) or isinstance(other, types.Float):
        return types.FLOAT64 if types.FLOAT64 in (one, other) else types.FLOAT32
    if {one, other} == {types.INT128, types.UINT128}:
        return types.FLOAT64
    if isinstance(one, types.Integer) and isinstance(other, types.Integer):
        return common_integer(first, second)
    (precision, scale), (more, finer) = decimal_size(one), decimal_size(other)
    digits, scale_of_both = max(precision - scale, more - finer), max(scale, finer)
    if isinstance(one, types.Decimal) and isinstance(other, types.Decimal):
        scale_of_both = min(scale_of_both, types.MAX_PRECISION - digits)  # leading digits are kept
    return types.Decimal(min(digits + scale_of_both, types.MAX_PRECISION), scale_of_both)


def common_integer(first: Bound, second: Bound) -> types.Integer:
    """Return the smallest type that holds the values of two integer types.

    A constant takes the other type if its value fits.

    >>> common_integer(Bound("a", types.UINT8), Bound("b", types.INT8)).name
    'int16'
    >>> common_integer(Bound("a", types.INT8), constant(types.INT32, "1")).name
    'int8'
    """
    one, other = first.type, second.type
    assert isinstance(one, types.Integer)
    assert isinstance(other, types.Integer)
    if one == other:
        return one
    for value, beside in ((first, other), (second, one)):
        is_plain = value.literal is not None and value.type in _OF_LITERALS and not value.keeps_type
        if is_plain and beside.low <= int(value.literal or 0) <= beside.high:
            return beside
    if one.is_signed == other.is_signed:
        return max(one, other, key=lambda kind: kind.bits)
    signed, unsigned = (one, other) if one.is_signed else (other, one)
    if unsigned == types.UINT128:
        return types.Integer(min(2 * signed.bits, 128))  # as DuckDB has it
    return types.Integer(min(max(signed.bits, 2 * unsigned.bits), 128))


def comparable_pair(first: Bound, second: Bound, context: CoercionContext = "equality") -> tuple[Bound, Bound]:
    """Return two values in a form that Spark compares as DuckDB does."""
    target = common_type(first, second, context)
    exact = types.Integer | types.Decimal
    if isinstance(target, exact) and _exceeds(first, second):
        return _in_parts(first), _in_parts(second)
    both = []
    for value in (first, second):
        # Spark compares exact numbers exactly as long as one type can hold both.
        is_exact = isinstance(target, exact) and isinstance(value.type, exact) and not value.is_untyped
        both.append(value if is_exact else cast(value, target))
    return both[0], both[1]


def ordered_pair(first: Bound, operator: Operator, second: Bound) -> tuple[Bound, Bound]:
    """Return two values in a form that Spark orders as DuckDB does, by an operator.

    If no decimal holds both, the one with more decimal places is rounded to those of the other, to the side that keeps
    the answer: a number of two places is greater than 1.005 if it is greater than 1.00.
    """
    exact = types.Integer | types.Decimal
    if isinstance(first.type, exact) and isinstance(second.type, exact) and _exceeds(first, second):
        scale, finer = decimal_size(first.type)[1], decimal_size(second.type)[1]
        if scale < finer:
            return first, _round(second, scale, down=operator in (">", "<="))
        if scale > finer:
            return _round(first, finer, down=operator in ("<", ">=")), second
    return comparable_pair(first, second, "order")


def _round(value: Bound, scale: int, *, down: bool) -> Bound:
    return replace(value, sql=f"{'floor' if down else 'ceil'}({value.sql}, {scale})")


def _exceeds(first: Bound, second: Bound) -> bool:
    """Return whether no decimal holds the values of two exact types.

    Spark would round such values before it compares them.
    """
    if types.NULL in (first.type, second.type) or first.is_untyped or second.is_untyped or first.type == second.type:
        return False
    if not (isinstance(first.type, types.Number) and isinstance(second.type, types.Number)):
        return False
    (precision, scale), (more, finer) = decimal_size(first.type), decimal_size(second.type)
    return max(precision - scale, more - finer) + max(scale, finer) > 38


def _in_parts(value: Bound) -> Bound:
    """Return an exact number as its integral part and its fraction.

    They compare as the number does.
    """
    whole, rest = f"CAST(floor({value.sql}) AS DECIMAL(38,0))", f"CAST(pmod({value.sql}, 1) AS DECIMAL(38,37))"
    return replace(value, sql=f"if({value.sql} IS NULL, NULL, struct({whole}, {rest}))")


def unify(values: Sequence[Bound], context: CoercionContext = "choice") -> list[Bound]:
    """Cast values to their common type.

    Raises:
        InvalidInputError: They have no common type.
    """
    target = values[0]
    for value in values[1:]:
        kind = common_type(target, value, context)
        both_untyped = target.is_untyped and value.is_untyped
        clock = target.clock if value.clock is not None or value.type == types.NULL else None
        target = Bound("", kind, literal=_larger(target, value), is_untyped=both_untyped, clock=clock)
    return [cast(value, target.type) for value in values]


def _larger(first: Bound, second: Bound) -> str | None:
    """Return the larger of two constant integers, which decides the common type.

    Return None if they are not both constants of 32 bits.
    """
    if first.literal is None or second.literal is None or {first.type, second.type} != {types.INT32}:
        return None
    return max(first.literal, second.literal, key=lambda text: abs(int(text)))
