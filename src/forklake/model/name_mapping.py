"""Name mappings for files that the transaction writes itself.

The table's columns may be renamed before the commit; the mapping keeps the names that the file has.
"""

from __future__ import annotations

from collections.abc import Sequence

from forklake.model import types
from forklake.model.definitions import MappedColumn, NameMapping
from forklake.model.field import Field
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN


def name_mapping(fields: Sequence[Field]) -> NameMapping:
    """Return the name mapping of a file that has the table's own column names.

    The mapping is in DuckLake's form: elements of lists are called ``list``, and keys and values of maps ``key``
    and ``value``, whatever the file calls them. Row lineage, which files may hold, is no column of the table.
    """
    columns = (field for field in fields if field.name not in (ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN))
    return NameMapping(tuple(_mapped_column(field, field.name) for field in columns))


def _mapped_column(field: Field, source_name: str) -> MappedColumn:
    match field.type:
        case types.List():
            names: tuple[str, ...] = ("list",)
        case types.Map():
            names = ("key", "value")
        case kind:
            names = tuple(child.name for child in kind.children)
    children = tuple(_mapped_column(child, name) for child, name in zip(field.children, names, strict=True))
    return MappedColumn(source_name, field.name, children=children)
