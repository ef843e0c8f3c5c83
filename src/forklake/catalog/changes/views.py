"""Creates, drops and renames views."""

from __future__ import annotations

from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_name, check_text
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.metastore.written_tables import TAG, VIEW_COLUMN_TAG
from forklake.model.aliases import format_aliases
from forklake.model.change import CreateView, DropView, RenameView
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.rows import ViewRow


def create(draft: Draft, change: CreateView) -> None:
    """Create a view; tables and views share one namespace."""
    check_name("view", change.name)
    check_text(f'query of view "{change.name}"', change.sql)
    check_text(f'dialect of view "{change.name}"', change.dialect)
    if not change.sql.strip():
        raise InvalidInputError(f'View "{change.name}" must have a query; it was not created.')
    for alias in change.column_aliases:
        check_name("column", alias)
    aliases = check_text(f'list of the columns of view "{change.name}"', format_aliases(change.column_aliases))
    schema = lookup.schema_by_id(draft, change.schema_id)
    lookup.check_relation_is_free(draft, change.schema_id, change.name)
    draft.insert(
        ViewRow(
            view_id=change.view_id,
            view_uuid=change.uuid,
            schema_id=change.schema_id,
            view_name=change.name,
            dialect=change.dialect,
            sql=change.sql,
            column_aliases=aliases,
            trusted=change.trusted or None,
        )
    )
    draft.record(
        LoggedChange(
            ChangeKind.CREATED_VIEW,
            object_id=change.view_id,
            schema_name=schema.schema_name,
            name=change.name,
            schema_id=schema.schema_id,
        )
    )


def drop(draft: Draft, change: DropView) -> None:
    """Drop a view with its tags."""
    row = lookup.view_by_id(draft, change.view_id)
    tags = draft.rows(TAG, {"object_id": row.view_id}), draft.rows(VIEW_COLUMN_TAG, {"view_id": row.view_id})
    draft.end(row, *tags[0], *tags[1])
    draft.forget_log(change.view_id)
    if change.view_id >= 0:
        draft.record(LoggedChange(ChangeKind.DROPPED_VIEW, object_id=change.view_id))


def rename(draft: Draft, change: RenameView) -> None:
    """Rename a view."""
    check_name("view", change.name)
    row = lookup.view_by_id(draft, change.view_id)
    if lookup.is_taken_by_another(draft, row.schema_id, change.name, row.view_id):
        raise AlreadyExistsError(
            f'Could not rename view "{row.view_name}" to "{change.name}": another entry with this name already exists!'
        )
    draft.end(row)
    draft.insert(replace(row, view_name=change.name, trusted=row.trusted if change.trusted else None, origin=None))
    draft.rename_created(change.view_id, change.name)
    log_altered(draft, row)


def log_altered(draft: Draft, row: ViewRow) -> None:
    """Log that a view was altered, unless this transaction makes it."""
    if row.view_id >= 0:
        draft.record(LoggedChange(ChangeKind.ALTERED_VIEW, object_id=row.view_id))
