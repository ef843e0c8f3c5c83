"""Numbers in DuckDB's text."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Final

from forklake.model.types import Integer

SPACES: Final = " \t\n\v\f\r"
"""What DuckDB skips around values in text."""

EXACT: Final = Context(prec=120, rounding=ROUND_HALF_UP, Emax=999_999, Emin=-999_999, traps=[InvalidOperation])
"""Wide enough for every product of two decimals; rounds half away from zero, as DuckDB rounds decimals."""

_DIGITS: Final = r"[0-9]+(?:_[0-9]+)*"
NUMBER: Final = rf"([+-]?)(?:({_DIGITS})(?:\.({_DIGITS})?)?|\.({_DIGITS}))(?:[eE]([+-]?{_DIGITS}))?"
"""What DuckDB reads as a number, as a pattern of Python and of Java."""
_NUMBER: Final = re.compile(NUMBER)
_CODED: Final = re.compile(r"(?:0[xX]([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|0[bB]([01]+(?:_[01]+)*))")
_WORD: Final = re.compile(r"[+-]?(?:nan(?:\([0-9A-Za-z_]*\))?|inf|infinity)", re.IGNORECASE)
_LONGEST_EXPONENT: Final = 1000  # far beyond what any type holds; keeps arithmetic on hostile text short


def parse_integer(text: str, kind: Integer) -> int | None:
    """Return the integer of a text, rounded half away from zero.

    None: the text is not a number, or out of the type's range.
    """
    stripped = text.strip(SPACES)
    low, high = kind.low, kind.high
    if coded := None if kind.bits == 128 else _CODED.fullmatch(stripped):
        value = int(coded[1], 16) if coded[1] else int(coded[2], 2)
    else:
        number = _decimal(stripped)
        if number is None or (low == 0 and number.is_signed() and not re.fullmatch("-0+", stripped)):
            return None
        value = int(number.to_integral_value(ROUND_HALF_UP, EXACT)) if number.adjusted() < 50 else high + 1
    return value if low <= value <= high else None


def parse_decimal(text: str, precision: int, scale: int) -> Decimal | None:
    """Return the decimal of a text, rounded half away from zero.

    None: the text is not a number, or does not fit.
    """
    number = _decimal(text.strip(SPACES))
    return None if number is None else rescale(number, precision, scale)


def rescale(number: Decimal, precision: int, scale: int) -> Decimal | None:
    """Return a number with a scale, rounded half away from zero.

    None: it has more digits than the precision.
    """
    if number and number.adjusted() >= precision - scale:
        return None
    scaled = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, EXACT)
    if scaled and scaled.adjusted() >= precision - scale:
        return None
    return abs(scaled) if scaled == 0 else scaled


def format_decimal(number: Decimal, precision: int, scale: int) -> str:
    """Write a decimal with all digits of its scale.

    If the type has no digits before the point, there is no zero before it either.
    """
    text = f"{number.quantize(Decimal(1).scaleb(-scale), context=EXACT):f}"
    return text.replace("0.", ".", 1) if precision == scale and abs(number) < 1 else text


def parse_float(text: str) -> float | None:
    """Return the double nearest to the number of a text; None if it is no number."""
    stripped = text.strip(SPACES)
    if _WORD.fullmatch(stripped):
        return math.nan if "n" in stripped.lower()[:2] and "a" in stripped.lower() else float(stripped)
    return float(stripped.replace("_", "")) if _NUMBER.fullmatch(stripped) else None


def format_double(value: float) -> str:
    """Write the shortest text that reads back as the same double.

    >>> format_double(1e20), format_double(0.1), format_double(float("nan"))
    ('1e+20', '0.1', 'nan')
    """
    return repr(float(value))


def _decimal(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > _LONGEST_EXPONENT:
        return None
    exponent = max(-_LONGEST_EXPONENT, min(_LONGEST_EXPONENT, int(match[5] or 0)))
    whole, part = match[2] or "", match[3] or match[4] or ""
    return Decimal(f"{match[1]}{whole or '0'}.{part or '0'}e{exponent}".replace("_", ""))
