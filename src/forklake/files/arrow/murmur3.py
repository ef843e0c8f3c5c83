"""Murmur3 of whole columns.

`forklake.model.murmur3` hashes one value, and says why there are two.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.model.murmur3 import ADDED, C1, C2, FINAL_1, FINAL_2

Hashes = NDArray[np.uint32]

_C1: Final = np.uint32(C1)
_C2: Final = np.uint32(C2)


def hash_longs(values: NDArray[np.int64]) -> Hashes:
    """Return the hash of each number's eight bytes, the lowest first."""
    words = np.ascontiguousarray(values, "<i8").view("<u4").reshape(-1, 2)
    state = np.zeros(len(words), np.uint32)
    for column in range(2):
        state = _mix(state, words[:, column].astype(np.uint32))
    return _finish(state, 8)


def hash_bytes(values: pa.Array) -> Hashes:
    """Return the hash of each value of a binary array without NULLs."""
    values = values.cast(pa.large_binary())
    _, offset_buffer, data_buffer = values.buffers()
    offsets = np.frombuffer(offset_buffer, "<i8")[values.offset : values.offset + len(values) + 1]
    data = np.frombuffer(data_buffer or b"", np.uint8)
    lengths = np.diff(offsets)
    found = np.zeros(len(values), np.uint32)
    # Values of one length make a rectangle of bytes, which is hashed block by block for all of them at once.
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        found[chosen] = _hash_rows(data[offsets[chosen][:, None] + np.arange(length)])
    return found


def _hash_rows(rows: NDArray[np.uint8]) -> Hashes:
    count, length = rows.shape
    state = np.zeros(count, np.uint32)
    whole = length // 4 * 4
    blocks = np.ascontiguousarray(rows[:, :whole]).view("<u4")
    for column in range(whole // 4):
        state = _mix(state, blocks[:, column].astype(np.uint32))
    if whole < length:
        tail = np.zeros((count, 4), np.uint8)
        tail[:, : length - whole] = rows[:, whole:]
        state ^= _scramble(tail.view("<u4")[:, 0].astype(np.uint32))
    return _finish(state, length)


def _mix(state: Hashes, block: Hashes) -> Hashes:
    state = _rotate(state ^ _scramble(block), 13)
    return state * np.uint32(5) + np.uint32(ADDED)


def _scramble(block: Hashes) -> Hashes:
    return _rotate(block * _C1, 15) * _C2


def _rotate(words: Hashes, bits: int) -> Hashes:
    return words << np.uint32(bits) | words >> np.uint32(32 - bits)


def _finish(state: Hashes, length: int) -> Hashes:
    state = state ^ np.uint32(length)
    state ^= state >> np.uint32(16)
    state *= np.uint32(FINAL_1)
    state ^= state >> np.uint32(13)
    state *= np.uint32(FINAL_2)
    return state ^ state >> np.uint32(16)
