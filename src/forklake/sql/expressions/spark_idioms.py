"""Spark SQL idioms: values that are used several times, and error messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Final

from forklake.sql.expressions.literals import text_literal

SHORT_OF_DIGITS: Final = "; Spark, which computed this, holds 38 digits"
"""How messages end about integers of 128 bits: DuckDB has some values that Spark has not."""
_LONG: Final = 160
"""Texts up to this length are repeated: Spark evaluates equal ones once, and a lambda prevents compilation."""
_numbers: Final = count(1)
_VARIABLE: Final = re.compile(r"`~\d+`")


def variable() -> str:
    """Return a unique name for the variable of a lambda.

    It hides no other variable and no column.
    """
    return f"`~{next(_numbers)}`"


def parameter(place: int) -> str:
    """Return a name for a parameter of a user's lambda; it hides no column."""
    return f"`~p{place}`"


def canonical(sql: str) -> str:
    """Return an expression with its variables numbered from one.

    Equal expressions then have equal text.

    >>> canonical("transform(a, `~7` -> `~7` + `~p0`)")
    'transform(a, `~1` -> `~1` + `~p0`)'
    """
    numbers: dict[str, str] = {}
    return _VARIABLE.sub(lambda found: numbers.setdefault(found[0], f"`~{len(numbers) + 1}`"), sql)


def once(sql: str, body: Callable[[str], str]) -> str:
    """Return an expression that uses a value several times.

    A long value is written only once.

    >>> once("a", lambda value: f"{value} + {value}")
    'a + a'
    """
    if len(sql) <= _LONG:
        return body(sql)
    name = variable()
    return f"transform(array({sql}), {name} -> {body(name)})[0]"


def refusal(*parts: str) -> str:
    """Return SQL that fails the query with a message, given as text expressions."""
    return f"raise_error(concat({', '.join(parts)}))" if len(parts) > 1 else f"raise_error({parts[0]})"


def unless_null(sql: str, attempt: str, *message: str) -> str:
    """Return an attempt that fails the query where it is NULL but the value is not."""
    return f"coalesce({attempt}, CASE WHEN {sql} IS NOT NULL THEN {refusal(*message)} END)"


def message_text(text: str) -> str:
    """Return the literal for a part of a message."""
    return text_literal(text)
