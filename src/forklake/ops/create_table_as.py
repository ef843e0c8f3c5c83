"""Creates a table together with its rows."""

from __future__ import annotations

import pyarrow as pa

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.engine.engine import Frame
from forklake.model.ids import TableId
from forklake.ops.append import append
from forklake.ops.define_table import NewTable, create_table
from forklake.ops.runtime import Runtime


def create_table_as(
    staging: Staging, runtime: Runtime, new: NewTable, frame: Frame | pa.Table | None
) -> tuple[TableId | None, int]:
    """Create a table and add the rows of a frame by position.

    Return the id of the table and the number of rows. Nothing is added if there is no frame, or if the table
    existed.

    Raises:
        AlreadyExistsError: There is a table or view of that name.
        InvalidInputError: Columns or values do not fit; nothing was made.
        EngineError: The job failed; nothing was made.
    """
    made = create_table(staging, runtime, new)
    if made is None or frame is None:
        return made, 0
    return made, append(staging, runtime, lookup.table_by_id(staging.draft, made), frame, by_name=False)
