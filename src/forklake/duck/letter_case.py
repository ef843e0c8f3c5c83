"""Capital and small letters as DuckDB has them, one for one."""

from __future__ import annotations

from contextlib import closing
from functools import cache
from typing import Final

from forklake.duck.databases import closed_database

_LETTERS: Final = """
    SELECT string_agg(letter, '' ORDER BY code), string_agg({case}(letter), '' ORDER BY code)
    FROM (SELECT code, chr(code) AS letter FROM (
        SELECT unnest(range(1, 55296)::INTEGER[]) AS code UNION ALL SELECT unnest(range(57344, 1114112)::INTEGER[])))
    WHERE {case}(letter) <> letter
"""


@cache
def small_letters() -> tuple[str, str]:
    """Return all letters that have a small one, and those, in the same order."""
    return _letters("lower")


@cache
def capital_letters() -> tuple[str, str]:
    """Return all letters that have a capital one, and those, in the same order."""
    return _letters("upper")


def _letters(case: str) -> tuple[str, str]:
    with closing(closed_database().cursor()) as cursor:
        found = cursor.execute(_LETTERS.format(case=case)).fetchone()
    assert found is not None
    return found
