"""How deeply variants are nested, known before DuckDB reads them.

As with JSON, one that is nested deeply enough ends the process, so none that is deeper than `MOST_LEVELS` goes to
DuckDB or into a file.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.duck.json_depth import MOST_LEVELS
from forklake.errors import InvalidInputError
from forklake.files.arrow import compute as pc

_LEAST: Final = 4
"""Bytes of an array or object around a value, at least: its kind, a count and two places."""
_OBJECT: Final = 2
"""The kind of an object; that of an array is the next, and the last."""
_Places = NDArray[np.int64]


def check_depth(values: pa.Array | pa.ChunkedArray) -> None:
    """Refuse variants that are nested too deeply.

    Args:
        values: The variants, without their metadata, as binary.

    Raises:
        InvalidInputError: One is.
    """
    longest = pc.max(pc.binary_length(values)).as_py()
    if longest is None or longest <= _LEAST * MOST_LEVELS:
        return
    for value in pc.filter(values, pc.greater(pc.binary_length(values), _LEAST * MOST_LEVELS)):
        if _is_deep(np.frombuffer(value.as_buffer(), np.uint8)):
            raise InvalidInputError(
                f"Invalid Input Error: A VARIANT is nested more than {MOST_LEVELS} levels deep; it was not read."
            )


def _is_deep(letters: NDArray[np.uint8]) -> bool:
    """Return whether a variant is nested too deeply.

    All parts of one level are looked at together.
    """
    padded = np.concatenate([letters, np.zeros(8, np.uint8)])
    places = np.zeros(1, np.int64)
    for _ in range(MOST_LEVELS + 1):
        places = _parts_within(padded, places[places < len(letters)])
        if not len(places):
            return False
    return True


def _parts_within(letters: NDArray[np.uint8], places: _Places) -> _Places:
    """Return where the parts of the values at some places begin.

    Arrays and objects have parts.
    """
    kinds = letters[places] & 3
    places, is_object = places[kinds >= _OBJECT], kinds[kinds >= _OBJECT] == _OBJECT
    heads = letters[places] >> 2
    width = (heads & 3).astype(np.int64) + 1
    is_large = np.where(is_object, heads >> 4, heads >> 2) & 1 == 1
    counts = np.where(is_large, _numbers(letters, places + 1, np.full(len(places), 4)), letters[places + 1])
    first = places + np.where(is_large, 5, 2)
    first += np.where(is_object, counts * (((heads >> 2) & 3).astype(np.int64) + 1), 0)  # behind the ids of the keys
    is_whole = first + (counts + 1) * width <= len(letters)  # DuckDB refuses others
    counts, first, width = counts[is_whole], first[is_whole], width[is_whole]
    behind = first + (counts + 1) * width
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    each = np.repeat(width, counts)
    found = np.repeat(behind, counts) + _numbers(letters, np.repeat(first, counts) + number * each, each)
    return np.unique(found).astype(np.int64)


def _numbers(letters: NDArray[np.uint8], places: _Places, widths: _Places) -> _Places:
    """Return the numbers at some places, each with its count of bytes.

    The lowest byte comes first.
    """
    found = np.zeros(len(places), np.int64)
    for byte in range(4):
        at = np.minimum(places + byte, len(letters) - 1)
        found += np.where(byte < widths, letters[at].astype(np.int64) << (8 * byte), 0)
    return found
