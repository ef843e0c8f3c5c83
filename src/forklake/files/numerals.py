"""Numbers in DuckDB's text."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

import numpy as np

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


def format_float(value: float) -> str:
    """Write a float of 32 bits as DuckDB does.

    >>> format_float(1e10), format_float(0.10000000149011612), format_float(1714555.25)
    ('10000000000.0', '0.1', '1714555.25')
    """
    single = np.float32(value)
    if not np.isfinite(single) or single == 0 or not _has_short_form(single):
        return repr(float(single))
    # The shortest digits of a single are those of some double, which Python then lays out as DuckDB does.
    return repr(float(np.format_float_scientific(single, unique=True)))


def _has_short_form(single: np.float32) -> bool:
    """Return whether DuckDB finds the shortest digits of a float of 32 bits.

    Its algorithm (Grisu) gives up if they lie on a boundary to the next number, or if two candidates are
    equally near; DuckDB then writes the digits of a double.
    """
    exact = Fraction(abs(float(single)))
    mantissa, exponent = math.frexp(exact)
    spacing = Fraction(2) ** max(exponent - 24, -149)
    # Below a power of two the next number is half as far away.
    to_top, to_bottom = spacing / 2, spacing / (4 if mantissa == 0.5 and exponent > -125 else 2)
    top, width = exact + to_top, to_top + to_bottom
    unit = Fraction(10) ** (len(str(int(top))) if top >= 1 else 0)
    while top % unit > width:
        unit /= 10
    rest = top % unit
    while rest < to_top and width - rest >= unit and (rest + unit <= to_top or to_top - rest > rest + unit - to_top):
        rest += unit
    is_tie = rest + unit <= width and abs(to_top - rest) == abs(rest + unit - to_top)
    return 0 < rest < width and not is_tie


def _decimal(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > _LONGEST_EXPONENT:
        return None
    exponent = max(-_LONGEST_EXPONENT, min(_LONGEST_EXPONENT, int(match[5] or 0)))
    whole, part = match[2] or "", match[3] or match[4] or ""
    return Decimal(f"{match[1]}{whole or '0'}.{part or '0'}e{exponent}".replace("_", ""))
