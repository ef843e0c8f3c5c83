"""Regular expressions that DuckDB takes, and what it says of others."""

from __future__ import annotations

from functools import lru_cache

from forklake.duck.results import single_value
from forklake.errors import InvalidInputError


def fault_of(pattern: str) -> str | None:
    """Return what DuckDB says is wrong with a pattern; None if it takes it."""
    return _look(pattern)[0]


def fits_nothing(pattern: str) -> bool:
    """Return whether the empty text fits a pattern."""
    return _look(pattern)[1]


@lru_cache(maxsize=1000)
def _look(pattern: str) -> tuple[str | None, bool]:
    try:
        return None, bool(single_value("SELECT regexp_matches('', $1)", pattern))
    except InvalidInputError as error:
        return error.message.partition(": ")[2], False
