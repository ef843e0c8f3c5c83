"""Creates, drops and renames views."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model import change
from forklake.model.ids import ViewId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import ViewRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.check_body import check_body


@dataclass(frozen=True, slots=True)
class NewView:
    """A view to create, and what to do if the name is taken."""

    name: str
    sql: str
    schema: str = "main"
    column_aliases: Sequence[str] = ()
    dialect: str = "duckdb"
    if_not_exists: bool = False
    or_replace: bool = False
    trusted: bool = True

    def __post_init__(self) -> None:
        if self.if_not_exists and self.or_replace:
            raise InvalidInputError("Cannot specify both OR REPLACE and IF NOT EXISTS.")


def create_view(staging: Staging, runtime: Runtime, new: NewView) -> ViewId | None:
    """Create a view; return its id.

    The result is None if a view of that name exists and should stay.

    Raises:
        AlreadyExistsError: There is a table or view of that name.
        InvalidInputError: The text is no query, or several. (A text in another dialect is not checked.)
    """
    check_body(runtime, f'View "{new.name}"', new.sql, new.dialect, is_query=True)
    schema_id = lookup.schema(staging.draft, new.schema).schema_id
    found = lookup.find_view(staging.draft, schema_id, new.name)
    if found is not None and new.if_not_exists:
        return None
    if found is not None and new.or_replace:
        staging.stage(change.DropView(found.view_id))
    elif new.or_replace and lookup.find_table(staging.draft, schema_id, new.name) is not None:
        raise InvalidInputError(
            f"Existing object {new.name} is of type Table, trying to replace with type View. Nothing was replaced."
        )
    new_id, aliases = ViewId(staging.new_object()), tuple(new.column_aliases)
    staging.stage(
        change.CreateView(
            new_id, str(uuid.uuid4()), schema_id, new.name, new.sql, new.dialect, aliases, trusted=new.trusted
        )
    )
    return new_id


def drop_view(staging: Staging, view: ViewRow) -> None:
    """Drop a view."""
    staging.stage(change.DropView(view.view_id))


def rename_view(staging: Staging, view: ViewRow, name: str) -> None:
    """Give a view another name.

    Raises:
        AlreadyExistsError: There is a table or view of the new name.
    """
    staging.stage(change.RenameView(view.view_id, name))
