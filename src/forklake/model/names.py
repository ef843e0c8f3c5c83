"""How names are compared."""

from __future__ import annotations

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
