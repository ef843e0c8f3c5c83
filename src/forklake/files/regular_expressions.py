"""Regular expressions that DuckDB takes, and what it says of others."""

from __future__ import annotations

from functools import lru_cache

import duckdb


def fault_of(pattern: str) -> str | None:
    """Return what DuckDB says is wrong with a pattern; None if it takes it."""
    return _look(pattern)[0]


def fits_nothing(pattern: str) -> bool:
    """Return whether the empty text fits a pattern."""
    return _look(pattern)[1]


@lru_cache(maxsize=1000)
def _look(pattern: str) -> tuple[str | None, bool]:
    with duckdb.connect() as database:
        try:
            found = database.execute("SELECT regexp_matches('', $1)", [pattern]).fetchone()
        except duckdb.Error as error:
            return str(error).partition(": ")[2].partition("\n")[0], False
    return None, found == (True,)
