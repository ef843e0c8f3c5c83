"""Titles of tables, views, macros and schemas in messages.

For example, ``table "main"."orders"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forklake.catalog import lookup
from forklake.catalog.state import Content
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.ids import SchemaId, TableId

_VIEWS: Final = (ChangeKind.DROPPED_VIEW, ChangeKind.ALTERED_VIEW)
_MACROS: Final = (ChangeKind.DROPPED_SCALAR_MACRO, ChangeKind.DROPPED_TABLE_MACRO)


def table_title(content: Content, table_id: TableId) -> str:
    """Return the title of a table: its kind and name.

    Raises:
        NotFoundError: There is none of that id.
    """
    row = lookup.table_by_id(content, table_id)
    return format_title("table", lookup.schema_by_id(content, row.schema_id).schema_name, row.table_name)


def changed_title(content: Content, change: LoggedChange) -> str | None:
    """Return the title of the object that a change names by its id.

    The result is None if the change has no id, or if the content has no such object.
    """
    if change.object_id is None:
        return None
    schemas: Mapping[SchemaId, str] = {row.schema_id: row.schema_name for row in lookup.schemas(content)}
    if change.kind is ChangeKind.DROPPED_SCHEMA:
        name = schemas.get(SchemaId(change.object_id))
        return None if name is None else format_title("schema", name)
    if change.kind in _VIEWS:
        found = [(row.schema_id, row.view_name) for row in lookup.views(content) if row.view_id == change.object_id]
    elif change.kind in _MACROS:
        found = [(row.schema_id, row.macro_name) for row in lookup.macros(content) if row.macro_id == change.object_id]
    else:
        found = [(row.schema_id, row.table_name) for row in lookup.tables(content) if row.table_id == change.object_id]
    kind = "view" if change.kind in _VIEWS else "macro" if change.kind in _MACROS else "table"
    return next((format_title(kind, schemas[schema_id], name) for schema_id, name in found), None)


def format_title(kind: str, *names: str) -> str:
    """Format a title from a kind and a name.

    >>> format_title("table", "main", "orders")
    'table "main"."orders"'
    """
    return f"{kind} " + ".".join(f'"{name}"' for name in names)
