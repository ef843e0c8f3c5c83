"""Number literals, with the types that DuckDB gives them."""

from __future__ import annotations

from typing import Final

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types.constants import integer_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import constant

_LEAST: Final = -(2**127)
_GREATEST: Final = 2**128 - 1
"""Whole numbers beyond those of HUGEINT and UHUGEINT are floats."""


def number(text: str) -> Bound:
    """Return a number of the type that DuckDB gives its literal.

    An integer has the smallest type that holds it, a number with a point is a decimal, one with an exponent a
    float. Only a float keeps the sign of zero.

    Raises:
        InvalidInputError: It is none, such as ``. 1.5``, which the parser reads as one.
    """
    try:
        float(text)
    except ValueError as error:
        raise InvalidInputError(f'Parser Error: syntax error at or near "{text}"') from error
    if text.removeprefix("-").isdecimal() and _LEAST <= (value := int(text)) <= _GREATEST:
        return constant(integer_of(value), str(value))
    if "e" in text.lower():
        return constant(types.FLOAT64, repr(float(text)))
    whole, _, fraction = text.removeprefix("-").partition(".")
    digits = len(whole + fraction)
    if digits > 38 or not (whole + fraction).isdecimal():
        return constant(types.FLOAT64, repr(float(text)))
    sign = "-" if text.startswith("-") and (whole + fraction).strip("0") else ""
    decimal = types.Decimal(max(digits, len(fraction), 1), len(fraction))
    return constant(decimal, f"{sign}{whole.lstrip('0') or '0'}.{fraction}".rstrip("."))
