"""The 32-bit Murmur3 hash with seed 0.

It is the hash of ``bucket(N)``, in DuckLake as in Iceberg.

There are two implementations, one for a value and one for whole columns (`forklake.files.arrow.murmur3`): a plan
hashes a handful of literals and must not load NumPy for it; a writer hashes millions of values and cannot do
that one by one. Both take their constants from here, and one test compares them.
"""

from __future__ import annotations

from typing import Final

C1: Final = 0xCC9E2D51
C2: Final = 0x1B873593
ADDED: Final = 0xE6546B64
FINAL_1: Final = 0x85EBCA6B
FINAL_2: Final = 0xC2B2AE35
WITHOUT_SIGN: Final = 0x7FFFFFFF
"""What a hash is cut to before a bucket is taken of it."""

_WORD: Final = 0xFFFFFFFF


def murmur3(data: bytes) -> int:
    """Return the unsigned hash of bytes.

    >>> murmur3(b"iceberg")
    1210000089
    """
    whole, state = len(data) // 4 * 4, 0
    for place in range(0, len(data), 4):
        block = int.from_bytes(data[place : place + 4], "little") * C1 & _WORD
        state ^= (block << 15 | block >> 17) * C2 & _WORD
        if place < whole:
            state = (state << 13 | state >> 19) & _WORD
            state = (state * 5 + ADDED) & _WORD
    state ^= len(data)
    state = (state ^ state >> 16) * FINAL_1 & _WORD
    state = (state ^ state >> 13) * FINAL_2 & _WORD
    return state ^ state >> 16
