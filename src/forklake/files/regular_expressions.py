"""Regular expressions that DuckDB takes, and what it says of others."""

from __future__ import annotations

from functools import lru_cache

import duckdb


@lru_cache(maxsize=1000)
def fault_of(pattern: str) -> str | None:
    """Return what DuckDB says is wrong with a pattern; None if it takes it."""
    with duckdb.connect() as database:
        try:
            database.execute("SELECT regexp_matches('', $1)", [pattern])
        except duckdb.Error as error:
            return str(error).partition(": ")[2].partition("\n")[0]
    return None
