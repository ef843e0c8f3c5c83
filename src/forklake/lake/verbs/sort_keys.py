"""Sort keys that follow the columns they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from forklake.model.definitions import SortKey
from forklake.model.names import fold

_WORDS: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\W\d]\w*""")
"""What an expression is made of, as far as names go: quoted text, quoted names, and words."""


def renamed(keys: Sequence[SortKey], old: str, new: str) -> tuple[SortKey, ...]:
    """Return sort keys in which a column has its new name; functions, quoted text and other dialects stay.

    >>> print(renamed([SortKey("a + length('a')")], "A", "b c")[0].expression)
    "b c" + length('a')
    """
    quoted = '"' + new.replace('"', '""') + '"'

    def word(match: re.Match[str]) -> str:
        text = match.group()
        name = text[1:-1].replace('""', '"') if text[0] == '"' else text
        is_call = match.string[match.end() :].lstrip().startswith("(")
        return quoted if text[0] != "'" and not is_call and fold(name) == fold(old) else text

    return tuple(
        replace(key, expression=_WORDS.sub(word, key.expression)) if key.dialect == "duckdb" else key for key in keys
    )
