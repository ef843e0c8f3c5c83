"""Finds schemas, tables, views, macros and columns by name or id."""

from __future__ import annotations

from collections.abc import Iterable

from forklake.catalog.names import check_name, check_value
from forklake.catalog.state import Content
from forklake.errors import AlreadyExistsError, NotFoundError
from forklake.metastore.row_filter import FoldedName
from forklake.metastore.written_tables import COLUMN, MACRO, SCHEMA, TABLE, TABLE_COLUMN_STATS, TABLE_STATS, VIEW
from forklake.model.ids import ColumnId, MacroId, SchemaId, TableId, ViewId
from forklake.model.names import fold, join_name, nearest
from forklake.model.rows import (
    ColumnRow,
    MacroRow,
    SchemaRow,
    TableColumnStatsRow,
    TableRow,
    TableStatsRow,
    ViewRow,
)


def schemas(content: Content) -> list[SchemaRow]:
    """Return all schemas, by name."""
    return sorted(content.rows(SCHEMA), key=lambda row: fold(row.schema_name))


def find_schema(content: Content, name: str) -> SchemaRow | None:
    """Return the schema of that name, if there is one."""
    check_name("schema", name)
    return next((row for row in content.rows(SCHEMA) if fold(row.schema_name) == fold(name)), None)


def schema(content: Content, name: str) -> SchemaRow:
    """Return the schema of that name.

    Raises:
        NotFoundError: There is none.
    """
    found = find_schema(content, name)
    if found is None:
        known = [row.schema_name for row in content.rows(SCHEMA)]
        raise NotFoundError(f'Schema with name "{name}" does not exist!', hint=_nearest(name, known))
    return found


def schema_by_id(content: Content, schema_id: SchemaId) -> SchemaRow:
    """Return the schema with that id.

    Raises:
        NotFoundError: There is none.
    """
    found = next((row for row in content.rows(SCHEMA) if row.schema_id == schema_id), None)
    if found is None:
        raise NotFoundError(f'Schema with index "{schema_id}" does not exist!')
    return found


def tables(content: Content, schema_id: SchemaId | None = None) -> list[TableRow]:
    """Return all tables, or those of a schema, by name."""
    found = content.rows(TABLE, {} if schema_id is None else {"schema_id": schema_id})
    return sorted(found, key=lambda row: fold(row.table_name))


def find_table(content: Content, schema_id: SchemaId, name: str) -> TableRow | None:
    """Return the table of that name in the schema, if there is one."""
    check_name("table", name)
    found = content.rows(TABLE, {"schema_id": schema_id, "table_name": FoldedName(fold(name))})
    return found[0] if found else None


def table(content: Content, name: str, schema_name: str = "main") -> TableRow:
    """Return the table of that name.

    Raises:
        NotFoundError: There is none, or no such schema.
    """
    found = find_table(content, schema(content, schema_name).schema_id, name)
    if found is None:
        raise NotFoundError(
            f'Table with name "{name}" does not exist in schema "{schema_name}"!',
            hint=_other_table(content, name, schema_name),
        )
    return found


def _other_table(content: Content, name: str, schema_name: str) -> str | None:
    """Return a hint at the table that the user may mean.

    It has a similar name, or the same name in another schema.
    """
    home = schema(content, schema_name).schema_id
    near = _nearest(name, [row.table_name for row in tables(content, home)])
    if near is not None:
        return near
    found = next((row for row in tables(content) if fold(row.table_name) == fold(name)), None)
    if found is None:
        return None
    return f'Did you mean "{join_name(schema_by_id(content, found.schema_id).schema_name, found.table_name)}"?'


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """Return a hint at the known name most similar to another, if one is similar."""
    near = nearest(name, known)
    return None if near is None else f'Did you mean "{near}"?'


def table_by_id(content: Content, table_id: TableId) -> TableRow:
    """Return the table with that id.

    Raises:
        NotFoundError: There is none.
    """
    found = content.rows(TABLE, {"table_id": table_id})
    if not found:
        raise NotFoundError(f'Table with index "{table_id}" does not exist!')
    return found[0]


def views(content: Content, schema_id: SchemaId | None = None) -> list[ViewRow]:
    """Return all views, or those of a schema, by name."""
    found = content.rows(VIEW, {} if schema_id is None else {"schema_id": schema_id})
    return sorted(found, key=lambda row: fold(row.view_name))


def find_view(content: Content, schema_id: SchemaId, name: str) -> ViewRow | None:
    """Return the view of that name in the schema, if there is one."""
    check_name("view", name)
    found = content.rows(VIEW, {"schema_id": schema_id, "view_name": FoldedName(fold(name))})
    return found[0] if found else None


def view(content: Content, name: str, schema_name: str = "main") -> ViewRow:
    """Return the view of that name.

    Raises:
        NotFoundError: There is none, or no such schema.
    """
    found = find_view(content, schema(content, schema_name).schema_id, name)
    if found is None:
        known = [row.view_name for row in views(content, schema(content, schema_name).schema_id)]
        raise NotFoundError(
            f'View with name "{name}" does not exist in schema "{schema_name}"!', hint=_nearest(name, known)
        )
    return found


def view_by_id(content: Content, view_id: ViewId) -> ViewRow:
    """Return the view with that id.

    Raises:
        NotFoundError: There is none.
    """
    found = content.rows(VIEW, {"view_id": view_id})
    if not found:
        raise NotFoundError(f'View with index "{view_id}" does not exist!')
    return found[0]


def macros(content: Content, schema_id: SchemaId | None = None) -> list[MacroRow]:
    """Return all macros, or those of a schema, by name."""
    found = content.rows(MACRO, {} if schema_id is None else {"schema_id": schema_id})
    return sorted(found, key=lambda row: fold(row.macro_name))


def find_macro(content: Content, schema_id: SchemaId, name: str) -> MacroRow | None:
    """Return the macro of that name in the schema, if there is one."""
    check_name("macro", name)
    found = content.rows(MACRO, {"schema_id": schema_id, "macro_name": FoldedName(fold(name))})
    return found[0] if found else None


def macro(content: Content, name: str, schema_name: str = "main") -> MacroRow:
    """Return the macro of that name.

    Raises:
        NotFoundError: There is none, or no such schema.
    """
    found = find_macro(content, schema(content, schema_name).schema_id, name)
    if found is None:
        known = [row.macro_name for row in macros(content, schema(content, schema_name).schema_id)]
        raise NotFoundError(
            f'Macro with name "{name}" does not exist in schema "{schema_name}"!', hint=_nearest(name, known)
        )
    return found


def macro_by_id(content: Content, macro_id: MacroId) -> MacroRow:
    """Return the macro with that id.

    Raises:
        NotFoundError: There is none.
    """
    found = content.rows(MACRO, {"macro_id": macro_id})
    if not found:
        raise NotFoundError(f'Macro with index "{macro_id}" does not exist!')
    return found[0]


def check_relation_is_free(content: Content, schema_id: SchemaId, name: str) -> None:
    """Refuse a name that a table or view of the schema has.

    Raises:
        AlreadyExistsError: One has it.
    """
    if find_table(content, schema_id, name) is not None:
        raise AlreadyExistsError(f'Table with name "{name}" already exists!')
    if find_view(content, schema_id, name) is not None:
        raise AlreadyExistsError(f'View with name "{name}" already exists!')


def is_taken_by_another(content: Content, schema_id: SchemaId, name: str, besides: int) -> bool:
    """Return whether another table or view of the schema has the name."""
    found_table, found_view = find_table(content, schema_id, name), find_view(content, schema_id, name)
    return (found_table is not None and found_table.table_id != besides) or (
        found_view is not None and found_view.view_id != besides
    )


def columns(content: Content, table_id: TableId) -> list[ColumnRow]:
    """Return the columns of a table with all nested fields, in order."""
    return sorted(content.rows(COLUMN, {"table_id": table_id}), key=lambda row: (row.column_order, row.column_id))


def column(content: Content, table_row: TableRow, name: str | tuple[str, ...]) -> ColumnRow:
    """Return a column by its name, or a nested field by its path.

    A path is several names, or one text with dots between them.

    Raises:
        NotFoundError: There is none.
    """
    path = (name,) if isinstance(name, str) else name
    for part in path:
        check_value("name of a column", part)
    found: ColumnRow | None = None
    parent: ColumnId | None = None
    rows = columns(content, table_row.table_id)
    if isinstance(name, str):
        whole = next((row for row in rows if row.parent_column is None and fold(row.column_name) == fold(name)), None)
        if whole is not None:
            return whole
        path = tuple(name.split("."))
    for part in path:
        found = next((row for row in rows if row.parent_column == parent and fold(row.column_name) == fold(part)), None)
        if found is None:
            break
        parent = found.column_id
    if found is None:
        shown = name if isinstance(name, str) else ".".join(name)
        known = [row.column_name for row in rows if row.parent_column is None]
        raise NotFoundError(
            f'Table "{table_row.table_name}" does not have a column with name "{shown}"', hint=_nearest(shown, known)
        )
    return found


def table_stats(content: Content, table_id: TableId) -> TableStatsRow:
    """Return the totals of a table, which every table has from its creation on."""
    return content.latest(TABLE_STATS, table_id)[0]


def column_stats(content: Content, table_id: TableId) -> dict[ColumnId, TableColumnStatsRow]:
    """Return the statistics of the columns of a table."""
    return {row.column_id: row for row in content.latest(TABLE_COLUMN_STATS, table_id)}
