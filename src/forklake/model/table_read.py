"""What a frame has read: a table, at a snapshot."""

from __future__ import annotations

from typing import Self

from forklake.model.ids import CatalogId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TableRead:
    """A table of a lake as it was read, at the newest snapshot of that time.

    >>> TableRead.parse("1.2.3.sqlite:/lake.db")
    TableRead(lake='sqlite:/lake.db', catalog_id=1, table_id=2, snapshot_id=3)
    """

    lake: str
    catalog_id: CatalogId
    table_id: TableId
    snapshot_id: SnapshotId

    def __str__(self) -> str:
        return f"{self.catalog_id}.{self.table_id}.{self.snapshot_id}.{self.lake}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the read that a text says."""
        catalog, table, snapshot, lake = text.split(".", 3)
        return cls(lake, CatalogId(int(catalog)), TableId(int(table)), SnapshotId(int(snapshot)))
