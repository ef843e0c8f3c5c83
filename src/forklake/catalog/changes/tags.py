"""Comments and other tags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.changes import views
from forklake.catalog.changes.alteration import log_altered
from forklake.catalog.changes.columns import column_by_id
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_name, check_text
from forklake.errors import NotFoundError
from forklake.metastore.written_tables import COLUMN_TAG, TAG, VIEW, VIEW_COLUMN_TAG
from forklake.model.aliases import parse_aliases
from forklake.model.change import SetColumnTag, SetTag, SetViewColumnTag
from forklake.model.ids import TableId
from forklake.model.names import fold
from forklake.model.rows import ColumnTagRow, TagRow, ViewColumnTagRow


def set_tag(draft: Draft, change: SetTag) -> None:
    """Set a tag of a table or view."""
    new = TagRow(object_id=change.object_id, key=change.key, value=change.value)
    found_views = draft.rows(VIEW, {"view_id": change.object_id})
    table = None if found_views else lookup.table_by_id(draft, TableId(change.object_id))
    of = f'view "{found_views[0].view_name}"' if table is None else f'table "{table.table_name}"'
    _put(draft, draft.rows(TAG, {"object_id": change.object_id}), new, of)
    if table is None:
        views.log_altered(draft, found_views[0])
    else:
        log_altered(draft, table)


def set_column_tag(draft: Draft, change: SetColumnTag) -> None:
    """Set a tag of a column."""
    table = lookup.table_by_id(draft, change.table_id)
    column = column_by_id(draft, change.table_id, change.column_id)
    new = ColumnTagRow(table_id=change.table_id, column_id=change.column_id, key=change.key, value=change.value)
    of = f'column "{column.column_name}" of table "{table.table_name}"'
    _put(draft, draft.rows(COLUMN_TAG, {"table_id": change.table_id, "column_id": change.column_id}), new, of)
    log_altered(draft, table)


def set_view_column_tag(draft: Draft, change: SetViewColumnTag) -> None:
    """Set a tag of a column of a view; only the view's aliases are known here."""
    check_name("column", change.column_name)
    view = lookup.view_by_id(draft, change.view_id)
    aliases = parse_aliases(view.column_aliases)
    if aliases and fold(change.column_name) not in {fold(alias) for alias in aliases}:
        raise NotFoundError(f'View "{view.view_name}" does not have a column with name "{change.column_name}"')
    new = ViewColumnTagRow(view_id=change.view_id, column_name=change.column_name, key=change.key, value=change.value)
    before = [
        row
        for row in draft.rows(VIEW_COLUMN_TAG, {"view_id": change.view_id})
        if fold(row.column_name) == fold(change.column_name)
    ]
    _put(draft, before, new, f'column "{change.column_name}" of view "{view.view_name}"')
    views.log_altered(draft, view)


AnyTag = TagRow | ColumnTagRow | ViewColumnTagRow


def _put(draft: Draft, before: Iterable[AnyTag], new: AnyTag, of: str) -> None:
    """Replace the tag of the same key; the value None removes it."""
    check_name("tag", new.key)
    check_text(f"{new.key} of {of}", new.value)
    draft.end(*(row for row in before if row.key == new.key))
    if new.value is not None:
        draft.insert(replace(new))
