"""Floats of 32 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def round_to_single(value: float) -> float:
    """Return the nearest float of 32 bits; what is too large is infinite."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


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
