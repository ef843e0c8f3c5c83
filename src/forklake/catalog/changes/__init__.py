"""Applies changes to a draft.

There is one module for each family of changes, and one function for each change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from forklake.catalog.changes import (
    columns,
    compact,
    files,
    flush,
    inlined,
    layout,
    macros,
    schemas,
    tables,
    tags,
    views,
)
from forklake.catalog.draft import Draft
from forklake.errors import InvalidInputError
from forklake.model import change as model
from forklake.model.change_log import COMPACTIONS

_APPLY: Final[dict[type, Callable[[Draft, Any], None]]] = {
    model.CreateSchema: schemas.create,
    model.DropSchema: schemas.drop,
    model.CreateTable: tables.create,
    model.DropTable: tables.drop,
    model.RenameTable: tables.rename,
    model.AddColumn: columns.add,
    model.DropColumn: columns.drop,
    model.RenameColumn: columns.rename,
    model.ChangeColumnType: columns.change_type,
    model.SetDefault: columns.set_default,
    model.SetNullsAllowed: columns.set_nulls_allowed,
    model.SetPartitioning: layout.set_partitioning,
    model.SetSorting: layout.set_sorting,
    model.CreateView: views.create,
    model.DropView: views.drop,
    model.RenameView: views.rename,
    model.CreateMacro: macros.create,
    model.DropMacro: macros.drop,
    model.SetTag: tags.set_tag,
    model.SetColumnTag: tags.set_column_tag,
    model.SetViewColumnTag: tags.set_view_column_tag,
    model.AppendFiles: files.append,
    model.RewriteFiles: files.rewrite,
    model.DeleteRows: files.delete_rows,
    model.RemoveFiles: files.remove,
    model.InsertInlined: inlined.insert,
    model.DeleteInlined: inlined.delete,
    model.InlineDeletes: inlined.delete_from_files,
    model.FlushInlined: flush.flush,
    model.CompactFiles: compact.compact,
}


def apply(draft: Draft, change: model.Change) -> None:
    """Apply one change to the draft.

    The change is checked against the content of the draft, so a change that was planned on an older snapshot is
    checked again. A change that is refused may leave the draft half changed: discard the draft then.

    Raises:
        ForklakeError: The change makes no sense on the content of the draft.
    """
    # All entries before are of one sort, so the last tells.
    if draft.log and (draft.log[-1].kind in COMPACTIONS) != isinstance(change, model.CompactFiles):
        raise InvalidInputError("Transactions can either make changes OR perform compaction - not both")
    _APPLY[type(change)](draft, change)
