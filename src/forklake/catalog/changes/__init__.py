"""Changes laid over a view: one module for each family, one function for each change."""

from __future__ import annotations

from forklake.catalog.changes import columns, files, schemas, tables
from forklake.catalog.view import Draft
from forklake.model import change as model


def apply(draft: Draft, change: model.Change) -> None:
    """Lay one change over the draft.

    What it means is decided on what the draft shows, so a change planned on an older snapshot is
    checked again. A change that is refused may leave the draft half changed: throw it away.

    Raises:
        ForklakeError: The change makes no sense on what the draft shows.
    """
    match change:
        case model.CreateSchema():
            schemas.create(draft, change)
        case model.DropSchema():
            schemas.drop(draft, change)
        case model.CreateTable():
            tables.create(draft, change)
        case model.DropTable():
            tables.drop(draft, change)
        case model.RenameTable():
            tables.rename(draft, change)
        case model.AddColumn():
            columns.add(draft, change)
        case model.DropColumn():
            columns.drop(draft, change)
        case model.RenameColumn():
            columns.rename(draft, change)
        case model.AppendFiles():
            files.append(draft, change)
        case model.DeleteRows():
            files.delete_rows(draft, change)
        case model.RemoveFiles():
            files.remove(draft, change)
