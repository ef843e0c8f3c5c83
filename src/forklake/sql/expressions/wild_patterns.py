"""Patterns with wildcards, as regular expressions that never go far back.

Java tries all places for what is between two wildcards, and for each of them all places of what follows: `%a%a%a%b`
took hours for a text of a hundred thousand letters, and nothing cancels that. The first place is as good as any other
one, so what is between wildcards is looked for once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

ONE_LETTER: Final = "(?s:.)"
_ANY_LETTERS: Final = "(?s:.*)"


def whole_pattern(pieces: Sequence[str | None]) -> str:
    r"""Return a pattern of Java that whole texts fit.

    Args:
        pieces: Java's patterns, each of one letter; None stands for any letters.

    >>> print(whole_pattern(["a", None, "b", ".", None, "c"]))
    \Aa(?>(?s:.*?)b.)(?s:.*)c\z
    """
    parts = ["".join(piece for piece in run if piece) for _, run in groupby(pieces, lambda piece: piece is None)]
    if not pieces or None not in pieces:
        return rf"\A{''.join(parts)}\z"
    first = parts.pop(0) if pieces[0] is not None else ""
    last = parts.pop() if pieces[-1] is not None else ""
    between = "".join(f"(?>(?s:.*?){part})" for part in parts if part)
    return rf"\A{first}{between}{_ANY_LETTERS}{last}\z" if last else rf"\A{first}{between}"
