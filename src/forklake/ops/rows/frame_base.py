"""Rows that were made of a table itself rest on what they were read at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forklake.catalog.transaction import Staging
from forklake.engine.engine import Frame
from forklake.model.ids import SnapshotId, TableId
from forklake.ops.lakes.runtime import Runtime

if TYPE_CHECKING:
    import pyarrow as pa


def frame_base(runtime: Runtime, staging: Staging, table: TableId, rows: Frame | pa.Table) -> SnapshotId | None:
    """Return the oldest snapshot of a table that a frame was read at.

    It is None if the frame has read nothing of the table, or only at moments that were named, and of rows in memory.
    """
    if not runtime.engine.is_frame(rows):
        return None
    catalog = staging.draft.version.catalog_id
    return min(
        (
            read.snapshot_id
            for read in runtime.engine.noted_reads(rows)
            if (read.lake, read.catalog_id, read.table_id) == (runtime.key, catalog, table)
        ),
        default=None,
    )


def check_frame_base(staging: Staging, runtime: Runtime, table: TableId, rows: Frame | pa.Table) -> None:
    """Refuse what was staged if others changed the table after a frame had read it.

    Raises:
        ConflictError: What others did conflicts with what was staged.
    """
    base = frame_base(runtime, staging, table, rows)
    if base is not None:
        staging.check_unchanged(table, base)
