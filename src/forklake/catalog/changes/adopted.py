"""Files that others wrote: a table has each of them once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from forklake.catalog.draft import Draft
from forklake.errors import AlreadyExistsError
from forklake.metastore.written_tables import DATA_FILE
from forklake.model.rows import TableRow

_PATHS_AT_ONCE: Final = 5_000


def check_not_there(draft: Draft, table: TableRow, paths: Sequence[str]) -> None:
    """Refuse to adopt a file that the table has adopted already.

    Raises:
        AlreadyExistsError: There is one.
    """
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            raise adopted_twice_error(table.table_name, path)
        seen.add(path)
    for first in range(0, len(paths), _PATHS_AT_ONCE):
        part = list(paths[first : first + _PATHS_AT_ONCE])
        for row in draft.rows(DATA_FILE, {"table_id": table.table_id, "path": part}):
            if not row.path_is_relative:
                raise adopted_twice_error(table.table_name, row.path)


def adopted_twice_error(table: str, path: str) -> AlreadyExistsError:
    """Return the error for a file that is part of a table already."""
    return AlreadyExistsError(
        f'File "{path}" is part of table "{table}" already: its rows would be there twice. Nothing was added.'
    )
