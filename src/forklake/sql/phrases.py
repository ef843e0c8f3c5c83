"""Turns of Spark's SQL that many expressions need: a value used several times, and a refusal."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Final

from forklake.sql.literals import quoted

_LONG: Final = 160
"""Texts up to this are repeated: Spark evaluates equal ones once, and a lambda keeps it from compiling the whole."""
_numbers: Final = count(1)


def variable() -> str:
    """Return a name for a variable of a lambda that no other has, so that none hides another."""
    return f"x{next(_numbers)}"


def once(sql: str, body: Callable[[str], str]) -> str:
    """Return an expression that uses a value several times, in a text that does not grow with each use.

    >>> once("a", lambda value: f"{value} + {value}")
    'a + a'
    """
    if len(sql) <= _LONG:
        return body(sql)
    name = variable()
    return f"transform(array({sql}), {name} -> {body(name)})[0]"


def refusal(*parts: str) -> str:
    """Return what fails the query with a message; parts are expressions of text."""
    return f"raise_error(concat({', '.join(parts)}))" if len(parts) > 1 else f"raise_error({parts[0]})"


def unless_null(sql: str, attempt: str, *message: str) -> str:
    """Return an attempt that fails the query where it is NULL for a value that is not."""
    return f"coalesce({attempt}, CASE WHEN {sql} IS NOT NULL THEN {refusal(*message)} END)"


def said(text: str) -> str:
    """Return text of a message."""
    return quoted(text)
