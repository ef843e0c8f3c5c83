r"""Regular expressions of RE2, as DuckDB has them, in Java's syntax.

Where both have a construct it mostly means the same; what does not is written in another way: the end of a text (Java's
``$`` is also before a last line break), blanks, words (Java's are those of all languages), sets of letters within sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_WORD: Final = "[0-9A-Za-z_]"
_OUTSIDE: Final = {
    r"\s": r"[\t\n\f\r ]",
    r"\S": r"[^\t\n\f\r ]",
    r"\b": f"(?:(?<!{_WORD})(?={_WORD})|(?<={_WORD})(?!{_WORD}))",
    r"\B": f"(?:(?<!{_WORD})(?!{_WORD})|(?<={_WORD})(?={_WORD}))",
    r"\C": "(?s:.)",
}
_INSIDE: Final = {r"\s": r"\t\n\f\r ", r"\S": r"[^\t\n\f\r ]"}
_SETS: Final = {
    "alnum": "Alnum", "alpha": "Alpha", "ascii": "ASCII", "blank": "Blank", "cntrl": "Cntrl", "digit": "Digit",
    "graph": "Graph", "lower": "Lower", "print": "Print", "punct": "Punct", "space": "Space", "upper": "Upper",
    "xdigit": "XDigit",
}  # fmt: skip
_TOKEN: Final = re.compile(r"\\[pP]\{\^?\w+\}|\\Q.*?(?:\\E|\Z)|\\.|\(\?P?<(?=\w)|\(\?[a-zA-Z-]+|.", re.DOTALL)
_SET: Final = re.compile(r"\[:(\^?)(\w+):\]")
_LETTERS: Final = re.compile(r"[\w ,:;/@#%&=<>!~\"'-]*")
_PLAIN: Final = re.compile(
    r"""
    (?: [A-Za-z0-9\ _,:;/@#%&=<>!~"'-] | \\[dDwW.\\+*?()\[\]{}|^$/-] | \.
      | [*+?]\??(?![*+?{]) | \{\d{1,3}(?:,\d{0,3})?\}\??(?![*+?{])
      | \((?:\?:)?(?![?*+{]) | \) | \|(?![*+?{]) | \^(?![*+?{]) | \$(?![*+?{])
      | \[\^?(?:[A-Za-z0-9\ _,:;/@\#%=<>!~"'.*+?(){}|$] | [A-Za-z0-9]-[A-Za-z0-9] | \\[dw.\\\]\[-])+\]
    )*
    """,
    re.VERBOSE,
)


def java_pattern(pattern: str) -> str:
    r"""Return a pattern of RE2 in Java's syntax.

    >>> print(java_pattern(r"^a[[:digit:][]$"))
    (?d)^a[\p{Digit}\[]\z
    """
    return "(?d)" + "".join(_translate(pattern, has_lines="m" in _flags(pattern)))


def is_plain_text(pattern: str) -> bool:
    """Return whether a pattern has nothing in it that could be wrong."""
    return _LETTERS.fullmatch(pattern) is not None


def is_plain_pattern(pattern: str) -> bool:
    """Return whether a pattern says only what both engines take for the same."""
    return _PLAIN.fullmatch(pattern) is not None


def _flags(pattern: str) -> str:
    """Return all flags that are set within a pattern."""
    return "".join(found[1] for found in re.finditer(r"(?<!\\)\(\?([a-zA-Z]+)", pattern))


def _translate(pattern: str, *, has_lines: bool) -> Iterator[str]:
    place = 0
    while place < len(pattern):
        found = _TOKEN.match(pattern, place)
        assert found is not None
        token, place = found[0], found.end()
        if token == "[":
            text, place = _translate_set(pattern, place)
            yield text
        elif token.startswith("(?P<"):
            yield "(?<"
        elif token.startswith("(?") and token[2:].isalpha() and "i" in token:
            yield f"{token}u"
        elif token == "$":
            yield token if has_lines else r"\z"
        else:
            yield _OUTSIDE.get(token, token)


def _translate_set(pattern: str, place: int) -> tuple[str, int]:
    """Return a set of letters, whose bracket was read, and the place behind it."""
    found, begin = ["["], place
    if pattern.startswith("^", place):
        found.append("^")
        place, begin = place + 1, begin + 1
    while place < len(pattern):
        named = _SET.match(pattern, place)
        if named is not None:
            name, turn = named[2], named[1]
            found.append(r"\W" if turn and name == "word" else r"\w" if name == "word" else _named_set(name, turn))
            place = named.end()
            continue
        token = _TOKEN.match(pattern, place)
        assert token is not None
        place = token.end()
        if token[0] == "]" and token.start() != begin:
            return "".join([*found, "]"]), place
        found.append(rf"\{token[0]}" if token[0] in "[]&" else _INSIDE.get(token[0], token[0]))
    return "".join(found), place


def _named_set(name: str, turn: str) -> str:
    return rf"\{'P' if turn else 'p'}{{{_SETS.get(name, name)}}}"
