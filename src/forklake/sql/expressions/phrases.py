"""Turns of Spark's SQL that many expressions need: a value used several times, and a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Final

from forklake.sql.expressions.literals import quoted

_LONG: Final = 160
"""Texts up to this are repeated: Spark evaluates equal ones once, and a lambda keeps it from compiling the whole."""
_numbers: Final = count(1)
_VARIABLE: Final = re.compile(r"`~\d+`")


def variable() -> str:
    """Return a name for a variable of a lambda that no other has, so that none hides another, nor a column."""
    return f"`~{next(_numbers)}`"


def parameter(place: int) -> str:
    """Return a name for a parameter of a lambda in a query, which hides no column either."""
    return f"`~p{place}`"


def canonical(sql: str) -> str:
    """Return an expression with its variables numbered from one: what means the same has the same text.

    >>> canonical("transform(a, `~7` -> `~7` + `~p0`)")
    'transform(a, `~1` -> `~1` + `~p0`)'
    """
    numbers: dict[str, str] = {}
    return _VARIABLE.sub(lambda found: numbers.setdefault(found[0], f"`~{len(numbers) + 1}`"), sql)


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
