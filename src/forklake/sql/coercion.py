"""How values of different types meet: DuckDB's rules, said to Spark with explicit casts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.sql.bound import (
    FLOATS,
    INTEGERS,
    NAIVE,
    NULL,
    TEXTS,
    Bound,
    decimal_size,
    is_decimal,
    is_numeric,
    list_of,
    map_of,
    scalar,
    shape_of,
    shaped,
    struct_of,
    type_name,
)
from forklake.sql.casts import cast, constant, naive, untyped

__all__ = [
    "cast",
    "common_integer",
    "common_shape",
    "common_type",
    "compared",
    "constant",
    "naive",
    "unified",
    "untyped",
]

_TIMES: Final = NAIVE | {"date", "timestamptz", "timestamp_ns"}
_WHOLE: Final = frozenset({"list", "struct", "map"})

Meeting = Literal["equated", "ordered", "mixed", "stacked"]
"""How values meet. Text, if it is no quoted constant, is read as a value of the other type where both are compared for
being equal, and makes text of the other where columns of queries become one. It has no order with other values, and no
type in common with them where one of several values is chosen."""


def common_type(first: Bound, second: Bound) -> str:
    """Return the type as which two values are compared.

    Raises:
        InvalidInputError: DuckDB does not compare them, or Spark cannot as DuckDB does.
    """
    return common_shape(first, second).type


def common_shape(first: Bound, second: Bound, meeting: Meeting = "equated") -> Field:
    """Return the type that two values have in common, with what is nested in it.

    Raises:
        InvalidInputError: There is none.
    """
    one, other = first.type, second.type
    if one in _WHOLE and other == one:
        return _common_parts(shape_of(first), shape_of(second), meeting)
    if one == NULL:
        return shape_of(second)
    if other in (one, NULL) or (second.is_untyped and not first.is_untyped):
        return shape_of(first)
    if first.is_untyped:
        return shape_of(second)
    found = _common_scalar(first, second, meeting)
    if found is not None:
        return scalar(found)
    kinds = (type_name(shape_of(first)), type_name(shape_of(second)))
    words = (
        "compare values of type {} and type {}" if meeting in ("equated", "ordered") else "mix values of type {} and {}"
    )
    raise InvalidInputError(f"Binder Error: Cannot {words.format(*kinds)} - an explicit cast is required")


def _common_scalar(first: Bound, second: Bound, meeting: Meeting) -> str | None:
    one, other = first.type, second.type
    if is_numeric(one) and is_numeric(other):
        return _common_number(first, second)
    types = {one, other}
    if types <= _TIMES:
        return "timestamptz" if "timestamptz" in types else "timestamp_ns" if "timestamp_ns" in types else "timestamp"
    if types <= TEXTS:
        return "varchar" if meeting in ("equated", "ordered") else "json"
    if "boolean" in types and len(types & INTEGERS) == 1:
        return (types & INTEGERS).pop()
    if not types & TEXTS or types & (_WHOLE | {"variant", "geometry"}) or meeting in ("ordered", "mixed"):
        return None
    return "varchar" if meeting == "stacked" and not types & {"uuid", "blob"} else (types - TEXTS).pop()


def _common_parts(one: Field, other: Field, meeting: Meeting) -> Field:
    def inner(left: Field, right: Field) -> Field:
        return common_shape(shaped("", left), shaped("", right), meeting)

    if one.type == "list":
        return list_of(inner(one.children[0], other.children[0]))
    if one.type == "map":
        return map_of(*(inner(left, right) for left, right in zip(one.children, other.children, strict=True)))
    if not all(child.name for child in (*one.children, *other.children)):
        named = one if all(child.name for child in one.children) else other
        pairs = zip(named.children, one.children, other.children, strict=True)
        return struct_of([(child.name, inner(left, right)) for child, left, right in pairs])
    known = {fold(child.name): child for child in other.children}
    fields = [
        (child.name, inner(child, known.pop(fold(child.name))) if fold(child.name) in known else child)
        for child in one.children
    ]
    return struct_of([*fields, *((child.name, child) for child in known.values())])


def _common_number(first: Bound, second: Bound) -> str:
    one, other = first.type, second.type
    types = {one, other}
    if types & FLOATS:
        return "float64" if "float64" in types else "float32"
    if types <= INTEGERS:
        return common_integer(first, second)
    (precision, scale), (more, finer) = decimal_size(one), decimal_size(other)
    scale_of_both = max(scale, finer)
    return f"decimal({min(max(precision - scale, more - finer) + scale_of_both, 38)},{scale_of_both})"


def common_integer(first: Bound, second: Bound) -> str:
    """Return the smallest type that holds the values of two types of integers; a constant takes the other's if it can.

    >>> common_integer(Bound("a", "uint8"), Bound("b", "int8"))
    'int16'
    >>> common_integer(Bound("a", "int8"), constant("int32", "1"))
    'int8'
    """
    if first.type == second.type:
        return first.type
    for value, beside in ((first, second), (second, first)):
        if value.literal is not None and value.type == "int32" and _holds(beside.type, int(value.literal)):
            return beside.type
    (sign, bits), (other_sign, more_bits) = ((kind[0], int(kind.lstrip("uint"))) for kind in (first.type, second.type))
    if sign == other_sign:
        return first.type if bits > more_bits else second.type
    signed, unsigned = (bits, more_bits) if sign == "i" else (more_bits, bits)
    return f"int{min(max(signed, 2 * unsigned), 128)}"


def _holds(kind: str, value: int) -> bool:
    bits = int(kind.lstrip("uint"))
    low, high = (0, 1 << bits) if kind.startswith("u") else (-(1 << bits - 1), 1 << bits - 1)
    return low <= value < high


def compared(first: Bound, second: Bound, meeting: Meeting = "equated") -> tuple[Bound, Bound]:
    """Return two values in a form that Spark compares as DuckDB does."""
    target = common_shape(first, second, meeting)
    exact = target.type in INTEGERS or is_decimal(target.type)
    if exact and _exceeds(first, second):
        return _in_parts(first), _in_parts(second)
    both = []
    for value in (first, second):
        if value.is_untyped or value.type == NULL or not (exact and (value.type in INTEGERS or is_decimal(value.type))):
            both.append(cast(value, target))
        else:
            # Spark compares exact numbers exactly as long as one type can hold both.
            both.append(value)
    return both[0], both[1]


def _exceeds(first: Bound, second: Bound) -> bool:
    """Return whether no decimal holds the values of two exact types: Spark would round them before it compares."""
    if NULL in (first.type, second.type) or first.is_untyped or second.is_untyped or first.type == second.type:
        return False
    if not (is_numeric(first.type) and is_numeric(second.type)):
        return False
    (precision, scale), (more, finer) = decimal_size(first.type), decimal_size(second.type)
    return max(precision - scale, more - finer) + max(scale, finer) > 38


def _in_parts(value: Bound) -> Bound:
    """Return an exact number as its whole part and the rest, which compare as it does."""
    whole, rest = f"CAST(floor({value.sql}) AS DECIMAL(38,0))", f"CAST(pmod({value.sql}, 1) AS DECIMAL(38,37))"
    return replace(value, sql=f"if({value.sql} IS NULL, NULL, struct({whole}, {rest}))")


def unified(values: Sequence[Bound], meeting: Meeting = "mixed") -> list[Bound]:
    """Return values as ones of the type that all of them have in common.

    Raises:
        InvalidInputError: They have none.
    """
    target = values[0]
    for value in values[1:]:
        shape = common_shape(target, value, meeting)
        both_untyped = target.is_untyped and value.is_untyped
        target = replace(shaped("", shape, _larger(target, value)), is_untyped=both_untyped)
    return [cast(value, shape_of(target)) for value in values]


def _larger(first: Bound, second: Bound) -> str | None:
    """Return which of two integers that are constants decides about the type that suits both."""
    if first.literal is None or second.literal is None or {first.type, second.type} != {"int32"}:
        return None
    return max(first.literal, second.literal, key=lambda text: abs(int(text)))
