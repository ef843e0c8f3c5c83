"""The names of all functions that queries can call."""

from __future__ import annotations

from functools import cache

from forklake.sql.vocabulary import BY_NAME


@cache
def function_names() -> tuple[str, ...]:
    """Return the names in lower case, sorted.

    Macros and functions of catalogs are not among them, nor names that are only refused.
    """
    return tuple(sorted(name for name, one in BY_NAME.items() if name.isidentifier() and not one.is_refused))
