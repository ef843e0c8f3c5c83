"""How deeply JSON is nested, known before DuckDB reads it.

DuckDB goes down into JSON by calls within calls, and a text that is nested deeply enough ends the process. So whatever
takes JSON apart is given none that is nested more than `MOST_LEVELS` deep. In DuckDB's SQL, `shallow_json` is put
around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from forklake.errors import InvalidInputError

if TYPE_CHECKING:
    import duckdb

MOST_LEVELS: Final = 500
"""Half of what Python prints, DuckDB takes in an expression and Spark reads."""
TOO_DEEP: Final = f"JSON is nested more than {MOST_LEVELS} levels deep"
"""How the message of one that is deeper begins."""
SHALLOW: Final = "shallow_json"
"""The macro that gives a text or JSON back, or an error if it is too deep."""
SHALLOW_OR_NULL: Final = "shallow_json_or_null"
"""The same with NULL in place of the error."""
SHALLOW_WITHIN: Final = "shallow_json_within"
"""The same as `SHALLOW` for a list, struct or map with JSON in it."""

_KEPT: Final = b'"[]{}\n'
_LEFT_OUT: Final = bytes(set(range(256)) - set(_KEPT))
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_STEPS: Final = bytes.maketrans(b'[]"\n', b"\x01\xff\x00\x00")
_QUOTE, _LINE_END = b'"\n'
_SLICE: Final = 2**18
"""Letters that are looked at together."""


class DepthOfJson:
    """Finds how deeply JSON is nested that comes in parts, such as those of a file.

    It goes up with each bracket that opens and down with each that closes, but for those in texts. No text goes on in
    the next line. Where a document begins is not known, so what counts is how far it goes up from its lowest place
    before: never less than the depth of any document in it.
    """

    def __init__(self) -> None:
        self.levels = 0
        """How deep it was in the deepest place; two less, perhaps, while that is far from `MOST_LEVELS`."""
        self._height = self._lowest = 0
        self._is_in_text = False
        self._rest = b""

    def read(self, part: bytes) -> None:
        """Read the next part."""
        part = self._rest + part
        # What follows a backslash is taken out with it. One at the end waits for what follows.
        waits = (len(part) - len(part.rstrip(b"\\"))) % 2
        self._rest = part[-1:] if waits else b""
        if b"\\" in part:
            part = part[: len(part) - waits].replace(b"\\\\", b"").replace(b'\\"', b"")
        signs = part.translate(_ONE_KIND, _LEFT_OUT).replace(b'""', b"")
        if b'"' in signs or self._is_in_text:
            self._climb(self._steps_outside_texts(signs))
            return
        signs = signs.replace(b"\n", b"")
        # Without the innermost brackets, and those that are then, it is two levels less deep; often nothing is left.
        few = _steps(signs.replace(b"[]", b"").replace(b"[]", b""))
        self._climb(few if self._highest(few) + 2 <= MOST_LEVELS else _steps(signs))

    def _climb(self, steps: NDArray[np.int8]) -> None:
        if len(steps):
            self.levels = max(self.levels, self._highest(steps))
            heights = np.cumsum(steps, dtype=np.int64)
            self._lowest = min(self._lowest, self._height + int(heights.min()))
            self._height += int(heights[-1])

    def _highest(self, steps: NDArray[np.int8]) -> int:
        """Return how far it goes up from a lowest place before."""
        if not len(steps):
            return 0
        heights = self._height + np.cumsum(steps, dtype=np.int64)
        return int((heights - np.minimum(np.minimum.accumulate(heights), self._lowest)).max())

    def _steps_outside_texts(self, signs: bytes) -> NDArray[np.int8]:
        """Return the steps up and down outside of texts.

        A text is what stands behind an odd number of quotes of its line.
        """
        found = np.frombuffer(signs, np.uint8)
        if not len(found):
            return _steps(signs)
        quotes = np.cumsum(found == _QUOTE) + self._is_in_text
        before = np.maximum.accumulate(np.where(found == _LINE_END, quotes, 0))
        is_in_text = (quotes - before) % 2 == 1
        self._is_in_text = bool(is_in_text[-1])
        return np.where(is_in_text, 0, _steps(signs))


def _steps(signs: bytes) -> NDArray[np.int8]:
    return np.frombuffer(signs.translate(_STEPS), np.int8)


def is_shallow(text: str) -> bool:
    """Return whether JSON is not nested too deeply to be read.

    >>> is_shallow('[["]]"]]'), is_shallow("[" * 501 + "]" * 501)
    (True, False)
    """
    if text.count("[") + text.count("{") <= MOST_LEVELS:
        return True
    letters = text.encode("utf-8", "surrogatepass")
    return not _is_deep(letters[begin : begin + _SLICE] for begin in range(0, len(letters), _SLICE))


def check_parts(parts: Iterable[bytes], name: str) -> None:
    """Refuse JSON that is nested too deeply to be read.

    Raises:
        InvalidInputError: It is.
    """
    if _is_deep(parts):
        raise InvalidInputError(f'Invalid Input Error: {TOO_DEEP} in "{name}"; it was not read.')


def _is_deep(parts: Iterable[bytes]) -> bool:
    depth = DepthOfJson()
    for part in parts:
        depth.read(part)
        if depth.levels > MOST_LEVELS:
            return True
    return False


def teach(database: duckdb.DuckDBPyConnection) -> None:
    """Give a database the macros.

    A text that is shorter than the levels are many cannot be deep, and is not looked at: most cost a comparison.
    """
    database.create_function("is_shallow_json", is_shallow, ["VARCHAR"], "BOOLEAN")
    error = f"error('{TOO_DEEP}; it was not read')"
    for name, text, otherwise in (
        (SHALLOW, "one", error),
        (SHALLOW_OR_NULL, "one", "NULL"),
        (SHALLOW_WITHIN, "CAST(to_json(one) AS VARCHAR)", error),
    ):
        database.execute(
            f"CREATE MACRO {name}(value) AS list_transform([value], lambda one: CASE"
            f" WHEN one IS NULL THEN one WHEN strlen({text}) <= {MOST_LEVELS} THEN one"
            f" WHEN is_shallow_json({text}) THEN one ELSE {otherwise} END)[1]"
        )
