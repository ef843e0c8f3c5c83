"""Test for the end of a statement that is being typed."""

from __future__ import annotations

from sqlglot import TokenType

from forklake.errors import InvalidInputError
from forklake.sql.parse.tokens import tokenize


def is_complete(text: str) -> bool:
    """Return whether all statements of a text are ended by a semicolon.

    A semicolon in quotes or in a comment ends none.

    >>> is_complete("SELECT 1;"), is_complete("SELECT 1"), is_complete("SELECT ';"), is_complete("-- nothing")
    (True, False, False, True)
    """
    try:
        tokens = tokenize(text)
    except InvalidInputError as error:
        # More text does not repair any other mistake.
        return "unterminated" not in str(error)
    return not tokens or tokens[-1].token_type == TokenType.SEMICOLON
