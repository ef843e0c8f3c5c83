"""Names that tables of inlined rows keep for themselves in plain DuckLake databases."""

from __future__ import annotations

from typing import Final

from forklake.model.names import fold

_OWN: Final = frozenset({"row_id", "begin_snapshot", "end_snapshot"})


def is_own_name(column: str) -> bool:
    """Return whether such a table has a column of that name beside those of the rows.

    >>> is_own_name("Row_Id"), is_own_name("rowid")
    (True, False)
    """
    return fold(column) in _OWN
