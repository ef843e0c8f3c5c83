"""Column names that DuckLake reserves in its tables of inlined rows."""

from __future__ import annotations

from typing import Final

from forklake.model.names import fold

_OWN: Final = frozenset({"row_id", "begin_snapshot", "end_snapshot"})


def is_own_name(column: str) -> bool:
    """Return whether DuckLake reserves a column name in tables of inlined rows.

    >>> is_own_name("Row_Id"), is_own_name("rowid")
    (True, False)
    """
    return fold(column) in _OWN
