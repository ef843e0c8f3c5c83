"""Integers of more bits than Spark's, digit by digit."""

from __future__ import annotations


def wide_digits(sql: str, function: str, base: int) -> str:
    """Return the digits of an integer of 128 bits.

    They are those of its two halves, of which the upper one has the sign.
    """
    half, rest = f"{2**64}BD", f"({sql} % {2**64}BD)"
    upper = f"({sql} div {half} - if({rest} < 0, 1, 0))"
    lower = f"conv(CAST({rest} + if({rest} < 0, {half}, 0BD) AS STRING), 10, {base})"
    width = 64 // (base.bit_length() - 1)
    return f"if({upper} = 0, {lower}, concat({function}({upper}), lpad({lower}, {width}, '0')))"
