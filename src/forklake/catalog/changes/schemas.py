"""Making and dropping schemas."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.changes import tables
from forklake.catalog.names import check_name, directory
from forklake.catalog.view import Draft
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.model.change import CreateSchema, DropSchema, DropTable
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.rows import SchemaRow


def create(draft: Draft, change: CreateSchema) -> None:
    """Make a schema."""
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
    draft.log.append(LoggedChange(ChangeKind.CREATED_SCHEMA, object_id=change.schema_id, schema_name=change.name))


def drop(draft: Draft, change: DropSchema) -> None:
    """Drop a schema, and with ``cascade`` what is in it."""
    row = lookup.schema_by_id(draft, change.schema_id)
    held = lookup.tables(draft, row.schema_id)
    if held and not change.cascade:
        raise InvalidInputError(
            f'Cannot drop schema "{row.schema_name}" because there are entries that depend on it:'
            f' table "{held[0].table_name}". Nothing was dropped.',
            hint="Drop them first, or drop the schema with cascade.",
        )
    for table in held:
        tables.drop(draft, DropTable(table.table_id))
    draft.end(row)
    if row.origin is None:
        draft.log = [entry for entry in draft.log if entry.object_id != row.schema_id]
    else:
        draft.log.append(LoggedChange(ChangeKind.DROPPED_SCHEMA, object_id=row.schema_id, schema_name=row.schema_name))
