"""Replaces the rows of a table, or those that satisfy a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forklake.catalog.transaction import Staging
from forklake.engine.engine import Frame
from forklake.model.predicate import Condition
from forklake.model.rows import TableRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows.append import append
from forklake.ops.rows.change_table import FoundChange, change_found_rows, delete_all, delete_where
from forklake.ops.rows.frame_base import check_frame_base

if TYPE_CHECKING:
    import pyarrow as pa


def overwrite(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    frame: Frame | pa.Table,
    condition: Condition | None,
    *,
    by_name: bool = True,
    found: FoundChange | None = None,
) -> int:
    """Replace rows of a table by those of a frame; return how many it wrote.

    All rows are deleted, or those that satisfy the condition; where these were ``found`` already, with the scan that
    found them, nothing is searched. The frame may read the table itself: it has the rows that were there when it was
    made.

    Raises:
        ConflictError: The frame was read of the table, and others changed it since; nothing was changed.
        InvalidInputError: The columns or values do not fit the table; nothing was changed.
        EngineError: A Spark job failed; nothing was changed.
    """
    # What goes is decided before the new rows are there.
    if condition is None:
        delete_all(staging, table)
    elif found is not None:
        change_found_rows(staging, runtime, table, found.plan, found.rows, is_update=False, how=found.how)
    else:
        delete_where(staging, runtime, table, condition)
    added = append(staging, runtime, table, frame, by_name=by_name)
    check_frame_base(staging, runtime, table.table_id, frame)
    return added
