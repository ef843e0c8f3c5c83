"""Whether a text that is being typed has come to its end."""

from __future__ import annotations

from sqlglot import TokenType

from forklake.errors import InvalidInputError
from forklake.sql.parse.tokens import tokenize


def is_complete(text: str) -> bool:
    """Return whether all statements of a text have ended: a semicolon in a quote or comment ends none.

    >>> is_complete("SELECT 1;"), is_complete("SELECT 1"), is_complete("SELECT ';"), is_complete("-- nothing")
    (True, False, False, True)
    """
    try:
        tokens = tokenize(text)
    except InvalidInputError as error:
        # Any other mistake stays one, however much follows.
        return "unterminated" not in str(error)
    return not tokens or tokens[-1].token_type == TokenType.SEMICOLON
