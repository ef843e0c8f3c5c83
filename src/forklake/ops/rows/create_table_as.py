"""Creates a table together with its rows."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.engine.engine import Frame
from forklake.model.ids import TableId
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.objects.define_table import NewTable, create_table
from forklake.ops.rows.append import append
from forklake.ops.rows.frame_base import frame_base


def create_table_as(
    staging: Staging, runtime: Runtime, new: NewTable, frame: Frame | pa.Table | None
) -> tuple[TableId | None, int]:
    """Create a table and add the rows of a frame by position.

    Return the id of the table and the number of rows. Nothing is added if there is no frame, or if the table
    existed.

    Raises:
        AlreadyExistsError: There is a table or view of that name.
        ConflictError: The frame was read of the table that is replaced, and others changed it since.
        InvalidInputError: Columns or values do not fit; nothing was made.
        EngineError: The job failed; nothing was made.
    """
    old = _old_table(staging, new) if frame is not None else None
    base = None if old is None else frame_base(runtime, staging, old, frame)
    made = create_table(staging, runtime, replace(new, uses_old_rows=new.uses_old_rows or base is not None))
    if made is None or frame is None:
        return made, 0
    rows = append(staging, runtime, lookup.table_by_id(staging.draft, made), frame, by_name=False)
    if old is not None and base is not None:
        staging.check_unchanged(old, base)
    return made, rows


def _old_table(staging: Staging, new: NewTable) -> TableId | None:
    """Return the table that another one takes the place of, if there is one."""
    if not new.or_replace:
        return None
    found = lookup.find_table(staging.draft, lookup.schema(staging.draft, new.schema).schema_id, new.name)
    return None if found is None else found.table_id
