"""How names are compared, split at dots and joined."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final

from forklake.model.quoting import quote_name, unquote_name

_ASCII_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_PART: Final = re.compile(r""""(?:[^"]|"")+"|[^".][^.]*""")
_PATH: Final = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))*")


def fold(name: str) -> str:
    """Return the form in which names are compared: ASCII letters in lower case.

    All other characters are kept. Two names denote one thing exactly if their folds are equal, as in DuckDB.
    Folding twice changes nothing.

    >>> fold("Orders_Ä")
    'orders_Ä'
    """
    return name.lower() if name.isascii() else name.translate(_ASCII_LOWER)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to another, if one is similar.

    >>> nearest("ordrs", ["orders", "customers"]), nearest("x", ["orders"])
    ('orders', None)
    """
    by_fold = {fold(one): one for one in known}
    found = difflib.get_close_matches(fold(name), by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def split_name(text: str) -> tuple[str, ...] | None:
    """Return the parts of a dotted name; None if the text is no such name.

    Each part may be in double quotes.

    >>> split_name('main."a.b"'), split_name("t"), split_name('"open'), split_name("a..b")
    (('main', 'a.b'), ('t',), None, None)
    """
    if _PATH.fullmatch(text) is None:
        return None
    return tuple(unquote_name(part) for part in _PART.findall(text))


def join_name(*parts: str) -> str:
    """Return the dotted name that `split_name` splits into these parts.

    >>> print(join_name("main", "a.b"))
    main."a.b"
    """
    return ".".join(part if _PART.fullmatch(part) and part[0] != '"' and part else quote_name(part) for part in parts)


def byte_length(text: str | None) -> int:
    """Return the length of a text in UTF-8; 0 if there is none."""
    return 0 if text is None else len(text) if text.isascii() else len(text.encode())
