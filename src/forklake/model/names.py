"""How names are compared."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

_ASCII_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """Return the form under which a name is compared: ASCII letters lower-cased, all else kept.

    Two names denote one thing exactly if their folds are equal, as in DuckDB. Folding twice
    changes nothing.

    >>> fold("Orders_Ä")
    'orders_Ä'
    """
    return name.translate(_ASCII_LOWER)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like another, if one does.

    >>> nearest("ordrs", ["orders", "customers"]), nearest("x", ["orders"])
    ('orders', None)
    """
    by_fold = {fold(one): one for one in known}
    found = difflib.get_close_matches(fold(name), by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None
