"""Creates and drops schemas."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.changes import macros, tables, views
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_name, directory
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.model.change import CreateSchema, DropMacro, DropSchema, DropTable, DropView
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.rows import SchemaRow


def create(draft: Draft, change: CreateSchema) -> None:
    """Create a schema."""
    check_name("schema", change.name)
    if lookup.find_schema(draft, change.name) is not None:
        raise AlreadyExistsError(f'Schema with name "{change.name}" already exists!')
    draft.insert(
        SchemaRow(
            schema_id=change.schema_id,
            schema_uuid=change.uuid,
            schema_name=change.name,
            path=directory(change.name, change.uuid),
            path_is_relative=True,
        )
    )
    draft.record(LoggedChange(ChangeKind.CREATED_SCHEMA, object_id=change.schema_id, schema_name=change.name))


def drop(draft: Draft, change: DropSchema) -> None:
    """Drop a schema; with ``cascade`` also everything in it."""
    row = lookup.schema_by_id(draft, change.schema_id)
    held_tables = lookup.tables(draft, row.schema_id)
    held_views = lookup.views(draft, row.schema_id)
    held_macros = lookup.macros(draft, row.schema_id)
    names = [
        *(f'table "{held.table_name}"' for held in held_tables),
        *(f'view "{held.view_name}"' for held in held_views),
        *(f'macro "{held.macro_name}"' for held in held_macros),
    ]
    if names and not change.cascade:
        raise InvalidInputError(
            f'Cannot drop schema "{row.schema_name}" because there are entries that depend on it:'
            f" {names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}. Nothing was dropped.",
            hint="Drop them first, or drop the schema with CASCADE.",
        )
    for table in held_tables:
        tables.drop(draft, DropTable(table.table_id))
    for view in held_views:
        views.drop(draft, DropView(view.view_id))
    for macro in held_macros:
        macros.drop(draft, DropMacro(macro.macro_id))
    draft.end(row)
    if row.origin is None:
        draft.forget_log(row.schema_id)
    else:
        draft.record(LoggedChange(ChangeKind.DROPPED_SCHEMA, object_id=row.schema_id, schema_name=row.schema_name))
