"""Files whose rows go into new files."""

from __future__ import annotations

from typing import Final

from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import (
    ROW_ID_COLUMN,
    ROW_ID_FIELD_ID,
    SNAPSHOT_ID_COLUMN,
    SNAPSHOT_ID_FIELD_ID,
    ScanPlan,
)

CARRIED_LINEAGE: Final = (
    Field(ROW_ID_FIELD_ID, ROW_ID_COLUMN, types.INT64),
    Field(SNAPSHOT_ID_FIELD_ID, SNAPSHOT_ID_COLUMN, types.INT64),
)
"""What rows that moved carry behind the columns of the table: their ids, and the snapshots that added them."""


@dataclass(frozen=True, slots=True)
class FileMerge:
    """Files whose rows go into new files together.

    Attributes:
        plan: The files, with their deletes; no inlined rows.
        file_count: How many new files there are to be; more than one only if the rows are sorted.
        directory: Where they go below the table's directory: empty, or ending in a slash.
    """

    plan: ScanPlan
    file_count: int = 1
    directory: str = ""

    @property
    def byte_count(self) -> int:
        """The size of the files."""
        return sum(file.file_size_bytes for file in self.plan.files)
