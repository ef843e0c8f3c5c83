"""The names of all functions that queries can call."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from forklake.sql.expressions.aggregates import AGGREGATES, WINDOWS
from forklake.sql.functions import FUNCTIONS, NAMED


@cache
def function_names() -> tuple[str, ...]:
    """Return the names in lower case, sorted.

    Macros and functions of catalogs are not among them.
    """
    found = {name for name in NAMED if name.isidentifier()}
    for key in (*FUNCTIONS, *AGGREGATES, *WINDOWS):
        if isinstance(key, str):
            found.add(key)
        elif issubclass(key, exp.Func) and key not in (exp.Anonymous, exp.AnonymousAggFunc):
            found.update(key.sql_names())
    return tuple(sorted({name.lower() for name in found}))
