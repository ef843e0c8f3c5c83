"""Upper and lower case on Spark, letter by letter as DuckDB has it.

Java writes `upper('ß')` as two letters, and knows other letters with each of its releases.
"""

from __future__ import annotations

from typing import Final

from forklake import duck
from forklake.sql.expressions.spark_idioms import once

BLANKS: Final = "\x20\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""What `trim` takes away: the spaces of Unicode, no tabs and no ends of lines."""


def upper_case(sql: str) -> str:
    """Return Spark SQL for a text in upper case."""
    return _change(sql, "upper", duck.letter_case.capital_letters())


def lower_case(sql: str) -> str:
    """Return Spark SQL for a text in lower case."""
    return _change(sql, "lower", duck.letter_case.small_letters())


def in_lower_case(text: str) -> str:
    """Return a text in lower case."""
    return text.translate(str.maketrans(*duck.letter_case.small_letters()))


def _change(sql: str, function: str, letters: tuple[str, str]) -> str:
    # Spark is quick where all letters are ASCII, of which it has one opinion with DuckDB. Letters need no escape.
    one, other = (f"'{some}'" for some in letters)
    return once(
        sql,
        lambda value: (
            f"(CASE WHEN length({value}) = octet_length({value}) THEN {function}({value})"
            f" ELSE translate({value}, {one}, {other}) END)"
        ),
    )
