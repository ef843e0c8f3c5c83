"""Nested values in DuckDB's text.

Examples are ``[a, 'b, c']``, ``{'x': 1, 'y': NULL}`` and ``{k=v}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Final

from forklake.files.casting.numerals import SPACES
from forklake.model.interruption import in_time

_SPECIAL: Final = re.compile(r"""["'(),:=\[\]{}]""")
_MARK: Final = re.compile(r"""["'\[\]{}()]""")
_UP_TO: Final = {sign: re.compile(rf"[^{sign}\\]*") for sign in "'\""}
"""What a quoted text has up to its end or the next backslash."""
_CLOSING: Final = {"[": "]", "{": "}", "(": ")"}


def quote(text: str, *, always: bool = False) -> str:
    r"""Write text as part of a nested value, in quotes where needed.

    It needs quotes where it would be misread without them.

    >>> quote("a b"), quote("it's"), quote("null"), quote("")
    ('a b', "'it\\'s'", "'null'", "''")
    """
    plain = text and text[0] not in SPACES and text[-1] not in SPACES and text.lower() != "null"
    if plain and not always and not _SPECIAL.search(text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def unquote(raw: str) -> str:
    """Return the text that `quote` wrote, or one with quotes elsewhere.

    Text in brackets is kept as it is.
    """
    if not _SPECIAL.search(raw):
        return raw
    letters: list[str] = []
    for start, end, kind in in_time(_pieces(raw)):
        piece = raw[start:end]
        if kind == "quoted":
            piece = re.sub(r"\\(.)", r"\1", piece[1:-1], flags=re.DOTALL)
        elif kind == "escaped":
            piece = piece[1:]
        letters.append(piece)
    return "".join(letters)


def split_list(text: str) -> list[str]:
    """Return the raw texts between the brackets of a list.

    Raises:
        ValueError: The text is no list.
    """
    inner = _within(text, "[")
    return _split(inner, ",") if inner.strip(SPACES) else []


def split_row(text: str) -> list[str]:
    """Return the raw texts between the parentheses of a row: a struct without names.

    Raises:
        ValueError: The text is no row.
    """
    return _split(_within(text, "("), ",")


def split_pairs(text: str, sign: str) -> list[tuple[str, str]]:
    """Return the raw names and values of a struct (``:``) or a map (``=``).

    A map has keys in place of names.

    Raises:
        ValueError: The text is neither.
    """
    inner = _within(text, "{")
    pairs = []
    for part in in_time(_split(inner, ",")) if inner.strip(SPACES) else ():
        name, *values = _split(part, sign, most=1)
        if not values:
            raise ValueError(f'no "{sign}"')
        pairs.append((name, values[0]))
    return pairs


def _within(text: str, bracket: str) -> str:
    text = text.strip(SPACES)
    if len(text) < 2 or text[0] != bracket or text[-1] != _CLOSING[bracket]:
        raise ValueError("no brackets")
    return text[1:-1]


def _split(text: str, sign: str, most: int = -1) -> list[str]:
    """Split at a sign outside of quotes and brackets, and strip the parts."""
    parts, begin = [], 0
    for start, end, kind in in_time(_pieces(text)):
        if kind == "plain" and text[start:end] == sign and most:
            parts.append(text[begin:start].strip(SPACES))
            begin, most = end, most - 1
    return [*parts, text[begin:].strip(SPACES)]


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, end and kind of each piece of a text.

    A piece is a plain character, an escaped one, or quoted or bracketed text.
    """
    position = 0
    while position < len(text):
        letter, start = text[position], position
        if letter in "'\"":
            position, kind = _quote_end(text, position), "quoted"
        elif letter in _CLOSING:
            position, kind = _bracket_end(text, position), "bracketed"
        elif letter in _CLOSING.values():
            raise ValueError(f'unexpected "{letter}"')
        elif letter == "\\" and text[position + 1 : position + 2] in ("'", '"'):
            # Elsewhere outside of quotes a backslash is an ordinary letter, as in the text of a blob.
            position, kind = position + 2, "escaped"
        else:
            position, kind = position + 1, "plain"
        yield start, position, kind


def _quote_end(text: str, position: int) -> int:
    plain = _UP_TO[text[position]]
    position += 1
    for _ in in_time(repeat(None)):
        found = plain.match(text, position)
        assert found is not None
        position = found.end()
        if text[position : position + 1] != "\\":
            break
        position += 2
    if position >= len(text):
        raise ValueError("a quote is not closed")
    return position + 1


def _bracket_end(text: str, position: int) -> int:
    open_brackets = []
    for letter, end in in_time(_marks(text, position)):
        if letter in _CLOSING:
            open_brackets.append(_CLOSING[letter])
        elif open_brackets and letter == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return end
    raise ValueError("a bracket is not closed")


def _marks(text: str, position: int) -> Iterator[tuple[str, int]]:
    """Yield brackets and quoted texts, each by its first letter and its end."""
    while (mark := _MARK.search(text, position)) is not None:
        position = _quote_end(text, mark.start()) if mark[0] in _UP_TO else mark.end()
        yield mark[0], position
