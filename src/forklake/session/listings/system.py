"""Relations and functions that belong to no catalog: files and listings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forklake.model.names import fold
from forklake.session.functions import LISTINGS
from forklake.session.listings.information_schema import information_table
from forklake.session.listings.system_files import file_function, file_relation
from forklake.session.listings.system_listings import listing
from forklake.session.local.foreign_rows import ForeignRows
from forklake.session.names.known_rows import FileScan, Rows

if TYPE_CHECKING:
    from forklake.session.names.name_resolution import SessionNames


def system_function(
    names: SessionNames, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]
) -> Rows | FileScan | ForeignRows | None:
    """Return the rows of a function that belongs to no catalog; None if there is none.

    Raises:
        InvalidInputError: The arguments do not fit.
        NotFoundError: A file to be read does not exist.
    """
    name = fold(parts[-1])
    if len(parts) > 1 and fold(parts[0]) not in ("system", "main"):
        return None
    return file_function(name, arguments, named) or listing(names, name, arguments, named)


def system_relation(
    names: SessionNames, parts: tuple[str, ...], *, may_be_file: bool
) -> Rows | FileScan | ForeignRows | None:
    """Return a relation that belongs to no catalog; None if there is none.

    It is a table of ``information_schema``, a listing such as ``duckdb_tables``, or a file.
    """
    if len(parts) in (2, 3) and fold(parts[-2]) == "information_schema":
        return information_table(names, parts[-1])
    if len(parts) != 1:
        return None
    if fold(parts[0]) in LISTINGS:
        return listing(names, fold(parts[0]))
    return file_relation(parts[0]) if may_be_file else None
